// The loops over the nodes of a block or an island: sums of tiles and node boxes, velocities, bounds of the velocity.
// Included by transfers.h, once for each instruction set.
#pragma once

#include <array>
#include <limits>

#include "grid/kernels.h"
#include "grid/stencil.h"

namespace dollop::inline DOLLOP_ISA {

// Fields: momentum with mass and, for FLIP and fading, the impulse in a separate field
template <class S, int K, int Fields>
struct GridLoops {
  using R = Pack<S>;
  using TileType = Tile<K, Fields>;
  static constexpr bool split = Fields == 2;
  static constexpr unsigned all_rows = (1u << block_rows) - 1;

  // Adds the rows of this block that the tile of neighbour O holds. Node l of this block is node l - 4 o of the
  // neighbour, which its tile holds at l - 4 o + 1; along z these are nodes 0..3, 4..7 or only -1 of the neighbour.
  template <int O>
  static DOLLOP_INLINE void add_tile(const TransferArgs<S>& a, int field, int slot,
                                     Row<S> (&sum)[block_rows]) {
    const int neighbour = a.neighbours[neighbour_count * slot + O];
    const int source = neighbour == a.slot_count ? -1 : a.tile_of_slot[neighbour];
    if (source < 0) return;
    constexpr auto offset = neighbour_offset(O);
    constexpr int ox = block_edge * offset[0], oy = block_edge * offset[1], oz = offset[2];
    const S* tile =
        a.tiles + std::size_t(a.storage_of_tile[source]) * TileType::reals + field * TileType::field_stride;
    DOLLOP_UNROLL
    for (int n = 0; n < block_rows; ++n) {
      const int tx = n / block_edge - ox + 1, ty = n % block_edge - oy + 1;
      if (tx < 0 || tx >= TileType::nx || ty < 0 || ty >= TileType::ny) continue;
      const S* row = tile + tx * TileType::slab_stride + ty * TileType::row_stride;
      if constexpr (oz <= 0)
        sum[n] = sum[n] + Row<S>::load(row + node_reals + (oz == 0 ? 0 : row_reals));
      else
        sum[n] = sum[n] + Row<S>::only_last(row);
    }
  }
  // sums the tiles around a slot, always in the same order
  template <int... O>
  static DOLLOP_INLINE void sum_tiles(const TransferArgs<S>& a, int field, int slot, S* out,
                                      std::integer_sequence<int, O...>) {
    Row<S> sum[block_rows];
    DOLLOP_UNROLL
    for (int n = 0; n < block_rows; ++n) sum[n] = Row<S>::zero();
    (add_tile<O>(a, field, slot, sum), ...);
    DOLLOP_UNROLL
    for (int n = 0; n < block_rows; ++n) sum[n].store(out + row_reals * n);
  }

  // where the nodes of a field of a box begin
  static DOLLOP_INLINE S* nodes_of(const TransferArgs<S>& a, const NodeBox& box, int field) {
    return a.box_nodes + node_reals * (box.storage * Fields + std::size_t(field) * box.nodes);
  }

  // Adds the nodes of a box that are in this block, whose first node is at `corner` of the tile's block. Returns the rows
  // that were touched, one bit for each.
  static unsigned add_box(const TransferArgs<S>& a, const NodeBox& box, const std::array<int, 3>& corner,
                          S* momentum, S* impulse) {
    int first[3], begin[3], end[3];  // of the box in the block; of the part within the block, in the box
    for (int d = 0; d < 3; ++d) {
      first[d] = box.first[d] - corner[std::size_t(d)];
      begin[d] = first[d] < 0 ? -first[d] : 0;
      end[d] = first[d] > block_edge - box.count[d] ? block_edge - first[d] : box.count[d];
    }
    if (begin[2] >= end[2]) return 0;
    unsigned touched = 0;
    const auto add = [&](const S* from, S* to) DOLLOP_INLINE_LAMBDA {
      for (int k = begin[2]; k < end[2]; ++k)
        for (int c = 0; c < node_reals; ++c) to[node_reals * k + c] += from[node_reals * k + c];
    };
    const S *p = nodes_of(a, box, 0), *f = split ? nodes_of(a, box, 1) : nullptr;
    for (int i = begin[0]; i < end[0]; ++i)
      for (int j = begin[1]; j < end[1]; ++j) {
        const int row = block_edge * (first[0] + i) + first[1] + j,
                  to = row_reals * row + node_reals * first[2];
        const std::ptrdiff_t from = node_reals * std::ptrdiff_t(box.count[2]) * (i * box.count[1] + j);
        touched |= 1u << row;
        add(p + from, momentum + to);
        if constexpr (split) add(f + from, impulse + to);
      }
    return touched;
  }
  // adds the boxes of the sparse tiles around a slot, always in the same order
  static unsigned add_boxes(const TransferArgs<S>& a, int slot, S* momentum, S* impulse) {
    unsigned touched = 0;
    for (std::uint32_t k = a.first_source[slot]; k < a.first_source[slot + 1]; ++k) {
      const auto [x, y, z] = neighbour_offset(a.sources[k].offset);  // from the slot to the tile
      const std::array<int, 3> corner{-block_edge * x, -block_edge * y, -block_edge * z};
      touched |= add_box(a, a.boxes[a.sources[k].box], corner, momentum, impulse);
    }
    return touched;
  }

  // The velocity of the nodes of a row from momentum p and, for FLIP and fading, the impulse; `old` is the velocity before forces.
  static DOLLOP_INLINE Row<S> row_velocity(const TransferArgs<S>& a, const Row<S>& p, const S* impulse,
                                           Row<S>& old) {
    alignas(64)
        const S kick4[node_reals] = {a.dt * a.gravity[0], a.dt * a.gravity[1], a.dt * a.gravity[2], S(0)};
    const Row<S> kick = Row<S>::repeat4(kick4), m = fourth_of_node(p);
    alignas(64) S only_mass4[node_reals] = {S(0), S(0), S(0), S(1)};
    const Row<S> only_mass = Row<S>::repeat4(only_mass4);
    Row<S> v;
    for (int k = 0; k < Row<S>::parts; ++k) {
      const R zero = R(S(0)), one = R(S(1)), mass = m.part[k];
      const auto empty = mass <= R(a.mass_floor);  // false for NaN, which must not count as empty
      const R inverse = one / select(empty, one, mass);
      const R velocity_before = p.part[k] * inverse * (one - only_mass.part[k]);
      R after = velocity_before + kick.part[k];
      if constexpr (split) {
        old.part[k] = select(empty, zero, velocity_before);
        after = fma(R::load(impulse + k * R::lanes), inverse, after);
      }
      v.part[k] = select(empty, zero, fma(only_mass.part[k], mass, after));
    }
    return v;
  }

  // v_i = ((m v)_i + dt f_i) / m_i + dt g (MPM.7)
  static void tiles_to_slot(const TransferArgs<S>& a, int slot) {
    using Around = std::make_integer_sequence<int, neighbour_count>;
    alignas(64) S momentum[slot_reals], impulse[split ? slot_reals : 1];
    const bool dense = a.dense_near[slot];
    unsigned rows = dense ? all_rows : 0;
    if (dense) {
      sum_tiles(a, 0, slot, momentum, Around{});
      if constexpr (split) sum_tiles(a, 1, slot, impulse, Around{});
    } else {
      for (S& x : momentum) x = S(0);
      for (S& x : impulse) x = S(0);
    }
    rows |= add_boxes(a, slot, momentum, impulse);
    const unsigned cleared = a.rows[slot] & ~rows;  // rows that had mass before
    a.rows[slot] = std::uint16_t(rows);
    S* velocity = a.velocity + std::size_t(slot) * slot_reals;
    S* old_velocity = split ? a.old_velocity + std::size_t(slot) * slot_reals : nullptr;
    for (int row = 0; row < block_rows; ++row) {
      const int n = row * row_reals;
      if (cleared >> row & 1) {
        Row<S>::zero().store(velocity + n);
        if constexpr (split) Row<S>::zero().store(old_velocity + n);
      }
      if (!(rows >> row & 1)) continue;
      Row<S> old;
      row_velocity(a, Row<S>::load(momentum + n), impulse + (split ? n : 0), old).store(velocity + n);
      if constexpr (split) old.store(old_velocity + n);
    }
  }
  // the same for an island: its momentum becomes the velocity, and the impulse the velocity before forces
  static void box_velocity(const TransferArgs<S>& a, int box_index) {
    const NodeBox& box = a.boxes[box_index];
    S *velocity = nodes_of(a, box, 0), *impulse = split ? nodes_of(a, box, 1) : nullptr;
    const int end = node_reals * box.count[0] * box.count[1] * box.count[2];
    for (int n = 0; n < end; n += row_reals) {
      Row<S> old;
      row_velocity(a, Row<S>::load(velocity + n), split ? impulse + n : nullptr, old).store(velocity + n);
      if constexpr (split) old.store(impulse + n);
    }
  }

  // The least and largest velocity of nodes that have mass, and whether all are finite.
  struct Bounds {
    Row<S> least, most, poison;
    Bounds() {
      const R inf = R(std::numeric_limits<S>::infinity());
      for (int k = 0; k < Row<S>::parts; ++k)
        least.part[k] = inf, most.part[k] = -inf, poison.part[k] = R(S(0));
    }
    DOLLOP_INLINE void add(const Row<S>& value, const Row<S>& with_mass) {
      const R inf = R(std::numeric_limits<S>::infinity());
      const Row<S> m = fourth_of_node(with_mass);
      for (int k = 0; k < Row<S>::parts; ++k) {
        const auto full = m.part[k] > R(S(0));
        poison.part[k] += value.part[k] - value.part[k];  // NaN if any node is not finite
        least.part[k] = min(select(full, value.part[k], inf), least.part[k]);
        most.part[k] = max(select(full, value.part[k], -inf), most.part[k]);
      }
    }
    DOLLOP_INLINE void store(S* out) const {
      alignas(64) S low[row_reals], high[row_reals], bad[row_reals];
      least.store(low), most.store(high), poison.store(bad);
      for (int c = 0; c < node_reals; ++c) {
        out[c] = min(min(low[c], low[4 + c]), min(low[8 + c], low[12 + c]));
        out[node_reals + c] = max(max(high[c], high[4 + c]), max(high[8 + c], high[12 + c]));
      }
      out[3] = S(0);
      for (const S b : bad) out[3] += b;
    }
  };
  static void velocity_bounds(const TransferArgs<S>& a, const S* moving, int slot) {
    const S* v = moving + std::size_t(slot) * slot_reals;
    const S* mass = a.velocity + std::size_t(slot) * slot_reals;
    Bounds bounds;
    for (int row = 0; row < block_rows; ++row)
      if (a.rows[slot] >> row & 1)
        bounds.add(Row<S>::load(v + row * row_reals), Row<S>::load(mass + row * row_reals));
    bounds.store(a.bounds + bounds_reals * std::size_t(slot));
  }
  static void box_bounds(const TransferArgs<S>& a, int box_index) {
    const NodeBox& box = a.boxes[box_index];
    const S* velocity = nodes_of(a, box, 0);
    const int end = node_reals * box.count[0] * box.count[1] * box.count[2];
    Bounds bounds;
    for (int n = 0; n < end; n += row_reals) {
      const Row<S> row = Row<S>::load(velocity + n);
      bounds.add(row, row);
    }
    bounds.store(a.bounds + bounds_reals * std::size_t(a.slot_count + box_index));
  }
};

}  // namespace dollop::inline DOLLOP_ISA
