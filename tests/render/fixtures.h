// Scenes and particles for tests of pictures.
#pragma once

#include <dollop/scene.h>
#include <dollop/simulation.h>

#include <cmath>

#include "render/splat.h"

namespace dollop::test {

inline Scene scene_of(const std::string& model) {
  Scene scene;
  scene.materials = {{"stuff", model, {}}};
  return scene;
}

inline void add_particle(ParticleFrame& frame, const Vec3<float>& x, float volume) {
  if (frame.attributes.empty()) frame.attributes.push_back({"volume", 1, {}});
  frame.id.push_back(frame.id.size());
  frame.position.insert(frame.position.end(), {x.x, x.y, x.z});
  frame.material.push_back(0);
  frame.attributes[0].values.push_back(volume);
}

// a ball filled with a lattice that is symmetric about its centre
inline void add_ball(ParticleFrame& frame, const Vec3<float>& center, float radius, int across) {
  const float spacing = 2 * radius / float(across);
  for (int i = 0; i < across; ++i)
    for (int j = 0; j < across; ++j)
      for (int k = 0; k < across; ++k) {
        const Vec3<float> r = spacing * Vec3<float>{float(i) + 0.5f, float(j) + 0.5f, float(k) + 0.5f} -
                              Vec3<float>{radius, radius, radius};
        if (norm(r) < radius) add_particle(frame, center + r, spacing * spacing * spacing);
      }
}

// a view along -z from z = 4; the picture spans 4 m by 2 m at the origin
inline PreviewView front_view(int width = 128, int height = 64) {
  PreviewView view;
  view.width = width;
  view.height = height;
  view.size = 2;
  view.camera = look_at({0, 0, 4}, {0, 0, 0}, 2 * std::atan(0.25f), float(width) / float(height));
  return view;
}

// the pixels that differ from those of another picture
struct Difference {
  int count = 0;
  double x = 0, y = 0;  // mean of their centres
};

inline Difference compare(const Image& a, const Image& b) {
  Difference d;
  for (int y = 0; y < a.height; ++y)
    for (int x = 0; x < a.width; ++x) {
      const Vec3<float> e = a.at(x, y) - b.at(x, y);
      if (norm(e) < 0.02f) continue;
      ++d.count;
      d.x += x + 0.5;
      d.y += y + 0.5;
    }
  d.x /= d.count;
  d.y /= d.count;
  return d;
}

}  // namespace dollop::test
