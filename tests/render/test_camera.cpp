#include "render/camera.h"

#include <gtest/gtest.h>

namespace dollop {
namespace {

TEST(camera, projects_known_points) {
  const Camera camera = look_at({0, 0, 5}, {0, 0, 0}, 2 * std::atan(0.5f), 2);
  const Projected middle = project(camera, {0, 0, 0});
  EXPECT_NEAR(middle.u, 0, 1e-6);
  EXPECT_NEAR(middle.v, 0, 1e-6);
  EXPECT_NEAR(middle.depth, 5, 1e-6);
  const Projected corner = project(camera, {5, 2.5f, 0});  // half width 1, half height 1/2, at depth 5
  EXPECT_NEAR(corner.u, 1, 1e-6);
  EXPECT_NEAR(corner.v, 1, 1e-6);
  EXPECT_NEAR(project(camera, {1, 1, 6}).depth, -1, 1e-6);  // behind
}

TEST(camera, axes_are_orthonormal_and_y_stays_up) {
  const Camera camera = look_at({1, 2, 3}, {-2, 0.5f, 1}, 0.6f, 1.5f);
  EXPECT_NEAR(norm(camera.right), 1, 1e-6);
  EXPECT_NEAR(norm(camera.up), 1, 1e-6);
  EXPECT_NEAR(dot(camera.right, camera.up), 0, 1e-6);
  EXPECT_NEAR(dot(camera.right, camera.forward), 0, 1e-6);
  EXPECT_NEAR(camera.right.y, 0, 1e-6);  // the horizon is level
  EXPECT_GT(camera.up.y, 0);
}

TEST(camera, rays_undo_the_projection) {
  const Camera camera = look_at({1, 2, 3}, {-2, 0.5f, 1}, 0.6f, 1.5f);
  const Vec3<float> x{-1.5f, 0.2f, 0.8f};
  const Projected p = project(camera, x);
  EXPECT_NEAR(norm(camera.eye + p.depth * ray_through(camera, p.u, p.v) - x), 0, 1e-5);
}

}  // namespace
}  // namespace dollop
