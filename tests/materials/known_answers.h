// Shared by the closed-form tests of single models: a state after one deformation from rest.
#pragma once

#include "model_cases.h"

namespace dollop::inline DOLLOP_ISA {

// the sand that has been in circulation since 2016: mu = 136038.461538 Pa, lambda = 204057.692308 Pa
inline constexpr double sand_young = 3.537e5, sand_poisson = 0.3;
inline constexpr double sand_mu = 136038.461538, sand_lambda = 204057.692308;

template <class Model>
Model sand_moduli() {
  Model model;
  model.young_modulus = sand_young;
  model.poisson_ratio = sand_poisson;
  return model;
}

// from rest to the deformation gradient f in equal parts of f - 1
template <class S, class Model>
typename Model::template State<S> deformed(const Model& model, const Mat3<double>& f, int steps = 1) {
  const auto law = step_law<S>(model, test_dt);
  typename Model::template State<S> s{};
  const Mat3<double> one = Mat3<double>::identity();
  for (int n = 0; n < steps; ++n) {
    const Mat3<double> before = one + (double(n) / steps) * (f - one);
    advance(law, cast<S>((1.0 / steps) * (f - one) * inverse(before)), s);
  }
  return s;
}

inline Mat3<double> simple_shear(double gamma) {
  Mat3<double> f = Mat3<double>::identity();
  f(0, 1) = gamma;
  return f;
}

template <class S>
void expect_stress(const SymMat3<S>& tau, const SymMat3<double>& exact, double tolerance) {
  EXPECT_NEAR(tau.xx, exact.xx, tolerance);
  EXPECT_NEAR(tau.yy, exact.yy, tolerance);
  EXPECT_NEAR(tau.zz, exact.zz, tolerance);
  EXPECT_NEAR(tau.xy, exact.xy, tolerance);
  EXPECT_NEAR(tau.xz, exact.xz, tolerance);
  EXPECT_NEAR(tau.yz, exact.yz, tolerance);
}

using Scalars = testing::Types<float, double>;

}  // namespace dollop::inline DOLLOP_ISA
