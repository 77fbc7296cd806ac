// What a transfer must keep: mass, momentum and, with affine velocities, angular momentum, to rounding.
#include <gtest/gtest.h>

#include "transfer_case.h"

namespace dollop {
namespace {

// of the sum of the magnitudes of all terms
template <class S>
constexpr double tolerance = 8 * std::numeric_limits<S>::epsilon();

template <class S>
class ConservationTest : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(ConservationTest, Scalars);

struct Sum {
  long double value = 0, magnitude = 0;  // sums of thousands of terms must not round themselves
  void add(double x) { value += x, magnitude += std::fabs(x); }
};
// mass, momentum, and angular momentum about the origin of the cloud
struct Totals {
  Sum mass, momentum[3], angular[3];
  void add_point(double m, const Double3& x, const Double3& v) {
    mass.add(m);
    for (std::size_t a = 0; a < 3; ++a) {
      const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
      momentum[a].add(m * v[a]);
      angular[a].add(m * x[b] * v[c]);
      angular[a].add(-m * x[c] * v[b]);
    }
  }
};

constexpr Node middle{-12, 40, 8};  // where the cloud is [cells]

template <class S>
Double3 place(const TransferCase<S>& c, const Double3& cells) {
  const double h = double(c.args.cell_size);
  return {h * (cells[0] - middle[0]), h * (cells[1] - middle[1]), h * (cells[2] - middle[2])};
}

// a particle turns with its affine velocity too: L = m x cross v + m D eps : C
template <class S>
Totals particle_totals(const TransferCase<S>& c) {
  Totals t;
  for (const reference::Particle& p : c.particles()) {
    t.add_point(p.mass, place(c, p.x), p.v);
    const double inertia = p.mass / inverse_inertia(c.setting());
    for (std::size_t a = 0; a < 3; ++a) {
      const std::size_t b = (a + 1) % 3, d = (a + 2) % 3;
      t.angular[a].add(inertia * p.c[3 * d + b]);
      t.angular[a].add(-inertia * p.c[3 * b + d]);
    }
  }
  return t;
}

template <class S>
Totals grid_totals(const TransferCase<S>& c, const AlignedArray<S>& velocity) {
  Totals t;
  c.each_node([&](const Node& i, std::size_t at) {
    const S* v = velocity.data() + at;
    t.add_point(double(c.grid.velocity[at + 3]), place(c, {double(i[0]), double(i[1]), double(i[2])}),
                {double(v[0]), double(v[1]), double(v[2])});
  });
  return t;
}

template <class S>
void fill(TransferCase<S>& c) {
  const Double3 at{0.1 * middle[0], 0.1 * middle[1], 0.1 * middle[2]};
  c.add_random(0, cube_of_places(at, 0.5, cloud_size(600), 1));
  c.add_random(1, cube_of_places({at[0] + 0.3, at[1], at[2]}, 0.3, cloud_size(300), 2));
  c.sort();
}

template <class S>
void expect_equal(const Sum& a, const Sum& b, const char* what) {
  EXPECT_GT(a.magnitude, 0) << what;
  EXPECT_LE(std::fabs(a.value - b.value), tolerance<S> * std::max(a.magnitude, b.magnitude)) << what;
}

TYPED_TEST(ConservationTest, mass_and_momentum_through_a_step) {
  for (const Method& method : methods_with(false))
    for (const InstructionSet* isa : machine_instruction_sets()) {
      SCOPED_TRACE(describe(*isa, method));
      TransferCase<TypeParam> c(*isa, method);
      fill(c);
      const Totals before = particle_totals(c);
      c.to_grid();
      const Totals grid = grid_totals(c, c.grid.velocity);
      c.to_particles();
      const Totals after = particle_totals(c);
      expect_equal<TypeParam>(grid.mass, before.mass, "mass");
      EXPECT_EQ(after.mass.value, before.mass.value);
      for (int a = 0; a < 3; ++a) {
        expect_equal<TypeParam>(grid.momentum[a], before.momentum[a], "to the grid, with internal forces");
        expect_equal<TypeParam>(after.momentum[a], grid.momentum[a], "to the particles");
      }
    }
}

// particles at rest: all the momentum of the nodes is that of internal forces
TYPED_TEST(ConservationTest, internal_forces_sum_to_zero_and_turn_nothing) {
  for (const Method& method : methods_with(false))
    for (const InstructionSet* isa : machine_instruction_sets()) {
      SCOPED_TRACE(describe(*isa, method));
      TransferCase<TypeParam> c(*isa, method);
      fill(c);
      for (auto& g : c.store.groups())
        for (int k = 0; k < g.array_count(); ++k)
          if ((k >= g.velocity && k < g.mass) ||
              (method.affine() && k >= g.affine_array() && k < g.state_arrays().begin))
            std::fill_n(g.reals(k), g.size(), TypeParam(0));
      c.to_grid();
      const Totals grid = grid_totals(c, c.grid.velocity);
      for (int a = 0; a < 3; ++a) {
        EXPECT_GT(grid.momentum[a].magnitude, 1e-2 * grid.mass.value) << "forces act";
        EXPECT_LE(std::fabs(grid.momentum[a].value), tolerance<TypeParam> * grid.momentum[a].magnitude);
        EXPECT_LE(std::fabs(grid.angular[a].value), tolerance<TypeParam> * grid.angular[a].magnitude);
      }
    }
}

TYPED_TEST(ConservationTest, gravity_gives_every_node_the_same_velocity) {
  for (const Method& method : methods_with(false))
    for (const InstructionSet* isa : machine_instruction_sets()) {
      SCOPED_TRACE(describe(*isa, method));
      TransferCase<TypeParam> still(*isa, method), falling(*isa, method);
      falling.gravity = {3, -9.81, 1};
      for (auto* c : {&still, &falling}) fill(*c), c->to_grid();
      still.each_node([&](const Node&, std::size_t at) {
        const bool full = still.grid.velocity[at + 3] > 0;
        for (std::size_t d = 0; d < 3; ++d) {
          const double v = double(still.grid.velocity[at + d]), w = double(falling.grid.velocity[at + d]);
          EXPECT_NEAR(w - v, full ? 5e-3 * falling.gravity[d] : 0, tolerance<TypeParam> * (1 + std::fabs(v)));
        }
      });
    }
}

// with internal forces, since stress is symmetric; also for the rotation that RPIC keeps
TYPED_TEST(ConservationTest, affine_velocities_keep_angular_momentum) {
  for (const Method& method : methods_with(false)) {
    if (!method.affine()) continue;
    if (method.keeps_own() && !method.advect_particle_velocity)
      continue;  // moved by a velocity that is not theirs
    for (const InstructionSet* isa : machine_instruction_sets()) {
      SCOPED_TRACE(describe(*isa, method));
      TransferCase<TypeParam> c(*isa, method);
      fill(c);
      c.bind();
      const Totals before = particle_totals(c);
      c.to_grid();
      const Totals grid = grid_totals(c, c.grid.velocity);
      c.to_particles();
      const Totals after = particle_totals(c);
      for (int a = 0; a < 3; ++a) {
        expect_equal<TypeParam>(grid.angular[a], before.angular[a], "to the grid");
        expect_equal<TypeParam>(after.angular[a], grid.angular[a], "to the particles");
      }
    }
  }
}

// ... which is no matter of course: PIC loses it
TYPED_TEST(ConservationTest, pic_loses_angular_momentum) {
  const InstructionSet& isa = *machine_instruction_sets()[0];
  TransferCase<TypeParam> c(isa, {{Kernel::cubic, Transfer::pic, ForceForm::mls, false}});
  fill(c);
  c.bind();
  for (auto& g : c.store.groups())
    c.store.each(int(&g - c.store.groups().data()), [&](std::size_t b, std::size_t i) {
      const Double3 world = c.store.position(int(&g - c.store.groups().data()), b, i);
      g.reals(g.velocity)[i] = TypeParam(-(world[1] - 0.1 * middle[1]));
      g.reals(g.velocity + 1)[i] = TypeParam(world[0] - 0.1 * middle[0]);
    });
  const double before = double(particle_totals(c).angular[2].value);
  c.to_grid();
  c.to_particles();
  EXPECT_LT(particle_totals(c).angular[2].value, 0.98 * before);
}

}  // namespace
}  // namespace dollop
