// Neo-Hookean elasticity: rubber-like, no yield. Theory: docs/theory/elasticity.md.
#pragma once

#include <array>
#include <tuple>

#include "materials/parameter.h"
#include "materials/strain.h"
#include "math/elementary.h"
#include "math/vec.h"

namespace dollop::inline DOLLOP_ISA {

struct NeoHookean {
  static constexpr const char* name = "neo-hookean";
  static constexpr const char* help = "compressible neo-Hookean elasticity: rubber, jelly, soft tissue";
  static constexpr const char* look = "rubber";
  static constexpr bool symmetric_tangent = true;
  static constexpr bool hyperelastic = true;
  double density = 1000;       // rho [kg/m^3]
  double young_modulus = 1e5;  // E [Pa]
  double poisson_ratio = 0.3;  // nu [-]
  static constexpr auto parameters = std::tuple{
      Parameter<NeoHookean>{"density", &NeoHookean::density, "kg/m^3", positive, "mass per volume at rest"},
      Parameter<NeoHookean>{"young_modulus", &NeoHookean::young_modulus, "Pa", positive,
                            "Young's modulus: stress per strain in uniaxial tension"},
      Parameter<NeoHookean>{"poisson_ratio", &NeoHookean::poisson_ratio, "", poisson_range,
                            "Poisson's ratio: lateral contraction per axial extension"}};
  // Poisson's ratio of all of these is close to 0.5; 0.45 keeps the time step of explicit methods affordable.
  static constexpr std::array presets{
      Preset{"gelatin",
             "firm jelly",
             "estimate of the usual magnitude, no measurement cited; Poisson's ratio lowered",
             {{{"density", 1060}, {"young_modulus", 1e5}, {"poisson_ratio", 0.45}}}},
      Preset{"soft-silicone",
             "very soft silicone",
             "estimate of the usual magnitude, no measurement cited; Poisson's ratio lowered",
             {{{"density", 1070}, {"young_modulus", 1.2e5}, {"poisson_ratio", 0.45}}}},
      Preset{"soft-rubber",
             "natural gum rubber, unfilled",
             "estimate of the usual magnitude, no measurement cited; Poisson's ratio lowered",
             {{{"density", 930}, {"young_modulus", 1.2e6}, {"poisson_ratio", 0.45}}}},
      Preset{"soft-tissue",
             "liver and the like",
             "estimate of the usual magnitude, no measurement cited; Poisson's ratio lowered",
             {{{"density", 1060}, {"young_modulus", 5.5e3}, {"poisson_ratio", 0.45}}}}};
  Moduli moduli() const { return moduli_of(young_modulus, poisson_ratio); }

  template <class R>
  struct State {
    SymMat3<R> strain;  // e = F F^T - 1
    template <class Self, class Visit>
    static void columns(Self& s, Visit&& visit) {
      visit("strain", s.strain);
    }
  };

  template <class S>
  struct Law {
    S mu, lambda;

    template <class R>
    DOLLOP_INLINE void predict(const Mat3<R>& du, State<R>& s) const {
      s.strain = held_strain(advance_strain(du, s.strain));  // (KIN.2), (KIN.5)
    }
    template <class R>
    DOLLOP_INLINE void return_map(State<R>&) const {}

    // tau = mu e + lambda ln J 1 (NH.2)
    template <class R>
    DOLLOP_INLINE SymMat3<R> stress(const State<R>& s) const {
      return R(mu) * s.strain + SymMat3<R>::diagonal(R(lambda) * log_volume_ratio(s.strain));
    }
    // mu/2 (tr e - 2 ln J) + lambda/2 ln^2 J (NH.1)
    template <class R>
    DOLLOP_INLINE R energy(const State<R>& s) const {
      const R l = log_volume_ratio(s.strain);
      return R(S(0.5) * mu) * (trace(s.strain) - l - l) + R(S(0.5) * lambda) * l * l;
    }
    template <class R>
    DOLLOP_INLINE SymMat3<R> strain(const State<R>& s) const {
      return s.strain;
    }
    template <class R>
    DOLLOP_INLINE R volume_ratio(const State<R>& s) const {
      return dollop::volume_ratio(s.strain);
    }
    // averages of others, made a state with the given volume ratio again
    template <class R>
    DOLLOP_INLINE void rebuild(const R& j, State<R>& s) const {
      s.strain = with_log_volume(log(j), s.strain);
    }

    // what ADMM asks for: one branch                                                                  (ADMM.1)
    static constexpr int branches = 1;
    template <int, class R>
    DOLLOP_INLINE SymMat3<R> branch_strain(const State<R>& s) const {
      return s.strain;
    }
    template <int, class R, class Q>
    DOLLOP_INLINE State<Q> branch_trial(const State<R>&, const Vec3<Q>& eps, const Q&) const {
      return {squared_stretches(eps)};
    }
  };

  template <class S>
  Law<S> law() const {
    const Moduli m = moduli();
    return {S(m.shear), S(m.lambda)};
  }
};

}  // namespace dollop::inline DOLLOP_ISA
