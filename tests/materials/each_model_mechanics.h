// The standard test set, mechanics: stress is the derivative of energy, closed cycles yield no work, observers agree.
#pragma once

#include <gtest/gtest.h>

#include "creams.h"
#include "histories.h"
#include "tested_model.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

template <class Case>
struct ModelMechanics : testing::Test {
  static constexpr bool single = std::is_same_v<typename Case::S, float>;
  static constexpr double epsilon = std::numeric_limits<typename Case::S>::epsilon();
};
TYPED_TEST_SUITE(ModelMechanics, ModelCases, CaseName);

// with tearing round the models that can
template <class Case>
struct WholeMechanics : ModelMechanics<Case> {};
TYPED_TEST_SUITE(WholeMechanics, WholeCases, CaseName);

// --- energy -----------------------------------------------------------------------------------------------

template <class Case>
struct ModelEnergy : testing::Test {};
TYPED_TEST_SUITE(ModelEnergy, DoubleCases, CaseName);

// d psi = tau : d for every elastic motion d of every state; central differences of fourth order
TYPED_TEST(ModelEnergy, stress_is_its_derivative) {
  if (requires(const typename TypeParam::Model& m) { m.explicit_viscosity(); })
    GTEST_SKIP() << "part of the stress is viscous";
  Worst error;
  each_history<TypeParam>(history_count / 2, 51, [&](const auto& model, const auto& law, History& history) {
    typename TypeParam::template State<double> s{};
    for (int step = 0; step < History::length; ++step) {
      advance(law, history.next(), s);
      const SymMat3<double> tau = stress_of(law, s);
      const double h = 1e-4, scale = largest(tau) + 1e-6 * stiffness(model.moduli());
      for (int k = 0; k < 9; ++k) {
        const auto psi = [&](double d) {
          Mat3<double> du{};
          du(k / 3, k % 3) = d;
          auto moved = s;
          predict(law, du, moved);
          return energy_of(law, moved);
        };
        const double slope = (8 * (psi(h) - psi(-h)) - (psi(2 * h) - psi(-2 * h))) / (12 * h);
        error.see(std::fabs(slope - tau(k / 3, k % 3)) / scale, model);
      }
    }
  });
  expect_within("error", error, 1e-6);
}

// --- volume -----------------------------------------------------------------------------------------------

// a predictor changes the volume by det(1 + du)
TYPED_TEST(ModelMechanics, volume_follows_the_increment) {
  using S = typename TypeParam::S;
  Worst error;
  each_history<TypeParam>(history_count, 57, [&](const auto& model, const auto& law, History& history) {
    typename TypeParam::template State<S> s{};
    for (int step = 0; step < History::length; ++step) {
      const Mat3<S> du = cast<S>(history.next());
      const double before = double(volume_of(law, s));
      const double ratio = det(Mat3<double>::identity() + cast<double>(du));
      predict(law, du, s);
      error.see(std::fabs(double(volume_of(law, s)) / (before * ratio) - 1), model);
      return_map(law, s);
    }
  });
  expect_within("error", error, TestFixture::single ? 1e-5 : 2e-14);
}

// --- cycles -----------------------------------------------------------------------------------------------

// F(t) = 1 + A sin(2 pi t) + B (1 - cos(2 pi t)): from rest and back, t in [0, 1]
struct Cycle {
  Mat3<double> a, b;
  Cycle(double size, Random& random) {
    const auto entry = [&](int, int) { return size * random.uniform(-1, 1); };
    a = make_mat3<double>(entry), b = make_mat3<double>(entry);
  }
  static constexpr double turn = 6.283185307179586;
  Mat3<double> f(double t) const { return Mat3<double>::identity() + less_one(t); }
  Mat3<double> less_one(double t) const {
    const double half = std::sin(turn * t / 2);
    return std::sin(turn * t) * a + (2 * half * half) * b;
  }
  Mat3<double> rate(double t) const {
    return (turn * std::cos(turn * t)) * a + (turn * std::sin(turn * t)) * b;
  }
};

// The trapezoidal rule on a periodic integrand: exact to rounding where the stress is smooth. Plastic work
// has kinks, which leave an error of second order; it starts without stress: all work is lost or stored.
TYPED_TEST(ModelMechanics, closed_cycle_yields_no_work) {
  using S = typename TypeParam::S;
  using Model = typename TypeParam::Model;
  Worst gained, lost;
  int idle = 0;
  Random random{61};
  const auto sets = parameter_sets<Model>();
  for (int i = 0; i < history_count / 4; ++i) {
    const Model& model = sets[std::size_t(i) % sets.size()];
    const auto law = step_law<S>(model, test_dt);
    const Cycle cycle(random.power_of_ten(-4, -0.9), random);
    typename TypeParam::template State<S> s{};
    const int steps = 96;
    double work = 0, exchanged = 0;
    for (int n = 1; n <= steps; ++n) {
      const double before = double(n - 1) / steps, t = double(n) / steps;
      const Mat3<double> change = cycle.less_one(t) - cycle.less_one(before);
      advance(law, cast<S>(change * inverse(cycle.f(before))), s);
      const Mat3<double> power =
          to_mat3(cast<double>(stress_of(law, s))) * transpose(cycle.rate(t) * inverse(cycle.f(t)));
      work += trace(power) / steps;
      exchanged += std::fabs(trace(power)) / steps;
    }
    if (exchanged == 0) {  // sand that spreads and comes back bears no stress on the way
      EXPECT_FALSE(is_elastic<Model>) << describe(model);
      ++idle;
      continue;
    }
    gained.see(-work / exchanged, model);
    if (is_elastic<Model>) lost.see(work / exchanged, model);
  }
  const double exact = TestFixture::single ? 1e-5 : 1e-12;
  expect_within("gained", gained, is_elastic<Model> ? exact : 1e-3);
  expect_within("lost", lost, exact);
  EXPECT_LE(idle, history_count / 16);
}

// --- observers --------------------------------------------------------------------------------------------

// An observer turned by Q sees Q du Q^T and has to find Q tau Q^T. Of the rules for torn material that expands only
// the first is continuous: with the others rounding decides at the rest volume.
TYPED_TEST(WholeMechanics, turned_history_gives_turned_stress) {
  using S = typename TypeParam::S;
  Worst stress, energy, volume;
  int torn = 0;
  Random random{71};
  each_history<TypeParam>(history_count, 72, [&](const auto& model, const auto& law, History& history) {
    if constexpr (is_torn<typename TypeParam::Model>)
      if (model.rule.weak_volume != 0) return;
    const Mat3<double> q = random.rotation();
    typename TypeParam::template State<S> s{}, turned{};
    for (int step = 0; step < History::length; ++step) {
      const Mat3<double> du = history.next();
      advance(law, cast<S>(du), s);
      advance(law, cast<S>(q * du * transpose(q)), turned);
      const double unit = TestFixture::epsilon * stiffness(model.moduli()) * 20;
      stress.see(distance(stress_of(law, turned), rotated(q, stress_of(law, s))) / unit, model);
      energy.see(std::fabs(double(energy_of(law, turned)) - double(energy_of(law, s))) / unit, model);
      volume.see(
          std::fabs(double(volume_of(law, turned)) / double(volume_of(law, s)) - 1) / TestFixture::epsilon,
          model);
      if constexpr (requires { s.weak; }) torn += s.weak == S(1);
    }
  });
  if (is_torn<typename TypeParam::Model>) {
    EXPECT_GT(torn, history_count / 5);
  }
  expect_within("stress", stress, 1);
  expect_within("energy", energy, 0.2);
  expect_within("volume", volume, 60);
}

// The elastic stress that a predictor leads to, before any flow: models on Hencky strain keep the one after it.
template <class Law, class State>
auto trial_stress(const Law& law, const State& s) {
  if constexpr (requires { law.base; }) {
    return trial_stress(law.base, s.base);
  } else if constexpr (requires { law.elastic; }) {
    const auto a = eigen(s.strain);
    return spectral(a, law.elastic.stress(law.elastic.log_strain(a.values)));
  } else {
    return stress_of(law, s);
  }
}
// what a solvent adds to the stress
template <class State>
double viscous_stress(const State& s) {
  if constexpr (requires { s.base; })
    return viscous_stress(s.base);
  else if constexpr (requires { s.solvent; })
    return largest(s.solvent);
  return 0;
}
// a random elastic strain and volume, for models that keep the two together and for those that keep them apart
template <class S, class State>
void sample_elastic(Random& random, State& s) {
  const SymMat3<double> shape = sample_shape(0.3, random);
  const double log_volume = random.uniform(-0.3, 0.3);
  if constexpr (requires { s.volume_change; }) {
    s.volume_change = S(std::expm1(log_volume));
    strain_of(s) = cast<S>(shape);
  } else {
    strain_of(s) = cast<S>(with_log_volume(log_volume, shape));
  }
}

// One step by f, and by f with a rotation R after it, from any strain: b_pre(R f) = R b_pre(f) R^T, and the stress that
// decides on yield is the same. For what is not torn: of a torn increment only the nearest rotation may be left.
TYPED_TEST(WholeMechanics, rotation_after_an_increment_turns_the_predictor) {
  using S = typename TypeParam::S;
  const Mat3<double> one = Mat3<double>::identity();
  Worst strain, total, deviator, volume;
  Random random{91};
  each_history<TypeParam>(history_count, 92, [&](const auto& model, const auto& law, History&) {
    typename TypeParam::template State<S> s{};
    if constexpr (requires { s.base; }) {
      sample_elastic<S>(random, s.base);
      s.total = cast<S>(sample_shape(0.3, random));
    } else {
      sample_elastic<S>(random, s);
    }
    const Mat3<S> du = make_mat3<S>([&](int, int) { return S(random.uniform(-0.3, 0.3)); });
    const Mat3<double> q = random.rotation(), f = one + cast<double>(du);
    auto turned = s;
    predict(law, du, s);
    predict(law, cast<S>(q * f - one), turned);
    const double eps = TestFixture::epsilon, size = 1 + largest(strain_of(s));
    strain.see(distance(strain_of(turned), rotated(q, strain_of(s))) / (eps * size), model);
    if constexpr (requires { s.total; })
      total.see(distance(turned.total, rotated(q, s.total)) / (eps * (1 + largest(s.total))), model);
    const double s_pre = deviator_norm(trial_stress(law, s)),
                 unit = eps * (stiffness(model.moduli()) * size + viscous_stress(s));
    EXPECT_GT(s_pre, 1e-3 * model.moduli().shear);
    deviator.see(std::fabs(deviator_norm(trial_stress(law, turned)) - s_pre) / unit, model);
    volume.see(std::fabs(double(volume_of(law, turned)) / double(volume_of(law, s)) - 1) / eps, model);
  });
  expect_within("strain", strain, 16);
  expect_within("total", total, 16);
  expect_within("deviator", deviator, 8);
  expect_within("volume", volume, 30);
}

// du = Q - 1 turns the stress, and leaves energy and volume as they are
TYPED_TEST(ModelMechanics, rigid_rotation_turns_the_stress) {
  using S = typename TypeParam::S;
  Worst stress, energy, volume;
  Random random{81};
  each_history<TypeParam>(history_count, 82, [&](const auto& model, const auto& law, History& history) {
    typename TypeParam::template State<S> s{};
    for (int step = 0; step < History::length; ++step) {
      advance(law, cast<S>(history.next()), s);
      auto turned = s, still = s;
      const Mat3<double> turn = sample_turn(random.uniform(0, 3), random);
      advance(law, cast<S>(turn), turned);
      if (is_rate_dependent<typename TypeParam::Model>()) advance(law, Mat3<S>{}, still);
      const Mat3<double> q = Mat3<double>::identity() + turn;
      const double unit = TestFixture::epsilon * stiffness(model.moduli()) * 20;
      stress.see(distance(stress_of(law, turned), rotated(q, stress_of(law, still))) / unit, model);
      energy.see(std::fabs(double(energy_of(law, turned)) - double(energy_of(law, still))) / unit, model);
      volume.see(std::fabs(double(volume_of(law, turned)) / double(volume_of(law, still)) - 1) /
                     TestFixture::epsilon,
                 model);
    }
  });
  expect_within("stress", stress, 1);
  expect_within("energy", energy, 0.2);
  expect_within("volume", volume, 60);
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
