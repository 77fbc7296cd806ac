// Scatter and gather for implicit solvers: particle strains from a nodal velocity, and the nodal forces they cause.
// Included by implicit_*.simd.cpp only, once for each instruction set.
#pragma once

#include "grid/implicit_kernels.h"
#include "grid/implicit_preconditioning.h"
#include "grid/moments.h"
#include "grid/stencil.h"
#include "grid/transfers.h"
#include "math/vec.h"

namespace dollop::inline DOLLOP_ISA {

template <class S, int K, ForceForm F>
struct ImplicitLoops {
  using R = Pack<S>;
  using NodeTile = Tile<K, 1>;
  using NodeStencil = Stencil<S, NodeTile, Weights{true, true, false, false}>;
  // Strains and forces take moments in the MLS form, which needs fewer operations than weights for gradients.
  static constexpr bool mls = F == ForceForm::mls;
  using StrainStencil = Stencil<S, NodeTile, Weights{true, !mls, mls, false}>;
  static constexpr Terms strain_terms = {true, mls, !mls}, force_terms = {mls, mls, !mls};

  // --- weights ---------------------------------------------------------------------------------------------

  // the gradient of the kernel, or its replacement in the MLS form: D^-1 w (x_i - x_p)                 (MPM.6)
  static DOLLOP_INLINE void set_weights(const GroupView<S>& g, std::size_t i, NodeStencil& st) {
    st.set(g.x[0] + i, g.x[1] + i, g.x[2] + i);
    if constexpr (F == ForceForm::mls) {
      const R inertia = R(S(BSpline<K>::inverse_inertia));
      for (int l = 0; l < chunk_size; l += R::lanes)
        for (int k = 0; k < K; ++k) {
          const R node = R(S(k - 1));
          (inertia * R::load(st.wx[k] + l) * (node - R::load(st.u[0] + l))).store(st.gx[k] + l);
          (inertia * R::load(st.wy[k] + l) * (node - R::load(st.u[1] + l))).store(st.gy[k] + l);
        }
      for (int p = 0; p < chunk_size; ++p)
        for (int k = 0; k < 4; ++k)
          st.gz[p][k] = S(BSpline<K>::inverse_inertia) * st.wz[p][k] * (S(k - 1) - st.u[2][p]);
    }
  }
  static DOLLOP_INLINE void square_weights(NodeStencil& st) {
    const auto square = [](S* a, int n) {
      for (int k = 0; k < n; ++k) a[k] *= a[k];
    };
    square(st.wx[0], K * chunk_size), square(st.wy[0], K * chunk_size), square(st.wz[0], 4 * chunk_size);
    square(st.gx[0], K * chunk_size), square(st.gy[0], K * chunk_size), square(st.gz[0], 4 * chunk_size);
  }

  // --- chunks ----------------------------------------------------------------------------------------------

  static DOLLOP_INLINE void load_field(const ImplicitArgs<S>& a, int tile_index, S* tile) {
    const TransferArgs<S>& t = *a.transfer;
    for_rows(t.neighbours + neighbour_count * std::size_t(t.slot_of_tile[tile_index]),
             [&](int row, std::size_t at, int k) {
               const Row<S> nodes = Row<S>::load(a.field + at);
               if (k == 0)
                 nodes.store_last(tile + row);
               else
                 nodes.store(tile + row + row_reals * (k - 1) + node_reals);
             });
  }
  // the rows of a tile: visit(index in the tile, index in a field, block along z)
  template <class Visit>
  static DOLLOP_INLINE void for_rows(const std::int32_t* around, Visit&& visit) {
    for (int i = 0; i < NodeTile::nx; ++i)
      for (int j = 0; j < NodeTile::ny; ++j) {
        const int x = i - 1 + block_edge, y = j - 1 + block_edge;  // from the first node of the block before
        const int bx = x / block_edge, lx = x % block_edge, by = y / block_edge, ly = y % block_edge;
        for (int k = 0; k < 3; ++k)
          visit(i * NodeTile::slab_stride + j * NodeTile::row_stride,
                std::size_t(around[9 * bx + 3 * by + k]) * slot_reals +
                    std::size_t(row_reals * (block_edge * lx + ly)),
                k);
      }
  }

  static DOLLOP_INLINE void set_stencil(const GroupView<S>& g, std::size_t i, StrainStencil& st) {
    st.set(g.x[0] + i, g.x[1] + i, g.x[2] + i);
  }
  // dt grad v of a chunk of particles: du[9][chunk_size]
  static DOLLOP_INLINE void strains(const TransferArgs<S>& t, const S* tile, const StrainStencil& st,
                                    int count, S* du) {
    GatherRecords<S> records;
    gather<strain_terms, 0, -1>(tile, st, 0, count, records);
    auto& sums = mls ? records.moments : records.gradients;
    for (int p = count; p < chunk_size; ++p)  // lanes without a particle are not strained
      for (S& x : sums[p]) x = S(0);
    Row<S> q[record_reals];
    to_quantities(sums[0], q);
    if constexpr (mls) center(st, q);
    const R scale = R(t.dt / t.cell_size * (mls ? S(BSpline<K>::inverse_inertia) : S(1)));
    for (int s = 0; s < Row<S>::parts; ++s)
      for (int row = 0; row < 3; ++row)
        for (int col = 0; col < 3; ++col)
          (scale * q[4 + 4 * col + row].part[s]).store(du + chunk_size * (3 * row + col) + s * R::lanes);
  }
  // scale V times the matrices m[9][chunk_size] of a chunk, as the columns from `first` on of records
  static DOLLOP_INLINE void set_columns(const GroupView<S>& g, std::size_t i, S scale, const S* m, int first,
                                        Row<S>* t) {
    for (int s = 0; s < Row<S>::parts; ++s) {
      const int lane = s * R::lanes;
      const R volume = R(scale) * R::load(g.volume + i + std::size_t(lane));
      for (int k = 0; k < record_reals; ++k) t[k].part[s] = R(S(0));
      for (int col = 0; col < 3; ++col)
        for (int row = 0; row < 3; ++row)
          t[first + 4 * col + row].part[s] = volume * R::load(m + chunk_size * (3 * row + col) + lane);
    }
  }
  // adds scale V m grad w of a chunk of particles to a tile, for matrices m[9][chunk_size]
  static DOLLOP_INLINE void add_forces(const GroupView<S>& g, std::size_t i, int count, S scale, const S* m,
                                       const StrainStencil& st, S* tile) {
    Row<S> t[record_reals];
    ScatterRecords<S> records;
    if constexpr (mls) {
      set_columns(g, i, S(BSpline<K>::inverse_inertia) * scale, m, 4, t);
      start_at_first_node(st, t);
      to_particles(t, records.affine[0]);
    } else {
      set_columns(g, i, scale, m, 0, t);
      to_particles(t, records.gradients[0]);
    }
    each_group(st.key, count, [&](std::int32_t key, unsigned group) DOLLOP_INLINE_LAMBDA {
      scatter<force_terms>(records, st, key, group, tile);
    });
  }
  // adds scale V m w' of a chunk of particles to a tile, with the weights w' of set_weights()
  static DOLLOP_INLINE void add_weighted(const GroupView<S>& g, std::size_t i, int count, S scale, const S* m,
                                         const NodeStencil& st, S* tile) {
    Row<S> t[record_reals];
    ScatterRecords<S> records;
    set_columns(g, i, scale, m, 0, t);
    to_particles(t, records.gradients[0]);
    each_group(st.key, count, [&](std::int32_t key, unsigned group) DOLLOP_INLINE_LAMBDA {
      scatter<Terms{false, false, true}>(records, st, key, group, tile);
    });
  }

  // visit(group, view, first particle, count, tangents of the chunk) for every chunk of a tile
  template <class Visit>
  static DOLLOP_INLINE void each_chunk(const ImplicitArgs<S>& a, int tile_index, Visit&& visit) {
    const TransferArgs<S>& t = *a.transfer;
    for (int k = 0; k < t.group_count; ++k) {
      const GroupView<S>& g = t.groups[k];
      const std::size_t end = g.begin[tile_index + 1];
      std::size_t chunk = a.groups[k].first_chunk[tile_index];
      for (std::size_t i = g.begin[tile_index]; i < end; i += chunk_size, ++chunk)
        visit(a.groups[k], g, i, int(end - i < chunk_size ? end - i : chunk_size),
              a.groups[k].tangents + chunk * tangent_reals * chunk_size);
    }
  }
  static DOLLOP_INLINE S* cleared(const ImplicitArgs<S>& a, int tile_index) {
    S* tile = a.transfer->tiles + std::size_t(tile_index) * NodeTile::reals;
    for (int n = 0; n < NodeTile::reals; ++n) tile[n] = S(0);
    return tile;
  }

  // --- the loops -------------------------------------------------------------------------------------------

  // the forces that the strains of the field cause: force(group, view, first particle, count, tangents, du, out)
  template <class Force>
  static DOLLOP_INLINE void add_tile_forces(const ImplicitArgs<S>& a, int tile_index, Force&& force) {
    const TransferArgs<S>& t = *a.transfer;
    alignas(64) S nodes[NodeTile::reals], du[9 * chunk_size], out[9 * chunk_size];
    load_field(a, tile_index, nodes);
    S* tile = cleared(a, tile_index);
    StrainStencil st;
    each_chunk(a, tile_index,
               [&](const ImplicitGroup<S>& group, const GroupView<S>& g, std::size_t i, int count,
                   const S* tangent) {
                 set_stencil(g, i, st);
                 strains(t, nodes, st, count, du);
                 force(group, g, i, count, tangent, du, out);
                 add_forces(g, i, count, t.dt / t.cell_size, out, st, tile);
               });
  }

  static void forces(const ImplicitArgs<S>& a, int tile_index) {
    add_tile_forces(a, tile_index,
                    [](const ImplicitGroup<S>& group, const GroupView<S>& g, std::size_t i, int, const S*,
                       const S* du, S* out) { group.material->trial(g.step_law, du, g.state, i, out); });
  }

  static void linearise(const ImplicitArgs<S>& a, int tile_index) {
    alignas(64) S nodes[NodeTile::reals], du[9 * chunk_size];
    load_field(a, tile_index, nodes);
    StrainStencil st;
    each_chunk(
        a, tile_index,
        [&](const ImplicitGroup<S>& group, const GroupView<S>& g, std::size_t i, int count, S* tangent) {
          set_stencil(g, i, st);
          strains(*a.transfer, nodes, st, count, du);
          group.material->linearise(g.step_law, du, g.state, i, tangent);
        });
  }

  // d(tau f^-T) = (c~ : sym g + g tau) f^-T, g = dt grad dv f^-1                                        (IMP.5)
  static DOLLOP_INLINE void change(const S* tangent, const S* du, S* force) {
    for (int l = 0; l < chunk_size; l += R::lanes) {
      const auto at = [&](int k) DOLLOP_INLINE_LAMBDA { return R::load(tangent + chunk_size * k + l); };
      const Mat3<R> increment = make_mat3<R>(
          [&](int i, int j) DOLLOP_INLINE_LAMBDA { return R::load(du + chunk_size * (3 * i + j) + l); });
      const Mat3<R> inverse =
          make_mat3<R>([&](int i, int j) DOLLOP_INLINE_LAMBDA { return at(tangent_inverse + 3 * i + j); });
      const Mat3<R> g = increment * inverse;
      const R half = R(S(0.5));
      const R d[6] = {g(0, 0),
                      g(1, 1),
                      g(2, 2),
                      half * (g(0, 1) + g(1, 0)),
                      half * (g(0, 2) + g(2, 0)),
                      half * (g(1, 2) + g(2, 1))};
      R x[6];
      DOLLOP_UNROLL
      for (int e = 0; e < 6; ++e) {
        x[e] = at(e) * d[0];
        DOLLOP_UNROLL
        for (int k = 1; k < 6; ++k) x[e] = fma(at(6 * k + e), d[k], x[e]);
      }
      const SymMat3<R> tau{at(tangent_stress),     at(tangent_stress + 1), at(tangent_stress + 2),
                           at(tangent_stress + 3), at(tangent_stress + 4), at(tangent_stress + 5)};
      const Mat3<R> sum = to_mat3(SymMat3<R>{x[0], x[1], x[2], x[3], x[4], x[5]}) + g * to_mat3(tau);
      const Mat3<R> result = sum * transpose(inverse);
      for (int e = 0; e < 9; ++e) result(e / 3, e % 3).store(force + chunk_size * e + l);
    }
  }

  static void product(const ImplicitArgs<S>& a, int tile_index) {
    add_tile_forces(a, tile_index,
                    [](const ImplicitGroup<S>&, const GroupView<S>&, std::size_t, int, const S* tangent,
                       const S* du, S* out) DOLLOP_INLINE_LAMBDA { change(tangent, du, out); });
  }

  // sum over particles of V (dt/h)^2 sum_a D_ca,ca (d_a w)^2, without the mixed terms and at f = 1      (IMP.9)
  static void diagonal(const ImplicitArgs<S>& a, int tile_index) {
    const TransferArgs<S>& t = *a.transfer;
    static constexpr int pair[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    alignas(64) S stiffness[9 * chunk_size];
    S* tile = cleared(a, tile_index);
    NodeStencil st;
    each_chunk(
        a, tile_index,
        [&](const ImplicitGroup<S>&, const GroupView<S>& g, std::size_t i, int count, const S* tangent) {
          set_weights(g, i, st);
          square_weights(st);
          for (int l = 0; l < chunk_size; l += R::lanes)
            for (int c = 0; c < 3; ++c)
              for (int x = 0; x < 3; ++x) {
                const R share = R(S(c == x ? 1 : 0.5));
                const R k = share * R::load(tangent + chunk_size * (7 * pair[c][x]) + l) +
                            R::load(tangent + chunk_size * (tangent_stress + x) + l);
                max(k, R(S(0))).store(stiffness + chunk_size * (3 * c + x) + l);
              }
          const S scale = t.dt / t.cell_size;
          add_weighted(g, i, count, scale * scale, stiffness, st, tile);
        });
  }

  // the diagonal blocks of that map, at f = 1: components xx yy zz of part 0, xy xz yz of part 1       (IMP.13)
  static void node_blocks(const ImplicitArgs<S>& a, int tile_index, int part) {
    const TransferArgs<S>& t = *a.transfer;
    S* tile = cleared(a, tile_index);
    NodeStencil st;
    S coefficients[6][4];
    each_chunk(
        a, tile_index,
        [&](const ImplicitGroup<S>&, const GroupView<S>& g, std::size_t i, int count, const S* tangent) {
          set_weights(g, i, st);
          const S ratio = t.dt / t.cell_size;
          for (int p = 0; p < count; ++p) {
            block_coefficients(tangent + p, part, ratio * ratio * g.volume[i + std::size_t(p)], coefficients);
            add_blocks<K>(st, p, coefficients, NodeTile::slab_stride, NodeTile::row_stride, tile);
          }
        });
  }

  static void make_definite(const ImplicitArgs<S>& a, int tile_index) {
    each_chunk(a, tile_index,
               [](const ImplicitGroup<S>&, const GroupView<S>&, std::size_t, int, S* tangent)
                   DOLLOP_INLINE_LAMBDA { make_tangents_definite(tangent); });
  }

  // sum over the particles of a tile of V times the potential of the strain that the field causes     (IMP.11)
  static double potential(const ImplicitArgs<S>& a, int tile_index) {
    alignas(64) S nodes[NodeTile::reals], du[9 * chunk_size], density[chunk_size];
    load_field(a, tile_index, nodes);
    StrainStencil st;
    double sum = 0;
    each_chunk(a, tile_index,
               [&](const ImplicitGroup<S>& group, const GroupView<S>& g, std::size_t i, int count, const S*) {
                 set_stencil(g, i, st);
                 strains(*a.transfer, nodes, st, count, du);
                 group.material->potential(g.step_law, du, g.state, i, density);
                 add_energy(g, i, count, density, sum);
               });
    return sum;
  }
  // that sum, and the forces
  static double forces_and_potential(const ImplicitArgs<S>& a, int tile_index) {
    alignas(64) S density[chunk_size];
    double sum = 0;
    add_tile_forces(a, tile_index,
                    [&](const ImplicitGroup<S>& group, const GroupView<S>& g, std::size_t i, int count,
                        const S*, const S* du, S* out) {
                      group.material->trial_and_potential(g.step_law, du, g.state, i, out, density);
                      add_energy(g, i, count, density, sum);
                    });
    return sum;
  }
  static DOLLOP_INLINE void add_energy(const GroupView<S>& g, std::size_t i, int count, const S* density,
                                       double& sum) {
    for (int p = 0; p < count; ++p) sum += double(density[p]) * double(g.volume[i + std::size_t(p)]);
  }

  static void sum_tiles(const ImplicitArgs<S>& a, int slot) {
    GridLoops<S, K, 1>::sum_tiles(*a.transfer, 0, slot, a.sum + std::size_t(slot) * slot_reals,
                                  std::make_integer_sequence<int, neighbour_count>{});
  }

  static constexpr ImplicitKernels<S> table = {forces,      linearise,     product,   diagonal,
                                               node_blocks, make_definite, potential, forces_and_potential,
                                               sum_tiles};
};

template <class S>
const ImplicitKernels<S>* choose_implicit(Kernel kernel, ForceForm forces) {
  const bool mls = forces == ForceForm::mls;
  if (kernel == Kernel::cubic)
    return mls ? &ImplicitLoops<S, 4, ForceForm::mls>::table
               : &ImplicitLoops<S, 4, ForceForm::gradient>::table;
  return mls ? &ImplicitLoops<S, 3, ForceForm::mls>::table : &ImplicitLoops<S, 3, ForceForm::gradient>::table;
}

}  // namespace dollop::inline DOLLOP_ISA
