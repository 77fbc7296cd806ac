// Drucker-Prager plasticity on Hencky strain: sand, salt, soil. Theory: docs/theory/sand.md.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <type_traits>

#include "materials/hencky.h"
#include "math/sine.h"

namespace dollop::inline DOLLOP_ISA {

inline constexpr double degree = 0.017453292519943295;  // [rad]

// How a friction angle becomes the slope alpha of the cone |dev tau| = -alpha tr tau.                  (DP.3)
enum class Cone { triaxial, plane_strain, tan, sin };
inline double cone_slope(Cone cone, double angle) {
  const double s = std::sin(angle);
  if (cone == Cone::triaxial) return std::sqrt(2.0 / 3.0) * 2 * s / (3 - s);
  return std::sqrt(2.0) / 3 * (cone == Cone::sin ? s : std::tan(angle));
}

// sand of a constant friction angle
constexpr Preset plain_sand(const char* name, const char* help, double angle) {
  return {name,
          help,
          "moduli and density as for dry-sand; the angle alone is varied, without hardening",
          {{{"density", 2200},
            {"young_modulus", 3.537e5},
            {"poisson_ratio", 0.3},
            {"friction_angle", angle * degree}}}};
}

struct DruckerPrager {
  static constexpr const char* name = "drucker-prager";
  static constexpr const char* help =
      "grains that hold together by friction under pressure: sand, salt, soil";
  static constexpr const char* look = "sand";
  static constexpr bool long_chain = true;  // the return map is one chain of dependent operations
  double density = 2200;                    // rho [kg/m^3]
  double young_modulus = 3.537e5;           // E [Pa]
  double poisson_ratio = 0.3;               // nu [-]
  double friction_angle = 30 * degree;      // h0 [rad]
  double hardening_rate = 0;                // h1 [rad]
  double hardening_decay = 0;               // h2 [-]
  double hardening_drop = 0;                // h3 [rad]
  double cone = 0;                          // Cone
  double cohesion = 0;                      // c: shear strength without pressure [Pa]
  double volume_correction = 1;  // whether expanded sand must close its voids before it resists again
  double max_volume_gain = 0;    // of ln J; 0: largest_gain
  double grain_size = 0;         // d_g of the mu(I) rheology [m]; 0: rate independent
  double grain_density = 2500;   // rho_s [kg/m^3]
  double fast_friction_angle = 33 * degree;  // of very fast flow [rad]
  double inertia_scale = 0.279;              // I_0 [-]
  static constexpr Range angles{0, 89 * degree, false, false};
  static constexpr double largest_gain = 6.907755278982137;  // ln 1000                                (DP.11)
  static constexpr auto parameters = std::tuple{
      Parameter<DruckerPrager>{"density", &DruckerPrager::density, "kg/m^3", positive,
                               "mass per volume at rest"},
      Parameter<DruckerPrager>{"young_modulus", &DruckerPrager::young_modulus, "Pa", positive,
                               "Young's modulus: stress per strain in uniaxial compression"},
      Parameter<DruckerPrager>{"poisson_ratio", &DruckerPrager::poisson_ratio, "", poisson_range,
                               "Poisson's ratio: lateral expansion per axial compression"},
      Parameter<DruckerPrager>{"friction_angle", &DruckerPrager::friction_angle, "rad", angles,
                               "angle of internal friction, h0 of the hardening law"},
      Parameter<DruckerPrager>{"hardening_rate", &DruckerPrager::hardening_rate, "rad", not_negative,
                               "h1 of the hardening law: the friction angle is h0 + (h1 q - h3) exp(-h2 q) "
                               "after a plastic strain q"},
      Parameter<DruckerPrager>{
          "hardening_decay", &DruckerPrager::hardening_decay, "", not_negative,
          "h2 of the hardening law: the larger it is, the sooner the friction angle settles at h0"},
      Parameter<DruckerPrager>{
          "hardening_drop", &DruckerPrager::hardening_drop, "rad", not_negative,
          "h3 of the hardening law: the friction angle is h0 - h3 before any plastic strain"},
      Parameter<DruckerPrager>{
          "cone",
          &DruckerPrager::cone,
          "",
          four_words,
          "test that the friction angles belong to: triaxial compression, as published (triaxial), a slope "
          "in plane strain (plane-strain; tan is another name for it), or Mohr-Coulomb in plane strain (sin)",
          {"triaxial", "plane-strain", "tan", "sin"}},
      Parameter<DruckerPrager>{"cohesion", &DruckerPrager::cohesion, "Pa", not_negative,
                               "shear strength without pressure, which damp sand has; 0: dry sand"},
      Parameter<DruckerPrager>{"volume_correction",
                               &DruckerPrager::volume_correction,
                               "",
                               two_words,
                               "on: sand that came apart closes its gaps before it bears pressure again, so "
                               "that piles do not swell; off: it bears pressure at once, as first published",
                               {"off", "on"}},
      Parameter<DruckerPrager>{"max_volume_gain", &DruckerPrager::max_volume_gain, "", not_negative,
                               "largest expansion ln J that sand which came apart must lose before it bears "
                               "pressure again; set it where grains fly far; 0: ln 1000, the most there is"},
      Parameter<DruckerPrager>{"grain_size", &DruckerPrager::grain_size, "m", not_negative,
                               "diameter of the grains in the mu(I) rheology, in which friction grows with "
                               "the shear rate; 0: friction does not depend on the rate"},
      Parameter<DruckerPrager>{
          "grain_density", &DruckerPrager::grain_density, "kg/m^3", positive,
          "density of a single grain in the mu(I) rheology; used where grain_size is above 0"},
      Parameter<DruckerPrager>{"fast_friction_angle", &DruckerPrager::fast_friction_angle, "rad", angles,
                               "friction angle of very fast flow in the mu(I) rheology; used where "
                               "grain_size is above 0, and must then exceed friction_angle"},
      Parameter<DruckerPrager>{"inertia_scale", &DruckerPrager::inertia_scale, "", positive,
                               "inertial number I0 of the mu(I) rheology, at which the friction coefficient "
                               "is half way between slow and very fast flow"}};
  static constexpr std::array lists{
      ParameterList{"hardening",
                    "h0, h1, h2, h3 of the hardening law; plain numbers are in degrees where they are "
                    "angles: [35, 9, 0.2, 10]",
                    "deg",
                    {"friction_angle", "hardening_rate", "hardening_decay", "hardening_drop"}}};
  static constexpr std::array presets{
      Preset{
          "dry-sand",
          "dry sand that hardens as it flows",
          "constants in use with the method of Klár et al. (2016), whose own table is not at hand; a Young's "
          "modulus of 3.537e7 would be physical, a hundredth of it looks the same",
          {{{"density", 2200},
            {"young_modulus", 3.537e5},
            {"poisson_ratio", 0.3},
            {"friction_angle", 35 * degree},
            {"hardening_rate", 9 * degree},
            {"hardening_decay", 0.2},
            {"hardening_drop", 10 * degree}}}},
      Preset{"sand-castle",
             "damp sand that keeps the shape of the bucket",
             "estimate: a cohesion of 1 kPa, as capillary bridges give",
             {{{"density", 1900},
               {"young_modulus", 1e6},
               {"poisson_ratio", 0.3},
               {"friction_angle", 35 * degree},
               {"cohesion", 1000}}}},
      Preset{"salt",
             "table salt",
             "bulk density of poured table salt, an angle of repose of 32 degrees; moduli are an estimate",
             {{{"density", 1200},
               {"young_modulus", 3.5e5},
               {"poisson_ratio", 0.3},
               {"friction_angle", 32 * degree},
               {"cone", 1}}}},
      plain_sand("sand-20", "sand of 20 degrees internal friction", 20),
      plain_sand("sand-25", "sand of 25 degrees internal friction", 25),
      plain_sand("sand-30", "sand of 30 degrees internal friction", 30),
      plain_sand("sand-35", "sand of 35 degrees internal friction", 35),
      plain_sand("sand-40", "sand of 40 degrees internal friction", 40)};
  Moduli moduli() const { return moduli_of(young_modulus, poisson_ratio); }
  Cone shape() const { return Cone(int(cone + 0.5)); }

  // the error in a combination of parameters that are each in range; empty if there is none
  std::string fault() const {
    if (hardening_drop > friction_angle) return "hardening_drop must not exceed friction_angle";
    if (cohesion > 0 && !(friction_angle > hardening_drop))
      return "cohesion needs a friction angle above zero: without friction there is no cone to move";
    if (grain_size > 0 && !(fast_friction_angle > friction_angle))
      return "grain_size needs a fast_friction_angle above friction_angle: friction grows from the one to "
             "the other";
    return {};
  }

  template <class R>
  struct State {
    SymMat3<R> strain;     // elastic e = F F^T - 1
    SymMat3<R> kirchhoff;  // tau [Pa]
    R plastic_strain;      // q, accumulated [-]
    R cone_growth;         // alpha minus its value at rest [-]
    R volume_gain;         // v_c: stress-free gain of ln J that has not been recovered [-]
    template <class Self, class Visit>
    static void columns(Self& s, Visit&& visit) {
      visit("strain", s.strain);
      visit("kirchhoff", s.kirchhoff);
      visit("plastic_strain", s.plastic_strain);
      visit("cone_growth", s.cone_growth);
      visit("volume_gain", s.volume_gain);
    }
  };

  template <class S>
  struct Law : HenckyLaw<S> {
    using HenckyLaw<S>::elastic;
    S alpha, to_deviator;  // slope of the cone at rest; (3 lambda + 2 mu)/(2 mu)
    S tip;                 // logarithmic strain at the tip of the cone, c_0
    S max_gain;
    S bulk, fast_slope;  // mu(I): K, mu_2
    bool corrects, has_rate;

    // A trial strain as the cone sees it.
    template <class R>
    struct TrialStrain {
      R mean;
      Vec3<R> dev;
      R inverse_norm, dev_norm;
      R tip,
          depth;  // a third of the trace: at the tip, and measured from there                        (DP.8)
    };
    template <class R>
    DOLLOP_INLINE TrialStrain<R> measured(const Vec3<R>& trial, const State<R>& s) const {
      const R zero = R(S(0)), third = R(S(1.0 / 3.0));
      const auto apart = s.volume_gain > zero;
      const R gain = corrects ? s.volume_gain : zero;
      const R before = corrects ? select(apart, zero, R(tip)) : R(tip);  // separated sand has no cohesion
      const R mean = sum(trial) * third;
      const Vec3<R> dev = trial - Vec3<R>{mean, mean, mean};
      // guards 1/0, and is so small that its power of -3/2, a factor of derivatives, is still a number
      const S least = std::is_same_v<S, float> ? S(1e-24) : S(1e-200);
      const R square = dot(dev, dev), inverse_norm = rsqrt(max(square, R(least)));
      return {mean, dev, inverse_norm, square * inverse_norm, before, mean + gain * third - before};
    }

    // Return mapping onto the cone: (I) inside nothing changes, (II) beyond the tip the stress vanishes, (III) beside it
    // the deviator is scaled back at constant volume, to held_deviator(compression, norm)               (DP.4)
    template <class R, class Held>
    DOLLOP_INLINE void project(State<R>& s, const Held& held_deviator) const {
      const R zero = R(S(0));
      const auto a = eigen_of_strain(s.strain);
      const Vec3<R> trial = elastic.log_strain(a.values);
      const TrialStrain<R> t = measured(trial, s);
      const R &mean = t.mean, &dev_norm = t.dev_norm, &depth = t.depth;
      const R gain = corrects ? s.volume_gain : zero;
      const R held = held_deviator(R(S(-3)) * min(depth, zero), dev_norm);
      const auto opens = depth > zero, flows = dev_norm > held;
      s.kirchhoff = spectral(a, elastic.stress(trial));
      const auto changes = either(either(opens, flows), gain > zero);
      if (!any(changes)) return;

      const R after = corrects ? select(opens, zero, t.tip) : t.tip;
      const R new_mean = min(depth, zero) + after;
      const R kept = select(flows, held * t.inverse_norm, R(S(1)));
      const Vec3<R> eps = Vec3<R>{new_mean, new_mean, new_mean} + kept * t.dev;
      const Vec3<R> lost = trial - Vec3<R>{after, after, after};
      const R flowed = select(opens, norm(lost), max(dev_norm - held, zero));
      s.plastic_strain = s.plastic_strain + flowed;  // (DP.5)
      const R gained = s.volume_gain + R(S(3)) * (mean - new_mean);
      const R left = max(gained, zero);  // (DP.9)
      const R now = corrects ? select(opens, left, zero) : select(opens, left, s.volume_gain);
      s.volume_gain = min(now, R(max_gain));
      // lanes without a change keep their strain, free of rounding
      s.strain = choose(changes, spectral(a, elastic.from_log_strain(eps)), s.strain);
      s.kirchhoff = choose(changes, spectral(a, elastic.stress(eps)), s.kirchhoff);
    }

    // Norm of the deviatoric strain that friction holds at a compression -tr(e), measured from the tip  (DP.2)
    template <class Q, class R>
    DOLLOP_INLINE Q slow_deviator(const Q& compression, const State<R>& s) const {
      return Q((R(alpha) + s.cone_growth) * R(to_deviator)) * compression;
    }
    // the same for flow at any rate: S_2 of mu(I)                                                      (DP.10)
    template <class R>
    DOLLOP_INLINE R fast_deviator(const R& compression, const State<R>& s) const {
      const R slow = slow_deviator(compression, s);
      if (!has_rate) return slow;
      return max(R(fast_slope) * (R(bulk) * compression) / R(to_shear()), slow);
    }
    // from |dev e| to the shear stress
    DOLLOP_INLINE S to_shear() const { return elastic.two_mu * S(std::sqrt(0.5)); }

    // Yield function: |dev tau| beyond the cone, relative to the strength here or without pressure, whichever is larger,
    // since the strength vanishes at the tip; not positive in an admissible state                       (DP.1)
    template <class R>
    DOLLOP_INLINE R yield_excess(const State<R>& s) const {
      const R mean = trace(s.kirchhoff) * R(S(1.0 / 3.0)), zero = R(S(0));
      const SymMat3<R> dev = s.kirchhoff - SymMat3<R>::diagonal(mean);
      const R at_tip = R(elastic.two_mu * to_deviator * tip);
      const R slope = (R(alpha) + s.cone_growth) * R(S(3));
      const R held = slope * max(at_tip - mean, zero), scale = max(held, slope * at_tip);
      return (sqrt(norm_squared(dev)) - held) / (scale + R(S(1e-30)));  // guards 0/0
    }
    template <class R>
    DOLLOP_INLINE R volume_ratio(const State<R>& s) const {
      return dollop::volume_ratio(s.strain) * exp(s.volume_gain);
    }
    // Turns averaged columns into a state with the given volume ratio; volume that the cone cannot hold becomes a gain.
    // Flowing sand is between the slow cone and the fast one, so the fast one bounds a state.
    template <class R>
    DOLLOP_INLINE void rebuild(const R& j, State<R>& s) const {
      const R total = log(j), most = R(S(3) * tip), q = s.plastic_strain;
      const R held = min(total - s.volume_gain, most);
      s.volume_gain = max(total - held, R(S(0)));
      s.strain = with_log_volume(held, s.strain);
      project(s, [&](const R& compression, const R&)
                     DOLLOP_INLINE_LAMBDA { return fast_deviator(compression, s); });
      s.plastic_strain = q;
    }
  };
  template <class S>
  Law<S> law() const {
    const Moduli m = moduli();
    const double angle = std::clamp(friction_angle - hardening_drop, 0.0, 89 * degree);
    const double slope = cone_slope(shape(), angle), to_shear = 3 / std::sqrt(2.0);
    const double tip = cohesion > 0 ? cohesion / (std::max(to_shear * slope, 1e-6) * 3 * m.bulk()) : 0;
    return {{{S(2 * m.shear), S(m.lambda)}},
            S(slope),
            S(1.5 * m.lambda / m.shear + 1),
            S(tip),
            S(max_volume_gain > 0 ? std::min(max_volume_gain, largest_gain) : largest_gain),
            S(m.bulk()),
            S(to_shear * cone_slope(shape(), fast_friction_angle)),
            volume_correction > 0.5,
            grain_size > 0};
  }

  template <class S>
  struct StepLaw : Law<S> {
    using Law<S>::alpha, Law<S>::bulk, Law<S>::fast_slope;
    S h0, h1, h2, h3;
    S rate;  // mu(I): I_0 G dt/(d_g sqrt(rho_s))
    Cone cone;
    bool hardens;

    // explicit hardening: the cone of this step depends on the plastic strain before it                (DP.7)
    template <class R>
    DOLLOP_INLINE void predict(const Mat3<R>& du, State<R>& s) const {
      Law<S>::predict(du, s);
      begin_step(s);
    }
    template <class R>
    DOLLOP_INLINE void begin_step(State<R>& s) const {
      if (!hardens) return;
      const R zero = R(S(0)), q = s.plastic_strain;
      s.cone_growth = select(q > zero, slope_after(q) - R(alpha), zero);  // exactly 0 at rest
    }

    template <class R>
    DOLLOP_INLINE R slope_after(const R& q) const {
      const R most = R(S(89 * degree)), change = (R(h1) * q - R(h3)) * exp(-R(h2) * q);
      const R angle = min(max(R(h0) + change, R(S(0))), most);  // (DP.6)
      const R sine = sin_quarter(angle);
      if (cone == Cone::triaxial) return R(S(std::sqrt(2.0 / 3.0) * 2)) * sine / (R(S(3)) - sine);
      const R third = R(S(std::sqrt(2.0) / 3)) * sine;
      if (cone == Cone::sin) return third;
      return third / sin_quarter(R(S(90 * degree)) - angle);
    }

    template <class R>
    DOLLOP_INLINE void return_map(State<R>& s) const {
      this->project(s, [&](const R& compression, const R& dev_norm)
                           DOLLOP_INLINE_LAMBDA { return held_deviator(compression, dev_norm, s); });
    }

    // the deviator that friction holds or, with mu(I), the deviator to which a larger one relaxes in a step  (DP.10)
    template <class Q, class R>
    DOLLOP_INLINE Q held_deviator(const Q& compression, const Q& dev_norm, const State<R>& s) const {
      const Q slow = this->slow_deviator(compression, s);
      if (!this->has_rate) return slow;
      const Q to_shear = Q(this->to_shear());
      const Q p = Q(bulk) * compression, trial = to_shear * dev_norm, s0 = to_shear * slow;
      const Q s2 = max(Q(fast_slope) * p, s0), a = Q(rate) * sqrt(p);
      const Q b = s2 + trial + a, c = s2 * trial + s0 * a;
      const Q root = sqrt(max(b * b - Q(S(4)) * c, Q(S(0))));
      const Q shear = Q(S(2)) * c / (b + root + Q(S(1e-30)));  // guards 0/0
      return select(trial > s0, shear / to_shear, slow);
    }

    // The projection as a map of principal strains                                                   (ADMM.8)
    template <int, class R>
    DOLLOP_INLINE RadialMap<R> branch_map(const State<R>& s, const Vec3<R>& trial, const R&) const {
      using D = Dual<R, 2>;
      const R zero = R(S(0)), one = R(S(1));
      const auto t = this->measured(trial, s);
      const R inside = min(t.depth, zero);
      const D held = held_deviator(D::variable(R(S(-3)) * inside, 0), D::variable(t.dev_norm, 1), s);
      const auto opens = t.depth > zero, flows = t.dev_norm > held.value;
      const R mean = inside + (this->corrects ? select(opens, zero, t.tip) : t.tip);
      const R kept = select(flows, held.value * t.inverse_norm, one), loose = select(opens, zero, one);
      return {Vec3<R>{mean, mean, mean} + kept * t.dev,
              t.inverse_norm * t.dev,
              loose,
              kept,
              select(flows, select(opens, zero, held.d[1]), one),
              select(flows, select(opens, zero, -held.d[0]), zero)};
    }
  };
  template <class S>
  StepLaw<S> step_law(double dt) const {
    const double grains = grain_size * std::sqrt(grain_density);
    const double rate = grain_size > 0 ? inertia_scale * moduli().shear * dt / grains : 0;
    return {
        law<S>(),          S(friction_angle), S(hardening_rate), S(hardening_decay),
        S(hardening_drop), S(rate),           shape(),           hardening_rate > 0 || hardening_drop > 0};
  }
};

}  // namespace dollop::inline DOLLOP_ISA
