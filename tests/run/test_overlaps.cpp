#include <dollop/run.h>
#include <gtest/gtest.h>

namespace dollop {
namespace {

Scene clay(std::vector<Shape> shapes) {
  Scene scene;
  scene.settings.cell_size = 0.01;
  scene.materials = {{"clay", "von-mises", {}}};
  for (Shape& shape : shapes) scene.bodies.push_back({.material = "clay", .shape = std::move(shape)});
  return scene;
}

Collider ground(double height, std::string name = "ground") {
  return {.name = std::move(name), .shape = Plane{{0, height, 0}, {0, 1, 0}}};
}

TEST(Overlaps, WhatOnlyTouchesDoesNotOverlap) {
  Scene scene = clay({Box{{0, 0.1, 0}, {0.2, 0.2, 0.2}}, Box{{0.2, 0.1, 0}, {0.2, 0.2, 0.2}}});
  scene.colliders = {ground(0), ground(0.002)};  // less than half a particle deep
  EXPECT_TRUE(find_overlaps(scene).empty());
}

TEST(Overlaps, ShareOfTheBodyInsideACollider) {
  Scene scene = clay({Sphere{{0, 1, 0}, 0.2}, Box{{0, 0.1, 0}, {0.2, 0.2, 0.2}}});
  scene.colliders = {ground(0.05), ground(-0.05, "")};
  auto found = find_overlaps(scene);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].body, 1u);
  EXPECT_EQ(found[0].with, "the collider 'ground'");
  EXPECT_NEAR(found[0].share, (0.05 - 0.0025) / 0.2, 0.03);
  scene.colliders[1].motion.position.y =
      1.05;  // where a motion has put it at the start: the middle of the ball
  found = find_overlaps(scene);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].with, "colliders[1]");
  EXPECT_NEAR(found[0].share, 0.5, 0.03);
  for (Collider& c : scene.colliders) c.contact = ContactKind::sticky;
  EXPECT_TRUE(find_overlaps(scene).empty());
}

TEST(Overlaps, BodiesAreNamedOnceAndTheOneThatIsMoreInsideFirst) {
  const auto found = find_overlaps(
      clay({Box{{0, 0, 0}, {0.6, 0.6, 0.6}}, Sphere{{0, 0.3, 0}, 0.02}, Sphere{{0, 0.5, 0}, 0.02}}));
  ASSERT_EQ(found.size(), 1u);  // a two-thousandth of the box is in the ball
  EXPECT_EQ(found[0].body, 1u);
  EXPECT_EQ(found[0].with, "bodies[0]");
  EXPECT_NEAR(found[0].share, 0.45, 0.1);
}

TEST(Overlaps, ABodyLongerThanThePeriodIsFoldedFirst) {
  Scene scene = clay({Box{{0, 0.1, 0}, {3, 0.2, 0.2}}});
  scene.colliders = {{.name = "post", .shape = Box{{1, 0.1, 0}, {0.2, 0.2, 0.2}}}};
  EXPECT_EQ(find_overlaps(scene).size(), 1u);
  scene.domain = Domain{.min = {-0.2, -1, -1}, .max = {0.2, 1, 1}, .periodic = {true, false, false}};
  EXPECT_TRUE(find_overlaps(scene).empty());
}

double thickness_of(Shape shape) {
  Scene scene = clay({});
  scene.colliders = {{.name = "tool", .shape = std::move(shape)}};
  const auto found = find_thin_colliders(scene);
  if (found.empty()) return 1;
  EXPECT_EQ(found[0].collider, "the collider 'tool'");
  return found[0].thickness;
}

TEST(ThinColliders, AreThinnerThanACell) {
  EXPECT_NEAR(thickness_of(Box{{0, 0.0033, 0}, {0.5, 0.004, 0.5}}), 0.004, 1e-9);
  EXPECT_NEAR(thickness_of(Capsule{{0, 0, 0}, {0.1, 0.2, 0.3}, 0.003}), 0.006, 5e-4);
  EXPECT_EQ(thickness_of(Box{{0, 0, 0}, {0.5, 0.01, 0.5}}), 1);
  EXPECT_EQ(thickness_of(Capsule{{0, 0, 0}, {0.1, 0.2, 0.3}, 0.006}), 1);
  EXPECT_EQ(thickness_of(Plane{}), 1);
  EXPECT_EQ(thickness_of(Sphere{{0, 0, 0}, 0.2}), 1);
}

TEST(ThinColliders, AreThinInAnyPart) {
  const Shape blade = Box{{0, 0, 0}, {0.2, 0.2, 0.003}}, handle = Cylinder{{0, 0.2, 0}, {0, 1, 0}, 0.02, 0.3};
  EXPECT_NEAR(thickness_of(Union{{blade, handle}}), 0.003, 1e-9);
  const auto cup = [](double wall) {
    return Minus{{Box{{0, 0, 0}, {0.2, 0.2, 0.2}},
                  Box{{0, 0.05, 0}, {0.2 - 2 * wall, 0.3 - 2 * wall, 0.2 - 2 * wall}}}};
  };
  EXPECT_EQ(thickness_of(cup(0.012)), 1);
  EXPECT_NEAR(thickness_of(cup(0.006)), 0.007,
              1e-3);  // a ball in its corners is a little larger than in its walls
  // in a large tank the search ends before it has seen every wall
  const auto tank = [](double wall) {
    return Minus{{Box{{0, 0, 0}, {2, 2, 2}}, Box{{0, 0.1, 0}, {2 - 2 * wall, 2.2 - 2 * wall, 2 - 2 * wall}}}};
  };
  for (const double wall : {0.011, 0.012, 0.015, 0.03}) EXPECT_EQ(thickness_of(tank(wall)), 1) << wall;
  // parts of a set that is placed as a whole
  const auto tool = std::make_shared<const Shape>(Union{{blade, handle}});
  EXPECT_NEAR(thickness_of(Placed{.shape = tool, .translation = {0, 1, 0}}), 0.003, 1e-9);
  // a plate inside a block is of no account
  EXPECT_EQ(thickness_of(Union{{blade, Box{{0, 0, 0}, {0.3, 0.3, 0.3}}}}), 1);
}

}  // namespace
}  // namespace dollop
