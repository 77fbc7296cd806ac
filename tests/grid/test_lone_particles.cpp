// What the loops report of particles that share nodes with no others, and have none stored.
#include <gtest/gtest.h>

#include <functional>
#include <string_view>

#include "transfer_case.h"

namespace dollop {
namespace {

template <class S>
class LoneParticleTest : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(LoneParticleTest, Scalars);

// two materials in turns, in every position relative to blocks
template <class S>
void fill(TransferCase<S>& c) {
  c.grid.no_islands = false;
  for (std::size_t k = 0; k < 41; ++k)
    c.add_random(int(k % 2), {{1.31 * double(k), 0.13 * double(k), -0.07 * double(k)}});
  c.gravity = {0, -9.81, 0};
  c.sort();
  ASSERT_EQ(c.grid.first_lone_run, 0u);
  c.bind();
}

template <class S>
std::uint64_t hash_of(const TransferCase<S>& c) {
  std::uint64_t h = 1;
  for (const auto& g : c.store.groups())
    for (int k = 0; k < g.array_count(); ++k)  // the padding too
      h = combine(h, std::hash<std::string_view>{}(
                         {reinterpret_cast<const char*>(g.reals(k)), (g.size() + 16) * sizeof(S)}));
  return h;
}

TYPED_TEST(LoneParticleTest, inspecting_writes_nothing_and_reports_what_the_step_will) {
  for (const Method& method : methods_with(false))
    for (const InstructionSet* isa : machine_instruction_sets()) {
      SCOPED_TRACE(describe(*isa, method));
      TransferCase<TypeParam> c(*isa, method);
      fill(c);
      const auto before = c.particles();
      const std::uint64_t hash = hash_of(c);
      c.inspect();
      EXPECT_EQ(hash_of(c), hash);
      const auto inspected = c.grid.reports;
      c.to_particles();
      const auto after = c.particles();
      double speed2 = 0, travel = 0;
      for (std::size_t k = 0; k < after.size(); ++k) {
        const auto &p = before[k], &q = after[k];
        speed2 = std::max(speed2, q.v[0] * q.v[0] + q.v[1] * q.v[1] + q.v[2] * q.v[2]);
        travel = std::max(travel, std::hypot(q.x[0] - p.x[0], q.x[1] - p.x[1], q.x[2] - p.x[2]));
      }
      const double eps = 20 * TransferCase<TypeParam>::eps;
      TileReport<TypeParam> worst = c.grid.reports[0];
      for (std::size_t t = 0; t < inspected.size(); ++t) {
        const auto &a = inspected[t], &b = c.grid.reports[t];
        EXPECT_NEAR(a.max_speed_squared, b.max_speed_squared, eps * b.max_speed_squared);
        EXPECT_NEAR(a.max_increment_norm, b.max_increment_norm, eps * b.max_increment_norm);
        EXPECT_NEAR(a.min_det, b.min_det, eps);
        EXPECT_TRUE(a.finite && b.finite);
        EXPECT_EQ(a.left_margin, b.left_margin);
        worst.max_speed_squared = std::max(worst.max_speed_squared, a.max_speed_squared);
        worst.max_travel = std::max(worst.max_travel, a.max_travel);
      }
      EXPECT_NEAR(worst.max_speed_squared, speed2, eps * speed2);
      EXPECT_NEAR(worst.max_travel, travel, 100 * eps);
    }
}

TYPED_TEST(LoneParticleTest, number_that_is_not_finite_is_found) {
  using S = TypeParam;
  constexpr S nan = std::numeric_limits<S>::quiet_NaN(), inf = std::numeric_limits<S>::infinity();
  for (const Method& method : methods_with(false))
    for (const InstructionSet* isa : machine_instruction_sets()) {
      TransferCase<S> c(*isa, method);
      fill(c);
      const auto bad_runs = [&] {
        c.inspect();
        int bad = 0;
        for (int r = 0; r < c.runs(); ++r)
          c.each_report(r, [&](const TileReport<S>& report) { bad += !report.finite; });
        return bad;
      };
      EXPECT_EQ(bad_runs(), 0);
      auto& g = c.store.groups()[0];
      for (const char* column : {"position", "velocity", "affine", "strain", "mass", "volume"}) {
        const Column* found = g.find(column);
        for (int k = found ? found->first : 0; found && k < found->first + found->components; ++k)
          for (const S bad : {nan, inf}) {
            SCOPED_TRACE(describe(*isa, method) + " " + column + " " + std::to_string(k));
            if (bad == inf && k > found->first) continue;
            const S good = std::exchange(g.reals(k)[7], bad);
            EXPECT_EQ(bad_runs(), 1);
            g.reals(k)[7] = good;
          }
      }
    }
}

// a particle may leave its cell by a cell
TYPED_TEST(LoneParticleTest, left_margin_is_reported) {
  for (const Method& method : methods_with(false))
    for (const InstructionSet* isa : machine_instruction_sets())
      for (int axis = 0; axis < 3; ++axis)
        for (const double move : {-1.99, -1.4, -1.01, -0.99, 0.0, 0.99, 1.01, 1.4}) {
          SCOPED_TRACE(describe(*isa, method) + " " + std::to_string(move));
          TransferCase<TypeParam> c(*isa, method);
          fill(c);
          c.gravity = {0, 0, 0};
          auto& g = c.store.groups()[1];
          std::size_t i = 3;
          for (int d = 0; d < 3; ++d) std::fill_n(g.reals(g.velocity + d), g.size(), TypeParam(0));
          const double offset = method.choice.kernel == Kernel::cubic ? 1 : 0.5;
          const double cell = std::floor(double(g.reals(axis)[i]) - offset);
          g.reals(axis)[i] = TypeParam(offset + cell + (move < 0 ? 1e-3 : 1 - 1e-3));
          g.reals(g.velocity + axis)[i] = TypeParam(move * 0.1 / c.dt);
          c.to_particles();
          bool left = false;
          for (int r = 0; r < c.runs(); ++r)
            c.each_report(r, [&](const TileReport<TypeParam>& report) { left = left || report.left_margin; });
          EXPECT_EQ(left, std::fabs(move) > 1);
        }
}

}  // namespace
}  // namespace dollop
