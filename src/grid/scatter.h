// Scatter, from particles to tiles, for one combination of kernel, transfer and force form.
// Included by transfers.h, once for each instruction set.
#pragma once

#include "grid/kernels.h"
#include "grid/lone_particles.h"
#include "grid/node_loops.h"
#include "grid/sparse_tiles.h"
#include "grid/stencil.h"

namespace dollop::inline DOLLOP_ISA {

// Particles to tiles. Whether particles take two velocities does not matter here, so it is no parameter.
template <class S, int K, Carry C, ForceForm F>
struct Scatter {
  using R = Pack<S>;
  static constexpr bool affine = is_affine(C), apart = keeps_own(C), mls = F == ForceForm::mls;
  // the terms scattered to the field of momentum, and to that of impulses, which may be one and the same
  static constexpr Terms momentum_terms = {true, affine || (mls && !apart), !mls && !apart};
  static constexpr Terms force_terms = {mls, mls, !mls};
  using OutTile = Tile<K, apart ? 2 : 1>;
  static constexpr Weights out_weights = {!mls, !mls, mls || apart, false};
  using OutStencil = Stencil<S, OutTile, out_weights>;

  using Boxes = NodeBoxes<S, K, OutTile::fields>;

  // --- particles to grid (MPM.4-6) -------------------------------------------------------------------------

  // m, m v, and the matrices of APIC and stress of a chunk (MPM.5, MPM.6)
  struct Records {
    ScatterRecords<S> momentum, impulse;
  };
  static DOLLOP_INLINE void make_records(const TransferArgs<S>& a, const GroupView<S>& g, std::size_t i,
                                         const S* tau, const OutStencil& st, Records& records) {
    Row<S> q[record_reals], f[record_reals], t[record_reals];  // momentum; impulse by moments, by gradients
    const R h = R(a.cell_size), zero = R(S(0)),
            impulse = R(-a.dt / a.cell_size * (mls ? S(BSpline<K>::inverse_inertia) : S(1)));
    for (int s = 0; s < Row<S>::parts; ++s) {
      const int first = s * R::lanes;
      const std::size_t l = i + std::size_t(first);
      const R m = R::load(g.mass + l), scale = impulse * R::load(g.volume + l);
      const R p[4] = {m * R::load(g.v[0] + l), m * R::load(g.v[1] + l), m * R::load(g.v[2] + l), m};
      if constexpr (!momentum_terms.moments)
        four_to_particles(p[0], p[1], p[2], p[3], records.momentum.value[first]);
      for (int k = 0; k < 4; ++k) q[k].part[s] = p[k], f[k].part[s] = zero;
      static constexpr int packed[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
      for (int col = 0; col < 3; ++col) {
        const R to_first = R(S(-1)) - R::load(st.u[col] + first);  // from the particle to the first node
        for (int row = 0; row < 3; ++row) {
          const R stress = scale * R::load(tau + chunk_size * packed[row][col] + first);
          const int k = 4 + 4 * col + row;
          if constexpr (momentum_terms.moments) {
            R moment = mls && !apart ? stress : zero;
            if constexpr (affine) moment = fma(m * h, R::load(g.c[3 * row + col] + l), moment);
            q[k].part[s] = moment;
            q[row].part[s] = fma(to_first, moment, q[row].part[s]);
          }
          if constexpr (mls && apart) {
            f[k].part[s] = stress;
            f[row].part[s] = fma(to_first, stress, f[row].part[s]);
          }
          if constexpr (!mls) t[4 * col + row].part[s] = stress;
        }
        q[7 + 4 * col].part[s] = f[7 + 4 * col].part[s] = t[3 + 4 * col].part[s] = zero;
      }
      for (int k = 12; k < record_reals; ++k) t[k].part[s] = zero;
    }
    ScatterRecords<S>& forces = apart ? records.impulse : records.momentum;
    if constexpr (momentum_terms.moments) to_particles(q, records.momentum.affine[0]);
    if constexpr (mls && apart) to_particles(f, forces.affine[0]);
    if constexpr (!mls) to_particles(t, forces.gradients[0]);
  }

  static void particles_to_tiles(const TransferArgs<S>& a, bool with_stresses, int run_index) {
    const TileRun& run = a.runs[run_index];
    const bool is_sparse = run.kind == RunKind::sparse;
    alignas(64)
        S shared[OutTile::reals];  // a run of sparse tiles has one tile, and a box for what comes to stay
    S* tile = shared;
    if (is_sparse)
      Boxes::clear(a, run);
    else
      tile = a.tiles + std::size_t(a.storage_of_tile[a.run_tiles[run.begin]]) * OutTile::reals;
    clear(tile);
    OutStencil st;
    Records records;
    SparseChunk<S> sparse;
    alignas(64) S tau[6 * chunk_size] = {};
    const int first_box = is_sparse ? a.box_of_tile[a.run_tiles[run.begin]].box : 0;
    each_batch(a, run, 0, 1,
               [&](const GroupView<S>& g, std::int32_t t, std::size_t batch, int total) DOLLOP_INLINE_LAMBDA {
                 for (int k0 = 0; k0 < total; k0 += chunk_size) {
                   const std::size_t i = batch + std::size_t(k0);
                   const int count = total - k0 < chunk_size ? total - k0 : chunk_size;
                   if (with_stresses) g.material->stress(g.law, g.state, i, tau);
                   if (is_sparse) {
                     sparse.find(a, g, t, i, count);
                     st.set(sparse.x[0], sparse.x[1], sparse.x[2]);
                     // particles of other boxes are no group
                     for (int p = 0; p < count; ++p)
                       st.key[p] += (sparse.box[p] - first_box) * OutTile::reals;
                   } else {
                     st.set(g.x[0] + i, g.x[1] + i, g.x[2] + i);
                   }
                   make_records(a, g, i, tau, st, records);
                   each_group(st.key, count, [&](std::int32_t key, unsigned group) DOLLOP_INLINE_LAMBDA {
                     const int box = is_sparse ? sparse.box[std::countr_zero(group)] : 0;
                     if (is_sparse) key -= (box - first_box) * OutTile::reals;
                     scatter<momentum_terms>(records.momentum, st, key, group, tile);
                     if constexpr (apart)
                       scatter<force_terms>(records.impulse, st, key, group, tile + OutTile::field_stride);
                     if (is_sparse) Boxes::move_from_tile(a, a.boxes[box], key, tile);
                   });
                 }
               });
  }
  static DOLLOP_INLINE void clear(S* tile) {
    const R zero = R(S(0));
    int i = 0;
    for (; i + R::lanes <= OutTile::reals; i += R::lanes) zero.store(tile + i);
    for (; i < OutTile::reals; ++i) tile[i] = S(0);
  }
};

}  // namespace dollop::inline DOLLOP_ISA
