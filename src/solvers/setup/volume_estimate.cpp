#include "solvers/setup/volume_estimate.h"

#include <cmath>
#include <vector>

#include "grid/block_grid.h"
#include "math/bspline.h"

namespace dollop {
namespace {

// calls visit(index, weight) for each node in the stencil of a particle; slots have 64 indices each
template <int K, class Visit>
void each_node(const std::int32_t* around, const double (&x)[3], Visit&& visit) {
  int base[3];
  double w[3][K];
  for (int d = 0; d < 3; ++d) {
    base[d] = int(std::floor(x[d] - BSpline<K>::offset));
    BSpline<K>::weights(x[d] - base[d], w[d]);
  }
  for (int i = 0; i < K; ++i)
    for (int j = 0; j < K; ++j)
      for (int k = 0; k < K; ++k) {
        const int n[3] = {base[0] + i, base[1] + j, base[2] + k};
        const auto [neighbour, node] = node_around(n);
        visit(std::size_t(around[neighbour]) * block_nodes + node, w[0][i] * w[1][j] * w[2][k]);
      }
}

template <int K, class S>
void estimate(ParticleStore<S>& store) {
  ActiveBlocks grid;
  grid.update(store.space(), store.blocks(), store.occupied_cells(), K, false);
  std::vector<double> node_mass((grid.slots.size() + 1) * block_nodes, 0.0);
  const auto each_particle = [&](auto&& visit) {
    for (std::size_t g = 0; g < store.groups().size(); ++g)
      store.each(int(g), [&](std::size_t block, std::size_t i) {
        ParticleGroup<S>& group = store.groups()[g];
        const double x[3] = {double(group.reals(0)[i]), double(group.reals(1)[i]), double(group.reals(2)[i])};
        visit(group, i, grid.neighbours.data() + neighbour_count * std::size_t(grid.slot_of_tile[block]), x);
      });
  };
  each_particle([&](auto& group, std::size_t i, const std::int32_t* around, const double(&x)[3]) {
    const double mass = group.reals(ParticleGroup<S>::mass)[i];
    each_node<K>(around, x, [&](std::size_t node, double w) { node_mass[node] += w * mass; });
  });
  const double cell = std::pow(store.space().cell_size, 3);
  each_particle([&](auto& group, std::size_t i, const std::int32_t* around, const double(&x)[3]) {
    double density = 0;
    each_node<K>(around, x, [&](std::size_t node, double w) { density += w * node_mass[node] / cell; });
    group.reals(ParticleGroup<S>::volume)[i] = S(double(group.reals(ParticleGroup<S>::mass)[i]) / density);
  });
}

}  // namespace

template <class S>
void estimate_volumes(Kernel kernel, ParticleStore<S>& particles) {
  if (kernel == Kernel::cubic)
    estimate<4>(particles);
  else
    estimate<3>(particles);
}

template void estimate_volumes(Kernel, ParticleStore<float>&);
template void estimate_volumes(Kernel, ParticleStore<double>&);

}  // namespace dollop
