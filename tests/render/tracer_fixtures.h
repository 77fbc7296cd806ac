// Small stages for tests of traced pictures.
#pragma once

#include <cmath>

#include "render/fixtures.h"
#include "render/tracer/picture.h"

namespace dollop::test {

// a ball of triangles
inline SurfaceMesh ball_mesh(const Vec3<float>& center, float radius,
                             const Vec3<float>& velocity = {0, 0, 0}) {
  constexpr int n = 48;
  SurfaceMesh mesh;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= 2 * n; ++j) {
      const float theta = pi * float(i) / n, phi = pi * float(j) / n;
      const Vec3<float> d{std::sin(theta) * std::cos(phi), std::cos(theta), -std::sin(theta) * std::sin(phi)};
      mesh.positions.push_back(center + radius * d);
      mesh.normals.push_back(d);
      mesh.velocities.push_back(velocity);
      mesh.material.push_back(0);
    }
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = 0; j < 2 * n; ++j) {
      const std::uint32_t a = i * (2 * n + 1) + j, b = a + 2 * n + 1;
      mesh.triangles.push_back({a, b, b + 1});
      mesh.triangles.push_back({a, b + 1, a + 1});
    }
  return mesh;
}

inline Scene scene_with_look(const std::string& look) {
  Scene scene = scene_of("herschel-bulkley");
  scene.materials[0].look = look;
  return scene;
}

inline TracerOptions with_samples(int samples, bool denoise = false) {
  TracerOptions options;
  options.samples = samples;
  options.denoise = denoise;
  return options;
}

// mean of the pixels of a rectangle
inline Vec3<float> mean_of(const Image& image, int left, int top, int width, int height) {
  Vec3<float> sum{0, 0, 0};
  for (int y = top; y < top + height; ++y)
    for (int x = left; x < left + width; ++x) sum = sum + image.at(x, y);
  return (1 / float(width * height)) * sum;
}

// a view of a ball of radius 0.3 on the ground, from the front and a little above
inline PreviewView table_view(int width = 96, int height = 54) {
  PreviewView view;
  view.width = width;
  view.height = height;
  view.size = 1.2f;
  view.camera = look_at({0.4f, 1.0f, 2.4f}, {0.1f, 0.25f, 0}, 0.5f, float(width) / float(height));
  return view;
}

}  // namespace dollop::test
