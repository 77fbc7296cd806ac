// The state is the same to the last bit whatever the number of threads.
#include <gtest/gtest.h>

#include "solvers/bodies.h"

namespace dollop {
namespace {

using namespace tests;

// two materials that meet above a floor with friction, one spinning, beside a turning cylinder
Scene busy_scene(Kernel kernel, Transfer transfer, Precision precision, int threads) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = 0.03, s.kernel = kernel, s.transfer = transfer, s.precision = precision, s.threads = threads;
  scene.materials = {
      elastic("jelly", 1000, 2e4, 0.4),
      {"clay", "von-mises", {{"density", 1500}, {"young_modulus", 1e5}, {"yield_stress", 800}}}};
  scene.bodies = {{.material = "jelly",
                   .shape = Box{.center = {0, 0.1, 0}, .size = {0.2, 0.16, 0.2}},
                   .velocity = {0.3, -1, 0}},
                  {.material = "clay",
                   .shape = Sphere{.center = {0.03, 0.29, 0.02}, .radius = 0.1},
                   .velocity = {0, -2, 0},
                   .angular_velocity = {4, 10, -6}}};
  scene.colliders = {{.name = "floor", .shape = Plane{}, .friction = 0.4},
                     {.name = "roller",
                      .shape = Cylinder{.center = {0.2, 0.05, 0}, .axis = {0, 0, 1}, .radius = 0.08},
                      .friction = 0.6,
                      .motion = {.angular_velocity = {0, 0, 8}, .pivot = {0.2, 0.05, 0}}}};
  return scene;
}

struct Fingerprint {
  std::uint64_t hash;
  double time, max_speed;
};

Fingerprint run_busy_scene(Kernel kernel, Transfer transfer, Precision precision, int threads, int steps,
                           int damping_trips = 0) {
  Scene scene = busy_scene(kernel, transfer, precision, threads);
  scene.settings.damping_trips = damping_trips;
  Simulation simulation(scene);
  for (int k = 0; k < steps; ++k) {
    const StepReport report = simulation.step(0.8 * simulation.stable_dt());
    EXPECT_TRUE(report.ok()) << describe(report);
  }
  return {simulation.state_hash(), simulation.time(), simulation.metrics().max_speed};
}

struct Case {
  Kernel kernel;
  Transfer transfer;
  Precision precision;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Kernel k : all_kernels)
    for (const Transfer t : all_transfers)
      for (const Precision p : {Precision::single_precision, Precision::double_precision})
        if (!sanitized || (t == Transfer::apic) == (p == Precision::single_precision))
          all.push_back({k, t, p});
  return all;
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  return name_of(info.param.kernel) + "_" + name_of(info.param.transfer) +
         (info.param.precision == Precision::double_precision ? "_double" : "_float");
}

class Determinism : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Methods, Determinism, testing::ValuesIn(cases()), case_name);

TEST_P(Determinism, any_number_of_threads_gives_the_same_bits) {
  const Case& c = GetParam();
  const int steps = sanitized ? 10 : 200;
  const Fingerprint one = run_busy_scene(c.kernel, c.transfer, c.precision, 1, steps);
  for (const int threads : {2, 3, 8}) {
    const Fingerprint many = run_busy_scene(c.kernel, c.transfer, c.precision, threads, steps);
    EXPECT_EQ(many.hash, one.hash) << threads << " threads";
    EXPECT_EQ(many.time, one.time);
    EXPECT_EQ(many.max_speed, one.max_speed);
  }
}

TEST(SubcycledDeterminism, any_number_of_threads_gives_the_same_bits) {
  const auto hash = [](int threads) {
    Scene scene = busy_scene(Kernel::cubic, Transfer::apic, Precision::single_precision, threads);
    scene.settings.solver = "subcycled";
    Simulation run(scene);
    EXPECT_TRUE(run.advance_to(sanitized ? 0.01 : 0.1).ok());
    return run.state_hash();
  };
  const std::uint64_t one = hash(1);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(hash(threads), one) << threads << " threads";
}

TEST(Determinism, of_round_trips_does_not_depend_on_the_number_of_threads) {
  for (const Transfer transfer : {Transfer::apic, Transfer::fading}) {
    const auto run = [&](int threads, int trips) {
      return run_busy_scene(Kernel::cubic, transfer, Precision::single_precision, threads, 20, trips).hash;
    };
    const std::uint64_t one = run(1, 3);
    EXPECT_EQ(run(2, 3), one);
    EXPECT_EQ(run(8, 3), one);
    EXPECT_NE(run(1, 0), one);
  }
}

TEST(StateHash, sees_a_single_bit_of_any_column) {
  TypedSimulation<float> run(busy_scene(Kernel::quadratic, Transfer::apic, Precision::single_precision, 1));
  each_particle(run, [](auto&, std::size_t, const Double3&) {});  // sorts
  const std::uint64_t hash = run.state_hash();
  auto& group = run.state().particles.groups()[1];
  for (int column = 0; column < group.array_count(); ++column) {
    float& value = group.reals(column)[7];
    const float old = std::exchange(value, std::nextafter(value, 1e30f));
    EXPECT_NE(run.state_hash(), hash) << "column " << column;
    value = old;
  }
  EXPECT_EQ(run.state_hash(), hash);
}

}  // namespace
}  // namespace dollop
