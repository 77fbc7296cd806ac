#include "render/tracer/denoise.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/parallel.h"

namespace dollop {
namespace {

constexpr int passes = 5;                // each looks twice as far as the one before
constexpr float least_albedo = 0.01f;    // guards 0/0
constexpr float light_tolerance = 3.5f;  // standard deviations
constexpr float edge_spread = 4;         // of guides within a pixel: more than that is an edge
constexpr int edge_reach = 2;  // widest step for pixels on edges: what is farther is of other things
constexpr float normal_tolerance = 0.12f, albedo_tolerance = 0.06f, depth_tolerance = 0.006f;

Vec3<float> divided(const Vec3<float>& light, const Vec3<float>& albedo) {
  const auto one = [](float l, float a) { return l / std::max(a, least_albedo); };
  return {one(light.x, albedo.x), one(light.y, albedo.y), one(light.z, albedo.z)};
}

// Light by albedo and the variance of its luminance, which each pass makes smoother.
struct Filtered {
  std::vector<Vec3<float>> light;
  std::vector<float> variance;
};

// the larger change of depth to a neighbour would be that of an edge
float slope(const Film& film, int x, int y, int dx, int dy) {
  const float here = film.depth[film.at(x, y)];
  float least = std::numeric_limits<float>::infinity();
  for (const int side : {-1, 1}) {
    const int i = x + side * dx, j = y + side * dy;
    if (i < 0 || j < 0 || i >= film.width || j >= film.height) continue;
    const float change = float(side) * (film.depth[film.at(i, j)] - here);
    if (std::abs(change) < std::abs(least)) least = change;
  }
  return std::isfinite(least) ? least : 0;
}

struct Slopes {
  std::vector<float> x, y;
};

Slopes find_slopes(const Film& film) {
  Slopes slopes{std::vector<float>(film.depth.size()), std::vector<float>(film.depth.size())};
  parallel_for(std::size_t(film.height), 8, [&](std::size_t y) {
    for (int x = 0; x < film.width; ++x) {
      slopes.x[film.at(x, int(y))] = slope(film, x, int(y), 1, 0);
      slopes.y[film.at(x, int(y))] = slope(film, x, int(y), 0, 1);
    }
  });
  return slopes;
}

// Variances of few samples are themselves rough.
std::vector<float> smooth_variance(const Film& film, const std::vector<float>& variance) {
  std::vector<float> smooth(variance.size());
  parallel_for(std::size_t(film.height), 8, [&](std::size_t row) {
    const int y = int(row);
    for (int x = 0; x < film.width; ++x) {
      float sum = 0, weight = 0;
      for (int j = std::max(0, y - 2); j <= std::min(film.height - 1, y + 2); ++j)
        for (int i = std::max(0, x - 2); i <= std::min(film.width - 1, x + 2); ++i) {
          const float w = 1.0f / float(1 + (i - x) * (i - x) + (j - y) * (j - y));
          sum += w * variance[film.at(i, j)];
          weight += w;
        }
      smooth[film.at(x, y)] = sum / weight;
    }
  });
  return smooth;
}

// How much neighbours of a pixel count in one pass.
struct Weigher {
  const Film& film;
  const Slopes& slopes;
  const Filtered& layer;
  std::size_t p;        // the pixel
  float inverse_noise;  // of its light
  bool edge = film.spread[p] > edge_spread;

  // of normals and albedos, in squares of the tolerance
  float difference(std::size_t q) const {
    const Vec3<float> dn = film.normal[p] - film.normal[q], da = film.albedo[p] - film.albedo[q];
    return dot(dn, dn) * (1 / (normal_tolerance * normal_tolerance)) +
           dot(da, da) * (1 / (albedo_tolerance * albedo_tolerance));
  }

  float weight(std::size_t q, float dx, float dy) const {
    const float guides = difference(q);
    // Of a pixel that is a mixture, the share s one thing and 1 - s another whose guides are D apart, one is
    // (1 - s) D away and the spread is s (1 - s) D^2. So this is s for the one and 1 - s for the other.
    if (edge) return film.spread[p] / (film.spread[p] + guides);
    if (guides > 12) return 0;
    const float expected = slopes.x[p] * dx + slopes.y[p] * dy, z = film.depth[p];
    const float off =
        std::abs(film.depth[q] - z - expected) /
        (depth_tolerance * z + 0.5f * (std::abs(slopes.x[p] * dx) + std::abs(slopes.y[p] * dy)));
    const float bright = std::abs(luminance(layer.light[p]) - luminance(layer.light[q]));
    const float d = guides + off + bright * inverse_noise;
    return d > 12 ? 0 : std::exp(-d);  // the rest weighs nothing
  }
};

Filtered filter(const Film& film, const Slopes& slopes, const Filtered& layer, int step) {
  constexpr std::array<float, 3> kernel{0.375f, 0.25f, 0.0625f};  // a cubic spline
  Filtered out{layer.light, layer.variance};
  const std::vector<float> noise = smooth_variance(film, layer.variance);
  parallel_for(std::size_t(film.height), 4, [&](std::size_t row) {
    const int y = int(row);
    for (int x = 0; x < film.width; ++x) {
      const std::size_t p = film.at(x, y);
      const Weigher weigher{film, slopes, layer, p, 1 / (light_tolerance * std::sqrt(noise[p]) + 1e-3f)};
      if (weigher.edge && step > edge_reach) continue;
      Vec3<float> sum{0, 0, 0}, shares{1e-20f, 1e-20f, 1e-20f};  // guards 0/0
      float weight = 0, variance = 0;
      for (int dy = -2; dy <= 2; ++dy) {
        const int j = y + dy * step;
        if (j < 0 || j >= film.height) continue;
        for (int dx = -2; dx <= 2; ++dx) {
          const int i = x + dx * step;
          if (i < 0 || i >= film.width) continue;
          const std::size_t q = film.at(i, j);
          const float w = kernel[std::size_t(std::abs(dx))] * kernel[std::size_t(std::abs(dy))] *
                          weigher.weight(q, float(dx * step), float(dy * step));
          // what sends back more light counts for more: on an edge the mean is then that of the pixel's own mixture
          const Vec3<float> share = w * film.albedo[q];
          sum = sum + times(share, layer.light[q]);
          shares = shares + share;
          variance += w * w * layer.variance[q];
          weight += w;
        }
      }
      out.light[p] = {sum.x / shares.x, sum.y / shares.y, sum.z / shares.z};
      out.variance[p] = variance / (weight * weight);
    }
  });
  return out;
}

}  // namespace

Film::Film(int width_, int height_) : width(width_), height(height_) {
  const std::size_t n = std::size_t(width) * std::size_t(height);
  for (auto* layer : {&light, &albedo, &normal}) layer->assign(n, {0, 0, 0});
  for (auto* layer : {&depth, &variance, &spread}) layer->assign(n, 0);
}

void Film::set(std::size_t pixel, const std::vector<PathSample>& samples) {
  const float share = 1 / float(samples.size());
  Vec3<float> l{0, 0, 0}, a{0, 0, 0}, n{0, 0, 0};
  float d = 0;
  for (const PathSample& sample : samples) {
    l = l + share * sample.light;
    a = a + share * sample.albedo;
    n = n + share * sample.normal;
    d += share * sample.depth;
  }
  float noise = 0, apart = 0;
  const float mean = luminance(divided(l, a));
  for (const PathSample& sample : samples) {
    const float off = luminance(divided(sample.light, sample.albedo)) - mean;
    const Vec3<float> dn = sample.normal - n, da = sample.albedo - a;
    noise += off * off;
    apart += dot(dn, dn) * (1 / (normal_tolerance * normal_tolerance)) +
             dot(da, da) * (1 / (albedo_tolerance * albedo_tolerance));
  }
  light[pixel] = l;
  albedo[pixel] = a;
  normal[pixel] = n;
  depth[pixel] = d;
  spread[pixel] = share * apart;
  variance[pixel] = noise * share * (samples.size() > 1 ? 1 / float(samples.size() - 1) : 1);
}

Image denoise(const Film& film) {
  const Slopes slopes = find_slopes(film);
  Filtered layer{film.light, film.variance};
  for (std::size_t i = 0; i < film.light.size(); ++i) layer.light[i] = divided(film.light[i], film.albedo[i]);
  for (int pass = 0; pass < passes; ++pass) layer = filter(film, slopes, layer, 1 << pass);
  Image image(film.width, film.height);
  for (std::size_t i = 0; i < film.light.size(); ++i) {
    const Vec3<float>& a = film.albedo[i];
    image.pixels[i] = times(layer.light[i], {std::max(a.x, least_albedo), std::max(a.y, least_albedo),
                                             std::max(a.z, least_albedo)});
  }
  return image;
}

}  // namespace dollop
