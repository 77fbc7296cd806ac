// No particle passes a wall that is one cell thick, wherever it lies between the nodes and however it moves.
#include <dollop/dollop.h>
#include <gtest/gtest.h>

#include <cmath>

#include "solvers/bodies.h"
#include "worse_of.h"

namespace dollop {
namespace {

constexpr double h = 0.02;

struct ThinWall : testing::TestWithParam<std::tuple<Kernel, Transfer, ContactKind>> {};

Scene thrown_at_wall(const Shape& wall, const Double3& velocity) {
  const auto [kernel, transfer, contact] =
      testing::WithParamInterface<std::tuple<Kernel, Transfer, ContactKind>>::GetParam();
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = h, s.kernel = kernel, s.transfer = transfer, s.gravity = {0, 0, 0};
  scene.materials = {
      {"cream", "von-mises", {{"density", 500}, {"young_modulus", 2e4}, {"yield_stress", 50}}}};
  scene.bodies = {{.material = "cream", .shape = Sphere{{-0.1, 0, 0}, 0.06}, .velocity = velocity}};
  scene.colliders = {{.name = "wall", .shape = wall, .contact = contact}};
  return scene;
}

TEST_P(ThinWall, HoldsWhereverItLies) {
  for (const double shift : {0.0, 0.25, 0.5, 0.77}) {
    const double x = shift * h;
    Simulation run(thrown_at_wall(Box{{x, 0, 0}, {h, 2, 2}}, {4, 0, 0}));
    ASSERT_TRUE(run.advance_to(0.1).ok());
    EXPECT_LT(run.metrics().bounds_max[0], x - 0.5 * h + 2e-3 * h) << "shift " << shift;
    EXPECT_EQ(run.metrics().mass_error, 0) << shift;
  }
}

TEST_P(ThinWall, HoldsWhenItIsTiltedAndRunsIntoTheMaterial) {
  const double angle = 0.4, c = std::cos(angle), sn = std::sin(angle);
  const Rotation turn{{{c, -sn, 0}, {sn, c, 0}, {0, 0, 1}}};
  Scene scene = thrown_at_wall(place(Box{{0, 0, 0}, {h, 2, 2}}, turn, {0.03, 0, 0}), {1, 0, 0});
  scene.colliders[0].motion.velocity = {-2, 0, 0};
  Simulation run(scene);
  ASSERT_TRUE(run.advance_to(0.1).ok());
  double beyond = -1;  // farthest past the front of the wall
  for (const Double3& x : run.particles("cream").position)
    beyond = tests::worse_of(beyond, c * (x[0] - 0.03 + 2 * run.time()) + sn * x[1] + 0.5 * h);
  EXPECT_LT(beyond, 2e-3 * h);
}

std::string name_of(const testing::TestParamInfo<std::tuple<Kernel, Transfer, ContactKind>>& info) {
  const auto [kernel, transfer, contact] = info.param;
  const char* contacts[] = {"sticky", "slip", "separate"};
  return tests::name_of(kernel) + "_" + tests::name_of(transfer) + "_" +
         contacts[int(contact)];
}

INSTANTIATE_TEST_SUITE_P(All, ThinWall,
                         testing::Combine(testing::Values(Kernel::quadratic, Kernel::cubic),
                                          testing::Values(Transfer::flip, Transfer::apic, Transfer::fading),
                                          testing::Values(ContactKind::sticky, ContactKind::slip,
                                                          ContactKind::separate)),
                         name_of);

// what is clamped inside a collider from the start is not pushed out of it
TEST(ThinWallClamp, LeavesEmbeddedParticlesAlone) {
  Scene scene;
  scene.settings.cell_size = h, scene.settings.gravity = {0, 0, 0};
  scene.materials = {{"rubber", "neo-hookean", {}}};
  scene.bodies = {{.material = "rubber", .shape = Box{{0, 0, 0}, {0.2, 0.1, 0.1}}}};
  scene.colliders = {{.name = "clamp", .shape = Plane{{0, 0, 0}, {1, 0, 0}}, .contact = ContactKind::sticky}};
  Simulation run(scene);
  ASSERT_TRUE(run.advance_to(0.02).ok());
  EXPECT_NEAR(run.metrics().bounds_min[0], -0.1 + 0.25 * h, 1e-6);
  EXPECT_LT(run.metrics().max_speed, 1e-5);
}

// A bowl of sand whose wall is thinner than the splines reach: nodes in its outer half belong to the sand inside.
double sinking_of_sand(const std::string& solver, Kernel kernel, double max_dt) {
  Scene scene;
  Settings& s = scene.settings;
  s.solver = solver, s.cell_size = 0.006, s.kernel = kernel, s.max_dt = max_dt;
  scene.materials = {{"sand", "drucker-prager", {{"young_modulus", 5e4}}}};
  const Sphere inside{{0, 0.05, 0}, 0.05}, outside{{0, 0.05, 0}, 0.06};
  scene.bodies = {{.material = "sand",
                   .shape = Intersect{{inside, Plane{.point = {0, 0.035, 0}}}},
                   .particles_per_cell = 4}};
  scene.colliders = {{.name = "bowl", .shape = Minus{{outside, inside}}, .friction = 0.3}};
  Simulation run(scene);
  EXPECT_TRUE(run.advance_to(0.15).ok());  // the weight has pressed it together
  const double height = run.metrics().center_of_mass[1];
  EXPECT_TRUE(run.advance_to(0.4).ok());
  return (height - run.metrics().center_of_mass[1]) / s.cell_size;
}

TEST(BowlOfAThinWall, HoldsSandAtRest) {
  EXPECT_LT(sinking_of_sand("explicit", Kernel::cubic, 1), 0.1);
  EXPECT_LT(sinking_of_sand("explicit", Kernel::quadratic, 1), 0.1);
  EXPECT_LT(sinking_of_sand("newton", Kernel::cubic, 2e-3), 0.15);
}

}  // namespace
}  // namespace dollop
