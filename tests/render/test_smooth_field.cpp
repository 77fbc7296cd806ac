#include "render/smooth_field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "render/occlusion.h"

namespace dollop {
namespace {

// a cube of a regular lattice from -1 to 1, its left half red and its right half blue
std::vector<FieldPoint> cube(int across) {
  std::vector<FieldPoint> points;
  const float s = 2 / float(across);
  for (int i = 0; i < across; ++i)
    for (int j = 0; j < across; ++j)
      for (int k = 0; k < across; ++k) {
        const Vec3<float> x{s * (float(i) + 0.5f) - 1, s * (float(j) + 0.5f) - 1, s * (float(k) + 0.5f) - 1};
        points.push_back({x, s * s * s, x.x < 0 ? Vec3<float>{1, 0, 0} : Vec3<float>{0, 0, 1}});
      }
  return points;
}

TEST(smooth_field, is_one_within_half_on_the_surface_and_zero_outside) {
  const SmoothField field = make_smooth_field(cube(20), 0.1f);
  EXPECT_NEAR(occupancy_at(field, {0.013f, 0.021f, -0.04f}), 1, 1e-3);
  EXPECT_NEAR(occupancy_at(field, {1, 0.02f, 0.03f}), 0.5, 0.05);
  EXPECT_NEAR(occupancy_at(field, {0.02f, -1, 0.03f}), 0.5, 0.05);
  EXPECT_EQ(occupancy_at(field, {1.5f, 0, 0}), 0);
  EXPECT_EQ(occupancy_at(field, {100, 0, 0}), 0);
  EXPECT_EQ(occupancy_at(field, {-100, 0, 0}), 0);
}

TEST(smooth_field, normals_point_out) {
  const SmoothField field = make_smooth_field(cube(20), 0.1f);
  EXPECT_GT(outward_normal(field, {1, 0.1f, 0.1f}).x, 0.999f);
  EXPECT_LT(outward_normal(field, {0.1f, -1, 0.1f}).y, -0.999f);
}

TEST(smooth_field, holds_all_volume) {
  const SmoothField field = make_smooth_field(cube(12), 0.16f);
  // sum over the nodes of each block that are not repeated from the next
  double sum = 0;
  for (const std::int32_t slot : field.slot)
    for (int node = 0; slot >= 0 && node < SmoothField::nodes; ++node) {
      const int i = node / 81, j = node / 9 % 9, k = node % 9;
      if (i < 8 && j < 8 && k < 8)
        sum += field.occupancy[std::size_t(slot) * SmoothField::nodes + std::size_t(node)];
    }
  EXPECT_NEAR(sum * std::pow(double(field.voxel), 3), 8, 1e-4);
}

TEST(smooth_field, is_continuous_across_blocks) {
  const SmoothField field = make_smooth_field(cube(20), 0.1f);
  for (int i = 0; i < 2000; ++i) {
    const float x = -1.6f + 3.2f * float(i) / 2000;
    const float a = occupancy_at(field, {x, 0.33f * x, 0.71f * x});
    const float b = occupancy_at(field, {x + 0.0016f, 0.33f * (x + 0.0016f), 0.71f * (x + 0.0016f)});
    EXPECT_LT(std::abs(a - b), 0.02f) << x;
  }
}

TEST(smooth_field, with_a_gain_stretched_material_is_whole_and_crowded_material_does_not_swell) {
  for (const float share : {0.3f, 1.0f, 6.0f}) {
    std::vector<FieldPoint> points = cube(20);
    for (FieldPoint& p : points) p.volume *= share;
    const SmoothField field = make_smooth_field(points, 0.125f, 4);
    EXPECT_GT(occupancy_at(field, {0.01f, 0.02f, 0.03f}), 0.7f) << share;
    EXPECT_LE(occupancy_at(field, {0.01f, 0.02f, 0.03f}), 1.0f) << share;
    EXPECT_LT(occupancy_at(field, {1.15f, 0.02f, 0.03f}), 0.5f) << share;
    EXPECT_NEAR(albedo_at(field, {0, 0.05f, 0.05f}).x, 0.5, 0.05) << share;
  }
}

TEST(smooth_field, surface_cells_hold_every_point_of_the_surface) {
  const float level = 0.5f;
  const SmoothField field = make_smooth_field(cube(20), 0.125f, 4);
  const std::vector<Vec3<float>> cells = surface_cells(field, level);
  // along lines in many directions the field passes the level within one of the cells
  for (int line = 0; line < 200; ++line) {
    const float turn = 2.39996f * float(line), height = (float(line) + 0.5f) / 100 - 1;
    const float wide = std::sqrt(1 - height * height);
    const Vec3<float> out{wide * std::cos(turn), height, wide * std::sin(turn)};
    float t = 0;
    while (occupancy_at(field, t * out) >= level) t += 1e-3f;
    const Vec3<float> x = t * out;
    const bool held = std::any_of(cells.begin(), cells.end(), [&](const Vec3<float>& c) {
      const Vec3<float> d = x - c;
      const float off = std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});
      return off < 0.5f * field.voxel + 2e-3f;
    });
    EXPECT_TRUE(held) << line;
  }
  // and there are only as many as a surface has: 6 faces of 2 by 2, each cell at most three deep
  EXPECT_LT(float(cells.size()), 3 * 6 * 2.4f * 2.4f / (field.voxel * field.voxel));
  EXPECT_TRUE(surface_cells(SmoothField{}, level).empty());
}

TEST(smooth_field, mixes_colours_where_materials_meet) {
  const SmoothField field = make_smooth_field(cube(20), 0.1f);
  EXPECT_NEAR(albedo_at(field, {-0.6f, 0, 0}).x, 1, 1e-5);
  EXPECT_NEAR(albedo_at(field, {0.6f, 0, 0}).z, 1, 1e-5);
  EXPECT_NEAR(albedo_at(field, {0, 0.05f, 0.05f}).x, 0.5, 0.05);
}

TEST(smooth_field, stays_small_with_a_particle_far_away) {
  std::vector<FieldPoint> points = cube(8);
  points.push_back({{3e6f, 1e6f, -2e6f}, 1e-3f, {1, 1, 1}});
  const SmoothField field = make_smooth_field(points, 0.25f);
  EXPECT_LE(field.slot.size(), std::size_t(1) << 23);
  EXPECT_GT(field.voxel, 0.25f);
}

TEST(smooth_field, of_nothing_is_empty) {
  const SmoothField field = make_smooth_field({}, 0.1f);
  EXPECT_TRUE(field.empty());
  EXPECT_EQ(occupancy_at(field, {0, 0, 0}), 0);
}

TEST(occlusion, light_is_blocked_by_the_mass_and_free_elsewhere) {
  const SmoothField field = make_smooth_field(cube(20), 0.1f);
  const OcclusionVolume volume = make_occlusion_volume({&field});
  EXPECT_LT(cone_visibility(volume, {{0, -3, 0}, {0, 1, 0}, 0.05f, 0, 100}), 0.02f);
  EXPECT_EQ(cone_visibility(volume, {{0, -3, 0}, {0, -1, 0}, 0.05f, 0, 100}), 1);
  EXPECT_EQ(cone_visibility(volume, {{4, -3, 0}, {0, 1, 0}, 0.05f, 0, 100}), 1);
  EXPECT_EQ(cone_visibility(volume, {{0, -3, 0}, {0, 1, 0}, 0.05f, 0, 1}), 1);  // it ends before the mass
}

TEST(occlusion, sky_closes_near_the_mass) {
  const SmoothField field = make_smooth_field(cube(20), 0.1f);
  const OcclusionVolume volume = make_occlusion_volume({&field});
  const Vec3<float> up{0, 1, 0};
  EXPECT_GT(sky_visibility(volume, {0, 1.1f, 0}, up, 5), 0.9f);   // on top
  EXPECT_LT(sky_visibility(volume, {0, -1.5f, 0}, up, 5), 0.4f);  // below
  const float near = sky_visibility(volume, {1.2f, -1, 0}, up, 5),
              far = sky_visibility(volume, {3, -1, 0}, up, 5);
  EXPECT_LT(near, far);
  EXPECT_EQ(sky_visibility(OcclusionVolume{}, {0, 0, 0}, up, 5), 1);
}

}  // namespace
}  // namespace dollop
