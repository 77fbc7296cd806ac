#include "particles/survey.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "math/bspline.h"
#include "particles/survey_pieces.h"
#include "particles/survey_volume.h"

namespace dollop {
namespace {

using NodeMasses = std::array<double, block_nodes>;  // of the grid nodes of a block, which is a brick [kg]

// adds the mass of a particle at x, in grid cells from the block, to the nodes of its stencil that are in the block
template <int K>
void scatter(const double (&x)[3], double mass, NodeMasses& nodes) {
  int base[3];
  double w[3][K];
  for (int d = 0; d < 3; ++d) {
    base[d] = int(std::floor(x[d] - BSpline<K>::offset));
    BSpline<K>::weights(x[d] - base[d], w[d]);
  }
  const auto low = [&](int d) { return std::max(0, -base[d]); };
  const auto high = [&](int d) { return std::min(K, 4 - base[d]); };
  for (int i = low(0); i < high(0); ++i)
    for (int j = low(1); j < high(1); ++j)
      for (int k = low(2); k < high(2); ++k)
        nodes[std::size_t((base[0] + i) * 16 + (base[1] + j) * 4 + base[2] + k)] +=
            mass * w[0][i] * w[1][j] * w[2][k];
}

// Densities of the nodes of a brick that are two cells and more below the surface. Nodes of the grid are every
// second node of the distance, and two cells are its band: no crossing of the surface is nearer.       (RES.10)
template <int K, class S>
std::vector<double> interior_densities(const ParticleStore<S>& store, const ParticleCells& cells,
                                       const SphereDistance& distance, std::size_t brick) {
  std::array<bool, block_nodes> interior{};
  bool any = false;
  for (int n = 0; n < block_nodes; ++n) {
    interior[std::size_t(n)] =
        distance.value(brick, 2 * (n / 16), 2 * (n / 4 % 4), 2 * (n % 4)) <= -distance_band;
    any = any || interior[std::size_t(n)];
  }
  const std::int32_t home = any ? cells.bricks().find(distance.bricks().coord(brick)) : BrickMap::none;
  if (home == BrickMap::none) return {};

  // particles whose support includes the nodes are within two cells of them
  NodeMasses masses{};
  cells.each_run(std::size_t(home), {-4, -4, -4}, {11, 11, 11},
                 [&](std::uint32_t begin, std::uint32_t end, const Float3& shift) {
                   for (std::uint32_t n = begin; n < end; ++n) {
                     double x[3];
                     for (int d = 0; d < 3; ++d)
                       x[d] = 0.5 * (double(cells.x(d)[n]) + double(shift[std::size_t(d)]));
                     const auto& group = store.groups()[std::size_t(cells.group(n))];
                     scatter<K>(x, double(group.reals(ParticleGroup<S>::mass)[cells.index(n)]), masses);
                   }
                 });
  std::vector<double> densities;
  const double volume = std::pow(store.space().cell_size, 3);
  for (std::size_t n = 0; n < block_nodes; ++n)
    if (interior[n]) densities.push_back(masses[n] / volume);
  return densities;
}

template <int K, class S>
void survey_density(const ParticleStore<S>& store, const ParticleCells& cells, const SphereDistance& distance,
                    Survey& result) {
  std::vector<std::vector<double>> bricks(distance.bricks().size());
  parallel_for(bricks.size(), 1,
               [&](std::size_t b) { bricks[b] = interior_densities<K>(store, cells, distance, b); });
  double sum = 0, least = std::numeric_limits<double>::infinity(), largest = 0;
  std::size_t count = 0, close = 0;
  for (const auto& brick : bricks)
    for (const double density : brick) {
      sum += density, ++count;
      least = std::min(least, density), largest = std::max(largest, density);
    }
  if (count == 0) return;
  const double mean = sum / double(count);
  for (const auto& brick : bricks)
    for (const double density : brick) close += std::fabs(density - mean) <= 0.05 * mean;
  result.density_mean = mean, result.density_min = least, result.density_max = largest;
  result.density_within = double(close) / double(count);
}

}  // namespace

template <class S>
Survey survey(const ParticleStore<S>& store, Kernel kernel) {
  const ParticleCells cells(store);
  const SphereDistance distance(cells, DistanceUse::everything);
  const double r = cells.radius();
  Survey result;
  if (cells.size() == 0) return result;
  result.volume = body_volume(cells, distance) * r * r * r;
  if (kernel == Kernel::cubic)
    survey_density<4>(store, cells, distance, result);
  else
    survey_density<3>(store, cells, distance, result);
  result.voids = void_volume(cells, distance) * r * r * r;
  result.pieces = count_pieces(cells);
  result.longest_thread = longest_thread(cells, distance) * r;
  return result;
}

template Survey survey(const ParticleStore<float>&, Kernel);
template Survey survey(const ParticleStore<double>&, Kernel);

}  // namespace dollop
