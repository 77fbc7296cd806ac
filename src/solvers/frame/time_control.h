// Chooses the time step and repeats rejected steps, for every method alike. Theory: docs/theory/time_step.md.
#pragma once

#include <dollop/simulation.h>

#include <functional>

#include "solvers/frame/method_calls.h"

namespace dollop {

// the longest time step that the stability of the method and the CFL condition allow now [s]
template <class S>
double stable_dt(const Method<S>& method, const Setup<S>& setup, const State<S>& state);

// Advances to a time, in steps of equal length where possible; a rejected step is repeated with half its length.
// `keep_going` is called after every step; the run stops when it returns false.
template <class S>
AdvanceReport advance_to(double time, const std::function<bool(const StepReport&)>& keep_going,
                         Method<S>& method, const Setup<S>& setup, State<S>& state);

}  // namespace dollop
