#include "particles/mass_shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "lattices.h"

namespace dollop {
namespace {

using lattices::r;

// particles of two groups, places in r
template <class S = double>
ParticleStore<S> two_groups(const std::vector<Double3>& first, const std::vector<Double3>& second,
                            const BlockCoord& period = {0, 0, 0}) {
  ParticleStore<S> store(lattices::space(period), 1);
  for (int g = 0; g < 2; ++g) {
    store.add_group(g, {}, {});
    std::vector<Double3> places;
    for (const Double3& x : g == 0 ? first : second) places.push_back({r * x[0], r * x[1], r * x[2]});
    store.append(g, places.data(), places.size());
  }
  EXPECT_FALSE(store.sort());
  return store;
}

std::vector<Dart> darts_at(const ParticleCells& cells, const std::vector<Double3>& places) {
  std::vector<Dart> darts;
  for (const Double3& x : places) {
    const BrickPoint p = to_brick(cells.space(), {r * x[0], r * x[1], r * x[2]});
    darts.push_back({std::uint32_t(cells.bricks().find(p.brick)), p.x});
  }
  return darts;
}

template <class S>
std::uint64_t id(const ParticleCells& cells, const ParticleStore<S>& store, std::uint32_t n) {
  return store.groups()[std::size_t(cells.group(n))].ids()[cells.index(n)];
}

// kept parts by id
template <class S>
std::map<std::uint64_t, double> kept(const ParticleCells& cells, const ParticleStore<S>& store,
                                     const MassShares& s) {
  std::map<std::uint64_t, double> parts;
  for (const Donor& d : s.donors) parts[id(cells, store, d.particle)] = d.kept;
  return parts;
}

// several to a cell, of two groups, some drifted
TEST(ParticleCells, hold_every_particle_once_where_it_is_and_in_the_order_of_ids) {
  std::vector<Double3> places[2];
  for (std::size_t n = 0; n < 4000; ++n)
    places[n % 2].push_back(
        {20 * random_uniform(1, 0, n) - 9, 12 * random_uniform(1, 1, n), 9 * random_uniform(1, 2, n)});
  auto store = two_groups<float>(places[0], places[1], {0, 2, 0});
  for (int g = 0; g < 2; ++g)  // blocks are sorted by cell, so this mixes ids
    for (std::size_t i = 0; i < 2000; ++i) store.groups()[std::size_t(g)].reals(0)[i] += 0.4f;
  const ParticleCells cells(store);
  ASSERT_EQ(cells.size(), 4000u);
  std::vector<int> seen(4000, 0);
  for (const std::uint32_t b : cells.occupied())
    for (std::size_t c = 0; c < brick_size; ++c)
      for (std::uint32_t n = cells.begin(b)[c]; n < cells.begin(b)[c + 1]; ++n) {
        const std::uint64_t own = id(cells, store, n);
        ++seen[own];
        ASSERT_TRUE(n == cells.begin(b)[c] || own > id(cells, store, n - 1));
        const Float3 x = cells.place(n);
        ASSERT_EQ(cell_index(int(x[0]), int(x[1]), int(x[2])), c);
        const Double3 there = to_place(cells.space(), cells.bricks().coord(b), x);
        const Double3& start = places[cells.group(n)][own % 2000];
        ASSERT_NEAR(there[0] / r, start[0] + 0.8, 1e-5);
        ASSERT_NEAR(there[1] / r, start[1], 1e-5);
        ASSERT_NEAR(there[2] / r, start[2], 1e-5);
      }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 4000);
}

TEST(MassShares, a_single_donor_gives_half) {
  const auto store = two_groups({{0.5, 0.5, 0.5}, {4, 0.5, 0.5}}, {});
  const ParticleCells cells(store);
  const MassShares s = share_mass(cells, store, darts_at(cells, {{1.4, 0.5, 0.5}}));
  ASSERT_EQ(s.newcomers.size(), 1u);
  ASSERT_EQ(s.gifts.size(), 1u);
  EXPECT_EQ(s.gifts[0].part, 1);
  EXPECT_NEAR(s.gifts[0].d[0], -0.9, 1e-6);
  EXPECT_EQ(kept(cells, store, s), (std::map<std::uint64_t, double>{{0, 0.5}}));
}

// two newcomers share one donor: it keeps the product of what either would leave it, and splits the rest by 1 / (N + 1)
TEST(MassShares, of_a_shared_donor_are_symmetric) {
  const auto store =
      two_groups({{0.1, 0.5, 0.5}, {1, 0.5, 0.5}, {1.9, 0.5, 0.5}, {2.8, 0.5, 0.5}, {1.9, 1.4, 0.5}}, {});
  const ParticleCells cells(store);
  const auto a = share_mass(cells, store, darts_at(cells, {{0.55, 0.5, 1.3}, {1.9, 0.5, 1.4}}));
  ASSERT_EQ(a.newcomers.size(), 2u);
  EXPECT_EQ(a.gifts_end(0) - a.newcomers[0].gifts, 2u);  // 0 and 1
  EXPECT_EQ(a.gifts_end(1) - a.newcomers[1].gifts, 1u);  // 2
  const auto b = share_mass(cells, store, darts_at(cells, {{1.45, 0.5, 1.3}, {1.9, 0.9, 1.2}}));
  ASSERT_EQ(b.gifts.size(), 4u);  // 1 and 2; 2 and 4
  const auto parts = kept(cells, store, b);
  EXPECT_NEAR(parts.at(1), 2.0 / 3, 1e-15);
  EXPECT_NEAR(parts.at(2), 4.0 / 9, 1e-15);
  EXPECT_NEAR(parts.at(4), 2.0 / 3, 1e-15);
  EXPECT_EQ(b.gifts[1].part, 0.5);
  EXPECT_EQ(b.gifts[2].part, 0.5);
  EXPECT_EQ(b.gifts[0].part, 1);
  EXPECT_EQ(id(cells, store, b.gifts[0].donor), 1u);
  EXPECT_EQ(id(cells, store, b.gifts[1].donor), 2u);
}

TEST(MassShares, all_that_is_given_is_received) {
  const auto store = lattices::store_of<float>(lattices::cube(14, lattices::isochoric(1.5, {0.3, 0.1, 0.7})));
  const ParticleCells cells(store);
  const SphereDistance phi(cells, DistanceUse::depth);
  const auto darts = throw_darts(cells, phi, lattices::nowhere, {3, 0, 3});
  const MassShares s = share_mass(cells, store, darts);
  EXPECT_EQ(s.newcomers.size(), darts.size());
  ASSERT_GT(darts.size(), 100u);
  std::map<std::uint32_t, double> sum;
  for (const Gift& gift : s.gifts) sum[gift.donor] += gift.part;
  ASSERT_EQ(sum.size(), s.donors.size());
  std::size_t n = 0;
  for (const auto& [donor, parts] : sum) {
    EXPECT_EQ(s.donors[n].particle, donor);
    EXPECT_NEAR(parts, 1, 1e-15);
    EXPECT_GT(s.donors[n].kept, 0.05);
    EXPECT_LE(s.donors[n++].kept, 8.0 / 9);
  }
  for (std::size_t p = 0; p < s.newcomers.size(); ++p)
    for (std::size_t k = s.newcomers[p].gifts; k < s.gifts_end(p); ++k) {
      const Float3& d = s.gifts[k].d;
      EXPECT_LT(d[0] * d[0] + d[1] * d[1] + d[2] * d[2], 1);
      if (k == s.newcomers[p].gifts) continue;
      EXPECT_LT(id(cells, store, s.gifts[k - 1].donor), id(cells, store, s.gifts[k].donor));
    }
}

TEST(MassShares, are_taken_from_farther_where_none_is_near_and_else_there_is_no_newcomer) {
  const auto store = two_groups({{0.5, 0.5, 0.5}, {0.5, 0.5, 3.4}, {0.5, 0.5, 7.5}}, {});
  const ParticleCells cells(store);
  const MassShares s =
      share_mass(cells, store, darts_at(cells, {{0.5, 0.5, 5.45}, {0.5, 0.5, 2}, {0.5, 6, 0.5}}));
  ASSERT_EQ(s.newcomers.size(), 1u);
  EXPECT_NEAR(s.newcomers[0].place.x[2], 2, 1e-6);
  EXPECT_EQ(kept(cells, store, s), (std::map<std::uint64_t, double>{{0, 1 - 1.0 / 3}, {1, 1 - 1.0 / 3}}));
}

TEST(MassShares, are_given_within_the_material_of_the_nearest) {
  const auto store = two_groups({{0, 0, 0.9}, {0.95, 0, 0}}, {{0, 0, -0.88}, {0, 0.93, 0}, {0, -0.93, 0}});
  const ParticleCells cells(store);
  const MassShares s = share_mass(cells, store, darts_at(cells, {{0, 0, 0}}));
  ASSERT_EQ(s.newcomers.size(), 1u);
  EXPECT_EQ(s.newcomers[0].group, 1);
  EXPECT_EQ(kept(cells, store, s), (std::map<std::uint64_t, double>{{2, 0.75}, {3, 0.75}, {4, 0.75}}));
  // a tie goes to the smaller id, whatever its place
  const auto tied = two_groups({{0, 0.9, 0}}, {{0, -0.9, 0}});
  const ParticleCells tied_cells(tied);
  EXPECT_EQ(share_mass(tied_cells, tied, darts_at(tied_cells, {{0, 0, 0}})).newcomers[0].group, 0);
}

TEST(ClosePairs, are_mutual_nearest_of_one_material) {
  const auto store = two_groups<float>(
      // a chain of three: the outer one is nearer to the middle than to the other, but the middle prefers the first
      {{0.5, 0.5, 0.5},
       {0.51, 0.5, 0.5},
       {0.53, 0.5, 0.5},
       {3.5, 0.5, 0.5},
       {3.54, 0.5, 0.5},
       {5.5, 0.5, 0.5}},
      {{5.5, 0.5, 0.5}, {7.999, 7.999, 7.999}, {8.001, 8.001, 8.001}});
  const ParticleCells cells(store);
  const auto pairs = find_close_pairs(cells, store);
  ASSERT_EQ(pairs.size(), 2u);
  std::map<std::uint64_t, std::uint64_t> ids;
  for (const ClosePair& p : pairs) {
    ids[id(cells, store, p.stays)] = id(cells, store, p.goes);
    EXPECT_EQ(cells.group(p.stays), cells.group(p.goes));
  }
  EXPECT_EQ(ids, (std::map<std::uint64_t, std::uint64_t>{{0, 1}, {7, 8}}));
  const ClosePair& over_border = id(cells, store, pairs[0].stays) == 7 ? pairs[0] : pairs[1];
  for (const float d : over_border.d) EXPECT_NEAR(d, 0.002, 1e-5);
}

TEST(ClosePairs, reach_over_the_end_of_a_period) {
  const auto store = two_groups({{15.99, 3, 3}, {0.005, 3, 3}}, {}, {2, 0, 0});
  const ParticleCells cells(store);
  const auto pairs = find_close_pairs(cells, store);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(id(cells, store, pairs[0].stays), 0u);
  EXPECT_NEAR(pairs[0].d[0], 0.015, 1e-5);
}

TEST(ClosePairs, there_are_none_in_a_lattice_and_all_in_a_doubled_one) {
  auto places = lattices::cube(9, {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0.5, 0.5, 0.5}});  // on the borders of cells
  const auto single = lattices::store_of<float>(places);
  const ParticleCells single_cells(single);
  EXPECT_TRUE(find_close_pairs(single_cells, single).empty());
  const std::size_t n = places.size();
  for (std::size_t k = 0; k < n; ++k)
    places.push_back({places[k][0] - 0.01 * r, places[k][1] + 0.01 * r, places[k][2]});
  const auto store = lattices::store_of<float>(places);
  const ParticleCells cells(store);
  const auto pairs = find_close_pairs(cells, store);
  EXPECT_EQ(pairs.size(), n);
  for (const ClosePair& p : pairs) EXPECT_EQ(id(cells, store, p.goes), id(cells, store, p.stays) + n);
}

}  // namespace
}  // namespace dollop
