// Clouds of particles, and checks of the invariants of a store after sort().
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include "core/random.h"
#include "particles/particle_store.h"
#include "worse_of.h"

namespace dollop {

// fewer particles in debug builds, where every operation is checked
constexpr std::size_t cloud_size(std::size_t n) {
#ifdef DOLLOP_DEBUG
  return n / 10;
#else
  return n;
#endif
}

inline const std::vector<Column> strain_column = {{"strain", 6, 0}};

struct Cloud {
  Double3 center;  // [m]
  double radius;   // [m]
};

// random positions, uniform in a cube
inline std::vector<Double3> scatter(const Cloud& cloud, std::size_t n, std::uint64_t seed) {
  std::vector<Double3> places(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t d = 0; d < 3; ++d)
      places[i][d] = cloud.center[d] + cloud.radius * (2 * random_uniform(seed, d, i) - 1);
  return places;
}

// dense clusters of very different size, far from each other and on either side of zero
inline std::vector<Double3> clustered(std::size_t n, std::uint64_t seed) {
  const Cloud spots[] = {{{0, 0, 0}, 0.7}, {{-3, 2, -1}, 0.02}, {{1e4, -1e4, 0}, 0.4}, {{-1e4, 5, 1e4}, 3}};
  std::vector<Double3> places;
  for (std::size_t k = 0; k < std::size(spots); ++k)
    for (const Double3& x : scatter(spots[k], n / std::size(spots), seed + k)) places.push_back(x);
  for (std::size_t i = 1; i < places.size(); ++i)
    std::swap(places[i], places[random_bits(seed, 9, i) % (i + 1)]);
  return places;
}

// appends particles, and fills every column but the position with numbers that depend on the id
template <class S>
void append_marked(ParticleStore<S>& store, int group, const std::vector<Double3>& places) {
  const std::size_t first = store.append(group, places.data(), places.size());
  ParticleGroup<S>& particles = store.groups()[std::size_t(group)];
  for (std::size_t i = first; i < particles.size(); ++i)
    for (int k = 3; k < particles.array_count(); ++k)
      particles.reals(k)[i] = S(double(particles.ids()[i]) + 0.01 * k);
}

// every number the store holds, as bytes
template <class S>
std::vector<unsigned char> bytes_of(const ParticleStore<S>& store) {
  std::vector<unsigned char> bytes;
  const auto add = [&](const void* data, std::size_t size) {
    const auto* b = static_cast<const unsigned char*>(data);
    bytes.insert(bytes.end(), b, b + size);
  };
  for (std::size_t g = 0; g < store.groups().size(); ++g) {
    const auto& group = store.groups()[g];
    for (int k = 0; k < group.array_count(); ++k) add(group.reals(k), group.size() * sizeof(S));
    add(group.ids(), group.size() * sizeof(std::uint64_t));
    add(store.begin(int(g)).data(), store.begin(int(g)).size() * sizeof(std::uint32_t));
  }
  add(store.blocks().data(), store.blocks().size() * sizeof(BlockKey));
  return bytes;
}

// ids in the order in memory
template <class S>
std::vector<std::vector<std::uint64_t>> order_of(const ParticleStore<S>& store) {
  std::vector<std::vector<std::uint64_t>> order;
  for (const auto& group : store.groups()) order.emplace_back(group.ids(), group.ids() + group.size());
  return order;
}

template <class S>
int cell_of(const ParticleGroup<S>& group, std::size_t i, double offset) {
  int cell = 0;
  for (int d = 0; d < 3; ++d) {
    const S home = std::floor(group.reals(d)[i] - S(offset));
    if (!(home >= 0 && home < 4)) return -1;  // not in its block
    cell = 4 * cell + int(home);
  }
  return cell;
}

// Every particle is in its block, blocks are in key order, cells are in order, and within a cell the order is that of
// before (a stable sort).
template <class S>
void expect_sorted(const ParticleStore<S>& store, double offset,
                   const std::vector<std::vector<std::uint64_t>>& before) {
  const auto& blocks = store.blocks();
  for (std::size_t b = 1; b < blocks.size(); ++b) EXPECT_LT(blocks[b - 1], blocks[b]);
  std::vector<std::size_t> held(blocks.size(), 0);
  for (std::size_t g = 0; g < store.groups().size(); ++g) {
    const ParticleGroup<S>& group = store.groups()[g];
    const auto& begin = store.begin(int(g));
    ASSERT_EQ(begin.size(), blocks.size() + 1);
    EXPECT_EQ(begin.front(), 0u);
    EXPECT_EQ(begin.back(), group.size());
    std::map<std::uint64_t, std::size_t> rank;
    for (std::size_t i = 0; i < before[g].size(); ++i) rank[before[g][i]] = i;
    ASSERT_EQ(rank.size(), group.size());
    std::size_t outside = 0, disordered = 0, unstable = 0, unknown = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      ASSERT_LE(begin[b], begin[b + 1]);
      held[b] += begin[b + 1] - begin[b];
      int last_cell = -1;
      for (std::size_t i = begin[b]; i < begin[b + 1]; ++i) {
        const int cell = cell_of(group, i, offset);
        outside += cell < 0;
        disordered += cell < last_cell;
        unknown += !rank.count(group.ids()[i]);
        unstable += cell == last_cell && rank[group.ids()[i]] < rank[group.ids()[i - 1]];
        last_cell = cell;
      }
    }
    EXPECT_EQ(outside, 0u) << "not in their block";
    EXPECT_EQ(disordered, 0u) << "not sorted by cell";
    EXPECT_EQ(unstable, 0u) << "order within a cell changed";
    EXPECT_EQ(unknown, 0u) << "new ids";
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) EXPECT_GT(held[b], 0u) << "empty block";
}

// positions and the other columns belong to the id of the particle; `places` are the expected positions by id [cells]
template <class S>
void expect_preserved(const ParticleStore<S>& store, const std::map<std::uint64_t, Double3>& places,
                      double tolerance_cells) {
  const BlockSpace& space = store.space();
  std::size_t count = 0, foreign = 0;
  double worst = 0;
  for (std::size_t g = 0; g < store.groups().size(); ++g) {
    const ParticleGroup<S>& group = store.groups()[g];
    store.each(int(g), [&](std::size_t b, std::size_t i) {
      ++count;
      const Double3& expected = places.at(group.ids()[i]);
      const BlockCoord block = coord_of(store.blocks()[b]);
      const Double3 world = store.position(int(g), b, i);
      for (std::size_t d = 0; d < 3; ++d) {
        double error = 4.0 * block[d] + double(group.reals(int(d))[i]) - expected[d];
        if (space.period[d]) error = std::remainder(error, 4.0 * space.period[d]);
        worst = tests::worse_of(worst, std::fabs(error));
        EXPECT_EQ(world[d], space.to_world(block[d], group.reals(int(d))[i], d));
      }
      for (int k = 3; k < group.array_count(); ++k)
        foreign += group.reals(k)[i] != S(double(group.ids()[i]) + 0.01 * k);
    });
  }
  EXPECT_EQ(count, places.size());
  EXPECT_EQ(foreign, 0u) << "columns of another particle";
  EXPECT_LE(worst, tolerance_cells);
}

// the positions of the particles by id, without rounding [cells]
template <class S>
std::map<std::uint64_t, Double3> places_of(const ParticleStore<S>& store) {
  std::map<std::uint64_t, Double3> places;
  for (std::size_t g = 0; g < store.groups().size(); ++g)
    store.each(int(g), [&](std::size_t b, std::size_t i) {
      const BlockCoord block = coord_of(store.blocks()[b]);
      Double3& x = places[store.groups()[g].ids()[i]];
      for (std::size_t d = 0; d < 3; ++d) x[d] = 4.0 * block[d] + double(store.groups()[g].reals(int(d))[i]);
    });
  return places;
}

}  // namespace dollop
