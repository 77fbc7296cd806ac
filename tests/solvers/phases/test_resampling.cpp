#include "solvers/phases/resampling.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "particles/lattices.h"

namespace dollop {
namespace {

using lattices::r;

// A model with two columns: J - 1, and a number that only averages. Its energy density is k (J - 1)^2 / 2 + b^2.
template <class S>
struct Plain {
  struct Law {
    S k;
  };
  static void make_law(const double* parameters, void* law) { static_cast<Law*>(law)->k = S(parameters[0]); }
  static void energy(const void* law, S* const* state, std::size_t i, S* density) {
    for (std::size_t n = 0; n < 16; ++n) {
      const S a = state[0][i + n], b = state[1][i + n];
      density[n] = S(0.5) * static_cast<const Law*>(law)->k * a * a + b * b;
    }
  }
  static void volume_ratio(const void*, S* const* state, std::size_t i, S* j) {
    for (std::size_t n = 0; n < 16; ++n) j[n] = 1 + state[0][i + n];
  }
  static void rebuild(const void*, const S* j, S* const* state, std::size_t i, int count) {
    for (int n = 0; n < count; ++n) state[0][i + std::size_t(n)] = j[n] - 1;
  }
  static const MaterialKernels<S>& table() {
    static const MaterialKernels<S> kernels = [] {
      MaterialKernels<S> t{};
      t.name = "plain";
      t.make_law = make_law, t.energy = energy, t.volume_ratio = volume_ratio, t.rebuild = rebuild;
      return t;
    }();
    return kernels;
  }
};

const std::vector<Column> columns = {{"change", 1, 0}, {"other", 1, 0}};
constexpr double inertia = 1e-5;  // [m^2]
using Places = std::vector<Double3>;

// Particles with some mass, velocity and state each, the density that of their group.
template <class S>
State<S> state_of(const std::vector<Places>& groups, const BlockSpace& space = lattices::space()) {
  State<S> state;
  state.particles = ParticleStore<S>(space, 1);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    state.particles.add_group(int(g), affine_column(), columns);
    state.particles.append(int(g), groups[g].data(), groups[g].size());
    auto& group = state.particles.groups()[g];
    for (std::size_t i = 0; i < groups[g].size(); ++i) {
      const Double3& x = groups[g][i];
      const auto wave = [&](int n) {
        return std::sin(x[0] / r / 3 + n) * std::cos(x[1] / r / 4 - n) + 0.1 * n;
      };
      for (int c = 3; c < group.array_count(); ++c) group.reals(c)[i] = S(wave(c));
      const double volume = r * r * r * (1 + 0.3 * wave(1));
      group.reals(ParticleGroup<S>::volume)[i] = S(volume);
      group.reals(ParticleGroup<S>::mass)[i] = S(volume * (g == 0 ? 77.7 : 1000));
      group.reals(group.state_arrays().begin)[i] = S(0.1 * wave(2));
      state.lightest = std::min(state.lightest, double(group.reals(ParticleGroup<S>::mass)[i]));
    }
  }
  EXPECT_FALSE(state.particles.sort());
  state.needs_sort = false;
  return state;
}

template <class S>
std::vector<MaterialBinding<S>> bindings(std::size_t n) {
  MaterialBinding<S> binding{.kernels = &Plain<S>::table(), .parameters = {5e4}};
  binding.make_law();
  return std::vector<MaterialBinding<S>>(n, binding);
}

// sums in extended precision, which are not rounded themselves
struct Totals {
  using Sum = long double;
  Sum mass = 0, volume = 0, current = 0, kinetic = 0, elastic = 0;
  std::array<Sum, 3> momentum{}, angular{}, first_moment{};
};
// mass, volume and momentum of the totals are kept to this
template <class S>
constexpr double exact = std::is_same_v<S, double> ? 1e-14 : 2e-7;

template <class S>
Totals totals(State<S>& state) {
  EXPECT_FALSE(state.particles.sort());
  Totals t;
  for (std::size_t g = 0; g < state.particles.groups().size(); ++g)
    state.particles.each(int(g), [&](std::size_t block, std::size_t i) {
      const auto& group = state.particles.groups()[g];
      const auto real = [&](int c) { return Totals::Sum(group.reals(c)[i]); };
      const auto m = real(6), v = real(7), a = real(group.state_arrays().begin),
                 b = real(group.state_arrays().begin + 1);
      const Double3 x = state.particles.position(int(g), block, i);
      t.mass += m, t.volume += v, t.current += v * (1 + a), t.elastic += v * (2.5e4 * a * a + b * b);
      for (std::size_t d = 0; d < 3; ++d) {
        const int e = int(d + 1) % 3, f = int(d + 2) % 3, c = group.affine_array();
        t.momentum[d] += m * real(3 + int(d)), t.first_moment[d] += m * x[d];
        t.kinetic += 0.5 * m * real(3 + int(d)) * real(3 + int(d));
        t.angular[d] += m * (x[std::size_t(e)] * real(3 + f) - x[std::size_t(f)] * real(3 + e)) +
                        m * inertia * (real(c + 3 * f + e) - real(c + 3 * e + f));
      }
    });
  return t;
}

// what must stay, and what is reported
template <class S>
void expect_conserved(const Totals& before, const Totals& after, const ResampleChange& change) {
  EXPECT_NEAR(after.mass, before.mass, exact<S> * before.mass);
  EXPECT_NEAR(after.volume, before.volume, exact<S> * before.volume);
  EXPECT_NEAR(after.current, before.current, exact<S> * before.volume);
  const double speed = std::sqrt(2 * before.kinetic / before.mass), length = 20 * r;
  const double reported = std::is_same_v<S, double> ? 1e-11 : 1e-6;
  EXPECT_NEAR(change.kinetic_energy, after.kinetic - before.kinetic, reported * before.kinetic);
  EXPECT_NEAR(change.elastic_energy, after.elastic - before.elastic, reported * before.elastic);
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_NEAR(after.momentum[d], before.momentum[d], exact<S> * before.mass * speed);
    EXPECT_NEAR(change.angular_momentum[d], after.angular[d] - before.angular[d],
                reported * before.mass * speed * length);
  }
}

template <class S>
class Resampling : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Resampling, Precisions);

TYPED_TEST(Resampling, leaves_an_undisturbed_body_as_it_is) {
  auto state = state_of<TypeParam>({lattices::cube(12)});
  const auto change = resample(bindings<TypeParam>(1), lattices::nowhere, {1, 0}, inertia, state);
  EXPECT_EQ(change.inserted + change.merged, 0u);
  EXPECT_EQ(change.kinetic_energy, 0);
  EXPECT_FALSE(state.needs_sort);
  EXPECT_EQ(state.particles.size(), 12u * 12 * 12);
}

// strains that open no hole: not a particle more, and not a number of the others changed
TYPED_TEST(Resampling, leaves_a_body_of_small_strains_as_it_is) {
  for (const lattices::Deformation& how :
       {lattices::stretch(1.03), lattices::isochoric(1.15), lattices::shear(0.3), lattices::shear(1)}) {
    auto state = state_of<TypeParam>({lattices::cube(18, how)});
    const Totals before = totals(state);
    const auto change = resample(bindings<TypeParam>(1), lattices::nowhere, {1, 0}, inertia, state);
    EXPECT_EQ(change.inserted + change.merged, 0u);
    EXPECT_FALSE(state.needs_sort);
    EXPECT_EQ(state.particles.size(), 5832u);
    const Totals after = totals(state);
    EXPECT_EQ(after.mass, before.mass);
    EXPECT_EQ(after.current, before.current);
    EXPECT_EQ(after.elastic, before.elastic);
    EXPECT_EQ(after.momentum, before.momentum);
  }
}

TYPED_TEST(Resampling, conserves_mass_volume_and_momentum) {
  auto state = state_of<TypeParam>({lattices::cube(18, lattices::isochoric(1.5, {0.2, 0.5, 0.1}))});
  const double lightest = state.lightest;
  const Totals before = totals(state);
  const auto change = resample(bindings<TypeParam>(1), lattices::nowhere, {1, 0}, inertia, state);
  EXPECT_GE(change.inserted, 1100u);
  EXPECT_LE(change.inserted, 1250u);
  EXPECT_EQ(state.particles.size(), 5832 + change.inserted);
  EXPECT_TRUE(state.needs_sort);
  const Totals after = totals(state);
  expect_conserved<TypeParam>(before, after, change);
  EXPECT_LT(change.kinetic_energy, 0);  // averaging loses energy, and does not make any
  EXPECT_LT(change.elastic_energy, 0);
  EXPECT_GT(change.kinetic_energy, -0.05 * before.kinetic);
  EXPECT_NE(change.angular_momentum[0], 0);
  double least = 1;
  const auto& group = state.particles.groups()[0];
  for (std::size_t i = 0; i < group.size(); ++i) {
    least = std::min(least, double(group.reals(6)[i]));
    ASSERT_NEAR(group.reals(6)[i] / group.reals(7)[i], 77.7, 1e-3);  // nothing is without mass
    for (int c = 0; c < group.array_count(); ++c) ASSERT_TRUE(std::isfinite(group.reals(c)[i]));
  }
  EXPECT_EQ(state.lightest, least);
  EXPECT_LT(state.lightest, lightest);
}

// a second call finds next to nothing, with the points of the first among the particles
TYPED_TEST(Resampling, settles) {
  auto state = state_of<TypeParam>({lattices::cube(18, lattices::isochoric(1.5, {0.2, 0.5, 0.1}))});
  std::vector<std::uint64_t> counts;
  for (std::uint64_t call = 0; call < 3; ++call) {
    counts.push_back(resample(bindings<TypeParam>(1), lattices::nowhere, {1, call}, inertia, state).inserted);
    EXPECT_FALSE(state.particles.sort());
    state.needs_sort = false;
  }
  EXPECT_LT(counts[1], counts[0] / 10);
  EXPECT_LT(counts[2], counts[0] / 10);
}

// constant fields are those of the newcomers too
TYPED_TEST(Resampling, newcomers_have_what_their_donors_have) {
  auto state = state_of<TypeParam>({lattices::cube(14, lattices::isochoric(1.5))});
  auto& group = state.particles.groups()[0];
  for (std::size_t i = 0; i < group.size(); ++i) {
    for (int c = 3; c < group.array_count(); ++c)
      if (c != 6 && c != 7) group.reals(c)[i] = TypeParam(0.01 * c);
    group.reals(group.state_arrays().begin)[i] = TypeParam(-0.25);
  }
  const std::size_t old = group.size();
  ASSERT_GT(resample(bindings<TypeParam>(1), lattices::nowhere, {1, 0}, inertia, state).inserted, 100u);
  for (std::size_t i = old; i < group.size(); ++i) {
    EXPECT_EQ(group.ids()[i], i);  // the next ids, in order
    for (int c = 3; c < group.array_count(); ++c)
      if (c != 6 && c != 7) {
        ASSERT_NEAR(group.reals(c)[i], c == group.state_arrays().begin ? -0.25 : 0.01 * c, 1e-6);
      }
  }
}

// The rule as published, by sums over all particles: means by mass at the 64 nodes around, then between the nodes.
template <class S>
std::vector<double> on_the_grid(State<S>& state, std::size_t g, const Double3& place) {
  const auto spline = [](double x) {
    const double a = std::fabs(x);
    return a < 1 ? 2.0 / 3 - a * a + a * a * a / 2 : a < 2 ? (2 - a) * (2 - a) * (2 - a) / 6 : 0;
  };
  const auto weight = [&](const Double3& x, const Double3& node) {
    double w = 1;
    for (std::size_t d = 0; d < 3; ++d) w *= spline(x[d] / (2 * r) - node[d]);
    return w;
  };
  const auto& group = state.particles.groups()[g];
  std::vector<double> value(std::size_t(group.array_count()), 0.0);
  double total = 0;
  for (int n = 0; n < 64; ++n) {
    const int shift[3] = {n / 16 - 1, n / 4 % 4 - 1, n % 4 - 1};
    Double3 node;
    for (std::size_t d = 0; d < 3; ++d) node[d] = std::floor(place[d] / (2 * r)) + shift[d];
    std::vector<double> sum(value.size(), 0.0);
    double mass = 0;
    state.particles.each(int(g), [&](std::size_t block, std::size_t i) {
      const double m = weight(state.particles.position(int(g), block, i), node) * double(group.reals(6)[i]);
      mass += m;
      for (std::size_t c = 3; c < sum.size(); ++c) sum[c] += m * double(group.reals(int(c))[i]);
    });
    if (mass == 0) continue;
    total += weight(place, node);
    for (std::size_t c = 3; c < sum.size(); ++c) value[c] += weight(place, node) * sum[c] / mass;
  }
  for (double& v : value) v /= total;
  return value;
}

TYPED_TEST(Resampling, newcomers_may_have_what_the_grid_has) {
  std::vector<Places> groups(2);
  for (const Double3& x : lattices::cube(14, lattices::isochoric(1.5, {0.2, 0.3, 0.4})))
    groups[x[1] > 0.3 * r].push_back(x);
  auto before = state_of<TypeParam>(groups), state = state_of<TypeParam>(groups);
  const Totals totals_before = totals(before);
  const auto change = resample(bindings<TypeParam>(2), lattices::nowhere,
                               {.seed = 1, .fields = ResampleFields::grid}, inertia, state);
  ASSERT_GT(change.inserted, 200u);
  const Totals totals_after = totals(state);
  EXPECT_NEAR(totals_after.mass, totals_before.mass, exact<TypeParam> * totals_before.mass);
  EXPECT_NEAR(totals_after.volume, totals_before.volume, exact<TypeParam> * totals_before.volume);
  EXPECT_GT(std::fabs(totals_after.momentum[0] - totals_before.momentum[0]), 1e-5 * totals_before.mass);
  EXPECT_NEAR(change.kinetic_energy, totals_after.kinetic - totals_before.kinetic,
              1e-6 * totals_before.kinetic);
  EXPECT_NEAR(change.elastic_energy, totals_after.elastic - totals_before.elastic,
              1e-6 * totals_before.elastic);
  const std::size_t old = before.particles.size();
  int seen[2] = {};
  for (std::size_t g = 0; g < 2; ++g)
    state.particles.each(int(g), [&](std::size_t block, std::size_t i) {
      const auto& group = state.particles.groups()[g];
      if (group.ids()[i] < old || group.ids()[i] % 8 != 0) return;
      ++seen[g];
      const auto expected = on_the_grid(before, g, state.particles.position(int(g), block, i));
      for (int c = 3; c < group.array_count(); ++c)
        if (c != 6 && c != 7) {
          EXPECT_NEAR(group.reals(c)[i], expected[std::size_t(c)], 2e-6) << c;
        }
    });
  EXPECT_GT(seen[0], 10);
  EXPECT_GT(seen[1], 10);
}

TYPED_TEST(Resampling, materials_keep_their_densities) {
  std::vector<Places> groups(2);
  for (const Double3& x : lattices::cube(18, lattices::isochoric(1.5, {0.1, 0, 0})))
    groups[x[1] > 0].push_back(x);
  auto state = state_of<TypeParam>(groups);
  const Totals before = totals(state);
  double mass[2] = {}, mass_after[2] = {};
  const auto sum = [&](double* to) {
    for (int g = 0; g < 2; ++g) {
      const auto& group = state.particles.groups()[std::size_t(g)];
      for (std::size_t i = 0; i < group.size(); ++i) {
        to[g] += group.reals(6)[i];
        ASSERT_NEAR(group.reals(6)[i] / group.reals(7)[i], g == 0 ? 77.7 : 1000.0, 1e-2);
      }
    }
  };
  sum(mass);
  const auto change = resample(bindings<TypeParam>(2), lattices::nowhere, {1, 0}, inertia, state);
  sum(mass_after);
  expect_conserved<TypeParam>(before, totals(state), change);
  for (int g = 0; g < 2; ++g) {
    EXPECT_GT(state.particles.groups()[std::size_t(g)].size(), groups[std::size_t(g)].size() + 100);
    EXPECT_NEAR(mass_after[g], mass[g], 1e-7 * mass[g]);
  }
}

TYPED_TEST(Resampling, asks_for_blocked_places) {
  auto state = state_of<TypeParam>({lattices::cube(16, lattices::isochoric(1.5))});
  const auto blocked = [](const Double3& x) { return x[2] < 0; };
  ASSERT_GT(resample(bindings<TypeParam>(1), blocked, {1, 0}, inertia, state).inserted, 100u);
  EXPECT_FALSE(state.particles.sort());
  state.particles.each(0, [&](std::size_t block, std::size_t i) {
    const bool fresh = state.particles.groups()[0].ids()[i] >= 16 * 16 * 16;
    EXPECT_TRUE(!fresh || state.particles.position(0, block, i)[2] >= 0);
  });
}

TYPED_TEST(Resampling, merges_coincident_particles) {
  Places places = lattices::cube(6);
  const std::size_t n = places.size();
  places.push_back(places[40]);
  places.push_back({places[100][0] + 0.01 * r, places[100][1], places[100][2] - 0.02 * r});
  auto state = state_of<TypeParam>({places});
  auto& group = state.particles.groups()[0];
  for (std::size_t i = 0; i < group.size(); ++i)
    if (group.ids()[i] >= n)  // unlike their partners
      for (int c = 3; c < group.array_count(); ++c) group.reals(c)[i] *= TypeParam(1.5);
  const Totals before = totals(state);
  const auto change = resample(bindings<TypeParam>(1), lattices::nowhere, {1, 0}, inertia, state);
  EXPECT_EQ(change.merged, 2u);
  EXPECT_EQ(change.inserted, 0u);
  EXPECT_TRUE(state.needs_sort);
  const Totals after = totals(state);
  expect_conserved<TypeParam>(before, after, change);
  for (std::size_t d = 0; d < 3; ++d)
    EXPECT_NEAR(after.first_moment[d], before.first_moment[d], exact<TypeParam> / 2 * before.mass * r * 6);
  EXPECT_LT(change.kinetic_energy, 0);
  ASSERT_EQ(group.size(), n);
  for (std::size_t i = 0; i < n; ++i) EXPECT_LT(group.ids()[i], n);  // the smaller ids stay
  // not if it is not asked for
  auto again = state_of<TypeParam>({places});
  EXPECT_EQ(resample(bindings<TypeParam>(1), lattices::nowhere, {1, 0, false}, inertia, again).merged, 0u);
  EXPECT_EQ(again.particles.size(), n + 2);
}

// a fingerprint of all columns and places by id
template <class S>
std::map<std::uint64_t, std::vector<double>> by_id(State<S>& state) {
  EXPECT_FALSE(state.particles.sort());
  std::map<std::uint64_t, std::vector<double>> all;
  for (std::size_t g = 0; g < state.particles.groups().size(); ++g)
    state.particles.each(int(g), [&](std::size_t block, std::size_t i) {
      const auto& group = state.particles.groups()[g];
      auto& row = all[group.ids()[i]];
      for (const double x : state.particles.position(int(g), block, i)) row.push_back(x);
      for (int c = 3; c < group.array_count(); ++c) row.push_back(double(group.reals(c)[i]));
    });
  return all;
}

template <class S>
void expect_the_same_bits(ResampleFields fields) {
  std::vector<Places> groups(2);
  for (const Double3& x : lattices::cube(16, lattices::isochoric(1.5, {0.4, 0.3, 0.9})))
    groups[x[0] > 0].push_back(x);
  groups[0].push_back(groups[0][77]);
  std::vector<std::map<std::uint64_t, std::vector<double>>> results;
  std::vector<ResampleChange> changes;
  for (const std::size_t threads : {1, 2, 8, 0}) {
    auto state = state_of<S>(groups);
    for (std::size_t g = 0; g < 2 && threads == 0; ++g) {  // each block backwards
      const auto& begin = state.particles.begin(int(g));
      std::vector<std::uint32_t> order(state.particles.groups()[g].size());
      for (std::size_t b = 0; b + 1 < begin.size(); ++b)
        for (std::uint32_t i = begin[b]; i < begin[b + 1]; ++i) order[i] = begin[b + 1] - 1 - (i - begin[b]);
      AlignedArray<S> scratch;
      AlignedArray<std::uint64_t> ids;
      state.particles.groups()[g].reorder(order.data(), scratch, ids);
    }
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism,
                                      std::max<std::size_t>(threads, 1));
    changes.push_back(
        resample(bindings<S>(2), lattices::nowhere, {.seed = 1, .fields = fields}, inertia, state));
    results.push_back(by_id(state));
  }
  EXPECT_GT(changes[0].inserted, 500u);
  EXPECT_EQ(changes[0].merged, 1u);
  for (std::size_t n = 1; n < results.size(); ++n) {
    EXPECT_TRUE(results[n] == results[0]) << n;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(changes[n].kinetic_energy),
              std::bit_cast<std::uint64_t>(changes[0].kinetic_energy));
    EXPECT_EQ(changes[n].elastic_energy, changes[0].elastic_energy);
    EXPECT_EQ(changes[n].angular_momentum, changes[0].angular_momentum);
  }
}

TYPED_TEST(Resampling, gives_the_same_bits_at_any_thread_count_and_in_any_order_of_memory) {
  expect_the_same_bits<TypeParam>(ResampleFields::donors);
  expect_the_same_bits<TypeParam>(ResampleFields::grid);
}

TYPED_TEST(Resampling, conserves_on_a_periodic_axis) {
  Places slab;
  for (const Double3& x : lattices::block(64, 20, 18, lattices::isochoric(1.5, {0.1, 0.2, 0.3})))
    if (x[0] >= 0 && x[0] < 32 * r) slab.push_back(x);
  slab.push_back({0.002 * r, 0.5 * r, 0.5 * r});
  slab.push_back({31.995 * r, 0.5 * r, 0.5 * r});
  auto state = state_of<TypeParam>({slab}, lattices::space({4, 0, 0}));
  const Totals before = totals(state);
  const auto change = resample(bindings<TypeParam>(1), lattices::nowhere, {1, 0}, inertia, state);
  const Totals after = totals(state);
  EXPECT_EQ(change.merged, 1u);
  EXPECT_GT(change.inserted, 500u);
  EXPECT_NEAR(after.mass, before.mass, exact<TypeParam> * before.mass);
  EXPECT_NEAR(after.current, before.current, exact<TypeParam> * before.volume);
  for (std::size_t d = 0; d < 3; ++d)
    EXPECT_NEAR(after.momentum[d], before.momentum[d],
                exact<TypeParam> * std::sqrt(2 * before.kinetic * before.mass));
  EXPECT_NEAR(change.kinetic_energy, after.kinetic - before.kinetic, 1e-6 * before.kinetic);
  // the merged pair lies on the border, not in the middle of the period
  const auto merged = by_id(state).at(slab.size() - 2);
  EXPECT_LT(std::min(std::fabs(merged[0]), std::fabs(merged[0] - 32 * r)), 0.01 * r);
}

}  // namespace
}  // namespace dollop
