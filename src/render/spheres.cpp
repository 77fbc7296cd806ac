#include "render/spheres.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

#include "core/parallel.h"

namespace dollop {
namespace {

constexpr float nearest_depth = 1e-4f;  // near clipping [m]
constexpr std::size_t chunk = 2048;

// The projection of a ball and its bounding rectangle of samples.
struct Footprint {
  float x, y, depth;             // of the centre; x, y in samples, depth in metres
  float rx, ry;                  // radii in samples
  int left, right, top, bottom;  // inclusive, clipped to the picture
  bool empty() const { return left > right || top > bottom; }
};

Footprint footprint(const Camera& camera, int width, int height, const Ball& ball) {
  const Projected p = project(camera, ball.center);
  Footprint f{};
  f.right = f.bottom = -1;
  if (!(p.depth - ball.radius > nearest_depth)) return f;
  f.depth = p.depth;
  f.x = 0.5f * (p.u + 1) * float(width);
  f.y = 0.5f * (1 - p.v) * float(height);
  f.rx = 0.5f * ball.radius / (p.depth * camera.half_width) * float(width);
  f.ry = 0.5f * ball.radius / (p.depth * camera.half_height) * float(height);
  if (!(f.x + f.rx > -1 && f.x - f.rx < float(width) + 1 && f.y + f.ry > -1 &&
        f.y - f.ry < float(height) + 1))
    return f;
  // samples lie at the centres of their squares
  f.left = std::max(0, int(std::ceil(f.x - f.rx - 0.5f)));
  f.right = std::min(width - 1, int(std::floor(f.x + f.rx - 0.5f)));
  f.top = std::max(0, int(std::ceil(f.y - f.ry - 0.5f)));
  f.bottom = std::min(height - 1, int(std::floor(f.y + f.ry - 0.5f)));
  return f;
}

// minimum and maximum do not depend on the order of threads
template <class T>
void atomic_min(T& place, T value) {
  std::atomic_ref<T> shared(place);
  T old = shared.load(std::memory_order_relaxed);
  while (value < old && !shared.compare_exchange_weak(old, value, std::memory_order_relaxed)) {
  }
}
template <class T>
void atomic_max(T& place, T value) {
  std::atomic_ref<T> shared(place);
  T old = shared.load(std::memory_order_relaxed);
  while (value > old && !shared.compare_exchange_weak(old, value, std::memory_order_relaxed)) {
  }
}

void draw_sphere(const Footprint& f, const Ball& ball, SphereBuffer& buffer) {
  for (int y = f.top; y <= f.bottom; ++y)
    for (int x = f.left; x <= f.right; ++x) {
      const float dx = (float(x) + 0.5f - f.x) / f.rx, dy = (float(y) + 0.5f - f.y) / f.ry;
      const float q = dx * dx + dy * dy;
      if (q >= 1) continue;
      const float depth = f.depth - ball.radius * std::sqrt(1 - q);
      const std::uint64_t entry = std::uint64_t(std::bit_cast<std::uint32_t>(depth)) << 32 | ball.index;
      atomic_min(buffer.nearest[std::size_t(y) * buffer.width + x], entry);
    }
}

}  // namespace

float depth_of(std::uint64_t entry) { return std::bit_cast<float>(std::uint32_t(entry >> 32)); }

SphereBuffer draw_spheres(const Camera& camera, int width, int height, const std::vector<Ball>& spheres) {
  SphereBuffer buffer{width, height, {}};
  buffer.nearest.assign(std::size_t(width) * height, SphereBuffer::nothing);
  parallel_ranges(spheres.size(), chunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Footprint f = footprint(camera, width, height, spheres[i]);
      if (!f.empty()) draw_sphere(f, spheres[i], buffer);
    }
  });
  return buffer;
}

bool DepthRange::any(int x, int y) const { return high[std::size_t(y) * width + x] > 0; }
float DepthRange::first(int x, int y) const { return std::bit_cast<float>(low[std::size_t(y) * width + x]); }
float DepthRange::last(int x, int y) const { return std::bit_cast<float>(high[std::size_t(y) * width + x]); }

DepthRange draw_ranges(const Camera& camera, int width, int height, const std::vector<Ball>& spheres) {
  constexpr int n = DepthRange::tile;
  DepthRange range{(width + n - 1) / n, (height + n - 1) / n, {}, {}};
  range.low.assign(std::size_t(range.width) * range.height, ~std::uint32_t(0));
  range.high.assign(range.low.size(), 0);
  parallel_ranges(spheres.size(), chunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Ball& ball = spheres[i];
      const Footprint f = footprint(camera, width, height, ball);
      if (f.empty()) continue;
      const auto near = std::bit_cast<std::uint32_t>(f.depth - ball.radius);
      const auto far = std::bit_cast<std::uint32_t>(f.depth + ball.radius);
      for (int y = f.top / n; y <= f.bottom / n; ++y)
        for (int x = f.left / n; x <= f.right / n; ++x) {
          const std::size_t k = std::size_t(y) * range.width + x;
          atomic_min(range.low[k], near);
          atomic_max(range.high[k], far);
        }
    }
  });
  return range;
}

}  // namespace dollop
