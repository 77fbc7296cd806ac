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
      const R next = s.volume_change + change + s.volume_change * change;
      s.volume_change = max(min(next, R(largest_volume_ratio<S>)), R(least_volume_ratio<S> - S(1)));
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
      const SymMat3<R> e = advance_strain(du, SymMat3<R>::diagonal(R(S(0))));
      s.solvent = (R(viscosity_per_dt) * before) * (e + product_of_commuting(e, e));
    }
    // relaxation by backward Euler: b <- alpha b + beta 1                                              (OB.7)
    template <class R>
    DOLLOP_INLINE void return_map(State<R>& s) const {
      if (!published) s.conformation = R(kept) * s.conformation;
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
      const R l = log1p(after.volume_change), grown = expm1(R(S(2.0 / 3.0)) * l);             // m - 1
      const R scaling = expm1(R(S(2.0 / 3.0)) * (l - log_volume_ratio(after.conformation)));  // m k - 1
      const SymMat3<R> e = scaled_strain(scaling, after.conformation);                        // b_E - 1
      const SymMat3<R> dev = e - SymMat3<R>::diagonal(third * trace(e));
      const R bulged = third * (R(S(1)) + grown) * distortion(after.conformation);
      const SymMat3<R> bent =
          product_of_commuting(product_of_commuting(dev, e), inverse(e + SymMat3<R>::diagonal(R(S(1)))));
      const SymMat3<R> shear =
          R(kept) * dev - (R(lost) * scaling) * dev + (R(lost) * (R(S(1)) + scaling)) * bent;
      return R(mu) * (r * shear + SymMat3<R>::diagonal(grown + r * bulged)) +
             SymMat3<R>::diagonal(this->pressure(after.volume_change)) + after.solvent;
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
      return both(both(j > R(S(1e-3)), whole > R(S(1e-6)) * min(one, whole_before)), shape);
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
