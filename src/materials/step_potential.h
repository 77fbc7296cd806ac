// The potential of a step, for models that have one: the forces of an implicit step are then its derivatives, and the step
// minimises a function. Theory: docs/theory/implicit.md.
#pragma once

#include "materials/step_law.h"
#include "materials/strain.h"

namespace dollop::inline DOLLOP_ISA {

// A law of a step with a potential of its own, beside its stress:
//   potential(du, before, after)   energy that the step stores and dissipates, per volume at rest
//   step_stress(before, after)     the Kirchhoff stress that derives from it
//   is_feasible(before, after)     whether the potential is defined there
template <class Law, class State, class R>
concept OwnPotential = requires(const Law& law, const Mat3<R>& du, const State& s) {
  law.potential(du, s, s);
  law.step_stress(s, s);
  law.is_feasible(s, s);
};

// Such a law may know the derivatives of its step_stress, where its own code is faster than dual numbers:
//   step_tangent(du, before, after).along(p, q)   the derivative by the strain increment e_p e_q^T + e_q e_p^T, or e_p e_p^T
template <class Law, class State, class R>
concept OwnTangent = requires(const Law& law, const Mat3<R>& du, const State& s) {
  law.step_tangent(du, s, s).along(0, 0);
};

// An elastic model without plastic flow, `hyperelastic`, has its energy for a potential.
template <class Model>
concept Hyperelastic = requires {
  requires Model::hyperelastic;
};

template <class Model>
inline constexpr bool HasPotential =
    Hyperelastic<Model> ||
    OwnPotential<StepLawOf<Model, double>, typename Model::template State<double>, double>;

// energy that the step from `before` to `after` by du stores and dissipates                            (IMP.11)
template <class Model, class Law, class R, class State>
DOLLOP_INLINE R potential_of(const Law& law, const Mat3<R>& du, const State& before, const State& after) {
  if constexpr (Hyperelastic<Model>)
    return law.energy(after);
  else
    return law.potential(du, before, after);
}

// the Kirchhoff stress that derives from it
template <class Model, class Law, class Before, class After>
DOLLOP_INLINE auto step_stress_of(const Law& law, const Before& before, const After& after) {
  if constexpr (Hyperelastic<Model>)
    return law.stress(after);
  else
    return law.step_stress(before, after);
}

// Whether the potential is defined there: the particle must not have turned inside out.                (IMP.12)
template <class Model, class Law, class R, class State>
DOLLOP_INLINE auto is_feasible(const Law& law, const Mat3<R>& du, const State& before, const State& after) {
  using S = ScalarOf<R>;
  const auto whole = volume_increment(du) > R(S(-0.999));
  if constexpr (Hyperelastic<Model>)
    return whole;
  else
    return both(whole, law.is_feasible(before, after));
}

}  // namespace dollop::inline DOLLOP_ISA
