#include "render/tracer/picture.h"

#include <cmath>

#include "core/parallel.h"
#include "render/lighting.h"
#include "render/tracer/denoise.h"
#include "render/tracer/integrator.h"

namespace dollop {
namespace {

// importance samples a tent reconstruction filter; it overlaps the neighbouring pixels, against aliasing
float sample_tent_filter(float u) {
  constexpr float radius = 0.8f;  // [pixels]
  return radius * (u < 0.5f ? std::sqrt(2 * u) - 1 : 1 - std::sqrt(2 - 2 * u));
}

PathSample trace_sample(const Stage& stage, const Lights& lights, const PreviewView& view, int pixel,
                        int sample) {
  Sampler sampler{std::uint64_t(pixel), std::uint32_t(sample)};
  const Point2 u = sampler.next_2d();
  const float x = float(pixel % view.width) + 0.5f + sample_tent_filter(u.x);
  const float y = float(pixel / view.width) + 0.5f + sample_tent_filter(u.y);
  TracedRay ray;
  ray.origin = view.camera.eye;
  ray.direction = ray_through(view.camera, 2 * x / float(view.width) - 1, 1 - 2 * y / float(view.height));
  ray.time = sampler.next_2d().x;
  PathSample result = trace_path(stage, lights, ray, sampler);
  TracedRay to_first = ray;
  to_first.far = result.depth / norm(ray.direction);
  for (const Vec3<float>& normal : stage.panes_along(to_first)) {
    const Vec3<float> wo = -unit(ray.direction);
    result.radiance = behind_glass(result.radiance, normal, wo);
    result.albedo = behind_glass(result.albedo, normal, wo);
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
  image.pixels = film.radiance;
  return image;
}

}  // namespace dollop
