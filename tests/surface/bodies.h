// Particles of simple bodies, and checks of meshes.
#pragma once

#include <dollop/simulation.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "surface/surface.h"

namespace dollop {

struct Lattice {
  double spacing = 0.05;  // [m]
  double jitter = 0;      // largest random displacement along each axis [spacing]
  Double3 shift{0, 0, 0};
};

inline void add_particle(ParticleFrame& frame, const Double3& x, double volume, std::int32_t material = 0) {
  if (frame.attributes.empty()) frame.attributes = {{"volume", 1, {}}, {"velocity", 3, {}}};
  for (const double a : x) frame.position.push_back(float(a));
  frame.id.push_back(frame.id.size());
  frame.material.push_back(material);
  frame.attributes[0].values.push_back(float(volume));
  for (const double v : {-x[2], 0.5, x[0]}) frame.attributes[1].values.push_back(float(v));
}

// The particles of a lattice in a box around the origin for which `inside` holds.
inline ParticleFrame lattice(const Lattice& seeds, double half,
                             const std::function<bool(const Double3&)>& inside) {
  ParticleFrame frame;
  frame.attributes = {{"volume", 1, {}}, {"velocity", 3, {}}};
  const double h = seeds.spacing;
  const int n = int(std::ceil(half / h));
  std::uint64_t state = 1;
  const auto random = [&] {  // in [-1, 1)
    state = state * 6364136223846793005u + 1442695040888963407u;
    return double(state >> 11) / double(1ull << 52) - 1;
  };
  for (int i = -n; i < n; ++i)
    for (int j = -n; j < n; ++j)
      for (int k = -n; k < n; ++k) {
        Double3 x{h * (i + 0.5), h * (j + 0.5), h * (k + 0.5)};
        if (!inside(x)) continue;
        for (std::size_t a = 0; a < 3; ++a) x[a] += seeds.jitter * h * random() + seeds.shift[a];
        add_particle(frame, x, h * h * h);
      }
  return frame;
}

inline ParticleFrame ball(const Lattice& seeds, double radius = 0.5) {
  return lattice(seeds, radius,
                 [&](const Double3& x) { return x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < radius * radius; });
}
inline ParticleFrame box(const Lattice& seeds, const Double3& half) {
  return lattice(seeds, std::max({half[0], half[1], half[2]}), [&](const Double3& x) {
    return std::abs(x[0]) < half[0] && std::abs(x[1]) < half[1] && std::abs(x[2]) < half[2];
  });
}
// `layers` particles thick along two axes
inline ParticleFrame thread(const Lattice& seeds, int layers, double half = 0.5) {
  const double end = layers * seeds.spacing;
  return lattice(seeds, half,
                 [&](const Double3& x) { return x[1] > 0 && x[1] < end && x[2] > 0 && x[2] < end; });
}
// `layers` particles thick along one axis
inline ParticleFrame sheet(const Lattice& seeds, int layers, double half = 0.5) {
  const double end = layers * seeds.spacing;
  return lattice(seeds, half, [&](const Double3& x) { return x[1] > 0 && x[1] < end; });
}

inline double total_volume(const ParticleFrame& frame) {
  double sum = 0;
  for (const float v : frame.attributes.at(0).values) sum += v;
  return sum;
}

// Every edge belongs to two triangles, which run along it in opposite directions.
inline void expect_closed(const SurfaceMesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
  for (const auto& t : mesh.triangles)
    for (std::size_t c = 0; c < 3; ++c) {
      ASSERT_LT(t[c], mesh.positions.size());
      ++edges[{t[c], t[(c + 1) % 3]}];
    }
  int wrong = 0;
  for (const auto& [edge, count] : edges) wrong += count != 1 || !edges.count({edge.second, edge.first});
  EXPECT_EQ(wrong, 0) << "of " << edges.size() << " edges";
}

// The number of connected components.
inline int count_pieces(const SurfaceMesh& mesh) {
  std::vector<std::uint32_t> root(mesh.positions.size());
  for (std::uint32_t v = 0; v < root.size(); ++v) root[v] = v;
  const auto find = [&](std::uint32_t v) {
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
  };
  for (const auto& t : mesh.triangles) {
    root[find(t[1])] = find(t[0]);
    root[find(t[2])] = find(t[0]);
  }
  int pieces = 0;
  for (std::uint32_t v = 0; v < root.size(); ++v) pieces += root[v] == v;
  return pieces;
}

inline constexpr SurfaceMethod all_methods[]{SurfaceMethod::fast, SurfaceMethod::smooth,
                                             SurfaceMethod::sharp};
inline const char* name_of(SurfaceMethod method) {
  return method == SurfaceMethod::fast ? "fast" : method == SurfaceMethod::smooth ? "smooth" : "sharp";
}

}  // namespace dollop
