// Plane waves in a periodic bar: their speed and damping are those of the closed form, for every transfer.
#include <gtest/gtest.h>

#include <complex>
#include <numbers>
#include <vector>

#include "solvers/bodies.h"

namespace dollop {
namespace {

using namespace tests;
using Complex = std::complex<double>;

constexpr double cell = 0.01, density = 1000, young = 1e5, poisson = 0.3;

struct Wave {
  Transfer transfer;
  int cells;         // wave length
  double shortened;  // stable_dt over the step
};

// sum and product of the two factors by which a step may multiply a wave                              (FADE.7)
struct Roots {
  double sum, product;
  double frequency(double dt) const {
    return std::arg(Complex(sum / 2, std::sqrt(product - sum * sum / 4))) / dt;
  }
  double damping(double dt) const { return -0.5 * std::log(product) / dt; }
};

// (FADE.8): gathers of a wave exp(i k x) of the nodes by the two particles along a cell
template <int Nodes>
Roots closed_form(double k, double kept, double affine, double wave_speed, double dt) {
  double q = 0, stiffness = 0;
  for (const double x : {2.25, 2.75}) {
    const double base = std::floor(x - BSpline<Nodes>::offset), inverse = BSpline<Nodes>::inverse_inertia;
    double w[4];
    BSpline<Nodes>::weights(x - base, w);
    Complex mean = 0, moment = 0;
    for (int n = 0; n < Nodes; ++n) {
      const Complex wave = std::polar(w[n], k * (base + n - x));
      mean += wave, moment += (base + n - x) * wave;
    }
    q += 0.5 * (std::norm(mean) + affine * inverse * std::norm(moment));
    stiffness += 0.5 * std::norm(inverse * moment);
  }
  const double w = std::pow(wave_speed * dt / cell, 2) * stiffness, smooth = kept + (1 - kept) * q;
  return {1 + smooth - w, smooth - w * kept * (1 - q)};
}

// the same from a run: least squares of a_(n+1) = sum a_n - product a_(n-1), a the velocity of a standing wave
Roots measured(const std::vector<double>& a) {
  double xx = 0, xy = 0, yy = 0, xz = 0, yz = 0;
  for (std::size_t n = 1; n + 1 < a.size(); ++n) {
    const double x = a[n], y = -a[n - 1], z = a[n + 1];
    xx += x * x, xy += x * y, yy += y * y, xz += x * z, yz += y * z;
  }
  const double det = xx * yy - xy * xy;
  return {(xz * yy - yz * xy) / det, (yz * xx - xz * xy) / det};
}

// the momentum that the particles would scatter to sin(k x) of the nodes
template <int Nodes>
double on_grid(TypedSimulation<double>& run, double k) {
  double sum = 0;
  each_particle(run, [&](ParticleGroup<double>& group, std::size_t i, const Double3& at) {
    const double x = at[0] / cell, base = std::floor(x - BSpline<Nodes>::offset);
    double w[4];
    BSpline<Nodes>::weights(x - base, w);
    const double v = group.reals(ParticleGroup<double>::velocity)[i],
                 c = group.affine_array() >= 0 ? group.reals(group.affine_array())[i] : 0;
    for (int n = 0; n < Nodes; ++n) {
      const double node = base + n;
      sum += w[n] * (v + c * cell * (node - x)) * std::sin(k * node);
    }
  });
  return sum;
}

Scene bar(const Wave& wave, Kernel kernel) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = cell, s.kernel = kernel, s.transfer = wave.transfer, s.gravity = {0, 0, 0};
  s.precision = Precision::double_precision;
  scene.materials = {elastic("bar", density, young, poisson)};
  const double length = wave.cells * cell, width = 4 * cell;
  scene.domain = Domain{{0, 0, 0}, {length, width, width}, {true, true, true}};
  scene.bodies = {
      {.material = "bar",
       .shape = Box{.center = {length / 2, width / 2, width / 2}, .size = {length, width, width}}}};
  return scene;
}

void expect_closed_form(const Wave& wave, Kernel kernel) {
  TypedSimulation<double> run(bar(wave, kernel));
  // the time constant is that of the default step, whatever step is taken
  const double stable = run.stable_dt(), dt = stable / wave.shortened;
  const double k = 2 * std::numbers::pi / wave.cells, speed = 1e-6;
  set_velocity(
      run,
      [&](const Double3& x) {
        return Double3{speed * std::sin(k * x[0] / cell), 0, 0};
      },
      [&](const Double3& x) {
        return std::array<Double3, 3>{{{speed * k / cell * std::cos(k * x[0] / cell), 0, 0}, {}, {}}};
      });
  const auto sample = [&] { return kernel == Kernel::cubic ? on_grid<4>(run, k) : on_grid<3>(run, k); };
  std::vector<double> velocity;
  const double wave_speed = std::sqrt(young * (1 - poisson) / ((1 + poisson) * (1 - 2 * poisson)) / density);
  const int steps = int(2 * wave.cells * cell / wave_speed / dt);
  for (int n = 0; n < steps; ++n) {
    ASSERT_TRUE(run.step(dt).ok());
    velocity.push_back(sample());
  }
  const Settings& s = run.scene().settings;
  const double kept = wave.transfer == Transfer::fading ? std::exp(-dt / (4 * stable))
                      : wave.transfer == Transfer::flip ? s.flip_ratio
                                                        : 0;
  const double affine = wave.transfer == Transfer::apic || wave.transfer == Transfer::fading ? 1 : 0;
  const Roots expected = kernel == Kernel::cubic ? closed_form<4>(k, kept, affine, wave_speed, dt)
                                                 : closed_form<3>(k, kept, affine, wave_speed, dt);
  const Roots found = measured(velocity);
  std::printf("%s %s, %d cells, dt/%g: frequency %.5f (closed form %.5f) of c k, damping %.4g (%.4g) c/h\n",
              name_of(kernel).c_str(), name_of(wave.transfer).c_str(), wave.cells, wave.shortened,
              found.frequency(dt) * cell / (wave_speed * k), expected.frequency(dt) * cell / (wave_speed * k),
              found.damping(dt) * cell / wave_speed, expected.damping(dt) * cell / wave_speed);
  EXPECT_NEAR(found.frequency(dt) / expected.frequency(dt), 1, 1e-6);
  EXPECT_NEAR(found.damping(dt) / expected.damping(dt), 1, 1e-4);
}

TEST(PlaneWaves, have_the_speed_and_damping_of_the_closed_form) {
  for (const Kernel kernel : all_kernels)
    for (const Transfer transfer : {Transfer::flip, Transfer::apic, Transfer::fading})
      for (const int cells : {8, 16})
        for (const double shortened : {1.0, 8.0}) expect_closed_form({transfer, cells, shortened}, kernel);
}

}  // namespace
}  // namespace dollop
