// How long steps are, and what happens when one fails: the same for every method. Theory: docs/theory/time_step.md.
#pragma once

#include <dollop/simulation.h>

#include <functional>

#include "solvers/frame/method_calls.h"

namespace dollop {

// the longest step that the method and the speed of everything allow now [s]
template <class S>
double stable_dt(const Method<S>& method, const Setup<S>& setup, const State<S>& state);

// Runs to a time in steps of equal size where that is possible; a step that fails is repeated with half of its length.
// `keep_going` is asked after every step.
template <class S>
AdvanceReport advance_to(double time, const std::function<bool(const StepReport&)>& keep_going,
                         Method<S>& method, const Setup<S>& setup, State<S>& state);

}  // namespace dollop
