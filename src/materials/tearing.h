// Tearing, weakness and recovery around any plastic model. Theory: docs/theory/foam.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>

#include "materials/parameter.h"
#include "materials/state_columns.h"
#include "materials/step_law.h"
#include "materials/strain.h"
#include "math/spectral.h"

namespace dollop::inline DOLLOP_ISA {

enum class WeakStrain { limited, free, balanced };

// The user parameters of tearing, which follow those of the model.
struct TearRule {
  double tear_threshold = 0;  // sigma_T of |dev C^p| [-]; 0: never tears
  double recovery_time = 0;   // eta_p [s]; 0: never recovers
  double weak_stress = 0, weak_strain = 0, weak_volume = 0;
  double removal_ratio = 0, removal_size = 1e-4;
  static constexpr auto parameters = std::tuple{
      Parameter<TearRule>{"tear_threshold", &TearRule::tear_threshold, "", not_negative,
                          "norm of the deviatoric plastic deformation dev C^p beyond which the material is "
                          "torn; 0: it never tears"},
      Parameter<TearRule>{"recovery_time", &TearRule::recovery_time, "s", not_negative,
                          "time in which plastic deformation decays, so that torn parts stick together "
                          "again; 0: it never decays"},
      Parameter<TearRule>{
          "weak_stress",
          &TearRule::weak_stress,
          "",
          two_words,
          "stress of torn material: tension is set to zero (clamped, as published) or not (kept)",
          {"clamped", "kept"}},
      Parameter<TearRule>{
          "weak_strain",
          &TearRule::weak_strain,
          "",
          three_words,
          "strain of torn material: its elastic shear cannot grow (limited, as published); it cannot grow "
          "and relaxes wherever torn material would do work on its neighbours without losing stored energy "
          "(balanced, for scenes in which torn pieces gain energy); or it follows the motion (free)",
          {"limited", "free", "balanced"}},
      Parameter<TearRule>{
          "weak_volume",
          &TearRule::weak_volume,
          "",
          four_words,
          "volume of torn material: it expands up to its rest volume (clamped), by the rule in the listing "
          "of the paper (published), by the rule in its text (text), or like intact material (free)",
          {"clamped", "published", "text", "free"}},
      Parameter<TearRule>{
          "removal_ratio", &TearRule::removal_ratio, "", Range{0, 1, false, true},
          "torn particles are removed where the least variance of the places of their neighbours is at most "
          "this part of the largest, as in threads and sheets; 0: none are removed; published: 1e-5"},
      Parameter<TearRule>{
          "removal_size", &TearRule::removal_size, "", not_negative,
          "torn particles are removed where the largest variance of the places of their neighbours, in cells "
          "squared, is below this, as in crumbs; needs removal_ratio above 0"}};
  bool tears() const { return tear_threshold > 0; }
};

// A model that can tear has `shape(state)`: its elastic strain b - 1 with det b = 1.
template <class Model>
concept CanTear = requires(const typename Model::template Law<double>& law,
                           const typename Model::template State<double>& s) {
  law.shape(s);
};

template <CanTear Model>
struct Tearing {
  static constexpr const char* name = Model::name;
  static constexpr bool long_chain = true;
  Model model;
  TearRule rule;

  // The stress depends on `total` only through `weak`, which jumps: tangents need no derivatives of either.
  template <class R>
  using BaseState = typename Model::template State<R>;
  template <class R>
  struct State {
    using V = ValueOf<R>;
    BaseState<R> base;
    SymMat3<V> total;  // B - 1: of the total deformation, elastic and plastic
    V weak;            // 1: torn
    template <class Self, class Visit>
    static void columns(Self& s, Visit&& visit) {
      BaseState<R>::columns(s.base, visit);
      visit("total", s.total);
      visit("weak", s.weak);
    }
  };

  // The part that tearing adds to the law of the model, or in a step to its step law.
  template <class S, class Base>
  struct LawAround {
    Base base;
    S threshold_squared;
    bool clamps_stress;

    // Torn material resists compression only                                                          (TEAR.3)
    template <class R>
    DOLLOP_INLINE SymMat3<R> stress(const State<R>& s) const {
      const SymMat3<R> tau = base.stress(s.base);
      const auto weak = s.weak > ValueOf<R>(S(0.5));
      if (!clamps_stress || !any(weak)) return tau;
      const auto a = eigen(tau);
      const R zero = R(S(0));
      const Vec3<R> pressed{min(a.values.x, zero), min(a.values.y, zero), min(a.values.z, zero)};
      return choose(weak, spectral(a, pressed), tau);
    }
    template <class R>
    DOLLOP_INLINE R energy(const State<R>& s) const {
      return base.energy(s.base);
    }
    template <class R>
    DOLLOP_INLINE SymMat3<R> strain(const State<R>& s) const {
      return scaled_strain(expm1(R(S(2.0 / 3.0)) * log(volume_ratio(s))), s.total);
    }
    template <class R>
    DOLLOP_INLINE R volume_ratio(const State<R>& s) const {
      return base.volume_ratio(s.base);
    }
    template <class R>
    DOLLOP_INLINE void rebuild(const R& j, State<R>& s) const {
      base.rebuild(j, s.base);
      recover_apart(R(S(0)), s);
    }

    // T A T^T for a lower triangle T
    template <class R>
    struct Triangle {
      R t11, t21, t22, t31, t32, t33;
      DOLLOP_INLINE SymMat3<R> sandwich(const SymMat3<R>& a) const {
        const R u1 = t11 * a.xx, u2 = t11 * a.xy, u3 = t11 * a.xz;
        const R v1 = t21 * a.xx + t22 * a.xy, v2 = t21 * a.xy + t22 * a.yy, v3 = t21 * a.xz + t22 * a.yz;
        const R w1 = t31 * a.xx + t32 * a.xy + t33 * a.xz, w2 = t31 * a.xy + t32 * a.yy + t33 * a.yz,
                w3 = t31 * a.xz + t32 * a.yz + t33 * a.zz;
        return {u1 * t11,
                v1 * t21 + v2 * t22,
                w1 * t31 + w2 * t32 + w3 * t33,
                u1 * t21 + u2 * t22,
                u1 * t31 + u2 * t32 + u3 * t33,
                v1 * t31 + v2 * t32 + v3 * t33};
      }
    };

    // Recovery: ln C^p decays at constant elastic strain and loses its volumetric part; then comes the test for
    // tearing. With b = L L^T the matrix L^-1 B L^-T has the eigenvalues of C^p                  (TEAR.1, TEAR.6)
    template <class R>
    DOLLOP_INLINE void recover(const R& lost, State<R>& s) const {
      SymMat3<R> b = base.shape(s.base), apart = s.total - b;
      const R one = R(S(1)), zero = R(S(0)), third = R(S(1.0 / 3.0));
      // beside an elastic strain as large as that, the plastic one has no digits: it is forgotten           (TEAR.10)
      const auto blurred = norm_squared(b) > R(S(2 * largest_deviator<S> * largest_deviator<S>));
      if (any(blurred)) {
        const SymMat3<R> none = SymMat3<R>::diagonal(zero);
        s.total = choose(blurred, b, s.total);
        b = choose(blurred, none, b), apart = choose(blurred, none, apart);
      }
      const R i11 = rsqrt(one + b.xx), l21 = b.xy * i11, l31 = b.xz * i11;
      const R tiny = R(S(16) * std::numeric_limits<S>::epsilon());  // guards the root of a negative number
      const R c22 = max(one + b.yy - l21 * l21, tiny), i22 = rsqrt(c22), l32 = (b.yz - l21 * l31) * i22;
      const R c33 = max(one + b.zz - l31 * l31 - l32 * l32, tiny), i33 = rsqrt(c33);
      const Triangle<R> l{(one + b.xx) * i11, l21, c22 * i22, l31, l32, c33 * i33};
      const R m21 = -l21 * i11 * i22, m32 = -l32 * i22 * i33, m31 = -(l31 * i11 + l32 * m21) * i33;
      const SymMat3<R> plastic = Triangle<R>{i11, m21, i22, m31, m32, i33}.sandwich(apart);  // minus 1
      const auto deformed = norm_squared(plastic) > R(std::is_same_v<S, float> ? S(1e-12) : S(1e-28));
      s.weak = zero;
      if (!any(deformed)) return;

      const auto a = eigen(plastic);
      // rounding can make a small stretch beside a large one meaningless or negative: it is clamped from below
      constexpr S ratio = std::max(S(8) * std::numeric_limits<S>::epsilon(), S(1e-12));
      const R least = R(ratio) * (one + largest(a.values)) - one;
      const auto held = [&](const R& v) DOLLOP_INLINE_LAMBDA { return max(v, least); };
      const Vec3<R> v{held(a.values.x), held(a.values.y), held(a.values.z)};
      const Vec3<R> logs{log1p(v.x), log1p(v.y), log1p(v.z)};
      const R mean = sum(logs) * third;
      const auto change = [&](const R& x, const R& log_x) DOLLOP_INLINE_LAMBDA {
        return (one + x) * expm1(lost * (log_x - mean) - mean);
      };
      const Vec3<R> g =
          (v - a.values) + Vec3<R>{change(v.x, logs.x), change(v.y, logs.y), change(v.z, logs.z)};
      s.total = choose(deformed, s.total + l.sandwich(spectral(a, g)), s.total);
      const Vec3<R> c = a.values + g;
      const R middle = sum(c) * third;
      const Vec3<R> dev = c - Vec3<R>{middle, middle, middle};
      s.weak = select(both(deformed, dot(dev, dev) > R(threshold_squared)), one, zero);  // (TEAR.2)
    }
    template <class R>
    DOLLOP_APART void recover_apart(const R& lost, State<R>& s) const {
      recover(lost, s);
    }
    template <class R>
    static DOLLOP_INLINE R largest(const Vec3<R>& a) {
      return max(a.x, max(a.y, a.z));
    }
  };
  template <class S, class Base>
  LawAround<S, Base> around(const Base& base) const {
    return {base, S(rule.tear_threshold * rule.tear_threshold), rule.weak_stress < 0.5};
  }
  template <class S>
  using Law = LawAround<S, typename Model::template Law<S>>;
  template <class S>
  Law<S> law() const {
    return around<S>(model.template law<S>());
  }

  template <class S>
  struct StepLaw : LawAround<S, StepLawOf<Model, S>> {
    using Around = LawAround<S, StepLawOf<Model, S>>;
    using Around::base, Around::clamps_stress, Around::largest;
    S forgotten;  // a - 1 = exp(-dt / eta_p) - 1
    WeakStrain strain_rule;
    int volume_rule;

    template <class R>
    DOLLOP_INLINE void predict(const Mat3<R>& du, State<R>& s) const {
      const auto weak = s.weak > ValueOf<R>(S(0.5));
      const Mat3<R> used = any(weak) ? choose(weak, limited(du, s.base), du) : du;
      s.total = advance_strain(values_of(used), s.total);  // recover() takes the volume out
      base.predict(used, s.base);
    }
    template <class R>
    DOLLOP_INLINE void return_map(State<R>& s) const {
      using V = ValueOf<R>;
      base.return_map(s.base);
      if constexpr (std::is_same_v<V, R>) {
        this->recover(R(forgotten), s);
      } else {
        const auto value = [](const R& x) DOLLOP_INLINE_LAMBDA { return x.value; };
        State<V> values{convert_state<BaseState<V>, R>(s.base, value), s.total, s.weak};
        this->recover_apart(V(forgotten), values);
        s.total = values.total, s.weak = values.weak;
      }
    }

    // The increment that a torn particle takes: no shear that would load it further                  (TEAR.4)
    // and no growth beyond its rest volume                                                           (TEAR.5)
    // balanced: its elastic shear loses the energy that the limits would otherwise create             (TEAR.9)
    // All matrices are stored minus 1: in float a small increment would lose its digits to the 1.
    // Torn particles are few in most scenes, so this is no part of the loops. By value: the state stays in registers there.
    template <class R>
    DOLLOP_APART Mat3<R> limited(Mat3<R> du, BaseState<R> s) const {
      const R one = R(S(1)), zero = R(S(0)), third = R(S(1.0 / 3.0));
      const R grows = volume_increment(du), j = base.volume_ratio(s);
      const R room = (one - j) / j;  // up to the rest volume
      const auto expands = grows > zero;
      R allowed = grows;  // free
      if (volume_rule == 0) allowed = select(expands, min(grows, max(room, zero)), grows);
      if (volume_rule == 1) allowed = select(both(expands, grows > room), zero, grows);
      if (volume_rule == 2) allowed = select(both(expands, zero > room), zero, grows);
      auto limits = allowed < grows;

      const R log_jf = log1p(grows);
      Mat3<R> f = scaled(expm1(-third * log_jf), du);
      if (strain_rule != WeakStrain::free) {
        const SymMat3<R> b = base.shape(s);
        const R squeeze = expm1(R(S(-2.0 / 3.0)) * log_jf);
        const R now = largest(eigen(b).values);
        const R next = largest(eigen(scaled_strain(squeeze, advance_strain(du, b))).values);
        const auto loads = next > now;
        f = choose(loads, rotation_of(f), f);
        limits = either(limits, loads);
        if (strain_rule == WeakStrain::balanced) {
          const SymMat3<R> green = R(S(0.5)) * advance_strain(transpose(du), SymMat3<R>::diagonal(zero));
          const R gained = energy_for_nothing(green, loads, log1p(allowed) - log_jf, s);
          const auto gains = gained > zero;
          if (any(gains)) {
            const Mat3<R> ease = easing(gained, b, s);
            f = choose(gains, f + ease + f * ease, f);
            limits = either(limits, gains);
          }
        }
      }
      return choose(limits, scaled(expm1(third * log1p(allowed)), f), du);
    }

    // Elastic energy that a torn particle would gain beyond the work of its visible stress in a strain increment d: its
    // tension is clamped, and shear and volume may be left out of the increment                      (TEAR.9)
    template <class R, class Mask>
    DOLLOP_INLINE R energy_for_nothing(const SymMat3<R>& d, const Mask& no_shear, const R& volume_left_out,
                                       const BaseState<R>& s) const {
      const SymMat3<R> tau = base.stress(s);
      const R zero = R(S(0)), mean = trace(tau) * R(S(1.0 / 3.0));
      const SymMat3<R> dev = tau - SymMat3<R>::diagonal(mean);
      const R gained = mean * volume_left_out - select(no_shear, contract(dev, d), zero);
      if (!clamps_stress) return gained;
      const auto a = eigen(tau);
      const Vec3<R> pulled{max(a.values.x, zero), max(a.values.y, zero), max(a.values.z, zero)};
      return gained + contract(spectral(a, pulled), d);
    }
    // The isochoric increment, minus 1, that reduces the elastic shear energy by this much, or as far as one step can:
    // an increment of more than a half would overshoot                                               (TEAR.9)
    template <class R>
    DOLLOP_INLINE Mat3<R> easing(const R& energy, const SymMat3<R>& b, const BaseState<R>& s) const {
      const R third = R(S(1.0 / 3.0)), half = R(S(0.5));
      const SymMat3<R> dev = b - SymMat3<R>::diagonal(trace(b) * third);
      const R held = half * contract(base.stress(s), dev);
      const R most = rsqrt(max(norm_squared(dev), R(S(1))));
      const R part = min(energy / max(held, R(S(1e-30))), most);
      const Mat3<R> e = to_mat3((-half * part) * dev);
      return scaled(expm1(-third * log1p(volume_increment(e))), e);
    }
    // x (1 + e) - 1, from x - 1
    template <class R>
    static DOLLOP_INLINE Mat3<R> scaled(const R& change, const Mat3<R>& e) {
      return e + change * (Mat3<R>::identity() + e);
    }
    // Q - 1 of the rotation Q nearest to a matrix 1 + e of determinant 1, near the unit matrix: Newton's iteration
    // X <- (X + X^-T)/2, 1e-12 for |e| = 0.5
    template <class R>
    static DOLLOP_INLINE Mat3<R> rotation_of(Mat3<R> e) {
      for (int k = 0; k < 5; ++k) {
        const R half = R(S(0.5)), grows = volume_increment(e), inverse = half / (R(S(1)) + grows);
        const R diagonal = trace(e) - grows;
        // an entry of cof(1 + e) - det(1 + e) 1
        const auto entry = [&](int i, int j) DOLLOP_INLINE_LAMBDA {
          const int p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, t = (j + 2) % 3;
          const R c = e(p, r) * e(q, t) - e(p, t) * e(q, r) - e(j, i);
          return i == j ? c + diagonal : c;
        };
        const auto mean = [&](int i, int j)
                              DOLLOP_INLINE_LAMBDA { return half * e(i, j) + inverse * entry(i, j); };
        e = make_mat3<R>(mean);
      }
      return e;
    }
  };
  template <class S>
  StepLaw<S> step_law(double dt) const {
    return {around<S>(dollop::step_law<S>(model, dt)),
            S(rule.recovery_time > 0 ? std::expm1(-dt / rule.recovery_time) : 0),
            WeakStrain(int(rule.weak_strain + 0.5)), int(rule.weak_volume + 0.5)};
  }
};

}  // namespace dollop::inline DOLLOP_ISA
