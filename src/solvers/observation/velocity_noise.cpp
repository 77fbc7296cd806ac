#include "solvers/observation/velocity_noise.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "solvers/setup/particle_sums.h"

namespace dollop {
namespace {

constexpr int cube_edge = 2;                            // [cells]
constexpr int cubes_of_block = block_edge / cube_edge;  // along an edge
constexpr int bias = 64;                                // makes numbers of cubes in a block positive bytes
constexpr std::size_t least_particles = 8;              // the fit takes half of their freedom at most
constexpr double least_freedom = 0.25;                  // for masses so unequal that one decides
constexpr double least_extent = 1e-9;                   // [cells]: above rounding, below what float resolves

// Particles of one group and one block of the store that are in one cube.
struct Share {
  BlockKey block;            // that the cube is part of
  std::uint32_t begin, end;  // in the order of the group by cubes
  std::uint16_t group;
  std::uint8_t corner;                // which of the cubes of its block
  std::array<std::int8_t, 3> middle;  // [cells]: of the cube, from the first node of the particles' block
  bool same_cube(const Share& other) const { return block == other.block && corner == other.corner; }
  bool operator<(const Share& other) const {
    return std::tie(block, corner, group, begin) <
           std::tie(other.block, other.corner, other.group, other.begin);
  }
};

using Order = std::vector<std::uint32_t>;  // the particles of a group, those of a block by cubes

// Splits the particles of a block among cubes.
template <class S>
class BlockSplit {
 public:
  BlockSplit(const ParticleStore<S>& store, std::size_t group, Order& order)
      : store_(store), group_(group), order_(order) {}

  void split(std::size_t block, std::vector<Share>& shares) {
    const auto& first = store_.begin(int(group_));
    const ParticleGroup<S>& particles = store_.groups()[group_];
    keys_.clear();
    for (std::uint32_t i = first[block]; i < first[block + 1]; ++i) {
      std::uint64_t cube = 0;
      for (int d = 0; d < 3; ++d)
        cube = cube << 8 | std::uint64_t(double(particles.reals(d)[i]) / cube_edge + bias);
      keys_.push_back(cube << 32 | i);
    }
    std::sort(keys_.begin(), keys_.end());
    const BlockCoord coord = coord_of(store_.blocks()[block]);
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      const auto at = std::uint32_t(first[block] + k);
      order_[at] = std::uint32_t(keys_[k]);
      if (k == 0 || keys_[k] >> 32 != keys_[k - 1] >> 32) shares.push_back(share(coord, keys_[k] >> 32, at));
      shares.back().end = at + 1;
    }
  }

 private:
  Share share(BlockCoord block, std::uint64_t cube, std::uint32_t begin) const {
    Share s{0, begin, begin, std::uint16_t(group_), 0, {}};
    for (std::size_t d = 0; d < 3; ++d) {
      const int c = int(cube >> (16 - 8 * d) & 255) - bias;
      block[d] += (c + bias) / cubes_of_block - bias / cubes_of_block;  // rounded down
      s.corner = std::uint8_t(cubes_of_block * s.corner + (c + bias) % cubes_of_block);
      s.middle[d] = std::int8_t(cube_edge * c + cube_edge / 2);
    }
    s.block = key_of(store_.space().wrap(block));
    return s;
  }

  const ParticleStore<S>& store_;
  std::size_t group_;
  Order& order_;
  std::vector<std::uint64_t> keys_;  // cube, then particle
};

template <class S>
std::vector<Share> shares_of_cubes(const ParticleStore<S>& store, std::vector<Order>& orders) {
  std::vector<Share> shares;
  for (std::size_t g = 0; g < store.groups().size(); ++g) {
    Order& order = orders.emplace_back(store.groups()[g].size());
    const auto split_blocks = [&](std::size_t begin, std::size_t end, std::vector<Share>& part) {
      BlockSplit<S> blocks(store, g, order);
      for (std::size_t b = begin; b < end; ++b) blocks.split(b, part);
    };
    for (const auto& part :
         sums_of_pieces(store.begin(int(g)).size() - 1, 64, std::vector<Share>{}, split_blocks))
      shares.insert(shares.end(), part.begin(), part.end());
  }
  tbb::parallel_sort(shares.begin(), shares.end());  // no two are equal, so there is one order
  return shares;
}

// Over cubes: mass, and mass times the mean square of the noise
struct NoiseSums {
  double mass = 0, square = 0;
};

// The particles of a cube: columns of which the fit is taken out.
class Cube {
 public:
  void clear() {
    mass_.clear();
    for (auto& column : columns_) column.clear();
  }

  template <class S>
  void add(const ParticleGroup<S>& group, const Order& order, const Share& share) {
    for (std::uint32_t k = share.begin; k < share.end; ++k) {
      const std::uint32_t i = order[k];
      mass_.push_back(group.reals(ParticleGroup<S>::mass)[i]);
      for (std::size_t d = 0; d < 3; ++d) {
        columns_[d].push_back(double(group.reals(int(d))[i]) - share.middle[d]);
        columns_[3 + d].push_back(group.reals(ParticleGroup<S>::velocity + int(d))[i]);
      }
    }
  }

  void measure(NoiseSums& sum) {
    if (mass_.size() < least_particles) return;
    double mass = 0;
    for (const double m : mass_) mass += m;
    if (!(mass > 0)) return;
    for (double& w : mass_) w /= mass;  // small masses have squares that are 0

    double freedom = 1 - take_means();
    for (std::size_t d = 0; d < 3; ++d) freedom -= take_axis(d);
    double left = 0;  // sum of w |residual|^2                                                        (VN.2)
    for (std::size_t k = 0; k < mass_.size(); ++k)
      left += mass_[k] * (columns_[3][k] * columns_[3][k] + columns_[4][k] * columns_[4][k] +
                          columns_[5][k] * columns_[5][k]);
    if (freedom < least_freedom || !std::isfinite(left)) return;
    sum.mass += mass, sum.square += mass * left / freedom;  //                                        (VN.3-4)
  }

 private:
  // Takes the constant out of all columns, as differences from the first particle: equal velocities leave zero exactly.
  // Returns what it takes of the freedom, sum of w^2.
  double take_means() {
    double taken = 0;
    for (const double w : mass_) taken += w * w;
    for (auto& column : columns_) {
      const double first = column.front();
      double mean = 0;
      for (std::size_t k = 0; k < mass_.size(); ++k) mean += mass_[k] * (column[k] -= first);
      for (double& value : column) value -= mean;
    }
    return taken;
  }

  // Takes what is along an axis out of the columns after it: a step of the modified Gram-Schmidt method, for which the
  // particles may lie nearly in a plane. Returns what it takes of the freedom; 0 if there is no extent.
  double take_axis(std::size_t axis) {
    const std::vector<double>& q = columns_[axis];
    double norm = 0, taken = 0;
    std::array<double, 6> along{};
    for (std::size_t k = 0; k < mass_.size(); ++k) {
      const double wq = mass_[k] * q[k];
      norm += wq * q[k], taken += wq * wq;
      for (std::size_t c = axis + 1; c < 6; ++c) along[c] += wq * columns_[c][k];
    }
    if (norm <= least_extent * least_extent) return 0;
    for (std::size_t c = axis + 1; c < 6; ++c)
      for (std::size_t k = 0; k < mass_.size(); ++k) columns_[c][k] -= along[c] / norm * q[k];
    return taken / norm;
  }

  std::vector<double> mass_;                    // later as parts of the whole, w
  std::array<std::vector<double>, 6> columns_;  // place from the middle [cells], velocity [m/s]
};

}  // namespace

template <class S>
double velocity_noise(const ParticleStore<S>& store) {
  std::vector<Order> orders;
  const std::vector<Share> shares = shares_of_cubes(store, orders);
  const auto measure_cubes = [&](std::size_t begin, std::size_t end, NoiseSums& sum) {
    Cube cube;
    for (std::size_t k = begin; k < end; ++k) {
      if (k > 0 && shares[k].same_cube(shares[k - 1])) continue;  // of a cube that began before
      cube.clear();
      for (std::size_t s = k; s < shares.size() && shares[s].same_cube(shares[k]); ++s)
        cube.add(store.groups()[shares[s].group], orders[shares[s].group], shares[s]);
      cube.measure(sum);
    }
  };
  NoiseSums sum;
  for (const NoiseSums& part : sums_of_pieces(shares.size(), 256, NoiseSums{}, measure_cubes))
    sum.mass += part.mass, sum.square += part.square;
  return sum.mass > 0 ? std::sqrt(sum.square / sum.mass) : 0;
}

template double velocity_noise(const ParticleStore<float>&);
template double velocity_noise(const ParticleStore<double>&);

}  // namespace dollop
