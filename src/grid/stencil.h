// The kernel weights of a chunk of particles, and the two loops that carry numbers between particles and
// nodes.
//
// The kernels are products of one-dimensional ones, so a stencil is swept x by y by rows of four z nodes.
// What is carried is a value (weight w), a moment (weight w (x_i - x_p), used by APIC and by MLS forces) and
// a gradient (weight grad w): any mix of the three, chosen at compile time by `Terms`. Lengths are in cells.
#pragma once

#include <cstdint>

#include "grid/row.h"
#include "math/bspline.h"

namespace dollop::inline DOLLOP_ISA {

struct Terms {
  bool value, moments, gradients;
  bool products = false;  // keep the products of x and y weights: for sweeps that carry values alone
};

// A tile is the part of the grid that the particles of one block can reach: nodes -1 .. 4 + K - 1 of the
// block, a margin of one cell on either side, so that particles may leave their block by a cell before they
// are re-sorted.
template <int K>
struct Tile {
  static constexpr int margin = 1, nx = 4 + K + 1, ny = nx, nz = 9;  // z rows are read four nodes at a time
  static constexpr int nodes = nx * ny * nz, reals = nodes * 4;
  static constexpr int row_stride = nz * 4, slab_stride = ny * nz * 4;
};

// Weights of up to 16 particles of one block; x and y per particle, z is evaluated in node lanes on the fly.
template <class S, int K, Terms T>
struct Stencil {
  alignas(64) S wx[K][chunk_size], wy[K][chunk_size];
  alignas(64) S mx[K][chunk_size], my[K][chunk_size];  // w (k - f)
  alignas(64) S gx[K][chunk_size], gy[K][chunk_size];  // w'
  alignas(64) S wxy[T.products ? K * K : 1][chunk_size];
  alignas(64) S fz[chunk_size];
  alignas(64) std::int32_t key[chunk_size];  // first node of the stencil, as an index into the tile

  // x, y, z: positions relative to node 0 of the block, in cells. Lanes outside the tile get node 0: they are
  // padding, or the step is about to be rejected.
  DOLLOP_INLINE void set(const S* x, const S* y, const S* z) {
    using R = Pack<S>;
    using Spline = BSpline<K>;
    constexpr S shift = S(Tile<K>::margin);
    for (int l = 0; l < chunk_size; l += R::lanes) {
      R w[K], d[K];
      const auto axis = [&](const S* p, S(*out_w)[chunk_size], S(*out_m)[chunk_size], S(*out_g)[chunk_size]) {
        const R a = R::load(p + l), base = floor(a - R(S(Spline::offset))), f = a - base;
        Spline::weights(f, w);
        for (int k = 0; k < K; ++k) w[k].store(out_w[k] + l);
        if constexpr (T.moments)
          for (int k = 0; k < K; ++k) (w[k] * (R(S(k)) - f)).store(out_m[k] + l);
        if constexpr (T.gradients) {
          Spline::derivatives(f, d);
          for (int k = 0; k < K; ++k) d[k].store(out_g[k] + l);
        }
        return base + R(shift);
      };
      const R bx = axis(x, wx, mx, gx), by = axis(y, wy, my, gy);
      if constexpr (T.products)
        for (int i = 0; i < K; ++i)
          for (int j = 0; j < K; ++j) (R::load(wx[i] + l) * R::load(wy[j] + l)).store(wxy[i * K + j] + l);
      const R az = R::load(z + l), base_z = floor(az - R(S(Spline::offset)));
      (az - base_z).store(fz + l);
      const R bz = base_z + R(shift);
      const R top = R(S(4 + Tile<K>::margin)), zero = R(S(0));
      const auto inside =
          both(both(both(bx >= zero, bx <= top), both(by >= zero, by <= top)), both(bz >= zero, bz <= top));
      const R node = select(inside, (bx * R(S(Tile<K>::ny)) + by) * R(S(Tile<K>::nz)) + bz, zero);
      for (int i = 0; i < R::lanes; ++i) key[l + i] = std::int32_t(node[i]);
    }
  }
};

// weights of the four z nodes, one node in each group of four lanes
template <class S, int K, Terms T>
struct ZWeights {
  Row<S> w, m, g;

  DOLLOP_INLINE explicit ZWeights(S f) {
    const S u = f - S(1);
    const auto constant = [](auto value_of_node) {
      Row<S> r;
      for (int i = 0; i < 16; ++i) r.part[i / Row<S>::lanes].set(i % Row<S>::lanes, S(value_of_node(i / 4)));
      return r;
    };
    constexpr auto& c = BSpline<K>::coefficient;
    // 1/6 with few enough digits that the weights add up to 1 exactly: a rest of 3e-8 would pump energy
    constexpr S sixth = (S(1 / 6.) + S(0.25)) - S(0.25);
    const Row<S> c0 = constant([](int k) {
      return K == 3 ? S(c[k][0]) : k == 1 ? S(1) - 2 * sixth : k == 3 ? S(0) : sixth;
    });
    const Row<S> c1 = constant([](int k) { return c[k][1]; });
    const Row<S> c2 = constant([](int k) { return c[k][2]; });
    const Row<S> c3 = constant([](int k) { return k == 0 ? -sixth : k == 3 ? sixth : S(c[k][3]); });
    const Row<S> high = K == 4 ? fma(u, c3, c2) : c2;
    w = fma(u, fma(u, high, c1), c0);
    if constexpr (T.moments) {
      const Row<S> offset = constant([](int k) { return double(k); });
      m = w * fma(S(-1), constant_row(f), offset);
    }
    if constexpr (T.gradients) {
      const Row<S> d1 = constant([](int k) { return c[k][1]; }),
                   d2 = constant([](int k) { return 2 * c[k][2]; });
      const Row<S> d3 = constant([](int k) { return 3 * c[k][3]; });
      g = K == 4 ? fma(u, fma(u, d3, d2), d1) : fma(u, d2, d1);
    }
  }
  static DOLLOP_INLINE Row<S> constant_row(S a) {
    Row<S> r;
    for (auto& p : r.part) p = Pack<S>(a);
    return r;
  }
};

// how many x-slabs of a stencil fit into registers at once
template <class S, int K>
inline constexpr int slabs_held = (Row<S>::parts * K * K <= 16 && DOLLOP_VECTOR_BYTES == 64) ? K : 1;

// --- particles to nodes ------------------------------------------------------------------------------------

// What a particle adds, as 28 numbers: the value, then the columns of its moment and of its gradient matrix.
//   value[4] | moment x[4] y[4] z[4] | gradient x[4] y[4] z[4]
template <class S>
struct ScatterRecords {
  alignas(64) S value_and_moments[chunk_size][16];
  alignas(64) S gradients[chunk_size][16];
};

// the z sweep of one particle: rows that only remain to be multiplied by x and y weights
template <class S>
struct ZSums {
  Row<S> value, mx, my, gx, gy;
};

template <class S, int K, Terms T>
DOLLOP_INLINE ZSums<S> sweep_z(const S* vm, const S* gr, S fz) {
  const ZWeights<S, K, T> z(fz);
  ZSums<S> r;
  if constexpr (T.value) r.value = z.w * Row<S>::repeat4(vm);
  if constexpr (T.moments) {
    const Row<S> mz = Row<S>::repeat4(vm + 12);
    r.value = T.value ? fma(z.m, mz, r.value) : z.m * mz;
    r.mx = z.w * Row<S>::repeat4(vm + 4);
    r.my = z.w * Row<S>::repeat4(vm + 8);
  }
  if constexpr (T.gradients) {
    const Row<S> gz = Row<S>::repeat4(gr + 8);
    r.value = T.value || T.moments ? fma(z.g, gz, r.value) : z.g * gz;
    r.gx = z.w * Row<S>::repeat4(gr);
    r.gy = z.w * Row<S>::repeat4(gr + 4);
  }
  return r;
}

// Adds `count` particles to the tile. Neighbours in memory mostly share their stencil (particles are sorted
// by cell), so the sums of such a run stay in registers.
template <class S, int K, Terms T, Terms Weights>
DOLLOP_INLINE void scatter(const ScatterRecords<S>& records, const Stencil<S, K, Weights>& st, int count,
                           S* tile) {
  constexpr int held = slabs_held<S, K>;
  constexpr bool value_alone = !T.moments && !T.gradients;
  static_assert(!value_alone || Weights.products);
  ZSums<S> swept[held == K ? 1 : chunk_size];
  if constexpr (held != K)
    for (int p = 0; p < count; ++p)
      swept[p] = sweep_z<S, K, T>(records.value_and_moments[p], records.gradients[p], st.fz[p]);

  for (int first = 0; first < count;) {
    int last = first + 1;
    while (last < count && st.key[last] == st.key[first]) ++last;
    S* origin = tile + 4 * st.key[first];
#pragma GCC unroll 1
    for (int slab = 0; slab < K; slab += held) {
      Row<S> sum[held][K];
      for (auto& rows : sum)
        for (auto& row : rows) row = Row<S>::zero();
      for (int p = first; p < last; ++p) {
        if constexpr (held == K)
          swept[0] = sweep_z<S, K, T>(records.value_and_moments[p], records.gradients[p], st.fz[p]);
        const ZSums<S>& z = swept[held == K ? 0 : p];
        DOLLOP_UNROLL
        for (int i = 0; i < held; ++i) {
          const int ix = slab + i;
          if constexpr (value_alone) {
            DOLLOP_UNROLL
            for (int j = 0; j < K; ++j) sum[i][j] = fma(st.wxy[ix * K + j][p], z.value, sum[i][j]);
            continue;
          }
          Row<S> value = st.wx[ix][p] * z.value, my, gy;
          if constexpr (T.moments) value = fma(st.mx[ix][p], z.mx, value), my = st.wx[ix][p] * z.my;
          if constexpr (T.gradients) value = fma(st.gx[ix][p], z.gx, value), gy = st.wx[ix][p] * z.gy;
          DOLLOP_UNROLL
          for (int j = 0; j < K; ++j) {
            sum[i][j] = fma(st.wy[j][p], value, sum[i][j]);
            if constexpr (T.moments) sum[i][j] = fma(st.my[j][p], my, sum[i][j]);
            if constexpr (T.gradients) sum[i][j] = fma(st.gy[j][p], gy, sum[i][j]);
          }
        }
      }
      DOLLOP_UNROLL
      for (int i = 0; i < held; ++i) DOLLOP_UNROLL
      for (int j = 0; j < K; ++j) {
        S* row = origin + (slab + i) * Tile<K>::slab_stride + j * Tile<K>::row_stride;
        (Row<S>::load(row) + sum[i][j]).store(row);
      }
    }
    first = last;
  }
}

// --- nodes to particles ------------------------------------------------------------------------------------

// What a particle receives: the value, then sums with the x, y, z moment weights, then with the gradient
// weights. The fourth number of the first three is free for a value of another field (gather_values).
template <class S>
struct GatherRecords {
  alignas(64) S value_and_moments[chunk_size][16];
  alignas(64) S gradients[chunk_size][16];  // [0..3] unused
};

template <class S, int K, Terms T, Terms Weights>
DOLLOP_INLINE void gather(const S* tile, const Stencil<S, K, Weights>& st, int count, GatherRecords<S>& out) {
  constexpr bool hold = slabs_held<S, K> == K;
  for (int first = 0; first < count;) {
    int last = first + 1;
    while (last < count && st.key[last] == st.key[first]) ++last;
    const S* origin = tile + 4 * st.key[first];
    const auto load_row = [&](int i, int j) {
      return Row<S>::load(origin + i * Tile<K>::slab_stride + j * Tile<K>::row_stride);
    };
    Row<S> held[hold ? K : 1][hold ? K : 1];
    if constexpr (hold) DOLLOP_UNROLL
    for (int i = 0; i < K; ++i) DOLLOP_UNROLL
    for (int j = 0; j < K; ++j) held[i][j] = load_row(i, j);

    for (int p = first; p < last; ++p) {
      Row<S> value, mx, my, gx, gy;
      DOLLOP_UNROLL
      for (int i = 0; i < K; ++i) {
        Row<S> sum, sum_m, sum_g;  // over y, with the three kinds of weight
        DOLLOP_UNROLL
        for (int j = 0; j < K; ++j) {
          Row<S> node;
          if constexpr (hold)
            node = held[i][j];
          else
            node = load_row(i, j);
          sum = j == 0 ? st.wy[0][p] * node : fma(st.wy[j][p], node, sum);
          if constexpr (T.moments) sum_m = j == 0 ? st.my[0][p] * node : fma(st.my[j][p], node, sum_m);
          if constexpr (T.gradients) sum_g = j == 0 ? st.gy[0][p] * node : fma(st.gy[j][p], node, sum_g);
        }
        const S w = st.wx[i][p];
        value = i == 0 ? w * sum : fma(w, sum, value);
        if constexpr (T.moments) {
          mx = i == 0 ? st.mx[0][p] * sum : fma(st.mx[i][p], sum, mx);
          my = i == 0 ? w * sum_m : fma(w, sum_m, my);
        }
        if constexpr (T.gradients) {
          gx = i == 0 ? st.gx[0][p] * sum : fma(st.gx[i][p], sum, gx);
          gy = i == 0 ? w * sum_g : fma(w, sum_g, gy);
        }
      }
      const ZWeights<S, K, T> z(st.fz[p]);
      const Row<S> v = z.w * value;
      if constexpr (T.moments) sum_nodes(v, z.w * mx, z.w * my, z.m * value, out.value_and_moments[p]);
      if constexpr (T.gradients) sum_nodes(v, z.w * gx, z.w * gy, z.g * value, out.gradients[p]);
    }
    first = last;
  }
}

// The value of a second field, put into places 3, 7 and 11 of the records that gather() has filled.
template <class S, int K, Terms Weights>
DOLLOP_INLINE void gather_values(const S* tile, const Stencil<S, K, Weights>& st, int count,
                                 S (*records)[16]) {
  for (int first = 0; first < count;) {
    int last = first + 1;
    while (last < count && st.key[last] == st.key[first]) ++last;
    Row<S> node[K * K];
    DOLLOP_UNROLL
    for (int n = 0; n < K * K; ++n)
      node[n] =
          Row<S>::load(tile + 4 * st.key[first] + n / K * Tile<K>::slab_stride + n % K * Tile<K>::row_stride);
    for (int p = first; p < last; ++p) {
      Row<S> sum = st.wxy[0][p] * node[0], other = st.wxy[1][p] * node[1];  // two chains of additions
      DOLLOP_UNROLL
      for (int n = 2; n < K * K; ++n) (n % 2 ? other : sum) = fma(st.wxy[n][p], node[n], n % 2 ? other : sum);
      constexpr Terms value_only{true, false, false};
      alignas(64) S total[4];
      sum_nodes(ZWeights<S, K, value_only>(st.fz[p]).w * (sum + other), total);
      for (int c = 0; c < 3; ++c) records[p][3 + 4 * c] = total[c];
    }
    first = last;
  }
}

}  // namespace dollop::inline DOLLOP_ISA
