#include "grid/block_grid.h"

#include <tbb/task_arena.h>

#include <algorithm>

#include "core/parallel.h"
#include "grid/key_table.h"

namespace dollop {
namespace {

BlockKey neighbour_key(const BlockSpace& space, const BlockCoord& c, int o) {
  return key_of(space.wrap(neighbour_of(c, o)));
}

// whether stencils of particles in these cells, or a cell away from them, can touch the block at an offset
bool reaches(const OccupiedCells& cells, int stencil, const std::array<int, 3>& offset) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (offset[d] < 0 && cells.low[d] > 0) return false;
    if (offset[d] > 0 && cells.high[d] + stencil < block_edge) return false;
  }
  return true;
}

}  // namespace

void ActiveBlocks::update(const BlockSpace& space, const std::vector<BlockKey>& occupied,
                          const std::vector<OccupiedCells>& occupied_cells, int stencil, bool with_islands) {
  cells = occupied_cells;
  islands = with_islands ? find_islands(occupied, cells, stencil) : Islands{};
  std::vector<char> on_island(occupied.size(), 0);
  for (const std::int32_t t : islands.tiles) on_island[std::size_t(t)] = 1;
  std::size_t expected = 0;
  for (std::size_t t = 0; t < cells.size(); ++t)
    expected += on_island[t] ? 0 : cells[t].sparse ? 12 : neighbour_count;
  KeyTable<std::int32_t> table(expected);
  slots.clear();
  for (std::size_t t = 0; t < occupied.size(); ++t) {
    if (on_island[t]) continue;
    const BlockCoord c = coord_of(occupied[t]);
    for (int o = 0; o < neighbour_count; ++o) {
      if (!reaches(cells[t], stencil, neighbour_offset(o))) continue;
      if (const BlockKey k = neighbour_key(space, c, o); table.insert(k, 0)) slots.push_back(k);
    }
  }
  std::sort(slots.begin(), slots.end());
  const std::int32_t none = std::int32_t(slots.size());
  for (std::int32_t i = 0; i < none; ++i) table[slots[std::size_t(i)]] = i;

  neighbours.resize(neighbour_count * slots.size());
  parallel_for(slots.size(), 64, [&](std::size_t i) {
    const BlockCoord c = coord_of(slots[i]);
    for (int o = 0; o < neighbour_count; ++o)
      neighbours[neighbour_count * i + std::size_t(o)] = table.find(neighbour_key(space, c, o), none);
  });
  tile_of_slot.assign(slots.size(), -1);
  slot_of_tile.assign(occupied.size(), -1);
  for (std::size_t t = 0; t < occupied.size(); ++t) {
    if (on_island[t]) continue;
    slot_of_tile[t] = table.find(occupied[t], none);
    tile_of_slot[std::size_t(slot_of_tile[t])] = std::int32_t(t);
  }
}

// a node box for each island, and for each other sparse tile
template <class S>
void BlockGrid<S>::make_boxes(const ParticleStore<S>& particles) {
  const int stencil = kernels->stencil;
  boxes.clear();
  island_blocks.clear();
  box_of_tile.assign(cells.size(), {});
  std::size_t storage = 0;
  // adds a box for tiles whose cells, counted from the block of the first, are within a range
  const auto add = [&](std::int32_t tile, bool island, const int(&low)[3], const int(&high)[3]) {
    std::uint32_t nodes = 1;  // what follows the last row is added to as well, but zero
    std::uint32_t inside = 1;
    for (int d = 0; d < 3; ++d) inside *= std::uint32_t(high[d] - low[d] + 2 + stencil);
    nodes = (nodes + inside + 3) / 4 * 4;
    boxes.push_back({tile, island, nodes, storage, {0, 0, 0}, {0, 0, 0}});
    storage += nodes;
  };
  for (std::size_t k = 0; k + 1 < islands.begin.size(); ++k) {
    const std::int32_t home = islands.tiles[islands.begin[k]];
    const BlockCoord from = coord_of(particles.blocks()[std::size_t(home)]);
    int low[3] = {127, 127, 127}, high[3] = {-127, -127, -127};
    for (std::uint32_t n = islands.begin[k]; n < islands.begin[k + 1]; ++n) {
      const auto t = std::size_t(islands.tiles[n]);
      const BlockCoord c = coord_of(particles.blocks()[t]);
      box_of_tile[t].box = std::int32_t(boxes.size());
      for (std::size_t d = 0; d < 3; ++d) {
        const int shift = block_edge * (from[d] - c[d]);
        box_of_tile[t].shift[d] = std::int8_t(shift);
        low[d] = std::min(low[d], cells[t].low[d] - shift),
        high[d] = std::max(high[d], cells[t].high[d] - shift);
      }
    }
    add(home, true, low, high);
    island_blocks.push_back(from);
  }
  for (std::size_t t = 0; t < cells.size(); ++t) {
    if (!cells[t].sparse || box_of_tile[t].box >= 0) continue;
    box_of_tile[t].box = std::int32_t(boxes.size());
    const auto& [low, high] = std::pair{cells[t].low, cells[t].high};
    add(std::int32_t(t), false, {low[0], low[1], low[2]}, {high[0], high[1], high[2]});
  }
  const std::size_t reals =
      node_reals * storage * std::size_t(kernels->fields) + row_reals;  // whole rows are read
  if (box_nodes.size() < reals) box_nodes = AlignedArray<S>(reals + reals / 8);
}

// lists, for each slot, the sparse tiles that can reach it, in the order of neighbours, and whether others can
template <class S>
void BlockGrid<S>::find_sources() {
  const std::size_t n = slots.size();
  const int stencil = kernels->stencil;
  dense_tile_of_slot.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t tile = tile_of_slot[i];
    dense_tile_of_slot[i] = tile < 0 || cells[std::size_t(tile)].sparse ? -1 : tile;
  }
  // calls visit(source) for each sparse tile that reaches slot i; true if another tile does
  const auto each_source = [&](std::size_t i, auto&& visit) {
    bool dense = false;
    for (int o = 0; o < neighbour_count; ++o) {
      const auto other = std::size_t(neighbours[neighbour_count * i + std::size_t(o)]);
      const std::int32_t tile = other < n ? tile_of_slot[other] : -1;
      if (tile < 0) continue;
      const auto [x, y, z] = neighbour_offset(o);
      if (!cells[std::size_t(tile)].sparse)
        dense = true;
      else if (reaches(cells[std::size_t(tile)], stencil, {-x, -y, -z}))
        visit(BoxSource{box_of_tile[std::size_t(tile)].box, o});
    }
    return dense;
  };
  dense_near.resize(n);
  first_source.assign(n + 1, 0);
  parallel_for(n, 64, [&](std::size_t i) {
    dense_near[i] = each_source(i, [&](const BoxSource&) { ++first_source[i + 1]; });
  });
  for (std::size_t i = 0; i < n; ++i) first_source[i + 1] += first_source[i];
  sources.resize(first_source[n]);
  parallel_for(n, 64, [&](std::size_t i) {
    std::size_t next = first_source[i];
    each_source(i, [&](const BoxSource& source) { sources[next++] = source; });
  });
}

// Divides the tiles into runs. A run of sparse tiles fills the lanes of the loops; it depends on the number of particles
// in each tile alone. The tiles of an island follow each other, in one run.
template <class S>
void BlockGrid<S>::make_runs(const ParticleStore<S>& particles) {
  constexpr std::uint32_t enough = advance_size;
  const auto count_of = [&](std::size_t t) {
    std::uint32_t count = 0;
    for (std::size_t g = 0; g < particles.groups().size(); ++g)
      count += particles.begin(int(g))[t + 1] - particles.begin(int(g))[t];
    return count;
  };
  runs.clear();
  run_tiles.clear();
  storage_of_tile.resize(cells.size());
  std::uint32_t dense = 0, in_run = 0;
  for (std::size_t t = 0; t < cells.size(); ++t) {
    const std::size_t first = run_tiles.size();
    std::uint32_t count = 0;
    if (!cells[t].sparse) {
      storage_of_tile[t] = dense++;
      run_tiles.push_back(std::int32_t(t));
    } else {
      const std::int32_t box = box_of_tile[t].box;
      if (boxes[std::size_t(box)].tile != std::int32_t(t)) continue;  // it came with the first of its island
      const bool island = boxes[std::size_t(box)].island;
      const std::uint32_t last = island ? islands.begin[std::size_t(box) + 1] : 0;
      for (std::uint32_t n = island ? islands.begin[std::size_t(box)] : 0; n < last; ++n)
        run_tiles.push_back(islands.tiles[n]);
      if (!island) run_tiles.push_back(std::int32_t(t));
      for (std::size_t k = first; k < run_tiles.size(); ++k) count += count_of(std::size_t(run_tiles[k]));
    }
    const auto begin = std::int32_t(first), end = std::int32_t(run_tiles.size());
    if (cells[t].sparse && !runs.empty() && runs.back().sparse && in_run + count <= enough) {
      runs.back().end = end;
      in_run += count;
    } else {
      runs.push_back({begin, end, cells[t].sparse != 0});
      in_run = count;
    }
  }
  // many more tasks than threads, so that no thread waits long for the others
  constexpr std::size_t tasks_per_thread = 16, most_parts = 8;
  const auto wanted = tasks_per_thread * std::size_t(tbb::this_task_arena::max_concurrency());
  parts = int(std::clamp<std::size_t>(wanted / std::max<std::size_t>(1, runs.size()), 1, most_parts));
  reports.resize(runs.size() * std::size_t(parts));
  const std::size_t tile_reals = dense * std::size_t(kernels->tile_reals);
  if (tiles.size() < tile_reals) tiles = AlignedArray<S>(tile_reals + tile_reals / 8);
}

template <class S>
void BlockGrid<S>::update_layout(const ParticleStore<S>& particles) {
  if (order == particles.order()) return;
  order = particles.order();
  if (layout != particles.layout()) {
    layout = particles.layout();
    const bool periodic = space.period != BlockCoord{0, 0, 0};
    update(space, particles.blocks(),
           whole_blocks ? std::vector<OccupiedCells>(particles.blocks().size()) : particles.occupied_cells(),
           kernels->stencil, !whole_blocks && !no_islands && !periodic);
    make_boxes(particles);
    find_sources();
    rows.assign(slots.size(), 0xffff);  // what the arrays hold now belongs to other blocks

    // the arrays only grow; one extra slot stays zero and stands for neighbours that do not exist
    const std::size_t slots_end = slots.size() * slot_reals, field_reals = slots_end + slot_reals;
    const auto fit = [](AlignedArray<S>& array, std::size_t n) {
      if (array.size() < n) array = AlignedArray<S>(n + n / 8);
    };
    fit(velocity, field_reals);
    fit(bounds, bounds_reals * (slots.size() + boxes.size()));
    if (choice.transfer == Transfer::flip) {
      fit(old_velocity, field_reals);
      std::fill_n(old_velocity.data() + slots_end, slot_reals, S(0));
    }
    std::fill_n(velocity.data() + slots_end, slot_reals, S(0));
  }
  make_runs(particles);
}

template <class S>
void BlockGrid<S>::set_loops(TransferArgs<S>& a) {
  a.slot_count = int(slots.size());
  a.neighbours = neighbours.data();
  a.tile_of_slot = dense_tile_of_slot.data();
  a.slot_of_tile = slot_of_tile.data();
  a.runs = runs.data();
  a.run_tiles = run_tiles.data();
  a.box_of_tile = box_of_tile.data();
  a.parts = parts;
  a.cells = cells.data();
  a.storage_of_tile = storage_of_tile.data();
  a.first_source = first_source.data();
  a.sources = sources.data();
  a.dense_near = dense_near.data();
  a.tiles = tiles.data();
  a.boxes = boxes.data();
  a.box_nodes = box_nodes.data();
  a.rows = rows.data();
  a.velocity = velocity.data();
  a.old_velocity = old_velocity.data();
  a.bounds = bounds.data();
  a.reports = reports.data();
}

template <class S>
std::size_t BlockGrid<S>::bytes() const {
  const auto of = [](const auto& list) { return list.size() * sizeof(list[0]); };
  return tiles.bytes() + box_nodes.bytes() + velocity.bytes() + old_velocity.bytes() + bounds.bytes() +
         of(slots) + of(neighbours) + of(tile_of_slot) + of(slot_of_tile) + of(cells) + of(runs) +
         of(reports) + of(dense_tile_of_slot) + of(storage_of_tile) + of(sources) + of(boxes) +
         of(box_of_tile) + of(run_tiles) + of(island_blocks) + of(islands.tiles) + of(dense_near) + of(rows);
}

template struct BlockGrid<float>;
template struct BlockGrid<double>;

}  // namespace dollop
