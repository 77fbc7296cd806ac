// A scene: everything a simulation starts from. Plain definitions in SI units.
#pragma once

#include <dollop/colliders.h>
#include <dollop/numerics.h>
#include <dollop/shapes.h>

#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace dollop {

// Bad input: the message says what is wrong and how to mend it.
struct SceneError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Settings {
  double cell_size = 0.01;  // width of a grid cell [m]
  Kernel kernel = Kernel::cubic;
  Transfer transfer = Transfer::apic;
  double flip_ratio = 0.95;  // flip: 1 is pure FLIP, 0 is PIC
  double rpic_damping = 1;   // rpic: 1 drops all of the symmetric affine velocity, 0 is APIC
  ForceForm forces = ForceForm::mls;
  Advection advection = Advection::particle_velocity;
  Double3 gravity{0, -9.81, 0};  // [m/s^2]
  Precision precision = Precision::single_precision;
  double max_dt = std::numeric_limits<double>::infinity();  // [s]
  double min_dt = 0;                                        // a step that fails at this size ends the run [s]
  double dt_safety = 0.9;  // fraction of the stability bound, which holds for strains that are not large
  double cfl = 0.6;        // cells a particle may travel in a step
  int threads = 0;         // 0: all
};

struct Material {
  std::string name;
  std::string model;                         // for example "neo-hookean"
  std::map<std::string, double> parameters;  // those that differ from the defaults
};

struct Body {
  std::string material;  // name of one of the scene's materials
  Shape shape;
  double particles_per_cell = 8;
  Double3 velocity{0, 0, 0};          // [m/s]
  Double3 angular_velocity{0, 0, 0};  // about the centre of mass [rad/s]
};

// Needed for periodic axes only: space is unbounded otherwise.
struct Domain {
  Double3 min{0, 0, 0}, max{1, 1, 1};  // [m]
  std::array<bool, 3> periodic{false, false, false};
};

struct Scene {
  std::string title;
  Settings settings;
  std::vector<Material> materials;
  std::vector<Body> bodies;
  std::vector<Collider> colliders;
  std::optional<Domain> domain;
};

}  // namespace dollop
