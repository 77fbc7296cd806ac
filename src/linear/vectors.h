// Operations on long vectors of S, float or double. Sums are computed in double over fixed pieces and added in order,
// so results are the same to the last bit at any number of threads. Such operations are limited by memory bandwidth, so
// related ones are fused into one pass.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/parallel.h"

namespace dollop {

constexpr std::size_t max_vector_pieces = 256;  // enough to keep every thread busy, few enough for the stack
constexpr std::size_t vector_block = 512;  // numbers processed at a time: a few blocks fit into the L1 cache

// the length of the pieces that n numbers are divided into, in whole blocks; it depends on n alone
inline std::size_t vector_piece(std::size_t n) {
  const std::size_t blocks = (n + vector_block - 1) / vector_block;
  const std::size_t blocks_each = (blocks + max_vector_pieces - 1) / max_vector_pieces;
  return vector_block * std::max<std::size_t>(blocks_each, 8);  // fewer blocks are not worth a task
}

double sum_of_block(const double* terms, std::size_t count);  // count <= vector_block

// Calls of body(i) for different i touch different numbers, so that the compiler may overlap them even if y = x.
#if defined(__GNUC__) && !defined(__clang__)
#define DOLLOP_INDEPENDENT _Pragma("GCC ivdep")
#elif defined(__clang__)
#define DOLLOP_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define DOLLOP_INDEPENDENT
#endif

// calls body(i) for i in [0, n); `body` captures by value, so that the compiler sees that writes do not alias its
// constants
template <class Body>
void for_numbers(std::size_t n, const Body& body) {
  parallel_ranges(n, vector_piece(n), [&body](std::size_t begin, std::size_t end) {
    const Body own = body;
    DOLLOP_INDEPENDENT
    for (std::size_t i = begin; i < end; ++i) own(i);
  });
}

// the sum of body(i) over i in [0, n), as for_numbers
template <class Body>
double sum_numbers(std::size_t n, const Body& body) {
  const std::size_t piece = vector_piece(n);
  std::array<double, max_vector_pieces> partial{};
  parallel_ranges(n, piece, [&body, &partial, piece](std::size_t begin, std::size_t end) {
    const Body own = body;
    double sum = 0;
    for (std::size_t block = begin; block < end; block += vector_block) {
      const std::size_t count = std::min(vector_block, end - block);
      double terms[vector_block];
      DOLLOP_INDEPENDENT
      for (std::size_t i = 0; i < count; ++i) terms[i] = own(block + i);
      sum += sum_of_block(terms, count);
    }
    partial[begin / piece] = sum;
  });
  double sum = 0;
  for (const double p : partial) sum += p;
  return sum;
}

template <class S>
double dot(const S* x, const S* y, std::size_t n) {
  return sum_numbers(n, [=](std::size_t i) { return double(x[i]) * double(y[i]); });
}

template <class S>
double norm(const S* x, std::size_t n) {
  return std::sqrt(dot(x, x, n));
}

// y = x * factor; x and y may be the same
template <class S>
void scale(const S* x, double factor, S* y, std::size_t n) {
  for_numbers(n, [=](std::size_t i) { y[i] = S(factor * double(x[i])); });
}

// with_a[k] = v_k . a and with_b[k] = v_k . b for all vectors v_k, in one pass; `work` is scratch
template <class S>
void inner_products(std::span<const S* const> v, const S* a, const S* b, std::size_t n, double* with_a,
                    double* with_b, std::vector<double>& work);

// y = keep y + sum of factors[k] v_k, in one pass and rounded once; with keep = 0 y is not read
template <class S>
void combine(std::span<const S* const> v, const double* factors, double keep, S* y, std::size_t n);

}  // namespace dollop
