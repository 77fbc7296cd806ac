// Gather, from tiles to particles, for one combination of kernel, transfer and force form, and the table of all loops.
// Included by choose_transfers.h and implicit.h, once for each instruction set.
#pragma once

#include "grid/moments.h"
#include "grid/scatter.h"
#include "math/inverse.h"
#include "math/vec.h"

namespace dollop::inline DOLLOP_ISA {

template <class S, int K, Carry C, ForceForm F, bool TwoVelocities>
struct Transfers {
  using R = Pack<S>;
  static constexpr bool affine = is_affine(C), mls = F == ForceForm::mls, flip = C == Carry::flip,
                        fading = C == Carry::fading, old = keeps_own(C);
  // the terms gathered: velocity and C from one field, the velocity gradient from the same or a second one
  static constexpr bool second = TwoVelocities || fading;
  static constexpr Terms strain_terms = {true, mls, !mls};
  static constexpr Terms velocity_terms = {true, affine || mls, !mls && !(second && affine)};
  static constexpr int strain_field = 1, pair_field = flip ? 1 + second : -1;
  using BackTile = Tile<K, 1 + second + flip>;
  static constexpr Weights back_weights = {true, !mls, false, flip};
  using BackStencil = Stencil<S, BackTile, back_weights>;

  using Out = Scatter<S, K, C, F>;
  using Grid = GridLoops<S, K, Out::OutTile::fields>;

  // --- grid to particles -----------------------------------------------------------------------------------

  // Some rows of a tile.
  struct Rows {
    int x_begin = 0, x_end = BackTile::nx, y_begin = 0, y_end = BackTile::ny;
  };

  // The velocity of the nodes that the particles of a block can reach. FLIP needs v - r v^old as well: its x
  // is the fourth number of the velocity, y and z are a field of pairs (gather_pairs). The fading transfer needs it
  // instead, and the velocity as the one that strains.
  static DOLLOP_INLINE void load_tile(const TransferArgs<S>& a, [[maybe_unused]] const S* moving, int slot,
                                      const Rows& rows, S* tile) {
    for (int i = rows.x_begin; i < rows.x_end; ++i) {
      const int x = i - 1, bx = (x + block_edge) / block_edge, lx = x + block_edge * (1 - bx);
      Row<S> before[3];
      for (auto& row : before) row = Row<S>::zero();
      for (int j = rows.y_end - 1; j >= rows.y_begin; --j) {
        const int y = j - 1, by = (y + block_edge) / block_edge, ly = y + block_edge * (1 - by);
        const std::int32_t* z = a.neighbours + neighbour_count * std::size_t(slot) + 9 * bx + 3 * by;
        S* to = tile + i * BackTile::slab_stride + j * BackTile::row_stride;
        for (int k = 0; k < 3; ++k) {
          const std::size_t at =
              std::size_t(z[k]) * slot_reals + std::size_t(row_reals * (block_edge * lx + ly));
          Row<S> v = Row<S>::load(a.velocity + at);
          if constexpr (flip) {
            const Row<S> change = fma(-a.residual_kept, Row<S>::load(a.old_velocity + at), v);
            v = shuffle_nodes<0, 1, 2, 4>(v, change);
            put(shuffle_nodes<1, 5, 2, 6>(change, before[k]), k, to + pair_field * BackTile::field_stride);
            before[k] = change;
          }
          if constexpr (second) put(Row<S>::load(moving + at), k, to + strain_field * BackTile::field_stride);
          if constexpr (fading) v = fma(-a.residual_kept, Row<S>::load(a.old_velocity + at), v);
          put(v, k, to);
        }
      }
    }
  }
  // the same for the nodes of an island, from the second node of the tile on along each axis
  static void load_island(const TransferArgs<S>& a, const NodeBox& box, S* tile) {
    const S *v = Grid::nodes_of(a, box, 0), *v_old = old ? Grid::nodes_of(a, box, 1) : nullptr;
    for (int i = 0; i < box.count[0]; ++i) {
      Row<S> before[2] = {Row<S>::zero(), Row<S>::zero()};
      for (int j = box.count[1] - 1; j >= 0; --j) {
        const std::ptrdiff_t at = node_reals * std::ptrdiff_t(box.count[2]) * (i * box.count[1] + j);
        S* to = tile + (i + BackTile::margin) * BackTile::slab_stride +
                (j + BackTile::margin) * BackTile::row_stride + BackTile::margin * node_reals;
        for (int k = 0; k < 2 && block_edge * k < box.count[2]; ++k) {
          Row<S> nodes = Row<S>::load(v + at + row_reals * k);
          if constexpr (flip) {
            const Row<S> change = fma(-a.residual_kept, Row<S>::load(v_old + at + row_reals * k), nodes);
            nodes = shuffle_nodes<0, 1, 2, 4>(nodes, change);
            shuffle_nodes<1, 5, 2, 6>(change, before[k])
                .store(to + pair_field * BackTile::field_stride + row_reals * k);
            before[k] = change;
          }
          if constexpr (fading) {
            nodes.store(to + strain_field * BackTile::field_stride + row_reals * k);
            nodes = fma(-a.residual_kept, Row<S>::load(v_old + at + row_reals * k), nodes);
          }
          nodes.store(to + row_reals * k);
        }
      }
    }
  }
  // nodes 4 k - 4 .. 4 k - 1 of a block, into a row of its tile, which begins with node -1
  static DOLLOP_INLINE void put(const Row<S>& nodes, int k, S* row) {
    if (k == 0)
      nodes.store_last(row);
    else
      nodes.store(row + row_reals * (k - 1) + node_reals);
  }

  // a chunk of particles in the gather
  struct Chunk {
    BackStencil st;
    GatherRecords<S> velocity, strain;
  };
  // the gathered sums by quantity: velocity in q; the gradient in t, where it comes from separate sums
  struct Sums {
    Row<S> q[record_reals], t[record_reals];
  };
  static DOLLOP_INLINE void unpack(const Chunk& chunk, Sums& sums) {
    Row<S>*q = sums.q, *t = sums.t;
    to_quantities((velocity_terms.moments ? chunk.velocity.moments : chunk.velocity.gradients)[0], q);
    if constexpr (velocity_terms.moments) center(chunk.st, q);
    if constexpr (second) {
      to_quantities((mls ? chunk.strain.moments : chunk.strain.gradients)[0], t);
      if constexpr (mls) center(chunk.st, t);
    } else if constexpr (!mls && velocity_terms.moments) {
      to_quantities(chunk.velocity.gradients[0], t);
    }
  }

  // C_p of the fading transfer: to what was gathered comes the part r of the own one, which dt grad v carries along, less
  // where the rate of strain is too great for that                                                       (FADE.3-4)
  static DOLLOP_INLINE void add_residual(const TransferArgs<S>& a, const GroupView<S>& g, std::size_t l,
                                         const Mat3<R>& grad, Mat3<R>& c) {
    Mat3<R> own;
    for (int row = 0; row < 3; ++row)
      for (int col = 0; col < 3; ++col) own(row, col) = R::load(g.c[3 * row + col] + l);
    const Mat3<R> turned = own * grad;
    const R one = R(S(1)), kept = R(a.residual_kept),
            carried = R(S(-0.5)) * kept / fma(R(a.carry_limit), norm_squared(grad), one);
    for (int row = 0; row < 3; ++row)
      for (int col = 0; col < 3; ++col)
        c(row, col) =
            fma(carried, turned(row, col) + turned(col, row), fma(kept, own(row, col), c(row, col)));
  }

  // C_p about the places after a step that moved the nodes by u, grad u = `grad`: its symmetric part is that of the velocity
  // gradient there, its skew part that which keeps the angular momentum                                     (SUB.6)
  static DOLLOP_INLINE Mat3<R> carried_affine(const Mat3<R>& grad, const Mat3<R>& c) {
    const Mat3<R> f = Mat3<R>::identity() + grad, spatial = c * inverse(f), turning = c * transpose(f);
    return make_mat3<R>([&](int row, int col) {
      return R(S(0.5)) * (spatial(row, col) + spatial(col, row) + turning(row, col) - turning(col, row));
    });
  }

  // velocity of the particles after a step and, in du, dt grad v, from the sums that they gathered (MPM.8-10)
  static DOLLOP_INLINE void finish_chunk(const TransferArgs<S>& a, const GroupView<S>& g, std::size_t i,
                                         int count, const Sums& sums, const Margins<S>& margins, bool commit,
                                         S* du, LaneReport<S>& report) {
    const Row<S>*q = sums.q, *t = sums.t;
    constexpr bool apart = second || (!mls && velocity_terms.moments);
    const S to_c = S(BSpline<K>::inverse_inertia) / a.cell_size;
    const R to_du = R(a.dt * (mls ? to_c : S(1) / a.cell_size)), to_cells = R(a.dt / a.cell_size);

    for (int s = 0; s < Row<S>::parts; ++s) {
      const int first = s * R::lanes, live = count - first;
      if (live <= 0) break;
      const std::size_t l = i + std::size_t(first);
      const Row<S>* moved = second ? t : q;  // the field that moves and strains the particles
      Mat3<R> grad;
      for (int row = 0; row < 3; ++row)
        for (int col = 0; col < 3; ++col) {
          grad(row, col) = to_du * (apart ? t : q)[4 + 4 * col + row].part[s];
          grad(row, col).store(du + advance_size * (3 * row + col) + first);
        }
      R speed = R(S(0)), travel = R(S(0)), outside = R(S(0));
      for (int d = 0; d < 3; ++d) {
        R v = q[d].part[s];
        if constexpr (old) v = fma(R(a.residual_kept), R::load(g.v[d] + l), q[flip ? 3 + 4 * d : d].part[s]);
        const R dx = to_cells * (old && a.advect_particle_velocity ? v : moved[d].part[s]);
        const R x = R::load(g.x[d] + l) + dx;
        const R home = x - R(S(BSpline<K>::offset));
        const auto left =
            either(home < R::load(margins.low[d] + first), home >= R::load(margins.high[d] + first));
        outside = select(left, R(S(1)), outside);
        speed = fma(v, v, speed);
        travel = fma(dx, dx, travel);
        if (commit) {
          v.store(g.v[d] + l, live);
          x.store(g.x[d] + l, live);
        }
      }
      if constexpr (affine)
        if (commit) {
          const R keep = R(S(0.5) * (S(1) + a.symmetric_kept) * to_c),
                  swap = R(S(0.5) * (a.symmetric_kept - S(1)) * to_c);
          Mat3<R> c;
          for (int row = 0; row < 3; ++row)
            for (int col = 0; col < 3; ++col)
              c(row, col) = fma(keep, q[4 + 4 * col + row].part[s], swap * q[4 + 4 * row + col].part[s]);
          if constexpr (fading)
            add_residual(a, g, l, grad, c);
          else if constexpr (TwoVelocities)
            if (a.strained_affine) c = carried_affine(grad, c);
          for (int row = 0; row < 3; ++row)
            for (int col = 0; col < 3; ++col) c(row, col).store(g.c[3 * row + col] + l, live);
        }
      const R norm = norm_squared(grad), det_f = det(Mat3<R>::identity() + grad);
      // SIMD lanes past the end belong to another tile and must not count
      R index;
      for (int k = 0; k < R::lanes; ++k) index.set(k, S(k));
      const auto mine = index < R(S(live));
      report.speed = max(report.speed, select(mine, speed, R(S(0))));
      report.travel = max(report.travel, select(mine, travel, R(S(0))));
      report.norm = max(report.norm, select(mine, norm, R(S(0))));
      report.det = min(report.det, select(mine, det_f, R(S(1))));
      report.margin = max(report.margin, select(mine, outside, R(S(0))));
      report.poison += select(mine, (speed - speed) + (norm - norm) + (travel - travel), R(S(0)));
    }
  }

  // The sums of a chunk of particles. Sparse tiles are loaded one after the other, as far as they are needed.
  static DOLLOP_INLINE void gather_chunk(const TransferArgs<S>& a, const S* moving, int count, S* tile,
                                         const SparseChunk<S>* sparse, Chunk& chunk, Margins<S>& margins) {
    for (int begin = 0, end = count; begin < count; begin = end, end = count) {
      if (sparse) {
        const std::int32_t t = sparse->tile[begin];
        const NodeBox& box = a.boxes[sparse->box[begin]];
        for (end = begin; end < count && sparse->tile[end] == t; ++end) margins.set(end, a.cells[t]);
        const int x = box.first[0] + BackTile::margin, y = box.first[1] + BackTile::margin;
        if (box.island)
          load_island(a, box, tile);
        else
          load_tile(a, moving, a.slot_of_tile[t], Rows{x, x + box.count[0], y, y + box.count[1]}, tile);
      }
      for (int p = begin; p < end; ++p) {
        gather_particle<velocity_terms, 0, pair_field>(tile, chunk.st, p, chunk.velocity);
        if constexpr (second)
          gather_particle<strain_terms, strain_field, -1>(tile, chunk.st, p, chunk.strain);
      }
    }
  }

  // the same for lone particles; tile t is at or before that of the first
  static DOLLOP_INLINE void lone_chunk(const TransferArgs<S>& a, const GroupView<S>& g, std::int32_t t,
                                       std::size_t i, int count, Sums& sums, Margins<S>& margins) {
    alignas(64) S tau[6 * chunk_size];
    g.material->stress(g.law, g.state, i, tau);
    lone_sums<S, K, C, velocity_terms.moments, mls>(a, g, i, tau, sums.q, sums.t);
    for (int p = 0; p < count; ++p) {
      while (i + std::size_t(p) >= g.begin[t + 1]) ++t;
      margins.set(p, a.cells[t]);
    }
  }

  static void grid_to_particles(const TransferArgs<S>& a, const S* moving, int run_index, int part) {
    const TileRun& run = a.runs[run_index];
    const std::int32_t first = a.run_tiles[run.begin];
    const bool is_sparse = run.kind == RunKind::sparse;
    const bool lone = !TwoVelocities && run.kind == RunKind::lone;  // implicit steps take whole blocks
    alignas(64) S tile[BackTile::reals];
    Margins<S> margins;
    SparseChunk<S> sparse;
    bool loaded = false;
    Chunk chunk;
    alignas(64) S du[9 * advance_size];
    LaneReport<S> report;
    each_batch(a, run, part, a.parts,
               [&](const GroupView<S>& g, std::int32_t t, std::size_t batch, int total) DOLLOP_INLINE_LAMBDA {
                 if (!loaded) {  // here, as a part may have no particles
                   loaded = true;
                   for (int p = 0; p < chunk_size; ++p) margins.set(p, a.cells[first]);
                   if (is_sparse)
                     for (S& x : tile) x = S(0);
                   else if (!lone)
                     load_tile(a, moving, a.slot_of_tile[first], Rows{}, tile);
                 }
                 for (int k0 = 0; k0 < total; k0 += chunk_size) {
                   const std::size_t i = batch + std::size_t(k0);
                   const int count = total - k0 < chunk_size ? total - k0 : chunk_size;
                   Sums sums;
                   if (lone) {
                     if constexpr (!TwoVelocities) lone_chunk(a, g, t, i, count, sums, margins);
                   } else {
                     if (is_sparse) {
                       sparse.find(a, g, t, i, count);
                       chunk.st.set(sparse.x[0], sparse.x[1], sparse.x[2]);
                     } else {
                       chunk.st.set(g.x[0] + i, g.x[1] + i, g.x[2] + i);
                     }
                     gather_chunk(a, moving, count, tile, is_sparse ? &sparse : nullptr, chunk, margins);
                     unpack(chunk, sums);
                   }
                   finish_chunk(a, g, i, count, sums, margins, true, du + k0, report);
                 }
                 g.material->advance(g.step_law, du, g.state, batch, total);
               });
    a.reports[run_index * a.parts + part] = report.total();
  }

  // the report of grid_to_particles for lone particles, which moves none of them
  static void inspect_lone(const TransferArgs<S>& a, int run_index, int part) {
    const TileRun& run = a.runs[run_index];
    Margins<S> margins;
    for (int p = 0; p < chunk_size; ++p) margins.set(p, a.cells[a.run_tiles[run.begin]]);
    alignas(64) S du[9 * advance_size];
    LaneReport<S> report;
    each_batch(a, run, part, a.parts,
               [&](const GroupView<S>& g, std::int32_t t, std::size_t batch, int total) DOLLOP_INLINE_LAMBDA {
                 for (int k0 = 0; k0 < total; k0 += chunk_size) {
                   const std::size_t i = batch + std::size_t(k0);
                   const int count = total - k0 < chunk_size ? total - k0 : chunk_size;
                   Sums sums;
                   lone_chunk(a, g, t, i, count, sums, margins);
                   finish_chunk(a, g, i, count, sums, margins, false, du + k0, report);
                 }
               });
    a.reports[run_index * a.parts + part] = report.total();
  }
  static constexpr auto inspects_lone() {
    if constexpr (TwoVelocities)
      return nullptr;
    else
      return inspect_lone;
  }

  static constexpr TransferKernels<S> table = {.stencil = K,
                                               .tile_reals = Out::OutTile::reals,
                                               .fields = Out::OutTile::fields,
                                               .measure_boxes = Out::Boxes::measure,
                                               .particles_to_tiles = Out::particles_to_tiles,
                                               .tiles_to_slot = Grid::tiles_to_slot,
                                               .box_velocity = Grid::box_velocity,
                                               .velocity_bounds = Grid::velocity_bounds,
                                               .box_bounds = Grid::box_bounds,
                                               .grid_to_particles = grid_to_particles,
                                               .inspect_lone = inspects_lone()};
};

}  // namespace dollop::inline DOLLOP_ISA
