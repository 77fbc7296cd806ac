// Scatter and gather of ADMM: local steps of particles at a nodal velocity, and the scalar matrix of the velocity step.
// Included by admm_*.simd.cpp only, once for each instruction set.
#pragma once

#include "grid/admm_kernels.h"
#include "grid/implicit.h"

namespace dollop::inline DOLLOP_ISA {

template <class S, int K, ForceForm F>
struct AdmmTransfers {
  using R = Pack<S>;
  using Base = ImplicitLoops<S, K, F>;
  using NodeTile = typename Base::NodeTile;
  using NodeStencil = typename Base::NodeStencil;
  using StrainStencil = typename Base::StrainStencil;
  static constexpr int chunks = advance_size / chunk_size;

  static DOLLOP_INLINE ImplicitArgs<S> as_implicit(const AdmmArgs<S>& a) {
    return {a.transfer, nullptr, a.field, a.sum};
  }

  // visit(group, view, batch of particles) for every batch of a tile
  template <class Visit>
  static DOLLOP_INLINE void each_batch(const AdmmArgs<S>& a, int tile_index, Visit&& visit) {
    const TransferArgs<S>& t = *a.transfer;
    for (int k = 0; k < t.group_count; ++k) {
      const GroupView<S>& g = t.groups[k];
      const AdmmGroup<S>& group = a.groups[k];
      const std::size_t end = g.begin[tile_index + 1];
      std::size_t number = group.first_batch[tile_index];
      for (std::size_t i = g.begin[tile_index]; i < end; i += advance_size, ++number) {
        const int count = int(end - i < advance_size ? end - i : advance_size);
        S* data = group.data + number * std::size_t(admm_reals(group.material->branches)) * advance_size;
        S* tangent = group.tangents ? group.tangents + number * tangent_reals * advance_size : nullptr;
        visit(group, g, AdmmBatch<S>{g.state, i, count, g.volume + i, nullptr, data, tangent});
      }
    }
  }

  // dt grad v of a batch of particles, of which it makes the stencils: du[9][advance_size]
  static DOLLOP_INLINE void strains(const AdmmArgs<S>& a, const GroupView<S>& g, const AdmmBatch<S>& batch,
                                    const S* nodes, StrainStencil* st, S* du) {
    alignas(64) S part[9 * chunk_size];
    for (int c = 0; c < chunks; ++c) {
      const int left = batch.count - c * chunk_size, count = left < chunk_size ? left : chunk_size;
      S* to = du + c * chunk_size;
      if (left <= 0) {
        for (int e = 0; e < 9; ++e) Row<S>::zero().store(to + advance_size * e);
        continue;
      }
      Base::set_stencil(g, batch.first + std::size_t(c * chunk_size), st[c]);
      Base::strains(*a.transfer, nodes, st[c], count, part);
      for (int e = 0; e < 9; ++e) Row<S>::load(part + chunk_size * e).store(to + advance_size * e);
    }
  }
  // adds dt V m grad w of a batch of particles to a tile, for matrices m[9][advance_size]
  static DOLLOP_INLINE void add_forces(const AdmmArgs<S>& a, const GroupView<S>& g, const AdmmBatch<S>& batch,
                                       const S* m, const StrainStencil* st, S* tile) {
    alignas(64) S part[9 * chunk_size];
    const S scale = a.transfer->dt / a.transfer->cell_size;
    for (int c = 0; c * chunk_size < batch.count; ++c) {
      const int left = batch.count - c * chunk_size, count = left < chunk_size ? left : chunk_size;
      for (int e = 0; e < 9; ++e)
        Row<S>::load(m + advance_size * e + c * chunk_size).store(part + chunk_size * e);
      Base::add_forces(g, batch.first + std::size_t(c * chunk_size), count, scale, part, st[c], tile);
    }
  }

  // force(group, view, batch, out) for the strains that the field causes; the forces are summed in the tile
  template <class Force>
  static DOLLOP_INLINE void add_tile_forces(const AdmmArgs<S>& a, int tile_index, Force&& force) {
    alignas(64) S nodes[NodeTile::reals], du[9 * advance_size], out[9 * advance_size];
    const ImplicitArgs<S> implicit = as_implicit(a);
    Base::load_field(implicit, tile_index, nodes);
    S* tile = Base::cleared(implicit, tile_index);
    StrainStencil st[chunks];
    each_batch(a, tile_index, [&](const AdmmGroup<S>& group, const GroupView<S>& g, AdmmBatch<S> batch) {
      strains(a, g, batch, nodes, st, du);
      batch.du = du;
      force(group, g, batch, out);
      add_forces(a, g, batch, out, st, tile);
    });
  }

  // --- the loops -------------------------------------------------------------------------------------------

  static void forces(const AdmmArgs<S>& a, int tile_index) {
    add_tile_forces(a, tile_index,
                    [&](const AdmmGroup<S>& group, const GroupView<S>& g, const AdmmBatch<S>& batch, S* out) {
                      group.material->trial(a.options, g.step_law, batch, out);
                    });
  }
  static void start(const AdmmArgs<S>& a, int tile_index) {
    add_tile_forces(a, tile_index,
                    [&](const AdmmGroup<S>& group, const GroupView<S>& g, const AdmmBatch<S>& batch, S* out) {
                      group.material->start(a.options, g.step_law, batch, out);
                    });
  }
  static AdmmSums iterate(const AdmmArgs<S>& a, int tile_index) {
    AdmmSums sums;
    add_tile_forces(a, tile_index,
                    [&](const AdmmGroup<S>& group, const GroupView<S>& g, const AdmmBatch<S>& batch, S* out) {
                      group.material->iterate(a.options, g.step_law, batch, out, sums);
                    });
    return sums;
  }

  // dt grad z B
  static void product(const AdmmArgs<S>& a, int tile_index) {
    add_tile_forces(
        a, tile_index,
        [](const AdmmGroup<S>&, const GroupView<S>&, const AdmmBatch<S>& batch, S* out) DOLLOP_INLINE_LAMBDA {
          for (int l = 0; l < batch.count; l += R::lanes) {
            const auto shared = [&](int k) DOLLOP_INLINE_LAMBDA {
              return R::load(batch.data + advance_size * k + l);
            };
            const SymMat3<R> b{shared(0), shared(1), shared(2), shared(3), shared(4), shared(5)};
            for (int row = 0; row < 3; ++row) {
              const auto du = [&](int k) DOLLOP_INLINE_LAMBDA {
                return R::load(batch.du + advance_size * (3 * row + k) + l);
              };
              const R x = du(0), y = du(1), z = du(2);
              for (int col = 0; col < 3; ++col)
                fma(x, b(0, col), fma(y, b(1, col), z * b(2, col)))
                    .store(out + advance_size * (3 * row + col) + l);
            }
          }
        });
  }

  // sum over particles of V dt^2 grad w . B grad w, the same for all components
  static void diagonal(const AdmmArgs<S>& a, int tile_index) {
    const ImplicitArgs<S> implicit = as_implicit(a);
    S* tile = Base::cleared(implicit, tile_index);
    NodeStencil st;
    S coefficients[6][4];
    const S ratio = a.transfer->dt / a.transfer->cell_size;
    each_batch(a, tile_index, [&](const AdmmGroup<S>&, const GroupView<S>& g, const AdmmBatch<S>& batch) {
      for (int c = 0; c * chunk_size < batch.count; ++c) {
        const int first = c * chunk_size, left = batch.count - first;
        Base::set_weights(g, batch.first + std::size_t(first), st);
        for (int p = 0; p < chunk_size && p < left; ++p) {
          const S scale = ratio * ratio * batch.volume[first + p];
          for (int n = 0; n < 6; ++n) {
            const S b = scale * batch.data[advance_size * n + first + p];
            for (int k = 0; k < 3; ++k) coefficients[n][k] = n < 3 ? b : b + b;
            coefficients[n][3] = S(0);
          }
          add_blocks<K>(st, p, coefficients, NodeTile::slab_stride, NodeTile::row_stride, tile);
        }
      }
    });
  }

  // --- the start of the next step ------------------------------------------------------------------------------

  using ValueStencil = Stencil<S, NodeTile, Weights{true, false, true, false}>;
  static constexpr Terms value_terms = {true, false, false};

  static void scatter_acceleration(const AdmmArgs<S>& a, int tile_index) {
    S* tile = Base::cleared(as_implicit(a), tile_index);
    ValueStencil st;
    ScatterRecords<S> records;
    each_batch(
        a, tile_index, [&](const AdmmGroup<S>& group, const GroupView<S>& g, const AdmmBatch<S>& batch) {
          for (int c = 0; c * chunk_size < batch.count; ++c) {
            const std::size_t i = batch.first + std::size_t(c * chunk_size);
            const int left = batch.count - c * chunk_size, count = left < chunk_size ? left : chunk_size;
            st.set(g.x[0] + i, g.x[1] + i, g.x[2] + i);
            for (int p = 0; p < count; ++p) {
              for (int d = 0; d < 3; ++d)
                records.value[p][d] = g.mass[i + std::size_t(p)] * group.acceleration[d][i + std::size_t(p)];
              records.value[p][3] = S(0);
            }
            each_group(st.key, count, [&](std::int32_t key, unsigned members) DOLLOP_INLINE_LAMBDA {
              scatter<value_terms>(records, st, key, members, tile);
            });
          }
        });
  }
  static void gather_acceleration(const AdmmArgs<S>& a, int tile_index) {
    alignas(64) S nodes[NodeTile::reals];
    Base::load_field(as_implicit(a), tile_index, nodes);
    ValueStencil st;
    each_batch(
        a, tile_index, [&](const AdmmGroup<S>& group, const GroupView<S>& g, const AdmmBatch<S>& batch) {
          for (int c = 0; c * chunk_size < batch.count; ++c) {
            const std::size_t i = batch.first + std::size_t(c * chunk_size);
            const int left = batch.count - c * chunk_size, count = left < chunk_size ? left : chunk_size;
            st.set(g.x[0] + i, g.x[1] + i, g.x[2] + i);
            for (int p = 0; p < count; ++p) {
              const Row<S> sum = sum_xy<value_terms>(st, p, [&](int x, int y) DOLLOP_INLINE_LAMBDA {
                                   return Row<S>::load(nodes + st.key[p] + x * NodeTile::slab_stride +
                                                       y * NodeTile::row_stride);
                                 }).value;
              alignas(64) S row[row_reals];
              (Row<S>::spread4(st.wz[p]) * sum).store(row);
              for (int d = 0; d < 3; ++d)
                group.acceleration[d][i + std::size_t(p)] =
                    (row[d] + row[4 + d]) + (row[8 + d] + row[12 + d]);
            }
          }
        });
  }

  static void sum_tiles(const AdmmArgs<S>& a, int slot) { Base::sum_tiles(as_implicit(a), slot); }

  static constexpr AdmmKernels<S> table = {
      forces, start, iterate, product, diagonal, scatter_acceleration, gather_acceleration, sum_tiles};
};

template <class S>
const AdmmKernels<S>* choose_admm(Kernel kernel, ForceForm forces) {
  const bool mls = forces == ForceForm::mls;
  if (kernel == Kernel::cubic)
    return mls ? &AdmmTransfers<S, 4, ForceForm::mls>::table
               : &AdmmTransfers<S, 4, ForceForm::gradient>::table;
  return mls ? &AdmmTransfers<S, 3, ForceForm::mls>::table : &AdmmTransfers<S, 3, ForceForm::gradient>::table;
}

}  // namespace dollop::inline DOLLOP_ISA
