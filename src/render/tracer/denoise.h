// Takes the grain out of pictures of few samples without touching their edges.
#pragma once

#include <vector>

#include "render/image.h"
#include "render/tracer/integrator.h"

namespace dollop {

// Means over the samples of each pixel, so that guides have soft edges where the picture has them.
struct Film {
  int width = 0, height = 0;
  std::vector<Vec3<float>> light = {}, albedo = {}, normal = {};
  std::vector<float> depth = {};
  std::vector<float> variance = {};  // of the mean of the light by albedo, of its luminance
  std::vector<float> spread = {};    // of the guides within a pixel, in squares of the filter's tolerance

  Film(int width_, int height_);
  std::size_t at(int x, int y) const { return std::size_t(y) * std::size_t(width) + std::size_t(x); }
  // puts in the samples of one pixel
  void set(std::size_t pixel, const std::vector<PathSample>& samples);
};

// An edge-avoiding wavelet filter (Dammertz et al. 2010) of light by albedo, whose tolerance follows the noise that the
// samples show (Schied et al. 2017).
Image denoise(const Film& film);

}  // namespace dollop
