// A scene: everything a simulation starts from. Plain definitions in SI units.
#pragma once

#include <dollop/colliders.h>
#include <dollop/numerics.h>
#include <dollop/shapes.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace dollop {

// Bad input: the message says what is wrong and how to mend it; `where` names the key of the scene it is about, such
// as "bodies[0].shape", if there is one.
struct SceneError : std::runtime_error {
  explicit SceneError(const std::string& message, std::string where_ = {})
      : std::runtime_error(message), where(std::move(where_)) {}
  std::string where;
};

struct Settings {
  Solver solver = Solver::explicit_solver;
  double duration = 1;      // of a run [s]
  double frame_rate = 30;   // frames of output in a second [1/s]
  double cell_size = 0.01;  // width of a grid cell [m]
  Kernel kernel = Kernel::cubic;
  Transfer transfer = Transfer::apic;
  double flip_ratio = 0.95;  // flip: 1 is pure FLIP, 0 is PIC
  double flip_dt =
      0;  // time that flip_ratio is meant for, so that damping does not depend on dt; 0: a step [s]
  double rpic_damping = 1;  // rpic: 1 drops all of the symmetric affine velocity, 0 is APIC
  ForceForm forces = ForceForm::mls;
  Advection advection = Advection::particle_velocity;
  Animated3 gravity{0, -9.81, 0};  // [m/s^2]
  Precision precision = Precision::single_precision;
  double max_dt = std::numeric_limits<double>::infinity();  // [s]
  double min_dt = 0;                                        // a step that fails at this size ends the run [s]
  double dt_safety = 0.9;  // fraction of the stability bound, which holds for strains that are not large
  double cfl = 0.6;        // cells that particles and colliders may travel in a step
  VolumeInit volume_init = VolumeInit::exact;
  int resample_every = 0;  // steps between fillings of thinned-out material with new particles; 0: never
  double resample_strain =
      0;  // the same whenever the largest dt |grad v| of the steps adds up to this; 0: never
  ResampleFields resample_fields = ResampleFields::donors;
  bool resample_merge = true;  // whether two particles that coincide become one
  int resample_depth =
      0;  // of the search for holes: down to a part of 2^-depth of a particle's spacing; 0: by strain
  double newton_tolerance = 1e-3;  // newton: part of the first residual that may be left
  int newton_iterations = 20;      // at most, in a step
  double linear_tolerance = 1e-2;  // the same for the linear system of each iteration
  int linear_iterations = 30;
  std::uint64_t seed = 1;  // of jittered and Poisson-disk seeding, and of resampling
  int threads = 0;         // 0: all
};

struct Material {
  std::string name;
  std::string model;                         // for example "neo-hookean"
  std::map<std::string, double> parameters;  // those that differ from the defaults
  std::string look = {};                     // in pictures; empty: that of the model
  std::optional<Double3> color = {};         // sRGB, 0 to 1; without it that of the look
};

// The skin of a body, of another material.
struct Layer {
  std::string material;
  double depth = 0;  // below the surface of the body [m]
};

// All bodies of one material form one group of particles.
struct Body {
  std::string material;  // name of one of the scene's materials
  Shape shape;
  double particles_per_cell = 8;
  Double3 velocity{0, 0, 0};          // [m/s]
  Double3 angular_velocity{0, 0, 0};  // about the centre of mass [rad/s]
  Seeding seeding = Seeding::lattice;
  std::vector<Layer> layers = {};  // from the surface inwards: a particle is of the first that is deep enough
};

// A nozzle. Material flows out of its front, the side of the shape that `direction` points out of, in layers of equal
// spacing whatever the time step; or, if `every` is given, whole copies of the shape leave one after the other.
struct Emitter {
  std::string material;
  Shape shape;
  Animated speed = 1;          // relative to the nozzle, not negative [m/s]
  Double3 direction{0, 0, 0};  // zero: the normal of a disc; other shapes need one
  double from = 0;             // [s]
  double until = std::numeric_limits<double>::infinity();  // [s]
  double every = 0;  // time between copies of the shape; 0: a steady flow [s]
  double particles_per_cell = 8;
  Seeding seeding = Seeding::lattice;
  bool wait = true;    // a copy stays back while particles are closer to it than two cells
  Motion motion = {};  // of the nozzle; what leaves it moves along
  std::string name = {};
};

// Needed for periodic axes only: space is unbounded otherwise.
struct Domain {
  Double3 min{0, 0, 0}, max{1, 1, 1};  // [m]
  std::array<bool, 3> periodic{false, false, false};
  // Simple shear between two sticky plates at the ends of the y axis: they move along x at -rate H / 2 and
  // +rate H / 2, where H is the height of the domain, and report their contact force. [1/s]
  std::optional<Animated> shear_rate = {};
};

// From where pictures are taken.
struct View {
  Double3 eye{0, 0, 1}, target{0, 0, 0};  // [m]
  double angle = 0.6;                     // that the height of the picture spans [rad]
};

struct Output {
  std::vector<std::string> particles{"bgeo"};  // formats: bgeo vtp ply usda vdb
  std::vector<std::string> attributes{"velocity", "id", "mass", "volume", "J"};
  std::vector<std::string> surface{};   // formats: vdb ply obj usda
  std::string surface_method = "fast";  // fast, smooth or sharp
  bool preview = false;                 // a picture for each frame, and a movie
  int checkpoint_every = 10;            // frames; 0: only when interrupted and at the end
  bool survey = false;  // metrics of the body that the particles form; also made if [expect] names one
};

// A part of the material whose mass, motion and place are measured: that of one material, what is in a shape, or both.
struct Gauge {
  std::string name;
  std::string material = {};        // empty: all
  std::optional<Shape> shape = {};  // none: everywhere
  Motion motion = {};               // of the shape
};

// What a run must show: `metric` [of a component] compared with a number, at one time or over the run.
struct Expectation {
  enum class When { end, at, always, sometime };
  std::string metric;  // for example "center_of_mass.y"
  std::string op;      // < <= > >= == !=, or ~ (within `tolerance`)
  double value = 0;
  double tolerance = 0;  // of ~, absolute
  When when = When::end;
  double time = 0;   // of When::at [s]
  std::string text;  // as written, for reports
};

struct Scene {
  std::string title;
  Settings settings;
  std::vector<Material> materials;
  std::vector<Body> bodies;
  std::vector<Emitter> emitters;
  std::vector<Collider> colliders;
  std::optional<Domain> domain;
  std::optional<View> camera = {};  // without one, what moves is framed
  Output output;
  std::vector<Expectation> expectations;
  std::vector<Gauge> gauges = {};
};

}  // namespace dollop
