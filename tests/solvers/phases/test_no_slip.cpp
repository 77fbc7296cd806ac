// A no-slip wall mirrors the flow along it. Where there is no flow to mirror, at its edges and under a body that only
// touches it, it holds as a sticky one does, and gives no energy.
#include <gtest/gtest.h>

#include "solvers/bodies.h"

namespace dollop {
namespace {

using namespace tests;

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

// Shear flow along a wall whose face is a plane of nodes, with material down to two cells inside: the image continues the
// profile to there, wherever the plane lies in its block of nodes, and on either side.
TEST(NoSlip, continues_a_shear_flow_two_cells_into_the_wall) {
  const double h = 0.01, rate = 2;
  for (const Transfer transfer : {Transfer::apic, Transfer::fading})
    for (const Kernel kernel : all_kernels)
      for (const double up : {1.0, -1.0})
        for (int face = 0; face < 4; ++face) {
          Scene scene;
          Settings& s = scene.settings;
          s.cell_size = h, s.gravity = {0, 0, 0}, s.transfer = transfer, s.kernel = kernel;
          s.precision = Precision::double_precision;
          scene.materials = {elastic("gelatin", 1000, 1, 0)};
          scene.domain = Domain{{0, -1, 0}, {4 * h, 1, 4 * h}, {true, false, true}};
          const double y0 = face * h, middle = y0 + up * 4 * h;  // from -2 to 10 cells
          scene.bodies = {{.material = "gelatin",
                           .shape = Box{.center = {2 * h, middle, 2 * h}, .size = {4 * h, 12 * h, 4 * h}}}};
          scene.colliders = {{.name = "wall",
                              .shape = Plane{.point = {0, y0, 0}, .normal = {0, up, 0}},
                              .contact = ContactKind::no_slip}};
          TypedSimulation<double> run(scene);
          set_linear_velocity(run, {-rate * y0, 0, 0}, {{{0, rate, 0}, {}, {}}});
          for (int k = 0; k < 3; ++k) ASSERT_TRUE(run.step(1e-5).ok());
          double worst = 0;
          each_particle(run, [&](ParticleGroup<double>& group, std::size_t i, const Double3& x) {
            if (up * (x[1] - y0) > 6 * h) return;
            const double u = group.reals(ParticleGroup<double>::velocity)[i];
            worst = std::max(worst, std::fabs(u - rate * (x[1] - y0)));
          });
          EXPECT_LT(worst, 1e-4 * rate * h)
              << name_of(transfer) << ' ' << name_of(kernel) << ' ' << up << ' ' << face;
        }
}

}  // namespace
}  // namespace dollop
