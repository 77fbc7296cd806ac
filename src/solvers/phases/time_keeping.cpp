#include "solvers/phases/time_keeping.h"

#include <algorithm>

namespace dollop {

template <class S>
void advance_time(const StepReport& report, State<S>& state) {
  state.time += report.dt;
  ++state.steps;
  state.max_speed = report.max_speed;
  state.needs_sort = report.left_margin;
  Tally& tally = state.tally;
  tally.dt_min = tally.dt_max > 0 ? std::min(tally.dt_min, report.dt) : report.dt;
  tally.dt_max = std::max(tally.dt_max, report.dt);
  tally.outer_iterations += report.outer_iterations;
  tally.inner_iterations += report.inner_iterations;
  tally.residual = std::max(tally.residual, report.residual);
  tally.max_increment = std::max(tally.max_increment, report.max_increment);
}

template void advance_time(const StepReport&, State<float>&);
template void advance_time(const StepReport&, State<double>&);

}  // namespace dollop
