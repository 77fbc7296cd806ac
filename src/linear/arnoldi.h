// The small dense part of GMRES, in double: the factor of the basis vectors' inner products and the least-squares
// problem for the solution's coefficients. It knows the long vectors by their inner products alone.
#pragma once

#include <vector>

namespace dollop {

class ArnoldiSystem {
 public:
  // No vectors and no columns, the right-hand side of length `b_norm`. A part of a vector that is smaller than
  // `negligible` times the vector is taken for rounding.
  void reset(int max_columns, double b_norm, double negligible);

  // takes the next basis vector v_j by its products with v_0 .. v_j                            (KRY.5)
  void add_vector(const double* products);

  // Takes the products of w with all basis vectors, and w . w. Finds the coefficients of its projection on them and
  // returns the square of the length that it leaves. Called again with what was left, in which rounding was of
  // the same size, it adds to the column of w what was missed.                                  (KRY.6)
  double project(const double* products, double w_squared);
  double* coefficients() { return coefficients_.data(); }

  // ends the column of w, whose part off the basis has the length `rest`; false if it depends on the columns
  // before, so that A is singular                                                               (KRY.3)
  bool close_column(double rest);

  double residual() const;                  // |b - A x|
  const std::vector<double>& solve();       // the coefficients of x
  int columns() const { return columns_; }  // of the least-squares problem

 private:
  struct Rotation {
    double c, s;
  };
  double& factor(int i, int k) { return factor_[std::size_t(i * (i + 1) / 2 + k)]; }      // k <= i
  double& triangle(int i, int k) { return triangle_[std::size_t(k * (k + 1) / 2 + i)]; }  // i <= k

  std::vector<double> factor_;    // L by rows, L Lᵀ = VᵀV
  std::vector<double> triangle_;  // R by columns
  std::vector<double> column_;    // of the w at work, in the orthonormal basis V L⁻ᵀ
  std::vector<double> right_, coefficients_, products_, solution_;
  std::vector<Rotation> rotations_;
  double negligible_ = 0;
  int vectors_ = 0, columns_ = 0;
};

}  // namespace dollop
