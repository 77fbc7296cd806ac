// The standard test set, states: what a state shows is a matter of the state alone, whatever steps led to it.
#pragma once

#include <gtest/gtest.h>

#include <concepts>
#include <limits>
#include <numbers>
#include <vector>

#include "histories.h"
#include "tested_model.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

template <class Case>
struct ModelStates : testing::Test {
  static constexpr bool single = std::is_same_v<typename Case::S, float>;
};
TYPED_TEST_SUITE(ModelStates, WholeCases, CaseName);

// --- laws -------------------------------------------------------------------------------------------------

template <class Model, class S>
concept LawTakesDt = requires(const Model& m, double dt) {
  m.template law<S>(dt);
};
template <class Model, class S, class State = typename Model::template State<S>>
concept LawOfStates = requires(const Model& m, const State& s, State& averages, const S& j) {
  { m.template law<S>() } -> std::same_as<typename Model::template Law<S>>;
  { m.template law<S>().stress(s) } -> std::same_as<SymMat3<S>>;
  { m.template law<S>().strain(s) } -> std::same_as<SymMat3<S>>;
  { m.template law<S>().energy(s) } -> std::same_as<S>;
  { m.template law<S>().volume_ratio(s) } -> std::same_as<S>;
  m.template law<S>().rebuild(j, averages);
};

// the law of a step shows the same of a state as the law without one
TYPED_TEST(ModelStates, show_the_same_whatever_the_time_step) {
  using Model = typename TypeParam::Model;
  using S = typename TypeParam::S;
  static_assert(LawOfStates<Model, S> && !LawTakesDt<Model, S>);
  each_history<TypeParam>(history_count, 61, [&](const auto& model, const auto& step, History& history) {
    const auto law = model.template law<S>();
    const auto other = step_law<S>(model, 1e3 * test_dt);
    typename TypeParam::template State<S> s{};
    for (int n = 0; n < History::length; ++n) {
      advance(step, cast<S>(history.next()), s);
      EXPECT_EQ(distance(stress_of(law, s), cast<double>(stress_of(other, s))), 0) << describe(model);
      EXPECT_EQ(distance(deformation_of(law, s), cast<double>(deformation_of(other, s))), 0);
      EXPECT_EQ(energy_of(law, s), energy_of(other, s)) << describe(model);
      EXPECT_EQ(volume_of(law, s), volume_of(other, s)) << describe(model);
    }
  });
}

// --- rebuilding -------------------------------------------------------------------------------------------

// the usual sets, and sand whose friction grows with the rate of flow
template <class Model>
std::vector<Model> sets_of_any_rate() {
  std::vector<Model> sets = parameter_sets<Model>();
  if constexpr (requires(Model & m) { m.fast_friction_angle; })
    for (Model m : parameter_sets<Model>()) {
      m.grain_size = 1e-3;
      constexpr double right_angle = std::numbers::pi / 2;
      m.fast_friction_angle = std::min(m.friction_angle + right_angle / 9, right_angle * 89 / 90);
      m.max_volume_gain = 0.1;
      sets.push_back(m);
    }
  return sets;
}

// After steps of very different dt. Relative to 1 for strains and to the stiffness for stresses: that is how volume
// ratios are rounded.
TYPED_TEST(ModelStates, rebuilt_with_their_own_volume_are_themselves) {
  using S = typename TypeParam::S;
  Worst change;
  Random random{121};
  const auto sets = sets_of_any_rate<typename TypeParam::Model>();
  for (int i = 0; i < history_count; ++i) {
    const auto& model = sets[std::size_t(i) % sets.size()];
    const auto law = model.template law<S>();
    History history(random);
    typename TypeParam::template State<S> s{};
    for (int n = 0; n < History::length; ++n) {
      const auto step = step_law<S>(model, random.power_of_ten(-7, 0));
      predict(step, cast<S>(history.next()), s);
      const double trial = largest(strain_of(s));
      return_map(step, s);
      auto again = s;
      rebuild(law, volume_of(law, s), again);
      const double condition = 1 + trial / (largest(strain_of(s)) + 1e-300);
      const auto see = [&](double moved, double scale) {
        if (moved != 0) change.see(moved / (scale * condition), model);  // NaN too
      };
      const SymMat3<double> tau = cast<double>(stress_of(law, s)), e = cast<double>(deformation_of(law, s));
      see(distance(stress_of(law, again), tau), stiffness(model.moduli()) + largest(tau));
      see(distance(deformation_of(law, again), e), 1 + largest(e));
      see(std::fabs(double(volume_of(law, again)) / double(volume_of(law, s)) - 1), 1);
      const auto b = reals_of(again);
      std::size_t k = 0;
      TypeParam::template State<S>::columns(s, [&](const char* name, auto& column) {
        double scale = std::string(name) == "kirchhoff" ? stiffness(model.moduli()) : 1, moved = 0;
        each_real(column, [&](S& x) {
          scale = std::max(scale, std::fabs(double(x)));
          const double difference = std::fabs(double(x) - double(b[k++]));
          if (!(difference <= moved)) moved = difference;  // NaN too
        });
        see(moved, scale);
      });
    }
  }
  expect_within("change", change, TestFixture::single ? 2e-6 : 4e-15);
}

// --- strain -----------------------------------------------------------------------------------------------

// so strong that nothing flows
template <class Model>
void make_strong(Model& m) {
  if constexpr (is_torn<Model>)
    make_strong(m.model);
  else if constexpr (requires { m.shear_modulus_neq; })
    m.yield_stress = std::numeric_limits<double>::infinity();
  else if constexpr (requires { m.yield_stress; })
    m.yield_stress = 1e4 * m.young_modulus;
  else if constexpr (requires { m.relaxation_time; })
    m.relaxation_time = std::numeric_limits<double>::infinity();
  else if constexpr (requires { m.cohesion; })
    m.cohesion = 1e4 * m.young_modulus;
}

// F F^T - 1 where all of the deformation is elastic, with large rotations; its volume is that of the state
TYPED_TEST(ModelStates, strain_is_that_of_the_deformation) {
  using S = typename TypeParam::S;
  Worst strain, volume;
  Random random{131};
  const auto sets = parameter_sets<typename TypeParam::Model>();
  const SymMat3<double> one = SymMat3<double>::diagonal(1);
  for (int i = 0; i < history_count; ++i) {
    auto model = sets[std::size_t(i) % sets.size()];
    make_strong(model);
    const auto law = model.template law<S>();
    const auto step = step_law<S>(model, test_dt);
    History history(random);
    typename TypeParam::template State<S> s{};
    Mat3<double> f = Mat3<double>::identity();
    for (int n = 0; n < History::length; ++n) {
      const Mat3<S> du = cast<S>(history.next());
      advance(step, du, s);
      f = f + cast<double>(du) * f;
      const SymMat3<double> exact = rotated(f, one) - one, found = cast<double>(deformation_of(law, s));
      const double j = double(volume_of(law, s)), size = 1 + largest(exact);
      strain.see(largest(found - exact) / size, model);
      volume.see(std::fabs(double(volume_ratio_squared(found)) / (j * j) - 1) / (size * size), model);
    }
  }
  expect_within("strain", strain, TestFixture::single ? 5e-6 : 1e-14);
  expect_within("volume", volume, TestFixture::single ? 5e-6 : 1e-14);
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
