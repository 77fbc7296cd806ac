// A block on a slope with friction mu: it slides by g t^2 / 2 (sin a - mu cos a), or rests.
#include <gtest/gtest.h>

#include <numbers>

#include "solvers/bodies.h"

namespace dollop {
namespace {

using namespace tests;

constexpr double earth = 9.81;

// The slope is a plane across the cells, or the floor under tilted gravity. A slab one block wide.
struct Slope {
  bool across_cells;
  double angle, friction;  // [degrees], [-]

  double sine() const { return std::sin(angle * std::numbers::pi / 180); }
  double cosine() const { return std::cos(angle * std::numbers::pi / 180); }
  Double3 down() const { return across_cells ? Double3{cosine(), -sine(), 0} : Double3{1, 0, 0}; }
  Double3 normal() const { return across_cells ? Double3{sine(), cosine(), 0} : Double3{0, 1, 0}; }
  Double3 gravity() const {
    return across_cells ? Double3{0, -earth, 0} : Double3{earth * sine(), -earth * cosine(), 0};
  }
};

Scene block_on(const Slope& slope, Kernel kernel, Transfer transfer, Precision precision) {
  const double h = 0.02, height = 0.1;
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = h, s.kernel = kernel, s.transfer = transfer, s.precision = precision,
  s.gravity = slope.gravity();
  scene.materials = {elastic("block", 1000, 1e6, 0.3)};
  scene.domain = Domain{{0, 0, 0}, {4, 4, 4 * h}, {false, false, true}};
  const Double3 d = slope.down(), n = slope.normal();
  const Rotation turn{{{d[0], n[0], 0}, {d[1], n[1], 0}, {0, 0, 1}}};
  const Double3 middle = plus(times(height / 2, n), {0, 0, 2 * h});
  scene.bodies = {{.material = "block", .shape = place(Box{.size = {0.4, height, 4 * h}}, turn, middle)}};
  scene.colliders = {
      {.name = "slope", .shape = Plane{.point = {0, 0, 0}, .normal = n}, .friction = slope.friction}};
  return scene;
}

// how far the block has gone down at each time, and how fast it goes at the last [m, m/s]
struct Descent {
  std::vector<double> at;
  double speed;
};

Descent descend(const Slope& slope, const Scene& scene, const std::vector<double>& times) {
  Simulation simulation(scene);
  const Double3 start = simulation.metrics().center_of_mass;
  Descent descent{};
  for (const double t : times) {
    const AdvanceReport report = simulation.advance_to(t);
    EXPECT_TRUE(report.ok()) << describe(report.last);
    descent.at.push_back(dot(minus(simulation.metrics().center_of_mass, start), slope.down()));
  }
  const Metrics m = simulation.metrics();
  descent.speed = dot(m.momentum, slope.down()) / m.mass;
  return descent;
}

struct Case {
  Kernel kernel;
  Transfer transfer;
  bool across_cells, in_double;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const bool across : {false, true})
    for (const Kernel k : all_kernels)
      for (const Transfer t : {Transfer::apic, Transfer::flip}) {
        if (t == Transfer::flip && k == Kernel::quadratic) continue;
        all.push_back({k, t, across, false});
        if (k == Kernel::quadratic && t == Transfer::apic) all.push_back({k, t, across, true});
      }
  return all;
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return name_of(c.kernel) + "_" + name_of(c.transfer) + (c.across_cells ? "_across_cells" : "_along_cells") +
         (c.in_double ? "_double" : "_float");
}

class Incline : public testing::TestWithParam<Case> {
 protected:
  Scene scene_of(const Slope& slope) {
    const Case& c = GetParam();
    return block_on(slope, c.kernel, c.transfer,
                    c.in_double ? Precision::double_precision : Precision::single_precision);
  }
};
INSTANTIATE_TEST_SUITE_P(HeavyBlocks, Incline, testing::ValuesIn(cases()), case_name);

TEST_P(Incline, steep_one_is_slid_down_as_coulomb_says) {
  const Slope slope{GetParam().across_cells, 35, 0.4};
  const double t = 1, expected = 0.5 * earth * t * t * (slope.sine() - slope.friction * slope.cosine());
  const Descent descent = descend(slope, scene_of(slope), {t});
  std::printf("slides %.4f m in %g s, %+.3f %%\n", descent.at[0], t, 100 * (descent.at[0] / expected - 1));
  EXPECT_NEAR(descent.at[0] / expected, 1, 0.005);
  EXPECT_NEAR(descent.speed / (2 * expected / t), 1, 0.01);
}

TEST_P(Incline, gentle_one_is_rested_on) {
  const Slope slope{GetParam().across_cells, 20, 0.6};
  const Descent descent = descend(slope, scene_of(slope), {0.5, 1});
  const double creep = (descent.at[1] - descent.at[0]) / 0.5;
  std::printf("settles by %.2g m, then creeps at %.2g m/s\n", descent.at[0], creep);
  EXPECT_LT(std::fabs(descent.at[0]), 1e-3);  // elastic: a twentieth of a cell
  EXPECT_LT(std::fabs(creep), 1e-5);
  EXPECT_LT(std::fabs(descent.speed), 1e-4);
}

// without friction it is the plane alone that must not hold it back
TEST_P(Incline, smooth_one_is_slid_down_freely) {
  const Slope slope{GetParam().across_cells, 35, 0};
  const double t = 0.25, expected = 0.5 * earth * t * t * slope.sine();
  const Descent descent = descend(slope, scene_of(slope), {t});
  EXPECT_NEAR(descent.at[0] / expected, 1, 0.003);
}

}  // namespace
}  // namespace dollop
