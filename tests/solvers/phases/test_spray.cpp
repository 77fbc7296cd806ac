// Particles that fly alone or in crumbs: blocks with few particles, and islands.
#include <dollop/dollop.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"

namespace dollop {
namespace {

// crumbs of one to eight particles in a cube of 60 cells, which fly in all directions
Scene spray(Kernel kernel, Transfer transfer, int crumbs, double speed) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = 0.01, s.kernel = kernel, s.transfer = transfer;
  scene.materials = {{"jelly", "neo-hookean", {{"young_modulus", 5e4}, {"poisson_ratio", 0.3}}}};
  const double counts[] = {1, 1, 2, 4, 8};
  for (int n = 0; n < crumbs; ++n) {
    const auto random = [&](std::uint64_t k) { return 2 * random_uniform(17, k, std::uint64_t(n)) - 1; };
    scene.bodies.push_back(
        {.material = "jelly",
         .shape = Box{{0.3 * random(0), 0.4 + 0.3 * random(1), 0.3 * random(2)}, {0.0102, 0.0102, 0.0102}},
         .particles_per_cell = counts[n % 5],
         .velocity = {speed * random(3), speed * random(4), speed * random(5)}});
  }
  return scene;
}

double length(const Double3& a) { return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

TEST(Spray, falls_freely) {
  for (const Kernel kernel : {Kernel::quadratic, Kernel::cubic})
    for (const Transfer transfer : {Transfer::apic, Transfer::flip, Transfer::fading}) {
      Scene scene = spray(kernel, transfer, 40, 0);
      scene.settings.max_dt = 2e-4;
      Simulation simulation(scene);
      const Double3 before = simulation.metrics().center_of_mass;
      ASSERT_TRUE(simulation.advance_to(0.25).ok());
      const Double3 after = simulation.metrics().center_of_mass;
      const double fallen = 0.5 * 9.81 * 0.25 * 0.25;
      EXPECT_NEAR(before[1] - after[1], fallen, 1e-3 * fallen);
      EXPECT_NEAR(after[0], before[0], 1e-6);
      EXPECT_NEAR(after[2], before[2], 1e-6);
    }
}

// crumbs meet all the time here: islands join and break up, and the momentum stays
TEST(Spray, keeps_its_momentum) {
  for (const Kernel kernel : {Kernel::quadratic, Kernel::cubic})
    for (const Transfer transfer : {Transfer::apic, Transfer::flip, Transfer::fading}) {
      Scene scene = spray(kernel, transfer, 200, 1.5);
      scene.settings.gravity = {0, 0, 0};
      Simulation simulation(scene);
      const Metrics before = simulation.metrics();
      ASSERT_TRUE(simulation.advance_to(0.25).ok());
      const Metrics after = simulation.metrics();
      const double scale = before.mass * 1.5;
      Double3 change;
      for (std::size_t d = 0; d < 3; ++d) change[d] = after.momentum[d] - before.momentum[d];
      EXPECT_LT(length(change), 2e-5 * scale);
      EXPECT_LT(after.kinetic_energy, before.kinetic_energy * 1.0001);
      EXPECT_LT(after.mass_error, 1e-9);
    }
}

TEST(Spray, lands_on_the_floor_with_its_whole_impulse) {
  Scene scene = spray(Kernel::cubic, Transfer::apic, 100, 0.5);
  scene.colliders = {{.name = "floor", .shape = Plane{}, .contact = ContactKind::sticky}};
  Simulation simulation(scene);
  simulation.new_interval();
  const Metrics before = simulation.metrics();
  ASSERT_TRUE(simulation.advance_to(0.6).ok());
  const Metrics after = simulation.metrics();
  // momentum = gravity and the mean force of the floor over this time
  for (std::size_t d = 0; d < 3; ++d) {
    const double weight = d == 1 ? -9.81 * before.mass : 0;
    const double expected = before.momentum[d] + 0.6 * (weight - after.contact_forces.at(0).force[d]);
    EXPECT_NEAR(after.momentum[d], expected, 1e-3 * before.mass * 9.81 * 0.6) << d;
  }
  EXPECT_GT(after.bounds_min[1], -1e-3);
}

TEST(Spray, is_the_same_at_any_number_of_threads) {
  for (const Transfer transfer : {Transfer::apic, Transfer::flip, Transfer::fading}) {
    std::vector<std::uint64_t> hashes;
    for (const int threads : {1, 2, 5}) {
      Scene scene = spray(Kernel::cubic, transfer, 150, 1);
      scene.settings.threads = threads;
      scene.colliders = {{.name = "floor", .shape = Plane{.point = {0, 0.2, 0}}}};
      Simulation simulation(scene);
      ASSERT_TRUE(simulation.advance_to(0.1).ok());
      hashes.push_back(simulation.state_hash());
    }
    EXPECT_EQ(hashes[1], hashes[0]);
    EXPECT_EQ(hashes[2], hashes[0]);
  }
}

}  // namespace
}  // namespace dollop
