// States of materials that tear, shared by the tests of tearing: built from elastic and plastic strain, which can be
// computed back from a state.
#pragma once

#include <algorithm>
#include <array>

#include "creams.h"
#include "histories.h"
#include "materials/tearing.h"

namespace dollop::inline DOLLOP_ISA {

using TearingCream = Tearing<HerschelBulkley>;

// TearRule::weak_strain
inline constexpr double limited_strain = 0, free_strain = 1, balanced_strain = 2;

// (1 + strain)^exponent
inline SymMat3<double> power_of(const SymMat3<double>& strain, double exponent) {
  const auto a = eigen(strain);
  const auto raised = [&](double v) { return std::pow(1 + v, exponent); };
  return spectral(a, Vec3<double>{raised(a.values.x), raised(a.values.y), raised(a.values.z)});
}
inline SymMat3<double> symmetric(const Mat3<double>& a) {
  return {
      a(0, 0), a(1, 1), a(2, 2), (a(0, 1) + a(1, 0)) / 2, (a(0, 2) + a(2, 0)) / 2, (a(1, 2) + a(2, 1)) / 2};
}
// A B A
inline SymMat3<double> sandwich(const SymMat3<double>& a, const SymMat3<double>& b) {
  const Mat3<double> r = to_mat3(a) * to_mat3(b) * to_mat3(a);
  return {
      r(0, 0), r(1, 1), r(2, 2), (r(0, 1) + r(1, 0)) / 2, (r(0, 2) + r(2, 0)) / 2, (r(1, 2) + r(2, 1)) / 2};
}

// the total strain B - 1 of an elastic strain b - 1 and a plastic deformation C^p                     (TEAR.1)
inline SymMat3<double> total_strain(const SymMat3<double>& elastic, const SymMat3<double>& plastic) {
  return sandwich(power_of(elastic, 0.5), plastic) - SymMat3<double>::diagonal(1);
}

// ascending
inline std::array<double, 3> eigenvalues(const SymMat3<double>& a) {
  const auto e = eigen(a);
  std::array r{e.values.x, e.values.y, e.values.z};
  std::sort(r.begin(), r.end());
  return r;
}
// the eigenvalues of C^p                                                                             (TEAR.1)
template <class S>
std::array<double, 3> plastic_values(const SymMat3<S>& elastic, const SymMat3<S>& total) {
  const SymMat3<double> one = SymMat3<double>::diagonal(1);
  return eigenvalues(sandwich(power_of(cast<double>(elastic), -0.5), cast<double>(total) + one));
}
inline double deviator_norm(const std::array<double, 3>& c) {
  const double mean = (c[0] + c[1] + c[2]) / 3;
  return std::sqrt(std::pow(c[0] - mean, 2) + std::pow(c[1] - mean, 2) + std::pow(c[2] - mean, 2));
}

inline TearingCream tearing_cream(double threshold, double recovery_time) {
  TearingCream m;
  m.model = shaving_cream();
  m.rule.tear_threshold = threshold;
  m.rule.recovery_time = recovery_time;
  return m;
}

// a torn or intact state with this elastic strain and plastic deformation
inline TearingCream::State<double> cream_state(const SymMat3<double>& elastic, const SymMat3<double>& plastic,
                                               double j = 1, double weak = 0) {
  TearingCream::State<double> s{};
  s.base.volume_change = j - 1;
  s.base.strain = elastic;
  s.total = total_strain(elastic, plastic);
  s.weak = weak;
  return s;
}

}  // namespace dollop::inline DOLLOP_ISA
