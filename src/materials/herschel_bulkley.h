// Herschel-Bulkley viscoplasticity: foams, creams, doughs, oobleck. Theory: docs/theory/foam.md.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>

#include "materials/parameter.h"
#include "materials/strain.h"

namespace dollop::inline DOLLOP_ISA {

// A flow curve tau = tau_y + K rate^n of simple shear instead of yield_stress, viscosity and power    (HB.9)
inline constexpr Alternative flow_curve{
    {"yield_stress", "viscosity", "power"},
    {{{"tau_y", "Pa", not_negative, "shear stress at which it begins to flow, as a rheometer measures it"},
      {"consistency", "Pa s^n", not_negative, "K of the flow curve tau_y + K rate^n"},
      {"flow_index", "", {0.1, 5, false, false}, "n of the flow curve tau_y + K rate^n"}}},
    [](const double* curve, double* own) {
      own[0] = std::sqrt(3.0) * curve[0];
      own[1] = curve[1] * std::pow(2.0, (1 + curve[2]) / 2);
      own[2] = curve[2];
    },
    [](const double* own, double* curve) {
      curve[0] = own[0] / std::sqrt(3.0);
      curve[1] = own[1] * std::pow(2.0, -(1 + own[2]) / 2);
      curve[2] = own[2];
    }};

// a row of Table I of the foam paper; all rows share one bulk modulus
struct FoamRow {
  double density, shear_modulus, yield_stress, viscosity, power, tear_threshold, recovery_time;
};
constexpr Preset published_foam(const char* name, const char* help, const FoamRow& row) {
  return {name,
          help,
          "Yue et al. (2015), Table I",
          {{{"density", row.density},
            {"shear_modulus", row.shear_modulus},
            {"bulk_modulus", 109e3},
            {"yield_stress", row.yield_stress},
            {"viscosity", row.viscosity},
            {"power", row.power},
            {"tear_threshold", row.tear_threshold},
            {"recovery_time", row.recovery_time}}}};
}

struct HerschelBulkley {
  static constexpr const char* name = "herschel-bulkley";
  static constexpr const char* help =
      "elastic up to a yield stress, then flows faster the more it is loaded: foam, cream, dough, oobleck";
  static constexpr const char* look = "foam";
  static constexpr bool long_chain = true;      // the return map is one chain of dependent operations
  static constexpr bool rate_dependent = true;  // the stress changes in time at constant strain
  double density = 100;                         // rho [kg/m^3]
  double young_modulus = 3e3;                   // E [Pa]
  double poisson_ratio = 0.45;                  // nu [-]
  double yield_stress = 30;                     // sigma_Y in uniaxial tension [Pa]
  double viscosity = 10;                        // eta [Pa s^h]; 0: perfectly plastic
  double power = 0.5;                           // h: below 1 thinning, 1 Bingham, above 1 thickening
  double renormalise = 0;                       // how the elastic strain is made isochoric after a flow
  static constexpr auto parameters = std::tuple{
      Parameter<HerschelBulkley>{"density", &HerschelBulkley::density, "kg/m^3", positive,
                                 "mass per volume at rest"},
      Parameter<HerschelBulkley>{"young_modulus", &HerschelBulkley::young_modulus, "Pa", positive,
                                 "Young's modulus: stress per strain in uniaxial tension"},
      Parameter<HerschelBulkley>{"poisson_ratio", &HerschelBulkley::poisson_ratio, "", poisson_range,
                                 "Poisson's ratio: lateral contraction per axial extension"},
      Parameter<HerschelBulkley>{"yield_stress", &HerschelBulkley::yield_stress, "Pa", not_negative,
                                 "stress in uniaxial tension at which it begins to flow"},
      Parameter<HerschelBulkley>{"viscosity", &HerschelBulkley::viscosity, "Pa s^n", not_negative,
                                 "resistance to flow beyond the yield stress; 0: perfectly plastic"},
      Parameter<HerschelBulkley>{"power", &HerschelBulkley::power, "", Range{0.1, 5, false, false},
                                 "exponent of the flow rate: below 1 the material is shear thinning, at 1 a "
                                 "Bingham fluid, above 1 shear thickening"},
      Parameter<HerschelBulkley>{
          "renormalise",
          &HerschelBulkley::renormalise,
          "",
          two_words,
          "how the elastic strain becomes isochoric again after flow: by scaling, as published (paper), or "
          "such that the stress is exact (stress); choose stress for large elastic strains",
          {"paper", "stress"}}};
  static constexpr std::array alternatives{flow_curve};
  static constexpr std::array presets{
      published_foam("shaving-cream", "shaving foam", {77.7, 290, 31.9, 27.2, 0.22, 217.5, 0.35}),
      published_foam("smore-interior", "warm marshmallow", {50, 80, 10, 16, 0.43, 15, 0.25}),
      published_foam("smore-exterior", "toasted crust of a marshmallow", {50, 5e4, 1000, 0.1, 1, 0.3, 0.5}),
      published_foam("pie", "whipped cream pie", {275, 1600, 120, 5, 0.27, 10, 0.3}),
      published_foam("oobleck", "corn starch in water: the faster, the stiffer",
                     {1000, 11200, 0.1, 10, 2.8, 1, 0.3}),
      published_foam("viscoplastic", "a Bingham fluid, the counterpart of oobleck",
                     {1000, 11200, 0.1, 10, 1, 1, 0.3})};
  Moduli moduli() const { return moduli_of(young_modulus, poisson_ratio); }

  template <class R>
  struct State {
    R volume_change;    // J - 1, stored separately: in float det F of a sheared F would be noise
    SymMat3<R> strain;  // elastic b - 1, with det b = 1
    template <class Self, class Visit>
    static void columns(Self& s, Visit&& visit) {
      visit("volume_change", s.volume_change);
      visit("strain", s.strain);
    }
  };

  template <class S>
  struct Law {
    S mu, half_kappa;

    // tau = kappa/2 (J^2 - 1) 1 + mu dev b (HB.2)
    template <class R>
    DOLLOP_INLINE SymMat3<R> stress(const State<R>& s) const {
      const R pressure = R(half_kappa) * s.volume_change * (R(S(2)) + s.volume_change);
      const R mean = R(mu) * trace(s.strain) * R(S(1.0 / 3.0));
      return R(mu) * s.strain + SymMat3<R>::diagonal(pressure - mean);
    }
    // kappa/2 ((J^2 - 1)/2 - ln J) + mu/2 (tr b - 3); since det b = 1, tr b - 3 is of second order      (HB.1)
    template <class R>
    DOLLOP_INLINE R energy(const State<R>& s) const {
      const R j = s.volume_change, shear = -(second_invariant(s.strain) + det(s.strain));
      return R(half_kappa) * (j + R(S(0.5)) * j * j - log1p(j)) + R(S(0.5) * mu) * shear;
    }
    // J^(2/3) b - 1
    template <class R>
    DOLLOP_INLINE SymMat3<R> strain(const State<R>& s) const {
      return scaled_strain(expm1(R(S(2.0 / 3.0)) * log1p(s.volume_change)), s.strain);
    }
    template <class R>
    DOLLOP_INLINE R volume_ratio(const State<R>& s) const {
      return R(S(1)) + s.volume_change;
    }
    // turns averaged columns into a state with the given volume ratio
    template <class R>
    DOLLOP_INLINE void rebuild(const R& j, State<R>& s) const {
      s.volume_change = j - R(S(1));
      s.strain = with_log_volume(R(S(0)), s.strain);
    }
    // the isochoric elastic strain, which tearing needs
    template <class R>
    DOLLOP_INLINE SymMat3<R> shape(const State<R>& s) const {
      return s.strain;
    }
  };
  template <class S>
  Law<S> law() const {
    const Moduli m = moduli();
    return {S(m.shear), S(m.bulk() / 2)};
  }

  template <class S>
  struct StepLaw : Law<S> {
    using Law<S>::mu;
    S yield_radius;
    S most;  // norm of the deviatoric stress beyond which it flows in any case: strains larger than that are rounding
    S two_mu_dt_by_eta, inverse_eta, p, inverse_p;  // p = 1/h
    bool perfect, stress_exact;

    // J det f, and b advanced by the isochoric part of f                                               (HB.4)
    template <class R>
    DOLLOP_INLINE void predict(const Mat3<R>& du, State<R>& s) const {
      const R change = volume_increment(du);
      const R squeeze = expm1(R(S(-2.0 / 3.0)) * log1p(change));  // det(f)^(-2/3) - 1
      s.strain = scaled_strain(squeeze, advance_strain(du, s.strain));
      s.volume_change = held_volume(s.volume_change + change + s.volume_change * change);
    }

    // what ADMM asks for: one branch                                                                  (ADMM.1)
    static constexpr int branches = 1;
    template <int, class R>
    DOLLOP_INLINE SymMat3<R> branch_strain(const State<R>& s) const {
      return this->strain(s);
    }
    template <int, class R, class Q>
    DOLLOP_INLINE State<Q> branch_trial(const State<R>& before, const Vec3<Q>& eps, const Q& growth) const {
      const Q change = expm1(growth), j = Q(before.volume_change);
      const Q shape = Q(S(-1.0 / 3.0)) * (log1p(j) + growth);
      return {held_volume(j + change + j * change),
              squared_stretches(Vec3<Q>{eps.x + shape, eps.y + shape, eps.z + shape})};
    }

    // Relaxation of the excess stress X = s_pre - s_Y by backward Euler of the flow rule: y = (s - s_Y)/X solves
    // c y^p + y = 1. Newton's method finds z = ln y from the right, where it is monotone for every material: a
    // fixed number of iterations is enough                                                              (HB.5-6)
    template <class R>
    DOLLOP_INLINE R log_left(const R& x, const R& mean) const {
      const R zero = R(S(0)), one = R(S(1)), limit = R(S(1e4)), q = R(p - S(1));
      R l = log(R(two_mu_dt_by_eta) * mean) + q * log(x * R(inverse_eta));  // ln c
      l = perfect ? limit : min(max(l, -limit), limit);
      R z = min(zero, -l * R(inverse_p));
      constexpr bool derivatives = requires { x.d; };  // derivatives converge one iteration later
      for (int k = 0; k < (std::is_same_v<S, float> ? 4 : 5) + derivatives; ++k) {
        const R a = l + R(p) * z, d = l + q * z, e = exp(-abs(d)), r = one / (one + e);
        const R f = max(a, z) + log1p(e);  // a is near 0 where z and d are large
        const R slope = one + q * select(d >= zero, r, e * r);
        z = min(zero, z - f / slope);
      }
      return z;
    }
    // norm s of the deviatoric stress after the flow, computed from s_pre or from the yield radius, whichever keeps more
    // digits
    template <class R>
    DOLLOP_INLINE R relaxed(const R& s_pre, const R& mean) const {
      const R x = max(s_pre - R(yield_radius), R(S(1e-30))), z = log_left(x, mean);
      return select(z > R(S(-0.6931472)), s_pre + x * expm1(z), R(yield_radius) + x * exp(z));
    }

    // The mean that makes det(A + mean 1) = 1 for a deviator A, from a mean that is too large: Newton is monotone.
    // Returns the mean minus 1.                                                                         (HB.8)
    template <class R>
    DOLLOP_INLINE R isochoric_mean(const SymMat3<R>& a, R t) const {
      const R half_norm = R(S(0.5)) * norm_squared(a), rest = det(a) - half_norm;
      auto moves = half_norm >= R(S(0));
      for (int k = 0; k < 40 && any(moves); ++k) {
        const R m = R(S(1)) + t;
        const R value = t * (R(S(3)) + t * (R(S(3)) + t) - half_norm) + rest;
        const R step = value / (R(S(3)) * m * m - half_norm);
        t = select(moves, t - step, t);  // every SIMD lane stops as it would alone
        moves = both(moves, abs(step) > R(S(4) * std::numeric_limits<S>::epsilon()) * m);
      }
      return t;
    }

    template <class R>
    DOLLOP_INLINE void return_map(State<R>& s) const {
      const R third = trace(s.strain) * R(S(1.0 / 3.0));
      const SymMat3<R> dev = s.strain - SymMat3<R>::diagonal(third);
      const R s_pre = R(mu) * sqrt(norm_squared(dev) + R(S(1e-30)));  // guards 0/0
      const auto flows = s_pre > min(R(yield_radius), R(most));       // (HB.3), (HB.14)
      if (!any(flows)) return;
      const R kept = min(relaxed(s_pre, R(S(1)) + third), R(most)) / s_pre;
      const SymMat3<R> a = kept * dev;
      SymMat3<R> e;
      if (stress_exact) {
        e = a + SymMat3<R>::diagonal(isochoric_mean(a, third));
      } else {
        e = a + SymMat3<R>::diagonal(third);
        // the determinant is 1 or more, but for rounding
        const R grown = max(volume_change_squared(e), R(S(-0.5)));
        e = scaled_strain(expm1(R(S(-1.0 / 3.0)) * log1p(grown)), e);  // (HB.7)
      }
      s.strain = choose(flows, e, s.strain);
    }
  };
  template <class S>
  StepLaw<S> step_law(double dt) const {
    const double eta = std::max(viscosity, 1e-30);
    return {law<S>(),
            S(std::min(std::sqrt(2.0 / 3.0) * yield_stress, 1e37)),
            S(moduli().shear * largest_deviator<S>),
            S(std::min(2 * moduli().shear * dt / eta, 1e37)),  // within float
            S(1 / eta),
            S(1 / power),
            S(power),
            viscosity == 0,
            renormalise > 0.5};
  }
};

}  // namespace dollop::inline DOLLOP_ISA
