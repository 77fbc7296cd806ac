// Tearing, removal and resampling inside a run: a bar of foam is pulled apart.
#include <dollop/dollop.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <sstream>

#include "solvers/bodies.h"
#include "solvers/phases/sampling_phase.h"

namespace dollop {
namespace {

using namespace tests;

// two sticky grips pull a bar apart at 1 m/s; it becomes 1.6 times as long in 0.06 s
Scene pulled_bar(Precision precision = Precision::single_precision, Transfer transfer = Transfer::flip) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = 0.01, s.precision = precision, s.transfer = transfer, s.gravity = {};
  s.resample_every = 15;
  scene.materials = {{"foam",
                      "herschel-bulkley",
                      {{"density", 500},
                       {"shear_modulus", 2000},
                       {"bulk_modulus", 2e4},
                       {"yield_stress", 60},
                       {"viscosity", 5},
                       {"power", 0.6},
                       {"tear_threshold", 3},
                       {"recovery_time", 0.3},
                       {"removal_ratio", 1e-3}}}};
  scene.bodies = {{.material = "foam", .shape = Box{{0, 0, 0}, {0.2, 0.06, 0.06}}}};
  scene.colliders = {
      {.name = "left", .shape = Box{{-0.1, 0, 0}, {0.04, 0.1, 0.1}}, .contact = ContactKind::sticky},
      {.name = "right",
       .shape = Box{{0.1, 0, 0}, {0.04, 0.1, 0.1}},
       .contact = ContactKind::sticky,
       .motion = {.velocity = {1, 0, 0}}}};
  return scene;
}
constexpr double pull_time = sanitized ? 0.01 : 0.06;

Metrics run(const Scene& scene, double until = pull_time) {
  Simulation simulation(scene);
  const AdvanceReport report = simulation.advance_to(until);
  EXPECT_TRUE(report.ok()) << describe(report.last);
  return simulation.metrics();
}

TEST(SamplingPhase, fills_a_bar_that_is_pulled) {
  if (sanitized) GTEST_SKIP() << "nothing opens in so short a time";
  const Metrics m = run(pulled_bar());
  EXPECT_GT(m.inserted, 100u);
  EXPECT_LT(m.mass_error, 1e-6);
  EXPECT_EQ(m.particles, 5760 + m.inserted - m.merged - m.removed);
  // energy is only ever taken away, and little of it
  EXPECT_LE(m.resample_energy, 0);
  EXPECT_LT(-m.resample_energy, 0.05 * (m.kinetic_energy + m.elastic_energy));
  EXPECT_GT(m.weak, 0u);

  Scene off = pulled_bar();
  off.settings.resample_every = 0;
  const Metrics without = run(off);
  EXPECT_EQ(without.inserted, 0u);
  EXPECT_EQ(without.particles, 5760 - without.removed);
}

// The bar is filled as before, but its new particles move with the mean of four cells: momentum and energy show it.
TEST(SamplingPhase, takes_fields_from_the_grid_on_request) {
  if (sanitized) GTEST_SKIP() << "nothing opens in so short a time";
  Scene scene = pulled_bar();
  const Metrics donors = run(scene);
  scene.settings.resample_fields = ResampleFields::grid;
  const Metrics grid = run(scene);
  EXPECT_NEAR(double(grid.inserted), double(donors.inserted), 0.1 * double(donors.inserted));
  EXPECT_LT(grid.mass_error, 1e-6);
  EXPECT_NE(grid.resample_energy, donors.resample_energy);
  EXPECT_LT(std::fabs(grid.resample_energy), 0.05 * (grid.kinetic_energy + grid.elastic_energy));
}

TEST(SamplingPhase, is_due_by_strain_too) {
  if (sanitized) GTEST_SKIP() << "nothing opens in so short a time";
  Scene scene = pulled_bar();
  scene.settings.resample_every = 0, scene.settings.resample_strain = 0.1;
  EXPECT_GT(run(scene).inserted, 100u);
  scene.settings.resample_strain = 1e9;
  EXPECT_EQ(run(scene).inserted, 0u);
}

// two bars in the same place become one, unless that is switched off
TEST(SamplingPhase, merges_unless_told_not_to) {
  Scene scene = pulled_bar();
  scene.colliders.clear();
  scene.bodies.push_back(scene.bodies[0]);
  for (const bool merge : {true, false}) {
    scene.settings.resample_merge = merge;
    TypedSimulation<float> run(scene);
    const double dt = run.stable_dt();
    for (int k = 0; k < 15; ++k) ASSERT_TRUE(run.step(dt).ok());
    EXPECT_EQ(run.metrics().merged, merge ? 5760u : 0u);
    EXPECT_EQ(run.metrics().particles, merge ? 5760u : 11520u);
  }
}

// a finer search finds more of the gaps that open between two calls; without a choice the strain since decides
TEST(SamplingPhase, depth_of_the_search) {
  if (sanitized) GTEST_SKIP() << "nothing opens in so short a time";
  struct Result {
    std::uint64_t hash, inserted;
    double strain;  // most between two calls
  };
  const auto result = [](int every, int depth) {
    Scene scene = pulled_bar();
    scene.settings.resample_every = every, scene.settings.resample_depth = depth;
    TypedSimulation<float> run(scene);
    double most = 0;
    const AdvanceReport report = run.advance_to(pull_time, [&](const StepReport& step) {
      most = std::max(most, step.max_increment + run.state().strain_since);
      return true;
    });
    EXPECT_TRUE(report.ok());
    return Result{run.state_hash(), run.metrics().inserted, most};
  };
  const Result rare = result(60, 0), often = result(2, 0);
  EXPECT_GT(rare.strain, fine_search_strain);
  EXPECT_LT(often.strain, fine_search_strain);
  const Result coarse = result(60, 1), usual = result(60, 3), fine = result(60, 4);
  EXPECT_GT(usual.inserted, coarse.inserted);
  EXPECT_GT(fine.inserted, usual.inserted);
  EXPECT_EQ(rare.hash, fine.hash);
  EXPECT_EQ(often.hash, result(2, 3).hash);
}

TEST(SamplingPhase, every_transfer_and_plastic_model) {
  for (const Transfer transfer : all_transfers) {
    Scene scene = pulled_bar(Precision::single_precision, transfer);
    EXPECT_LT(run(scene).mass_error, 1e-6) << name_of(transfer);
  }
  Scene clay = pulled_bar();
  clay.materials = {{"foam",
                     "von-mises",
                     {{"density", 500},
                      {"shear_modulus", 2000},
                      {"bulk_modulus", 2e4},
                      {"yield_stress", 60},
                      {"tear_threshold", 1}}}};
  const Metrics m = run(clay);
  EXPECT_LT(m.mass_error, 1e-6);
  EXPECT_TRUE(sanitized || m.weak > 0);
  EXPECT_TRUE(sanitized || m.inserted > 0);
  // an elastic bar that is stretched is filled as well
  Scene rubber = pulled_bar();
  rubber.materials = {elastic("foam", 500, 2e4, 0.4)};
  const Metrics r = run(rubber);
  EXPECT_TRUE(sanitized || r.inserted > 0);
  EXPECT_LT(r.mass_error, 1e-6);
}

TEST(SamplingPhase, same_bits_at_any_number_of_threads_and_after_a_restart) {
  for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
    Scene scene = pulled_bar(precision);
    scene.settings.threads = 1;
    Simulation one(scene);
    ASSERT_TRUE(one.advance_to(pull_time).ok());
    EXPECT_TRUE(sanitized || one.metrics().inserted > 0);
    for (const int threads : {2, 8}) {
      scene.settings.threads = threads;
      Simulation many(scene);
      int steps = 0;
      many.advance_to(pull_time, [&](const StepReport&) { return ++steps < 47; });
      std::stringstream file;
      many.save(file);
      Simulation again(scene);
      again.restore(file);
      ASSERT_TRUE(again.advance_to(pull_time).ok());
      EXPECT_EQ(again.state_hash(), one.state_hash()) << threads;
      EXPECT_EQ(again.metrics().inserted, one.metrics().inserted);
      EXPECT_EQ(again.metrics().resample_energy, one.metrics().resample_energy);
    }
  }
}

// crumbs of torn material are taken out, and counted; the same crumbs that are whole stay
TEST(SamplingPhase, removes_torn_crumbs) {
  for (const bool torn : {true, false}) {
    Scene scene = pulled_bar();
    scene.colliders.clear();
    scene.bodies.push_back({.material = "foam", .shape = Box{{0.5, 0.0025, 0.0025}, {0.01, 0.004, 0.004}}});
    TypedSimulation<float> run(scene);
    auto& group = run.state().particles.groups()[0];
    const std::size_t n = group.size(), crumb = n - 5760;
    ASSERT_GT(crumb, 0u);
    ASSERT_LE(crumb, 3u);
    const double each = 500 * 1e-6 / 8;
    // beyond the threshold: B = diag(9, 1/3, 1/3)
    const int total = group.find("total")->first, weak = group.find("weak")->first;
    for (std::size_t i = 0; i < n && torn; ++i) {
      group.reals(total)[i] = 8, group.reals(total + 1)[i] = group.reals(total + 2)[i] = 1 / 3.f - 1;
      group.reals(weak)[i] = 1;
    }
    const double dt = run.stable_dt();
    for (int k = 0; k < 10; ++k) ASSERT_TRUE(run.step(dt).ok());
    const Metrics m = run.metrics();
    EXPECT_EQ(m.removed, torn ? crumb : 0u);
    EXPECT_NEAR(m.removed_mass, torn ? double(crumb) * each : 0, 1e-6 * each);
    EXPECT_EQ(m.particles, n - m.removed);
    EXPECT_LT(m.mass_error, 1e-6);
  }
}

// a bar with two skins; it does not matter what the bar is made of
void expect_layers(const Shape& bar) {
  Scene scene = pulled_bar();
  scene.colliders.clear();
  scene.materials.push_back({"crust", "herschel-bulkley", {{"density", 800}}});
  scene.materials.push_back({"icing", "von-mises", {{"density", 300}}});
  scene.bodies[0].shape = bar;
  scene.bodies[0].layers = {{"icing", 0.005}, {"crust", 0.015}};
  const Simulation simulation(scene);
  const auto depth = [](const Double3& x) {
    return std::min({0.1 - std::fabs(x[0]), 0.03 - std::fabs(x[1]), 0.03 - std::fabs(x[2])});
  };
  std::size_t count = 0;
  for (const auto& [material, low, high] :
       {std::tuple{"icing", 0.0, 0.005}, {"crust", 0.005, 0.015}, {"foam", 0.015, 1.0}}) {
    const ParticleData data = simulation.particles(material);
    EXPECT_GT(data.id.size(), 100u) << material;
    std::size_t elsewhere = 0;
    for (const Double3& x : data.position) elsewhere += !(depth(x) >= low && depth(x) < high);
    EXPECT_EQ(elsewhere, 0u) << material;
    count += data.id.size();
  }
  EXPECT_EQ(count, 5760u);
  EXPECT_NEAR(simulation.particles("icing").mass[0], 300 * 1e-6 / 8, 1e-6 * 3.75e-5);
}

TEST(Layers, of_a_body) { expect_layers(Box{{0, 0, 0}, {0.2, 0.06, 0.06}}); }

TEST(Layers, of_a_body_of_two_parts) {
  expect_layers(Union{{Box{{-0.05, 0, 0}, {0.1, 0.06, 0.06}}, Box{{0.05, 0, 0}, {0.1, 0.06, 0.06}}}});
}

TEST(Layers, of_a_stretched_body) {
  const auto cube = std::make_shared<const Shape>(Box{{0, 0, 0}, {0.06, 0.06, 0.06}});
  expect_layers(Placed{cube, identity_rotation, {0, 0, 0}, {0.2 / 0.06, 1, 1}});
}

// A bar as long as the period has no ends; nor has one that is longer, or lies across the border of the domain. One that
// is a little shorter has.
TEST(Layers, go_on_across_the_border_of_a_periodic_domain) {
  for (const auto& [center, length, ends] : {std::tuple{0.0, 0.2, false},
                                             {0.07, 0.2, false},
                                             {0.0, 0.5, false},
                                             {0.0, 0.18, true},
                                             {0.1, 0.18, true}}) {
    Scene scene = pulled_bar();
    scene.colliders.clear();
    scene.domain = Domain{.min = {-0.1, -1, -1}, .max = {0.1, 1, 1}, .periodic = {true, false, false}};
    scene.materials.push_back({"icing", "von-mises", {{"density", 300}}});
    scene.bodies[0].shape = Box{{center, 0, 0}, {length, 0.06, 0.06}};
    scene.bodies[0].layers = {{"icing", 0.015}};
    const Simulation simulation(scene);
    const auto depth = [&, c = center, l = length, open = ends](const Double3& x) {
      const double along = open ? 0.5 * l - std::fabs(std::remainder(x[0] - c, 0.2)) : 1;
      return std::min({along, 0.03 - std::fabs(x[1]), 0.03 - std::fabs(x[2])});
    };
    for (const Double3& x : simulation.particles("icing").position) EXPECT_LT(depth(x), 0.015);
    for (const Double3& x : simulation.particles("foam").position) EXPECT_GT(depth(x), 0.015);
    EXPECT_GT(simulation.particles("foam").id.size(), 1000u);
  }
}

// a skin deeper than the body is all of it, and takes no longer for that
TEST(Layers, may_be_deeper_than_the_body_and_the_period) {
  Scene scene = pulled_bar();
  scene.colliders.clear();
  scene.domain = Domain{.min = {-0.1, -1, -1}, .max = {0.1, 1, 1}, .periodic = {true, false, false}};
  scene.materials.push_back({"icing", "von-mises", {{"density", 300}}});
  scene.bodies[0].shape = Box{{0, 0, 0}, {0.2, 0.06, 0.06}};
  scene.bodies[0].layers = {{"icing", 1e9}};
  EXPECT_EQ(Simulation(scene).particles("foam").id.size(), 0u);
}

// with flip_dt the damping in a time does not depend on the steps that it is made of
TEST(FlipDt, damping_is_that_of_the_time) {
  const auto energy_after = [](double flip_dt, double dt) {
    Scene scene;
    scene.settings.cell_size = 0.05, scene.settings.transfer = Transfer::flip, scene.settings.gravity = {};
    scene.settings.flip_dt = flip_dt, scene.settings.flip_ratio = 0.9;
    scene.materials = {elastic("soft", 1000, 1e-3, 0.0)};
    scene.bodies = {{.material = "soft", .shape = Box{{0, 0, 0}, {0.4, 0.4, 0.4}}}};
    TypedSimulation<double> run(scene);
    // short waves, which PIC smooths
    set_velocity(
        run,
        [](const Double3& x) {
          return Double3{0, 1e-3 * std::sin(40 * x[0]), 0};
        },
        [](const Double3&) { return std::array<Double3, 3>{}; });
    const double before = run.metrics().kinetic_energy;
    for (int k = 0; k < int(std::lround(0.012 / dt)); ++k) EXPECT_TRUE(run.step(dt).ok());
    return run.metrics().kinetic_energy / before;
  };
  const double coarse = energy_after(2e-3, 2e-3), fine = energy_after(2e-3, 5e-4);
  EXPECT_LT(coarse, 0.6);
  EXPECT_NEAR(fine, coarse, 0.03 * coarse);
  EXPECT_LT(energy_after(0, 5e-4), 0.8 * coarse);  // per step: four times as many
}

// a particle of FLIP that is put back on a floor loses the velocity into it
TEST(FlipContact, particles_at_a_surface_obey_the_rule) {
  Scene scene;
  scene.settings.cell_size = 0.02, scene.settings.transfer = Transfer::flip, scene.settings.flip_ratio = 1;
  scene.settings.gravity = {};
  scene.materials = {elastic("soft", 1000, 1e2, 0.3)};
  scene.bodies = {
      {.material = "soft", .shape = Box{{0, 0.041, 0}, {0.08, 0.08, 0.08}}, .velocity = {0, -1, 0}}};
  scene.colliders = {{.name = "floor", .shape = Plane{}, .contact = ContactKind::separate}};
  Simulation simulation(scene);
  ASSERT_TRUE(simulation.advance_to(0.06).ok());
  const ParticleData data = simulation.particles("soft");
  std::size_t touching = 0;
  for (std::size_t i = 0; i < data.id.size(); ++i)
    if (data.position[i][1] < 1e-6) {
      ++touching;
      EXPECT_GT(data.velocity[i][1], -0.2) << i;
    }
  EXPECT_GT(touching, 0u);
}

}  // namespace
}  // namespace dollop
