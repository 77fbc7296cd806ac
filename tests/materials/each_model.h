// The standard test set: what every model of materials/material_list.h has to satisfy, in float and double.
// Included by the unit of each model, which cmake/tests.cmake makes.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "histories.h"
#include "materials/material_kernels.h"
#include "tested_model.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

template <class Case>
struct Models : testing::Test {
  static constexpr bool single = std::is_same_v<typename Case::S, float>;
};
TYPED_TEST_SUITE(Models, ModelCases, CaseName);

// with tearing round the models that can
template <class Case>
struct WholeModels : Models<Case> {};
TYPED_TEST_SUITE(WholeModels, WholeCases, CaseName);

// --- parameters -------------------------------------------------------------------------------------------

TYPED_TEST(Models, parameters_are_described) {
  using Model = typename TypeParam::Model;
  const Model model;
  std::set<std::string> names;
  EXPECT_GT(std::string(Model::help).size(), 10u);
  each_parameter<Model>([&](const auto& p) {
    const std::string name = p.name;
    EXPECT_TRUE(names.insert(name).second) << name << " appears twice";
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), std::string::npos) << name;
    EXPECT_TRUE(!name.empty() && name.front() >= 'a' && name.front() <= 'z' && name.back() != '_') << name;
    EXPECT_EQ(name.find("__"), std::string::npos) << name;
    ASSERT_NE(p.unit, nullptr) << name;
    EXPECT_EQ(std::string(p.unit).find_first_of(" ["),
              std::string(p.unit).substr(0, 4) == "Pa s" ? 2 : std::string::npos);
    for (std::size_t word = 0; word < p.words.size(); ++word)
      EXPECT_EQ(p.words[word] != nullptr, p.words[0] && p.range.contains(double(word))) << name;
    EXPECT_GT(std::string(p.help).size(), 10u) << name;
    EXPECT_TRUE(p.range.contains(model.*(p.value))) << name << ": the default is out of range";
    EXPECT_FALSE(p.range.contains(NAN)) << name;
    EXPECT_LT(p.range.low, p.range.high) << name;
  });
  EXPECT_EQ(names.count("density"), 1u);
  EXPECT_TRUE((names.count("young_modulus") && names.count("poisson_ratio")) ||
              (names.count("shear_modulus") && names.count("lambda")));
}

TYPED_TEST(WholeModels, law_is_plain_and_finite) {
  using Case = TypeParam;
  static_assert(std::is_trivially_copyable_v<typename Case::Law> &&
                sizeof(typename Case::Law) <= max_law_bytes);
  static_assert(std::is_trivially_copyable_v<typename Case::StepLaw> &&
                sizeof(typename Case::StepLaw) <= max_law_bytes);
  auto sets = parameter_sets<typename Case::Model>();
  sets.push_back({});
  for (const auto& model : sets) {
    const auto law = step_law<typename Case::S>(model, test_dt);
    typename Case::template State<typename Case::S> s{};
    Mat3<typename Case::S> du{};
    du(0, 0) = typename Case::S(-0.01), du(0, 1) = typename Case::S(0.02);
    advance(law, du, s);
    for (const auto x : reals_of(s)) EXPECT_TRUE(std::isfinite(x)) << describe(model);
    EXPECT_TRUE(std::isfinite(largest(stress_of(law, s)))) << describe(model);
    EXPECT_TRUE(std::isfinite(energy_of(law, s)) && std::isfinite(volume_of(law, s))) << describe(model);
  }
}

// --- rest and small strains -------------------------------------------------------------------------------

// exact, also after steps without motion
TYPED_TEST(WholeModels, nothing_at_rest) {
  using S = typename TypeParam::S;
  for (const auto& model : parameter_sets<typename TypeParam::Model>()) {
    const auto law = step_law<S>(model, test_dt);
    typename TypeParam::template State<S> s{};
    for (int step = 0; step < 3; ++step) {
      const auto tau = stress_of(law, s);
      static_assert(std::is_same_v<decltype(tau), const SymMat3<S>>);
      EXPECT_EQ(largest(tau), 0) << describe(model);
      EXPECT_EQ(energy_of(law, s), 0) << describe(model);
      EXPECT_EQ(volume_of(law, s), 1) << describe(model);
      for (const S x : reals_of(s)) EXPECT_EQ(x, 0) << describe(model);
      advance(law, Mat3<S>{}, s);
    }
  }
}

// Linear elasticity, to seven digits of a strain of 1e-7 even in float. Steps that flow are left out.
TYPED_TEST(Models, small_strain_is_linear_elastic) {
  using Model = typename TypeParam::Model;
  using S = typename TypeParam::S;
  if (is_rate_dependent<Model>()) GTEST_SKIP() << "stress relaxes";
  Worst worst;
  int checked = 0, flowed = 0;
  Random random{7};
  const auto sets = parameter_sets<Model>();
  for (int i = 0; i < history_count; ++i) {
    const Model& model = sets[std::size_t(i) % sets.size()];
    const auto law = step_law<S>(model, test_dt);
    const Moduli m = model.moduli();
    typename TypeParam::template State<S> s{};
    const int steps = i % 2 ? 1 : 8;
    const double pressed = random.bits() % 2;  // under pressure granular models are elastic too
    const Mat3<S> du = make_mat3<S>([&](int r, int c) {
      return S(1e-7 / steps * (r == c ? random.uniform(-1, 1) - 8 * pressed : random.uniform(-1, 1)));
    });
    bool flows = false;
    for (int step = 0; step < steps; ++step) {
      predict(law, du, s);
      const auto before = strain_of(s);
      return_map(law, s);
      flows = flows || distance(strain_of(s), cast<double>(before)) > 1e-3 * largest(before);
    }
    ++(flows ? flowed : checked);
    if (flows) continue;
    const auto d = [&](int r, int c) { return steps * (double(du(r, c)) + double(du(c, r))) / 2; };
    const SymMat3<double> eps{d(0, 0), d(1, 1), d(2, 2), d(0, 1), d(0, 2), d(1, 2)};
    const SymMat3<double> exact = 2 * m.shear * eps + SymMat3<double>::diagonal(m.lambda * trace(eps));
    worst.see(distance(stress_of(law, s), exact) / largest(exact), model);
  }
  expect_within("worst", worst, 1e-5);
  EXPECT_GT(checked, history_count / 4);
  EXPECT_TRUE(flowed == 0 || !is_elastic<Model>);
}

// --- return map -------------------------------------------------------------------------------------------

// Relative to the radius of the yield surface, which is the size of the deviator less what it exceeds. The stress is
// rounded relative to the pressure and to the stress before the flow: these ratios multiply the tolerance.
TYPED_TEST(Models, yield_is_satisfied) {
  using Model = typename TypeParam::Model;
  using S = typename TypeParam::S;
  if constexpr (!has_yield<Model> || is_rate_dependent<Model>()) {
    GTEST_SKIP() << "has no yield surface that binds";
  } else {
    Worst excess;
    int reached = 0;
    each_history<TypeParam>(history_count, 21, [&](const auto& model, const auto& law, History& history) {
      typename TypeParam::template State<S> s{};
      for (int step = 0; step < History::length; ++step) {
        predict(law, cast<S>(history.next()), s);
        const double trial = stiffness(model.moduli()) * largest(strain_of(s));
        return_map(law, s);
        const SymMat3<double> tau = cast<double>(stress_of(law, s));
        const double deviator = std::sqrt(norm_squared(tau - SymMat3<double>::diagonal(trace(tau) / 3)));
        const double beyond = double(yield_excess_of(law, s)),
                     radius = deviator / (1 + std::max(beyond, 0.0));
        const double condition = 1 + (trial + largest(tau)) / (radius + 1e-300);
        excess.see(beyond / condition, model);
        reached += beyond > -1e-2;
      }
    });
    expect_within("excess", excess, TestFixture::single ? 1e-6 : 2e-15);
    EXPECT_GT(reached, history_count);
  }
}

// Relative to the largest number of each column. What is left of a strain carries the rounding of the strain
// before the flow, so the ratio of the two multiplies the tolerance.
TYPED_TEST(Models, return_map_twice_changes_nothing) {
  using S = typename TypeParam::S;
  if (is_rate_dependent<typename TypeParam::Model>()) GTEST_SKIP() << "stress relaxes";
  Worst change;
  each_history<TypeParam>(history_count, 31, [&](const auto& model, const auto& law, History& history) {
    typename TypeParam::template State<S> s{};
    for (int step = 0; step < History::length; ++step) {
      predict(law, cast<S>(history.next()), s);
      const double trial = largest(strain_of(s));
      return_map(law, s);
      const double condition = 1 + trial / (largest(strain_of(s)) + 1e-300);
      auto again = s;
      return_map(law, again);
      const auto a = reals_of(s), b = reals_of(again);
      std::size_t k = 0;
      TypeParam::template State<S>::columns(s, [&](const char*, auto& column) {
        double scale = 0, moved = 0;  // of this column; single numbers are compared to 1
        std::size_t n = 0;
        each_real(column, [&](S& x) {
          scale = std::max(scale, std::fabs(double(x)));
          const double difference = std::fabs(double(a[k]) - double(b[k]));
          if (!(difference <= moved)) moved = difference;  // NaN too
          ++k, ++n;
        });
        if (n == 1) scale += 1;
        if (moved != 0) change.see(moved / (scale * condition), model);
      });
    }
  });
  expect_within("change", change, TestFixture::single ? 3e-5 : 1e-13);
}

// the flow takes elastic energy and never adds any
TYPED_TEST(Models, return_map_dissipates) {
  using S = typename TypeParam::S;
  Worst gained;
  each_history<TypeParam>(history_count, 41, [&](const auto& model, const auto& law, History& history) {
    typename TypeParam::template State<S> s{};
    for (int step = 0; step < History::length; ++step) {
      predict(law, cast<S>(history.next()), s);
      const double before = double(energy_of(law, s)), e = largest(strain_of(s));
      return_map(law, s);
      const double rounding = std::numeric_limits<S>::epsilon() * stiffness(model.moduli()) * e;
      gained.see((double(energy_of(law, s)) - before) / (rounding + 1e-300), model);
    }
  });
  expect_within("gained", gained, 20);
}

// --- rebuilding -------------------------------------------------------------------------------------------

// The average of some states of a material, as resampling forms it, becomes a state of the model with the volume
// ratio that is asked for.
TYPED_TEST(WholeModels, average_is_rebuilt_with_the_given_volume) {
  using S = typename TypeParam::S;
  using State = typename TypeParam::template State<S>;
  Worst volume, shape;
  Random random{112};
  each_history<TypeParam>(history_count, 111, [&](const auto& model, const auto& law, History&) {
    std::vector<double> mean;
    double weights = 0;
    for (int donor = 0; donor < 4; ++donor) {
      History history(random);
      State s{};
      for (int step = 0; step < History::length; ++step) advance(law, cast<S>(history.next()), s);
      const auto reals = reals_of(s);
      const double weight = random.uniform(0.1, 1);
      mean.resize(reals.size());
      weights += weight;
      for (std::size_t k = 0; k < reals.size(); ++k) mean[k] += weight * double(reals[k]);
    }
    State s = state_from<State>([&](int k) { return S(mean[std::size_t(k)] / weights); });
    const S j = S(random.uniform(0.4, 2));
    rebuild(law, j, s);
    for (const S x : reals_of(s)) ASSERT_TRUE(std::isfinite(x)) << describe(model);
    ASSERT_TRUE(std::isfinite(largest(stress_of(law, s))) && std::isfinite(energy_of(law, s)));
    volume.see(std::fabs(double(volume_of(law, s)) / double(j) - 1), model);
    const auto see_shape = [&](const SymMat3<S>& b) {
      shape.see(std::fabs(double(volume_ratio_squared(cast<double>(b))) - 1), model);
    };
    if constexpr (requires { s.total; }) {
      see_shape(s.total), see_shape(law.base.shape(s.base));
      EXPECT_TRUE(s.weak == 0 || s.weak == 1);
    } else if constexpr (requires { law.shape(s); }) {
      see_shape(law.shape(s));
    }
  });
  expect_within("volume", volume, TestFixture::single ? 1e-6 : 2e-15);
  expect_within("shape", shape, TestFixture::single ? 3e-6 : 5e-15);
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
