// Momentum of a foam that is alone: neither flow, nor tearing, nor new particles change it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solvers/bodies.h"
#include "worse_of.h"

namespace dollop {
namespace {

using namespace tests;

template <class S>
class FoamMomentum : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(FoamMomentum, Scalars);

constexpr int free_steps = sanitized ? 50 : 1000;

// a block that drifts, turns, and is drawn out along one axis until it tears
template <class S>
TypedSimulation<S> drawn_block(Kernel kernel, Transfer transfer, ForceForm forces) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = 0.02, s.kernel = kernel, s.transfer = transfer, s.forces = forces;
  s.gravity = {0, 0, 0}, s.precision = precision_of<S>, s.resample_every = 50, s.threads = 1;
  scene.materials = {{"foam",
                      "herschel-bulkley",
                      {{"density", 500},
                       {"shear_modulus", 2000},
                       {"bulk_modulus", 2e4},
                       {"yield_stress", 60},
                       {"viscosity", 5},
                       {"power", 0.6},
                       {"tear_threshold", 0.5},
                       {"recovery_time", 0.3}}}};
  scene.bodies = {
      {.material = "foam", .shape = Box{.center = {0.013, 0.207, -0.005}, .size = {0.08, 0.08, 0.08}}}};
  TypedSimulation<S> run(scene);
  const std::array<Double3, 3> grad{{{16, -3, 1}, {3, -8, 2}, {-1, -2, -8}}};
  set_linear_velocity(run, {0.3, -0.2, 0.1}, grad);
  return run;
}

// largest change in a thousand steps, relative to the sum of m |v|
template <class S>
double drift_of(TypedSimulation<S>& run) {
  const Metrics before = run.metrics();
  const double scale = momentum_scale(run), dt = 0.4 * run.stable_dt();
  std::uint64_t weak = 0;
  double drift = 0;
  for (int n = 0; n < free_steps; ++n) {
    const StepReport report = run.step(dt);
    EXPECT_TRUE(report.ok()) << describe(report);
    if (!report.ok()) return std::nan("");
    if (n % 50 != 49) continue;
    const Metrics now = run.metrics();
    weak = std::max(weak, now.weak);
    drift = worse_of(drift, length(minus(now.momentum, before.momentum)) / scale);
  }
  const Metrics after = run.metrics();
  EXPECT_LT(after.mass_error, either<S>(1e-7, 1e-14));
  if (!sanitized) {
    EXPECT_GT(weak, before.particles / 4);
    EXPECT_GT(after.inserted, 0u);
  }
  return drift;
}

TYPED_TEST(FoamMomentum, is_exact_to_rounding_while_it_flows_and_tears) {
  using S = TypeParam;
  const double tolerance = either<S>(2e-6, 1e-12);
  const auto expect_little = [&](Kernel kernel, Transfer transfer, ForceForm forces) {
    TypedSimulation<S> run = drawn_block<S>(kernel, transfer, forces);
    EXPECT_LT(drift_of(run), tolerance)
        << name_of(kernel) << ' ' << name_of(transfer) << ' ' << name_of(forces);
  };
  expect_little(Kernel::cubic, Transfer::flip, ForceForm::gradient);
  expect_little(Kernel::quadratic, Transfer::apic, ForceForm::mls);
}

}  // namespace
}  // namespace dollop
