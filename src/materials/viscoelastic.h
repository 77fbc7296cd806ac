// Viscoelastic solids: rubber, soft foam, creams. An elastic or plastic branch stands beside a spring in series with a
// dashpot. Theory: docs/theory/viscoelastic.md.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "materials/hencky.h"
#include "materials/lame_moduli.h"

namespace dollop::inline DOLLOP_ISA {

// A row of Table 2 of the paper. Its rounded moduli are those of E and nu, the shear modulus of the equilibrated branch
// and its lambda multiplied by a part. Numbers have no units there: kPa, kPa s and 1000 kg/m^3 are our reading. (VE.14)
struct RubberRow {
  double young, shear_part, lambda_part, young_neq, viscosity;
};
constexpr Preset published_rubber(const char* name, const char* help, const char* source,
                                  const RubberRow& row) {
  const Moduli m = moduli_of(row.young, 0.4), neq = moduli_of(row.young_neq, 0.4);
  return {name,
          help,
          source,
          {{{"density", 2000},
            {"shear_modulus", row.shear_part * m.shear},
            {"lambda", row.lambda_part * m.lambda},
            {"shear_modulus_neq", neq.shear},
            {"lambda_neq", neq.lambda},
            {"deviatoric_viscosity", row.viscosity},
            {"volumetric_viscosity", row.viscosity}}}};
}
constexpr Preset yielding(Preset preset, const char* name, const char* help, const char* source,
                          double shear_modulus, double yield_stress) {
  preset.name = name, preset.help = help, preset.source = source;
  preset.values[1].value = shear_modulus;
  preset.values[7] = {"yield_stress", yield_stress};
  return preset;
}
inline constexpr const char* other_coil =
    "Fang et al. (2019), Table 2, coil, with another shear modulus: they show several and print one; units "
    "are "
    "our reading";
inline constexpr Preset coil = published_rubber(
    "coil", "a thick liquid whose stream coils",
    "Fang et al. (2019), Table 2, coil, the softest; units are our reading", {1e5, 1e-4, 10, 2e4, 400});

struct Viscoelastic {
  static constexpr const char* name = "viscoelastic";
  static constexpr const char* help =
      "resists fast deformation more than slow and creeps back to its form: rubber, soft foam, cream, cheese";
  static constexpr const char* look = "rubber";
  static constexpr bool symmetric_tangent = true;
  static constexpr bool long_chain = true;      // the return map is one chain of dependent operations
  static constexpr bool rate_dependent = true;  // the stress changes in time at constant strain
  double density = 1000;                        // rho [kg/m^3]
  double shear_modulus = 5e3;                   // mu of the equilibrated branch [Pa]
  double lambda = 5e4;                          // of the equilibrated branch [Pa]
  double shear_modulus_neq = 1e4;               // mu_N [Pa]
  double lambda_neq = 4e4;                      // lambda_N [Pa]
  double deviatoric_viscosity = 1e4;            // nu_d: twice the shear viscosity [Pa s]
  double volumetric_viscosity = 1e4;            // nu_v [Pa s]
  double yield_stress = std::numeric_limits<double>::infinity();  // sigma_Y in uniaxial tension [Pa]
  static constexpr auto parameters = std::tuple{
      Parameter<Viscoelastic>{"density", &Viscoelastic::density, "kg/m^3", positive,
                              "mass per volume at rest"},
      Parameter<Viscoelastic>{
          "shear_modulus", &Viscoelastic::shear_modulus, "Pa", positive,
          "shear stress per shear that lasts; far below lambda the material flows like a liquid"},
      Parameter<Viscoelastic>{"lambda", &Viscoelastic::lambda, "Pa", not_negative,
                              "Lame's first modulus: resistance to a change of volume that lasts"},
      Parameter<Viscoelastic>{"shear_modulus_neq", &Viscoelastic::shear_modulus_neq, "Pa", not_negative,
                              "shear stress per shear that relaxes, beside the one that lasts"},
      Parameter<Viscoelastic>{"lambda_neq", &Viscoelastic::lambda_neq, "Pa", not_negative,
                              "Lame's first modulus of the part that relaxes; 0 for both: nothing relaxes"},
      Parameter<Viscoelastic>{
          "deviatoric_viscosity", &Viscoelastic::deviatoric_viscosity, "Pa s", positive_or_infinite,
          "twice the viscosity of slow shear; shear stress relaxes in deviatoric_viscosity / (2 "
          "shear_modulus_neq); inf: never"},
      Parameter<Viscoelastic>{
          "volumetric_viscosity", &Viscoelastic::volumetric_viscosity, "Pa s", positive_or_infinite,
          "pressure relaxes in volumetric_viscosity / (2 lambda_neq + 4/3 shear_modulus_neq); inf: never"},
      Parameter<Viscoelastic>{
          "yield_stress", &Viscoelastic::yield_stress, "Pa", positive_or_infinite,
          "stress in uniaxial tension at which the lasting part begins to flow; inf: it does not yield"}};
  static constexpr std::array alternatives{young_and_poisson, young_and_poisson_neq};
  static constexpr std::array presets{
      published_rubber("silicone", "silicone rubber that creeps back within seconds",
                       "Fang et al. (2019), Table 2, silicone; units are our reading",
                       {5e4, 0.1, 1, 5e4, 1e4}),
      published_rubber("sofa-foam", "soft foam that a blunt tool tears apart",
                       "Fang et al. (2019), Table 2, sofa; units are our reading", {1e5, 0.01, 1, 1e5, 300}),
      published_rubber("cherry-cream", "a cream that coats what it meets and levels out",
                       "Fang et al. (2019), Table 2, cherries, the softer cream; units are our reading",
                       {2e4, 4.8e-4, 1, 6e3, 4.8}),
      published_rubber("cherry-cream-stiff", "a cream that lies in folds",
                       "Fang et al. (2019), Table 2, cherries, the stiffer cream; units are our reading",
                       {2e4, 2e-3, 1, 6e3, 20}),
      coil,
      published_rubber("coil-firm", "like coil, ten times as stiff where it rests", other_coil,
                       {1e5, 1e-3, 10, 2e4, 400}),
      published_rubber("coil-stiff", "like coil, a hundred times as stiff where it rests", other_coil,
                       {1e5, 1e-2, 10, 2e4, 400}),
      published_rubber("coil-rope", "like coil, a thousand times as stiff: an elastic rope", other_coil,
                       {1e5, 0.1, 10, 2e4, 400}),
      yielding(coil, "coil-yield", "like coil, and limited by a yield stress instead of a small modulus",
               "Fang et al. (2019), Table 2, coil, with the yield stress of their published scene; units are "
               "our reading",
               moduli_of(1e5, 0.4).shear, 0.1224744871391589),  // sqrt(3/2) 1e-4 kPa
      published_rubber("melted-cheese", "melted cheese that drapes in folds",
                       "Fang et al. (2019), Table 2, warrior; units are our reading",
                       {1e5, 1e-4, 1, 2e4, 200})};
  Moduli moduli() const { return {shear_modulus + shear_modulus_neq, lambda + lambda_neq}; }
  double bulk() const { return lambda + shear_modulus * 2 / 3; }
  double bulk_neq() const { return lambda_neq + shear_modulus_neq * 2 / 3; }
  bool relaxes() const { return bulk_neq() > 0; }

  template <class R>
  struct State {
    R volume_change;        // J - 1, stored separately: in float det b of a sheared b would be noise
    SymMat3<R> strain;      // b - 1 of the equilibrated branch, with det b = 1
    SymMat3<R> strain_neq;  // b - 1 of the other, with its volume
    SymMat3<R> kirchhoff;   // tau of both, stored because it costs two eigen-decompositions [Pa]
    template <class Self, class Visit>
    static void columns(Self& s, Visit&& visit) {
      visit("volume_change", s.volume_change);
      visit("strain", s.strain);
      visit("strain_neq", s.strain_neq);
      visit("kirchhoff", s.kirchhoff);
    }
  };

  template <class S>
  struct Law {
    HenckyElasticity<S> elastic, neq;  // of both branches
    S bulk, bulk_neq;
    S most;  // |dev eps| at which the equilibrated branch yields; numbers can hold no more in any case     (VE.7)
    bool relaxes;

    template <class R>
    static DOLLOP_INLINE Vec3<R> deviator(const Vec3<R>& eps) {
      const R mean = sum(eps) * R(S(1.0 / 3.0));
      return eps - Vec3<R>{mean, mean, mean};
    }
    // of the eigenvalues of b - 1                                                                       (HE.1)
    template <class R>
    static DOLLOP_INLINE Vec3<R> log_strain(const Vec3<R>& e) {
      return HenckyElasticity<S>::log_strain(e);
    }
    // Radial return of the equilibrated branch, whose stress is written                              (VE.3, VE.6)
    template <class R>
    DOLLOP_INLINE void yield(State<R>& s) const {
      const auto a = eigen_of_strain(s.strain);
      Vec3<R> dev = deviator(log_strain(a.values));
      const R left = R(most) * rsqrt(dot(dev, dev) + R(S(1e-30)));  // guards 0/0
      const auto flows = left < R(S(1));
      if (any(flows)) {
        dev = select(flows, left, R(S(1))) * dev;
        // lanes without flow keep their strain, free of rounding
        s.strain = choose(flows, spectral(a, HenckyElasticity<S>::from_log_strain(dev)), s.strain);
      }
      s.kirchhoff =
          spectral(a, R(elastic.two_mu) * dev) + SymMat3<R>::diagonal(R(bulk) * log1p(s.volume_change));
    }
    template <class R>
    DOLLOP_INLINE SymMat3<R> stress(const State<R>& s) const {
      return s.kirchhoff;
    }
    // mu |dev eps|^2 + kappa/2 ln^2 J + psi_N                                                         (VE.2)
    template <class R>
    DOLLOP_INLINE R energy(const State<R>& s) const {
      const Vec3<R> dev = deviator(log_strain(eigen(s.strain).values));
      const R l = log1p(s.volume_change), half = R(S(0.5));
      const R lasting = half * (R(elastic.two_mu) * dot(dev, dev) + R(bulk) * l * l);
      if (!relaxes) return lasting;
      return lasting + neq.energy(log_strain(eigen(s.strain_neq).values));
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
      yield(s);
      if (!relaxes) return;
      const auto a = eigen_of_strain(s.strain_neq);
      s.kirchhoff = s.kirchhoff + spectral(a, neq.stress(log_strain(a.values)));
    }
    // the isochoric elastic strain, which tearing needs
    template <class R>
    DOLLOP_INLINE SymMat3<R> shape(const State<R>& s) const {
      return held_strain(with_log_volume(R(S(0)), s.strain));  // (KIN.5)
    }
  };
  template <class S>
  Law<S> law() const {
    const double most = std::log(double(largest_deviator<S>)) / std::sqrt(2.0);
    return {{S(2 * shear_modulus), S(lambda)},
            {S(2 * shear_modulus_neq), S(lambda_neq)},
            S(bulk()),
            S(bulk_neq()),
            S(std::min(std::sqrt(2.0 / 3.0) * yield_stress / (2 * shear_modulus), most)),
            relaxes()};
  }

  template <class S>
  struct StepLaw : Law<S> {
    using Law<S>::deviator, Law<S>::log_strain, Law<S>::relaxes;
    S kept_shape, kept_volume;  // what relaxation leaves of the strains of the branch: A and A (1 - 3 B)

    // J det f; b advanced by the isochoric part of f in the one branch, by f in the other              (VE.4)
    template <class R>
    DOLLOP_INLINE void predict(const Mat3<R>& du, State<R>& s) const {
      const R change = max(volume_increment(du), R(least_volume_ratio<S> - S(1)));
      const R squeeze = expm1(R(S(-2.0 / 3.0)) * log1p(change));                     // det(f)^(-2/3) - 1
      s.strain = held_strain(scaled_strain(squeeze, advance_strain(du, s.strain)));  // (KIN.2), (KIN.5)
      const R next = s.volume_change + change + s.volume_change * change;
      s.volume_change = max(min(next, R(largest_volume_ratio<S>)), R(least_volume_ratio<S> - S(1)));
      if (relaxes) s.strain_neq = held_strain(advance_strain(du, s.strain_neq));
    }
    // Yield of the one branch; backward Euler of the viscous flow of the other, exact in its principal strains  (VE.5)
    template <class R>
    DOLLOP_INLINE void return_map(State<R>& s) const {
      this->yield(s);
      if (!relaxes) return;
      const auto a = eigen_of_strain(s.strain_neq);
      const Vec3<R> trial = log_strain(a.values);
      const R mean = R(kept_volume) * sum(trial) * R(S(1.0 / 3.0));
      const Vec3<R> eps = R(kept_shape) * deviator(trial) + Vec3<R>{mean, mean, mean};
      s.strain_neq = spectral(a, HenckyElasticity<S>::from_log_strain(eps));
      s.kirchhoff = s.kirchhoff + spectral(a, this->neq.stress(eps));
    }

    // what ADMM asks for: both branches                                                       (ADMM.1, ADMM.8)
    static constexpr int branches = 2;
    template <int B>
    DOLLOP_INLINE bool branch_acts() const {
      return B == 0 || relaxes;
    }
    template <int B, class R>
    DOLLOP_INLINE SymMat3<R> branch_strain(const State<R>& s) const {
      if constexpr (B == 0)
        return this->strain(s);
      else
        return s.strain_neq;
    }
    template <int B>
    DOLLOP_INLINE HenckyElasticity<S> branch_elasticity() const {
      return B == 0 ? this->elastic : this->neq;
    }
    template <int B, class R>
    DOLLOP_INLINE RadialMap<R> branch_map(const State<R>& before, const Vec3<R>& trial,
                                          const R& growth) const {
      const R zero = R(S(0)), one = R(S(1)), third = R(S(1.0 / 3.0));
      const Vec3<R> dev = deviator(trial);
      if constexpr (B == 0) {
        const R mean = third * (log1p(before.volume_change) + growth);
        const R inverse_size = rsqrt(dot(dev, dev) + R(S(1e-30)));  // guards 0/0
        const R left = R(this->most) * inverse_size, kept = min(left, one);
        return {Vec3<R>{mean, mean, mean} + kept * dev,
                inverse_size * dev,
                one,
                kept,
                select(left < one, zero, one),
                zero};
      } else {
        const R mean = R(kept_volume) * third * sum(trial), kept = R(kept_shape);
        return {kept * dev + Vec3<R>{mean, mean, mean},
                Vec3<R>{zero, zero, zero},
                R(kept_volume),
                kept,
                kept,
                zero};
      }
    }

    // Energy after a step plus what the step dissipates: its derivative is the stress after the step     (VE.8)
    template <class R>
    DOLLOP_INLINE R potential(const Mat3<R>& du, const State<R>& before, const State<R>&) const {
      State<R> trial = before;
      predict(du, trial);
      const Vec3<R> dev = deviator(log_strain(eigen(trial.strain).values));
      const R two = R(S(2)), half = R(S(0.5)), l = log1p(trial.volume_change);
      const R size = sqrt(dot(dev, dev)), held = min(size, R(this->most));
      const R lasting = half * (R(this->elastic.two_mu) * held * (two * size - held) + R(this->bulk) * l * l);
      if (!relaxes) return lasting;
      const Vec3<R> eps = log_strain(eigen(trial.strain_neq).values), shape = deviator(eps);
      const R tr = sum(eps);
      return lasting + half * (R(this->neq.two_mu * kept_shape) * dot(shape, shape) +
                               R(this->bulk_neq * kept_volume) * tr * tr);
    }
    template <class Before, class R>
    DOLLOP_INLINE SymMat3<R> step_stress(const Before&, const State<R>& after) const {
      return after.kirchhoff;
    }
    template <class R>
    DOLLOP_INLINE auto is_feasible(const State<R>&, const State<R>& after) const {
      return after.volume_change > R(S(-0.999));
    }
  };
  template <class S>
  StepLaw<S> step_law(double dt) const {
    return {law<S>(), S(1 / (1 + 2 * shear_modulus_neq * dt / deviatoric_viscosity)),
            S(1 / (1 + 2 * bulk_neq() * dt / volumetric_viscosity))};  // (VE.5)
  }
};

}  // namespace dollop::inline DOLLOP_ISA
