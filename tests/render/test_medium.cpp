// Materials that are drawn as participating media.
#include "render/tracer/medium.h"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <cmath>
#include <limits>

#include "render/tracer_fixtures.h"

namespace dollop {
namespace {

using namespace test;

// a lattice of particles in a ball, as the only material of a scene
struct Ball {
  Scene scene = scene_with_look("density");
  ParticleFrame frame;

  explicit Ball(const Vec3<float>& center = {0, 0, 0}, int across = 24) {
    add_ball(frame, center, 0.4f, across);
  }
  Medium medium(double optical_depth) const {
    return {collect_points(frame, {}), frame.id, optical_depth, {0.8f, 0.8f, 0.8f}};
  }
};

float passed(const Medium& medium, const Vec3<float>& origin, const Vec3<float>& direction) {
  return medium.follow({origin, direction}, std::numeric_limits<float>::infinity()).depth;
}

TEST(medium, is_where_the_particles_are_and_has_pores) {
  const Medium medium = Ball().medium(1);
  const float inside = 0.4f - 0.05f;
  int solid = 0, empty = 0, points = 0;
  for (float x = -inside; x < inside; x += 0.02f)
    for (float y = -inside; y < inside; y += 0.02f)
      for (float z = -inside; z < inside; z += 0.02f) {
        if (std::hypot(x, y, z) > inside) continue;
        const float density = medium.density_at({x, y, z});
        EXPECT_LE(density, 1);
        EXPECT_GE(density, 0);
        ++points, solid += density > 0.9f, empty += density < 0.1f;
      }
  EXPECT_GT(solid, 0.2 * points);
  EXPECT_GT(empty, 0.1 * points);
  for (const float outside : {0.48f, 1.0f, 100.0f})
    for (int a = 0; a < 3; ++a) {
      Vec3<float> x{0, 0, 0};
      x[a] = outside;
      EXPECT_EQ(medium.density_at(x), 0);
      x[a] = -outside;
      EXPECT_EQ(medium.density_at(x), 0);
    }
}

TEST(medium, optical_depths_are_integrals_of_the_density) {
  const Medium medium = Ball().medium(1.5);
  const float spacing = 0.8f / 24;
  for (const Vec3<float>& from : {Vec3<float>{-2, 0.11f, 0.07f}, Vec3<float>{-0.1f, -0.05f, 0.2f}}) {
    const Vec3<float> direction = unit({2, -0.3f, 0.1f});
    double sum = 0;
    const float step = 1e-4f;
    for (float t = 0.5f * step; t < 4; t += step) sum += step * medium.density_at(from + t * direction);
    const double expected = 1.5 / spacing * sum;
    EXPECT_GT(expected, 5);
    EXPECT_NEAR(passed(medium, from, direction), expected, 0.03 * expected);
    EXPECT_NEAR(passed(medium, from, 3.0f * direction), expected, 0.03 * expected);  // of any length
  }
  EXPECT_EQ(passed(medium, {-2, 0.6f, 0}, {1, 0, 0}), 0);
  EXPECT_EQ(passed(medium, {-2, 0, 0}, {-1, 0, 0}), 0);
  EXPECT_EQ(passed(medium, {-2, 0, 0}, {0, 0, 1}), 0);
}

TEST(medium, rays_stop_at_the_depth_that_was_asked_for) {
  const Medium medium = Ball().medium(1);
  const Vec3<float> origin{-2, 0.03f, -0.02f}, direction{1, 0.01f, 0};
  float before = 0;
  for (const float depth : {0.0f, 0.1f, 1.0f, 3.0f, 7.0f}) {
    const Medium::Passage passage = medium.follow({origin, direction}, depth);
    ASSERT_TRUE(passage.stopped) << depth;
    EXPECT_GE(passage.t, before);
    before = passage.t;
    const Medium::Passage up_to =
        medium.follow({origin, direction, 0, passage.t}, std::numeric_limits<float>::infinity());
    EXPECT_NEAR(up_to.depth, depth, 0.03f * depth + 0.02f);
    EXPECT_GT(medium.density_at(origin + (passage.t + 1e-3f) * direction), 0);
  }
  EXPECT_FALSE(medium.follow({origin, direction, 0, 1.5f}, 0).stopped);
}

TEST(medium, pores_move_with_the_material) {
  const Vec3<float> far{3, -40, 7};
  const Medium here = Ball().medium(1), there = Ball(far).medium(1);
  double apart = 0, sum = 0;
  for (float x = -0.4f; x < 0.4f; x += 0.013f)
    for (float y = -0.4f; y < 0.4f; y += 0.013f) {
      const float a = here.density_at({x, y, 0.02f}), b = there.density_at(far + Vec3<float>{x, y, 0.02f});
      apart += std::abs(a - b), sum += a;
    }
  EXPECT_LT(apart, 0.1 * sum);  // the nodes lie elsewhere
}

Image picture_of(const Ball& ball, const TracerOptions& options, const PreviewView& view) {
  return trace_picture({ball.scene, view, ball.frame, SurfaceMesh{}}, options);
}

// light that a white sponge scatters is not lost, but for what stays too deep inside
TEST(medium, a_white_one_nearly_vanishes_in_a_uniform_sky) {
  Ball ball;
  ball.scene.materials[0].color = {1, 1, 1};
  TracerOptions options = with_samples(64);
  options.uniform_sky = {0.8f, 0.6f, 0.4f};
  const Vec3<float> middle = mean_of(picture_of(ball, options, front_view(64, 32)), 28, 12, 8, 8);
  for (int c = 0; c < 3; ++c) {
    EXPECT_LT(middle[c], 1.01f * (*options.uniform_sky)[c]);
    EXPECT_GT(middle[c], 0.75f * (*options.uniform_sky)[c]);
  }
}

TEST(medium, optical_depth_decides_how_much_is_seen_through_it) {
  Ball ball;
  TracerOptions options = with_samples(16);
  ball.scene.materials[0].color = {0, 0, 0};  // what it does not let through is gone
  options.uniform_sky = {1, 1, 1};
  std::array<float, 3> seen{};
  const double depths[] = {1e-4, 0.1, 2};
  for (std::size_t k = 0; k < 3; ++k) {
    ball.scene.materials[0].optical_depth = depths[k];
    seen[k] = mean_of(picture_of(ball, options, front_view(64, 32)), 30, 14, 4, 4).x;
  }
  EXPECT_GT(seen[0], 0.95f);
  EXPECT_NEAR(seen[1], std::exp(-0.1f * 24 * 0.5f), 0.15f);  // 24 spacings, half of them pores
  EXPECT_LT(seen[2], 0.01f);
}

TEST(medium, casts_a_shadow) {
  Ball ball({0, 0.4f, 0});
  ball.scene.colliders = {{.name = "ground", .shape = Plane{}}};
  const PreviewView view = table_view();
  const Image with = picture_of(ball, with_samples(16), view);
  ball.frame = {};
  const Image without = picture_of(ball, with_samples(16), view);
  const Lights lights = studio_lights(view.camera, view.size);
  const Vec3<float> away = (-0.4f / lights.to_lamp.y) * Vec3<float>{lights.to_lamp.x, 0, lights.to_lamp.z};
  const auto change = [&](const Vec3<float>& x) {
    const Projected p = project(view.camera, x);
    const int i = int((p.u + 1) / 2 * float(view.width)), j = int((1 - p.v) / 2 * float(view.height));
    return luminance(mean_of(with, i - 1, j - 1, 3, 3)) / luminance(mean_of(without, i - 1, j - 1, 3, 3));
  };
  EXPECT_LT(change(1.2f * away), 0.6f);
  EXPECT_GT(change({-1.6f * away.x, 0, -1.6f * away.z}), 0.85f);
}

TEST(medium, gives_the_same_picture_at_any_number_of_threads) {
  const Ball ball;
  const auto draw = [&](int threads) {
    Image image;
    tbb::task_arena(threads).execute([&] { image = picture_of(ball, with_samples(2), front_view(64, 32)); });
    return image;
  };
  const Image one = draw(1), many = draw(4);
  for (std::size_t i = 0; i < one.pixels.size(); ++i) EXPECT_EQ(norm(one.pixels[i] - many.pixels[i]), 0);
}

TEST(medium, none_without_particles) {
  const Medium medium(SurfacePoints{}, {}, 1, {1, 1, 1});
  EXPECT_EQ(passed(medium, {0, 0, 0}, {1, 0, 0}), 0);
  EXPECT_EQ(medium.density_at({0, 0, 0}), 0);
}

}  // namespace
}  // namespace dollop
