#include "grid/block_grid.h"

#include <algorithm>

#include "core/parallel.h"
#include "grid/block_set.h"

namespace dollop {
namespace {

// the keys of a block and of those around it
std::array<BlockKey, neighbour_count> keys_around(const BlockSpace& space, const BlockCoord& c) {
  BlockKey bits[3][3];  // of each axis, for the block before, the block itself and the block after
  for (std::size_t d = 0; d < 3; ++d)
    for (int k = 0; k < 3; ++k) {
      BlockCoord other{0, 0, 0},
          only{-block_limit, -block_limit, -block_limit};  // the least number has no bits
      other[d] = c[d] + k - 1;
      only[d] = space.wrap(other)[d];
      bits[d][k] = key_of(only);
    }
  std::array<BlockKey, neighbour_count> keys;
  for (int o = 0; o < neighbour_count; ++o)
    keys[std::size_t(o)] = bits[0][o / 9] | bits[1][o / 3 % 3] | bits[2][o % 3];
  return keys;
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
  BlockSet set(neighbour_count * count_groups(occupied));  // a block reaches the groups around its own
  for (std::size_t t = 0; t < occupied.size(); ++t) {
    if (on_island[t]) continue;
    const auto around = keys_around(space, coord_of(occupied[t]));
    for (int o = 0; o < neighbour_count; ++o)
      if (reaches(cells[t], stencil, neighbour_offset(o))) set.add(around[std::size_t(o)]);
  }
  slots = set.number();
  const std::int32_t none = std::int32_t(slots.size());

  neighbours.resize(neighbour_count * slots.size());
  parallel_for(slots.size(), 64, [&](std::size_t i) {
    const auto around = keys_around(space, coord_of(slots[i]));
    for (std::size_t o = 0; o < neighbour_count; ++o)
      neighbours[neighbour_count * i + o] = set.find(around[o], none);
  });
  tile_of_slot.assign(slots.size(), -1);
  slot_of_tile.assign(occupied.size(), -1);
  for (std::size_t t = 0; t < occupied.size(); ++t) {
    if (on_island[t]) continue;
    slot_of_tile[t] = set.find(occupied[t], none);
    tile_of_slot[std::size_t(slot_of_tile[t])] = std::int32_t(t);
  }
}

template <class S>
std::uint32_t count_in(const ParticleStore<S>& particles, std::size_t tile) {
  std::uint32_t count = 0;
  for (std::size_t g = 0; g < particles.groups().size(); ++g)
    count += particles.begin(int(g))[tile + 1] - particles.begin(int(g))[tile];
  return count;
}

// a node box for each island, and for each other sparse tile
template <class S>
void BlockGrid<S>::make_boxes(const ParticleStore<S>& particles) {
  boxes.clear();
  island_blocks.clear();
  box_of_tile.assign(cells.size(), {});
  for (std::size_t k = 0; k + 1 < islands.begin.size(); ++k) {
    const std::int32_t home = islands.tiles[islands.begin[k]];
    const BlockCoord from = coord_of(particles.blocks()[std::size_t(home)]);
    for (std::uint32_t n = islands.begin[k]; n < islands.begin[k + 1]; ++n) {
      const auto t = std::size_t(islands.tiles[n]);
      const BlockCoord c = coord_of(particles.blocks()[t]);
      box_of_tile[t].box = std::int32_t(boxes.size());
      for (std::size_t d = 0; d < 3; ++d)
        box_of_tile[t].shift[d] = std::int8_t(block_edge * (from[d] - c[d]));
    }
    boxes.push_back({.tile = home, .island = true});
    island_blocks.push_back(from);
  }
  for (std::size_t t = 0; t < cells.size(); ++t) {
    if (!cells[t].sparse || box_of_tile[t].box >= 0) continue;
    box_of_tile[t].box = std::int32_t(boxes.size());
    boxes.push_back({.tile = std::int32_t(t), .island = false});
  }
}

template <class S>
void BlockGrid<S>::find_lone(const ParticleStore<S>& particles) {
  lone.assign(island_count(), 0);
  stored_islands.clear();
  for (std::size_t i = 0; i < island_count(); ++i) {
    const bool one_tile = islands.begin[i + 1] - islands.begin[i] == 1;
    const bool untouched = touched.empty() || !touched[i];
    lone[i] = one_tile && untouched && count_in(particles, std::size_t(boxes[i].tile)) == 1;
    if (!lone[i]) stored_islands.push_back(std::int32_t(i));
  }
}

template <class S>
void BlockGrid<S>::open_boxes(TransferArgs<S>& args) {
  const std::size_t lone_count = island_count() - stored_islands.size();
  if (boxes.size() == lone_count) return;
  parallel_for(first_lone_run, 8, [&](std::size_t r) {
    if (runs[r].kind == RunKind::sparse) kernels->measure_boxes(args, int(r));
  });
  std::size_t nodes = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].island && lone[i]) continue;
    boxes[i].storage = nodes;
    nodes += boxes[i].nodes;
  }
  const std::size_t reals =
      node_reals * nodes * std::size_t(kernels->fields) + row_reals;  // whole rows are read
  if (box_nodes.size() < reals) box_nodes = AlignedArray<S>(reals + reals / 8);
  args.box_nodes = box_nodes.data();
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
  runs.clear();
  run_tiles.clear();
  storage_of_tile.resize(cells.size());
  std::uint32_t dense = 0, in_run = 0;
  const auto add = [&](const std::int32_t* some, std::size_t n, RunKind kind) {
    std::uint32_t count = 0;
    for (std::size_t k = 0; k < n; ++k) count += count_in(particles, std::size_t(some[k]));
    const auto begin = std::int32_t(run_tiles.size()), end = begin + std::int32_t(n);
    run_tiles.insert(run_tiles.end(), some, some + n);
    if (kind != RunKind::dense && !runs.empty() && runs.back().kind == kind && in_run + count <= enough) {
      runs.back().end = end;
      in_run += count;
    } else {
      runs.push_back({begin, end, kind});
      in_run = count;
    }
  };
  for (std::int32_t t = 0; t < std::int32_t(cells.size()); ++t) {
    if (!cells[std::size_t(t)].sparse) {
      storage_of_tile[std::size_t(t)] = dense++;
      add(&t, 1, RunKind::dense);
      continue;
    }
    const auto box = std::size_t(box_of_tile[std::size_t(t)].box);
    if (boxes[box].tile != t || is_lone(std::size_t(t))) continue;  // it came with the first of its island
    if (!boxes[box].island)
      add(&t, 1, RunKind::sparse);
    else
      add(&islands.tiles[islands.begin[box]], islands.begin[box + 1] - islands.begin[box], RunKind::sparse);
  }
  first_lone_run = runs.size();
  for (std::size_t i = 0; i < island_count(); ++i)
    if (lone[i]) add(&boxes[i].tile, 1, RunKind::lone);
  // many more tasks than threads, so that no thread waits long for the others
  constexpr std::size_t tasks_per_thread = 16, most_parts = 8;
  const auto wanted = tasks_per_thread * loop_threads();
  parts = int(std::clamp<std::size_t>(wanted / std::max<std::size_t>(1, runs.size()), 1, most_parts));
  reports.resize(runs.size() * std::size_t(parts));
  const auto work = [&](std::size_t r) {
    constexpr double of_nodes = 30;  // a tile takes about as long as that many particles
    double particles_in = 0;
    for (std::int32_t k = runs[r].begin; k < runs[r].end; ++k)
      particles_in += count_in(particles, std::size_t(run_tiles[std::size_t(k)]));
    return particles_in + of_nodes;
  };
  scatter_shares = LoopAffinity::shares_by_work(first_lone_run, work);
  run_shares = LoopAffinity::shares_by_work(runs.size(), work);
  for (std::size_t& first : run_shares) first *= std::size_t(parts);
  const std::size_t tile_reals = dense * std::size_t(kernels->tile_reals);
  if (tiles.size() < tile_reals) tiles = AlignedArray<S>(tile_reals + tile_reals / 8);
}

template <class S>
void BlockGrid<S>::update_layout(const ParticleStore<S>& particles) {
  if (layout == particles.layout()) return;
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
  if (keeps_residual(choice.transfer)) {
    fit(old_velocity, field_reals);
    std::fill_n(old_velocity.data() + slots_end, slot_reals, S(0));
  }
  std::fill_n(velocity.data() + slots_end, slot_reals, S(0));
}

template <class S>
void BlockGrid<S>::update_runs(const ParticleStore<S>& particles, const std::vector<char>& touched_islands) {
  if (order == particles.order() && touched == touched_islands) return;
  order = particles.order();
  touched = touched_islands;
  find_lone(particles);
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
         of(box_of_tile) + of(run_tiles) + of(island_blocks) + of(islands.tiles) +
         sizeof(std::uint32_t) * island_count() + of(touched) + of(lone) + of(stored_islands) +
         of(dense_near) + of(rows);
}

template struct BlockGrid<float>;
template struct BlockGrid<double>;

}  // namespace dollop
