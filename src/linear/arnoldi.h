// The small dense part of GMRES, in double: the Cholesky factor of the Gram matrix of the Krylov basis, and the
// least-squares problem for the coefficients of the solution. It sees only the inner products of the long vectors.
#pragma once

#include <vector>

namespace dollop {

class ArnoldiSystem {
 public:
  // Starts without vectors and columns, with a right-hand side of norm `b_norm`. A part of a vector whose norm is below
  // `negligible` times that of the vector counts as rounding error.
  void reset(int max_columns, double b_norm, double negligible);

  // adds the next basis vector v_j, given by its inner products with v_0 .. v_j                (KRY.5)
  void add_vector(const double* products);

  // Takes the inner products of w with all basis vectors, and w . w. Computes the coefficients of the projection of w
  // on the basis and returns the squared norm of the rest. Called again with the rest (reorthogonalization), it adds
  // the correction to the column of w.                                                          (KRY.6)
  double project(const double* products, double w_squared);
  double* coefficients() { return coefficients_.data(); }

  // completes the column of w, whose part orthogonal to the basis has the norm `rest`; false if the column depends on
  // the earlier ones, so that A is singular                                                     (KRY.3)
  bool close_column(double rest);

  double residual() const;                  // |b - A x|
  const std::vector<double>& solve();       // the coefficients of x
  int columns() const { return columns_; }  // number of columns of the least-squares problem

 private:
  struct Rotation {
    double c, s;
  };
  double& factor(int i, int k) { return factor_[std::size_t(i * (i + 1) / 2 + k)]; }      // k <= i
  double& triangle(int i, int k) { return triangle_[std::size_t(k * (k + 1) / 2 + i)]; }  // i <= k

  std::vector<double> factor_;    // L by rows, L Lᵀ = VᵀV
  std::vector<double> triangle_;  // R by columns
  std::vector<double> column_;    // of the present w, in the orthonormal basis V L⁻ᵀ
  std::vector<double> right_, coefficients_, products_, solution_;
  std::vector<Rotation> rotations_;
  double negligible_ = 0;
  int vectors_ = 0, columns_ = 0;
};

}  // namespace dollop
