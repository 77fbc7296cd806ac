// Subcycled steps: what they conserve, when their nodes touch colliders, and that only the interval matters, not the
// sub-steps. Theory: docs/theory/subcycled.md.
#include <gtest/gtest.h>

#include <numbers>
#include <sstream>

#include "solvers/bodies.h"
#include "solvers/methods/elastic_dt.h"
#include "solvers/spinning_block.h"

namespace dollop {
namespace {

using namespace tests;

constexpr double degree = std::numbers::pi / 180;

Scene subcycled(Scene scene, double steps = 4) {
  scene.settings.solver = "subcycled";
  scene.settings.methods["subcycled"]["interval"] = steps * elastic_dt(scene);
  return scene;
}

Metrics run_to(Simulation& run, double time) {
  const AdvanceReport report = run.advance_to(time);
  EXPECT_TRUE(report.ok()) << describe(report.last);
  return run.metrics();
}

double energy(const Metrics& m) { return m.kinetic_energy + m.affine_energy + m.elastic_energy; }

// --- conservation ---------------------------------------------------------------------------------------------

template <class S>
struct SubcycledMotion : testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(SubcycledMotion, Scalars);

// a block that spins, moves and vibrates after its sudden start
TYPED_TEST(SubcycledMotion, keeps_momentum_and_gains_no_energy) {
  for (const Kernel kernel : all_kernels)
    for (const ForceForm forces : all_forces) {
      Scene scene = subcycled(spinning_block(2e5, 10, kernel, precision_of<TypeParam>));
      scene.settings.forces = forces;
      scene.bodies[0].velocity = {0.3, 0.2, -0.1};
      Simulation run(scene);
      const Metrics start = run.metrics();
      double last = energy(start);
      for (int frame = 1; frame <= 10; ++frame) {
        const Metrics now = run_to(run, frame * 0.02);
        for (std::size_t d = 0; d < 3; ++d)
          EXPECT_NEAR(now.momentum[d], start.momentum[d],
                      either<TypeParam>(2e-6, 1e-12) * length(start.momentum));
        // exact but for what is not linear around a particle
        EXPECT_LT(length(minus(now.angular_momentum, start.angular_momentum)),
                  4e-5 * length(start.angular_momentum));
        EXPECT_LE(energy(now), last * (1 + 1e-6)) << frame;
        last = energy(now);
      }
    }
}

// --- lengths of time ------------------------------------------------------------------------------------------

Scene falling_block(double young_modulus = 5e4) {
  Scene scene;
  scene.settings.cell_size = 0.02;
  scene.materials = {elastic("block", 1000, young_modulus, 0.3)};
  scene.bodies = {{.material = "block", .shape = Box{.center = {0, 0.1, 0}, .size = {0.08, 0.08, 0.08}}}};
  scene.colliders = {{.name = "floor", .shape = Plane{.point = {0, 0, 0}, .normal = {0, 1, 0}}}};
  return scene;
}

// max_dt shortens sub-steps and leaves the interval as it is
TEST(Subcycled, takes_as_many_steps_whatever_the_longest_step) {
  Scene scene = subcycled(falling_block());
  const double interval = scene.settings.methods["subcycled"]["interval"];
  Simulation run(scene);
  scene.settings.max_dt = elastic_dt(scene) / 7;
  Simulation fine(scene);
  run_to(run, 0.1), run_to(fine, 0.1);
  EXPECT_EQ(run.steps(), std::int64_t(std::ceil(0.1 / interval)));
  EXPECT_EQ(fine.steps(), run.steps());
  EXPECT_NE(fine.state_hash(), run.state_hash());
}

// the default interval is that of the fading transfer, the same for every longest step
TEST(Subcycled, has_the_interval_of_the_fading_transfer) {
  Scene scene = falling_block();
  scene.settings.solver = "subcycled";
  Simulation run(scene);
  run_to(run, 0.1);
  EXPECT_EQ(run.steps(), std::int64_t(std::ceil(0.1 / fading_time(scene))));
}

// a rebound in sub-steps of every length, where explicit APIC steps lose a twentieth
TEST(Subcycled, results_do_not_depend_on_the_sub_steps) {
  const auto height = [](Scene scene) {
    Simulation run(scene);
    return run_to(run, 0.3).center_of_mass[1];
  };
  Scene coarse = subcycled(falling_block()), fine = coarse, apic = falling_block(), fine_apic = apic;
  fine.settings.max_dt = fine_apic.settings.max_dt = elastic_dt(fine) / 8;
  EXPECT_NEAR(height(fine) / height(coarse), 1, 5e-3);
  EXPECT_GT(std::fabs(height(fine_apic) / height(apic) - 1), 0.02);
}

struct Positions {
  std::vector<Double3> at;
  explicit Positions(const Scene& scene) {
    Simulation run(scene);
    run_to(run, 0.01);
    at = run.particles("block").position;
  }
  double apart(const Positions& other) const {
    double most = 0;
    for (std::size_t i = 0; i < at.size(); ++i) most = std::max(most, length(minus(at[i], other.at[i])));
    return most;
  }
};

// sub-steps half as long have a quarter of the error                                                  (SUB.2)
TEST(Subcycled, sub_steps_are_of_second_order) {
  const auto with = [](double parts) {
    Scene scene = spinning_block(2e4, 10, Kernel::quadratic, Precision::double_precision);
    scene.settings.solver = "subcycled";
    scene.settings.methods["subcycled"]["interval"] = 0.002;
    scene.settings.max_dt = 0.002 / parts;
    return Positions(scene);
  };
  const Positions exact = with(128);
  const double coarse = with(8).apart(exact), half = with(16).apart(exact), quarter = with(32).apart(exact);
  EXPECT_NEAR(coarse / half, 4, 0.3);
  EXPECT_NEAR(half / quarter, 4, 0.3);
}

// an interval of one explicit step damps like explicit steps
TEST(Subcycled, short_intervals_are_explicit_steps) {
  const Scene scene = spinning_block(2e4, 10, Kernel::quadratic, Precision::double_precision);
  EXPECT_LT(Positions(subcycled(scene, 1)).apart(Positions(scene)), 5e-3 * scene.settings.cell_size);
}

// --- contact --------------------------------------------------------------------------------------------------

Scene block_on(const Collider& collider) {
  Scene scene = falling_block(2e5);
  scene.bodies[0].shape = Box{.center = {0, 0.04, 0}, .size = {0.08, 0.08, 0.08}};
  scene.colliders = {collider};
  return scene;
}

TEST(Subcycled, floors_carry_the_weight) {
  for (const ContactKind kind :
       {ContactKind::separate, ContactKind::slip, ContactKind::sticky, ContactKind::no_slip}) {
    Simulation run(subcycled(block_on({.name = "floor", .shape = Plane{}, .contact = kind})));
    run_to(run, 0.6);
    run.new_interval();
    const Metrics m = run_to(run, 0.8);
    ASSERT_EQ(m.contact_forces.size(), 1u);
    EXPECT_NEAR(m.contact_forces[0].force[1] / (-9.81 * m.mass), 1, 0.02) << int(kind);
    EXPECT_GT(m.bounds_min[1], -1e-3) << int(kind);
  }
}

// a plane of 30 degrees: Coulomb friction holds the block, or lets it slide by g (sin - mu cos)
TEST(Subcycled, friction_is_coulombs) {
  const auto speed = [](double friction) {
    Scene scene = block_on({.name = "floor", .shape = Plane{}, .friction = friction});
    const double g = 9.81;
    scene.settings.gravity = Double3{g * std::sin(30 * degree), -g * std::cos(30 * degree), 0};
    Simulation run(subcycled(scene));
    const Metrics m = run_to(run, 0.3);
    return m.momentum[0] / m.mass;
  };
  EXPECT_NEAR(speed(0.8), 0, 0.02);
  EXPECT_NEAR(speed(0.2) / (0.3 * 9.81 * (std::sin(30 * degree) - 0.2 * std::cos(30 * degree))), 1, 0.03);
}

// a wall that moves takes the block along and does not enter it
TEST(Subcycled, moving_walls_push) {
  Collider wall{.name = "wall", .shape = Plane{.point = {0, 0, 0}, .normal = {0, 1, 0}}};
  wall.motion.velocity = {0, 0.5, 0};
  Scene scene = block_on(wall);
  scene.settings.gravity = Double3{0, 0, 0};
  Simulation run(subcycled(scene));
  const Metrics m = run_to(run, 0.4);
  EXPECT_GT(m.momentum[1] / m.mass, 0.45);
  EXPECT_GT(m.bounds_min[1], 0.5 * 0.4 - 1e-3);
}

// the gap to the floor may be used up once in a step, however many sub-steps it has
TEST(Subcycled, nodes_stop_at_the_floor) {
  Scene scene = falling_block();
  scene.settings.gravity = Double3{0, 0, 0};
  scene.bodies[0].velocity = {0, -3, 0};
  Simulation run(subcycled(scene, 12));
  double lowest = 1;
  for (int k = 1; k <= 40; ++k) lowest = std::min(lowest, run_to(run, 0.001 * k).bounds_min[1]);
  EXPECT_GT(lowest, -0.02 * scene.settings.cell_size);
  EXPECT_GT(run.metrics().momentum[1], 0);
}

// --- everything else that steps do ----------------------------------------------------------------------------

Scene busy_scene() {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = 0.01, s.solver = "subcycled";
  scene.materials = {{"cream",
                      "herschel-bulkley",
                      {{"density", 500},
                       {"shear_modulus", 2e3},
                       {"bulk_modulus", 2e4},
                       {"yield_stress", 20},
                       {"viscosity", 5},
                       {"power", 0.5},
                       {"tear_threshold", 200}}},
                     {"sand",
                      "drucker-prager",
                      {{"density", 1500},
                       {"young_modulus", 2e5},
                       {"poisson_ratio", 0.3},
                       {"friction_angle", std::numbers::pi / 6}}},
                     {"paste",
                      "oldroyd-b",
                      {{"density", 1000},
                       {"shear_modulus", 500},
                       {"lambda", 5e3},
                       {"relaxation_time", 0.05},
                       {"solvent_viscosity", 1}}}};
  scene.bodies = {{.material = "cream", .shape = Sphere{.center = {0, 0.06, 0}, .radius = 0.03}},
                  {.material = "sand", .shape = Box{.center = {0.05, 0.02, 0}, .size = {0.03, 0.04, 0.03}}}};
  scene.emitters = {{.material = "paste",
                     .shape = Disc{.center = {-0.05, 0.06, 0}, .normal = {0, -1, 0}, .radius = 0.012},
                     .speed = 0.5,
                     .until = 0.05}};
  scene.colliders = {{.name = "floor", .shape = Plane{}, .friction = 0.5}};
  s.resample_every = 5;
  return scene;
}

TEST(Subcycled, goes_on_bitwise_from_a_checkpoint) {
  const Scene scene = busy_scene();
  Simulation whole(scene), first(scene), second(scene);
  run_to(whole, 0.05), run_to(first, 0.05);
  const Metrics end = run_to(whole, 0.1);
  std::stringstream file;
  first.save(file);
  second.restore(file);
  run_to(second, 0.1);
  EXPECT_EQ(second.state_hash(), whole.state_hash());
  EXPECT_GT(end.particles, run_to(first, 0.1).particles - 1);
  EXPECT_LT(end.mass_error, 1e-5);
}

TEST(Subcycled, wrong_intervals_are_refused) {
  Scene scene = falling_block();
  scene.settings.solver = "subcycled";
  scene.settings.methods["subcycled"]["interval"] = -1;
  EXPECT_THROW(Simulation{scene}, SceneError);
}

}  // namespace
}  // namespace dollop
