// Vec3, Mat3 and SymMat3 on any scalar: plain numbers, packs and dual numbers.
#pragma once

#include "math/pack.h"

namespace dollop::inline DOLLOP_ISA {

template <class R>
struct Vec3 {
  R x, y, z;
  DOLLOP_INLINE R& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  DOLLOP_INLINE const R& operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
};

template <class R>
DOLLOP_INLINE Vec3<R> operator+(const Vec3<R>& a, const Vec3<R>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class R>
DOLLOP_INLINE Vec3<R> operator-(const Vec3<R>& a, const Vec3<R>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class R>
DOLLOP_INLINE Vec3<R> operator-(const Vec3<R>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class R>
DOLLOP_INLINE Vec3<R> operator*(const R& s, const Vec3<R>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class R>
DOLLOP_INLINE R dot(const Vec3<R>& a, const Vec3<R>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class R>
DOLLOP_INLINE R sum(const Vec3<R>& a) {
  return a.x + a.y + a.z;
}
template <class R>
DOLLOP_INLINE R norm(const Vec3<R>& a) {
  return sqrt(dot(a, a));
}
template <class R>
DOLLOP_INLINE Vec3<R> cross(const Vec3<R>& a, const Vec3<R>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Row-major 3x3 matrix.
template <class R>
struct Mat3 {
  R m[3][3];
  DOLLOP_INLINE R& operator()(int i, int j) { return m[i][j]; }
  DOLLOP_INLINE const R& operator()(int i, int j) const { return m[i][j]; }

  static DOLLOP_INLINE Mat3 diagonal(const R& a, const R& b, const R& c) {
    const R o = R(ScalarOf<R>(0));
    return {{{a, o, o}, {o, b, o}, {o, o, c}}};
  }
  static DOLLOP_INLINE Mat3 identity() {
    const R one = R(ScalarOf<R>(1));
    return diagonal(one, one, one);
  }
};

template <class R, class F>
DOLLOP_INLINE Mat3<R> make_mat3(F&& entry) {
  return {{{entry(0, 0), entry(0, 1), entry(0, 2)},
           {entry(1, 0), entry(1, 1), entry(1, 2)},
           {entry(2, 0), entry(2, 1), entry(2, 2)}}};
}

template <class R>
DOLLOP_INLINE Mat3<R> operator+(const Mat3<R>& a, const Mat3<R>& b) {
  return make_mat3<R>([&](int i, int j) DOLLOP_INLINE_LAMBDA { return a(i, j) + b(i, j); });
}
template <class R>
DOLLOP_INLINE Mat3<R> operator-(const Mat3<R>& a, const Mat3<R>& b) {
  return make_mat3<R>([&](int i, int j) DOLLOP_INLINE_LAMBDA { return a(i, j) - b(i, j); });
}
template <class R>
DOLLOP_INLINE Mat3<R> operator*(const R& s, const Mat3<R>& a) {
  return make_mat3<R>([&](int i, int j) DOLLOP_INLINE_LAMBDA { return s * a(i, j); });
}
template <class R>
DOLLOP_INLINE Mat3<R> operator*(const Mat3<R>& a, const Mat3<R>& b) {
  return make_mat3<R>([&](int i, int j) DOLLOP_INLINE_LAMBDA {
    return a(i, 0) * b(0, j) + a(i, 1) * b(1, j) + a(i, 2) * b(2, j);
  });
}
template <class R>
DOLLOP_INLINE Vec3<R> operator*(const Mat3<R>& a, const Vec3<R>& v) {
  return {a(0, 0) * v.x + a(0, 1) * v.y + a(0, 2) * v.z, a(1, 0) * v.x + a(1, 1) * v.y + a(1, 2) * v.z,
          a(2, 0) * v.x + a(2, 1) * v.y + a(2, 2) * v.z};
}
template <class R>
DOLLOP_INLINE Mat3<R> transpose(const Mat3<R>& a) {
  return make_mat3<R>([&](int i, int j) DOLLOP_INLINE_LAMBDA { return a(j, i); });
}
template <class R>
DOLLOP_INLINE R det(const Mat3<R>& a) {
  return a(0, 0) * (a(1, 1) * a(2, 2) - a(1, 2) * a(2, 1)) -
         a(0, 1) * (a(1, 0) * a(2, 2) - a(1, 2) * a(2, 0)) +
         a(0, 2) * (a(1, 0) * a(2, 1) - a(1, 1) * a(2, 0));
}
template <class R>
DOLLOP_INLINE R trace(const Mat3<R>& a) {
  return a(0, 0) + a(1, 1) + a(2, 2);
}
template <class R>
DOLLOP_INLINE R norm_squared(const Mat3<R>& a) {
  R s = a(0, 0) * a(0, 0);
  for (int i = 1; i < 9; ++i) s = s + a(i / 3, i % 3) * a(i / 3, i % 3);
  return s;
}

// Symmetric 3x3 matrix.
template <class R>
struct SymMat3 {
  R xx, yy, zz, xy, xz, yz;

  DOLLOP_INLINE const R& operator()(int i, int j) const {
    return i == j ? (i == 0 ? xx : i == 1 ? yy : zz) : (i + j == 1 ? xy : i + j == 2 ? xz : yz);
  }
  static DOLLOP_INLINE SymMat3 diagonal(const R& a) {
    const R o = R(ScalarOf<R>(0));
    return {a, a, a, o, o, o};
  }
};

template <class R>
DOLLOP_INLINE SymMat3<R> operator+(const SymMat3<R>& a, const SymMat3<R>& b) {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
template <class R>
DOLLOP_INLINE SymMat3<R> operator-(const SymMat3<R>& a, const SymMat3<R>& b) {
  return {a.xx - b.xx, a.yy - b.yy, a.zz - b.zz, a.xy - b.xy, a.xz - b.xz, a.yz - b.yz};
}
template <class R>
DOLLOP_INLINE SymMat3<R> operator*(const R& s, const SymMat3<R>& a) {
  return {s * a.xx, s * a.yy, s * a.zz, s * a.xy, s * a.xz, s * a.yz};
}
template <class R>
DOLLOP_INLINE R trace(const SymMat3<R>& a) {
  return a.xx + a.yy + a.zz;
}
template <class R>
DOLLOP_INLINE R det(const SymMat3<R>& a) {
  return a.xx * (a.yy * a.zz - a.yz * a.yz) - a.xy * (a.xy * a.zz - a.yz * a.xz) +
         a.xz * (a.xy * a.yz - a.yy * a.xz);
}
// sum of the principal 2x2 minors
template <class R>
DOLLOP_INLINE R second_invariant(const SymMat3<R>& a) {
  return a.xx * a.yy + a.yy * a.zz + a.zz * a.xx - a.xy * a.xy - a.xz * a.xz - a.yz * a.yz;
}
template <class R>
DOLLOP_INLINE R norm_squared(const SymMat3<R>& a) {
  const R off = a.xy * a.xy + a.xz * a.xz + a.yz * a.yz;
  return a.xx * a.xx + a.yy * a.yy + a.zz * a.zz + off + off;
}
// A : B
template <class R>
DOLLOP_INLINE R contract(const SymMat3<R>& a, const SymMat3<R>& b) {
  const R off = a.xy * b.xy + a.xz * b.xz + a.yz * b.yz;
  return a.xx * b.xx + a.yy * b.yy + a.zz * b.zz + off + off;
}
template <class R>
DOLLOP_INLINE Mat3<R> to_mat3(const SymMat3<R>& a) {
  return {{{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}}};
}

// A B, symmetric as A and B have the same principal axes
template <class R>
DOLLOP_INLINE SymMat3<R> product_of_commuting(const SymMat3<R>& a, const SymMat3<R>& b) {
  const auto entry = [&](int i, int j) DOLLOP_INLINE_LAMBDA {
    return a(i, 0) * b(0, j) + a(i, 1) * b(1, j) + a(i, 2) * b(2, j);
  };
  return {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
}
template <class R>
DOLLOP_INLINE SymMat3<R> inverse(const SymMat3<R>& a) {
  const R scale = R(ScalarOf<R>(1)) / det(a);
  return scale * SymMat3<R>{a.yy * a.zz - a.yz * a.yz, a.xx * a.zz - a.xz * a.xz, a.xx * a.yy - a.xy * a.xy,
                            a.xz * a.yz - a.xy * a.zz, a.xy * a.yz - a.xz * a.yy, a.xy * a.xz - a.yz * a.xx};
}

// a where the mask is set, b elsewhere
template <class Mask, class R>
DOLLOP_INLINE Vec3<R> choose(const Mask& m, const Vec3<R>& a, const Vec3<R>& b) {
  return {select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z)};
}
template <class Mask, class R>
DOLLOP_INLINE SymMat3<R> choose(const Mask& m, const SymMat3<R>& a, const SymMat3<R>& b) {
  return {select(m, a.xx, b.xx), select(m, a.yy, b.yy), select(m, a.zz, b.zz),
          select(m, a.xy, b.xy), select(m, a.xz, b.xz), select(m, a.yz, b.yz)};
}
template <class Mask, class R>
DOLLOP_INLINE Mat3<R> choose(const Mask& m, const Mat3<R>& a, const Mat3<R>& b) {
  return make_mat3<R>([&](int i, int j) DOLLOP_INLINE_LAMBDA { return select(m, a(i, j), b(i, j)); });
}

// Q diag(d) Q^T
template <class R>
DOLLOP_INLINE SymMat3<R> assemble(const Mat3<R>& q, const Vec3<R>& d) {
  const auto entry = [&](int i, int j) DOLLOP_INLINE_LAMBDA {
    return q(i, 0) * q(j, 0) * d.x + q(i, 1) * q(j, 1) * d.y + q(i, 2) * q(j, 2) * d.z;
  };
  return {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
}

}  // namespace dollop::inline DOLLOP_ISA
