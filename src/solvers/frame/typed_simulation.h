// A scene in one precision: set-up, the choice of the step, and sums over the state.
#pragma once

#include <dollop/simulation.h>

#include "core/profile.h"
#include "materials/registry.h"
#include "solvers/explicit_mpm.h"
#include "solvers/newton_mpm.h"

namespace dollop {

// Sums over particles of V and of V J [m^3]
struct VolumeSums {
  double rest = 0, now = 0;
  void add(const VolumeSums& other) { rest += other.rest, now += other.now; }
};

template <class S>
class Runner {
 public:
  explicit Runner(const Scene& scene);

  StepReport step(double dt);
  AdvanceReport advance_to(double time, const std::function<bool(const StepReport&)>& keep_going = {});
  double stable_dt() const;

  const State<S>& state() const { return state_; }
  State<S>& state() { return state_; }
  const Scene& scene() const { return scene_; }
  const BlockGrid<S>& grid() const { return mpm_.grid; }
  std::size_t solver_bytes() const { return mpm_.grid.bytes() + newton_.bytes(); }
  const InstructionSet& instruction_set() const { return *isa_; }
  Metrics metrics() const;
  std::uint64_t state_hash() const;
  void new_interval();
  ParticleData particles(const std::string& material) const;
  std::vector<std::string> attribute_names() const;
  ParticleFrame snapshot(const std::vector<std::string>& attributes) const;
  void save(std::ostream& out) const;
  void restore(std::istream& in);

 private:
  void add_body(std::size_t index);
  void lower_densities();
  VolumeSums add_energy(std::size_t group, Metrics& m) const;
  void add_tally(Metrics& m) const;
  double top_speed() const;
  double elastic_dt() const;
  bool implicit() const { return scene_.settings.solver == Solver::newton; }
  void fill_derived(std::size_t group, std::size_t begin, std::size_t end,
                    const std::vector<std::uint32_t>& row, Attribute& out) const;
  void fill_attribute(std::size_t group, const std::vector<std::uint32_t>& row, Attribute& out) const;
  int group_of(const std::string& material) const;

  Scene scene_;
  const InstructionSet* isa_;
  ExplicitMpm<S> mpm_;
  NewtonMpm<S> newton_;
  State<S> state_;
  std::vector<Stiffness> stiffness_;  // of each material
};

// Throws SceneError for a name that is not among the known ones.
void check_attributes(const std::vector<std::string>& wanted, const std::vector<std::string>& known);

// Checks everything a scene promises; throws SceneError with the first thing that does not hold.
void validate_scene(const Scene& scene);

}  // namespace dollop
