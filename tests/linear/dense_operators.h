// Small dense operators and textbook solvers in extended precision, to compare the Krylov solvers with.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/random.h"

namespace dollop::tests {

using Extended = long double;
using Numbers = std::vector<Extended>;

inline Extended product(const Numbers& x, const Numbers& y) {
  Extended sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}
inline Extended length(const Numbers& x) { return std::sqrt(product(x, x)); }
inline void add(Numbers& y, Extended factor, const Numbers& x) {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += factor * x[i];
}

inline Numbers random_numbers(std::size_t n, std::uint64_t seed) {
  Numbers x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 2 * random_uniform(seed, 7, i) - 1;
  return x;
}

// an n x n matrix by rows
struct Dense {
  std::size_t n;
  Numbers entries;

  explicit Dense(std::size_t size) : n(size), entries(size * size, 0) {}
  Extended& operator()(std::size_t i, std::size_t j) { return entries[i * n + j]; }
  Extended operator()(std::size_t i, std::size_t j) const { return entries[i * n + j]; }
  Numbers operator*(const Numbers& x) const {
    Numbers y(n, 0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) y[i] += (*this)(i, j) * x[j];
    return y;
  }
  // the matrix with entries rounded to S
  template <class S>
  Dense rounded() const {
    Dense a(n);
    for (std::size_t k = 0; k < entries.size(); ++k) a.entries[k] = S(entries[k]);
    return a;
  }
  // the function y = A x on numbers of S that the solvers take
  template <class S>
  auto operator_on() const {
    return [this](const S* x, S* y) {
      for (std::size_t i = 0; i < n; ++i) {
        Extended sum = 0;
        for (std::size_t j = 0; j < n; ++j) sum += (*this)(i, j) * Extended(x[j]);
        y[i] = S(sum);
      }
    };
  }
};

// orthonormal rows, by Gram-Schmidt with reorthogonalization
inline std::vector<Numbers> random_rotation(std::size_t n, std::uint64_t seed) {
  std::vector<Numbers> rows;
  for (std::size_t k = 0; k < n; ++k) {
    Numbers row = random_numbers(n, seed + 1000 * k);
    for (int pass = 0; pass < 2; ++pass)
      for (const Numbers& other : rows) add(row, -product(row, other), other);
    const Extended size = length(row);
    for (Extended& number : row) number /= size;
    rows.push_back(row);
  }
  return rows;
}

// U diag(values) Vᵀ: symmetric with these eigenvalues where U = V, else with these singular values
inline Dense from_values(const Numbers& values, std::uint64_t seed_u, std::uint64_t seed_v) {
  const std::size_t n = values.size();
  const auto u = random_rotation(n, seed_u), v = random_rotation(n, seed_v);
  Dense a(n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) a(i, j) += values[k] * u[k][i] * v[k][j];
  return a;
}

// n values from 1 down to 1/condition in equal ratios; if indefinite, every second one is negative
inline Numbers graded_values(std::size_t n, double condition, bool indefinite = false) {
  Numbers values(n);
  for (std::size_t k = 0; k < n; ++k) {
    values[k] = std::pow(condition, -double(k) / double(n - 1));
    if (indefinite && k % 2 == 1) values[k] = -values[k];
  }
  return values;
}

// Gaussian elimination with pivoting
inline Numbers solve_directly(Dense a, Numbers b) {
  const std::size_t n = a.n;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    for (std::size_t j = 0; j < n; ++j) std::swap(a(k, j), a(pivot, j));
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const Extended factor = a(i, k) / a(k, k);
      for (std::size_t j = k; j < n; ++j) a(i, j) -= factor * a(k, j);
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a(k, j) * b[j];
    b[k] /= a(k, k);
  }
  return b;
}

// The least residual |b - A x| / |b| over Krylov spaces of dimension 0, 1, .. `most`, by Orthodir: the images of the
// basis vectors under A are made orthonormal, and b is projected onto their complement.
inline std::vector<double> least_residuals(const Dense& a, const Numbers& b, int most) {
  std::vector<double> residuals{1};
  std::vector<Numbers> images;
  Numbers direction = b, r = b;
  for (int m = 0; m < most; ++m) {
    Numbers image = a * direction;
    for (int pass = 0; pass < 2; ++pass)
      for (const Numbers& other : images) add(image, -product(image, other), other);
    const Extended size = length(image);
    for (Extended& number : image) number /= size;
    add(r, -product(r, image), image);
    residuals.push_back(double(length(r) / length(b)));
    images.push_back(image);
    direction = image;
  }
  return residuals;
}

// the residual |b - A x| / |b| after 0, 1, .. `most` iterations of conjugate gradients
inline std::vector<double> gradient_residuals(const Dense& a, const Numbers& b, int most) {
  std::vector<double> residuals{1};
  Numbers r = b, p = b;
  for (int m = 0; m < most; ++m) {
    const Numbers q = a * p;
    const Extended square = product(r, r);
    add(r, -square / product(p, q), q);
    residuals.push_back(double(length(r) / length(b)));
    Numbers next = r;
    add(next, product(r, r) / square, p);
    p = next;
  }
  return residuals;
}

inline int steps_to(const std::vector<double>& residuals, double goal) {
  int m = 0;
  while (m + 1 < int(residuals.size()) && residuals[std::size_t(m)] > goal) ++m;
  return m;
}

}  // namespace dollop::tests
