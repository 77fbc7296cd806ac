// Rasterised particles: a depth buffer of spheres, and the depth intervals in which rays may hit the smooth surface.
#pragma once

#include <cstdint>
#include <vector>

#include "render/camera.h"

namespace dollop {

struct Ball {
  Vec3<float> center;   // [m]
  float radius;         // [m]
  std::uint32_t index;  // index of the particle
};

// The depth buffer: the nearest sphere at each sample. At equal depth the lower index wins, whatever the drawing order.
struct SphereBuffer {
  int width = 0, height = 0;
  std::vector<std::uint64_t> nearest =
      {};  // depth in the upper 32 bits, index in the lower: the minimum is the nearest

  static constexpr std::uint64_t nothing = ~std::uint64_t(0);
  std::uint64_t at(int x, int y) const { return nearest[std::size_t(y) * width + x]; }
};
float depth_of(std::uint64_t entry);
inline std::uint32_t index_of(std::uint64_t entry) { return std::uint32_t(entry); }

SphereBuffer draw_spheres(const Camera& camera, int width, int height, const std::vector<Ball>& spheres);

// For each tile of samples, the depth interval of all spheres that touch it.
struct DepthRange {
  static constexpr int tile = 4;                   // samples along an edge
  int width = 0, height = 0;                       // in tiles
  std::vector<std::uint32_t> low = {}, high = {};  // bits of positive floats, which sort like the floats

  bool any(int x, int y) const;  // tile
  float first(int x, int y) const;
  float last(int x, int y) const;
};
DepthRange draw_ranges(const Camera& camera, int width, int height, const std::vector<Ball>& spheres);

}  // namespace dollop
