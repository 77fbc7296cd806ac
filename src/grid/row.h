// A row of the grid in registers: four nodes along z, four numbers each (momentum x y z and mass, or
// velocity).
//
// A row is 16 numbers whatever the instruction set: one register on AVX-512 in float, two on AVX2, and so on.
// Chunks of particles have the same size, so the same type holds one quantity of a chunk.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "materials/material_kernels.h"
#include "math/pack.h"
#include "particles/block_layout.h"

namespace dollop::inline DOLLOP_ISA {

inline constexpr int record_reals = 16;  // numbers of a particle in a scatter or gather
static_assert(row_reals == chunk_size && record_reals == chunk_size);

template <class S>
struct Row {
  static constexpr int lanes = Pack<S>::lanes, parts = row_reals / lanes;
  Pack<S> part[parts];

  static DOLLOP_INLINE Row zero() {
    Row r;
    for (auto& p : r.part) p = Pack<S>(S(0));
    return r;
  }
  static DOLLOP_INLINE Row load(const S* a) {
    Row r;
    for (int i = 0; i < parts; ++i) r.part[i] = Pack<S>::load(a + i * lanes);
    return r;
  }
  DOLLOP_INLINE void store(S* a) const {
    for (int i = 0; i < parts; ++i) part[i].store(a + i * lanes);
  }
  // the last node alone
  DOLLOP_INLINE void store_last(S* a) const {
    for (int c = 0; c < 4; ++c) a[c] = part[(12 + c) / lanes][(12 + c) % lanes];
  }
  // the four numbers at a as the last node, zero for the other three
  static DOLLOP_INLINE Row only_last(const S* a) {
    Row r = zero();
#ifdef __AVX512F__
    if constexpr (lanes == 16) {
      r.part[0].v = (typename Pack<S>::Values)_mm512_maskz_broadcast_f32x4(0xf000, _mm_loadu_ps(a));
      return r;
    }
#endif
    for (int c = 0; c < 4; ++c) r.set(12 + c, a[c]);
    return r;
  }
  // the four numbers at a, for each of the four nodes
  static DOLLOP_INLINE Row repeat4(const S* a) {
    Row r;
#ifdef __AVX512F__
    if constexpr (lanes == 16) {
      r.part[0].v = (typename Pack<S>::Values)_mm512_maskz_broadcast_f32x4(0xffff, _mm_loadu_ps(a));
      return r;
    }
#endif
    for (int i = 0; i < row_reals; ++i) r.set(i, a[i % 4]);
    return r;
  }
  // number k of the four at a, in all lanes of node k
  static DOLLOP_INLINE Row spread4(const S* a) {
    Row r;
#ifdef __AVX512F__
    if constexpr (lanes == 16) {
      const __m512i node = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
      r.part[0].v = (typename Pack<S>::Values)_mm512_maskz_permutevar_ps(
          0xffff, _mm512_maskz_broadcast_f32x4(0xffff, _mm_loadu_ps(a)), node);
      return r;
    }
#endif
    for (int i = 0; i < row_reals; ++i) r.set(i, a[i / 4]);
    return r;
  }
  // the two numbers at a, repeated
  static DOLLOP_INLINE Row repeat2(const S* a) {
    Row r;
    if constexpr (sizeof(S) == 4) {  // loaded as one number of twice the size
      std::int64_t both_numbers;
      std::memcpy(&both_numbers, a, sizeof both_numbers);
      const auto v = (typename Pack<S>::Values)(both_numbers - VectorOf<double>::Ints{});
      for (auto& p : r.part) p.v = v;
    } else {
      for (int i = 0; i < row_reals; ++i) r.set(i, a[i % 2]);
    }
    return r;
  }
  DOLLOP_INLINE S operator[](int i) const { return part[i / lanes][i % lanes]; }
  DOLLOP_INLINE void set(int i, S a) { part[i / lanes].set(i % lanes, a); }
};

template <class S>
DOLLOP_INLINE Row<S> operator*(const Row<S>& a, const Row<S>& b) {
  Row<S> r;
  for (int i = 0; i < Row<S>::parts; ++i) r.part[i] = a.part[i] * b.part[i];
  return r;
}
template <class S>
DOLLOP_INLINE Row<S> operator+(const Row<S>& a, const Row<S>& b) {
  Row<S> r;
  for (int i = 0; i < Row<S>::parts; ++i) r.part[i] = a.part[i] + b.part[i];
  return r;
}
template <class S>
DOLLOP_INLINE Row<S> operator-(const Row<S>& a, const Row<S>& b) {
  Row<S> r;
  for (int i = 0; i < Row<S>::parts; ++i) r.part[i] = a.part[i] - b.part[i];
  return r;
}
template <class S>
DOLLOP_INLINE Row<S> operator*(S s, const Row<S>& a) {
  Row<S> r;
  for (int i = 0; i < Row<S>::parts; ++i) r.part[i] = Pack<S>(s) * a.part[i];
  return r;
}
// s a + b
template <class S>
DOLLOP_INLINE Row<S> fma(S s, const Row<S>& a, const Row<S>& b) {
  Row<S> r;
  for (int i = 0; i < Row<S>::parts; ++i) r.part[i] = fma(Pack<S>(s), a.part[i], b.part[i]);
  return r;
}
template <class S>
DOLLOP_INLINE Row<S> fma(const Row<S>& a, const Row<S>& b, const Row<S>& c) {
  Row<S> r;
  for (int i = 0; i < Row<S>::parts; ++i) r.part[i] = fma(a.part[i], b.part[i], c.part[i]);
  return r;
}

// The same row, hidden from the optimiser so that it is computed once: GCC would fuse a product that is added several
// times into as many multiply-adds, but additions have execution ports of their own.
template <class S>
DOLLOP_INLINE Row<S> once(Row<S> a) {
#if defined(__x86_64__) && defined(__GNUC__)
  for (int i = 0; i < Row<S>::parts; ++i) {
    auto v = a.part[i].v;
    asm("" : "+v"(v));
    a.part[i].v = v;
  }
#endif
  return a;
}

// rows of two fields, for sums that have the same weights
template <class S>
struct RowPair {
  Row<S> a, b;
  static DOLLOP_INLINE RowPair zero() { return {Row<S>::zero(), Row<S>::zero()}; }
};
template <class S>
DOLLOP_INLINE RowPair<S> operator+(const RowPair<S>& p, const RowPair<S>& q) {
  return {p.a + q.a, p.b + q.b};
}
template <class S>
DOLLOP_INLINE RowPair<S> operator-(const RowPair<S>& p, const RowPair<S>& q) {
  return {p.a - q.a, p.b - q.b};
}
template <class S>
DOLLOP_INLINE RowPair<S> operator*(S s, const RowPair<S>& p) {
  return {s * p.a, s * p.b};
}
template <class S>
DOLLOP_INLINE RowPair<S> fma(S s, const RowPair<S>& p, const RowPair<S>& q) {
  return {fma(s, p.a, q.a), fma(s, p.b, q.b)};
}
template <class S>
DOLLOP_INLINE RowPair<S> once(const RowPair<S>& p) {
  return {once(p.a), once(p.b)};
}

// Rearranges the numbers of each node: number c of a node comes from number from[c] of the same node of a, or
// from number from[c] - 4 of that of b.
template <int... from, class V, int... I>
DOLLOP_INLINE V shuffle_nodes(V a, V b, std::integer_sequence<int, I...>) {
  constexpr int table[4] = {from...}, n = int(sizeof...(I));
  return __builtin_shufflevector(a, b, ((I & ~3) + table[I & 3] % 4 + table[I & 3] / 4 * n)...);
}
template <int... from, class S>
DOLLOP_INLINE Row<S> shuffle_nodes(const Row<S>& a, const Row<S>& b) {
  static_assert(sizeof...(from) == 4);
  constexpr int table[4] = {from...}, lanes = Row<S>::lanes;
  Row<S> r;
  if constexpr (lanes >= 4) {
    for (int i = 0; i < Row<S>::parts; ++i)
      r.part[i].v =
          shuffle_nodes<from...>(a.part[i].v, b.part[i].v, std::make_integer_sequence<int, lanes>{});
  } else {
    for (int i = 0; i < row_reals; ++i) r.set(i, (table[i % 4] < 4 ? a : b)[(i & ~3) + table[i % 4] % 4]);
  }
  return r;
}

// the fourth number of each node, in all lanes of the node
template <class S>
DOLLOP_INLINE Row<S> fourth_of_node(const Row<S>& a) {
  return shuffle_nodes<3, 3, 3, 3>(a, a);
}

// sums over the four nodes of each of four rows: out[4 q + c] = sum_k row_q[4 k + c]
template <class S>
DOLLOP_INLINE void sum_nodes(const Row<S>& r0, const Row<S>& r1, const Row<S>& r2, const Row<S>& r3, S* out) {
#ifdef __AVX512F__
  if constexpr (Row<S>::lanes == 16) {
    const auto v = [](const Row<S>& r) { return (__m512)r.part[0].v; };
    const __m512 a = _mm512_add_ps(_mm512_maskz_shuffle_f32x4(0xffff, v(r0), v(r1), 0x44),
                                   _mm512_maskz_shuffle_f32x4(0xffff, v(r0), v(r1), 0xee));
    const __m512 b = _mm512_add_ps(_mm512_maskz_shuffle_f32x4(0xffff, v(r2), v(r3), 0x44),
                                   _mm512_maskz_shuffle_f32x4(0xffff, v(r2), v(r3), 0xee));
    _mm512_storeu_ps(out, _mm512_add_ps(_mm512_maskz_shuffle_f32x4(0xffff, a, b, 0x88),
                                        _mm512_maskz_shuffle_f32x4(0xffff, a, b, 0xdd)));
    return;
  }
#endif
  const Row<S>* rows[4] = {&r0, &r1, &r2, &r3};
  constexpr int lanes = Row<S>::lanes;
  for (int q = 0; q < 4; ++q) {
    if constexpr (lanes >= 4) {
      Pack<S> s = rows[q]->part[0];
      for (int i = 1; i < Row<S>::parts; ++i) s += rows[q]->part[i];
      for (int c = 0; c < 4; ++c) {
        S t = s[c];
        for (int l = c + 4; l < lanes; l += 4) t += s[l];
        out[4 * q + c] = t;
      }
    } else {
      for (int c = 0; c < 4; ++c) {
        S t = S(0);
        for (int k = 0; k < 4; ++k) t += rows[q]->part[(4 * k + c) / lanes][(4 * k + c) % lanes];
        out[4 * q + c] = t;
      }
    }
  }
}

// --- transposes --------------------------------------------------------------------------------------------

template <class V, int... I>
DOLLOP_INLINE V interleave_low(V a, V b, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(a, b, (I % 2 ? int(sizeof...(I)) + I / 2 : I / 2)...);
}
template <class V, int... I>
DOLLOP_INLINE V interleave_high(V a, V b, std::integer_sequence<int, I...>) {
  constexpr int n = int(sizeof...(I));
  return __builtin_shufflevector(a, b, (n / 2 + (I % 2 ? n + I / 2 : I / 2))...);
}

// a and b interleaved
template <class S>
DOLLOP_INLINE void interleave(const Pack<S>& a, const Pack<S>& b, S* out) {
  using Lanes = std::make_integer_sequence<int, Pack<S>::lanes>;
  Pack<S>(interleave_low(a.v, b.v, Lanes{})).store(out);
  Pack<S>(interleave_high(a.v, b.v, Lanes{})).store(out + Pack<S>::lanes);
}

// transposes a square of packs in place, by log2(lanes) perfect shuffles
template <class S>
DOLLOP_INLINE void transpose(Pack<S>* r) {
  constexpr int n = Pack<S>::lanes;
  using Lanes = std::make_integer_sequence<int, n>;
#pragma GCC unroll 4
  for (int stage = 1; stage < n; stage *= 2) {
    Pack<S> t[n];
#pragma GCC unroll 16
    for (int i = 0; i < n / 2; ++i) {
      t[2 * i].v = interleave_low(r[i].v, r[i + n / 2].v, Lanes{});
      t[2 * i + 1].v = interleave_high(r[i].v, r[i + n / 2].v, Lanes{});
    }
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i) r[i] = t[i];
  }
}

// by_quantity[q] holds quantity q of a chunk of particles; by_particle[record_reals p + q] afterwards
template <class S>
DOLLOP_INLINE void to_particles(const Row<S>* by_quantity, S* by_particle) {
  constexpr int n = Pack<S>::lanes;
  for (int bp = 0; bp < chunk_size / n; ++bp)
    for (int bq = 0; bq < record_reals / n; ++bq) {
      Pack<S> t[n];
#pragma GCC unroll 16
      for (int i = 0; i < n; ++i) t[i] = by_quantity[bq * n + i].part[bp];
      transpose(t);
#pragma GCC unroll 16
      for (int i = 0; i < n; ++i) t[i].store(by_particle + record_reals * (bp * n + i) + bq * n);
    }
}
// the same for four quantities of as many particles as a pack holds: by_particle[4 p + q] afterwards
template <class S>
DOLLOP_INLINE void four_to_particles(const Pack<S>& a, const Pack<S>& b, const Pack<S>& c, const Pack<S>& d,
                                     S* by_particle) {
  using Lanes = std::make_integer_sequence<int, Pack<S>::lanes>;
  const auto low = [](auto x, auto y) { return Pack<S>(interleave_low(x.v, y.v, Lanes{})); };
  const auto high = [](auto x, auto y) { return Pack<S>(interleave_high(x.v, y.v, Lanes{})); };
  interleave(low(a, c), low(b, d), by_particle);
  interleave(high(a, c), high(b, d), by_particle + 2 * Pack<S>::lanes);
}
template <class S>
DOLLOP_INLINE void to_quantities(const S* by_particle, Row<S>* by_quantity) {
  constexpr int n = Pack<S>::lanes;
  for (int bp = 0; bp < chunk_size / n; ++bp)
    for (int bq = 0; bq < record_reals / n; ++bq) {
      Pack<S> t[n];
#pragma GCC unroll 16
      for (int i = 0; i < n; ++i) t[i] = Pack<S>::load(by_particle + record_reals * (bp * n + i) + bq * n);
      transpose(t);
#pragma GCC unroll 16
      for (int i = 0; i < n; ++i) by_quantity[bq * n + i].part[bp] = t[i];
    }
}

}  // namespace dollop::inline DOLLOP_ISA
