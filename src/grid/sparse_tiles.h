// The particles of a run of tiles, and the node boxes of sparse tiles.
// Included by transfers.h, once for each instruction set.
#pragma once

#include "grid/node_loops.h"

namespace dollop::inline DOLLOP_ISA {

// Calls visit(group, tile, first particle, count) for batches of up to advance_size particles, of one part of a run: by
// groups within tiles that follow each other in memory. The tile is the first of these.
template <class S, class Visit>
DOLLOP_INLINE void each_batch(const TransferArgs<S>& a, const TileRun& run, int part, int parts,
                              Visit&& visit) {
  for (std::int32_t n = run.begin, next; n < run.end; n = next) {
    const std::int32_t t = a.run_tiles[n];
    for (next = n + 1; next < run.end && a.run_tiles[next] == t + (next - n);) ++next;
    for (int k = 0; k < a.group_count; ++k) {
      const GroupView<S>& g = a.groups[k];
      const std::size_t first = g.begin[t], last = g.begin[t + (next - n)];
      const std::size_t batches = (last - first + advance_size - 1) / advance_size;
      const std::size_t from = first + batches * std::size_t(part) / std::size_t(parts) * advance_size;
      const std::size_t past = first + batches * std::size_t(part + 1) / std::size_t(parts) * advance_size;
      const std::size_t end = past < last ? past : last;
      for (std::size_t i = from; i < end; i += advance_size)
        visit(g, t, i, int(end - i < advance_size ? end - i : advance_size));
    }
  }
}

// The tile and the node box of each particle of a chunk of sparse tiles, and its position: relative to the box if that
// is an island, else to the block.
template <class S>
struct SparseChunk {
  alignas(64) S x[3][chunk_size] = {};
  std::int32_t tile[chunk_size], box[chunk_size];

  // `t` is a tile at or before that of the first particle, i
  void find(const TransferArgs<S>& a, const GroupView<S>& g, std::int32_t t, std::size_t i, int count) {
    for (int p = 0; p < count; ++p) {
      while (i + std::size_t(p) >= g.begin[t + 1]) ++t;
      const BoxOfTile& of = a.box_of_tile[t];
      const NodeBox& nodes = a.boxes[of.box];
      tile[p] = t, box[p] = of.box;
      for (int d = 0; d < 3; ++d)
        x[d][p] = g.x[d][i + std::size_t(p)] - S(nodes.island ? nodes.first[d] + of.shift[d] : 0);
    }
  }
};

// What the particles of sparse tiles scatter.
template <class S, int K, int Fields>
struct NodeBoxes {
  using TileType = Tile<K, Fields>;
  using Grid = GridLoops<S, K, Fields>;

  // calls visit(box, first, last) for the boxes of a run of sparse tiles, whose tiles are this part of the list of tiles
  template <class Visit>
  static DOLLOP_INLINE void each_box(const TransferArgs<S>& a, const TileRun& run, Visit&& visit) {
    for (std::int32_t n = run.begin, next; n < run.end; n = next) {
      const int index = a.box_of_tile[a.run_tiles[n]].box;
      for (next = n + 1; next < run.end && a.box_of_tile[a.run_tiles[next]].box == index;) ++next;
      visit(a.boxes[index], n, next);
    }
  }

  // finds the nodes that the particles of each box touch
  static void measure(const TransferArgs<S>& a, int run_index) {
    each_box(a, a.runs[run_index], [&](NodeBox& box, std::int32_t first, std::int32_t last) {
      int low[3] = {127, 127, 127}, high[3] = {-127, -127, -127};
      for (std::int32_t n = first; n < last; ++n) {
        const std::int32_t t = a.run_tiles[n];
        for (int k = 0; k < a.group_count; ++k)
          for (std::size_t i = a.groups[k].begin[t]; i < a.groups[k].begin[t + 1]; ++i)
            for (int d = 0; d < 3; ++d) {
              // a particle is at most a cell away from its cells; if its position is not a number, anywhere among them
              const S home = floor(a.groups[k].x[d][i] - S(BSpline<K>::offset));
              const S least = S(a.cells[t].low[d] - 1), most = S(a.cells[t].high[d] + 1);
              const int cell =
                  int(home >= least ? (home <= most ? home : most) : least) - a.box_of_tile[t].shift[d];
              if (cell < low[d]) low[d] = cell;
              if (cell > high[d]) high[d] = cell;
            }
      }
      std::uint32_t inside = 1;
      for (int d = 0; d < 3; ++d) {
        const bool none = low[d] > high[d];  // its particles have been removed
        box.first[d] = std::int8_t(none ? 0 : low[d]);
        box.count[d] = std::int8_t(none ? K : high[d] - low[d] + K);
        inside *= std::uint32_t(box.count[d]);
      }
      // what follows the last row is added to as well, but zero; whole rows are emptied
      box.nodes = (inside + 1 + block_edge - 1) / block_edge * block_edge;
    });
  }

  static void clear(const TransferArgs<S>& a, const TileRun& run) {
    each_box(a, run, [&](const NodeBox& box, std::int32_t, std::int32_t) {
      S* nodes = Grid::nodes_of(a, box, 0);
      for (std::uint32_t k = 0; k < node_reals * Fields * box.nodes; k += row_reals)
        Row<S>::zero().store(nodes + k);
    });
  }

  // moves the nodes of the stencil that begins at `key` from a tile into a box, and leaves zeros
  static void move_from_tile(const TransferArgs<S>& a, const NodeBox& box, std::int32_t key, S* tile) {
    const int node[3] = {key / TileType::slab_stride, key % TileType::slab_stride / TileType::row_stride,
                         key % TileType::row_stride / node_reals};
    int at[3];
    for (int d = 0; d < 3; ++d) {
      at[d] = node[d] - TileType::margin - (box.island ? 0 : box.first[d]);
      if (at[d] < 0 || at[d] > box.count[d] - K) at[d] = 0;  // the step is about to be rejected
    }
    for (int field = 0; field < Fields; ++field)
      for (int i = 0; i < K; ++i)
        for (int j = 0; j < K; ++j) {
          S* from = tile + field * TileType::field_stride + key + i * TileType::slab_stride +
                    j * TileType::row_stride;
          S* to = Grid::nodes_of(a, box, field) +
                  node_reals * (((at[0] + i) * box.count[1] + at[1] + j) * box.count[2] + at[2]);
          (Row<S>::load(to) + Row<S>::load(from)).store(to);
          Row<S>::zero().store(from);
        }
  }
};

}  // namespace dollop::inline DOLLOP_ISA
