// Volume-preserving Oldroyd-B viscoelasticity: foams that flow, pastes, sponges. Theory: docs/theory/oldroyd_b.md.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>

#include "materials/lame_moduli.h"
#include "materials/parameter.h"
#include "materials/strain.h"

namespace dollop::inline DOLLOP_ISA {

// A row of Table 1 of the paper, in SI: it is given in metres, tonnes and seconds. What is printed of the solvent's
// viscosity fits two readings; the presets have the one that flows as the pictures show.                (OB.16)
struct ViscoelasticRow {
  double density, shear_modulus, lambda, relaxation_time, solvent_viscosity;
};
constexpr Preset published_fluid(const char* name, const char* help, const char* source,
                                 const ViscoelasticRow& row) {
  return {name,
          help,
          source,
          {{{"density", row.density},
            {"shear_modulus", row.shear_modulus},
            {"lambda", row.lambda},
            {"relaxation_time", row.relaxation_time},
            {"solvent_viscosity", row.solvent_viscosity}}}};
}

struct OldroydB {
  static constexpr const char* name = "oldroyd-b";
  static constexpr const char* help =
      "viscoelastic: its shape relaxes in time and its volume does not: foam that flows, paste, sponge";
  static constexpr const char* look = "foam";
  static constexpr bool rate_dependent = true;  // the stress changes in time at constant strain
  double density = 200;                         // rho [kg/m^3]
  double shear_modulus = 5e3;                   // mu [Pa]
  double lambda = 5e4;                          // [Pa]
  double relaxation_time = 0.5;                 // Wi [s]; infinite: elastic
  double solvent_viscosity = 0;                 // eta [Pa s]
  double update = 0;                            // how a step advances the conformation
  static constexpr auto parameters = std::tuple{
      Parameter<OldroydB>{"density", &OldroydB::density, "kg/m^3", positive, "mass per volume at rest"},
      Parameter<OldroydB>{"shear_modulus", &OldroydB::shear_modulus, "Pa", positive,
                          "shear stress per shear before it relaxes"},
      Parameter<OldroydB>{
          "lambda", &OldroydB::lambda, "Pa", not_negative,
          "Lame's first modulus: resistance to a change of volume, which does not relax; ten times "
          "shear_modulus for fluids, more for less change of volume"},
      Parameter<OldroydB>{"relaxation_time", &OldroydB::relaxation_time, "s", positive_or_infinite,
                          "time in which shear stress relaxes at constant shape; inf: an elastic solid"},
      Parameter<OldroydB>{"solvent_viscosity", &OldroydB::solvent_viscosity, "Pa s", not_negative,
                          "viscosity beside the elastic stress; it shortens explicit steps"},
      Parameter<OldroydB>{
          "update",
          &OldroydB::update,
          "",
          two_words,
          "how a step advances the conformation tensor: congruence, stable in steps of any length "
          "and for every solver; or paper, the published formula, for explicit steps alone",
          {"congruence", "paper"}}};
  static constexpr std::array alternatives{young_and_poisson};
  static constexpr std::array presets{
      published_fluid("sponge", "soft sponge that can be twisted by half a turn",
                      "Ram et al. (2015), Table 1, twisting sponge; it has no solvent",
                      {2000, 3.6e5, 1.4e6, 50, 0}),
      published_fluid(
          "shaving-foam-stream", "shaving foam as it leaves the can",
          "Ram et al. (2015), Table 1, shaving foam; solvent_viscosity is our reading for steps of a "
          "millisecond, the text alone gives 0.05 Pa s",
          {200, 5e3, 5e4, 0.5, 100}),
      published_fluid(
          "toothpaste", "toothpaste that lies where it was squeezed",
          "Ram et al. (2015), Table 1, toothpaste, in a scene larger than life; solvent_viscosity is not "
          "determined by the paper: 50, 1e4 and 1e5 Pa s all fit its text",
          {1000, 839, 8390, 0.4, 1e4}),
      published_fluid(
          "viennetta", "ice cream that folds on a belt",
          "Ram et al. (2015), Table 1, Viennetta; solvent_viscosity is our reading for steps of a "
          "millisecond, the text alone gives 0.025 Pa s",
          {1000, 1e3, 1e4, 0.1, 50}),
      published_fluid(
          "pie-cream", "cream of a pie, nearly a liquid",
          "Ram et al. (2015), Table 1, pie cream; solvent_viscosity is our reading for steps of a "
          "millisecond, the text alone gives 5e-5 Pa s",
          {200, 5e3, 5e4, 1e-4, 0.1}),
      published_fluid(
          "pie-crust", "baked crust: stiff and elastic, so steps of explicit solvers are short",
          "Ram et al. (2015), Table 1, pie crust; solvent_viscosity is our reading for steps of a "
          "millisecond, the text alone gives 5e-6 Pa s",
          {500, 5e8, 4e9, std::numeric_limits<double>::infinity(), 0.01}),
      published_fluid(
          "pie-crust-scored", "the lines along which the crust breaks",
          "Ram et al. (2015), Table 1, scored pie crust; solvent_viscosity is our reading for steps of a "
          "millisecond, the text alone gives 0.005 Pa s",
          {500, 5e3, 1e4, 1, 10})};
  Moduli moduli() const { return {shear_modulus, lambda}; }
  double explicit_viscosity() const { return solvent_viscosity; }
  bool is_published() const { return update > 0.5; }
  // the published update oscillates where dt exceeds the relaxation time
  double longest_step() const {
    return is_published() ? relaxation_time / 2 : std::numeric_limits<double>::infinity();
  }
  // why it does not fit implicit solvers; null: it does
  const char* implicit_fault() const {
    return is_published()
               ? "update = \"paper\" is not covariant, so it fits explicit steps only; write update = "
                 "\"congruence\" or solver = \"explicit\""
               : nullptr;
  }

  template <class R>
  struct State {
    R volume_change;          // J - 1
    SymMat3<R> conformation;  // b_OB - 1; its determinant has no meaning
    SymMat3<R> solvent;       // Kirchhoff stress of the solvent in the last step [Pa]
    template <class Self, class Visit>
    static void columns(Self& s, Visit&& visit) {
      visit("volume_change", s.volume_change);
      visit("conformation", s.conformation);
      visit("solvent", s.solvent);
    }
  };

  template <class S>
  struct Law {
    S mu, lambda;

    // b_E - 1 = J^(2/3) det(b_OB)^(-1/3) b_OB - 1                                                      (OB.2)
    template <class R>
    DOLLOP_INLINE SymMat3<R> strain(const State<R>& s) const {
      return with_log_volume(log1p(s.volume_change), s.conformation);
    }
    // lambda (J - 1) J
    template <class R>
    DOLLOP_INLINE R pressure(const R& j) const {
      return R(lambda) * j * (R(S(1)) + j);
    }
    // tau = mu (b_E - 1) + lambda (J - 1) J 1 + solvent                                                (OB.3)
    template <class R>
    DOLLOP_INLINE SymMat3<R> stress(const State<R>& s) const {
      return R(mu) * strain(s) + SymMat3<R>::diagonal(pressure(s.volume_change)) + s.solvent;
    }
    // tr b - 3 of a strain b - 1 that is scaled to det b = 1, without cancellation for small strains       (OB.5)
    template <class R>
    static DOLLOP_INLINE R distortion(const SymMat3<R>& e) {
      const R third = R(S(1.0 / 3.0)), mean = third * trace(e);
      const SymMat3<R> dev = e - SymMat3<R>::diagonal(mean);
      const R beyond = R(S(0.5)) * norm_squared(dev) * (R(S(1)) + mean) - det(dev);
      return R(S(3)) * expm1(third * log1p(max(beyond / volume_ratio_squared(e), R(S(0)))));
    }
    // mu/2 (tr b_E - 3 - 2 ln J) + lambda/2 (J - 1)^2, for a given J^(2/3) (tr b - 3)                  (OB.1)
    template <class R>
    DOLLOP_INLINE R energy_of(const R& distorted, const R& j) const {
      const R l = log1p(j), grown = expm1(R(S(2.0 / 3.0)) * l);
      return R(S(0.5) * mu) * (distorted + R(S(3)) * grown - l - l) + R(S(0.5) * lambda) * j * j;
    }
    template <class R>
    DOLLOP_INLINE R energy(const State<R>& s) const {
      const R m = exp(R(S(2.0 / 3.0)) * log1p(s.volume_change));
      return energy_of(m * distortion(s.conformation), s.volume_change);
    }
    template <class R>
    DOLLOP_INLINE R volume_ratio(const State<R>& s) const {
      return R(S(1)) + s.volume_change;
    }
    // averages of conformation tensors are conformation tensors
    template <class R>
    DOLLOP_INLINE void rebuild(const R& j, State<R>& s) const {
      s.volume_change = j - R(S(1));
    }
    // the isochoric elastic strain, which tearing needs
    template <class R>
    DOLLOP_INLINE SymMat3<R> shape(const State<R>& s) const {
      return held_strain(with_log_volume(R(S(0)), s.conformation));
    }
  };
  template <class S>
  Law<S> law() const {
    return {S(shear_modulus), S(lambda)};
  }

  template <class S>
  struct StepLaw : Law<S> {
    using Law<S>::mu;
    using Law<S>::distortion;
    // Where an eigenvalue of b_OB falls below this part of their sum, 2 sqrt(epsilon), det b_OB has no digit left (OB.17)
    static constexpr S thinnest = std::is_same_v<S, float> ? S(5e-4) : S(3e-8);
    S kept, lost;  // alpha = 1/(1 + dt/Wi), beta = 1 - alpha
    S relaxed;     // dt/Wi, of the published update
    S viscosity_per_dt;
    bool published, viscous;

    // J det f; f b f^T, or the published first order of it; stress of the solvent                      (OB.6-8)
    template <class R>
    DOLLOP_INLINE void predict(const Mat3<R>& du, State<R>& s) const {
      const R change = volume_increment(du), before = R(S(1)) + s.volume_change;
      s.volume_change = held_volume(s.volume_change + change + s.volume_change * change);
      if (published) {
        const Mat3<R> turned = du + du * to_mat3(s.conformation);
        const auto entry = [&](int i, int j) DOLLOP_INLINE_LAMBDA {
          return s.conformation(i, j) - R(relaxed) * s.conformation(i, j) + (turned(i, j) + turned(j, i));
        };
        s.conformation = held_strain(
            SymMat3<R>{entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)},
            thinnest);
      } else {
        s.conformation = held_strain(advance_strain(du, s.conformation), thinnest);
      }
      if (!viscous) return;
      // twice Green's strain of the step: none for a rotation
      s.solvent = solvent_stress(before, advance_strain(du, SymMat3<R>::diagonal(R(S(0)))));
    }
    template <class R>
    DOLLOP_INLINE SymMat3<R> solvent_stress(const R& j, const SymMat3<R>& e) const {
      return (R(viscosity_per_dt) * j) * (e + product_of_commuting(e, e));
    }
    // relaxation by backward Euler: b <- alpha b + beta 1                                              (OB.7)
    template <class R>
    DOLLOP_INLINE void return_map(State<R>& s) const {
      if (!published) s.conformation = R(kept) * s.conformation;
    }

    // what ADMM asks for: the polymer, and the solvent, whose stress is a function of f f^T            (ADMM.1)
    static constexpr int branches = 2;
    template <int B>
    DOLLOP_INLINE bool branch_acts() const {
      return B == 0 || viscous;
    }
    template <int B, class R>
    DOLLOP_INLINE SymMat3<R> branch_strain(const State<R>& s) const {
      return B == 0 ? s.conformation : SymMat3<R>::diagonal(R(S(0)));
    }
    template <int B, class R, class Q>
    DOLLOP_INLINE State<Q> branch_trial(const State<R>& before, const Vec3<Q>& eps, const Q& growth) const {
      const SymMat3<Q> stretched = squared_stretches(eps), none = SymMat3<Q>::diagonal(Q(S(0)));
      const Q j = Q(before.volume_change), change = expm1(growth);
      if (B == 0) return {held_volume(j + change + j * change), held_strain(stretched, thinnest), none};
      return {Q(S(0)), none, solvent_stress(Q(S(1)) + j, stretched)};
    }

    // The factor that makes up for the relaxation within the potential, from the state before the step  (OB.11)
    template <class R>
    DOLLOP_INLINE R amplification(const State<R>& before) const {
      const R most = R(S(1) / kept), is = distortion(before.conformation);
      const R will_be = distortion(R(kept) * before.conformation);
      return select(will_be < R(S(1e-8)), most, min(most, is / max(will_be, R(S(1e-30)))));
    }
    // energy of the state after a step of du plus what the solvent dissipates: the forces of the step are its
    // derivatives                                                                                      (OB.10)
    template <class R>
    DOLLOP_INLINE R potential(const Mat3<R>& du, const State<R>& before, const State<R>& after) const {
      const R m = exp(R(S(2.0 / 3.0)) * log1p(after.volume_change));
      const R elastic =
          this->energy_of(amplification(before) * m * distortion(after.conformation), after.volume_change);
      if (!viscous) return elastic;
      const SymMat3<R> e = advance_strain(du, SymMat3<R>::diagonal(R(S(0))));
      const R j = R(S(1)) + before.volume_change;
      return elastic + (R(S(0.25) * viscosity_per_dt) * j) * norm_squared(e);
    }
    // the Kirchhoff stress that belongs to it                                                          (OB.12)
    template <class B, class R>
    DOLLOP_INLINE SymMat3<R> step_stress(const State<B>& before, const State<R>& after) const {
      const R r = R(amplification(before)), third = R(S(1.0 / 3.0));
      const R l = log1p(after.volume_change), grown = expm1(R(S(2.0 / 3.0)) * l);  // m - 1
      const Sheared<R> x = sheared(after.conformation);
      const R bulged = third * (R(S(1)) + grown) * distortion(after.conformation);
      return R(mu) * ((r * scale_of(l, after.conformation)) * x.stress +
                      SymMat3<R>::diagonal(grown + r * bulged)) +
             SymMat3<R>::diagonal(this->pressure(after.volume_change)) + after.solvent;
    }
    // s = J^(2/3) det(b')^(-1/3), from ln J
    template <class R>
    static DOLLOP_INLINE R scale_of(const R& log_j, const SymMat3<R>& conformation) {
      return exp(R(S(2.0 / 3.0)) * (log_j - log_volume_ratio(conformation)));
    }
    // Of b': its inverse, G = alpha 1 + beta (b' - 1) b'^-1, dev b', and G dev b'
    template <class R>
    struct Sheared {
      SymMat3<R> inverse, felt, deviator, stress;
    };
    template <class R>
    DOLLOP_INLINE Sheared<R> sheared(const SymMat3<R>& e) const {
      const SymMat3<R> inv = inverse(e + SymMat3<R>::diagonal(R(S(1))));
      const SymMat3<R> dev = e - SymMat3<R>::diagonal(R(S(1.0 / 3.0)) * trace(e));
      const SymMat3<R> felt = R(lost) * product_of_commuting(e, inv) + SymMat3<R>::diagonal(R(kept));
      return {inv, felt, dev, product_of_commuting(felt, dev)};
    }

    // The derivatives of step_stress by symmetric strain increments E, which change b' by E a + a E with a = b' - beta 1.
    // They are those that dual numbers give, in a fraction of the time.                                 (OB.18)
    template <class R>
    struct StepTangent {
      Sheared<R> x;
      SymMat3<R> a, v, bent;           // v = a + beta b'^-1 dev b', bent = G a
      SymMat3<R> solvent, green;       // stress of the solvent, f f^T
      R shear, volume, damping, beta;  // r mu s, change of the isotropic part, 2 eta J_0/dt

      // for E = (e_p e_q^T + e_q e_p^T), or e_p e_p^T
      DOLLOP_INLINE SymMat3<R> along(int p, int q) const {
        const R two_thirds = R(S(2.0 / 3.0)), zero = R(S(0));
        // E : m, and an entry of y E z
        const auto part = [&](const SymMat3<R>& m)
                              DOLLOP_INLINE_LAMBDA { return p == q ? m(p, p) : m(p, q) + m(p, q); };
        const auto between = [&](const SymMat3<R>& y, const SymMat3<R>& z, int row, int col)
                                 DOLLOP_INLINE_LAMBDA {
                                   const R sum = y(row, p) * z(q, col);
                                   return p == q ? sum : sum + y(row, q) * z(p, col);
                                 };
        const auto before = [&](const SymMat3<R>& y, int row, int col) DOLLOP_INLINE_LAMBDA {  // y E
          return col == q ? y(row, p) : col == p ? y(row, q) : zero;
        };
        const R turned = two_thirds * part(a), grown = two_thirds * beta * part(x.inverse);
        const R swollen = two_thirds * shear * part(x.stress) + (p == q ? volume : zero);
        const auto entry = [&](int row, int col) DOLLOP_INLINE_LAMBDA {
          const R sum = beta * between(x.inverse, x.stress, row, col) + between(x.felt, v, row, col) +
                        before(bent, row, col) - turned * x.felt(row, col) + grown * x.stress(row, col);
          const R viscous = before(solvent, row, col) + before(solvent, col, row) +
                            damping * between(green, green, row, col);
          return shear * sum + (row == col ? viscous + swollen : viscous);
        };
        return {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
      }
    };
    template <class R>
    DOLLOP_INLINE StepTangent<R> step_tangent(const Mat3<R>& du, const State<R>& before,
                                              const State<R>& after) const {
      const R third = R(S(1.0 / 3.0)), two_thirds = R(S(2.0 / 3.0)), one = R(S(1)), beta = R(lost);
      const R r = amplification(before), j = after.volume_change, l = log1p(j);
      const SymMat3<R> zero = SymMat3<R>::diagonal(R(S(0))), unit = SymMat3<R>::diagonal(one);
      const Sheared<R> x = sheared(after.conformation);
      const SymMat3<R> a = after.conformation + SymMat3<R>::diagonal(R(kept));
      const R isotropic =
          two_thirds * R(mu) * exp(two_thirds * l) * (one + third * r * distortion(after.conformation));
      return {x,
              a,
              beta * product_of_commuting(x.inverse, x.deviator) + a,
              product_of_commuting(x.felt, a),
              after.solvent,
              viscous ? advance_strain(du, zero) + unit : unit,
              R(mu) * r * scale_of(l, after.conformation),
              isotropic + R(this->lambda) * (one + j) * (one + j + j),
              R(S(2) * (viscous ? viscosity_per_dt : S(0))) * (one + before.volume_change),
              beta};
    }
    // Whether the potential is defined there: volume and conformation must not have turned over        (OB.13)
    template <class R>
    DOLLOP_INLINE auto is_feasible(const State<R>& before, const State<R>& after) const {
      const R one = R(S(1)), three = R(S(3)), j = one + after.volume_change;
      const SymMat3<R>& c = after.conformation;
      const R tr = three + trace(c), tr_before = three + trace(before.conformation);
      const R whole = one + volume_change_squared(c),
              whole_before = one + volume_change_squared(before.conformation);
      const R second = three + trace(c) + trace(c) + second_invariant(c);
      const auto shape = both(tr > R(S(0.01)) * min(three, tr_before), second > R(S(0)));
      const R j_before = one + before.volume_change;
      return both(both(j > R(S(1e-3)) * min(one, j_before), whole > R(S(1e-6)) * min(one, whole_before)),
                  shape);
    }
  };
  template <class S>
  StepLaw<S> step_law(double dt) const {
    const double theta = dt / relaxation_time;  // 0 where the time is infinite
    return {law<S>(),
            S(1 / (1 + theta)),
            S(theta / (1 + theta)),
            S(std::min(theta, 1e30)),
            S(std::min(solvent_viscosity / dt, 1e30)),
            is_published(),
            solvent_viscosity > 0};
  }
};

}  // namespace dollop::inline DOLLOP_ISA
