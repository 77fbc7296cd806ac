// The kernel weights of a chunk of particles, and the scatter and gather loops between particles and
// nodes.
//
// The kernels are products of one-dimensional ones, so a stencil is swept x by y by rows of four z nodes.
// The loops carry a value (weight w), a moment (weight w (x_i - x_p), used by APIC and by MLS forces) and
// a gradient (weight grad w): any mix of the three, chosen at compile time by `Terms`. Lengths are in cells.
//
// Moments need no weights of their own. In the scatter, value and moments are an affine field, so going from node
// to node adds a constant. In the gather, sums of w k over the nodes k of a line are sums of partial sums of w. So each
// node costs one multiply-add and one addition, which run in parallel.
#pragma once

#include <bit>
#include <cstdint>

#include "grid/row.h"
#include "math/bspline.h"

namespace dollop::inline DOLLOP_ISA {

struct Terms {
  bool value, moments, gradients;
};

// A tile is the part of the grid that the particles of one block can reach: nodes -1 .. 4 + K - 1 of the
// block. It has a halo of one cell on either side, so that particles may leave their block by a cell before they
// are re-sorted. It holds several fields, interleaved row by row.
template <int K, int Fields>
struct Tile {
  static constexpr int margin = 1, nx = block_edge + K + 1, ny = nx,
                       nz = 9;  // z rows are read four nodes at a time
  static constexpr int stencil = K, fields = Fields, field_stride = nz * node_reals;
  static constexpr int row_stride = Fields * field_stride, slab_stride = ny * row_stride;
  static constexpr int reals = nx * slab_stride;
};

// Which weights are stored.
struct Weights {
  bool lines = false, gradients = false;  // of x and y separately
  bool products = false;                  // of x and y
  bool pairs = false;                     // of y, for nodes 0 and 1, 2 and 3
};

// Weights of up to a chunk of particles of one block: those of x and y by node, those of z by particle.
template <class S, class Tile, Weights W>
struct Stencil {
  static constexpr int K = Tile::stencil;
  alignas(64) S wx[K][chunk_size], wy[K][chunk_size];
  alignas(64) S gx[K][chunk_size], gy[K][chunk_size];  // w'
  alignas(64) S wxy[W.products ? K * K : 1][chunk_size];
  alignas(64) S wy_pairs[2][W.pairs ? 2 * chunk_size : 1];
  alignas(64) S wz[chunk_size][4], gz[chunk_size][4];
  alignas(64) S u[3][chunk_size];            // position relative to node 1 of the stencil
  alignas(64) std::int32_t key[chunk_size];  // first node of the stencil, as an index into the tile

  // x, y, z: positions relative to node 0 of the block, in cells. Lanes outside the tile get node 0: they are
  // padding, or the step is about to be rejected.
  DOLLOP_INLINE void set(const S* x, const S* y, const S* z) {
    using R = Pack<S>;
    using Spline = BSpline<K>;
    for (int l = 0; l < chunk_size; l += R::lanes) {
      const R zero = R(S(0));
      R w[3][4], d[3][4];
      const auto axis = [&](const S* p, int a) {
        const R at = R::load(p + l), base = floor(at - R(S(Spline::offset))), f = at - base;
        (f - R(S(1))).store(u[a] + l);
        w[a][3] = d[a][3] = zero;
        Spline::weights(f, w[a]);
        if constexpr (W.gradients) Spline::derivatives(f, d[a]);
        return base + R(S(Tile::margin));
      };
      const R bx = axis(x, 0), by = axis(y, 1), bz = axis(z, 2);
      for (int k = 0; k < K; ++k) {
        if constexpr (W.lines) w[0][k].store(wx[k] + l), w[1][k].store(wy[k] + l);
        if constexpr (W.gradients) d[0][k].store(gx[k] + l), d[1][k].store(gy[k] + l);
        if constexpr (W.products)
          for (int j = 0; j < K; ++j) (w[0][k] * w[1][j]).store(wxy[k * K + j] + l);
      }
      if constexpr (W.pairs)
        for (int k = 0; k < 2; ++k) interleave(w[1][2 * k], w[1][2 * k + 1], wy_pairs[k] + 2 * l);
      four_to_particles(w[2][0], w[2][1], w[2][2], w[2][3], wz[l]);
      if constexpr (W.gradients) four_to_particles(d[2][0], d[2][1], d[2][2], d[2][3], gz[l]);
      const R top = R(S(block_edge + Tile::margin));
      const auto inside =
          both(both(both(bx >= zero, bx <= top), both(by >= zero, by <= top)), both(bz >= zero, bz <= top));
      const R first = bx * R(S(Tile::slab_stride)) + by * R(S(Tile::row_stride)) + bz * R(S(node_reals));
      const R node = select(inside, first, zero);
      for (int i = 0; i < R::lanes; ++i) key[l + i] = std::int32_t(node[i]);
    }
  }
};

// a bit mask of the particles in a chunk that have the given key
DOLLOP_INLINE unsigned with_key(const std::int32_t* keys, std::int32_t key) {
#ifdef __AVX512F__
  return _mm512_cmpeq_epi32_mask(_mm512_load_si512(keys), _mm512_set1_epi32(key));
#else
  unsigned same = 0;
  for (int p = 0; p < chunk_size; ++p) same |= unsigned(keys[p] == key) << p;
  return same;
#endif
}

// Calls visit(key, group) for each group of particles that share a stencil; the group is a bit mask. Particles are
// sorted by cell, but move between sorts: the groups of a chunk then have about 4 members, runs of neighbours 1 or 2.
template <class Visit>
DOLLOP_INLINE void each_group(const std::int32_t* keys, int count, Visit&& visit) {
  for (unsigned rest = (1u << count) - 1; rest;) {
    const std::int32_t key = keys[std::countr_zero(rest)];
    const unsigned group = with_key(keys, key) & rest;
    visit(key, group);
    rest &= ~group;
  }
}
template <class Visit>
DOLLOP_INLINE void each_particle(unsigned group, Visit&& visit) {
  for (; group; group &= group - 1) visit(std::countr_zero(group));
}

// a number of each of the four z nodes, in all four lanes of the node
template <class S, class OfNode>
DOLLOP_INLINE Row<S> node_constants(OfNode of_node) {
  Row<S> r;
  for (int i = 0; i < row_reals; ++i) r.part[i / Row<S>::lanes].set(i % Row<S>::lanes, S(of_node(i / 4)));
  return r;
}

// how many x-slabs of a stencil fit into registers at once
template <class S, int K>
inline constexpr int slabs_held = (Row<S>::parts * K * K <= 16 && DOLLOP_VECTOR_BYTES == 64) ? K : 1;

// --- particles to nodes ------------------------------------------------------------------------------------

// The scatter data of a particle: a value that each node takes with its weight, or an affine field, as its value
// at the first node of the stencil and its increments from node to node along x, y, z; and a gradient matrix.
template <class S>
struct ScatterRecords {
  alignas(64) S value[chunk_size][4];
  alignas(64) S affine[chunk_size][record_reals];     // value | increment x | increment y | increment z
  alignas(64) S gradients[chunk_size][record_reals];  // column x | y | z
};

// the z sweep of one particle: rows that still need the x and y weights
template <class S>
struct ZSums {
  Row<S> value, step_x, step_y, gx, gy;
};

template <Terms T, class S, class Tile, Weights W>
DOLLOP_INLINE ZSums<S> sweep_z(const ScatterRecords<S>& records, const Stencil<S, Tile, W>& st, int p) {
  const Row<S> w = Row<S>::spread4(st.wz[p]);
  ZSums<S> r;
  if constexpr (T.moments) {
    const S* a = records.affine[p];
    const Row<S> k_z = node_constants<S>([](int k) { return k; });
    r.value = w * fma(k_z, Row<S>::repeat4(a + 12), Row<S>::repeat4(a));
    r.step_x = once(w * Row<S>::repeat4(a + 4));
    r.step_y = once(w * Row<S>::repeat4(a + 8));
  } else if constexpr (T.value) {
    r.value = w * Row<S>::repeat4(records.value[p]);
  }
  if constexpr (T.gradients) {
    const S* g = records.gradients[p];
    const Row<S> dz = Row<S>::spread4(st.gz[p]), gz = Row<S>::repeat4(g + 8);
    r.value = T.value ? fma(dz, gz, r.value) : dz * gz;
    r.gx = w * Row<S>::repeat4(g);
    r.gy = w * Row<S>::repeat4(g + 4);
  }
  return r;
}

// adds particle p to the sums of `Slabs` slabs of its stencil, the first of which is `slab`
template <Terms T, int Slabs, class S, class Tile, Weights W>
DOLLOP_INLINE void add_particle(const ZSums<S>& z, const Stencil<S, Tile, W>& st, int p, int slab,
                                Row<S> (&sum)[Slabs][Tile::stencil]) {
  constexpr int K = Tile::stencil;
  Row<S> line = z.value;
  if constexpr (T.moments && Slabs < K) line = fma(S(slab), z.step_x, line);
  DOLLOP_UNROLL
  for (int i = 0; i < Slabs; ++i) {
    const int ix = slab + i;
    if (T.moments && i > 0) line = line + z.step_x;
    Row<S> node = line, step = z.step_y, gy;
    if constexpr (T.gradients) {
      node = fma(st.gx[ix][p], z.gx, st.wx[ix][p] * line);
      gy = st.wx[ix][p] * z.gy;
      if constexpr (T.moments) step = st.wx[ix][p] * z.step_y;
    }
    DOLLOP_UNROLL
    for (int j = 0; j < K; ++j) {
      if (T.moments && j > 0) node = node + step;
      const S w = T.gradients ? st.wy[j][p] : st.wxy[ix * K + j][p];
      sum[i][j] = fma(w, node, sum[i][j]);
      if constexpr (T.gradients) sum[i][j] = fma(st.gy[j][p], gy, sum[i][j]);
    }
  }
}

// Adds particles that share a stencil to a field of the tile; `key` is the first node of the stencil. The sums
// stay in registers until the last particle.
template <Terms T, class S, class Tile, Weights W>
DOLLOP_INLINE void scatter(const ScatterRecords<S>& records, const Stencil<S, Tile, W>& st, std::int32_t key,
                           unsigned group, S* field) {
  constexpr int K = Tile::stencil, held = slabs_held<S, K>;
  static_assert(T.gradients ? W.lines && W.gradients : W.products);
  ZSums<S> swept[held == K ? 1 : chunk_size];
  if constexpr (held != K)
    each_particle(group, [&](int p) DOLLOP_INLINE_LAMBDA { swept[p] = sweep_z<T>(records, st, p); });
#pragma GCC unroll 1
  for (int slab = 0; slab < K; slab += held) {
    Row<S> sum[held][K];
    for (auto& rows : sum)
      for (auto& row : rows) row = Row<S>::zero();
    each_particle(group, [&](int p) DOLLOP_INLINE_LAMBDA {
      if constexpr (held == K) swept[0] = sweep_z<T>(records, st, p);
      add_particle<T>(swept[held == K ? 0 : p], st, p, slab, sum);
    });
    DOLLOP_UNROLL
    for (int i = 0; i < held; ++i) DOLLOP_UNROLL
    for (int j = 0; j < K; ++j) {
      S* row = field + key + (slab + i) * Tile::slab_stride + j * Tile::row_stride;
      (Row<S>::load(row) + sum[i][j]).store(row);
    }
  }
}

// --- nodes to particles ------------------------------------------------------------------------------------

// The gathered sums of a particle: the value, then sums with the x, y, z moment weights, about node 1 of the stencil,
// or with the gradient weights. The fourth numbers of the second and third four come from a field of pairs.
template <class S>
struct GatherRecords {
  alignas(64) S moments[chunk_size][record_reals];
  alignas(64) S gradients[chunk_size][record_reals];
};

// sum w_k a_k and, about node 1, sum w_k (k - 1) a_k over a line of nodes
template <bool moment, int K, class V, class Weight, class Node>
DOLLOP_INLINE void sum_line(Weight w, Node a, V& sum, V& first_moment) {
  V tail = w(K - 1) * a(K - 1), above = tail;  // above: sum of the tails from node 2 on
  DOLLOP_UNROLL
  for (int k = K - 2; k > 0; --k) {
    tail = fma(w(k), a(k), tail);
    if (moment && k > 1) above = above + tail;
  }
  if constexpr (moment) {
    const V below = once(w(0) * a(0));
    sum = tail + below;
    first_moment = above - below;
  } else {
    sum = fma(w(0), a(0), tail);
  }
}

// The values of two numbers b, c of each node, from a field of pairs. The field holds at each node the numbers of that
// node and of the next node in y, b b' c c', so that a row does the work of two. Returns a row of b b c c.
template <class S, class Tile, Weights W>
DOLLOP_INLINE Row<S> gather_pairs(const S* origin, const Stencil<S, Tile, W>& st, int p) {
  constexpr int K = Tile::stencil;
  Row<S> sum[2] = {Row<S>::zero(), Row<S>::zero()};
  DOLLOP_UNROLL
  for (int i = 0; i < K; ++i) DOLLOP_UNROLL
  for (int j = 0; j < 2; ++j) {
    const S* node = origin + i * Tile::slab_stride + 2 * j * Tile::row_stride;
    sum[j] = fma(st.wx[i][p], Row<S>::load(node), sum[j]);
  }
  const Row<S> total =
      fma(Row<S>::repeat2(st.wy_pairs[1] + 2 * p), sum[1], Row<S>::repeat2(st.wy_pairs[0] + 2 * p) * sum[0]);
  return total + shuffle_nodes<1, 0, 3, 2>(total, total);
}

// the sums over x and y of one particle: rows that still need the z weights
template <class V>
struct XySums {
  V value, mx, my, gx, gy;
};

// node(i, j) is a row of one field, or of two
template <Terms T, class S, class Tile, Weights W, class Node>
DOLLOP_INLINE auto sum_xy(const Stencil<S, Tile, W>& st, int p, Node node) {
  using V = decltype(node(0, 0));
  constexpr int K = Tile::stencil;
  XySums<V> r;
  r.my = r.gx = r.gy = V::zero();
  const auto wy = [&](int j) DOLLOP_INLINE_LAMBDA { return st.wy[j][p]; };
  const auto slab = [&](int i) DOLLOP_INLINE_LAMBDA {
    const auto in_slab = [&](int j) DOLLOP_INLINE_LAMBDA { return node(i, j); };
    V sum, my, gy, unused;
    sum_line<T.moments, K>(wy, in_slab, sum, my);
    if constexpr (T.moments) r.my = fma(st.wx[i][p], my, r.my);
    if constexpr (T.gradients) {
      sum_line<false, K>([&](int j) DOLLOP_INLINE_LAMBDA { return st.gy[j][p]; }, in_slab, gy, unused);
      r.gx = fma(st.gx[i][p], sum, r.gx);
      r.gy = fma(st.wx[i][p], gy, r.gy);
    }
    return sum;
  };
  sum_line<T.moments, K>([&](int i) DOLLOP_INLINE_LAMBDA { return st.wx[i][p]; }, slab, r.value, r.mx);
  return r;
}

// the sums over z
template <Terms T, class S, class Tile, Weights W>
DOLLOP_INLINE void sum_z(const XySums<Row<S>>& xy, const Stencil<S, Tile, W>& st, int p,
                         GatherRecords<S>& out) {
  const Row<S> w = Row<S>::spread4(st.wz[p]), value = w * xy.value;
  if constexpr (T.moments) {
    const Row<S> k_z = node_constants<S>([](int k) { return k - 1; });
    sum_nodes(value, w * xy.mx, w * xy.my, k_z * value, out.moments[p]);
  }
  if constexpr (T.gradients)
    sum_nodes(value, w * xy.gx, w * xy.gy, Row<S>::spread4(st.gz[p]) * xy.value, out.gradients[p]);
}

// Gathers for one particle, from a field of the tile and from a field of pairs, if there is one (-1: none). Every particle
// loads its own rows: sharing them within a group of particles saves less time than finding the groups takes.
template <Terms T, int Field, int Pairs, class S, class Tile, Weights W>
DOLLOP_INLINE void gather_particle(const S* tile, const Stencil<S, Tile, W>& st, int p,
                                   GatherRecords<S>& out) {
  const S* origin = tile + st.key[p];
  XySums<Row<S>> xy = sum_xy<T>(st, p, [&](int i, int j) DOLLOP_INLINE_LAMBDA {
    return Row<S>::load(origin + Field * Tile::field_stride + i * Tile::slab_stride + j * Tile::row_stride);
  });
  if constexpr (Pairs >= 0) {
    const Row<S> pairs = gather_pairs(origin + Pairs * Tile::field_stride, st, p);
    Row<S>&along_x = T.moments ? xy.mx : xy.gx, &along_y = T.moments ? xy.my : xy.gy;
    along_x = shuffle_nodes<0, 1, 2, 4>(along_x, pairs);
    along_y = shuffle_nodes<0, 1, 2, 7>(along_y, pairs);
  }
  sum_z<T>(xy, st, p, out);
}

// the same from the first two fields at once, which loads each weight once for both
template <Terms T, class S, class Tile, Weights W>
DOLLOP_INLINE void gather_particle(const S* tile, const Stencil<S, Tile, W>& st, int p,
                                   GatherRecords<S>& first, GatherRecords<S>& second) {
  const S* origin = tile + st.key[p];
  const XySums<RowPair<S>> xy = sum_xy<T>(st, p, [&](int i, int j) DOLLOP_INLINE_LAMBDA {
    const S* row = origin + i * Tile::slab_stride + j * Tile::row_stride;
    return RowPair<S>{Row<S>::load(row), Row<S>::load(row + Tile::field_stride)};
  });
  sum_z<T>(XySums<Row<S>>{xy.value.a, xy.mx.a, xy.my.a, xy.gx.a, xy.gy.a}, st, p, first);
  sum_z<T>(XySums<Row<S>>{xy.value.b, xy.mx.b, xy.my.b, xy.gx.b, xy.gy.b}, st, p, second);
}

// the same for the particles [begin, end) of a chunk
template <Terms T, int Field, int Pairs, class S, class Tile, Weights W>
DOLLOP_INLINE void gather(const S* tile, const Stencil<S, Tile, W>& st, int begin, int end,
                          GatherRecords<S>& out) {
  for (int p = begin; p < end; ++p) gather_particle<T, Field, Pairs>(tile, st, p, out);
}

}  // namespace dollop::inline DOLLOP_ISA
