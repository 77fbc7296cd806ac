// Runs a scene: seeds particles, takes steps, and measures the state.
#pragma once

#include <dollop/scene.h>

#include <array>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>

namespace dollop {

enum class Status {
  ok,
  not_finite,     // a velocity became infinite or not a number
  strained,       // dt |grad v| of a particle exceeds 1/2, or it would turn inside out
  too_fast,       // a particle would move more than a cell
  stalled,        // something is so fast that steps would have to be a millionth of the stability bound
  not_converged,  // Newton's method did not converge in an implicit step
  out_of_range,   // a particle would be crushed, stretched or loaded beyond what numbers can hold
  lost_particle,  // a position is not finite or out of the grid's reach
  undefined,      // a motion, the gravity or a speed has no finite value
};

// What a step did. A step that is not ok has changed nothing: the state is the one before it.
struct StepReport {
  Status status = Status::ok;
  double dt = 0;                                   // [s]
  double max_speed = 0;                            // of the particles after the step [m/s]
  double max_travel = 0;                           // farthest that a particle moves [cells]
  double max_increment = 0;                        // largest dt |grad v|
  double min_det = 1;                              // least det(1 + dt grad v)
  bool left_margin = false;                        // particles will be re-sorted before the next step
  int outer_iterations = 0, inner_iterations = 0;  // of an implicit step, and of its linear systems
  double residual = 0;                             // of an implicit step: part of the first one that is left
  std::uint64_t particle = 0;                      // lost_particle: its id
  bool ok() const { return status == Status::ok; }
};

std::string describe(const StepReport& report);  // one sentence

// What advance_to() did.
struct AdvanceReport {
  StepReport last;  // not ok: the run cannot go on, and the state is the last good one
  std::int64_t steps = 0, rejected = 0;
  double dt_min = 0, dt_max = 0;  // [s]
  bool stopped = false;           // by the caller, before the time was reached
  bool ok() const { return last.ok(); }
};

// Contact force on a collider, averaged over the time since the last new_interval().
struct ContactForce {
  std::string collider;
  Double3 force{};   // of the material on the collider [N]
  Double3 torque{};  // about the origin [N m]
};

// What a gauge measures. Centre and bounds are NaN if the gauge contains no particle.
struct GaugeReading {
  std::string gauge;
  std::uint64_t particles = 0;
  double mass = 0;  // [kg]
  double flow = 0;  // rate of change of the mass, averaged since the last new_interval() [kg/s]
  Double3 momentum{}, center_of_mass{};  // [kg m/s, m]
  double kinetic_energy = 0;             // [J]
  Double3 bounds_min{}, bounds_max{};    // [m]
  double max_speed = 0;                  // [m/s]
};

// Geometry of the body that the particles form; a quantity without any material to measure is 0. Definitions:
// docs/theory/resampling.md.
struct Survey {
  double volume = 0;                                          // [m^3]
  double density_mean = 0, density_min = 0, density_max = 0;  // at grid nodes two cells inside [kg/m^3]
  double density_within = 0;  // fraction of these nodes within 5 % of the mean
  double voids = 0;           // volume of pockets, cracks and gaps in it [m^3]
  std::uint64_t pieces = 0;   // connected components; crumbs do not count
  double longest_thread = 0;  // length of the longest thread thinner than two cells [m]
};

// How far the particles of a material are from their volume at rest.
struct VolumeChange {
  std::string material;
  double change = 0;  // mean of |J - 1| of the particles that are not torn, by volume
};

// How far the surface mesh of a body spans gaps that have opened in its material.
struct MeshGaps {
  int body = 0;     // index into the scene's bodies
  double part = 0;  // of the edges of the mesh
};

// Sums over all particles, in double.
struct Metrics {
  double time = 0;  // [s]
  std::int64_t steps = 0;
  double dt_min = 0, dt_max = 0;  // of the steps since the last new_interval() [s]
  std::uint64_t particles = 0;
  double mass = 0;                                           // [kg]
  double mass_error = 0;                                     // |mass + removed - added| / added
  Double3 momentum{}, angular_momentum{}, center_of_mass{};  // about the origin; with the particles' own spin
  double kinetic_energy = 0, elastic_energy = 0;             // [J]; sum of m v^2 / 2, and of V psi
  double affine_energy = 0;   // [J]; sum of m D |C|^2 / 2: of the affine velocity that particles carry
  double velocity_noise = 0;  // [m/s]; rms of what velocities have beside linear fits over two cells
  Double3 bounds_min{}, bounds_max{};  // [m]
  double max_speed = 0, min_J = 1, max_J = 1;
  double mean_J = 1;         // volume average: sum of V J over sum of V
  double max_increment = 0;  // largest dt |grad v| of the steps since the last new_interval()
  std::uint64_t weak = 0;    // particles that are torn now
  std::uint64_t emitted = 0, inserted = 0, merged = 0, removed = 0;  // particles, since the start
  double removed_mass = 0;                                           // [kg]
  double resample_energy = 0;           // kinetic energy that resampling has added; negative: removed [J]
  Double3 resample_angular_momentum{};  // that resampling has added [kg m^2/s]
  std::optional<Survey> survey = {};    // if it was asked for
  std::int64_t rejected_steps = 0;
  std::int64_t outer_iterations = 0,
               inner_iterations = 0;  // of implicit steps and their linear systems, since the start
  double residual = 0;  // the largest of those that steps have left, since the last new_interval()
  std::vector<ContactForce> contact_forces = {};  // on the colliders that have a name
  std::vector<GaugeReading> gauges = {};
  std::vector<VolumeChange> volume_changes = {};  // of all materials of the scene
  std::vector<MeshGaps> mesh_gaps = {};           // of the bodies with a surface mesh
};

// One material's particles, copied in order of id, SI units.
struct ParticleData {
  std::vector<std::uint64_t> id;
  std::vector<Double3> position, velocity;
  std::vector<double> mass, volume;
  std::map<std::string, std::vector<std::vector<double>>> state;  // columns of the model, by component
};

// A named quantity of all particles: `components` numbers for each, particle by particle.
struct Attribute {
  std::string name;
  int components = 1;
  std::vector<float> values = {};
};

// The surface mesh of a body at one time. Vertices and triangles are the same at all times; points on creases and on seams
// of the texture are several vertices.
struct BodyMesh {
  int body = 0;                      // index into the scene's bodies
  std::vector<float> position = {};  // three a vertex [m]
  std::vector<float> normal = {};    // three a vertex: unit, outward
  std::vector<float> velocity = {};  // three a vertex [m/s]
  std::vector<float> uv = {};        // texture coordinates, two a vertex; empty: the mesh has none
  std::vector<std::array<std::uint32_t, 3>> triangles = {};  // counter-clockwise seen from outside
};

// All particles at one time, in order of id: what the caches of a frame hold.
struct ParticleFrame {
  double time = 0;  // [s]
  std::vector<std::uint64_t> id = {};
  std::vector<float> position = {};         // three a particle [m]
  std::vector<std::int32_t> material = {};  // index into the scene's materials
  std::vector<Attribute> attributes = {};   // in the order asked for
  std::vector<BodyMesh> meshes = {};        // of the bodies with a surface_mesh, in the order of the scene
};

struct PhaseTime {
  std::string name;
  double seconds;
};

class Simulation {
 public:
  explicit Simulation(const Scene& scene);  // throws SceneError
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  // Runs to a time, in steps of equal length where possible. A step that fails is repeated with a shorter one.
  // `keep_going` is called after every step; if it returns false the run ends there, with a consistent state.
  AdvanceReport advance_to(double time, const std::function<bool(const StepReport&)>& keep_going = {});
  StepReport step(double dt);  // exactly one step, not repeated if it fails
  double stable_dt() const;    // largest step the stability bound and the speed limit allow now [s]

  double time() const;
  std::int64_t steps() const;
  std::uint64_t particle_count() const;
  Metrics metrics(bool with_survey = false) const;
  std::uint64_t state_hash() const;  // of every column of every particle, in order of id
  void new_interval();               // metrics that are averages or extremes over an interval start anew
  ParticleData particles(const std::string& material) const;

  // Names that snapshot() knows: velocity id mass volume J stress stretch material, and every column of a model.
  std::vector<std::string> attribute_names() const;
  ParticleFrame snapshot(
      const std::vector<std::string>& attributes) const;  // throws SceneError for other names

  // The complete state: a run that is restored from it continues bitwise as the saved one. restore() needs a simulation
  // of the same scene, and throws std::runtime_error if the stream was not written by save() of such a one.
  void save(std::ostream& out) const;
  void restore(std::istream& in);

  std::size_t particle_bytes() const;  // particles with sort buffers
  std::size_t grid_bytes() const;
  std::vector<PhaseTime> phase_times() const;  // since the start or the last reset
  void reset_phase_times();
  std::string instruction_set() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace dollop
