#include "particles/particle_cells.h"

#include <algorithm>
#include <limits>

#include "core/parallel.h"

namespace dollop {
namespace {

// the largest position in a brick: rounding must not move a particle to the far side, which belongs to the next brick
const float last_place = std::nextafter(float(brick_width), 0.0f);

// the particles of one store block that are in one brick
struct Piece {
  BlockKey brick;
  std::uint32_t block, code;  // code: which of the bricks around the block
  std::uint32_t count;
};

struct Member {
  std::uint32_t index;
  std::uint16_t group, where;  // where: as in Places
};

// brick and cell of every particle: 512 * code of the brick + cell, for all groups one after the other
struct Places {
  std::vector<std::size_t> first;  // of each group
  std::vector<std::uint16_t> where;
};

template <class S>
float place_in_brick(S x, int brick) {  // x relative to the block [grid cells], brick relative to it [blocks]
  return std::min(float((x - S(4 * brick)) * S(2)), last_place);
}

// finds brick and cell of the particles of a block and counts the particles in each brick around it
template <class S>
void locate(const ParticleStore<S>& store, std::size_t block, Places& places,
            std::array<std::uint32_t, neighbour_count>& counts) {
  counts.fill(0);
  bool near = true;
  for (std::size_t g = 0; g < store.groups().size(); ++g) {
    const ParticleGroup<S>& group = store.groups()[g];
    const S* x[3] = {group.reals(0), group.reals(1), group.reals(2)};
    const auto& begin = store.begin(int(g));
    for (std::size_t i = begin[block]; i < begin[block + 1]; ++i) {
      int code = 0, cell = 0;
      for (int d = 0; d < 3; ++d) {
        near = near && x[d][i] >= S(-4) && x[d][i] < S(8);
        const int brick = x[d][i] < S(0) ? -1 : x[d][i] >= S(4);
        code = 3 * code + brick + 1;
        cell = 8 * cell + int(place_in_brick(x[d][i], brick));
      }
      places.where[places.first[g] + i] = std::uint16_t(code << 9 | cell);
      ++counts[std::size_t(code)];
    }
  }
  DOLLOP_ASSERT(near);  // the store is sorted: no particle is farther than a margin from its block
}

template <class S>
std::vector<Piece> find_pieces(const ParticleStore<S>& store, Places& places) {
  std::size_t total = 0;
  for (const auto& group : store.groups()) {
    places.first.push_back(total);
    total += group.size();
  }
  DOLLOP_ASSERT(total < (std::size_t(1) << 32) && store.groups().size() < (1 << 16));
  places.where.resize(total);
  std::vector<std::array<std::uint32_t, neighbour_count>> counts(store.blocks().size());
  parallel_for(counts.size(), 8, [&](std::size_t b) { locate(store, b, places, counts[b]); });
  std::vector<Piece> pieces;
  for (std::size_t b = 0; b < counts.size(); ++b) {
    const BlockCoord home = coord_of(store.blocks()[b]);
    for (int c = 0; c < neighbour_count; ++c)
      if (const std::uint32_t n = counts[b][std::size_t(c)]) {
        const BlockCoord brick = neighbour_of(home, c);
        pieces.push_back({key_of(store.space().wrap(brick)), std::uint32_t(b), std::uint32_t(c), n});
      }
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.brick < b.brick; });
  return pieces;
}

// the particles of a piece
template <class S>
void collect(const ParticleStore<S>& store, const Places& places, const Piece& piece,
             std::vector<Member>& members) {
  for (std::size_t g = 0; g < store.groups().size(); ++g) {
    const auto& begin = store.begin(int(g));
    const std::uint16_t* where = places.where.data() + places.first[g];
    for (std::uint32_t i = begin[piece.block]; i < begin[piece.block + 1]; ++i)
      if (std::uint32_t(where[i]) >> 9 == piece.code) members.push_back({i, std::uint16_t(g), where[i]});
  }
}

// the bricks and all their neighbours
std::vector<BlockKey> dilated(const std::vector<BlockKey>& keys, const BlockSpace& space) {
  std::vector<BlockKey> all = keys;
  for (const BlockKey key : keys) {
    const BlockCoord c = coord_of(key);
    for (int n = 0; n < neighbour_count; ++n) {
      const BlockKey other = key_of(space.wrap(neighbour_of(c, n)));
      if (!std::binary_search(keys.begin(), keys.end(), other)) all.push_back(other);
    }
  }
  return all;
}

}  // namespace

BrickMap::BrickMap(std::vector<BlockKey> keys, const BlockSpace& space)
    : space_(space), keys_(std::move(keys)) {
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  around_.resize(neighbour_count * keys_.size());
  parallel_for(keys_.size(), 32, [&](std::size_t b) {
    const BlockCoord c = coord(b);
    for (int n = 0; n < neighbour_count; ++n)
      around_[neighbour_count * b + std::size_t(n)] =
          n == neighbour_self ? std::int32_t(b) : find(neighbour_of(c, n));
  });
}

std::int32_t BrickMap::find(BlockCoord block) const {
  block = space_.wrap(block);
  for (const std::int32_t a : block)
    if (a < -block_limit || a >= block_limit) return none;
  const BlockKey key = key_of(block);
  const auto found = std::lower_bound(keys_.begin(), keys_.end(), key);
  return found != keys_.end() && *found == key ? std::int32_t(found - keys_.begin()) : none;
}

BrickPoint to_brick(const BlockSpace& space, const Double3& place) {
  BrickPoint p;
  for (std::size_t d = 0; d < 3; ++d) {
    const double x = space.to_cells(place[d], d), brick = std::floor(x / 4);
    p.brick[d] = std::int32_t(brick);
    p.x[d] = std::min(float(2 * (x - 4 * brick)), last_place);
  }
  return p;
}

Double3 to_place(const BlockSpace& space, const BlockCoord& brick, const Float3& x) {
  return {space.to_world(brick[0], 0.5 * double(x[0]), 0), space.to_world(brick[1], 0.5 * double(x[1]), 1),
          space.to_world(brick[2], 0.5 * double(x[2]), 2)};
}

template <class S>
ParticleCells::ParticleCells(const ParticleStore<S>& store) {
  Places places;
  const std::vector<Piece> pieces = find_pieces(store, places);
  std::vector<BlockKey> keys;
  std::vector<std::size_t> first_piece;
  std::vector<std::uint32_t> first;
  std::uint32_t total = 0;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    if (k == 0 || pieces[k].brick != pieces[k - 1].brick) {
      keys.push_back(pieces[k].brick);
      first_piece.push_back(k);
      first.push_back(total);
    }
    total += pieces[k].count;
  }
  first_piece.push_back(pieces.size());
  map_ = BrickMap(dilated(keys, store.space()), store.space());
  row_.resize(map_.size(), 0);
  for (const BlockKey key : keys) {
    occupied_.push_back(std::uint32_t(map_.find(coord_of(key))));
    row_[occupied_.back()] = std::uint32_t(occupied_.size());
  }
  begin_.resize((occupied_.size() + 1) * (brick_size + 1));
  for (auto& x : x_) x.resize(total);
  index_.resize(total);
  group_.resize(total);
  parallel_for(occupied_.size(), 4, [&](std::size_t b) {
    thread_local std::vector<Member> members;
    members.clear();
    for (std::size_t k = first_piece[b]; k < first_piece[b + 1]; ++k)
      collect(store, places, pieces[k], members);
    fill(store, members, first[b], begin_.data() + (b + 1) * (brick_size + 1));
  });
}

// a counting sort of the members of a brick by cell
template <class S, class Members>
void ParticleCells::fill(const ParticleStore<S>& store, const Members& members, std::uint32_t first,
                         std::uint32_t* begin) {
  for (const Member& m : members) ++begin[(m.where & 511) + 1];
  begin[0] = first;
  for (std::size_t c = 0; c < brick_size; ++c) begin[c + 1] += begin[c];
  std::array<std::uint32_t, brick_size> next;
  std::copy(begin, begin + brick_size, next.begin());
  for (const Member& m : members) {
    const ParticleGroup<S>& group = store.groups()[m.group];
    const int cell = m.where & 511, code = m.where >> 9;
    const auto away = neighbour_offset(code);
    // inserted behind the particles of the cell with lower ids, so that the order in memory does not matter
    std::uint32_t n = next[std::size_t(cell)]++;
    for (; n > begin[cell] && store.groups()[group_[n - 1]].ids()[index_[n - 1]] > group.ids()[m.index];
         --n) {
      for (auto& x : x_) x[n] = x[n - 1];
      index_[n] = index_[n - 1], group_[n] = group_[n - 1];
    }
    for (std::size_t d = 0; d < 3; ++d) x_[d][n] = place_in_brick(group.reals(int(d))[m.index], away[d]);
    index_[n] = m.index, group_[n] = m.group;
  }
}

template ParticleCells::ParticleCells(const ParticleStore<float>&);
template ParticleCells::ParticleCells(const ParticleStore<double>&);

}  // namespace dollop
