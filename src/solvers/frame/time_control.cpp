#include "solvers/frame/time_control.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "boundary/collider.h"
#include "boundary/motion.h"
#include "boundary/rigid.h"
#include "solvers/frame/validate_values.h"
#include "solvers/phases/round_trips.h"

namespace dollop {
namespace {

constexpr int max_halvings = 12;  // a rejected step is halved this often, then the run stops

// the largest speed of particles and colliders, and of the material that nozzles emit
template <class S>
double top_speed(const Setup<S>& setup, const State<S>& state) {
  double v = state.max_speed;
  for (const Collider& collider : setup.colliders)
    if (is_there(collider, state.time)) v = std::max(v, largest_speed(collider, state.time));
  for (const Emitter& emitter : setup.scene.emitters)
    if (state.time < emitter.until)
      v = std::max(v, std::fabs(value_at(emitter.speed, std::max(state.time, emitter.from))));
  return v;
}

// the tolerance absorbs the rounding of many summed steps, which would otherwise leave a tiny last step
bool is_reached(double now, double time) { return !(time - now > 1e-12 * std::fabs(time)); }

// A collider that accelerates without bound would shorten the steps for ever, and no run can take 1e12 steps.
bool is_stalled(double allowed, double usual, double remaining) {
  return (std::isfinite(usual) && allowed < 1e-6 * usual) || allowed < 1e-12 * remaining;
}

// whether a shorter step could succeed after this one was rejected
bool may_retry(Status status) { return status != Status::lost_particle && status != Status::undefined; }

}  // namespace

template <class S>
double stable_dt(const Method<S>& method, const Setup<S>& setup, const State<S>& state) {
  const Settings& s = setup.settings();
  const StepLimits limits = step_limits(method, setup, state);
  double dt = limits.divides_steps ? limits.longest : std::min(s.max_dt, limits.longest);
  dt = std::min(dt, longest_damped_step(s));
  // CFL condition with the speed that gravity adds during the step, so that it limits a release from rest  (DT.4)
  const double g = norm(to_vec(value_at(s.gravity, state.time))), travel = s.cfl * s.cell_size;
  const double v = top_speed(setup, state);
  if (v > 0 || g > 0) dt = std::min(dt, 2 * travel / (v + std::sqrt(v * v + 4 * g * travel)));
  // an implicit step from rest without gravity has no limit: start with a frame, which can be halved if rejected
  if (!std::isfinite(dt)) dt = 1 / s.frame_rate;
  // halve the step for colliders that are about to start moving; after 10 halvings, the motion is taken as a jump
  const auto jumps = [&](const Collider& collider) {
    return acts_until(collider, state.time + dt) &&
           largest_travel(collider, state.time, state.time + dt) > 1.01 * travel;
  };
  for (const Collider& collider : setup.colliders)
    for (int k = 0; k < 10 && jumps(collider); ++k) dt /= 2;
  return dt;
}

template <class S>
AdvanceReport advance_to(double time, const std::function<bool(const StepReport&)>& keep_going,
                         Method<S>& method, const Setup<S>& setup, State<S>& state) {
  AdvanceReport report;
  const Settings& settings = setup.settings();
  int halvings = 0;
  while (!is_reached(state.time, time)) {
    const double remaining = time - state.time, allowed = stable_dt(method, setup, state) * state.caution;
    const double usual = std::min(step_limits(method, setup, state).elastic, settings.max_dt);
    if (is_stalled(allowed, usual, remaining)) {
      report.last = {.status = Status::stalled, .dt = allowed, .max_speed = state.max_speed};
      return report;
    }
    const double dt = remaining / std::max(1.0, std::ceil(remaining / allowed * (1 - 1e-12)));
    report.last = has_values(setup.scene, setup.colliders, state.time + dt)
                      ? step(method, setup, state, dt)
                      : StepReport{.status = Status::undefined, .dt = dt};
    if (report.last.ok()) {
      report.dt_min = report.steps ? std::min(report.dt_min, dt) : dt;
      report.dt_max = std::max(report.dt_max, dt);
      ++report.steps;
      halvings = 0;
      state.caution = std::min(1.0, state.caution * 1.25);
      if (keep_going && !keep_going(report.last)) {
        report.stopped = !is_reached(state.time, time);
        return report;
      }
      continue;
    }
    ++report.rejected;
    ++state.tally.rejected;
    if (!may_retry(report.last.status) || ++halvings > max_halvings || dt / 2 < settings.min_dt)
      return report;
    state.caution = std::min(state.caution, dt / stable_dt(method, setup, state)) / 2;
  }
  return report;
}

#define DOLLOP_INSTANTIATE(S)                                                                          \
  template double stable_dt(const Method<S>&, const Setup<S>&, const State<S>&);                       \
  template AdvanceReport advance_to(double, const std::function<bool(const StepReport&)>&, Method<S>&, \
                                    const Setup<S>&, State<S>&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
