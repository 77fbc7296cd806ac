// Von Mises plasticity on Hencky strain with linear isotropic hardening. Theory: docs/theory/von_mises.md.
#pragma once

#include <array>
#include <cmath>

#include "materials/hencky.h"

namespace dollop::inline DOLLOP_ISA {

// The metals of Fang et al. (2019). What they give as yield stress is the norm of the deviatoric stress.
constexpr Preset published_metal(const char* name, const char* help, double deviator_norm) {
  return {
      name,
      help,
      "Fang et al. (2019), Table 2, and yield stress of their published scenes; densities of 1000 kg/m^3 and "
      "stresses of kPa are our reading of numbers without units",
      {{{"density", 2000},
        {"young_modulus", 2e6},
        {"poisson_ratio", 0.4},
        {"yield_stress", 1.224744871391589 * deviator_norm}}}};  // sqrt(3/2)
}

struct VonMises {
  static constexpr const char* name = "von-mises";
  static constexpr const char* help =
      "elastic up to a yield stress, then flows without changing volume: clay, metal";
  static constexpr const char* look = "cream";
  static constexpr bool symmetric_tangent = true;
  static constexpr bool long_chain = true;  // the return map is one chain of dependent operations
  double density = 1000;                    // rho [kg/m^3]
  double young_modulus = 1e5;               // E [Pa]
  double poisson_ratio = 0.3;               // nu [-]
  double yield_stress = 1e3;                // sigma_Y in uniaxial tension [Pa]
  double hardening = 0;                     // H: growth of the yield stress with plastic strain [Pa]
  static constexpr auto parameters = std::tuple{
      Parameter<VonMises>{"density", &VonMises::density, "kg/m^3", positive, "mass per volume at rest"},
      Parameter<VonMises>{"young_modulus", &VonMises::young_modulus, "Pa", positive,
                          "Young's modulus: stress per strain in uniaxial tension"},
      Parameter<VonMises>{"poisson_ratio", &VonMises::poisson_ratio, "", poisson_range,
                          "Poisson's ratio: lateral contraction per axial extension"},
      Parameter<VonMises>{"yield_stress", &VonMises::yield_stress, "Pa", positive,
                          "stress in uniaxial tension at which plastic flow begins"},
      Parameter<VonMises>{"hardening", &VonMises::hardening, "Pa", not_negative,
                          "growth of the yield stress per plastic strain; 0: perfectly plastic"}};
  static constexpr std::array presets{
      Preset{"modelling-clay",
             "oil-based modelling clay at room temperature",
             "estimate of the usual magnitude, no measurement cited",
             {{{"density", 1800},
               {"young_modulus", 5e6},
               {"poisson_ratio", 0.4},
               {"yield_stress", 1.2e5},
               {"hardening", 5e4}}}},
      Preset{"soft-clay",
             "soft natural clay, sheared too fast to drain",
             "estimate: undrained shear strength c of 20 kPa, yield stress 2 c, E = 300 c; Poisson's ratio "
             "lowered",
             {{{"density", 1700}, {"young_modulus", 6e6}, {"poisson_ratio", 0.45}, {"yield_stress", 4e4}}}},
      Preset{"stiff-cream",
             "holds its form like shaving cream; a stand-in without its slow flow",
             "shaving cream of Yue et al. (2015), Table I: density 77.7 kg/m^3, shear modulus 290 Pa, bulk "
             "modulus 109 kPa; the yield stress is sqrt(3) times its shear stress at 5 1/s, 18.42 + 17.82 * "
             "5^0.22 Pa",
             {{{"density", 77.7},
               {"young_modulus", 869.2},
               {"poisson_ratio", 0.49867},
               {"yield_stress", 75.9}}}},
      Preset{"copper",
             "hard copper, as a rod for impact tests",
             "density and elastic constants as in common inputs of the Taylor impact test; yield stress and "
             "hardening are estimates",
             {{{"density", 8930},
               {"young_modulus", 1.17e11},
               {"poisson_ratio", 0.35},
               {"yield_stress", 4e8},
               {"hardening", 1e8}}}},
      Preset{
          "lead",
          "soft lead",
          "estimate of the usual magnitude, no measurement cited",
          {{{"density", 11340}, {"young_modulus", 1.6e10}, {"poisson_ratio", 0.44}, {"yield_stress", 8e6}}}},
      published_metal("metal", "soft sheet metal of an animated tube: it stays twisted", 1e3),
      published_metal("metal-car", "soft sheet metal of animated cars: it stays crumpled", 2e3)};
  Moduli moduli() const { return moduli_of(young_modulus, poisson_ratio); }

  template <class R>
  struct State {
    SymMat3<R> strain;     // elastic e = F F^T - 1
    SymMat3<R> kirchhoff;  // tau [Pa]
    R plastic_strain;      // equivalent, accumulated [-]
    template <class Self, class Visit>
    static void columns(Self& s, Visit&& visit) {
      visit("strain", s.strain);
      visit("kirchhoff", s.kirchhoff);
      visit("plastic_strain", s.plastic_strain);
    }
  };

  template <class S>
  struct Law : HenckyLaw<S> {
    using HenckyLaw<S>::elastic;
    S yield_radius, hardening_radius, inverse_two_mu, inverse_flow, to_equivalent;

    // radial return of the logarithmic strain                                                       (VM.1-4)
    template <class R>
    DOLLOP_INLINE void return_map(State<R>& s) const {
      const auto a = eigen_of_strain(s.strain);
      const Vec3<R> trial = elastic.log_strain(a.values);
      const R mean = sum(trial) * R(S(1.0 / 3.0));
      const Vec3<R> dev = trial - Vec3<R>{mean, mean, mean};
      const R square = dot(dev, dev) + R(S(1e-30));  // guards 0/0
      const R inverse_norm = rsqrt(square), dev_norm = square * inverse_norm;
      const R excess = R(elastic.two_mu) * dev_norm - radius(s);  // (VM.1)
      s.kirchhoff = spectral(a, elastic.stress(trial));
      const auto flows = excess > R(S(0));
      if (!any(flows)) return;

      const R dgamma = max(excess, R(S(0))) * R(inverse_flow);          // (VM.3)
      s.plastic_strain = s.plastic_strain + R(to_equivalent) * dgamma;  // (VM.4)
      // scale to the new radius directly: a difference would cancel far beyond yield                  (VM.2)
      const R kept = radius(s) * inverse_norm * R(inverse_two_mu);
      const Vec3<R> eps = Vec3<R>{mean, mean, mean} + kept * dev;
      // lanes without flow keep their strain, free of rounding
      s.strain = choose(flows, spectral(a, elastic.from_log_strain(eps)), s.strain);
      s.kirchhoff = choose(flows, spectral(a, elastic.stress(eps)), s.kirchhoff);
    }

    // the same as a map of principal strains                                                        (ADMM.8)
    template <int, class R>
    DOLLOP_INLINE RadialMap<R> branch_map(const State<R>& s, const Vec3<R>& trial, const R&) const {
      const R zero = R(S(0)), one = R(S(1)), mean = sum(trial) * R(S(1.0 / 3.0));
      const Vec3<R> dev = trial - Vec3<R>{mean, mean, mean};
      const R square = dot(dev, dev) + R(S(1e-30));  // guards 0/0
      const R inverse_norm = rsqrt(square);
      const R excess = R(elastic.two_mu) * (square * inverse_norm) - radius(s);
      const auto flows = excess > zero;
      const R harder =
          R(hardening_radius * to_equivalent * inverse_flow);  // growth of the radius by the excess
      const R next = radius(s) + harder * max(excess, zero);
      const R kept = select(flows, next * inverse_norm * R(inverse_two_mu), one);
      return {Vec3<R>{mean, mean, mean} + kept * dev,
              inverse_norm * dev,
              one,
              kept,
              select(flows, harder, one),
              zero};
    }

    // radius of the yield surface in dev tau: sqrt(2/3) (sigma_Y + H alpha) (VM.1)
    template <class R>
    DOLLOP_INLINE R radius(const State<R>& s) const {
      return R(yield_radius) + R(hardening_radius) * s.plastic_strain;
    }
    // Yield function: |dev tau| beyond the yield surface, relative to its radius; not positive in an admissible state
    template <class R>
    DOLLOP_INLINE R yield_excess(const State<R>& s) const {
      const R mean = trace(s.kirchhoff) * R(S(1.0 / 3.0));
      const SymMat3<R> dev = s.kirchhoff - SymMat3<R>::diagonal(mean);
      return (sqrt(norm_squared(dev)) - radius(s)) / radius(s);
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
    // the isochoric elastic strain, which tearing needs
    template <class R>
    DOLLOP_INLINE SymMat3<R> shape(const State<R>& s) const {
      return held_strain(with_log_volume(R(S(0)), s.strain));  // (KIN.5)
    }
  };

  template <class S>
  Law<S> law() const {
    const Moduli m = moduli();
    const double root = std::sqrt(2.0 / 3.0), flow = 2 * m.shear + 2 * hardening / 3;
    return {{{S(2 * m.shear), S(m.lambda)}},
            S(root * yield_stress),
            S(root * hardening),
            S(1 / (2 * m.shear)),
            S(1 / flow),
            S(root)};
  }
};

}  // namespace dollop::inline DOLLOP_ISA
