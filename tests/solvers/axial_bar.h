// The axial bar: L = 25, E = 100, rho = 1, nu = 0, held at one end, released with v0 = 0.1 in its first mode.
// Closed form: v_cm = 2 v0 / pi cos(2 pi t / 10 s) = 0.06366 cos(2 pi t / 10 s).
#pragma once

#include <gtest/gtest.h>

#include <numbers>

#include "solvers/bodies.h"
#include "solvers/oscillation.h"

namespace dollop::tests {

inline constexpr double bar_length = 25, bar_speed = 0.1, bar_period = 10;
inline constexpr double held_bar_wave_number = std::numbers::pi / (2 * bar_length);

// `cells` along the bar; across it space repeats after one block
inline Scene bar_scene(int cells, Kernel kernel, Precision precision) {
  const double h = bar_length / cells;
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = h, s.kernel = kernel, s.gravity = {0, 0, 0}, s.precision = precision;
  scene.materials = {elastic("bar", 1, 100, 0)};
  scene.domain = Domain{{0, 0, 0}, {bar_length, 4 * h, 4 * h}, {false, true, true}};
  scene.bodies = {
      {.material = "bar",
       .shape = Box{.center = {bar_length / 2, 2 * h, 2 * h}, .size = {bar_length, 4 * h, 4 * h}}}};
  return scene;
}

// the same, held by a wall at x = 0
inline Scene held_bar_scene(int cells, Kernel kernel, Precision precision) {
  Scene scene = bar_scene(cells, kernel, precision);
  scene.colliders = {{.name = "wall",
                      .shape = Plane{.point = {0, 0, 0}, .normal = {1, 0, 0}},
                      .contact = ContactKind::sticky}};
  return scene;
}

template <class S>
Record vibrate(TypedSimulation<S>& run, double wave_number, double time) {
  set_velocity(
      run,
      [&](const Double3& x) {
        return Double3{bar_speed * std::sin(wave_number * x[0]), 0, 0};
      },
      [&](const Double3& x) {
        return std::array<Double3, 3>{
            {{bar_speed * wave_number * std::cos(wave_number * x[0]), 0, 0}, {}, {}}};
      });
  // projected on the mode, which for the held bar is nearly the mean, so that one number tells all
  const auto sample = [&] {
    double sum = 0, weight = 0, mean = 0, n = 0;
    each_particle(run, [&](ParticleGroup<S>& group, std::size_t i, const Double3& x) {
      const double mode = std::sin(wave_number * x[0]),
                   v = double(group.reals(ParticleGroup<S>::velocity)[i]);
      sum += mode * v, weight += mode * mode, mean += v, n += 1;
    });
    return wave_number > 1.5 * held_bar_wave_number ? sum / weight : mean / n;
  };
  Record record;
  record.add(0, sample());
  const int samples = int(std::lround(time / 0.2));
  for (int k = 1; k <= samples; ++k) {
    const AdvanceReport report = run.advance_to(time * k / samples);
    EXPECT_TRUE(report.ok()) << describe(report.last);
    record.add(run.state().time, sample());
  }
  return record;
}

}  // namespace dollop::tests
