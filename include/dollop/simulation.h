// Runs a scene: particles from bodies, steps, and what there is to see of the state.
#pragma once

#include <dollop/scene.h>

#include <cstdint>
#include <memory>

namespace dollop {

enum class Status {
  ok,
  not_finite,     // a velocity became infinite or not a number
  strained,       // dt |grad v| of a particle exceeds 1/2, or it would turn inside out
  too_fast,       // a particle would move more than a cell
  lost_particle,  // a position is not finite or out of the grid's reach
};

// What a step did. A step that is not ok has changed nothing: the state is the one before it.
struct StepReport {
  Status status = Status::ok;
  double dt = 0;               // [s]
  double max_speed = 0;        // of the particles after the step [m/s]
  double max_travel = 0;       // farthest that a particle moves [cells]
  double max_increment = 0;    // largest dt |grad v|
  double min_det = 1;          // least det(1 + dt grad v)
  bool left_margin = false;    // particles will be re-sorted before the next step
  std::uint64_t particle = 0;  // lost_particle: its id
  bool ok() const { return status == Status::ok; }
};

std::string describe(const StepReport& report);  // one sentence

// What advance_to() did.
struct AdvanceReport {
  StepReport last;  // not ok: the run cannot go on, and the state is the last good one
  std::int64_t steps = 0, rejected = 0;
  double dt_min = 0, dt_max = 0;  // [s]
  bool ok() const { return last.ok(); }
};

// Sums over all particles, in double.
struct Metrics {
  double time = 0;  // [s]
  std::int64_t steps = 0;
  std::uint64_t particles = 0;
  double mass = 0;                                           // [kg]
  Double3 momentum{}, angular_momentum{}, center_of_mass{};  // about the origin; with the particles' own spin
  double kinetic_energy = 0, elastic_energy = 0;             // [J]; sum of m v^2 / 2, and of V psi
  Double3 bounds_min{}, bounds_max{};                        // [m]
  double max_speed = 0, min_J = 1, max_J = 1;
};

// One material's particles, copied in order of id, SI units.
struct ParticleData {
  std::vector<std::uint64_t> id;
  std::vector<Double3> position, velocity;
  std::vector<double> mass, volume;
  std::map<std::string, std::vector<std::vector<double>>>
      state;  // columns of the model, component by component
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

  // Runs to a time in steps of equal size where that is possible. Failed steps are repeated in smaller ones.
  AdvanceReport advance_to(double time);
  StepReport step(double dt);  // exactly one step, not repeated if it fails
  double stable_dt() const;    // largest step the stability bound and the speed limit allow now [s]

  double time() const;
  std::int64_t steps() const;
  std::uint64_t particle_count() const;
  Metrics metrics() const;
  std::uint64_t state_hash() const;  // of every column of every particle, in order of id
  ParticleData particles(const std::string& material) const;

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
