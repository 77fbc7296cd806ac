// The branches of a model: the parts of its stress that are isotropic functions of f b f^T, each with its own b.
// Theory: docs/theory/admm.md.
//
// The step law of a model with branches has
//   branches                              how many
//   branch_strain<B>(before)              b - 1 of branch B, from the state before the step
// and, for a branch on Hencky strain,
//   branch_elasticity<B>()                its moduli
//   branch_map<B>(before, eps, growth)    the return map of the principal trial strains
// or, for any other one,
//   branch_trial<B>(before, eps, growth)  the trial state of this branch alone, in its principal axes
// with the logarithms eps of the principal stretches of f b f^T, and growth = ln det f. Optional are begin_step(before),
// called once before all others, and branch_acts<B>(), false for a branch that has no stress.
#pragma once

#include "materials/hencky.h"
#include "materials/local_step.h"
#include "materials/radial_map.h"
#include "materials/step_law.h"

namespace dollop::inline DOLLOP_ISA {

template <class Law>
concept HasBranches = requires {
  Law::branches;
};
// how many branches the step law of a model has
template <class Model>
constexpr int branches_of() {
  using Law = StepLawOf<Model, double>;
  if constexpr (HasBranches<Law>)
    return Law::branches;
  else
    return 0;
}

template <int B, class Law>
DOLLOP_INLINE bool branch_acts(const Law& law) {
  if constexpr (requires { law.template branch_acts<B>(); })
    return law.template branch_acts<B>();
  else
    return true;
}

// The stress of one branch after a step as a function of the principal stretches of f b f^T.
template <int B, bool is_hencky, class Law, class State, class R>
struct BranchStress {
  using S = ScalarOf<R>;
  using D = Dual<R, 3>;
  const Law& law;
  const State& before;
  R log_volume;  // ln det b / 2
  bool paper;

  static DOLLOP_INLINE R entry(const Vec3<R>& n, int i, int j, const RadialMap<R>& m) {
    const R third = R(S(1.0 / 3.0));
    R a = third * (m.volumetric - m.kept) + (m.along - m.kept) * n[i] * n[j] + m.by_volume * n[i];
    return i == j ? a + m.kept : a;
  }

  // as if nothing flowed
  DOLLOP_INLINE PrincipalStress<R> elastic(const Vec3<R>& eps) const {
    if constexpr (is_hencky) {
      const HenckyElasticity<S> e = law.template branch_elasticity<B>();
      const R lambda = R(e.lambda), diagonal = R(e.two_mu + e.lambda);
      return {e.stress(eps),
              make_mat3<R>([&](int i, int j) DOLLOP_INLINE_LAMBDA { return i == j ? diagonal : lambda; })};
    } else {
      return of_state<false>(eps);
    }
  }
  // after the return map, in the stress form of the step                                              (ADMM.8-9)
  DOLLOP_INLINE PrincipalStress<R> operator()(const Vec3<R>& eps) const {
    if constexpr (is_hencky) {
      const HenckyElasticity<S> e = law.template branch_elasticity<B>();
      const RadialMap<R> m = law.template branch_map<B>(before, eps, sum(eps) - log_volume);
      const Vec3<R>& n = m.direction;
      PrincipalStress<R> t;
      t.tau = e.stress(m.eps);
      const R volumetric = R(e.lambda) * m.volumetric;
      t.slope = make_mat3<R>(
          [&](int i, int j) DOLLOP_INLINE_LAMBDA { return R(e.two_mu) * entry(n, i, j, m) + volumetric; });
      if (paper) {
        for (int i = 0; i < 3; ++i) {
          const R flow = exp(eps[i] - m.eps[i]), tau = t.tau[i];
          for (int j = 0; j < 3; ++j) {
            const R left = (i == j ? R(S(1)) : R(S(0))) - entry(n, i, j, m);
            t.slope(i, j) = flow * (t.slope(i, j) + tau * left);
          }
          t.tau[i] = flow * tau;
        }
      }
      return t;
    } else {
      return of_state<true>(eps);
    }
  }

 private:
  // of models that are not on Hencky strain: by dual numbers along the principal axes
  template <bool flows>
  DOLLOP_APART PrincipalStress<R> of_state(const Vec3<R>& eps) const {
    const Vec3<D> e{D::variable(eps.x, 0), D::variable(eps.y, 1), D::variable(eps.z, 2)};
    const R one = R(S(1));
    auto s = law.template branch_trial<B>(before, e, D(sum(eps) - log_volume, one, one, one));
    if constexpr (flows) law.return_map(s);
    const SymMat3<D> tau = law.stress(s);
    Vec3<D> t{tau.xx, tau.yy, tau.zz};
    if (flows && paper) {
      const SymMat3<D> after = law.strain(s);
      const D diagonal[3] = {after.xx, after.yy, after.zz};
      for (int i = 0; i < 3; ++i) t[i] = t[i] * exp(e[i] - D(R(S(0.5))) * log1p(diagonal[i]));
    }
    return {{t.x.value, t.y.value, t.z.value},
            make_mat3<R>([&](int i, int j) DOLLOP_INLINE_LAMBDA { return t[i].d[j]; })};
  }
};

}  // namespace dollop::inline DOLLOP_ISA
