#include "render/tracer/color_map.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "render/tracer/looks.h"

namespace dollop {

Vec3<float> color_of(float s) {
  if (std::isnan(s)) return {0.5f, 0.5f, 0.5f};
  // viridis (van der Walt and Smith 2015, public domain) at equal steps
  static constexpr std::array<Vec3<float>, 9> stops{{{0.267f, 0.005f, 0.329f},
                                                     {0.279f, 0.175f, 0.483f},
                                                     {0.230f, 0.322f, 0.546f},
                                                     {0.173f, 0.449f, 0.558f},
                                                     {0.128f, 0.567f, 0.551f},
                                                     {0.158f, 0.684f, 0.502f},
                                                     {0.369f, 0.789f, 0.383f},
                                                     {0.678f, 0.864f, 0.190f},
                                                     {0.993f, 0.906f, 0.144f}}};
  const float position = std::clamp(s, 0.0f, 1.0f) * float(stops.size() - 1);
  const std::size_t k = std::min(std::size_t(position), stops.size() - 2);
  const float f = position - float(k);
  return (1 - f) * stops[k] + f * stops[k + 1];
}

Vec3<float> linear_color_of(float s) {
  const Vec3<float> c = color_of(s);
  return linear_of_srgb({c.x, c.y, c.z});
}

}  // namespace dollop
