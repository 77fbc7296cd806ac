// A row of the grid in registers: four nodes along z, four numbers each (momentum x y z and mass, or
// velocity).
//
// A row is 16 numbers whatever the instruction set: one register on AVX-512 in float, two on AVX2, and so on.
// Particles travel in chunks of 16 too, so the same type holds one quantity of a chunk.
#pragma once

#include <utility>

#include "math/pack.h"

namespace dollop::inline DOLLOP_ISA {

inline constexpr int chunk_size = 16;  // particles handled together

template <class S>
struct Row {
  static constexpr int lanes = Pack<S>::lanes, parts = 16 / lanes;
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
  // the four numbers at a as the last node, zero for the other three
  static DOLLOP_INLINE Row only_last(const S* a) {
    Row r = zero();
    for (int c = 0; c < 4; ++c) r.part[(12 + c) / lanes].set((12 + c) % lanes, a[c]);
    return r;
  }
  // the four numbers at a, for each of the four nodes
  static DOLLOP_INLINE Row repeat4(const S* a) {
    Row r;
    if constexpr (lanes == 16) {
#ifdef __AVX512F__
      r.part[0] = Pack<S>((typename Pack<S>::Values)_mm512_maskz_broadcast_f32x4(0xffff, _mm_loadu_ps(a)));
#endif
    } else {
      for (int i = 0; i < parts; ++i)
        for (int l = 0; l < lanes; ++l) r.part[i].set(l, a[(i * lanes + l) % 4]);
    }
    return r;
  }
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

// the fourth number of each node, in all of its places
template <class V, int... I>
DOLLOP_INLINE V fourth_of_node(V a, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(a, a, (I | 3)...);
}
template <class S>
DOLLOP_INLINE Row<S> fourth_of_node(const Row<S>& a) {
  constexpr int lanes = Row<S>::lanes;
  Row<S> r;
  for (int i = 0; i < Row<S>::parts; ++i) {
    if constexpr (lanes >= 4)
      r.part[i].v = fourth_of_node(a.part[i].v, std::make_integer_sequence<int, lanes>{});
    else
      for (int l = 0; l < lanes; ++l) {
        const int fourth = (i * lanes + l) | 3;
        r.part[i].set(l, a.part[fourth / lanes][fourth % lanes]);
      }
  }
  return r;
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

// the same for a single row
template <class S>
DOLLOP_INLINE void sum_nodes(const Row<S>& row, S* out) {
  constexpr int lanes = Row<S>::lanes;
  for (int c = 0; c < 4; ++c) out[c] = S(0);
  if constexpr (lanes >= 4) {
    Pack<S> s = row.part[0];
    for (int i = 1; i < Row<S>::parts; ++i) s += row.part[i];
    alignas(64) S t[lanes];
    s.store(t);
    for (int l = 0; l < lanes; l += 4)
      for (int c = 0; c < 4; ++c) out[c] += t[l + c];
  } else {
    for (int l = 0; l < 16; ++l) out[l % 4] += row.part[l / lanes][l % lanes];
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

// by_quantity[q] holds quantity q of 16 particles; by_particle[16 p + q] afterwards
template <class S>
DOLLOP_INLINE void to_particles(const Row<S>* by_quantity, S* by_particle) {
  constexpr int n = Pack<S>::lanes;
  for (int bp = 0; bp < 16 / n; ++bp)
    for (int bq = 0; bq < 16 / n; ++bq) {
      Pack<S> t[n];
#pragma GCC unroll 16
      for (int i = 0; i < n; ++i) t[i] = by_quantity[bq * n + i].part[bp];
      transpose(t);
#pragma GCC unroll 16
      for (int i = 0; i < n; ++i) t[i].store(by_particle + 16 * (bp * n + i) + bq * n);
    }
}
template <class S>
DOLLOP_INLINE void to_quantities(const S* by_particle, Row<S>* by_quantity) {
  constexpr int n = Pack<S>::lanes;
  for (int bp = 0; bp < 16 / n; ++bp)
    for (int bq = 0; bq < 16 / n; ++bq) {
      Pack<S> t[n];
#pragma GCC unroll 16
      for (int i = 0; i < n; ++i) t[i] = Pack<S>::load(by_particle + 16 * (bp * n + i) + bq * n);
      transpose(t);
#pragma GCC unroll 16
      for (int i = 0; i < n; ++i) by_quantity[bq * n + i].part[bp] = t[i];
    }
}

}  // namespace dollop::inline DOLLOP_ISA
