// The law of a time step, `predict` and `return_map`: a model has a StepLaw where dt enters, otherwise its Law has both.
#pragma once

#include <utility>

#include "core/isa.h"
#include "math/vec.h"

namespace dollop::inline DOLLOP_ISA {

template <class S, class Model>
auto step_law(const Model& model, double dt) {
  if constexpr (requires { model.template step_law<S>(dt); })
    return model.template step_law<S>(dt);
  else
    return model.template law<S>();
}

template <class Model, class S>
using StepLawOf = decltype(step_law<S>(std::declval<const Model&>(), 0.0));

// A step of one state, for loops that are not hot: it is compiled once for all of them.
template <class Law, class R, class State>
DOLLOP_APART void step_apart(const Law& law, const Mat3<R>& du, State& s) {
  law.predict(du, s);
  law.return_map(s);
}

}  // namespace dollop::inline DOLLOP_ISA
