#include "linear/vectors.h"

#include <cstring>

namespace dollop {

namespace {

typedef double Two __attribute__((vector_size(16)));
constexpr std::size_t together = 4;  // vectors read at the same time: overlapping reads hide memory latency

inline Two load_two(const double* p) {
  Two two;
  std::memcpy(&two, p, sizeof two);
  return two;
}
inline Two load_two(const float* p) {
  typedef float Floats __attribute__((vector_size(8)));
  Floats floats;
  std::memcpy(&floats, p, sizeof floats);
  return __builtin_convertvector(floats, Two);
}

// sums[2 k] += v_k . a and sums[2 k + 1] += v_k . b over one block, for `Count` vectors side by side
template <std::size_t Count, class S>
void add_products(const S* const* v, std::size_t first, const double* a, const double* b, std::size_t count,
                  double* sums) {
  Two with_a[Count] = {}, with_b[Count] = {};
  std::size_t i = 0;
  for (; i + 2 <= count; i += 2) {
    const Two a_two = load_two(a + i), b_two = load_two(b + i);
    for (std::size_t k = 0; k < Count; ++k) {
      const Two numbers = load_two(v[k] + first + i);
      with_a[k] += numbers * a_two;
      with_b[k] += numbers * b_two;
    }
  }
  for (std::size_t k = 0; k < Count; ++k) {
    sums[2 * k] += with_a[k][0] + with_a[k][1];
    sums[2 * k + 1] += with_b[k][0] + with_b[k][1];
    if (i == count) continue;  // else one element of an odd number remains
    sums[2 * k] += double(v[k][first + i]) * a[i];
    sums[2 * k + 1] += double(v[k][first + i]) * b[i];
  }
}

// sum += factors[k] v_k over `count` numbers from `first` on, four vectors at a time
template <class S>
void add_vectors(std::span<const S* const> v, const double* factors, std::size_t first, std::size_t count,
                 double* sum) {
  std::size_t k = 0;
  for (; k + 4 <= v.size(); k += 4) {
    const S *v0 = v[k] + first, *v1 = v[k + 1] + first, *v2 = v[k + 2] + first, *v3 = v[k + 3] + first;
    const double f0 = factors[k], f1 = factors[k + 1], f2 = factors[k + 2], f3 = factors[k + 3];
    for (std::size_t i = 0; i < count; ++i)
      sum[i] += (f0 * double(v0[i]) + f1 * double(v1[i])) + (f2 * double(v2[i]) + f3 * double(v3[i]));
  }
  for (; k < v.size(); ++k) {
    const S* v0 = v[k] + first;
    const double f0 = factors[k];
    for (std::size_t i = 0; i < count; ++i) sum[i] += f0 * double(v0[i]);
  }
}

}  // namespace

double sum_of_block(const double* terms, std::size_t count) {
  Two sums[4] = {};  // independent sums hide the latency of additions
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (std::size_t l = 0; l < 4; ++l) sums[l] += load_two(terms + i + 2 * l);
  const Two sum_of_two = (sums[0] + sums[2]) + (sums[1] + sums[3]);
  double sum = sum_of_two[0] + sum_of_two[1];
  for (; i < count; ++i) sum += terms[i];
  return sum;
}

template <class S>
void inner_products(std::span<const S* const> v, const S* a, const S* b, std::size_t n, double* with_a,
                    double* with_b, std::vector<double>& work) {
  const std::size_t piece = vector_piece(n), pieces = (n + piece - 1) / piece, sums = 2 * v.size();
  work.assign(pieces * sums, 0);
  parallel_ranges(n, piece, [&](std::size_t begin, std::size_t end) {
    double* const partial = work.data() + begin / piece * sums;
    for (std::size_t block = begin; block < end; block += vector_block) {
      const std::size_t count = std::min(vector_block, end - block);
      double a_block[vector_block], b_block[vector_block];
      for (std::size_t i = 0; i < count; ++i) a_block[i] = double(a[block + i]);
      for (std::size_t i = 0; i < count; ++i) b_block[i] = double(b[block + i]);
      std::size_t k = 0;
      for (; k + together <= v.size(); k += together)
        add_products<together>(&v[k], block, a_block, b_block, count, partial + 2 * k);
      for (; k < v.size(); ++k) add_products<1>(&v[k], block, a_block, b_block, count, partial + 2 * k);
    }
  });
  for (std::size_t k = 0; k < v.size(); ++k) {
    with_a[k] = with_b[k] = 0;
    for (std::size_t p = 0; p < pieces; ++p) {
      with_a[k] += work[p * sums + 2 * k];
      with_b[k] += work[p * sums + 2 * k + 1];
    }
  }
}

template <class S>
void combine(std::span<const S* const> v, const double* factors, double keep, S* y, std::size_t n) {
  parallel_ranges(n, vector_piece(n), [=](std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block < end; block += vector_block) {
      const std::size_t count = std::min(vector_block, end - block);
      double sum[vector_block] = {};
      if (keep != 0)
        for (std::size_t i = 0; i < count; ++i) sum[i] = keep * double(y[block + i]);
      add_vectors(v, factors, block, count, sum);
      for (std::size_t i = 0; i < count; ++i) y[block + i] = S(sum[i]);
    }
  });
}

template void inner_products<float>(std::span<const float* const>, const float*, const float*, std::size_t,
                                    double*, double*, std::vector<double>&);
template void inner_products<double>(std::span<const double* const>, const double*, const double*,
                                     std::size_t, double*, double*, std::vector<double>&);
template void combine<float>(std::span<const float* const>, const double*, double, float*, std::size_t);
template void combine<double>(std::span<const double* const>, const double*, double, double*, std::size_t);

}  // namespace dollop
