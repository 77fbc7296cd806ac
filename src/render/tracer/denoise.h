// An à-trous wavelet filter that removes Monte Carlo noise and keeps edges.
#pragma once

#include <vector>

#include "render/image.h"
#include "render/tracer/integrator.h"

namespace dollop {

// Means over the samples of each pixel, of features too: their edges are as antialiased as those of the picture.
struct Film {
  int width = 0, height = 0;
  std::vector<Vec3<float>> radiance = {}, albedo = {}, normal = {};
  std::vector<float> depth = {};
  std::vector<float> variance = {};          // of the mean luminance of radiance / albedo
  std::vector<float> feature_variance = {};  // of normals and albedos within a pixel, in squared tolerances

  Film(int width_, int height_);
  std::size_t at(int x, int y) const { return std::size_t(y) * std::size_t(width) + std::size_t(x); }
  // sets a pixel from its samples
  void set(std::size_t pixel, const std::vector<PathSample>& samples);
};

// The edge-avoiding à-trous filter (Dammertz et al. 2010), applied to radiance / albedo; its tolerance of luminance
// follows the variance of the samples (Schied et al. 2017).
Image denoise(const Film& film);

}  // namespace dollop
