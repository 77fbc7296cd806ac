#include "linear/arnoldi.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace dollop {

void ArnoldiSystem::reset(int max_columns, double b_norm, double negligible) {
  const auto rows = std::size_t(max_columns) + 1;
  factor_.assign(rows * (rows + 1) / 2, 0);
  triangle_.assign(rows * (rows + 1) / 2, 0);
  for (auto* values : {&column_, &right_, &coefficients_, &products_}) values->assign(rows, 0);
  solution_.clear();
  solution_.reserve(rows);
  rotations_.assign(rows, {1, 0});
  right_[0] = b_norm;
  negligible_ = negligible;
  vectors_ = columns_ = 0;
}

void ArnoldiSystem::add_vector(const double* products) {
  const int j = vectors_++;
  double pivot = products[j];
  for (int k = 0; k < j; ++k) {
    double sum = products[k];
    for (int m = 0; m < k; ++m) sum -= factor(j, m) * factor(k, m);
    factor(j, k) = sum / factor(k, k);
    pivot -= factor(j, k) * factor(j, k);
  }
  factor(j, j) = std::sqrt(pivot);  // 1 but for rounding
  std::fill(column_.begin(), column_.end(), 0.0);
}

double ArnoldiSystem::project(const double* products, double w_squared) {
  // q = L⁻¹ Vᵀw
  for (int k = 0; k < vectors_; ++k) {
    double sum = products[k];
    for (int m = 0; m < k; ++m) sum -= factor(k, m) * products_[std::size_t(m)];
    products_[std::size_t(k)] = sum / factor(k, k);
  }
  for (int k = 0; k < vectors_; ++k) {
    const double q = products_[std::size_t(k)];
    column_[std::size_t(k)] += q;
    w_squared -= q * q;
  }
  // h = L⁻ᵀ q
  for (int k = vectors_ - 1; k >= 0; --k) {
    double sum = products_[std::size_t(k)];
    for (int m = k + 1; m < vectors_; ++m) sum -= factor(m, k) * coefficients_[std::size_t(m)];
    coefficients_[std::size_t(k)] = sum / factor(k, k);
  }
  return w_squared;
}

bool ArnoldiSystem::close_column(double rest) {
  const int j = columns_;
  double size = rest * rest;
  for (int k = 0; k <= j; ++k) size += column_[std::size_t(k)] * column_[std::size_t(k)];
  // apply the Givens rotations of earlier columns
  for (int k = 0; k < j; ++k) {
    double &upper = column_[std::size_t(k)], &lower = column_[std::size_t(k) + 1];
    const auto [c, s] = rotations_[std::size_t(k)];
    const double turned = c * upper + s * lower;
    lower = c * lower - s * upper;
    upper = turned;
  }
  const double diagonal = std::hypot(column_[std::size_t(j)], rest);
  if (!(diagonal > negligible_ * std::sqrt(size))) return false;
  // the Givens rotation that makes the entry below the diagonal vanish
  const auto [c, s] = rotations_[std::size_t(j)] = {column_[std::size_t(j)] / diagonal, rest / diagonal};
  for (int k = 0; k < j; ++k) triangle(k, j) = column_[std::size_t(k)];
  triangle(j, j) = diagonal;
  right_[std::size_t(j) + 1] = -s * right_[std::size_t(j)];
  right_[std::size_t(j)] *= c;
  ++columns_;
  return true;
}

double ArnoldiSystem::residual() const { return std::abs(right_[std::size_t(columns_)]); }

const std::vector<double>& ArnoldiSystem::solve() {
  solution_.assign(right_.begin(), right_.begin() + columns_);
  for (int k = columns_ - 1; k >= 0; --k) {
    solution_[std::size_t(k)] /= triangle(k, k);
    for (int i = 0; i < k; ++i) solution_[std::size_t(i)] -= triangle(i, k) * solution_[std::size_t(k)];
  }
  return solution_;
}

}  // namespace dollop
