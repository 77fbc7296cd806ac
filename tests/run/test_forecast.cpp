// What emitters will add, and how long a run still takes.
#include <gtest/gtest.h>

#include <numbers>

#include "run/remaining_time.h"

namespace dollop {
namespace {

Scene stream(double from, double until) {
  Scene scene;
  scene.settings.cell_size = 0.01, scene.settings.duration = 2;
  scene.materials = {{"jelly", "neo-hookean", {}}};
  scene.emitters = {{.material = "jelly",
                     .shape = Disc{{0, 0, 0}, {0, -1, 0}, 0.05},
                     .speed = 0.5,
                     .from = from,
                     .until = until}};
  return scene;
}
// particles a second
const double rate = std::numbers::pi * 0.05 * 0.05 * 0.5 / 1e-6 * 8;

TEST(ParticleForecast, IsTheFlowOfTheEmitters) {
  const ParticleForecast steady(stream(0, 10));
  for (const double t : {0.0, 0.3, 1.0, 2.0}) {
    EXPECT_NEAR(steady.emitted(t), rate * t, 1e-3 * rate);
    EXPECT_NEAR(steady.emission(t), rate * t * t / 2, 1e-3 * rate);
  }
  const ParticleForecast burst(stream(0.5, 1));
  EXPECT_EQ(burst.emitted(0.4), 0);
  EXPECT_NEAR(burst.emitted(0.75), 0.25 * rate, 0.01 * rate);
  EXPECT_NEAR(burst.emitted(1.5), 0.5 * rate, 0.01 * rate);
  EXPECT_NEAR(burst.emission(2), 0.5 * rate * 0.25 + 0.5 * rate, 0.01 * rate);
  Scene still = stream(0, 1);
  still.emitters.clear();
  EXPECT_EQ(ParticleForecast(still).emitted(1), 0);
  still = stream(5, 10);  // after the end
  EXPECT_EQ(ParticleForecast(still).emission(2), 0);
}

TEST(ParticleForecast, CountsCopies) {
  Scene scene = stream(0, 10);
  scene.emitters[0].shape = Box{{0, 0, 0}, {0.1, 0.1, 0.1}};
  scene.emitters[0].direction = {0, -1, 0};
  scene.emitters[0].every = 0.5;
  const ParticleForecast forecast(scene);
  EXPECT_NEAR(forecast.emitted(0.7), 2 * 8000, 1);
  EXPECT_NEAR(forecast.emitted(1.7), 4 * 8000, 1);
}

// where the work of a step is that of its particles, the estimate is right from the start
TEST(RemainingTime, CountsWhatEmittersWillAdd) {
  const Scene scene = stream(0, 10);
  RemainingTime remaining(scene);
  EXPECT_LT(remaining.estimate(0, 0, 2, 0), 0);
  const double dt = 1e-3, work = 1e-6;  // seconds for each particle and step
  double elapsed = 0, whole = 0;
  const auto cost = [&](double t) { return work * (rate * t + 1000); };
  for (double t = 0; t < 2; t += dt) whole += cost(t);
  for (int k = 0; k < 2000; ++k) {
    const double t = k * dt;
    remaining.add(dt, rate * t);
    elapsed += cost(t);
    if (k == 100 || k == 1000 || k == 1900) {
      EXPECT_NEAR(remaining.estimate(elapsed, t + dt, 2, rate * (t + dt)), whole - elapsed, 0.02 * whole)
          << k;
    }
  }
  EXPECT_NEAR(remaining.estimate(elapsed, 2, 2, rate * 2), 0, 1e-9);
}

}  // namespace
}  // namespace dollop
