// A free elastic block that spins: its angular momentum stays, and its kinetic energy nearly.
#include <gtest/gtest.h>

#include "solvers/spinning_block.h"
#include "worse_of.h"

namespace dollop {
namespace {

using namespace tests;

struct Losses {
  double angular_momentum, kinetic_energy;  // largest change, relative
};

// Stiff, so that the spin widens the body by some 1e-4 only; dt is half the stability bound
template <class S>
Losses spin(Kernel kernel, double seconds) {
  Scene scene = spinning_block(2.5e5, 6.283185307179586, kernel, precision_of<S>);
  scene.settings.dt_safety = 0.5;
  Simulation simulation(scene);
  const Metrics before = simulation.metrics();
  Losses losses{};
  const int looks = 20;
  for (int k = 1; k <= looks; ++k) {
    const AdvanceReport report = simulation.advance_to(seconds * k / looks);
    EXPECT_TRUE(report.ok()) << describe(report.last);
    const Metrics now = simulation.metrics();
    const double change = length(minus(now.angular_momentum, before.angular_momentum));
    losses.angular_momentum =
        tests::worse_of(losses.angular_momentum, change / length(before.angular_momentum));
    losses.kinetic_energy =
        tests::worse_of(losses.kinetic_energy, std::fabs(now.kinetic_energy / before.kinetic_energy - 1));
    EXPECT_EQ(now.mass, before.mass);
  }
  std::printf("%s, %g s, %lld steps: angular momentum %.2g, kinetic energy %.2g\n", name_of(kernel).c_str(),
              seconds, static_cast<long long>(simulation.steps()), losses.angular_momentum,
              losses.kinetic_energy);
  return losses;
}

template <class S>
class SpinningBlock : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(SpinningBlock, Scalars);

TYPED_TEST(SpinningBlock, keeps_angular_momentum_and_kinetic_energy_for_a_turn) {
  for (const Kernel kernel : all_kernels) {
    const Losses losses = spin<TypeParam>(kernel, sanitized ? 0.1 : 1);
    EXPECT_LT(losses.angular_momentum, either<TypeParam>(5e-5, 1e-11));
    EXPECT_LT(losses.kinetic_energy, 1e-3);
  }
}

template <class S>
class LongSpinningBlock : public testing::Test {};
TYPED_TEST_SUITE(LongSpinningBlock, Scalars);

TYPED_TEST(LongSpinningBlock, keeps_angular_momentum_and_kinetic_energy_for_twenty_seconds) {
  for (const Kernel kernel : all_kernels) {
    const Losses losses = spin<TypeParam>(kernel, 20);
    EXPECT_LT(losses.angular_momentum, either<TypeParam>(5e-4, 1e-9));
    EXPECT_LT(losses.kinetic_energy, 1e-3);
  }
}

}  // namespace
}  // namespace dollop
