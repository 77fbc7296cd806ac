// Conversions between the plain arrays of the public definitions and Vec3, Mat3; rotations.
#pragma once

#include <dollop/shapes.h>

#include <cmath>

#include "math/vec.h"

namespace dollop::inline DOLLOP_ISA {

inline Vec3<double> to_vec(const Double3& a) { return {a[0], a[1], a[2]}; }
inline Double3 to_array(const Vec3<double>& a) { return {a.x, a.y, a.z}; }

inline Vec3<float> to_float(const Vec3<double>& a) { return {float(a.x), float(a.y), float(a.z)}; }
inline Vec3<double> to_double(const Vec3<float>& a) { return {a.x, a.y, a.z}; }

inline bool is_finite(const Double3& a) {
  return std::isfinite(a[0]) && std::isfinite(a[1]) && std::isfinite(a[2]);
}

inline Mat3<double> to_mat(const Rotation& a) {
  return make_mat3<double>([&](int i, int j) { return a[i][j]; });
}
inline Rotation to_array(const Mat3<double>& a) {
  Rotation r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r[i][j] = a(i, j);
  return r;
}

// whether v / |v| is a unit vector: below 1e-150 the squares lose their digits, above 1e150 they overflow
inline bool has_direction(const Vec3<double>& v) {
  const double length = norm(v);
  return length > 1e-150 && length < 1e150;
}

// v / |v|; 0 for 0
inline Vec3<double> unit_or_zero(const Vec3<double>& v) { return (1 / (norm(v) + 1e-300)) * v; }

// exp([angle]x): the rotation by |angle| radians about the direction of `angle`     (BC.7)
inline Mat3<double> rotation_by(const Vec3<double>& angle) {
  const double theta = norm(angle);
  const double half = std::sin(0.5 * theta);
  const double s = theta > 0 ? std::sin(theta) / theta : 1.0;
  const double c = theta > 0 ? 2 * (half / theta) * (half / theta) : 0.5;
  const Vec3<double>& a = angle;
  const Mat3<double> k{{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
  return Mat3<double>::identity() + s * k + c * (k * k);
}

}  // namespace dollop::inline DOLLOP_ISA
