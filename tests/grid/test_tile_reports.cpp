// What the loops report of a tile or a slot: bounds of the velocity, numbers that are not finite, particles
// that must be re-sorted; and that looking changes nothing.
#include <gtest/gtest.h>

#include <functional>
#include <string_view>

#include "transfer_case.h"

namespace dollop {
namespace {

template <class S>
class TileReportTest : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(TileReportTest, Scalars);

template <class S>
void fill(TransferCase<S>& c) {
  c.add_random(0, cube_of_places({0, 0, 0}, 0.5, cloud_size(200), 1));
  c.add_random(1, cube_of_places({0.2, -0.2, 0}, 0.4, cloud_size(100), 2));
  c.mass_floor = 1e-3 * 0.125;
  c.gravity = {0, -9.81, 0};
  c.sort();
}

// of everything a tile could write to, but the reports
template <class S>
std::uint64_t hash_of(const TransferCase<S>& c) {
  std::uint64_t h = 1;
  const auto add = [&](const void* data, std::size_t bytes) {
    h = combine(h, std::hash<std::string_view>{}({static_cast<const char*>(data), bytes}));
  };
  for (const auto& g : c.store.groups()) {
    for (int k = 0; k < g.array_count(); ++k)
      add(g.reals(k), (g.size() + 16) * sizeof(S));  // the padding too
    add(g.ids(), g.size() * sizeof(std::uint64_t));
  }
  for (const auto* a :
       {&c.grid.velocity, &c.grid.old_velocity, &c.grid.tiles, &c.grid.bounds, &c.second_velocity})
    add(a->data(), a->size() * sizeof(S));
  return h;
}

TYPED_TEST(TileReportTest, inspecting_writes_nothing_and_reports_what_the_step_will) {
  for (const Method& method : all_methods())
    for (const InstructionSet* isa : machine_instruction_sets()) {
      SCOPED_TRACE(describe(*isa, method));
      TransferCase<TypeParam> c(*isa, method);
      fill(c);
      c.to_grid();
      if (method.choice.two_velocities) c.second_velocity = c.grid.velocity;
      c.bind();
      const std::uint64_t hash = hash_of(c);
      c.inspect();
      EXPECT_EQ(hash_of(c), hash);
      const auto inspected = c.grid.reports;
      c.to_particles();
      EXPECT_NE(hash_of(c), hash);
      const double eps =
          4 * TransferCase<TypeParam>::eps;  // the two may be compiled with other fused operations
      for (std::size_t t = 0; t < inspected.size(); ++t) {
        const auto &a = inspected[t], &b = c.grid.reports[t];
        EXPECT_NEAR(a.max_speed_squared, b.max_speed_squared, eps * b.max_speed_squared);
        EXPECT_NEAR(a.max_travel, b.max_travel, eps * b.max_travel);
        EXPECT_NEAR(a.max_increment_norm, b.max_increment_norm, eps * b.max_increment_norm);
        EXPECT_NEAR(a.min_det, b.min_det, eps);
        EXPECT_EQ(a.finite, b.finite);
        EXPECT_EQ(a.left_margin, b.left_margin);
      }
    }
}

// det(1 + du) and |du| of a particle, from the gradient by plain sums
struct Increment {
  double det, norm;
};
template <class S>
Increment increment_of(const TransferCase<S>& c, const reference::Particle& p,
                       const reference::Field& field) {
  reference::Matrix f{1, 0, 0, 0, 1, 0, 0, 0, 1};
  double norm2 = 0;
  reference::Matrix du{};
  reference::each_node(c.setting(), p.x, [&](const Node& i, double, const Double3&, const Double3& g) {
    for (std::size_t k = 0; k < 9; ++k) du[k] += double(S(c.dt)) * field.at(i)[k / 3] * g[k % 3];
  });
  for (std::size_t k = 0; k < 9; ++k) f[k] += du[k], norm2 += du[k] * du[k];
  return {reference::determinant(f), std::sqrt(norm2)};
}

TYPED_TEST(TileReportTest, reports_are_the_extremes_of_the_particles) {
  for (const Method& method : methods_with(false))
    for (const InstructionSet* isa : machine_instruction_sets()) {
      SCOPED_TRACE(describe(*isa, method));
      TransferCase<TypeParam> c(*isa, method);
      c.add_random(0, cube_of_places({0, 0, 0}, 0.3, cloud_size(25), 1));
      c.add_random(1, cube_of_places({0.2, -0.2, 0}, 0.3, cloud_size(25), 2));
      c.mass_floor = 1e-3 * 0.125;
      c.sort();
      c.to_grid();
      reference::Field field;
      c.each_node([&](const Node& i, std::size_t at) {
        for (std::size_t d = 0; d < 3; ++d) field[i][d] = double(c.grid.velocity[at + d]);
      });
      double speed2 = 0, travel = 0, norm = 0, det = 1;
      const auto before = c.particles();
      c.to_particles();
      const auto after = c.particles();
      for (std::size_t k = 0; k < before.size(); ++k) {
        const auto &p = before[k], &q = after[k];
        const Increment increment = increment_of(c, p, field);
        speed2 = std::max(speed2, q.v[0] * q.v[0] + q.v[1] * q.v[1] + q.v[2] * q.v[2]);
        travel = std::max(travel, std::hypot(q.x[0] - p.x[0], q.x[1] - p.x[1], q.x[2] - p.x[2]));
        norm = std::max(norm, increment.norm);
        det = std::min(det, increment.det);
      }
      TileReport<TypeParam> worst = c.grid.reports[0];
      for (const auto& r : c.grid.reports) {
        EXPECT_TRUE(r.finite);
        worst.max_speed_squared = std::max(worst.max_speed_squared, r.max_speed_squared);
        worst.max_travel = std::max(worst.max_travel, r.max_travel);
        worst.max_increment_norm = std::max(worst.max_increment_norm, r.max_increment_norm);
        worst.min_det = std::min(worst.min_det, r.min_det);
      }
      const double eps = 20 * TransferCase<TypeParam>::eps;
      EXPECT_NEAR(worst.max_speed_squared, speed2, eps * speed2);
      EXPECT_NEAR(worst.max_travel, travel, eps);
      EXPECT_NEAR(worst.max_increment_norm, norm, eps);
      EXPECT_NEAR(worst.min_det, det, eps);
    }
}

// one particle that moves to `home` cells from the first node of its block; the others stay in the middle
template <class S>
bool left_margin(const InstructionSet& isa, const Method& method, int axis, double home,
                 std::size_t count = 12) {
  TransferCase<S> c(isa, method);
  const double middle = method.choice.kernel == Kernel::cubic ? 0.25 : 0.3;  // of a cell
  c.add_random(1, cube_of_places({middle, middle, middle}, 0.02, count, 1));
  c.sort();
  const double offset = method.choice.kernel == Kernel::cubic ? 1 : 0.5;
  const double dx = home < 2 ? -0.3 : 0.3;
  c.store.groups()[1].reals(axis)[3] = S(offset + home - dx);
  Double3 v{0, 0, 0};
  v[std::size_t(axis)] = dx * 0.1 / c.dt;
  c.to_grid();
  c.set_field(c.args.velocity, [&](const Node&) { return v; });
  std::fill_n(c.grid.old_velocity.data(), c.grid.old_velocity.size(), S(0));
  if (method.choice.two_velocities) c.set_field(c.second_velocity.data(), [&](const Node&) { return v; });
  auto& g = c.store.groups()[1];
  for (int d = 0; d < 3; ++d) std::fill_n(g.reals(g.velocity + d), g.size(), S(0));  // for flip
  c.to_particles();
  EXPECT_EQ(c.runs(), 1);
  bool left = false;
  c.each_report(0, [&](const TileReport<S>& report) { left = left || report.left_margin; });
  return left;
}

// more than a cell outside on either side; the last 1e-4 of a cell on the far side may be reported early
TYPED_TEST(TileReportTest, left_margin_is_reported_when_a_particle_is_more_than_a_cell_outside) {
  for (const Method& method : methods_with(false))
    for (const InstructionSet* isa : machine_instruction_sets()) {
      SCOPED_TRACE(describe(*isa, method));
      for (int axis = 0; axis < 3; ++axis) {
        for (const double home : {-0.99999, -0.5, 0.0, 2.0, 4.5, 4.9998})
          EXPECT_FALSE(left_margin<TypeParam>(*isa, method, axis, home)) << home;
        for (const double home : {-1.00001, -1.2, 5.00001, 5.2})
          EXPECT_TRUE(left_margin<TypeParam>(*isa, method, axis, home)) << home;
      }
    }
}

// few particles may leave the cells they were in by a cell: these are cell 1, or 2 for quadratic kernels, of the block
TYPED_TEST(TileReportTest, left_margin_of_a_sparse_block_is_that_of_its_cells) {
  for (const Method& method : methods_with(false))
    for (const InstructionSet* isa : machine_instruction_sets()) {
      SCOPED_TRACE(describe(*isa, method));
      const double cell = method.choice.kernel == Kernel::cubic ? 1 : 2;
      for (int axis = 0; axis < 3; ++axis) {
        for (const double home : {cell - 0.9999, cell, cell + 0.5, cell + 1.9998})
          EXPECT_FALSE(left_margin<TypeParam>(*isa, method, axis, home, 5)) << home;
        for (const double home : {cell - 1.00001, cell + 2.00001})
          EXPECT_TRUE(left_margin<TypeParam>(*isa, method, axis, home, 5)) << home;
      }
    }
}

TYPED_TEST(TileReportTest, nodes_below_the_floor_of_mass_are_empty) {
  for (const Method& method : methods_with(false))
    for (const InstructionSet* isa : machine_instruction_sets()) {
      SCOPED_TRACE(describe(*isa, method));
      TransferCase<TypeParam> all(*isa, method), some(*isa, method);
      for (auto* c : {&all, &some}) fill(*c), c->gravity = {0, 0, 0};
      all.mass_floor = 0;
      some.mass_floor = 0.02;
      for (auto* c : {&all, &some}) c->to_grid();
      std::size_t empty = 0, full = 0;
      all.each_node([&](const Node&, std::size_t at) {
        const auto *a = all.grid.velocity.data() + at, *b = some.grid.velocity.data() + at;
        const bool below = !(a[3] > TypeParam(0.02));
        for (int k = 0; k < 4; ++k) EXPECT_EQ(b[k], below ? TypeParam(0) : a[k]);
        empty += a[3] > 0 && below, full += !below;
      });
      EXPECT_GT(empty, 100u);
      EXPECT_GT(full, 100u);
    }
}

TYPED_TEST(TileReportTest, velocity_bounds_are_those_of_the_nodes_with_mass) {
  for (const Method& method : all_methods())
    for (const InstructionSet* isa : machine_instruction_sets()) {
      SCOPED_TRACE(describe(*isa, method));
      TransferCase<TypeParam> c(*isa, method);
      fill(c);
      c.to_grid();
      if (method.choice.two_velocities)
        c.each_node([&](const Node& i, std::size_t at) {
          for (std::size_t d = 0; d < 3; ++d) c.second_velocity[at + d] = TypeParam(node_noise(i, d));
        });
      c.bind();
      const auto* field = method.choice.two_velocities ? c.second_velocity.data() : c.args.velocity;
      for (int s = 0; s < c.slots(); ++s) {
        c.grid.kernels->velocity_bounds(c.args, c.moving(), s);
        const TypeParam* bounds = c.args.bounds + 8 * s;
        EXPECT_EQ(bounds[3], 0);
        for (int d = 0; d < 3; ++d) {
          TypeParam least = std::numeric_limits<TypeParam>::infinity(), most = -least;
          for (int n = 256 * s; n < 256 * (s + 1); n += 4)
            if (c.args.velocity[n + 3] > 0)
              least = std::min(least, field[n + d]), most = std::max(most, field[n + d]);
          EXPECT_EQ(bounds[d], least);
          EXPECT_EQ(bounds[4 + d], most);
        }
      }
    }
}

// the slots that see a number that is not finite
template <class S>
std::size_t poisoned_slots(TransferCase<S>& c) {
  c.to_grid();
  std::size_t poisoned = 0;
  for (int s = 0; s < c.slots(); ++s) {
    c.grid.kernels->velocity_bounds(c.args, c.moving(), s);
    poisoned += !(c.args.bounds[8 * s + 3] == S(0));
  }
  return poisoned;
}

template <class S>
void expect_poison_is_found(const char* column) {
  constexpr S nan = std::numeric_limits<S>::quiet_NaN(), inf = std::numeric_limits<S>::infinity();
  for (const Method& method : methods_with(false))
    for (const InstructionSet* isa : machine_instruction_sets()) {
      SCOPED_TRACE(describe(*isa, method) + " " + column);
      TransferCase<S> c(*isa, method);
      fill(c);
      EXPECT_EQ(poisoned_slots(c), 0u);
      auto& g = c.store.groups()[0];
      const Column* found = g.find(column);
      if (!found) continue;
      for (int k = found->first; k < found->first + found->components; ++k)
        for (const S bad : {nan, inf}) {
          if (bad == inf && k > found->first) continue;
          const S good = std::exchange(g.reals(k)[7], bad);
          EXPECT_GT(poisoned_slots(c), 0u) << "component " << k << " " << bad;
          g.reals(k)[7] = good;
        }
    }
}

// a particle whose velocity, stress, place or mass is not finite spoils its nodes, and they tell
TYPED_TEST(TileReportTest, velocity_that_is_not_finite_is_found) {
  expect_poison_is_found<TypeParam>("velocity");
}
TYPED_TEST(TileReportTest, affine_that_is_not_finite_is_found) {
  expect_poison_is_found<TypeParam>("affine");
}
TYPED_TEST(TileReportTest, strain_that_is_not_finite_is_found) {
  expect_poison_is_found<TypeParam>("strain");
}
TYPED_TEST(TileReportTest, position_that_is_not_finite_is_found) {
  expect_poison_is_found<TypeParam>("position");
}
TYPED_TEST(TileReportTest, mass_that_is_not_finite_is_found) { expect_poison_is_found<TypeParam>("mass"); }

// a field that is not finite, wherever it comes from, is not passed on in silence
TYPED_TEST(TileReportTest, particles_in_a_field_that_is_not_finite_are_found) {
  for (const Method& method : all_methods())
    for (const InstructionSet* isa : machine_instruction_sets()) {
      SCOPED_TRACE(describe(*isa, method));
      TransferCase<TypeParam> c(*isa, method);
      fill(c);
      c.add_random(0, cube_of_places({3, 3, 3}, 0.04, 37, 3));  // a run of its own, far from the others
      c.sort();
      c.to_grid();
      auto* field = method.choice.two_velocities ? c.second_velocity.data() : c.args.velocity;
      c.set_field(field, [](const Node&) { return Double3{0, 0, 0}; });
      const int run = c.runs() / 2, tile = c.grid.runs[std::size_t(run)].begin;
      for (int n = 0; n < 64; ++n)
        field[256 * c.grid.slot_of_tile[std::size_t(tile)] + 4 * n + n % 3] =
            std::numeric_limits<TypeParam>::quiet_NaN();
      c.inspect();
      const auto finite = [&](int r) {
        bool all = true;
        c.each_report(r, [&](const TileReport<TypeParam>& report) { all = all && report.finite; });
        return all;
      };
      int found = 0;
      for (int r = 0; r < c.runs(); ++r) found += !finite(r);
      EXPECT_FALSE(finite(run));
      EXPECT_LT(found, c.runs());  // not where the field is finite
    }
}

}  // namespace
}  // namespace dollop
