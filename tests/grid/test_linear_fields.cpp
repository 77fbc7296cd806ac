// A velocity field v = a + A x at the nodes is v, and its gradient A, at every particle: to rounding, with
// every kernel and transfer, across the borders of blocks, around periodic axes and within the margin of
// unsorted blocks.
#include <gtest/gtest.h>

#include "transfer_case.h"

namespace dollop {
namespace {

template <class S>
class LinearFieldTest : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(LinearFieldTest, Scalars);

struct LinearField {
  Double3 a;
  reference::Matrix gradient;  // [1/s]
  Node center;                 // where v = a
  double h;

  // at a place that is counted from the centre [cells]
  Double3 at(const Double3& x) const {
    Double3 v = a;
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c) v[r] += gradient[3 * r + c] * h * x[c];
    return v;
  }
  Double3 operator()(const Node& i) const {
    return at({double(i[0] - center[0]), double(i[1] - center[1]), double(i[2] - center[2])});
  }
};

LinearField random_field(const Node& center, double h, std::uint64_t seed,
                         const BlockCoord& period = {0, 0, 0}) {
  LinearField field{{}, {}, center, h};
  for (std::size_t d = 0; d < 3; ++d) field.a[d] = 2 * random_uniform(seed, 0, d) - 1;
  for (std::size_t k = 0; k < 9; ++k)
    field.gradient[k] =
        period[k % 3] ? 0 : 10 * random_uniform(seed, 1, k) - 5;  // none along a periodic axis
  return field;
}

// Roundings of a weighted sum: relative to the largest velocity of the stencil, about 3 m/s here; a gradient
// is such a sum divided by the cell size, times at most 4 for the inertia, or 2 for the slopes of the kernel.
constexpr double speed = 3;
template <class S>
constexpr double value_tolerance = 8 * speed* std::numeric_limits<S>::epsilon();
template <class S>
double gradient_tolerance(double h) {
  return 32 * speed * std::numeric_limits<S>::epsilon() / h;
}

// `p` before, `q` after a step of dt in the field, without strain before
template <class S>
void expect_follows(const TransferCase<S>& c, const LinearField& field, const reference::Particle& p,
                    const reference::Particle& q) {
  const Double3 v = field.at(p.x);
  for (std::size_t d = 0; d < 3; ++d) {
    // the old velocity of the grid is left at zero
    const double expected = v[d] + (c.method.keeps_own() ? double(S(c.method.residual_kept)) * p.v[d] : 0);
    EXPECT_NEAR(q.v[d], expected, value_tolerance<S>);
    const double moved = double(S(c.dt)) / field.h *
                         (c.method.keeps_own() && c.method.advect_particle_velocity ? expected : v[d]);
    EXPECT_NEAR(q.x[d] - p.x[d], moved, 16 * std::numeric_limits<S>::epsilon());
  }
  const double tolerance = gradient_tolerance<S>(field.h);
  const auto at = reference::transposed(field.gradient);
  const reference::Matrix faded =
      reference::faded_affine(p.c, field.gradient, field.gradient, double(S(c.method.residual_kept)),
                              c.method.carry_limit, double(S(c.dt)));
  for (std::size_t k = 0; k < 9 && c.method.affine(); ++k) {
    const double kept = double(S(c.method.symmetric_kept)), a = field.gradient[k];
    const bool fading = c.method.choice.transfer == Transfer::fading;
    EXPECT_NEAR(q.c[k], fading ? faded[k] : 0.5 * (a - at[k]) + kept * 0.5 * (a + at[k]), tolerance);
  }
  reference::Particle strained = p;
  reference::Matrix du = field.gradient;
  for (double& x : du) x *= double(S(c.dt));
  std::fill(strained.state.begin(), strained.state.end(), 0.0);
  reference::strain(strained, du);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(q.state[k], strained.state[k], 4 * c.dt * tolerance);
}

template <class S>
void clear_state(TransferCase<S>& c) {
  for (auto& g : c.store.groups())
    for (int k = g.state_arrays().begin; k < g.array_count(); ++k) std::fill_n(g.reals(k), g.size(), S(0));
}

// fills the grid with a linear field, and lets the particles go
template <class S>
void run(TransferCase<S>& c, const LinearField& field) {
  c.to_grid();  // so that the grid knows which nodes the particles touch
  c.set_field(c.grid.velocity.data(), field);
  if (c.method.choice.two_velocities) c.set_field(c.second_velocity.data(), field);
  if (c.method.keeps_own()) std::fill_n(c.grid.old_velocity.data(), c.grid.old_velocity.size(), S(0));
  c.origin = field.center;
  const auto before = c.particles();
  c.to_particles();
  const auto after = c.particles();
  ASSERT_FALSE(before.empty());
  for (std::size_t k = 0; k < before.size(); ++k) expect_follows(c, field, before[k], after[k]);
}

TYPED_TEST(LinearFieldTest, is_reproduced_across_blocks) {
  const Double3 far{-1234.5, 77, 10000};  // [m]: blocks keep the precision
  for (const Double3& center : {Double3{0, 0, 0}, far})
    for (const Method& method : all_methods())
      for (const InstructionSet* isa : machine_instruction_sets()) {
        SCOPED_TRACE(describe(*isa, method));
        TransferCase<TypeParam> c(*isa, method, cell_space(0.125));
        c.add_random(0, cube_of_places(center, 0.6, cloud_size(60), 1));
        c.add_random(1, cube_of_places(center, 0.3, cloud_size(40), 2));
        c.sort();
        EXPECT_GE(c.grid.slot_of_tile.size(), 8u);
        clear_state(c);
        run(c, random_field({int(8 * center[0]), int(8 * center[1]), int(8 * center[2])}, 0.125, 4));
      }
}

TYPED_TEST(LinearFieldTest, is_reproduced_around_periodic_axes) {
  for (const BlockCoord& period : {BlockCoord{0, 0, 1}, BlockCoord{0, 3, 0}, BlockCoord{2, 0, 1}})
    for (const Method& method : all_methods())
      for (const InstructionSet* isa : machine_instruction_sets()) {
        SCOPED_TRACE(describe(*isa, method) + " period " + testing::PrintToString(period));
        TransferCase<TypeParam> c(*isa, method, cell_space(0.125, period));
        c.add_random(0, cube_of_places({0, 0, 0}, 0.5, cloud_size(50), 1));
        c.sort();
        clear_state(c);
        run(c, random_field({0, 0, 0}, 0.125, 5, period));
      }
}

TYPED_TEST(LinearFieldTest, is_reproduced_within_the_margin_of_unsorted_blocks) {
  for (const Method& method : all_methods())
    for (const InstructionSet* isa : machine_instruction_sets()) {
      SCOPED_TRACE(describe(*isa, method));
      TransferCase<TypeParam> c(*isa, method, cell_space(0.125));
      c.add_random(0, cube_of_places({0, 0, 0}, 0.4, cloud_size(60), 1));
      c.sort();
      clear_state(c);
      const double offset = method.choice.kernel == Kernel::cubic ? 1 : 0.5;
      c.each_margin([&](auto& g, std::size_t i, int d, int low, int high) {
        const double u = random_uniform(9, std::uint64_t(d), i);  // the first or the last cell it may be in
        g.reals(d)[i] =
            TypeParam(offset + (u < 0.5 ? low + 1e-6 + 2 * u * 0.999 : high - 1 + (2 * u - 1) * 0.999));
      });
      run(c, random_field({0, 0, 0}, 0.125, 6));
    }
}

// particles that move with the field and carry its gradient give it to the nodes exactly, and get it back
TYPED_TEST(LinearFieldTest, makes_the_round_trip_with_apic) {
  const double h = 0.125;
  for (const Kernel kernel : {Kernel::quadratic, Kernel::cubic})
    for (const ForceForm forces : {ForceForm::mls, ForceForm::gradient})
      for (const InstructionSet* isa : machine_instruction_sets()) {
        TransferCase<TypeParam> c(*isa, {{kernel, Transfer::apic, forces, false}}, cell_space(h));
        SCOPED_TRACE(describe(*isa, c.method));
        c.add_random(0, cube_of_places({0, 0, 0}, 0.4, cloud_size(300), 1));
        c.mass_floor = 1e-3 * h * h * h * 125;
        c.sort();
        clear_state(c);
        const LinearField field = random_field({0, 0, 0}, h, 7);
        const auto places = c.particles();
        auto& g = c.store.groups()[0];
        for (std::size_t i = 0; i < g.size(); ++i) {
          const Double3 v = field.at(places[g.ids()[i]].x);
          for (int d = 0; d < 3; ++d) g.reals(g.velocity + d)[i] = TypeParam(v[std::size_t(d)]);
          for (int k = 0; k < 9; ++k)
            g.reals(g.affine_array() + k)[i] = TypeParam(field.gradient[std::size_t(k)]);
        }
        c.to_grid();
        std::size_t full = 0;
        c.each_node([&](const Node& i, std::size_t at) {
          // rounding of a sum of several particles, relative to the mass that reached the node
          const double m = double(c.grid.velocity[at + 3]), lightest = h * h * h * 125;
          for (std::size_t d = 0; d < 3 && m > 0; ++d)
            EXPECT_NEAR(c.grid.velocity[at + d], field(i)[d],
                        value_tolerance<TypeParam> * (1 + lightest / m));
          full += m > 0;
        });
        EXPECT_GT(full, 200u);
      }
}

}  // namespace
}  // namespace dollop
