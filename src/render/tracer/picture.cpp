#include "render/tracer/picture.h"

#include <cmath>

#include "core/parallel.h"
#include "render/lighting.h"
#include "render/tracer/denoise.h"
#include "render/tracer/integrator.h"

namespace dollop {
namespace {

// a place within the pixel's tent, which reaches into its neighbours and so has no jagged edges
float in_tent(float u) {
  constexpr float reach = 0.8f;  // pixels
  return reach * (u < 0.5f ? std::sqrt(2 * u) - 1 : 1 - std::sqrt(2 - 2 * u));
}

PathSample trace_sample(const Stage& stage, const Lights& lights, const PreviewView& view, int pixel,
                        int sample) {
  Sampler sampler{std::uint64_t(pixel), std::uint32_t(sample)};
  const Point2 u = sampler.next();
  const float x = float(pixel % view.width) + 0.5f + in_tent(u.x);
  const float y = float(pixel / view.width) + 0.5f + in_tent(u.y);
  TracedRay ray;
  ray.origin = view.camera.eye;
  ray.direction = ray_through(view.camera, 2 * x / float(view.width) - 1, 1 - 2 * y / float(view.height));
  ray.time = sampler.next().x;
  PathSample result = trace_path(stage, lights, ray, sampler);
  TracedRay to_first = ray;
  to_first.far = result.depth / norm(ray.direction);
  for (const Vec3<float>& normal : stage.panes_before(to_first)) {
    const Vec3<float> to_eye = -unit(ray.direction);
    result.light = behind_glass(result.light, normal, to_eye);
    result.albedo = behind_glass(result.albedo, normal, to_eye);
  }
  return result;
}

}  // namespace

Image trace_picture(const StageContents& contents, const TracerOptions& options) {
  const PreviewView& view = contents.view;
  const Stage stage(contents);
  Lights lights =
      options.uniform_sky ? uniform_lights(*options.uniform_sky) : studio_lights(view.camera, view.size);
  lights.size = view.size;
  Film film(view.width, view.height);
  parallel_for(std::size_t(view.height), 1, [&](std::size_t y) {
    std::vector<PathSample> samples(static_cast<std::size_t>(options.samples));
    for (int x = 0; x < view.width; ++x) {
      const int pixel = int(y) * view.width + x;
      for (int s = 0; s < options.samples; ++s)
        samples[std::size_t(s)] = trace_sample(stage, lights, view, pixel, s);
      film.set(std::size_t(pixel), samples);
    }
  });
  if (options.denoise) return denoise(film);
  Image image(view.width, view.height);
  image.pixels = film.light;
  return image;
}

}  // namespace dollop
