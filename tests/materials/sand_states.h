// Shared by the tests of Drucker-Prager sand: states after a principal logarithmic strain, and quantities of a state.
#pragma once

#include "histories.h"
#include "known_answers.h"
#include "materials/drucker_prager.h"

namespace dollop::inline DOLLOP_ISA {

// without hardening and volume correction
inline DruckerPrager plain_sand(double angle_in_degrees, Cone cone = Cone::triaxial) {
  DruckerPrager model = sand_moduli<DruckerPrager>();
  model.friction_angle = angle_in_degrees * degree;
  model.cone = int(cone);
  model.volume_correction = 0;
  return model;
}

// F - 1 of a stretch with the logarithmic strain l along the axes
inline Mat3<double> stretch(const Vec3<double>& l) {
  return Mat3<double>::diagonal(std::expm1(l.x), std::expm1(l.y), std::expm1(l.z));
}

// one step of a state by that stretch
template <class S>
void stretch_by(const DruckerPrager& model, const Vec3<double>& l, DruckerPrager::State<S>& s,
                double dt = test_dt) {
  advance(step_law<S>(model, dt), cast<S>(stretch(l)), s);
}
template <class S>
DruckerPrager::State<S> stretched(const DruckerPrager& model, const Vec3<double>& l) {
  DruckerPrager::State<S> s{};
  stretch_by(model, l, s);
  return s;
}

// the elastic logarithmic strain along the axes, where they are principal
template <class S>
Vec3<double> elastic_strain(const DruckerPrager::State<S>& s) {
  const auto log_of = [](S e) { return 0.5 * std::log1p(double(e)); };
  return {log_of(s.strain.xx), log_of(s.strain.yy), log_of(s.strain.zz)};
}
inline Vec3<double> deviator(const Vec3<double>& l) {
  const double mean = (l.x + l.y + l.z) / 3;
  return l - Vec3<double>{mean, mean, mean};
}
template <class S>
void expect_strain(const DruckerPrager::State<S>& s, const Vec3<double>& exact, double tolerance) {
  const Vec3<double> found = elastic_strain(s);
  EXPECT_NEAR(found.x, exact.x, tolerance);
  EXPECT_NEAR(found.y, exact.y, tolerance);
  EXPECT_NEAR(found.z, exact.z, tolerance);
}

template <class S>
double pressure(const DruckerPrager::State<S>& s) {
  return -double(trace(s.kirchhoff)) / 3;
}

// simple shear at constant volume
template <class S>
void shear_by(const DruckerPrager& model, double step, int steps, DruckerPrager::State<S>& s,
              double dt = test_dt) {
  const auto law = step_law<S>(model, dt);
  Mat3<S> du{};
  du(0, 1) = S(step);
  for (int n = 0; n < steps; ++n) advance(law, du, s);
}

}  // namespace dollop::inline DOLLOP_ISA
