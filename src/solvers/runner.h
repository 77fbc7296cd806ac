// A scene in one precision: set-up, the choice of the step, and sums over the state.
#pragma once

#include <dollop/simulation.h>

#include "core/profile.h"
#include "materials/registry.h"
#include "solvers/explicit_mpm.h"

namespace dollop {

template <class S>
class Runner {
 public:
  explicit Runner(const Scene& scene);

  StepReport step(double dt) { return dollop::step(mpm_, scene_, state_, dt); }
  AdvanceReport advance_to(double time);
  double stable_dt() const;

  const State<S>& state() const { return state_; }
  State<S>& state() { return state_; }
  const Scene& scene() const { return scene_; }
  const BlockGrid<S>& grid() const { return mpm_.grid; }
  const InstructionSet& instruction_set() const { return *isa_; }
  Metrics metrics() const;
  std::uint64_t state_hash() const;
  ParticleData particles(const std::string& material) const;

 private:
  void add_bodies();
  void add_body(const Body& body, int group);
  void add_energy(std::size_t group, Metrics& m) const;
  int group_of(const std::string& material) const;

  Scene scene_;
  const InstructionSet* isa_;
  ExplicitMpm<S> mpm_;
  State<S> state_;
  std::vector<Stiffness> stiffness_;  // of each material
};

// Checks everything a scene promises; throws SceneError with the first thing that does not hold.
void validate_scene(const Scene& scene);

}  // namespace dollop
