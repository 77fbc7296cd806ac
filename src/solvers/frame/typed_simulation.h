// A simulation in one precision: the fixed set-up, the state, and the method that advances the state.
#pragma once

#include "solvers/frame/method_calls.h"
#include "solvers/frame/time_control.h"
#include "solvers/observation/measure.h"
#include "solvers/observation/saved_state.h"
#include "solvers/observation/snapshot.h"

namespace dollop {

template <class S>
class TypedSimulation {
 public:
  explicit TypedSimulation(const Scene& scene)
      : method_(method_of<S>(valid(scene).settings)),
        setup_(set_up<S>(scene, columns(method_, scene.settings), state_)) {
    make_ready(setup_, state_, method_);
    new_interval();
  }

  const Setup<S>& setup() const { return setup_; }
  const Scene& scene() const { return setup_.scene; }
  const State<S>& state() const { return state_; }
  State<S>& state() { return state_; }
  const Method<S>& method() const { return method_; }
  std::size_t solver_bytes() const { return bytes(method_); }

  StepReport step(double dt) { return dollop::step(method_, setup_, state_, dt); }
  AdvanceReport advance_to(double time, const std::function<bool(const StepReport&)>& keep_going = {}) {
    return dollop::advance_to(time, keep_going, method_, setup_, state_);
  }
  double stable_dt() const { return dollop::stable_dt(method_, setup_, state_); }

  Metrics metrics() const { return measure(setup_, state_); }
  std::uint64_t state_hash() const { return hash_of(state_); }
  void new_interval() { dollop::new_interval(setup_, state_); }
  ParticleData particles(const std::string& material) const {
    return copy_particles(group_of(scene(), material), state_);
  }
  std::vector<std::string> attribute_names() const { return attributes_of(state_); }
  ParticleFrame snapshot(const std::vector<std::string>& attributes) const {
    return dollop::snapshot(attributes, setup_, state_);
  }
  void save(std::ostream& out) const { save_state(state_, out); }
  void restore(std::istream& in) {
    restore_state(setup_, in, state_);
    after_restore(state_, method_);
  }

 private:
  static const Scene& valid(const Scene& scene) {
    validate_scene(scene);
    return scene;
  }

  State<S> state_;
  Method<S> method_;
  Setup<S> setup_;
};

}  // namespace dollop
