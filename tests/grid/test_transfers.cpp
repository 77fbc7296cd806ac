// The loops of src/grid against plain sums over particles and nodes, for every combination of kernel,
// transfer, force form, one or two velocities, precision and instruction set.
#include <gtest/gtest.h>

#include "transfer_case.h"

namespace dollop {
namespace {

// Relative to the largest number of its kind: a sum of up to some hundred terms, each rounded a few times.
// Four times what is found, in float (1e-6), and ten times in double (1e-14).
template <class S>
constexpr double tolerance = std::is_same_v<S, float> ? 4e-6 : 1e-13;
// Positions are kept relative to their block, at most 6 cells: two roundings. The positions they are compared
// with are doubles counted from the origin, up to 100 cells away.
template <class S>
constexpr double position_tolerance = 8 * std::numeric_limits<S>::epsilon() + 4e-14;  // [cells]

template <class S>
class TransferTest : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(TransferTest, Scalars);

// the largest deviation of many numbers from what they should be, relative to the largest of those
struct Deviation {
  double error = 0, scale = 0;
  void add(double actual, double expected) {
    error = actual == actual ? std::max(error, std::fabs(actual - expected)) : HUGE_VAL;
    scale = std::max(scale, std::fabs(expected));
  }
  double relative() const { return scale > 0 ? error / scale : HUGE_VAL; }
};

// Several blocks around the origin, particles of both materials: scattered ones, more than a chunk in one
// cell, one alone. Nodes with less than a thousandth of a particle are empty: it keeps (mv)_i / m_i well
// conditioned.
template <class S>
void fill(TransferCase<S>& c) {
  c.add_random(0, cube_of_places({0.05, -0.1, 0.02}, 0.45, cloud_size(220), 1));
  c.add_random(1, cube_of_places({-0.1, 0.1, 0}, 0.4, cloud_size(120), 2));
  c.add_random(1, cube_of_places({0.25, 0.25, -0.25}, 0.04, 37, 3));
  c.add_random(0, cube_of_places({0.25, 0.25, -0.25}, 0.04, 19, 4));
  c.add_random(0, {{2.03, 0.11, -0.77}});
  c.mass_floor = 1.1e-3 * 0.125;
  c.gravity = {1, -9.81, 3};
  c.sort();
}

// what strains the particles where two velocities are gathered
Double3 other_velocity(const Node& i, const Double3& v) {
  return {0.5 * v[0] + node_noise(i, 0), 0.5 * v[1] + node_noise(i, 1), 0.5 * v[2] + node_noise(i, 2)};
}

struct Expected {
  std::map<Node, reference::NodeSums> grid;
  reference::Velocities v;
  std::vector<reference::Particle> particles;
};

template <class S>
Expected expected_step(const TransferCase<S>& c) {
  Expected e;
  const reference::Setting s = c.setting();
  e.particles = c.particles();
  e.grid = particles_to_grid(s, e.particles);
  e.v = velocities(s, e.grid);
  reference::Field straining = e.v.after;
  if (c.method.choice.two_velocities)
    for (auto& [i, v] : straining)
      if (e.grid[i].mass > s.mass_floor) v = other_velocity(i, v);
  grid_to_particles(s, e.v, straining, e.particles);
  return e;
}

// no node is so near to the floor of mass that rounding decides whether it is empty
void expect_no_doubtful_node(const Expected& e, double floor) {
  for (const auto& [i, node] : e.grid) EXPECT_GT(std::fabs(node.mass - floor), 1e-4 * floor);
}

template <class S>
void expect_grid(const TransferCase<S>& c, const Expected& e) {
  Deviation mass, momentum, impulse, old;
  const bool apart = c.method.keeps_own();
  std::size_t seen = 0;
  c.each_node([&](const Node& i, std::size_t at) {
    const S* v = c.grid.velocity.data() + at;
    const auto found = e.grid.find(i);
    const double m = found == e.grid.end() ? 0 : found->second.mass;
    seen += found != e.grid.end();
    if (!(m > double(S(c.mass_floor)))) {
      for (int k = 0; k < 4; ++k) EXPECT_EQ(v[k], 0) << "an empty node";
      return;
    }
    const reference::NodeSums& node = found->second;
    mass.add(double(v[3]), node.mass);
    for (std::size_t d = 0; d < 3; ++d) {
      const double kick = double(S(c.dt)) * double(S(c.gravity[d])), p = m * (double(v[d]) - kick);
      momentum.add(p, node.momentum[d] + node.impulse[d]);
      if (!apart) continue;
      const double before = m * double(c.grid.old_velocity[at + d]);
      old.add(before, node.momentum[d]);
      impulse.add(p - before, node.impulse[d]);
    }
  });
  EXPECT_EQ(seen, e.grid.size());
  EXPECT_LE(mass.relative(), tolerance<S>) << "mass";
  EXPECT_LE(momentum.relative(), tolerance<S>) << "momentum and impulse";
  if (!apart) return;
  EXPECT_LE(old.relative(), tolerance<S>) << "momentum before forces";
  EXPECT_LE(impulse.relative(), tolerance<S>) << "impulse";
}

// the first `count` particles
template <class S>
void expect_particles(const TransferCase<S>& c, const std::vector<reference::Particle>& expected,
                      double slack = 1, std::size_t count = ~std::size_t(0)) {
  const auto actual = c.particles();
  ASSERT_EQ(actual.size(), expected.size());
  Deviation x, v, affine, strain, stress;
  for (std::size_t k = 0; k < std::min(count, actual.size()); ++k) {
    const reference::Particle &p = actual[k], &q = expected[k];
    ASSERT_EQ(p.id, q.id);
    EXPECT_EQ(p.mass, q.mass);
    EXPECT_EQ(p.volume, q.volume);
    for (std::size_t d = 0; d < 3; ++d) {
      const double period = 4.0 * c.grid.space.period[d], error = p.x[d] - q.x[d];
      x.add(period > 0 ? std::remainder(error, period) : error, 0);
      v.add(p.v[d], q.v[d]);
    }
    for (std::size_t n = 0; n < 9; ++n) affine.add(p.c[n], q.c[n]);
    for (std::size_t n = 0; n < 6; ++n) strain.add(p.state[n], q.state[n]);
    for (std::size_t n = 6; n < p.state.size(); ++n) stress.add(p.state[n], q.state[n]);
  }
  EXPECT_LE(x.error, slack * position_tolerance<S>) << "position";
  EXPECT_LE(v.relative(), slack * tolerance<S>) << "velocity";
  EXPECT_LE(strain.relative(), slack * tolerance<S>) << "strain";
  EXPECT_LE(stress.relative(), slack * tolerance<S>) << "stress";
  if (!c.method.affine()) return;
  EXPECT_LE(affine.relative(), slack * tolerance<S>) << "affine velocity";
}

template <class S>
void set_other_velocity(TransferCase<S>& c) {
  if (!c.method.choice.two_velocities) return;
  c.each_node([&](const Node& i, std::size_t at) {
    const S* v = c.grid.velocity.data() + at;
    const Double3 other = other_velocity(i, {double(v[0]), double(v[1]), double(v[2])});
    for (std::size_t d = 0; d < 3; ++d) c.second_velocity[at + d] = v[3] > 0 ? S(other[d]) : S(0);
  });
}

TYPED_TEST(TransferTest, step_equals_plain_sums) {
  for (const Method& method : all_methods()) {
    std::unique_ptr<Expected> expected;
    for (const InstructionSet* isa : machine_instruction_sets()) {
      SCOPED_TRACE(describe(*isa, method));
      TransferCase<TypeParam> c(*isa, method);
      fill(c);
      if (!expected) {
        expected = std::make_unique<Expected>(expected_step(c));
        expect_no_doubtful_node(*expected, c.mass_floor);
      }
      c.to_grid();
      expect_grid(c, *expected);
      set_other_velocity(c);
      c.to_particles();
      expect_particles(c, expected->particles);
    }
  }
}

// stencils that reach around a short period, down to one block
TYPED_TEST(TransferTest, step_equals_plain_sums_on_periodic_axes) {
  const BlockCoord periods[] = {{0, 0, 1}, {2, 1, 0}, {3, 2, 1}};
  for (const Method& method : methods_with(false))
    for (const BlockCoord& period : periods) {
      if (method.choice.transfer == Transfer::rpic) continue;  // as apic
      std::unique_ptr<Expected> expected;
      for (const InstructionSet* isa : machine_instruction_sets()) {
        SCOPED_TRACE(describe(*isa, method) + " period " + testing::PrintToString(period));
        TransferCase<TypeParam> c(*isa, method, cell_space(0.1, period));
        c.add_random(0, cube_of_places({0.1, 0.2, 0}, 0.8, cloud_size(120), 1));
        c.add_random(1, cube_of_places({0.1, 0.1, 0}, 0.4, cloud_size(60), 2));
        c.mass_floor = 1e-3 * 0.125;
        c.sort();
        if (!expected) expected = std::make_unique<Expected>(expected_step(c));
        c.to_grid();
        expect_grid(c, *expected);
        c.to_particles();
        expect_particles(c, expected->particles);
      }
    }
}

// Particles may be up to a cell outside their block before they must be sorted: the step is the same then.
TYPED_TEST(TransferTest, particles_within_the_margin_need_no_sort) {
  for (const BlockCoord& period : {BlockCoord{0, 0, 0}, BlockCoord{0, 2, 1}})
    for (const Method& method : methods_with(false))
      for (const InstructionSet* isa : machine_instruction_sets()) {
        SCOPED_TRACE(describe(*isa, method) + " period " + testing::PrintToString(period));
        TransferCase<TypeParam> drifted(*isa, method, cell_space(0.1, period));
        fill(drifted);
        const double offset = method.choice.kernel == Kernel::cubic ? 1 : 0.5;
        std::size_t outside = 0;
        drifted.each_margin([&](auto& group, std::size_t i, int d, int low, int high) {
          const double home =
              low + 1e-4 + (high - low - 2e-4) * random_uniform(6, std::uint64_t(d), group.ids()[i]);
          group.reals(d)[i] = TypeParam(offset + home);
          outside += home < 0 || home > 4;
        });
        EXPECT_GT(outside, drifted.store.size() / 2);
        TransferCase<TypeParam> sorted(*isa, method, cell_space(0.1, period));
        sorted.mass_floor = drifted.mass_floor;
        sorted.gravity = drifted.gravity;
        sorted.store = drifted.store;
        sorted.sort();
        EXPECT_NE(sorted.store.blocks(), drifted.store.blocks());
        for (auto* c : {&drifted, &sorted}) c->to_grid(), c->to_particles();
        // positions are rounded differently when they are counted from another block
        expect_particles(drifted, sorted.particles(), 4);
      }
}

// two fields that have nothing in common: each is gathered for its own purpose, and for nothing else
TYPED_TEST(TransferTest, two_velocities_keep_apart) {
  for (const Method& method : all_methods()) {
    if (!method.choice.two_velocities || (method.keeps_own() && method.advect_particle_velocity)) continue;
    const bool fading =
        method.choice.transfer == Transfer::fading;  // carries its residual along by what strains
    for (const InstructionSet* isa : machine_instruction_sets()) {
      SCOPED_TRACE(describe(*isa, method));
      const auto run = [&](bool velocity, bool second_velocity) {
        auto c = std::make_unique<TransferCase<TypeParam>>(*isa, method);
        fill(*c);
        const auto field = [](const Node& i) { return other_velocity(i, {0.3, 0.1, -0.2}); };
        if (velocity) c->set_field(c->grid.velocity.data(), field);
        if (second_velocity) c->set_field(c->second_velocity.data(), field);
        c->to_particles();
        return c->particles();
      };
      const auto none = run(false, false), velocity = run(true, false), strain = run(false, true);
      for (std::size_t k = 0; k < none.size(); ++k) {
        EXPECT_EQ(velocity[k].x, none[k].x);
        EXPECT_EQ(velocity[k].state, none[k].state);
        EXPECT_NE(velocity[k].v, none[k].v);
        EXPECT_EQ(strain[k].v, none[k].v);
        EXPECT_EQ(strain[k].c != none[k].c, fading);
        EXPECT_NE(strain[k].x, none[k].x);
        EXPECT_NE(strain[k].state, none[k].state);
        EXPECT_EQ(velocity[k].c != none[k].c, method.affine());
      }
    }
  }
}

// Particles that are scattered so that most blocks hold one or two, with a clump in a few cells and crumbs that meet no
// others. They drift before they are sorted again: nodes that they have left must be empty.
template <class S>
void scatter(TransferCase<S>& c) {
  c.add_random(0, cube_of_places({0.1, -0.2, 0.3}, 1.6, cloud_size(150), 5));
  c.add_random(1, cube_of_places({-0.2, 0.1, 0}, 1.6, cloud_size(120), 6));
  c.add_random(1, cube_of_places({0.25, 0.25, -0.25}, 0.15, cloud_size(60), 7));
  for (std::uint64_t k = 0; k < 12; ++k)  // in every position relative to blocks
    c.add_random(int(k % 2), cube_of_places({4 + 1.31 * double(k), 0.13 * double(k), -0.07 * double(k)}, 0.07,
                                            1 + k % 8, k));
  c.dt = 1e-3;
  c.mass_floor = 1.1e-3 * 0.125;
  c.gravity = {1, -9.81, 3};
  c.sort();
}

template <class S>
void expect_sparse_steps(TransferCase<S>& c) {
  scatter(c);
  std::size_t sparse = 0, longest = 0;
  for (const TileRun& run : c.grid.runs) {
    sparse += run.kind == RunKind::sparse;
    longest = std::max(longest, std::size_t(run.end - run.begin));
  }
  EXPECT_GT(sparse, 2u);
  EXPECT_GT(longest, 3u);
  EXPECT_EQ(c.grid.island_count() > 8, !c.grid.no_islands);
  for (int step = 0; step < 30; ++step) {
    Expected e;
    if (step % 10 == 9) e = expected_step(c);
    c.to_grid();
    if (!e.grid.empty() && c.grid.no_islands) expect_grid(c, e);
    c.to_particles();
    if (!e.grid.empty()) expect_particles(c, e.particles, 4);
    for (int r = 0; r < c.runs(); ++r)
      c.each_report(r, [](const TileReport<S>& report) { ASSERT_FALSE(report.left_margin); });
    if (testing::Test::HasFailure()) return;
  }
}

TYPED_TEST(TransferTest, sparse_blocks_take_the_same_steps) {
  for (const Method& method : methods_with(false))
    for (const BlockCoord& period : {BlockCoord{0, 0, 0}, BlockCoord{0, 8, 9}}) {
      if (period[1] > 0 && method.choice.transfer != Transfer::apic) continue;
      for (const InstructionSet* isa : machine_instruction_sets()) {
        SCOPED_TRACE(describe(*isa, method) + ", period " + std::to_string(period[1]));
        TransferCase<TypeParam> c(*isa, method, cell_space(0.1, period));
        expect_sparse_steps(c);
      }
    }
}

TYPED_TEST(TransferTest, islands_take_the_same_steps) {
  for (const Method& method : methods_with(false))
    for (const InstructionSet* isa : machine_instruction_sets()) {
      SCOPED_TRACE(describe(*isa, method));
      TransferCase<TypeParam> c(*isa, method);
      c.grid.no_islands = false;
      c.islands_are_touched = true;
      expect_sparse_steps(c);
    }
}

// Particles far from all others, in every position relative to blocks, of both materials in turns, among some that have
// company. They take the steps that they would take with nodes, while they drift.
TYPED_TEST(TransferTest, lone_particles_take_the_same_steps) {
  for (const Method& method : methods_with(false))
    for (const InstructionSet* isa : machine_instruction_sets()) {
      SCOPED_TRACE(describe(*isa, method));
      TransferCase<TypeParam> c(*isa, method);
      c.grid.no_islands = false;
      constexpr std::size_t alone = 45;
      for (std::size_t k = 0; k < alone; ++k)
        c.add_random(k % 7 == 0, cube_of_places({1.3 * double(k), 0.6 * double(k % 5), -0.2}, 0.2, 1, k));
      c.add_random(1, cube_of_places({3, 4, 0}, 0.15, cloud_size(60), 7));
      c.dt = 1e-3;
      c.gravity = {1, -9.81, 3};
      c.sort();
      std::size_t lone = 0;
      for (std::size_t r = c.grid.first_lone_run; r < c.grid.runs.size(); ++r) {
        EXPECT_EQ(c.grid.runs[r].kind, RunKind::lone);
        lone += std::size_t(c.grid.runs[r].end - c.grid.runs[r].begin);
      }
      ASSERT_EQ(lone, alone);
      for (int step = 0; step < 20; ++step) {
        Expected e;
        if (step % 5 == 0) e = expected_step(c);
        c.to_grid();
        c.to_particles();
        if (!e.grid.empty()) expect_particles(c, e.particles, 4, alone);
      }
      if (testing::Test::HasFailure()) return;
    }
}

// into however many parts a run is divided
TYPED_TEST(TransferTest, parts_of_a_run_take_the_same_steps_bitwise) {
  for (const Method& method : methods_with(false)) {
    SCOPED_TRACE(describe(best_instruction_set(), method));
    const auto stepped = [&](int parts) {
      auto c = std::make_unique<TransferCase<TypeParam>>(best_instruction_set(), method);
      fill(*c);
      c->grid.parts = parts;
      c->grid.reports.resize(c->grid.runs.size() * std::size_t(parts));
      c->to_grid();
      c->to_particles();
      return c->particles();
    };
    const auto whole = stepped(1);
    for (const int parts : {2, 3, 8}) {
      const auto divided = stepped(parts);
      for (std::size_t k = 0; k < whole.size(); ++k) {
        EXPECT_EQ(divided[k].x, whole[k].x);
        EXPECT_EQ(divided[k].v, whole[k].v);
        EXPECT_EQ(divided[k].c, whole[k].c);
        EXPECT_EQ(divided[k].state, whole[k].state);
      }
    }
  }
}

// a particle's step does not depend on its place in a chunk, nor on the particles that fill the other lanes
TYPED_TEST(TransferTest, lanes_past_the_end_are_neither_read_nor_written) {
  for (const Method& method : methods_with(false))
    for (const InstructionSet* isa : machine_instruction_sets())
      for (const std::size_t count : {1, 15, 16, 17, 32, 49}) {
        if (count == 49 && cloud_size(10) < 10) continue;
        SCOPED_TRACE(describe(*isa, method) + ", particles: " + std::to_string(count));
        TransferCase<TypeParam> c(*isa, method);
        c.add_random(1, cube_of_places({0.25, 0.25, 0.25}, 0.04, count, 3));
        c.add_random(1, cube_of_places({8.25, 0.25, 0.25}, 0.04, 20, 4));  // the next block in memory
        c.mass_floor = 1e-3 * 0.125;
        c.sort();
        ASSERT_EQ(c.runs(), 2);
        auto expected = c.particles();
        const reference::Setting s = c.setting();
        const auto v = velocities(s, particles_to_grid(s, expected));
        grid_to_particles(s, v, v.after, expected);
        c.to_grid();
        const auto untouched = c.particles();
        for (int part = 0; part < c.grid.parts; ++part)
          c.grid.kernels->grid_to_particles(c.args, c.moving(), 0, part);
        const auto after = c.particles();
        for (std::size_t k = count; k < untouched.size(); ++k) {
          EXPECT_EQ(after[k].x, untouched[k].x);
          EXPECT_EQ(after[k].v, untouched[k].v);
          EXPECT_EQ(after[k].state, untouched[k].state);
        }
        for (int part = 0; part < c.grid.parts; ++part)
          c.grid.kernels->grid_to_particles(c.args, c.moving(), 1, part);
        expect_particles(c, expected);
      }
}

}  // namespace
}  // namespace dollop
