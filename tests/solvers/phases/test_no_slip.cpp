// A no-slip wall mirrors the flow along it. Where there is no flow to mirror, at its edges and under a body that only
// touches it, it holds as a sticky one does, and gives no energy.
#include <dollop/dollop.h>
#include <gtest/gtest.h>

namespace dollop {
namespace {

// what a soft block that is thrown has left of its energy after 0.2 s
double energy_left(const Double3& center, const Double3& velocity, Transfer transfer, ContactKind contact) {
  Scene scene;
  scene.settings.cell_size = 0.02, scene.settings.gravity = {0, 0, 0}, scene.settings.transfer = transfer;
  scene.materials = {{"gelatin", "neo-hookean", {{"density", 1000}, {"young_modulus", 1e4}}}};
  scene.bodies = {{.material = "gelatin", .shape = Box{center, {0.06, 0.06, 0.06}}, .velocity = velocity}};
  scene.colliders = {{.name = "box", .shape = Box{.size = {0.07, 0.07, 0.07}}, .contact = contact}};
  Simulation run(scene);
  const double before = run.metrics().kinetic_energy;
  EXPECT_TRUE(run.advance_to(0.2).ok());
  EXPECT_EQ(run.metrics().rejected_steps, 0);
  return (run.metrics().kinetic_energy + run.metrics().elastic_energy) / before;
}

TEST(NoSlip, makes_no_energy_at_edges) {
  for (const Transfer transfer :
       {Transfer::pic, Transfer::flip, Transfer::apic, Transfer::rpic, Transfer::fading}) {
    // half of it inside, and on its way out
    EXPECT_LT(energy_left({0.02, 0.05, 0.01}, {0, 0.5, 0}, transfer, ContactKind::no_slip), 1)
        << int(transfer);
    // thrown at it from outside
    EXPECT_LT(energy_left({0.02, 0.07, 0.01}, {0, -0.5, 0}, transfer, ContactKind::no_slip), 1)
        << int(transfer);
  }
}

}  // namespace
}  // namespace dollop
