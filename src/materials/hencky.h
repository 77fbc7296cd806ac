// Hencky elasticity: St. Venant-Kirchhoff on logarithmic strain. Theory: docs/theory/elasticity.md.
#pragma once

#include <array>
#include <tuple>

#include "materials/parameter.h"
#include "materials/radial_map.h"
#include "materials/strain.h"
#include "math/spectral.h"

namespace dollop::inline DOLLOP_ISA {

// The elastic part that Hencky and every plastic model on Hencky strain share, in principal strains.
template <class S>
struct HenckyElasticity {
  S two_mu, lambda;

  // eigenvalues of e = F F^T - 1 to logarithmic strains; collapsed directions are clamped to a stretch of 1e-3
  // (HE.1)
  template <class R>
  static DOLLOP_INLINE Vec3<R> log_strain(const Vec3<R>& e) {
    const R floor = R(S(-1 + 1e-6)), half = R(S(0.5));
    return {half * log1p(max(e.x, floor)), half * log1p(max(e.y, floor)), half * log1p(max(e.z, floor))};
  }
  template <class R>
  static DOLLOP_INLINE Vec3<R> from_log_strain(const Vec3<R>& eps) {
    return {expm1(eps.x + eps.x), expm1(eps.y + eps.y), expm1(eps.z + eps.z)};
  }
  // tau = 2 mu eps + lambda tr(eps) 1 (HE.3)
  template <class R>
  DOLLOP_INLINE Vec3<R> stress(const Vec3<R>& eps) const {
    const R p = R(lambda) * sum(eps);
    return R(two_mu) * eps + Vec3<R>{p, p, p};
  }
  // psi = mu |eps|^2 + lambda/2 tr(eps)^2 (HE.2)
  template <class R>
  DOLLOP_INLINE R energy(const Vec3<R>& eps) const {
    const R tr = sum(eps);
    return R(S(0.5)) * (R(two_mu) * dot(eps, eps) + R(lambda) * tr * tr);
  }
};

// The part that all laws on Hencky strain share. Their states have the elastic strain e = F F^T - 1 and the Kirchhoff
// stress, which is stored because it costs an eigen-decomposition.
template <class S>
struct HenckyLaw {
  HenckyElasticity<S> elastic;

  template <class R, class State>
  DOLLOP_INLINE void predict(const Mat3<R>& du, State& s) const {
    s.strain = held_strain(advance_strain(du, s.strain));  // (KIN.2), (KIN.5)
  }
  template <class State>
  DOLLOP_INLINE auto stress(const State& s) const {
    return s.kirchhoff;
  }
  template <class State>
  DOLLOP_INLINE auto strain(const State& s) const {
    return s.strain;
  }
  template <class State>
  DOLLOP_INLINE auto energy(const State& s) const {
    return elastic.energy(elastic.log_strain(eigen(s.strain).values));
  }

  // what ADMM asks for: one branch, whose return map each law has itself                              (ADMM.1)
  static constexpr int branches = 1;
  template <int, class State>
  DOLLOP_INLINE auto branch_strain(const State& s) const {
    return s.strain;
  }
  template <int>
  DOLLOP_INLINE HenckyElasticity<S> branch_elasticity() const {
    return elastic;
  }
};

struct Hencky {
  static constexpr const char* name = "hencky";
  static constexpr const char* help =
      "linear elasticity on logarithmic strain, the base of the plastic models";
  static constexpr const char* look = "jelly";
  static constexpr bool symmetric_tangent = true;
  static constexpr bool hyperelastic = true;
  static constexpr bool long_chain = true;  // the return map is one chain of dependent operations
  double density = 1000;                    // rho [kg/m^3]
  double young_modulus = 1e5;               // E [Pa]
  double poisson_ratio = 0.3;               // nu [-]
  static constexpr auto parameters = std::tuple{
      Parameter<Hencky>{"density", &Hencky::density, "kg/m^3", positive, "mass per volume at rest"},
      Parameter<Hencky>{"young_modulus", &Hencky::young_modulus, "Pa", positive,
                        "Young's modulus: stress per strain in uniaxial tension"},
      Parameter<Hencky>{"poisson_ratio", &Hencky::poisson_ratio, "", poisson_range,
                        "Poisson's ratio: lateral contraction per axial extension"}};
  static constexpr std::array presets{
      Preset{"cork",
             "cork: springy, and hardly any wider when it is pressed",
             "density within the 120 to 200 kg/m^3 of Anjos, Pereira and Rosa (2008); moduli are an estimate",
             {{{"density", 170}, {"young_modulus", 1.5e7}, {"poisson_ratio", 0.05}}}},
      Preset{"cushion-foam",
             "flexible polyurethane foam for seats",
             "estimate of the usual magnitude, no measurement cited",
             {{{"density", 30}, {"young_modulus", 2.8e4}, {"poisson_ratio", 0.3}}}},
      Preset{"polyethylene",
             "low-density polyethylene: bottles, films",
             "estimate of the usual magnitude, no measurement cited",
             {{{"density", 920}, {"young_modulus", 2e8}, {"poisson_ratio", 0.42}}}}};
  Moduli moduli() const { return moduli_of(young_modulus, poisson_ratio); }

  template <class R>
  struct State {
    SymMat3<R> strain;     // e = F F^T - 1
    SymMat3<R> kirchhoff;  // tau, stored because it costs an eigen-decomposition [Pa]
    template <class Self, class Visit>
    static void columns(Self& s, Visit&& visit) {
      visit("strain", s.strain);
      visit("kirchhoff", s.kirchhoff);
    }
  };

  template <class S>
  struct Law : HenckyLaw<S> {
    template <class R>
    DOLLOP_INLINE void return_map(State<R>& s) const {
      const auto a = eigen_of_strain(s.strain);
      s.kirchhoff = spectral(a, this->elastic.stress(this->elastic.log_strain(a.values)));
    }
    template <int, class R>
    DOLLOP_INLINE RadialMap<R> branch_map(const State<R>&, const Vec3<R>& trial, const R&) const {
      return elastic_map(trial);
    }
    template <class R>
    DOLLOP_INLINE R volume_ratio(const State<R>& s) const {
      return dollop::volume_ratio(s.strain);
    }
    // turns averaged columns into a state with the given volume ratio
    template <class R>
    DOLLOP_INLINE void rebuild(const R& j, State<R>& s) const {
      s.strain = with_log_volume(log(j), s.strain);
      return_map(s);
    }
  };

  template <class S>
  Law<S> law() const {
    const Moduli m = moduli();
    return {{{S(2 * m.shear), S(m.lambda)}}};
  }
};

}  // namespace dollop::inline DOLLOP_ISA
