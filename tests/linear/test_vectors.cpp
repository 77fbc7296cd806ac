// Vector operations against plain loops, and the same bits at any number of threads.
#include "linear/vectors.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <numeric>

#include "linear/solve_case.h"

namespace dollop {
namespace {

using namespace tests;

template <class S>
class Vectors : public testing::Test {
 protected:
  static std::vector<S> random_vector(std::size_t n, std::uint64_t seed) {
    return rounded<S>(random_numbers(n, seed));
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Vectors, Scalars);

// around the lengths of blocks and pieces, and beyond the most pieces of the least length
constexpr std::size_t lengths[] = {0, 1, 2, 7, 511, 512, 513, 4096, 4099, 20001, 256 * 4096 + 3};

TYPED_TEST(Vectors, pieces_cover_all_and_are_never_too_many) {
  for (const std::size_t n : {std::size_t(1), std::size_t(1) << 20, std::size_t(1) << 34}) {
    const std::size_t piece = vector_piece(n);
    EXPECT_EQ(piece % vector_block, 0u);
    EXPECT_LE((n + piece - 1) / piece, max_vector_pieces);
  }
}

TYPED_TEST(Vectors, sums_are_those_of_plain_loops) {
  for (const std::size_t n : lengths) {
    const auto x = this->random_vector(n, 1), y = this->random_vector(n, 2);
    double expected = 0;
    for (std::size_t i = 0; i < n; ++i) expected += double(x[i]) * double(y[i]);
    EXPECT_NEAR(dot(x.data(), y.data(), n), expected, 1e-13 * double(n)) << n;
    EXPECT_EQ(norm(x.data(), n), std::sqrt(dot(x.data(), x.data(), n)));
  }
}

TYPED_TEST(Vectors, many_inner_products_are_those_of_one_by_one) {
  std::vector<double> work;
  for (const std::size_t n : {std::size_t(1), std::size_t(513), std::size_t(20001)})
    for (const std::size_t count : {1, 3, 4, 9}) {
      std::vector<std::vector<TypeParam>> v;
      std::vector<const TypeParam*> pointers;
      for (std::size_t k = 0; k < count; ++k) v.push_back(this->random_vector(n, k));
      for (const auto& vector : v) pointers.push_back(vector.data());
      const auto a = this->random_vector(n, 100), b = this->random_vector(n, 101);
      std::vector<double> with_a(count), with_b(count);
      inner_products<TypeParam>(pointers, a.data(), b.data(), n, with_a.data(), with_b.data(), work);
      for (std::size_t k = 0; k < count; ++k) {
        EXPECT_NEAR(with_a[k], dot(v[k].data(), a.data(), n), 1e-14 * double(n));
        EXPECT_NEAR(with_b[k], dot(v[k].data(), b.data(), n), 1e-14 * double(n));
      }
    }
}

TYPED_TEST(Vectors, combinations_are_those_of_plain_loops) {
  constexpr double tolerance = 4 * double(std::numeric_limits<TypeParam>::epsilon());
  for (const std::size_t n : {std::size_t(1), std::size_t(513), std::size_t(20001)})
    for (const std::size_t count : {0, 1, 4, 7})
      for (const double keep : {0., -0.5}) {
        std::vector<std::vector<TypeParam>> v;
        std::vector<const TypeParam*> pointers;
        std::vector<double> factors;
        for (std::size_t k = 0; k < count; ++k) v.push_back(this->random_vector(n, k));
        for (std::size_t k = 0; k < count; ++k) factors.push_back(0.3 - 0.1 * double(k));
        for (const auto& vector : v) pointers.push_back(vector.data());
        auto y = this->random_vector(n, 50);
        const auto before = y;
        if (keep == 0) y.assign(n, std::numeric_limits<TypeParam>::quiet_NaN());
        combine<TypeParam>(pointers, factors.data(), keep, y.data(), n);
        for (std::size_t i = 0; i < n; ++i) {
          double expected = keep * double(before[i]);
          for (std::size_t k = 0; k < count; ++k) expected += factors[k] * double(v[k][i]);
          ASSERT_NEAR(y[i], expected, tolerance) << n << " " << count << " " << i;
        }
      }
}

TYPED_TEST(Vectors, scaling) {
  const auto x = this->random_vector(5000, 1);
  auto y = x;
  scale(x.data(), 0.5, y.data(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], TypeParam(0.5) * x[i]);
  scale(y.data(), 3, y.data(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], TypeParam(1.5) * x[i]);
}

// a chain of springs with some drift along it, long enough for every piece to be cut
template <class S>
struct Chain {
  std::size_t n;
  S drift;
  void operator()(const S* x, S* y) const {
    parallel_for(n, 1000, [&](std::size_t i) {
      const S left = i > 0 ? x[i - 1] : S(0), right = i + 1 < n ? x[i + 1] : S(0);
      y[i] = S(2.5) * x[i] - left - right + drift * (right - left);
    });
  }
};

TYPED_TEST(Vectors, solvers_give_the_same_bits_at_any_number_of_threads) {
  const std::size_t n = 100003;
  const auto b = this->random_vector(n, 9);
  for (const Method method : {Method::gmres, Method::minres, Method::conjugate_gradients}) {
    const Chain<TypeParam> chain{n, TypeParam(method == Method::gmres ? 0.3 : 0)};
    std::vector<TypeParam> first;
    double residual = 0;
    for (const int threads : {1, 2, 8}) {
      const tbb::global_control pool(tbb::global_control::max_allowed_parallelism, std::size_t(threads));
      tbb::task_arena arena(threads);
      std::vector<TypeParam> x;
      KrylovSpace<TypeParam> space;
      const KrylovReport report = arena.execute(
          [&] { return solve_by(method, chain, b, x, {.relative = 0, .max_iterations = 8}, space); });
      if (threads == 1) first = x, residual = report.residual;
      EXPECT_TRUE(x == first) << threads << " threads";
      EXPECT_EQ(report.residual, residual) << threads << " threads";
    }
  }
}

TYPED_TEST(Vectors, a_space_serves_systems_of_any_size) {
  KrylovSpace<TypeParam> space;
  for (const std::size_t n : {5000, 20, 9001})
    for (const Method method : {Method::gmres, Method::minres, Method::conjugate_gradients}) {
      const Chain<TypeParam> chain{n, 0};
      const auto b = this->random_vector(n, n);
      std::vector<TypeParam> x, fresh_x;
      KrylovSpace<TypeParam> fresh;
      solve_by(method, chain, b, x, {}, space);
      solve_by(method, chain, b, fresh_x, {}, fresh);
      EXPECT_TRUE(x == fresh_x) << n;
    }
}

}  // namespace
}  // namespace dollop
