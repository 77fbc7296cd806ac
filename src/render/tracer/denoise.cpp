#include "render/tracer/denoise.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/parallel.h"

namespace dollop {
namespace {

constexpr int passes = 5;                    // the step between taps doubles with each pass
constexpr float min_albedo = 0.01f;          // guards 0/0
constexpr float luminance_tolerance = 3.5f;  // in standard deviations
constexpr float edge_feature_variance = 4;   // a pixel with more than that lies on an edge
constexpr int max_edge_step = 2;  // pixels on edges skip wider passes, whose taps lie on other surfaces
constexpr float normal_tolerance = 0.12f, albedo_tolerance = 0.06f, depth_tolerance = 0.006f;

Vec3<float> demodulated(const Vec3<float>& radiance, const Vec3<float>& albedo) {
  const auto one = [](float l, float a) { return l / std::max(a, min_albedo); };
  return {one(radiance.x, albedo.x), one(radiance.y, albedo.y), one(radiance.z, albedo.z)};
}

// Radiance / albedo, the demodulated irradiance (up to pi), and the variance of its luminance; each pass smooths both.
struct FilterLayer {
  std::vector<Vec3<float>> irradiance;
  std::vector<float> variance;
};

// the one-sided difference of depth that is smaller: the larger one may cross an edge
float depth_gradient(const Film& film, int x, int y, int dx, int dy) {
  const float here = film.depth[film.at(x, y)];
  float smallest = std::numeric_limits<float>::infinity();
  for (const int side : {-1, 1}) {
    const int i = x + side * dx, j = y + side * dy;
    if (i < 0 || j < 0 || i >= film.width || j >= film.height) continue;
    const float change = float(side) * (film.depth[film.at(i, j)] - here);
    if (std::abs(change) < std::abs(smallest)) smallest = change;
  }
  return std::isfinite(smallest) ? smallest : 0;
}

struct DepthGradients {
  std::vector<float> x, y;
};

DepthGradients find_depth_gradients(const Film& film) {
  DepthGradients gradients{std::vector<float>(film.depth.size()), std::vector<float>(film.depth.size())};
  parallel_for(std::size_t(film.height), 8, [&](std::size_t y) {
    for (int x = 0; x < film.width; ++x) {
      gradients.x[film.at(x, int(y))] = depth_gradient(film, x, int(y), 1, 0);
      gradients.y[film.at(x, int(y))] = depth_gradient(film, x, int(y), 0, 1);
    }
  });
  return gradients;
}

// Smooths the variance, since that of few samples is noisy itself.
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

// The edge-stopping function: weights of the neighbours of a pixel in one pass.
struct EdgeStopping {
  const Film& film;
  const DepthGradients& gradients;
  const FilterLayer& layer;
  std::size_t p;            // the pixel at the centre
  float inverse_tolerance;  // of its luminance
  bool edge = film.feature_variance[p] > edge_feature_variance;

  // squared difference of normals and albedos, in squared tolerances
  float feature_distance(std::size_t q) const {
    const Vec3<float> dn = film.normal[p] - film.normal[q], da = film.albedo[p] - film.albedo[q];
    return dot(dn, dn) * (1 / (normal_tolerance * normal_tolerance)) +
           dot(da, da) * (1 / (albedo_tolerance * albedo_tolerance));
  }

  float weight(std::size_t q, float dx, float dy) const {
    const float features = feature_distance(q);
    // A pixel on an edge shows two surfaces, with fractions s and 1 - s, whose features differ by D. Its mean features
    // are (1 - s) D away from the first surface and their variance is s (1 - s) D^2. So this weight is s for pixels of
    // the first surface and 1 - s for those of the second.
    if (edge) return film.feature_variance[p] / (film.feature_variance[p] + features);
    if (features > 12) return 0;
    const float expected = gradients.x[p] * dx + gradients.y[p] * dy, z = film.depth[p];
    const float deviation =
        std::abs(film.depth[q] - z - expected) /
        (depth_tolerance * z + 0.5f * (std::abs(gradients.x[p] * dx) + std::abs(gradients.y[p] * dy)));
    const float brightness = std::abs(luminance(layer.irradiance[p]) - luminance(layer.irradiance[q]));
    const float d = features + deviation + brightness * inverse_tolerance;
    return d > 12 ? 0 : std::exp(-d);  // smaller weights are negligible
  }
};

FilterLayer atrous_pass(const Film& film, const DepthGradients& gradients, const FilterLayer& layer,
                        int step) {
  constexpr std::array<float, 3> kernel{0.375f, 0.25f, 0.0625f};  // cubic B-spline
  FilterLayer out{layer.irradiance, layer.variance};
  const std::vector<float> noise = smooth_variance(film, layer.variance);
  parallel_for(std::size_t(film.height), 4, [&](std::size_t row) {
    const int y = int(row);
    for (int x = 0; x < film.width; ++x) {
      const std::size_t p = film.at(x, y);
      const EdgeStopping edge_stopping{film, gradients, layer, p,
                                       1 / (luminance_tolerance * std::sqrt(noise[p]) + 1e-3f)};
      if (edge_stopping.edge && step > max_edge_step) continue;
      Vec3<float> sum{0, 0, 0}, albedo_sum{1e-20f, 1e-20f, 1e-20f};  // guards 0/0
      float weight = 0, variance = 0;
      for (int dy = -2; dy <= 2; ++dy) {
        const int j = y + dy * step;
        if (j < 0 || j >= film.height) continue;
        for (int dx = -2; dx <= 2; ++dx) {
          const int i = x + dx * step;
          if (i < 0 || i >= film.width) continue;
          const std::size_t q = film.at(i, j);
          const float w = kernel[std::size_t(std::abs(dx))] * kernel[std::size_t(std::abs(dy))] *
                          edge_stopping.weight(q, float(dx * step), float(dy * step));
          // weights by albedo, so that on an edge the mean is that of the radiance of both surfaces
          const Vec3<float> albedo_weight = w * film.albedo[q];
          sum = sum + times(albedo_weight, layer.irradiance[q]);
          albedo_sum = albedo_sum + albedo_weight;
          variance += w * w * layer.variance[q];
          weight += w;
        }
      }
      out.irradiance[p] = {sum.x / albedo_sum.x, sum.y / albedo_sum.y, sum.z / albedo_sum.z};
      out.variance[p] = variance / (weight * weight);
    }
  });
  return out;
}

}  // namespace

Film::Film(int width_, int height_) : width(width_), height(height_) {
  const std::size_t n = std::size_t(width) * std::size_t(height);
  for (auto* layer : {&radiance, &albedo, &normal}) layer->assign(n, {0, 0, 0});
  for (auto* layer : {&depth, &variance, &feature_variance}) layer->assign(n, 0);
}

void Film::set(std::size_t pixel, const std::vector<PathSample>& samples) {
  const float weight = 1 / float(samples.size());
  Vec3<float> l{0, 0, 0}, a{0, 0, 0}, n{0, 0, 0};
  float d = 0;
  for (const PathSample& sample : samples) {
    l = l + weight * sample.radiance;
    a = a + weight * sample.albedo;
    n = n + weight * sample.normal;
    d += weight * sample.depth;
  }
  float noise = 0, squared_deviations = 0;
  const float mean = luminance(demodulated(l, a));
  for (const PathSample& sample : samples) {
    const float deviation = luminance(demodulated(sample.radiance, sample.albedo)) - mean;
    const Vec3<float> dn = sample.normal - n, da = sample.albedo - a;
    noise += deviation * deviation;
    squared_deviations += dot(dn, dn) * (1 / (normal_tolerance * normal_tolerance)) +
                          dot(da, da) * (1 / (albedo_tolerance * albedo_tolerance));
  }
  radiance[pixel] = l;
  albedo[pixel] = a;
  normal[pixel] = n;
  depth[pixel] = d;
  feature_variance[pixel] = weight * squared_deviations;
  variance[pixel] = noise * weight * (samples.size() > 1 ? 1 / float(samples.size() - 1) : 1);
}

Image denoise(const Film& film) {
  const DepthGradients gradients = find_depth_gradients(film);
  FilterLayer layer{film.radiance, film.variance};
  for (std::size_t i = 0; i < film.radiance.size(); ++i)
    layer.irradiance[i] = demodulated(film.radiance[i], film.albedo[i]);
  for (int pass = 0; pass < passes; ++pass) layer = atrous_pass(film, gradients, layer, 1 << pass);
  Image image(film.width, film.height);
  for (std::size_t i = 0; i < film.radiance.size(); ++i) {
    const Vec3<float>& a = film.albedo[i];
    image.pixels[i] = times(layer.irradiance[i], {std::max(a.x, min_albedo), std::max(a.y, min_albedo),
                                                  std::max(a.z, min_albedo)});
  }
  return image;
}

}  // namespace dollop
