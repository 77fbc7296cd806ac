// Tests that particles in the lanes of a vector get the same results as each of them alone, to the last bit.
#pragma once

#include <array>
#include <vector>

#include "histories.h"
#include "math/pack_pair.h"

namespace dollop::inline DOLLOP_ISA {

// models with long chains of dependent operations run on pairs of packs as well
template <class Model>
constexpr bool runs_on_pairs = requires {
  requires Model::long_chain;
};

template <class R>
std::array<ScalarOf<R>, std::size_t(R::lanes)> lanes_in(const R& x) {
  std::array<ScalarOf<R>, std::size_t(R::lanes)> r;
  x.store(r.data());
  return r;
}

// a pack whose lane l is numbers(l)[k]
template <class R, class Numbers>
R gather(std::size_t k, Numbers&& numbers) {
  std::array<ScalarOf<R>, std::size_t(R::lanes)> r;
  for (std::size_t l = 0; l < r.size(); ++l) r[l] = numbers(l)[k];
  return R::load(r.data());
}

// compares every lane of every number with that of the particle alone
template <class R, class Numbers>
testing::AssertionResult lanes_are(const std::vector<R>& found, Numbers&& numbers) {
  for (std::size_t k = 0; k < found.size(); ++k) {
    const auto lane = lanes_in(found[k]);
    for (std::size_t l = 0; l < lane.size(); ++l)
      if (const auto alone = numbers(l)[k]; !same_bits(lane[l], alone))
        return testing::AssertionFailure()
               << "number " << k << " of lane " << l << " is " << lane[l] << ", alone " << alone;
  }
  return testing::AssertionSuccess();
}

template <class R>
std::vector<R> numbers_of(SymMat3<R> a) {
  std::vector<R> r;
  each_real(a, [&](R& x) { r.push_back(x); });
  return r;
}
// all quantities that a law computes from a state, on packs and on plain numbers; pairs only run predict and return_map
template <class Law, class State>
auto answers(const Law& law, const State& s) {
  auto r = numbers_of(stress_of(law, s));
  for (const auto& e : numbers_of(deformation_of(law, s))) r.push_back(e);
  r.push_back(energy_of(law, s));
  r.push_back(volume_of(law, s));
  if constexpr (requires { law.yield_excess(s); }) r.push_back(yield_excess_of(law, s));
  return r;
}

template <class Case, class R>
void expect_lanes_equal_scalar() {
  using S = typename Case::S;
  using One = typename Case::template State<S>;
  constexpr std::size_t lanes = R::lanes;
  Random random{12};
  each_history<Case>(history_count, 11, [&](const auto& model, const auto& law, History&) {
    std::vector<History> histories;
    for (std::size_t l = 0; l < lanes; ++l) histories.emplace_back(random);
    typename Case::template State<R> many{};
    std::array<One, lanes> one{};
    std::array<std::vector<S>, lanes> numbers;
    const auto alone = [&](std::size_t l) -> const std::vector<S>& { return numbers[l]; };
    for (int step = 0; step < History::length; ++step) {
      std::array<Mat3<S>, lanes> du;
      for (std::size_t l = 0; l < lanes; ++l) du[l] = cast<S>(histories[l].next());
      const auto entry = [&](std::size_t l) { return &du[l].m[0][0]; };
      predict(law, make_mat3<R>([&](int i, int j) { return gather<R>(std::size_t(3 * i + j), entry); }),
              many);
      for (std::size_t l = 0; l < lanes; ++l) predict(law, du[l], one[l]), numbers[l] = reals_of(one[l]);
      ASSERT_TRUE(lanes_are(reals_of(many), alone)) << "predict " << describe(model);
      return_map(law, many);
      for (std::size_t l = 0; l < lanes; ++l) return_map(law, one[l]), numbers[l] = reals_of(one[l]);
      ASSERT_TRUE(lanes_are(reals_of(many), alone)) << "return_map " << describe(model);
      if constexpr (!is_pair<R>) {
        for (std::size_t l = 0; l < lanes; ++l) numbers[l] = answers(law, one[l]);
        ASSERT_TRUE(lanes_are(answers(law, many), alone)) << describe(model);
        std::array<S, lanes> j;
        for (S& x : j) x = S(random.uniform(0.5, 1.5));
        auto averages = many;
        rebuild(law, R::load(j.data()), averages);
        for (std::size_t l = 0; l < lanes; ++l) {
          One average = one[l];
          rebuild(law, j[l], average);
          numbers[l] = reals_of(average);
        }
        ASSERT_TRUE(lanes_are(reals_of(averages), alone)) << "rebuild " << describe(model);
      }
      for (const auto& n : numbers)
        for (const S x : n) ASSERT_TRUE(std::isfinite(x)) << describe(model);
    }
  });
}

}  // namespace dollop::inline DOLLOP_ISA
