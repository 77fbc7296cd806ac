// The cantilever: E = 1e6, rho = 1000, L = 1, H = 0.1, nu = 0, clamped at one end, started in its first mode.
//
// A slender beam (Euler and Bernoulli) has f1 = 0.5108 Hz. At L / H = 10 shear and rotary inertia take 0.65 %
// of it: 0.50751 Hz (Timoshenko, shear coefficient 5/6), the first root of its boundary value problem.
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "solvers/bodies.h"
#include "solvers/oscillation.h"

namespace dollop {
namespace {

using namespace tests;

constexpr double slender_frequency = 0.5108, frequency = 0.50751, beam_height = 0.1;

// first mode of a slender beam of length 1, and its derivatives; 1 at the tip
struct Mode {
  static constexpr double k = 1.8751040687119611, s = 0.7340955137589128;
  static double value(double x) {
    return x < 0 ? 0 : 0.5 * (std::cosh(k * x) - std::cos(k * x) - s * (std::sinh(k * x) - std::sin(k * x)));
  }
  static double slope(double x) {
    return x < 0 ? 0
                 : 0.5 * k * (std::sinh(k * x) + std::sin(k * x) - s * (std::cosh(k * x) - std::cos(k * x)));
  }
  static double curvature(double x) {
    return x < 0 ? 0
                 : 0.5 * k * k *
                       (std::cosh(k * x) + std::cos(k * x) - s * (std::sinh(k * x) + std::sin(k * x)));
  }
};

// A slab one block wide; four cells of the beam are inside the wall, whose face lies on nodes.
Scene beam_scene(int cells_across, Kernel kernel, Precision precision) {
  const double h = beam_height / cells_across, inside = 4 * h;
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = h, s.kernel = kernel, s.gravity = {0, 0, 0}, s.precision = precision;
  scene.materials = {elastic("beam", 1000, 1e6, 0)};
  scene.domain = Domain{{0, 0, 0}, {1, 1, 4 * h}, {false, false, true}};
  scene.bodies = {{.material = "beam",
                   .shape = Box{.center = {(1 - inside) / 2, beam_height / 2, 2 * h},
                                .size = {1 + inside, beam_height, 4 * h}}}};
  scene.colliders = {{.name = "clamp",
                      .shape = Box{.center = {-0.5, 0, 0}, .size = {1, 4, 4}},
                      .contact = ContactKind::sticky}};
  return scene;
}

template <class S>
double measured_frequency(int cells_across, Kernel kernel) {
  TypedSimulation<S> run(beam_scene(cells_across, kernel, precision_of<S>));
  const double v0 = 0.01 * 2 * std::numbers::pi * frequency;  // the tip swings 1 cm
  set_velocity(
      run,
      [&](const Double3& x) {
        return Double3{-(x[1] - beam_height / 2) * v0 * Mode::slope(x[0]), v0 * Mode::value(x[0]), 0};
      },
      [&](const Double3& x) {
        const double turn = v0 * Mode::slope(x[0]);
        return std::array<Double3, 3>{
            {{-(x[1] - beam_height / 2) * v0 * Mode::curvature(x[0]), -turn, 0}, {turn, 0, 0}, {0, 0, 0}}};
      });
  // the part of the first mode in the velocity: blind to the little that starts in other modes
  Record record;
  const int samples = 80;
  for (int k = 0; k <= samples; ++k) {
    const AdvanceReport report = run.advance_to(1.6 * k / samples);  // two zeros, half a period apart
    EXPECT_TRUE(report.ok()) << describe(report.last);
    double sum = 0;
    each_particle(run, [&](ParticleGroup<S>& group, std::size_t i, const Double3& x) {
      sum += Mode::value(x[0]) * double(group.reals(ParticleGroup<S>::velocity + 1)[i]);
    });
    record.add(run.state().time, sum);
  }
  const double f = 1 / period_of(record);
  std::printf("%s, %d cells across: f1 = %.5f Hz, %+.3f %% (slender beam: %+.3f %%)\n",
              name_of(kernel).c_str(), cells_across, f, 100 * (f / frequency - 1),
              100 * (f / slender_frequency - 1));
  return f;
}

double error_of(double f) { return f / frequency - 1; }

// Soft by a part of a cell at the clamp, as the axial bar is, and by the kernel's width against the height.
template <class S>
class HeavyCantilever : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(HeavyCantilever, Scalars);

TYPED_TEST(HeavyCantilever, frequency_converges) {
  const double coarse = error_of(measured_frequency<TypeParam>(2, Kernel::quadratic));
  const double fine = error_of(measured_frequency<TypeParam>(4, Kernel::quadratic));
  std::printf("order %.2f\n", order_of(coarse, fine));
  EXPECT_GT(order_of(coarse, fine), 1.2);
  EXPECT_LT(std::fabs(fine), 0.02);
}

TEST(HeavyFineCantilever, frequency_is_within_one_percent_at_eight_cells_across) {
  const double coarse = error_of(measured_frequency<float>(4, Kernel::quadratic));
  const double fine = error_of(measured_frequency<float>(8, Kernel::quadratic));
  std::printf("order %.2f\n", order_of(coarse, fine));
  EXPECT_LT(std::fabs(fine), 0.01);
  EXPECT_GT(order_of(coarse, fine), 1.1);
}

// here even the formula for slender beams is met
TEST(LongCantilever, frequency_is_within_one_percent_of_a_slender_beam_at_sixteen_cells_across) {
  const double coarse = measured_frequency<float>(8, Kernel::quadratic);
  const double fine = measured_frequency<float>(16, Kernel::quadratic);
  std::printf("order %.2f\n", order_of(error_of(coarse), error_of(fine)));
  EXPECT_LT(std::fabs(fine / slender_frequency - 1), 0.01);
  EXPECT_LT(std::fabs(error_of(fine)), 0.005);
  EXPECT_GT(order_of(error_of(coarse), error_of(fine)), 0.9);
}

TEST(LongCantilever, frequency_of_the_cubic_kernel_converges) {
  double error[4];
  for (int k = 0; k < 4; ++k) error[k] = error_of(measured_frequency<float>(2 << k, Kernel::cubic));
  std::printf("orders %.2f %.2f %.2f\n", order_of(error[0], error[1]), order_of(error[1], error[2]),
              order_of(error[2], error[3]));
  EXPECT_LT(std::fabs(error[3]), 0.01);
  EXPECT_GT(order_of(error[2], error[3]), 0.9);
}

}  // namespace
}  // namespace dollop
