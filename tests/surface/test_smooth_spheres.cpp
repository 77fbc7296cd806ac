#include "surface/smooth_spheres.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "particles/block_space.h"

namespace dollop {
namespace {

SurfacePoints scattered(std::size_t count, double width, double spacing) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> coordinate(-float(width) / 2, float(width) / 2);
  SurfacePoints points;
  points.spacing = spacing;
  for (std::size_t p = 0; p < count; ++p) {
    points.x.push_back({coordinate(random), coordinate(random), coordinate(random)});
    points.volume.push_back(float(spacing * spacing * spacing));
  }
  return points;
}

// the definition, in double precision and over all particles
double distance_at(const Vec3<double>& x, const SurfacePoints& points, const std::vector<float>& radii) {
  double weights = 0, radius = 0;
  Vec3<double> mean{0, 0, 0};
  for (std::size_t p = 0; p < points.size(); ++p) {
    const Vec3<double> at{points.x[p].x, points.x[p].y, points.x[p].z};
    const double s = norm(at - x) / (2 * points.spacing), w = std::pow(std::max(0.0, 1 - s * s), 3);
    weights += w, radius += w * radii[p], mean = mean + w * at;
  }
  return weights > 0 ? norm((1 / weights) * mean - x) - radius / weights : INFINITY;
}

TEST(SmoothSpheres, distance_is_that_to_the_mean_of_the_particles_around) {
  const double spacing = 0.01;
  for (const double voxel : {0.4 * spacing, 0.55 * spacing, 1.3 * spacing}) {
    const SurfacePoints points = scattered(300, 0.08, spacing);
    std::vector<float> radii;
    for (std::size_t p = 0; p < points.size(); ++p)
      radii.push_back(float(spacing * (0.5 + 0.001 * double(p))));
    const DistanceField field = distance_to_spheres(points, radii, voxel);
    const double band = level_set_band * voxel;
    std::size_t inside = 0;
    for (std::size_t slot = 0; slot < field.blocks.size(); ++slot) {
      const BlockCoord block = coord_of(field.blocks.keys[slot]);
      for (int node = 0; node < voxels_in_block; node += 7) {
        const Vec3<double> x{voxel * (8 * block[0] + node / 64), voxel * (8 * block[1] + node / 8 % 8),
                             voxel * (8 * block[2] + node % 8)};
        const double expected = std::clamp(distance_at(x, points, radii), -band, band);
        const float found = field.distance[slot * voxels_in_block + std::size_t(node)];
        // where only a particle at the edge of the search counts, rounding decides whether it does
        if (expected < 0.99 * band) {
          ASSERT_NEAR(found, expected, 1e-4 * voxel) << "node " << node;
        }
        inside += found < 0;
      }
    }
    EXPECT_GT(inside, 20u);
  }
}

TEST(SmoothSpheres, a_node_without_particles_around_is_outside) {
  SurfacePoints one = scattered(1, 0, 0.01);
  const DistanceField field = distance_to_spheres(one, {0.005f}, 0.005);
  // the particle is at the origin, which is a node
  const std::int32_t slot = field.blocks.find(key_of({0, 0, 0}));
  ASSERT_GE(slot, 0);
  const float* nodes = &field.distance[std::size_t(slot) * voxels_in_block];
  EXPECT_NEAR(nodes[0], -0.005, 1e-8);
  EXPECT_NEAR(nodes[2], 0.005, 1e-8);
  EXPECT_EQ(nodes[4], level_set_band * 0.005f);
  EXPECT_EQ(nodes[7], level_set_band * 0.005f);
}

}  // namespace
}  // namespace dollop
