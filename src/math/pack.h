// Pack<S>: one hardware vector of S, with the operators and functions of a plain number.
//
// Numeric code is written once on a type R and runs on float, double, Pack<float>, Pack<double> and Dual. It
// has no `if` on a value of type R: use select, both, either, min, max. Built on the vector types of GCC and
// clang; only operations that these lack (square root, fused multiply-add, rounding, fast reciprocals) use intrinsics.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/isa.h"

#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dollop::inline DOLLOP_ISA {

// the attribute must not depend on a template parameter, or GCC drops it: one specialisation for each scalar
template <class S>
struct VectorOf;
template <>
struct VectorOf<float> {
  using Int = std::int32_t;
  typedef float Values __attribute__((vector_size(DOLLOP_VECTOR_BYTES)));
  typedef std::int32_t Ints __attribute__((vector_size(DOLLOP_VECTOR_BYTES)));
};
template <>
struct VectorOf<double> {
  using Int = std::int64_t;
  typedef double Values __attribute__((vector_size(DOLLOP_VECTOR_BYTES)));
  typedef std::int64_t Ints __attribute__((vector_size(DOLLOP_VECTOR_BYTES)));
};

// The result of comparing two packs: all bits of a lane set, or none.
template <class S>
struct PackMask {
  typename VectorOf<S>::Ints bits;
};

template <class S>
struct Pack {
  using Values = typename VectorOf<S>::Values;
  static constexpr int lanes = DOLLOP_VECTOR_BYTES / int(sizeof(S));
  Values v;

  Pack() = default;
  DOLLOP_INLINE Pack(S a) : v(a - Values{}) {}  // the same value in every lane
  DOLLOP_INLINE explicit Pack(Values a) : v(a) {}

  DOLLOP_INLINE S operator[](int lane) const { return v[lane]; }
  DOLLOP_INLINE void set(int lane, S a) { v[lane] = a; }

  static DOLLOP_INLINE Pack load(const S* p) {
    Pack a;
    std::memcpy(&a.v, p, sizeof a.v);
    return a;
  }
  DOLLOP_INLINE void store(S* p) const { std::memcpy(p, &v, sizeof v); }
  // stores the first `count` lanes only
  DOLLOP_INLINE void store(S* p, int count) const {
    if (count >= lanes)
      store(p);
    else
      for (int i = 0; i < count; ++i) p[i] = v[i];
  }

  DOLLOP_INLINE Pack operator-() const { return Pack(-v); }
  friend DOLLOP_INLINE Pack operator+(const Pack& a, const Pack& b) { return Pack(a.v + b.v); }
  friend DOLLOP_INLINE Pack operator-(const Pack& a, const Pack& b) { return Pack(a.v - b.v); }
  friend DOLLOP_INLINE Pack operator*(const Pack& a, const Pack& b) { return Pack(a.v * b.v); }
  friend DOLLOP_INLINE Pack operator/(const Pack& a, const Pack& b) { return Pack(a.v / b.v); }
  DOLLOP_INLINE Pack& operator+=(const Pack& a) { return *this = *this + a; }
  DOLLOP_INLINE Pack& operator-=(const Pack& a) { return *this = *this - a; }
  DOLLOP_INLINE Pack& operator*=(const Pack& a) { return *this = *this * a; }

  friend DOLLOP_INLINE PackMask<S> operator<(const Pack& a, const Pack& b) { return {a.v < b.v}; }
  friend DOLLOP_INLINE PackMask<S> operator>(const Pack& a, const Pack& b) { return {a.v > b.v}; }
  friend DOLLOP_INLINE PackMask<S> operator<=(const Pack& a, const Pack& b) { return {a.v <= b.v}; }
  friend DOLLOP_INLINE PackMask<S> operator>=(const Pack& a, const Pack& b) { return {a.v >= b.v}; }
  friend DOLLOP_INLINE PackMask<S> operator==(const Pack& a, const Pack& b) { return {a.v == b.v}; }
};

// ScalarOf<R>: float or double, whatever R is made of.
template <class R>
struct ScalarType {
  using type = R;
};
template <class S>
struct ScalarType<Pack<S>> {
  using type = S;
};
template <class R>
using ScalarOf = typename ScalarType<R>::type;

template <class R>
inline constexpr int lanes_of = 1;
template <class S>
inline constexpr int lanes_of<Pack<S>> = Pack<S>::lanes;

// --- plain numbers -----------------------------------------------------------------------------------------

template <class S>
concept Plain = std::is_same_v<S, float> || std::is_same_v<S, double>;

template <Plain S>
DOLLOP_INLINE S select(bool m, S a, S b) {
  return m ? a : b;
}
DOLLOP_INLINE bool both(bool a, bool b) { return a && b; }
DOLLOP_INLINE bool either(bool a, bool b) { return a || b; }
DOLLOP_INLINE bool any(bool a) { return a; }
// a NaN in either operand gives b, on numbers and packs alike
template <Plain S>
DOLLOP_INLINE S min(S a, S b) {
  return a < b ? a : b;
}
template <Plain S>
DOLLOP_INLINE S max(S a, S b) {
  return a > b ? a : b;
}
template <Plain S>
DOLLOP_INLINE S abs(S a) {
  return std::fabs(a);
}
template <Plain S>
DOLLOP_INLINE S sqrt(S a) {
  return std::sqrt(a);
}
template <Plain S>
DOLLOP_INLINE S floor(S a) {
  return std::floor(a);
}
template <Plain S>
DOLLOP_INLINE S copysign(S a, S b) {
  return std::copysign(a, b);
}
// a * b + c; fused where the instruction set has it, and the same on numbers and packs
template <Plain S>
DOLLOP_INLINE S fma(S a, S b, S c) {
#if defined(__FMA__)
  return std::is_same_v<S, float> ? __builtin_fmaf(a, b, c) : __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

// bits of a number as an integer and back
template <Plain S>
DOLLOP_INLINE typename VectorOf<S>::Int to_bits(S a) {
  return std::bit_cast<typename VectorOf<S>::Int>(a);
}
template <Plain S>
DOLLOP_INLINE S from_bits(typename VectorOf<S>::Int a) {
  return std::bit_cast<S>(a);
}
template <Plain S>
DOLLOP_INLINE S int_to_real(typename VectorOf<S>::Int a) {
  return S(a);
}

// --- packs -------------------------------------------------------------------------------------------------

template <class S>
DOLLOP_INLINE Pack<S> select(const PackMask<S>& m, const Pack<S>& a, const Pack<S>& b) {
  return Pack<S>(m.bits ? a.v : b.v);
}
template <class S>
DOLLOP_INLINE PackMask<S> both(const PackMask<S>& a, const PackMask<S>& b) {
  return {a.bits & b.bits};
}
template <class S>
DOLLOP_INLINE PackMask<S> either(const PackMask<S>& a, const PackMask<S>& b) {
  return {a.bits | b.bits};
}
template <class S>
DOLLOP_INLINE bool any(const PackMask<S>& a) {
  typename VectorOf<S>::Int r = 0;
  for (int i = 0; i < Pack<S>::lanes; ++i) r |= a.bits[i];
  return r != 0;
}
template <class S>
DOLLOP_INLINE Pack<S> min(const Pack<S>& a, const Pack<S>& b) {
  return Pack<S>(a.v < b.v ? a.v : b.v);
}
template <class S>
DOLLOP_INLINE Pack<S> max(const Pack<S>& a, const Pack<S>& b) {
  return Pack<S>(a.v > b.v ? a.v : b.v);
}

template <class S>
DOLLOP_INLINE typename VectorOf<S>::Ints to_bits(const Pack<S>& a) {
  return (typename VectorOf<S>::Ints)a.v;
}
template <class P>
requires std::is_same_v<P, Pack<ScalarOf<P>>> DOLLOP_INLINE P
from_bits(typename VectorOf<ScalarOf<P>>::Ints a) {
  return P((typename P::Values)a);
}
template <class P>
requires std::is_same_v<P, Pack<ScalarOf<P>>> DOLLOP_INLINE P
int_to_real(typename VectorOf<ScalarOf<P>>::Ints a) {
  return P(__builtin_convertvector(a, typename P::Values));
}

template <class S>
DOLLOP_INLINE Pack<S> abs(const Pack<S>& a) {
  return from_bits<Pack<S>>(to_bits(a) & ~to_bits(Pack<S>(-S(0))));
}
template <class S>
DOLLOP_INLINE Pack<S> copysign(const Pack<S>& a, const Pack<S>& b) {
  const auto sign = to_bits(Pack<S>(-S(0)));
  return from_bits<Pack<S>>((to_bits(a) & ~sign) | (to_bits(b) & sign));
}

// lane-wise fallbacks where there is no instruction
#define DOLLOP_EACH_LANE(S, expression)                         \
  Pack<S> r;                                                    \
  for (int i = 0; i < Pack<S>::lanes; ++i) r.v[i] = expression; \
  return r;

// the maskz forms: GCC 12 warns of an uninitialised operand inside the plain ones
#if defined(__AVX512F__) && DOLLOP_VECTOR_BYTES == 64
DOLLOP_INLINE Pack<float> sqrt(const Pack<float>& a) {
  return Pack<float>((Pack<float>::Values)_mm512_maskz_sqrt_ps(0xffff, (__m512)a.v));
}
DOLLOP_INLINE Pack<double> sqrt(const Pack<double>& a) {
  return Pack<double>((Pack<double>::Values)_mm512_maskz_sqrt_pd(0xff, (__m512d)a.v));
}
DOLLOP_INLINE Pack<float> floor(const Pack<float>& a) {
  return Pack<float>((Pack<float>::Values)_mm512_maskz_roundscale_ps(
      0xffff, (__m512)a.v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
}
DOLLOP_INLINE Pack<double> floor(const Pack<double>& a) {
  return Pack<double>((Pack<double>::Values)_mm512_maskz_roundscale_pd(
      0xff, (__m512d)a.v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
}
DOLLOP_INLINE Pack<float> fma(const Pack<float>& a, const Pack<float>& b, const Pack<float>& c) {
  return Pack<float>((Pack<float>::Values)_mm512_fmadd_ps((__m512)a.v, (__m512)b.v, (__m512)c.v));
}
DOLLOP_INLINE Pack<double> fma(const Pack<double>& a, const Pack<double>& b, const Pack<double>& c) {
  return Pack<double>((Pack<double>::Values)_mm512_fmadd_pd((__m512d)a.v, (__m512d)b.v, (__m512d)c.v));
}
DOLLOP_INLINE Pack<float> rsqrt_estimate(const Pack<float>& a) {
  return Pack<float>((Pack<float>::Values)_mm512_maskz_rsqrt14_ps(0xffff, (__m512)a.v));
}
DOLLOP_INLINE Pack<float> reciprocal_estimate(const Pack<float>& a) {
  return Pack<float>((Pack<float>::Values)_mm512_maskz_rcp14_ps(0xffff, (__m512)a.v));
}
DOLLOP_INLINE float rsqrt_estimate(float a) {
  return _mm_cvtss_f32(_mm_rsqrt14_ss(_mm_setzero_ps(), _mm_set_ss(a)));
}
DOLLOP_INLINE float reciprocal_estimate(float a) {
  return _mm_cvtss_f32(_mm_rcp14_ss(_mm_setzero_ps(), _mm_set_ss(a)));
}
#define DOLLOP_HAS_ESTIMATES 1
#elif defined(__AVX2__) && DOLLOP_VECTOR_BYTES == 32
DOLLOP_INLINE Pack<float> sqrt(const Pack<float>& a) {
  return Pack<float>((Pack<float>::Values)_mm256_sqrt_ps((__m256)a.v));
}
DOLLOP_INLINE Pack<double> sqrt(const Pack<double>& a) {
  return Pack<double>((Pack<double>::Values)_mm256_sqrt_pd((__m256d)a.v));
}
DOLLOP_INLINE Pack<float> floor(const Pack<float>& a) {
  return Pack<float>((Pack<float>::Values)_mm256_floor_ps((__m256)a.v));
}
DOLLOP_INLINE Pack<double> floor(const Pack<double>& a) {
  return Pack<double>((Pack<double>::Values)_mm256_floor_pd((__m256d)a.v));
}
DOLLOP_INLINE Pack<float> fma(const Pack<float>& a, const Pack<float>& b, const Pack<float>& c) {
  return Pack<float>((Pack<float>::Values)_mm256_fmadd_ps((__m256)a.v, (__m256)b.v, (__m256)c.v));
}
DOLLOP_INLINE Pack<double> fma(const Pack<double>& a, const Pack<double>& b, const Pack<double>& c) {
  return Pack<double>((Pack<double>::Values)_mm256_fmadd_pd((__m256d)a.v, (__m256d)b.v, (__m256d)c.v));
}
DOLLOP_INLINE Pack<float> rsqrt_estimate(const Pack<float>& a) {
  return Pack<float>((Pack<float>::Values)_mm256_rsqrt_ps((__m256)a.v));
}
DOLLOP_INLINE Pack<float> reciprocal_estimate(const Pack<float>& a) {
  return Pack<float>((Pack<float>::Values)_mm256_rcp_ps((__m256)a.v));
}
DOLLOP_INLINE float rsqrt_estimate(float a) { return _mm_cvtss_f32(_mm_rsqrt_ss(_mm_set_ss(a))); }
DOLLOP_INLINE float reciprocal_estimate(float a) { return _mm_cvtss_f32(_mm_rcp_ss(_mm_set_ss(a))); }
#define DOLLOP_HAS_ESTIMATES 1
#else
template <class S>
DOLLOP_INLINE Pack<S> sqrt(const Pack<S>& a) {
  DOLLOP_EACH_LANE(S, std::sqrt(a.v[i]))
}
template <class S>
DOLLOP_INLINE Pack<S> floor(const Pack<S>& a) {
  DOLLOP_EACH_LANE(S, std::floor(a.v[i]))
}
template <class S>
DOLLOP_INLINE Pack<S> fma(const Pack<S>& a, const Pack<S>& b, const Pack<S>& c) {
  return a * b + c;
}
#endif
#undef DOLLOP_EACH_LANE

// 1 / sqrt(a) and 1 / a for inner loops, accurate to about 2 units in the last place: a hardware estimate and a correction
// where there is such an estimate, exact arithmetic elsewhere. Not for a = 0, infinite or denormal.
// AVX-512 guarantees 14 bits, which one Newton step doubles. AVX2 has 11 to 12, by processor: there the correction is of
// third order, from the residual e.
inline constexpr bool coarse_estimates = DOLLOP_VECTOR_BYTES == 32;

template <class R>
DOLLOP_INLINE R rsqrt(const R& a) {
  using S = ScalarOf<R>;
#ifdef DOLLOP_HAS_ESTIMATES
  if constexpr (std::is_same_v<S, float>) {
    const R y = rsqrt_estimate(a);
    if constexpr (!coarse_estimates) return y * (R(S(1.5)) - R(S(0.5)) * a * y * y);
    const R e = fma(-(a * y), y, R(S(1)));
    return fma(y * e, fma(R(S(0.375)), e, R(S(0.5))), y);
  } else
#endif
    return R(S(1)) / sqrt(a);
}
template <class R>
DOLLOP_INLINE R reciprocal(const R& a) {
  using S = ScalarOf<R>;
#ifdef DOLLOP_HAS_ESTIMATES
  if constexpr (std::is_same_v<S, float>) {
    const R y = reciprocal_estimate(a);
    if constexpr (!coarse_estimates) return y * (R(S(2)) - a * y);
    const R e = fma(-a, y, R(S(1)));
    return fma(y * e, R(S(1)) + e, y);
  } else
#endif
    return R(S(1)) / a;
}

}  // namespace dollop::inline DOLLOP_ISA
