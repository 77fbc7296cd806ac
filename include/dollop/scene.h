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

// Bad input. The message says what is wrong and how to mend it; `where` names the key of the scene it is about, such as
// "bodies[0].shape", and is empty if no single key is to blame.
struct SceneError : std::runtime_error {
  explicit SceneError(const std::string& message, std::string where_ = {})
      : std::runtime_error(message), where(std::move(where_)) {}
  std::string where;
};

struct Settings {
  std::string solver = "explicit";  // method of time integration; all of them: docs/scene-reference.md
  // Settings of methods that differ from their defaults, by method and name: methods["newton"]["tolerance"] = 1e-6.
  // Those of methods other than `solver` are checked, but have no effect.
  std::map<std::string, std::map<std::string, double>> methods = {};
  double duration = 1;      // simulated time of a run [s]
  double frame_rate = 30;   // output frames per second of simulated time [1/s]
  double cell_size = 0.01;  // edge length of a grid cell [m]
  Kernel kernel = Kernel::cubic;
  Transfer transfer = Transfer::apic;
  double flip_ratio = 0.95;  // flip: share of FLIP in the blend with PIC; 1 is pure FLIP, 0 is PIC
  // flip: time over which flip_ratio applies, so that damping does not depend on dt; 0: one step [s]
  double flip_dt = 0;
  // fading: time constant with which motion is damped that the grid cannot resolve; 0: found from the materials [s]
  double fading_time = 0;
  double rpic_damping = 1;  // rpic: part of the symmetric affine velocity that is dropped; 0 is APIC
  int damping_trips = 0;    // round trips through the grid before each step, which damp shear
  double damping_viscosity =
      0;  // kinematic viscosity that as many trips as it takes stand for; 0: none [m^2/s]
  ForceForm forces = ForceForm::mls;
  Advection advection = Advection::particle_velocity;
  Animated3 gravity{0, -9.81, 0};  // [m/s^2]
  Precision precision = Precision::single_precision;
  double max_dt = std::numeric_limits<double>::infinity();  // largest time step [s]
  double min_dt = 0;                                        // a run fails if a step of this length fails [s]
  double dt_safety = 0.9;  // explicit: time step as a fraction of the stability bound of small strains
  double cfl = 0.6;        // largest distance that particles and colliders move in a step [cells]
  VolumeInit volume_init = VolumeInit::exact;
  int resample_every = 0;      // steps between particle resamplings; 0: never
  double resample_strain = 0;  // resample when max dt |grad v|, summed over steps, exceeds this; 0: never
  ResampleFields resample_fields = ResampleFields::donors;
  bool resample_merge = true;  // resampling merges coincident particles
  // resampling finds voids down to 2^-depth of the particle spacing; 0: 3, or 4 after large strain
  int resample_depth = 0;
  std::uint64_t seed = 1;  // of the random numbers of jittered and poisson seeding and of resampling
  int threads = 0;         // 0: all cores
};

struct Material {
  std::string name;
  std::string model;                         // for example "neo-hookean"
  std::map<std::string, double> parameters;  // those that differ from the defaults [SI]
  std::string look = {};                     // appearance in pictures; empty: that of the model
  std::optional<Double3> color = {};         // sRGB, 0 to 1; none: that of the look
  double optical_depth = 2;                  // of a particle spacing, with the look "density" [-]
};

// A skin of a body that is made of another material.
struct Layer {
  std::string material;
  double depth = 0;  // of its inner side below the surface of the body [m]
};

// Material that is there at the start. All bodies of one material form one group of particles.
struct Body {
  std::string material;  // name of one of the scene's materials
  Shape shape;
  double particles_per_cell = 8;      // on average
  Double3 velocity{0, 0, 0};          // [m/s]
  Double3 angular_velocity{0, 0, 0};  // about the centre of mass [rad/s]
  Seeding seeding = Seeding::lattice;
  std::vector<Layer> layers =
      {};  // from the surface inwards: a particle belongs to the first that reaches it
  // A triangle mesh that moves with the material, for files and pictures: "shape" for the surface of the body's shape, or
  // the file of a mesh, which is placed as the shape is; empty: none.
  std::string surface_mesh = {};
  // Edges of the surface mesh that are longer than this are divided [m]; 0: a cell for "shape", none are for a file.
  double surface_edge = 0;
};

// A nozzle. Material flows out of its front, the side of the shape that `direction` points out of, in layers whose
// spacing does not depend on the time step; or, if `every` is given, whole copies of the shape leave one by one.
struct Emitter {
  std::string material;
  Shape shape;
  Animated speed = 1;          // of the material relative to the nozzle, not negative [m/s]
  Double3 direction{0, 0, 0};  // of the flow; zero: the normal of a disc, all other shapes need a direction
  double from = 0;             // the flow begins [s]
  double until = std::numeric_limits<double>::infinity();  // the flow ends [s]
  double every = 0;               // time between two copies of the shape; 0: a steady flow [s]
  double particles_per_cell = 8;  // on average
  Seeding seeding = Seeding::lattice;
  bool wait = true;    // copies: each is held back while any particle is within two cells of it
  Motion motion = {};  // of the nozzle; the material leaves with its velocity added
  std::string name = {};
};

// The box that repeats on periodic axes. Without periodic axes and shear it is not needed: space is unbounded.
struct Domain {
  Double3 min{0, 0, 0}, max{1, 1, 1};  // [m]
  std::array<bool, 3> periodic{false, false, false};
  // Simple shear between two sticky plates at the ends of the y axis: they move along x at -rate H / 2 and
  // +rate H / 2, where H is the height of the domain, and report their contact force. [1/s]
  std::optional<Animated> shear_rate = {};
};

// The camera of the pictures.
struct View {
  Double3 eye{0, 0, 1}, target{0, 0, 0};  // where it stands, and the point in the middle of the picture [m]
  double angle = 0.6;                     // vertical field of view [rad]
};

struct Output {
  std::vector<std::string> particles{"bgeo"};  // formats: bgeo vtp ply usda vdb
  std::vector<std::string> attributes{"velocity", "id", "mass", "volume", "J"};
  std::vector<std::string> surface{};            // formats: vdb ply obj usda
  std::string surface_method = "fast";           // fast, smooth or sharp
  std::vector<std::string> surface_mesh{"ply"};  // of the bodies that have one; formats: ply obj usda
  bool preview = false;                          // render pictures of the run, and a movie
  // the largest part of the run's time that the preview may take; 1: a picture of each frame, in full size
  double preview_share = 0.1;
  int checkpoint_every = 10;  // frames between checkpoints; 0: only when interrupted and at the end
  bool survey = false;        // add the metrics of Survey; a scene file whose [expect] names one sets this
};

// Measures mass, motion and position of some particles: those of one material, those inside a shape, or both.
struct Gauge {
  std::string name;
  std::string material = {};        // empty: all materials
  std::optional<Shape> shape = {};  // none: all of space
  Motion motion = {};               // of the shape
};

// A check of a run: a metric, or a component of one, compared with a number at one time or throughout the run.
struct Expectation {
  enum class When { end, at, always, sometime };
  std::string metric;  // for example "center_of_mass.y"
  std::string op;      // < <= > >= == !=, or ~ (within `tolerance`)
  double value = 0;
  double tolerance = 0;  // absolute, for ~
  When when = When::end;
  double time = 0;   // for When::at [s]
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
  std::optional<View> camera = {};  // none: the material and what is near it are framed
  Output output;
  std::vector<Expectation> expectations;
  std::vector<Gauge> gauges = {};
};

// Checks everything that a scene must satisfy: names, ranges, shapes, motions. Throws SceneError with the first thing
// that does not hold. read_scene() and Simulation do this by themselves.
void validate_scene(const Scene& scene);

}  // namespace dollop
