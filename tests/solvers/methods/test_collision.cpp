// Two blocks of different materials collide: momentum passes from one to the other, energy only shrinks.
#include <gtest/gtest.h>

#include "solvers/bodies.h"
#include "worse_of.h"

namespace dollop {
namespace {

using namespace tests;

template <class S>
class Collision : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Collision, Scalars);

// soft rubber from the left, a clay that is heavier, stiffer and slower from the right, not quite head on
template <class S>
Scene two_blocks(Kernel kernel, Transfer transfer, const std::string& second_model) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = sanitized ? 0.04 : 0.02, s.kernel = kernel, s.transfer = transfer, s.gravity = {0, 0, 0},
  s.precision = precision_of<S>;
  s.dt_safety = 0.5;
  scene.materials = {elastic("rubber", 900, 4e4, 0.35), elastic("clay", 1800, 1e5, 0.3, second_model)};
  if (second_model == "von-mises") scene.materials[1].parameters["yield_stress"] = 2e3;
  scene.bodies = {{.material = "rubber",
                   .shape = Box{.center = {-0.12, 0, 0}, .size = {0.16, 0.12, 0.12}},
                   .velocity = {1.5, 0, 0},
                   .angular_velocity = {0, 0, 2}},
                  {.material = "clay",
                   .shape = Box{.center = {0.13, 0.03, 0.01}, .size = {0.16, 0.12, 0.08}},
                   .velocity = {-0.5, 0, 0}}};
  return scene;
}

Double3 momentum_of(const ParticleData& p) {
  Double3 sum{};
  for (std::size_t i = 0; i < p.id.size(); ++i) sum = plus(sum, times(p.mass[i], p.velocity[i]));
  return sum;
}

struct Outcome {
  double exchanged, imbalance, drift;  // momenta relative to that of the rubber at first
  double energy_gain, energy_left;     // largest rise above the start, and the end, relative to the start
};

template <class S>
Outcome collide(Kernel kernel, Transfer transfer, const std::string& second_model) {
  TypedSimulation<S> run(two_blocks<S>(kernel, transfer, second_model));
  each_particle(run, [](auto&, std::size_t, const Double3&) {});  // sorts
  const auto energy = [&] {
    const Metrics m = run.metrics();
    return m.kinetic_energy + m.elastic_energy + affine_energy(run);
  };
  const Double3 rubber = momentum_of(run.particles("rubber")), clay = momentum_of(run.particles("clay"));
  const double scale = length(rubber), start = energy();
  Outcome o{};
  for (int k = 1; k <= 60; ++k) {
    const AdvanceReport report = run.advance_to(0.005 * k);
    EXPECT_TRUE(report.ok()) << describe(report.last);
    const Double3 given = minus(momentum_of(run.particles("rubber")), rubber);
    const Double3 taken = minus(momentum_of(run.particles("clay")), clay);
    o.exchanged = std::max(o.exchanged, length(given) / scale);
    o.imbalance = tests::worse_of(o.imbalance, length(plus(given, taken)) / scale);
    o.energy_gain = tests::worse_of(o.energy_gain, energy() / start - 1);
    o.energy_left = energy() / start;
  }
  o.drift = length(minus(run.metrics().momentum, plus(rubber, clay))) / scale;
  std::printf("%s %s %s: exchanged %.3f of the momentum, imbalance %.1g; energy gain %.1g, left %.3f\n",
              name_of(kernel).c_str(), name_of(transfer).c_str(), second_model.c_str(), o.exchanged,
              o.imbalance, o.energy_gain, o.energy_left);
  return o;
}

TYPED_TEST(Collision, exchanges_momentum_exactly_and_gains_no_energy) {
  using S = TypeParam;
  for (const Kernel kernel : all_kernels)
    for (const Transfer transfer : {Transfer::apic, Transfer::flip, Transfer::fading})
      for (const char* model : {"hencky", "von-mises"}) {
        if (sanitized && (transfer == Transfer::flip) != (kernel == Kernel::cubic)) continue;
        const Outcome o = collide<S>(kernel, transfer, model);
        EXPECT_GT(o.exchanged, 0.5);
        EXPECT_LT(o.imbalance, either<S>(1e-5, 1e-11));
        EXPECT_LT(o.drift, either<S>(1e-5, 1e-11));
        EXPECT_LT(o.energy_gain, 2e-3);
        // clay turns most into heat; wide cells smooth much of the rest away
        EXPECT_GT(o.energy_left, model == std::string("hencky") && !sanitized ? 0.5 : 0.1);
      }
}

// Two brittle blocks shatter: the crumbs fly apart and gain nothing by it.                             (TEAR.9)
TYPED_TEST(Collision, crumbs_gain_no_energy) {
  using S = TypeParam;
  for (const Kernel kernel : all_kernels) {
    Scene scene;
    Settings& settings = scene.settings;
    settings.cell_size = 0.01, settings.kernel = kernel, settings.gravity = {0, 0, 0};
    settings.precision = precision_of<S>;
    Material crust{.name = "crust", .model = "herschel-bulkley", .parameters = {}};
    crust.parameters = {
        {"density", 50},         {"young_modulus", 130106}, {"poisson_ratio", 0.301061},
        {"yield_stress", 1000},  {"viscosity", 0.1},        {"power", 1},
        {"tear_threshold", 0.3}, {"weak_strain", 2}};  // the toasted crust of a marshmallow, but it does not recover
    scene.materials = {crust};
    for (const double side : {-1, 1})
      scene.bodies.push_back({.material = "crust",
                              .shape = Box{.center = {0.035 * side, 0, 0}, .size = {0.04, 0.04, 0.04}},
                              .velocity = {-3 * side, 0, 0}});
    TypedSimulation<S> run(scene);
    double least = 1, gained = 0;
    const auto energy = [&] {
      const Metrics m = run.metrics();
      return m.kinetic_energy + m.elastic_energy + affine_energy(run);
    };
    const double start = energy();
    for (int k = 1; k <= (sanitized ? 8 : 40); ++k) {
      ASSERT_TRUE(run.advance_to(0.002 * k).ok());
      const double now = energy() / start;
      gained = tests::worse_of(gained, now - least);
      least = std::min(least, now);
    }
    EXPECT_LT(gained, 0.01) << name_of(kernel);
    EXPECT_LT(least, 0.2) << name_of(kernel);
    EXPECT_GT(run.metrics().weak, 100u);
  }
}

}  // namespace
}  // namespace dollop
