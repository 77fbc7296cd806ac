#include "solvers/phases/node_velocity.h"

#include <algorithm>
#include <cmath>

#include "boundary/rigid.h"
#include "math/bspline.h"

namespace dollop {

using V3 = Vec3<double>;

namespace {

constexpr double least_weight = 0.05;  // of the nodes with mass that a velocity is found from         (EMB.4)
constexpr double regularisation =
    1e-2;  // of the second moments, over those of a full stencil          (EMB.3)

// the position of a place within its stencil along one axis
template <int K>
struct Axis {
  std::int32_t block;  // of the first node
  int first;           // node in the block
  double f;            // distance to the first node
  double w[4] = {0, 0, 0, 0};

  explicit Axis(double cells) {
    const double base = std::floor(cells - BSpline<K>::offset);
    const auto node = std::int64_t(base);
    block = std::int32_t(node >> 2), first = int(node & 3);
    f = cells - base;
    BSpline<K>::weights(f, w);
  }
};

}  // namespace

// The stencil of a place, and sums over those of its nodes that have mass.
template <class S>
struct NodeVelocity<S>::Around {
  int first[3];
  double f[3], w[3][4];
  double enough_mass;
  int count = 0;
  bool full = true;  // every node has its whole weight
  // sums over nodes of omega (1, d) (1, v)^T, and of omega d d^T: xx yy zz xy xz yz; d: from the place to the node [cells]
  double sum[4][4] = {}, spread[6] = {};

  // node i, j, k of the stencil
  template <class T>
  void add(int i, int j, int k, double mass, const T* velocity) {
    const double share = mass < enough_mass ? mass / enough_mass : 1;  // (EMB.2)
    full = full && share == 1;
    ++count;
    const double d[3] = {i - f[0], j - f[1], k - f[2]}, omega = share * w[0][i] * w[1][j] * w[2][k];
    const double moment[4] = {omega, omega * d[0], omega * d[1], omega * d[2]};
    const double v[4] = {1, double(velocity[0]), double(velocity[1]), double(velocity[2])};
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b) sum[a][b] += moment[a] * v[b];
    for (int a = 0; a < 3; ++a) spread[a] += moment[1 + a] * d[a];
    spread[3] += moment[1] * d[1], spread[4] += moment[1] * d[2], spread[5] += moment[2] * d[2];
  }
  V3 weighted_velocity() const { return {sum[0][1], sum[0][2], sum[0][3]}; }

  // the affine fit at the place itself                                                                  (EMB.3)
  std::optional<V3> fitted(double inertia) const {
    const double total = sum[0][0];
    if (!(total > least_weight)) return {};
    const V3 offset = (1 / total) * V3{sum[1][0], sum[2][0], sum[3][0]},
             velocity = (1 / total) * weighted_velocity();
    SymMat3<double> about_mean = SymMat3<double>::diagonal(regularisation * inertia * total);
    about_mean =
        about_mean +
        SymMat3<double>{spread[0] - total * offset.x * offset.x, spread[1] - total * offset.y * offset.y,
                        spread[2] - total * offset.z * offset.z, spread[3] - total * offset.x * offset.y,
                        spread[4] - total * offset.x * offset.z, spread[5] - total * offset.y * offset.z};
    const Mat3<double> moments = make_mat3<double>(
        [&](int row, int col) { return sum[1 + col][1 + row] - total * velocity[row] * offset[col]; });
    return velocity - moments * (to_mat3(inverse(about_mean)) * offset);
  }
};

// finds the blocks and islands around a block
template <class S>
void NodeVelocity<S>::move_to(const BlockCoord& block, NodeCursor& cursor) const {
  if (cursor.valid && cursor.block == block) return;
  cursor.valid = true, cursor.block = block;
  const BlockGrid<S>& blocks = grid_.blocks;
  const auto index_of = [](const std::vector<BlockKey>& keys, BlockKey key) {
    const auto it = std::lower_bound(keys.begin(), keys.end(), key);
    return it != keys.end() && *it == key ? std::int32_t(it - keys.begin()) : -1;
  };
  for (int n = 0; n < 8; ++n) {
    const BlockCoord c =
        blocks.space.wrap({block[0] + (n >> 2), block[1] + (n >> 1 & 1), block[2] + (n & 1)});
    cursor.slot[std::size_t(n)] = index_of(blocks.slots, key_of(c));
  }
  cursor.islands.clear();
  if (blocks.island_count() == 0) return;
  std::vector<std::int32_t> boxes;
  for (int n = 0; n < neighbour_count; ++n) {
    const std::int32_t tile = index_of(state_.particles.blocks(), key_of(neighbour_of(block, n)));
    if (tile < 0 || blocks.slot_of_tile[std::size_t(tile)] >= 0) continue;
    const std::int32_t box = blocks.box_of_tile[std::size_t(tile)].box;
    if (std::find(boxes.begin(), boxes.end(), box) != boxes.end()) continue;
    boxes.push_back(box), cursor.islands.push_back(std::size_t(tile));
  }
}

template <class S>
template <int K>
void NodeVelocity<S>::add_slots(const NodeCursor& cursor, Around& around) const {
  const BlockGrid<S>& blocks = grid_.blocks;
  for (int i = 0; i < K; ++i)
    for (int j = 0; j < K; ++j)
      for (int k = 0; k < K; ++k) {
        const int x = around.first[0] + i, y = around.first[1] + j, z = around.first[2] + k;
        const std::int32_t slot = cursor.slot[std::size_t((x >> 2) * 4 + (y >> 2) * 2 + (z >> 2))];
        if (slot < 0) continue;
        const std::size_t at =
            slot_reals * std::size_t(slot) +
            node_reals * std::size_t((x & 3) * block_rows + (y & 3) * block_edge + (z & 3));
        const double mass = blocks.velocity[at + 3];
        if (!(mass > grid_.args.mass_floor)) continue;
        around.add(i, j, k, mass, moving_.data() + at);
      }
}

// the nodes of the island that a tile is part of
template <class S>
template <int K>
void NodeVelocity<S>::add_island(std::size_t tile, const BlockCoord& block, Around& around) const {
  const BlockGrid<S>& blocks = grid_.blocks;
  const auto island = std::size_t(blocks.box_of_tile[tile].box);
  const NodeBox& box = blocks.boxes[island];
  int shift[3];  // from the first node of the box to that of the stencil
  for (std::size_t d = 0; d < 3; ++d)
    shift[d] = block_edge * (block[d] - blocks.island_blocks[island][d]) + around.first[d] - box.first[d];
  const S* nodes = blocks.box_nodes.data() + node_reals * (box.storage * std::size_t(blocks.kernels->fields));
  for (int i = 0; i < K; ++i)
    for (int j = 0; j < K; ++j)
      for (int k = 0; k < K; ++k) {
        const int x = shift[0] + i, y = shift[1] + j, z = shift[2] + k;
        if (x < 0 || y < 0 || z < 0 || x >= box.count[0] || y >= box.count[1] || z >= box.count[2]) continue;
        const S* v = nodes + node_reals * ((x * box.count[1] + y) * box.count[2] + z);
        if (double(v[3]) > grid_.args.mass_floor) around.add(i, j, k, double(v[3]), v);
      }
}

// The nodes that a lone particle would have, which move as it does.
template <class S>
template <int K>
void NodeVelocity<S>::add_lone(std::size_t tile, const BlockCoord& block, Around& around) const {
  const BlockCoord own = coord_of(state_.particles.blocks()[tile]);
  for (std::size_t g = 0; g < state_.particles.groups().size(); ++g) {
    const ParticleGroup<S>& group = state_.particles.groups()[g];
    const auto& begin = state_.particles.begin(int(g));
    for (std::size_t p = begin[tile]; p < begin[tile + 1]; ++p) {
      double w[3][8] = {};  // of the particle, at the nodes of the stencil of the place
      for (std::size_t d = 0; d < 3; ++d) {
        const Axis<K> axis(double(group.reals(int(d))[p]));
        const int shift = block_edge * (own[d] + axis.block - block[d]) + axis.first - around.first[d];
        for (int n = 0; n < K; ++n)
          if (shift + n >= 0 && shift + n < K) w[d][shift + n] = axis.w[n];
      }
      const S v[3] = {group.reals(3)[p], group.reals(4)[p], group.reals(5)[p]};
      const double mass = double(group.reals(ParticleGroup<S>::mass)[p]);
      for (int i = 0; i < K; ++i)
        for (int j = 0; j < K; ++j)
          for (int k = 0; k < K; ++k)
            if (const double m = mass * w[0][i] * w[1][j] * w[2][k]; m > grid_.args.mass_floor)
              around.add(i, j, k, m, v);
    }
  }
}

template <class S>
template <int K>
std::optional<V3> NodeVelocity<S>::interpolate(const Double3& x, double enough_mass,
                                               NodeCursor& cursor) const {
  const BlockSpace& space = grid_.blocks.space;
  Around around;
  around.enough_mass = enough_mass;
  BlockCoord block;
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis<K> axis(space.to_cells(x[d], d));
    block[d] = axis.block, around.first[d] = axis.first, around.f[d] = axis.f;
    std::copy_n(axis.w, 4, around.w[d]);
  }
  if (!BlockSpace::in_range(block)) return {};
  move_to(block, cursor);
  add_slots<K>(cursor, around);
  for (const std::size_t tile : cursor.islands)
    grid_.blocks.is_lone(tile) ? add_lone<K>(tile, block, around) : add_island<K>(tile, block, around);
  if (around.count == K * K * K && around.full) return around.weighted_velocity();  // (EMB.1)
  return around.fitted(1 / BSpline<K>::inverse_inertia);
}

template <class S>
std::optional<V3> NodeVelocity<S>::at(const Double3& x, double enough_mass, NodeCursor& cursor) const {
  return grid_.blocks.kernels->stencil == 4 ? interpolate<4>(x, enough_mass, cursor)
                                            : interpolate<3>(x, enough_mass, cursor);
}

template class NodeVelocity<float>;
template class NodeVelocity<double>;

}  // namespace dollop
