// What colliders feel: weights, momentum balance, torque.
#include <dollop/dollop.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <ostream>

#include "solvers/rheometer/rheometer.h"

namespace dollop {
namespace {

Scene block_on_ground(ContactKind contact) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = 0.02, s.kernel = Kernel::quadratic, s.threads = 1;
  scene.materials = {{"jelly", "neo-hookean", {{"density", 800}, {"young_modulus", 5e4}}}};
  scene.bodies = {{.material = "jelly", .shape = Box{{0, 0.05, 0}, {0.1, 0.1, 0.1}}}};
  scene.colliders = {{.name = "ground", .shape = Plane{}, .contact = contact}};
  return scene;
}

const ContactForce& force_on(const Metrics& m, const std::string& name) {
  for (const ContactForce& f : m.contact_forces)
    if (f.collider == name) return f;
  throw std::runtime_error("no such collider");
}

TEST(ContactForce, IsTheWeightOfABodyAtRest) {
  Simulation run(block_on_ground(ContactKind::sticky));
  ASSERT_TRUE(run.advance_to(0.4).ok());  // long enough for most of the ringing
  run.new_interval();
  ASSERT_TRUE(run.advance_to(1.0).ok());
  const Metrics m = run.metrics();
  const double weight = m.mass * 9.81;
  EXPECT_NEAR(m.mass, 0.8, 1e-6);
  EXPECT_NEAR(force_on(m, "ground").force[1], -weight, 0.02 * weight);
  EXPECT_NEAR(force_on(m, "ground").force[0], 0, 0.01 * weight);
}

// force times time is the change of momentum less what gravity gave
TEST(ContactForce, BalancesMomentumExactly) {
  for (const ContactKind contact : {ContactKind::sticky, ContactKind::slip, ContactKind::separate}) {
    Scene scene = block_on_ground(contact);
    scene.bodies[0].velocity = {0.5, -1, 0.2};
    scene.colliders[0].friction = 0.3;
    scene.colliders.push_back({.name = "wall", .shape = Plane{{0.065, 0, 0}, {-1, 0, 0}}});
    scene.settings.precision = Precision::double_precision;
    Simulation run(scene);
    const Metrics before = run.metrics();
    ASSERT_TRUE(run.advance_to(0.12).ok());
    const Metrics m = run.metrics();
    for (std::size_t d = 0; d < 3; ++d) {
      const double given = (force_on(m, "ground").force[d] + force_on(m, "wall").force[d]) * m.time;
      const double gravity = d == 1 ? -9.81 * m.mass * m.time : 0;
      EXPECT_NEAR(m.momentum[d] - before.momentum[d], gravity - given, 1e-11) << d;
    }
    if (contact != ContactKind::sticky) {
      EXPECT_GT(force_on(m, "wall").force[0], 0.3);
    }
  }
}

TEST(ContactForce, TorqueIsAboutTheOrigin) {
  Scene scene = block_on_ground(ContactKind::sticky);
  scene.bodies[0].shape = Box{{0.5, 0.05, -0.3}, {0.1, 0.1, 0.1}};
  Simulation run(scene);
  ASSERT_TRUE(run.advance_to(0.2).ok());
  const ContactForce f = force_on(run.metrics(), "ground");
  EXPECT_NEAR(f.torque[2], 0.5 * f.force[1], 0.03 * std::fabs(f.force[1]));
  EXPECT_NEAR(f.torque[0], 0.3 * f.force[1], 0.03 * std::fabs(f.force[1]));
}

// two plates shear a slab: the stress is G times the strain rate times the time
TEST(ContactForce, OfShearedSlabIsItsShearStress) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = 0.01, s.kernel = Kernel::quadratic, s.gravity = {0, 0, 0},
  s.precision = Precision::double_precision;
  scene.materials = {
      {"jelly", "neo-hookean", {{"density", 1000}, {"young_modulus", 2.6e4}, {"poisson_ratio", 0.3}}}};
  scene.domain = Domain{{0, 0, 0}, {0.04, 0.1, 0.04}, {true, false, true}, Animated(0.5)};
  scene.bodies = {{.material = "jelly", .shape = Box{{0.02, 0.05, 0.02}, {0.04, 0.1, 0.04}}}};
  // start with the profile that the plates impose, so that no wave runs
  Simulation run(scene);
  ASSERT_TRUE(run.advance_to(0.2).ok());
  run.new_interval();
  ASSERT_TRUE(run.advance_to(0.4).ok());
  const Metrics m = run.metrics();
  const double shear_modulus = 1e4, mean_strain = 0.5 * 0.3, area = 0.04 * 0.04;
  EXPECT_NEAR(force_on(m, "shear-high").force[0] / area, -shear_modulus * mean_strain,
              0.05 * shear_modulus * mean_strain);
  EXPECT_NEAR(force_on(m, "shear-low").force[0] / area, shear_modulus * mean_strain,
              0.05 * shear_modulus * mean_strain);
}

// --- foam between two plates ten cells apart, as in a rheometer ---

struct PlateCase {
  double tau_y, consistency, flow_index, shear_modulus;  // [Pa], [Pa s^n], -, [Pa]
  double rate;                                           // [1/s]
  bool no_slip;  // with material in two cells of the plates; else the sticky plates of a domain
};
void PrintTo(const PlateCase& c, std::ostream* out) {
  *out << "n = " << c.flow_index << ", " << c.rate << " 1/s, " << (c.no_slip ? "no-slip" : "sticky");
}

Material foam_of(const PlateCase& c) {
  return {"foam",
          "herschel-bulkley",
          {{"density", 77.7},
           {"shear_modulus", c.shear_modulus},
           {"bulk_modulus", 3000},
           {"tau_y", c.tau_y},
           {"consistency", c.consistency},
           {"flow_index", c.flow_index}}};
}

// small where the flow is fast, so that inertia does not matter
double gap_of(const PlateCase& c) { return 0.1 / std::sqrt(c.rate); }

Scene plates_around(const PlateCase& c) {
  const double gap = gap_of(c), h = gap / 10, inside = c.no_slip ? 2 * h : 0, speed = c.rate * gap / 2;
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = h, s.kernel = Kernel::quadratic, s.gravity = {0, 0, 0};
  scene.materials = {foam_of(c)};
  scene.bodies = {
      {.material = "foam", .shape = Box{{2 * h, gap / 2, 2 * h}, {4 * h, gap + 2 * inside, 4 * h}}}};
  if (!c.no_slip) {
    scene.domain = Domain{{0, 0, 0}, {4 * h, gap, 4 * h}, {true, false, true}, Animated(c.rate)};
    return scene;
  }
  scene.domain = Domain{{0, -8 * h, 0}, {4 * h, gap + 8 * h, 4 * h}, {true, false, true}};
  scene.colliders = {{.name = "shear-low",
                      .shape = Plane{{0, 0, 0}, {0, 1, 0}},
                      .contact = ContactKind::no_slip,
                      .surface_velocity = Animated3(-speed, 0, 0)},
                     {.name = "shear-high",
                      .shape = Plane{{0, gap, 0}, {0, -1, 0}},
                      .contact = ContactKind::no_slip,
                      .surface_velocity = Animated3(speed, 0, 0)}};
  return scene;
}

// shear stress in the middle half
double stress_inside(const PlateCase& c, const ParticleData& foam) {
  double sum = 0, volume = 0;
  for (std::size_t i = 0; i < foam.position.size(); ++i)
    if (std::fabs(foam.position[i][1] / gap_of(c) - 0.5) < 0.25) {
      sum += foam.volume[i] * c.shear_modulus * foam.state.at("strain")[3][i];
      volume += foam.volume[i];
    }
  return sum / volume;
}

// Once the flow is steady, the stress inside it and the force on the plates are those of one point of the material.
class PlatesAroundFoam : public ::testing::TestWithParam<PlateCase> {};

TEST_P(PlatesAroundFoam, FeelItsFlowCurve) {
  const PlateCase& c = GetParam();
  Simulation run(plates_around(c));
  ASSERT_TRUE(run.advance_to(2 / c.rate).ok());
  run.new_interval();
  ASSERT_TRUE(run.advance_to(3 / c.rate).ok());
  const double known = steady_flow(foam_of(c), Flow::shear, c.rate).stress;
  const double area = std::pow(0.4 * gap_of(c), 2), inside = stress_inside(c, run.particles("foam"));
  const Metrics m = run.metrics();
  const double low = force_on(m, "shear-low").force[0] / area,
               high = -force_on(m, "shear-high").force[0] / area;
  std::printf("%.4g Pa at one point; inside %+.2f %%, at the plates %+.2f and %+.2f %%\n", known,
              100 * (inside / known - 1), 100 * (low / known - 1), 100 * (high / known - 1));
  const double bound = c.no_slip ? 0.005 : 0.05;
  EXPECT_NEAR(inside, known, bound * known);
  EXPECT_NEAR(low, known, bound * known);
  EXPECT_NEAR(high, known, bound * known);
}

// shaving cream, and a Bingham fluid
INSTANTIATE_TEST_SUITE_P(Sticky, PlatesAroundFoam,
                         ::testing::Values(PlateCase{18.4175, 17.8214, 0.22, 290, 1, false},
                                           PlateCase{18.4175, 17.8214, 0.22, 290, 10, false},
                                           PlateCase{18.4175, 17.8214, 0.22, 290, 100, false},
                                           PlateCase{20, 10, 1, 1000, 10, false}));
INSTANTIATE_TEST_SUITE_P(NoSlip, PlatesAroundFoam,
                         ::testing::Values(PlateCase{18.4175, 17.8214, 0.22, 290, 1, true},
                                           PlateCase{18.4175, 17.8214, 0.22, 290, 10, true},
                                           PlateCase{18.4175, 17.8214, 0.22, 290, 100, true},
                                           PlateCase{20, 10, 1, 1000, 10, true}));

// a belt carries what lies on it
TEST(ContactForce, SurfaceVelocityDrivesLikeAConveyor) {
  Scene scene = block_on_ground(ContactKind::separate);
  scene.colliders[0].friction = 0.5;
  scene.colliders[0].surface_velocity = Animated3(0.4, 0, 0);
  Simulation run(scene);
  ASSERT_TRUE(run.advance_to(0.5).ok());
  const Metrics m = run.metrics();
  EXPECT_NEAR(m.momentum[0] / m.mass, 0.4, 0.02);
  EXPECT_NEAR(m.center_of_mass[0], 0.4 * 0.5 - 0.4 * 0.4 / (2 * 0.5 * 9.81),
              0.01);  // slips at mu g until it sticks
}

// what a belt runs towards or away from is left alone: no surface moves there
TEST(ContactForce, SurfaceVelocityAcrossTheSurfaceDoesNothing) {
  for (const char* solver : {"explicit", "newton"})
    for (const ContactKind kind : {ContactKind::sticky, ContactKind::slip, ContactKind::separate}) {
      const auto height_over = [&](double speed) {
        Scene scene = block_on_ground(kind);
        scene.settings.solver = solver;
        scene.colliders[0].surface_velocity = Animated3(0, speed, 0);
        Simulation run(scene);
        EXPECT_TRUE(run.advance_to(0.05).ok());
        return run.metrics().center_of_mass[1];
      };
      EXPECT_EQ(height_over(-0.2), height_over(0));
    }
}

// A floor that is meant to lie on a plane of nodes may be off it by rounding, to either side.
TEST(ContactOnNodes, does_not_depend_on_rounding) {
  const auto slide = [](double height) {
    Scene scene;
    scene.settings.cell_size = 0.1, scene.settings.precision = Precision::double_precision;
    scene.materials = {{"block", "neo-hookean", {{"young_modulus", 1e4}}}};
    scene.bodies = {
        {.material = "block", .shape = Box{{0, 0.25, 0}, {0.5, 0.5, 0.5}}, .velocity = {1, 0, 0}}};
    scene.colliders = {
        {.name = "floor", .shape = Plane{{0, height, 0}, {0, 1, 0}}, .contact = ContactKind::sticky}};
    Simulation simulation(scene);
    EXPECT_TRUE(simulation.advance_to(0.05).ok());
    return simulation.metrics().momentum[0];
  };
  const double on = slide(0), above = slide(1e-12), below = slide(-1e-12);
  EXPECT_GT(on, 0);
  EXPECT_NEAR(above / on, 1, 1e-6);
  EXPECT_NEAR(below / on, 1, 1e-6);
}

}  // namespace
}  // namespace dollop
