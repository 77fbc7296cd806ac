#include "grid/block_grid.h"

#include <algorithm>
#include <bit>

#include "core/hash.h"
#include "core/parallel.h"

namespace dollop {
namespace {

// Open addressing from key to index; keys are never removed.
class KeyTable {
 public:
  explicit KeyTable(std::size_t expected) : slots_(std::bit_ceil(2 * expected + 16), {empty, 0}) {}

  bool insert(BlockKey key, std::int32_t value) {
    auto& slot = slots_[place(key)];
    const bool fresh = slot.first == empty;
    if (fresh) slot = {key, value};
    return fresh;
  }
  void assign(BlockKey key, std::int32_t value) { slots_[place(key)] = {key, value}; }
  std::int32_t find(BlockKey key, std::int32_t otherwise) const {
    const auto& slot = slots_[place(key)];
    return slot.first == empty ? otherwise : slot.second;
  }

 private:
  static constexpr BlockKey empty = ~BlockKey(0);
  std::size_t place(BlockKey key) const {
    std::size_t i = mix(key) & (slots_.size() - 1);
    while (slots_[i].first != empty && slots_[i].first != key) i = (i + 1) & (slots_.size() - 1);
    return i;
  }
  std::vector<std::pair<BlockKey, std::int32_t>> slots_;
};

BlockKey neighbour_key(const BlockSpace& space, const BlockCoord& c, int o) {
  return key_of(space.wrap(neighbour_of(c, o)));
}

}  // namespace

void ActiveBlocks::update(const BlockSpace& space, const std::vector<BlockKey>& occupied) {
  // active: every block that the stencil of a particle can touch, also after a drift of one cell
  KeyTable table(neighbour_count * occupied.size());
  slots.clear();
  for (const BlockKey key : occupied) {
    const BlockCoord c = coord_of(key);
    for (int o = 0; o < neighbour_count; ++o)
      if (const BlockKey k = neighbour_key(space, c, o); table.insert(k, 0)) slots.push_back(k);
  }
  std::sort(slots.begin(), slots.end());
  const std::int32_t none = std::int32_t(slots.size());
  for (std::int32_t i = 0; i < none; ++i) table.assign(slots[std::size_t(i)], i);

  neighbours.resize(neighbour_count * slots.size());
  parallel_for(slots.size(), 64, [&](std::size_t i) {
    const BlockCoord c = coord_of(slots[i]);
    for (int o = 0; o < neighbour_count; ++o)
      neighbours[neighbour_count * i + std::size_t(o)] = table.find(neighbour_key(space, c, o), none);
  });
  tile_of_slot.assign(slots.size(), -1);
  slot_of_tile.resize(occupied.size());
  for (std::size_t t = 0; t < occupied.size(); ++t) {
    slot_of_tile[t] = table.find(occupied[t], none);
    tile_of_slot[std::size_t(slot_of_tile[t])] = std::int32_t(t);
  }
}

template <class S>
void BlockGrid<S>::update_layout(const ParticleStore<S>& particles) {
  if (layout == particles.layout()) return;
  layout = particles.layout();
  update(space, particles.blocks());
  const std::size_t tile_count = slot_of_tile.size();

  // the arrays only grow; one extra slot stays zero and stands for neighbours that do not exist
  const std::size_t tile_reals = tile_count * std::size_t(kernels->tile_reals);
  const std::size_t slots_end = slots.size() * slot_reals, field_reals = slots_end + slot_reals;
  const auto fit = [](AlignedArray<S>& array, std::size_t n) {
    if (array.size() < n) array = AlignedArray<S>(n + n / 8);
  };
  fit(tiles, tile_reals);
  fit(velocity, field_reals);
  fit(bounds, bounds_reals * slots.size());
  if (choice.transfer == Transfer::flip) {
    fit(old_velocity, field_reals);
    std::fill_n(old_velocity.data() + slots_end, slot_reals, S(0));
  }
  std::fill_n(velocity.data() + slots_end, slot_reals, S(0));
  reports.resize(tile_count);
}

template <class S>
std::size_t BlockGrid<S>::bytes() const {
  return tiles.bytes() + velocity.bytes() + old_velocity.bytes() + bounds.bytes() +
         (neighbours.size() + tile_of_slot.size() + slot_of_tile.size()) * sizeof(std::int32_t) +
         slots.size() * sizeof(BlockKey) + reports.size() * sizeof(TileReport<S>);
}

template struct BlockGrid<float>;
template struct BlockGrid<double>;

}  // namespace dollop
