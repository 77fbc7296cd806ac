// Random numbers and sampled directions of rays. Every number is a function of pixel, sample and dimension alone, so a
// picture does not depend on which thread computes which pixel.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "core/random.h"
#include "render/camera.h"

namespace dollop {

struct Point2 {
  float x, y;  // in [0, 1)
};

namespace sampling_detail {

constexpr std::uint32_t reverse_bits(std::uint32_t x) {
  x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
  return __builtin_bswap32(x);
}

// Owen scrambling (nested uniform, base 2) of a number with reversed bits, by the hash of Laine and Karras (2011) with
// the constants of Burley (2020)
constexpr std::uint32_t scramble_reversed(std::uint32_t x, std::uint32_t seed) {
  x += seed;
  x ^= x * 0x6c50b47cu;
  x ^= x * 0xb82f1e52u;
  x ^= x * 0xc7afe638u;
  x ^= x * 0x8d22f6e6u;
  return x;
}

// Tables of the second dimension of the Sobol sequence, for the low and the high byte of the sample's index; the first
// dimension is the bit-reversed index.
constexpr std::array<std::array<std::uint32_t, 256>, 2> make_sobol_second() {
  std::array<std::array<std::uint32_t, 256>, 2> table{};
  std::uint32_t v = 1u << 31;
  for (auto& half : table)
    for (std::uint32_t bit = 0; bit < 8; ++bit, v ^= v >> 1)
      for (std::uint32_t index = 0; index < 256; ++index)
        if (index >> bit & 1) half[index] ^= v;
  return table;
}
inline constexpr auto sobol_second = make_sobol_second();

constexpr float to_unit(std::uint32_t x) { return float(x >> 8) * 0x1p-24f; }

}  // namespace sampling_detail

// The random numbers of one sample of one pixel: pairs of a shuffled, Owen-scrambled Sobol sequence (Burley 2020), so
// that the samples of a pixel are stratified in every pair of dimensions.
class Sampler {
 public:
  // supports up to 65536 samples per pixel
  Sampler(std::uint64_t pixel, std::uint32_t sample)
      : pixel_(random_stream(0x646f6c6c6f70u, pixel)),
        sample_(sample),
        reversed_(sampling_detail::reverse_bits(sample)) {}

  Point2 next_2d() {
    using namespace sampling_detail;
    const std::uint64_t bits = random_bits(pixel_, dimension_++);
    const std::uint64_t second_bits = mix(bits);
    // shuffle the order of the samples, differently for each pair of dimensions
    const std::uint32_t index = reverse_bits(scramble_reversed(reversed_, std::uint32_t(bits))) & 0xffff;
    const std::uint32_t second = sobol_second[0][index & 255] ^ sobol_second[1][index >> 8];
    return {to_unit(reverse_bits(scramble_reversed(index, std::uint32_t(bits >> 32)))),
            to_unit(reverse_bits(scramble_reversed(reverse_bits(second), std::uint32_t(second_bits))))};
  }

  // independent uniform numbers, not stratified: for choices that rarely matter
  Point2 next_independent_2d() {
    const std::uint64_t bits = random_bits(pixel_ + sample_, 0x100000000u + dimension_++);
    return {sampling_detail::to_unit(std::uint32_t(bits)),
            sampling_detail::to_unit(std::uint32_t(bits >> 32))};
  }

 private:
  std::uint64_t pixel_;
  std::uint32_t sample_, reversed_;
  std::uint32_t dimension_ = 0;
};

inline constexpr float pi = 3.14159265358979f;

inline Vec3<float> times(const Vec3<float>& a, const Vec3<float>& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
inline Vec3<float> blend(const Vec3<float>& a, const Vec3<float>& b, float s) { return (1 - s) * a + s * b; }
inline float max_component(const Vec3<float>& a) { return std::max({a.x, a.y, a.z}); }
inline float luminance(const Vec3<float>& a) { return 0.2126f * a.x + 0.7152f * a.y + 0.0722f * a.z; }

// An orthonormal basis with the third vector along the normal (Duff et al. 2017).
struct TangentFrame {
  Vec3<float> s, t, n;
  explicit TangentFrame(const Vec3<float>& normal) : n(normal) {
    const float sign = std::copysign(1.0f, n.z);
    const float a = -1 / (sign + n.z), b = n.x * n.y * a;
    s = {1 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    t = {b, sign + n.y * n.y * a, -n.y};
  }
  Vec3<float> to_world(float x, float y, float z) const { return x * s + y * t + z * n; }
};

// uniform in the unit disc z = 0
inline Vec3<float> sample_disc(const Point2& u) {
  const float r = std::sqrt(u.x), angle = 2 * pi * u.y;
  return {r * std::cos(angle), r * std::sin(angle), 0};
}

// density proportional to the cosine with the normal
inline Vec3<float> sample_cosine_hemisphere(const Vec3<float>& normal, const Point2& u) {
  const Vec3<float> d = sample_disc(u);
  return TangentFrame(normal).to_world(d.x, d.y, std::sqrt(std::max(0.0f, 1 - u.x)));
}

// uniform in the solid angle of a cone about a unit vector; `cosine` is that of its half angle
inline Vec3<float> sample_cone(const Vec3<float>& axis, float cosine, const Point2& u) {
  const float z = 1 - u.x * (1 - cosine), r = std::sqrt(std::max(0.0f, 1 - z * z)), angle = 2 * pi * u.y;
  return TangentFrame(axis).to_world(r * std::cos(angle), r * std::sin(angle), z);
}

}  // namespace dollop
