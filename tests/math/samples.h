// Random numbers and matrices for the tests of src/math, in classes that are hard in different ways.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "math/vec.h"

namespace dollop::inline DOLLOP_ISA {

// fewer samples in debug builds, where every operation is checked
constexpr int sample_count(int n) {
#ifdef DOLLOP_DEBUG
  return n / 20;
#else
  return n;
#endif
}

// SplitMix64
struct Random {
  std::uint64_t state = 1;
  std::uint64_t bits() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform(double a, double b) { return a + (b - a) * double(bits() >> 11) * 0x1p-53; }
  double power_of_ten(double a, double b) { return std::pow(10.0, uniform(a, b)); }
  // a rotation from a random unit quaternion
  Mat3<double> rotation() {
    double q[4], n = 0;
    do {
      n = 0;
      for (double& c : q) c = uniform(-1, 1), n += c * c;
    } while (n < 0.01 || n > 1);
    for (double& c : q) c /= std::sqrt(n);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
             {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
             {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
  }
};

template <class S>
bool same_bits(S a, S b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

enum class Kind {
  random,
  repeated,
  nearly_repeated,
  near_singular,
  rank_one,
  huge,
  tiny,
  denormal,
  diagonal,
  zero,
  identity,
  mixed,
  integers
};
inline constexpr std::array all_kinds{
    Kind::random,   Kind::repeated, Kind::nearly_repeated, Kind::near_singular, Kind::rank_one,
    Kind::huge,     Kind::tiny,     Kind::denormal,        Kind::diagonal,      Kind::zero,
    Kind::identity, Kind::mixed,    Kind::integers};
inline const char* name_of(Kind k) {
  constexpr const char* names[] = {"random",   "repeated", "nearly_repeated", "near_singular", "rank_one",
                                   "huge",     "tiny",     "denormal",        "diagonal",      "zero",
                                   "identity", "mixed",    "integers"};
  return names[int(k)];
}

// the three eigenvalues or singular values of a sample, before scaling
template <class S>
Vec3<double> sample_values(Kind kind, Random& random) {
  const double eps = std::numeric_limits<S>::epsilon();
  const double a = random.uniform(-1, 1), b = random.uniform(-1, 1), c = random.uniform(-1, 1);
  switch (kind) {
    case Kind::repeated:
      return random.bits() % 4 == 0 ? Vec3<double>{a, a, a} : Vec3<double>{a, a, b};
    case Kind::nearly_repeated: {
      const double e = random.power_of_ten(std::log10(eps), -1);
      return {a, a * (1 + e * b), a * (1 + e * c)};
    }
    case Kind::near_singular:
      return {a, b * random.power_of_ten(2 * std::log10(eps), 0),
              c * random.power_of_ten(2 * std::log10(eps), 0)};
    case Kind::rank_one:
      return {a, 0, 0};
    case Kind::mixed:
      return {a * random.power_of_ten(-4, 0), b, c * random.power_of_ten(-8, 0)};
    default:
      return {a, b, c};
  }
}

template <class S>
double sample_scale(Kind kind, Random& random) {
  const bool single = std::is_same_v<S, float>;
  switch (kind) {
    case Kind::huge:
      return (single ? 1e30 : 1e250) * random.power_of_ten(0, 8);
    case Kind::tiny:
      return (single ? 1e-30 : 1e-250) * random.power_of_ten(-7, 0);
    case Kind::denormal:
      return double(std::numeric_limits<S>::min()) * random.power_of_ten(-6, 0.3);
    default:
      return 1;
  }
}

template <class S>
SymMat3<S> sample_symmetric(Kind kind, Random& random) {
  if (kind == Kind::zero) return SymMat3<S>::diagonal(0);
  if (kind == Kind::identity) return SymMat3<S>::diagonal(1);
  const auto digit = [&] { return S(std::floor(random.uniform(-3, 4))); };
  if (kind == Kind::integers) return {digit(), digit(), digit(), digit(), digit(), digit()};
  const Vec3<double> d = sample_values<S>(kind, random);
  const double s = sample_scale<S>(kind, random);
  const Mat3<double> q = kind == Kind::diagonal ? Mat3<double>::identity() : random.rotation();
  const SymMat3<double> a = assemble(q, d);
  return {S(s * a.xx), S(s * a.yy), S(s * a.zz), S(s * a.xy), S(s * a.xz), S(s * a.yz)};
}

// half of the samples are inverted: det < 0
template <class S>
Mat3<S> sample_general(Kind kind, Random& random) {
  if (kind == Kind::zero) return Mat3<S>::diagonal(0, 0, 0);
  if (kind == Kind::identity) return Mat3<S>::diagonal(1, 1, random.bits() % 2 == 0 ? 1 : -1);
  if (kind == Kind::integers)
    return make_mat3<S>([&](int, int) { return S(std::floor(random.uniform(-3, 4))); });
  const Vec3<double> d = sample_values<S>(kind, random);
  const double s = sample_scale<S>(kind, random);
  if (kind == Kind::diagonal) return Mat3<S>::diagonal(S(d.x), S(d.y), S(d.z));
  const Mat3<double> a = random.rotation() * Mat3<double>::diagonal(d.x, d.y, d.z) * random.rotation();
  return make_mat3<S>([&](int i, int j) { return S(s * a(i, j)); });
}

// one sample in each lane
template <class S, class Generate>
std::array<decltype(std::declval<Generate>()()), Pack<S>::lanes> sample_lanes(Generate&& generate) {
  std::array<decltype(generate()), Pack<S>::lanes> r;
  for (auto& a : r) a = generate();
  return r;
}

template <class S, std::size_t n>
SymMat3<Pack<S>> gather_lanes(const std::array<SymMat3<S>, n>& a) {
  SymMat3<Pack<S>> r;
  for (int l = 0; l < int(n); ++l) {
    r.xx.set(l, a[l].xx), r.yy.set(l, a[l].yy), r.zz.set(l, a[l].zz);
    r.xy.set(l, a[l].xy), r.xz.set(l, a[l].xz), r.yz.set(l, a[l].yz);
  }
  return r;
}
template <class S, std::size_t n>
Mat3<Pack<S>> gather_lanes(const std::array<Mat3<S>, n>& a) {
  Mat3<Pack<S>> r;
  for (int l = 0; l < int(n); ++l)
    for (int i = 0; i < 9; ++i) r(i / 3, i % 3).set(l, a[l](i / 3, i % 3));
  return r;
}

// whether lane l of a pack has the bits of the scalar result
template <class S>
bool same_lane(const Vec3<Pack<S>>& a, int l, const Vec3<S>& b) {
  return same_bits(a.x[l], b.x) && same_bits(a.y[l], b.y) && same_bits(a.z[l], b.z);
}
template <class S>
bool same_lane(const Mat3<Pack<S>>& a, int l, const Mat3<S>& b) {
  bool same = true;
  for (int i = 0; i < 9; ++i) same = same && same_bits(a(i / 3, i % 3)[l], b(i / 3, i % 3));
  return same;
}
template <class S>
bool same_lane(const SymMat3<Pack<S>>& a, int l, const SymMat3<S>& b) {
  return same_lane(to_mat3(a), l, to_mat3(b));
}

}  // namespace dollop::inline DOLLOP_ISA
