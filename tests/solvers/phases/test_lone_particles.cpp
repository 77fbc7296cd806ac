// Particles that fly alone have no nodes as long as nothing can touch them. They move as if they had.
#include <dollop/dollop.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "core/random.h"
#include "solvers/bodies.h"

namespace dollop {
namespace {

struct Way {
  Kernel kernel;
  Transfer transfer;
  ForceForm forces;
};
std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (const Kernel kernel : {Kernel::quadratic, Kernel::cubic})
    for (const Transfer transfer : tests::all_transfers)
      for (const ForceForm forces : {ForceForm::mls, ForceForm::gradient})
        ways.push_back({kernel, transfer, forces});
  return ways;
}

// Single particles 6 to 9 cells apart that fly down and to all sides, onto a floor, against a paddle that moves
// through them and into a nozzle that opens. Each spins, so that it is strained.
Scene rain(const Way& way, Precision precision, int edge = 5) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = 0.01, s.kernel = way.kernel, s.transfer = way.transfer, s.forces = way.forces;
  s.precision = precision, s.threads = 1;
  scene.materials = {{"jelly", "neo-hookean", {{"young_modulus", 5e4}, {"poisson_ratio", 0.3}}}};
  for (int n = 0; n < edge * edge * edge; ++n) {
    const auto random = [&](std::uint64_t k) { return random_uniform(23, k, std::uint64_t(n)); };
    const auto at = [&](int k, std::uint64_t d) { return 0.09 * k + 0.015 * random(d); };
    scene.bodies.push_back(
        {.material = "jelly",
         .shape = Box{{at(n / edge / edge, 0), 0.06 + at(n / edge % edge, 1), at(n % edge, 2)},
                      {0.0102, 0.0102, 0.0102}},
         .particles_per_cell = 1,
         .velocity = {random(3) - 0.5, -random(4), random(5) - 0.5},
         .angular_velocity = {10 * random(6), 5 * random(7), -10 * random(8)}});
  }
  scene.colliders = {{.name = "floor", .shape = Plane{}, .contact = ContactKind::separate, .friction = 0.4}};
  Collider paddle{
      .name = "paddle", .shape = Box{{-0.1, 0.2, 0.2}, {0.03, 0.3, 0.3}}, .contact = ContactKind::separate};
  paddle.motion.velocity = {2, 0, 0};
  scene.colliders.push_back(paddle);
  scene.emitters = {{.material = "jelly",
                     .shape = Box{{0.2, 0.2, 0.2}, {0.04, 0.05, 0.05}},
                     .direction = {1, 0, 0},
                     .from = 0.04}};
  return scene;
}

// the same with nodes for all particles: there are no islands in scenes with no-slip colliders
Scene with_nodes(Scene scene) {
  scene.colliders.push_back(
      {.name = "far away", .shape = Box{{0, -50, 0}, {1, 1, 1}}, .contact = ContactKind::no_slip});
  return scene;
}

// particles in order of id
ParticleData sorted_particles(const Simulation& simulation) {
  const ParticleData data = simulation.particles("jelly");
  std::vector<std::size_t> order(data.id.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return data.id[a] < data.id[b]; });
  ParticleData sorted;
  for (const std::size_t i : order) {
    sorted.position.push_back(data.position[i]);
    sorted.velocity.push_back(data.velocity[i]);
  }
  return sorted;
}

TEST(LoneParticles, move_as_if_they_had_nodes) {
  for (const Way& way : all_ways()) {
    SCOPED_TRACE(testing::Message() << "kernel " << int(way.kernel) << ", transfer " << int(way.transfer)
                                    << ", forces " << int(way.forces));
    const Scene scene = rain(way, Precision::double_precision, 4);
    Simulation lone(scene), stored(with_nodes(scene));
    // with kernel gradients, nodes of hardly any mass may be so fast that it depends on the nodes around them whether they
    // are looked at for contact
    const double slack = way.forces == ForceForm::gradient ? 1e5 : 1;
    for (const double time : {0.02, 0.1}) {
      ASSERT_TRUE(lone.advance_to(time).ok());
      ASSERT_TRUE(stored.advance_to(time).ok());
      EXPECT_EQ(lone.steps(), stored.steps());
      const ParticleData a = sorted_particles(lone), b = sorted_particles(stored);
      double off = 0, slower = 0;
      for (std::size_t k = 0; k < a.position.size(); ++k)
        for (std::size_t d = 0; d < 3; ++d) {
          off = std::max(off, std::fabs(a.position[k][d] - b.position[k][d]));
          slower = std::max(slower, std::fabs(a.velocity[k][d] - b.velocity[k][d]));
        }
      EXPECT_LT(off, 1e-10 * slack);
      EXPECT_LT(slower, 1e-8 * slack);
      // contact has moved some: they are faster than they were, or no longer fall
      EXPECT_TRUE(time < 0.1 || std::any_of(a.velocity.begin(), a.velocity.end(),
                                            [](const Double3& v) { return v[0] > 1.5; }));
      const Metrics m = lone.metrics(), n = stored.metrics();
      EXPECT_NEAR(m.kinetic_energy, n.kinetic_energy, 1e-9 * slack * n.kinetic_energy);
      for (std::size_t c = 0; c < 2; ++c)
        for (std::size_t d = 0; d < 3; ++d)
          EXPECT_NEAR(m.contact_forces[c].force[d], n.contact_forces[c].force[d], 1e-8 * slack);
    }
  }
}

TEST(LoneParticles, step_that_would_move_one_too_far_is_rejected) {
  for (const Way& way : all_ways()) {
    Scene scene = rain(way, Precision::single_precision);
    scene.colliders.clear();
    scene.bodies[7].velocity = {0, 30, 0};
    Simulation simulation(scene);
    const std::uint64_t before = simulation.state_hash();
    EXPECT_EQ(simulation.step(4e-4).status, Status::too_fast);  // 1.2 cells
    EXPECT_EQ(simulation.state_hash(), before);
    EXPECT_TRUE(simulation.step(3e-4).ok());  // 0.9 cells
  }
}

TEST(LoneParticles, step_that_would_strain_one_too_much_is_rejected) {
  for (const Way& way : all_ways()) {
    if (!carries_affine_velocity(way.transfer)) continue;  // others do not store spin
    Scene scene = rain(way, Precision::single_precision);
    scene.colliders.clear();
    scene.bodies[7].angular_velocity = {0, 0, 1000};
    Simulation simulation(scene);
    const std::uint64_t before = simulation.state_hash();
    EXPECT_EQ(simulation.step(4e-4).status, Status::strained);  // dt |grad v| = 0.57
    EXPECT_EQ(simulation.state_hash(), before);
    EXPECT_TRUE(simulation.step(3e-4).ok());
  }
}

TEST(LoneParticles, are_the_same_at_any_number_of_threads_and_after_a_restart) {
  for (const Transfer transfer : {Transfer::apic, Transfer::flip, Transfer::fading}) {
    std::vector<std::uint64_t> hashes;
    for (const int threads : {1, 2, 5}) {
      Scene scene = rain({Kernel::cubic, transfer, ForceForm::mls}, Precision::single_precision, 7);
      scene.settings.threads = threads;
      Simulation simulation(scene), resumed(scene);
      ASSERT_TRUE(simulation.advance_to(0.05).ok());
      std::stringstream saved;
      simulation.save(saved);
      resumed.restore(saved);
      ASSERT_TRUE(simulation.advance_to(0.1).ok());
      ASSERT_TRUE(resumed.advance_to(0.1).ok());
      hashes.push_back(simulation.state_hash());
      hashes.push_back(resumed.state_hash());
    }
    for (const std::uint64_t hash : hashes) EXPECT_EQ(hash, hashes[0]);
  }
}

}  // namespace
}  // namespace dollop
