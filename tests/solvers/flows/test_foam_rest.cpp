// Foam at rest under its own weight: the stress in a column is rho g times the height of foam above.
#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include "solvers/bodies.h"
#include "solvers/resting_column.h"

namespace dollop {
namespace {

using namespace tests;

constexpr int column_cells = 12;  // high
constexpr double cell = 3e-3, g_earth = 9.81, density = 77.7, shear = 290, bulk = 109e3;

// Shaving cream. Gravity grows within 16 periods of the column, 4 H/c = 3.8 ms, so that it hardly swings: by 0.1 %.
Scene foam_column(Settings settings) {
  settings.cell_size = cell, settings.threads = 1;
  const Material foam{"foam",
                      "herschel-bulkley",
                      {{"density", density},
                       {"shear_modulus", shear},
                       {"bulk_modulus", bulk},
                       {"yield_stress", 31.9},
                       {"viscosity", 27.2},
                       {"power", 0.22},
                       {"tear_threshold", 217.5},
                       {"recovery_time", 0.35}}};
  return walled_column(settings, foam, column_cells,
                       Animated(Animated::Kind::smooth, {{0, 0}, {0.06, -g_earth}}));
}

std::vector<ColumnLayer> foam_layers(const ParticleData& foam) {
  const auto &e = foam.state.at("strain"), &change = foam.state.at("volume_change");
  return layers_of(foam, cell, column_cells, [&](std::size_t i) {
    const double j = 1 + change[0][i], mean = (e[0][i] + e[1][i] + e[2][i]) / 3;
    // sigma = (kappa/2 (J^2 - 1) 1 + mu dev b)/J                                                        (HB.2)
    const auto pressed = [&](std::size_t axis) {
      return -(bulk / 2 * (j * j - 1) + shear * (e[axis][i] - mean)) / (j * density * g_earth);
    };
    return Double3{pressed(0), pressed(1), pressed(2)};
  });
}

// It is far from yield. The sides bear (kappa - 2 mu/3)/(kappa + 4 mu/3) = 0.9947 of the weight: nearly a pressure.
void expect_pressure_of_the_weight(const Settings& settings) {
  Simulation simulation(foam_column(settings));
  ASSERT_TRUE(simulation.advance_to(0.064).ok());
  const double ratio = (bulk - 2 * shear / 3) / (bulk + 4 * shear / 3);
  double vertical = 0, above = 0, across = 0, along = 0;
  for (const ColumnLayer& l : foam_layers(simulation.particles("foam"))) {
    if (l.above < 3 * cell || l.above > (column_cells - 3) * cell) continue;  // the surface and the floor
    vertical += l.vertical, above += l.above, across += l.across, along += l.along;
    EXPECT_NEAR(l.vertical / l.above, 1, 0.02) << l.above;
  }
  std::printf("%s: vertical stress %.4f of the weight, sides %.5f and %.5f of it, expected %.5f\n",
              name_of(settings.transfer).c_str(), vertical / above, across / vertical, along / vertical,
              ratio);
  EXPECT_NEAR(vertical / above, 1, 0.005);
  EXPECT_NEAR(across / vertical, ratio, 1e-3);
  EXPECT_NEAR(along / vertical, ratio, 1e-3);
}

TEST(FoamAtRest, pressure_of_a_column_is_the_weight_above) {
  Settings apic;
  apic.kernel = Kernel::quadratic;
  expect_pressure_of_the_weight(apic);
  Settings published;
  published.transfer = Transfer::flip, published.forces = ForceForm::gradient;
  expect_pressure_of_the_weight(published);
}

}  // namespace
}  // namespace dollop
