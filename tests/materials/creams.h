// Herschel-Bulkley materials by shear and bulk modulus, shared by the tests of the model and of tearing.
#pragma once

#include "known_answers.h"
#include "materials/herschel_bulkley.h"

namespace dollop::inline DOLLOP_ISA {

inline void set_moduli(double shear, double bulk, HerschelBulkley& m) {
  m.young_modulus = 9 * bulk * shear / (3 * bulk + shear);
  m.poisson_ratio = (3 * bulk - 2 * shear) / (2 * (3 * bulk + shear));
}

// the bulk modulus is that of Yue et al. (2015), Table I
inline HerschelBulkley cream(double shear, double yield_stress, double viscosity, double power,
                             double bulk = 109e3) {
  HerschelBulkley m;
  set_moduli(shear, bulk, m);
  m.yield_stress = yield_stress;
  m.viscosity = viscosity;
  m.power = power;
  return m;
}
inline HerschelBulkley shaving_cream() { return cream(290, 31.9, 27.2, 0.22); }
inline HerschelBulkley elastic_cream(double shear = 290) { return cream(shear, 1e12, 0, 1); }

template <class S>
SymMat3<double> deviator(const SymMat3<S>& a) {
  const SymMat3<double> d = cast<double>(a);
  return d - SymMat3<double>::diagonal(trace(d) / 3);
}
template <class S>
double deviator_norm(const SymMat3<S>& a) {
  return std::sqrt(norm_squared(deviator(a)));
}

// the isochoric strain b - 1 of the shape of a positive definite matrix
inline SymMat3<double> isochoric_strain(const SymMat3<double>& a) {
  return std::pow(det(a), -1.0 / 3) * a - SymMat3<double>::diagonal(1);
}
// a random isochoric strain, with stretches of about exp(+-size)
inline SymMat3<double> sample_shape(double size, Random& random) {
  const auto stretch = [&] { return std::exp(2 * size * random.uniform(-1, 1)); };
  return isochoric_strain(assemble(random.rotation(), Vec3<double>{stretch(), stretch(), stretch()}));
}

}  // namespace dollop::inline DOLLOP_ISA
