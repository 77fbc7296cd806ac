// Seeding skips whole bricks of points, and estimates volumes by boxes: both against brute force.
#include "particles/seeding_bricks.h"

#include <dollop/scene.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <string>

#include "particles/lattice_seeds.h"
#include "particles/seeding.h"

namespace dollop {
namespace {

constexpr double pi = std::numbers::pi;

BlockSpace make_space(double cell_size) {
  BlockSpace space;
  space.cell_size = cell_size;
  space.origin = {0.013, -0.02, 0.4};
  return space;
}

struct Named {
  const char* name;
  Shape shape;
};

// all forms, some thin, some hollow, some placed
std::vector<Named> shapes() {
  const Rotation turned = rotation_of_angles({0.3, -0.5, 0.8});
  std::vector<Named> all{
      {"box", Box{{0.1, 0.2, 0.3}, {1.1, 0.7, 0.9}}},
      {"rounded box", Box{{0.1, 0.2, 0.3}, {1.1, 0.7, 0.9}, 0.2}},
      {"sphere", Sphere{{-0.1, 0, 0.2}, 0.6}},
      {"cylinder", Cylinder{{0, 0.1, 0}, {1, 2, 3}, 0.4, 1.3}},
      {"capsule", Capsule{{0.5, -0.5, 0}, {-0.4, 0.6, 0.3}, 0.25}},
      {"ellipsoid", Ellipsoid{{0, 0.1, 0}, {0.9, 0.3, 0.5}}},
      {"cone", Cone{{0, -0.5, 0}, {0.2, 1, 0}, 0.6, 1.1, 0.1}},
      {"torus", Torus{{0, 0, 0}, {0, 1, 1}, 0.6, 0.2}},
      {"disc", Disc{{0, 0, 0}, {1, 1, 0}, 0.9, 0.15}},
  };
  const Shape ball = Sphere{{0, 0, 0}, 0.6};
  all.push_back({"union", Union{{ball, Box{{0.7, 0, 0}, {0.5, 0.5, 0.5}}, Sphere{{-3, 0, 0}, 0.3}}}});
  all.push_back({"intersect", Intersect{{ball, Plane{{0, 0.1, 0}, {1, 1, 0}}, Box{{0.2, 0, 0}, {1, 1, 1}}}}});
  all.push_back({"shell", Minus{{ball, Sphere{{0, 0, 0}, 0.5}, Box{{0.6, 0, 0}, {0.4, 0.4, 0.4}}}}});
  all.push_back({"placed", place(all[0].shape, turned, {0.2, 0.1, -0.3}, 0.8)});
  all.push_back(
      {"stretched", Placed{std::make_shared<const Shape>(ball), turned, {0.1, 0, 0}, {1.5, 0.4, 1}}});
  return all;
}

// the lattice points of a wide surrounding, one by one
std::vector<Double3> brute_force(const Shape& shape, const BlockSpace& space, double spacing) {
  const Bounds box = bounds(shape);
  std::array<std::int64_t, 3> low, high;
  for (std::size_t d = 0; d < 3; ++d) {
    low[d] = std::int64_t(std::floor((box.min[d] - space.origin[d]) / spacing)) - 2;
    high[d] = std::int64_t(std::ceil((box.max[d] - space.origin[d]) / spacing)) + 2;
  }
  std::vector<Double3> points;
  for (auto i = low[0]; i < high[0]; ++i)
    for (auto j = low[1]; j < high[1]; ++j)
      for (auto k = low[2]; k < high[2]; ++k) {
        const Double3 x{space.origin[0] + spacing * (double(i) + 0.5),
                        space.origin[1] + spacing * (double(j) + 0.5),
                        space.origin[2] + spacing * (double(k) + 0.5)};
        if (signed_distance(shape, x) < 0) points.push_back(x);
      }
  return points;
}

TEST(seeding_bricks, skipping_changes_nothing) {
  const BlockSpace space = make_space(0.11);
  for (const auto& [name, shape] : shapes()) {
    const Seeds seeds = seed_lattice(shape, space, 8);
    EXPECT_GT(seeds.places.size(), 100u) << name;
    EXPECT_EQ(seeds.places, brute_force(shape, space, 0.055)) << name;
  }
}

// coarse voxels: distances are wrong by much of a voxel near the edges
TEST(seeding_bricks, skipping_changes_nothing_for_meshes) {
  const auto file = std::filesystem::temp_directory_path() / ("seeding_" + std::to_string(getpid()) + ".obj");
  std::ofstream(file) << "v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\n"
                         "f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";
  for (const double voxel : {0.05, 0.3}) {
    const Shape mesh = load_mesh(file.string(), voxel);
    const Seeds seeds = seed_lattice(mesh, make_space(0.1), 8);
    EXPECT_EQ(seeds.places, brute_force(mesh, make_space(0.1), 0.05));
    EXPECT_NEAR(double(seeds.places.size()) * seeds.volume, 4.0 / 3, voxel < 0.1 ? 0.05 : 0.3);
  }
  std::filesystem::remove(file);
}

TEST(seeding_bricks, bricks_are_in_order_and_few_evaluations_decide) {
  const Shape ball = Sphere{{0, 0, 0}, 10};
  const SeedRegion region(ball, BlockSpace{});
  const BrickLattice lattice{{0, 0, 0}, {1, 1, 1}, {-10, -10, -10}, {10, 10, 10}};
  const std::vector<Brick> bricks = find_bricks(region, lattice);
  std::size_t inside = 0;
  for (std::size_t b = 0; b < bricks.size(); ++b) {
    EXPECT_TRUE(b == 0 || bricks[b - 1].at < bricks[b].at) << b;
    inside += bricks[b].inside;
  }
  // all of the ball is covered; bricks 0.87 or more below the surface are known to be inside
  EXPECT_GE(double(bricks.size()), 4.0 / 3 * pi * 1000);
  EXPECT_LE(double(bricks.size()), 4.0 / 3 * pi * 1000 * std::pow(1.2, 3));
  EXPECT_GE(double(inside), 4.0 / 3 * pi * 1000 * std::pow(0.8, 3));
  const auto slabs = slabs_of(bricks);
  ASSERT_EQ(slabs.size(), 20u);
  EXPECT_EQ(slabs.front().begin, 0u);
  EXPECT_EQ(slabs.back().end, bricks.size());
}

TEST(seeding_bricks, measured_volume_is_close) {
  // a body made of one part has no closed form but a known volume
  for (const auto& [name, shape] : shapes()) {
    const auto exact = volume(shape);
    if (!exact) continue;
    const Shape wrapped = Union{{shape}};
    const double slack = std::string(name) == "stretched" ? 2 : 1;  // its phi is less than the distance
    ASSERT_FALSE(volume(wrapped));
    EXPECT_NEAR(SeedRegion(wrapped, BlockSpace{}).volume(0), *exact, slack * 2e-3 * *exact) << name;
    EXPECT_NEAR(SeedRegion(wrapped, BlockSpace{}).volume(0, 1 << 16), *exact, slack * 5e-4 * *exact) << name;
    EXPECT_DOUBLE_EQ(SeedRegion(shape, BlockSpace{}).volume(0), *exact) << name;
  }
  // faces that members share, inside and at the surface, and members that lie in others
  const auto slices = [](int count, double overlap) {
    Union set;
    for (int k = 0; k < count; ++k)
      set.shapes.push_back(Box{{(k + 0.5) / count, 0.5, 0.5}, {1.0 / count + overlap, 1, 1}});
    return set;
  };
  Placed turned{.shape = std::make_shared<const Shape>(slices(10, 0)), .translation = {3, 0, 0}};
  Union twice = slices(2, 0.2);
  twice.shapes.push_back(Box{{0.5, 0.75, 0.5}, {0.5, 0.5, 1}});
  twice.shapes.push_back(twice.shapes[0]);
  EXPECT_NEAR(SeedRegion(slices(10, 0), BlockSpace{}).volume(0), 1, 2e-3);
  EXPECT_NEAR(SeedRegion(turned, BlockSpace{}).volume(0), 1, 2e-3);
  EXPECT_NEAR(SeedRegion(twice, BlockSpace{}).volume(0), 1.2, 2e-3);
  EXPECT_NEAR(SeedRegion(Union{{turned, slices(3, 0)}}, BlockSpace{}).volume(0), 2, 4e-3);
  const Shape shell = Minus{{Sphere{{0, 0, 0}, 1}, Sphere{{0, 0, 0}, 0.95}}};
  const double exact = 4 * pi / 3 * (1 - std::pow(0.95, 3));
  EXPECT_NEAR(SeedRegion(shell, BlockSpace{}).volume(0), exact, 0.01 * exact);
}

TEST(seeding_bricks, estimates_are_near_the_count) {  // whole rows of a lattice that does not fit
  const BlockSpace space = make_space(0.11);
  for (const auto& [name, shape] : shapes()) {
    const double count = double(seed_lattice(shape, space, 8).places.size());
    EXPECT_NEAR(estimate_count(shape, space, 8), count, 0.1 * count) << name;
  }
}

TEST(seeding_bricks, absurd_sizes_are_estimated_and_refused) {
  BlockSpace space;
  space.cell_size = 1e-6;
  const Shape huge = Box{{0, 0, 0}, {1e6, 1e6, 1e6}};
  EXPECT_NEAR(estimate_count(huge, space, 8), 8e36, 1e30);
  EXPECT_NEAR(estimate_count(Union{{huge}}, space, 8), 8e36, 1e35);
  EXPECT_THROW(seed_lattice(huge, space, 8), SceneError);
  EXPECT_THROW(seed(Union{{huge}}, space, 8, Seeding::poisson, 1, 1), SceneError);
  EXPECT_THROW(seed_lattice(Sphere{{1e6, 0, 0}, 1e-5}, space, 8), SceneError);  // few, but too far away
  space.cell_size = 1e-300;
  EXPECT_EQ(estimate_count(huge, space, 8), std::numeric_limits<double>::infinity());
  EXPECT_THROW(seed_lattice(huge, space, 8), SceneError);
  EXPECT_EQ(estimate_count(Plane{}, space, 8), std::numeric_limits<double>::infinity());
  EXPECT_THROW(seed_lattice(Plane{}, space, 8), SceneError);
  EXPECT_EQ(estimate_count(Union{}, space, 8), 0);
  EXPECT_TRUE(seed_lattice(Union{}, space, 8).places.empty());
}

std::string refusal_of(const Shape& shape, const BlockSpace& space, std::uint64_t body) {
  try {
    seed(shape, space, 8, Seeding::lattice, 0, body);
  } catch (const SceneError& error) {
    return error.where;
  }
  return "";
}

// an error names the body, and what is let through has a place among the blocks
TEST(seeding_bricks, what_is_refused_names_the_body) {
  BlockSpace space = make_space(0.01);
  EXPECT_EQ(refusal_of(Sphere{{1e12, 0, 0}, 0.1}, space, 0), "bodies[0].shape");
  EXPECT_EQ(refusal_of(Box{{0, 0, 0}, {1e6, 1e6, 1e6}}, space, 2), "bodies[2].shape");
  EXPECT_EQ(refusal_of(Plane{}, space, 3), "bodies[3].shape");
  const double reach = 0.01 * 4 * block_limit;  // [m]
  for (const int period : {0, 4})
    for (std::size_t d = 0; d < 3; ++d)
      for (const double side : {-1.0, 1.0}) {
        space.period = {0, 0, 0};
        space.period[d] = period;
        Double3 center = space.origin;
        center[d] += side * reach;
        EXPECT_EQ(refusal_of(Sphere{center, 0.015}, space, 7), "bodies[7].shape");
        center[d] -= side * 0.1;  // ten cells
        EXPECT_EQ(refusal_of(Sphere{center, 0.015}, space, 7), "");
      }
}

// a long thin body: the box about it has 5 10^11 lattice points
TEST(seeding_bricks, emptiness_costs_little) {
  BlockSpace space;
  space.cell_size = 1;
  const Shape needle = Capsule{{0, 0, 0}, {1e4, 8.3e3, 6.1e3}, 1};
  const double exact = *volume(needle);
  EXPECT_NEAR(double(seed_lattice(needle, space, 1).places.size()), exact, 0.05 * exact);
}

}  // namespace
}  // namespace dollop
