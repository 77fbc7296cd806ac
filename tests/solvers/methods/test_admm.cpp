// Implicit steps by ADMM: they converge to those of Newton's method, keep what these keep, and end on the same contacts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>

#include "solvers/bodies.h"
#include "solvers/methods/elastic_dt.h"

namespace dollop {
namespace {

using namespace tests;

Material sand() {
  return {"block", "drucker-prager", {{"density", 1000}, {"young_modulus", 1e5}, {"friction_angle", 0.5236}}};
}
Material foam(double tear_threshold = 0) {
  Material material{"block",
                    "herschel-bulkley",
                    {{"density", 1000},
                     {"young_modulus", 1e5},
                     {"poisson_ratio", 0.3},
                     {"yield_stress", 100},
                     {"viscosity", 100},
                     {"power", 0.5}}};
  if (tear_threshold > 0) material.parameters["tear_threshold"] = tear_threshold;
  return material;
}
Material fluid() {
  return {"block",
          "oldroyd-b",
          {{"density", 1000},
           {"shear_modulus", 4e4},
           {"lambda", 6e4},
           {"relaxation_time", 0.02},
           {"solvent_viscosity", 20}}};
}
Material clay(double yield_stress = 2e3) {
  Material material = elastic("block", 1000, 1e5, 0.3, "von-mises");
  material.parameters["yield_stress"] = yield_stress;
  return material;
}
Material rubber() {
  return {"block",
          "viscoelastic",
          {{"density", 1000},
           {"shear_modulus", 1e4},
           {"lambda", 3e4},
           {"shear_modulus_neq", 3e4},
           {"lambda_neq", 3e4},
           {"deviatoric_viscosity", 1000},
           {"volumetric_viscosity", 1000}}};
}
Material material_named(const std::string& name) {
  if (name == "viscoelastic") return rubber();
  if (name == "drucker-prager") return sand();
  if (name == "herschel-bulkley") return foam();
  if (name == "tearing-herschel-bulkley") return foam(0.3);
  if (name == "oldroyd-b") return fluid();
  if (name == "von-mises") return clay();
  return elastic("block", 1000, 1e5, 0.3, name);
}

constexpr double cell = 0.02;

// a block of a material over a floor, thrown at it
Scene thrown_block(const Material& material, const std::string& solver,
                   ContactKind contact = ContactKind::sticky) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = cell, s.solver = solver, s.precision = Precision::double_precision;
  scene.materials = {material};
  scene.bodies = {{.material = material.name,
                   .shape = Box{.center = {0, 0.065, 0}, .size = {0.1, 0.12, 0.08}},
                   .velocity = {0.2, -1, 0}}};
  scene.colliders = {{.name = "floor",
                      .shape = Plane{.point = {0, 0, 0}, .normal = {0, 1, 0}},
                      .contact = contact,
                      .friction = 0.4}};
  return scene;
}
Scene free_block(const Material& material) {
  Scene scene = thrown_block(material, "admm");
  scene.colliders.clear();
  return scene;
}

std::vector<Double3> positions(const Simulation& simulation) {
  return simulation.particles("block").position;
}

double farthest(const std::vector<Double3>& a, const std::vector<Double3>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, length(minus(a[i], b[i])));
  return most;
}
double distance(const std::vector<Double3>& a, const std::vector<Double3>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += dot(minus(a[i], b[i]), minus(a[i], b[i]));
  return std::sqrt(sum / double(a.size()));
}

std::vector<Double3> after(const Scene& scene, double dt, int steps) {
  Simulation simulation(scene);
  for (int k = 0; k < steps; ++k) {
    const StepReport report = simulation.step(dt);
    EXPECT_TRUE(report.ok()) << describe(report);
    if (!report.ok()) break;
  }
  return positions(simulation);
}

std::string test_name(const std::string& text) {
  std::string name = text;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// --- convergence to Newton's solution ----------------------------------------------------------------------

struct LongSteps : testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Admm, LongSteps,
                         testing::Values("neo-hookean", "hencky", "drucker-prager", "herschel-bulkley",
                                         "oldroyd-b", "viscoelastic"),
                         [](const testing::TestParamInfo<const char*>& p) { return test_name(p.param); });

Scene converged_by(const std::string& solver, Scene scene) {
  scene.settings.solver = solver;
  if (solver == "newton")
    scene.settings.methods["newton"] = {
        {"tolerance", 1e-8}, {"linear_tolerance", 1e-6}, {"linear_iterations", 200}, {"iterations", 60}};
  if (solver == "admm") scene.settings.methods["admm"]["iterations"] = 40;
  // what flows converges more slowly, and faster with a smaller penalty
  const std::string& model = scene.materials[0].model;
  if (solver == "admm" && model == "herschel-bulkley") scene.settings.methods["admm"]["penalty"] = 0.1;
  if (solver == "admm" && model == "drucker-prager")
    scene.settings.methods["admm"] = {{"tolerance", 0}, {"iterations", 150}};
  return scene;
}

TEST_P(LongSteps, end_where_newtons_method_ends) {
  Scene scene = thrown_block(material_named(GetParam()), "admm");
  scene.bodies[0].velocity = {0.05, -0.25, 0};  // faster, steps of this length would be too long
  scene.settings.methods["admm"]["tolerance"] = 0;
  const double dt = 10 * elastic_dt(scene);
  const auto by_newton = after(converged_by("newton", scene), dt, 20);
  const auto by_admm = after(converged_by("admm", scene), dt, 20);
  ASSERT_EQ(by_newton.size(), by_admm.size());
  const double apart = farthest(by_newton, by_admm) / cell;
  std::printf("20 steps of %.3g s: farthest %.2g cells\n", dt, apart);
  EXPECT_LT(apart, 1e-3);
}

// --- agreement with explicit steps -------------------------------------------------------------------------

struct ShortSteps : testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Admm, ShortSteps,
                         testing::Values("hencky", "von-mises", "drucker-prager", "herschel-bulkley",
                                         "tearing-herschel-bulkley"),
                         [](const testing::TestParamInfo<const char*>& p) { return test_name(p.param); });

// Both with the same dt: the transfers smooth the velocity once a step, so that runs with other steps are others.
TEST_P(ShortSteps, approach_explicit_ones_in_proportion_to_dt) {
  const double time = 0.016;
  Scene scene = thrown_block(material_named(GetParam()), "admm");
  scene.settings.methods["admm"] = {{"tolerance", 1e-6}, {"iterations", 40}};
  Scene explicit_scene = scene;
  explicit_scene.settings.solver = "explicit";
  std::vector<double> errors;
  for (const int steps : {64, 128, 256})
    errors.push_back(distance(after(scene, time / steps, steps), after(explicit_scene, time / steps, steps)));
  std::printf("errors %.3g %.3g %.3g m\n", errors[0], errors[1], errors[2]);
  EXPECT_LT(errors[1], 0.62 * errors[0]);
  EXPECT_LT(errors[2], 0.62 * errors[1]);
  EXPECT_LT(errors[2], 2e-4);
}

// --- what a step keeps -------------------------------------------------------------------------------------

// each step begins with the solution, and keeps it to the last bit
TEST(Admm, free_fall_is_exact) {
  Scene scene = free_block(sand());
  Simulation simulation(scene);
  const Metrics start = simulation.metrics();
  for (int k = 0; k < 10; ++k) {
    const StepReport report = simulation.step(0.004);
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report.residual, 0);
  }
  const Metrics m = simulation.metrics();
  const double t = 0.04, dt = 0.004;
  EXPECT_NEAR(m.momentum[1] / m.mass, -1 - 9.81 * t, 1e-9);
  EXPECT_NEAR(m.center_of_mass[1] - start.center_of_mass[1], -t - 0.5 * 9.81 * t * (t + dt), 1e-9);
  EXPECT_NEAR(m.momentum[0] / m.mass, 0.2, 1e-12);
  EXPECT_EQ(m.residual, 0);
}

// Free blocks keep momentum however little is solved; backward Euler only loses energy.
TEST(Admm, keeps_momentum_and_loses_energy) {
  Scene scene = free_block(elastic("block", 1000, 1e5, 0.3, "hencky"));
  scene.settings.gravity = Double3{0, 0, 0};
  scene.settings.methods["admm"] = {{"iterations", 12}, {"linear_iterations", 3}};
  TypedSimulation<double> run(scene);
  set_velocity(
      run,
      [](const Double3& x) {
        return Double3{5 * (x[1] - 0.065), -4 * x[0], 3 * x[2]};
      },
      [](const Double3&) {
        return std::array<Double3, 3>{{{0, 5, 0}, {-4, 0, 0}, {0, 0, 3}}};
      });
  const Metrics before = run.metrics();
  const double scale = momentum_scale(run);
  double energy = before.kinetic_energy + before.elastic_energy + affine_energy(run);
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(run.step(0.004).ok());
    const Metrics m = run.metrics();
    const double now = m.kinetic_energy + m.elastic_energy + affine_energy(run);
    EXPECT_LT(now, energy * 1.0001);
    energy = now;
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(m.momentum[d], before.momentum[d], 1e-12 * scale);
  }
}

// what rests under its weight starts with the solution: the accelerations that particles keep say so
TEST(Admm, rest_needs_few_iterations) {
  Scene scene = thrown_block(elastic("block", 1000, 1e5, 0.3, "hencky"), "admm");
  scene.bodies[0].velocity = {0, 0, 0};
  scene.settings.max_dt = 4e-3;
  Simulation simulation(scene);
  ASSERT_TRUE(simulation.advance_to(1.5).ok());
  std::int64_t before = simulation.metrics().outer_iterations;
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(simulation.step(4e-3).ok());
  const double iterations = double(simulation.metrics().outer_iterations - before) / 10;
  std::printf("%.1f iterations a step at rest\n", iterations);
  EXPECT_LT(iterations, 6);
}

// --- contacts ------------------------------------------------------------------------------------------------

// a tilted impact on a floor that lets go: the same nodes hold in the end, so the same force acts and nothing enters
TEST(Admm, floor_holds_what_newtons_method_holds) {
  Scene scene = thrown_block(elastic("block", 1000, 1e5, 0.3, "hencky"), "admm", ContactKind::separate);
  scene.bodies[0].velocity = {0.3, -1, 0};
  scene.bodies[0].angular_velocity = {0, 0, 3};
  scene.colliders[0].friction = 0;
  scene.settings.methods["admm"]["tolerance"] = 0;
  std::vector<Metrics> metrics;
  std::vector<std::vector<Double3>> ends;
  for (const char* solver : {"newton", "admm"}) {
    Scene converged = converged_by(solver, scene);
    converged.settings.methods["admm"]["iterations"] = 80;
    Simulation simulation(converged);
    for (int k = 0; k < 12; ++k) {
      const StepReport report = simulation.step(3e-3);
      ASSERT_TRUE(report.ok()) << solver << ": " << describe(report);
    }
    metrics.push_back(simulation.metrics());
    ends.push_back(positions(simulation));
  }
  EXPECT_LT(farthest(ends[0], ends[1]), 1e-3 * cell);
  ASSERT_EQ(metrics[1].contact_forces.size(), 1u);
  EXPECT_LT(metrics[1].contact_forces[0].force[1], 0);
  EXPECT_NEAR(metrics[1].contact_forces[0].force[1] / metrics[0].contact_forces[0].force[1], 1, 1e-3);
  EXPECT_GT(metrics[1].bounds_min[1], -1e-4);
}

// --- the same bits -------------------------------------------------------------------------------------------

TEST(Admm, threads_do_not_matter) {
  std::uint64_t first = 0;
  for (const int threads : {1, 2}) {
    Scene scene = thrown_block(foam(0.3), "admm", ContactKind::separate);
    scene.settings.threads = threads, scene.settings.precision = Precision::single_precision;
    Simulation simulation(scene);
    for (int k = 0; k < 6; ++k) ASSERT_TRUE(simulation.step(0.002).ok());
    if (threads == 1) first = simulation.state_hash();
    EXPECT_EQ(simulation.state_hash(), first) << threads;
  }
}

TEST(Admm, restored_run_goes_on_as_the_first) {
  Scene scene = thrown_block(rubber(), "admm", ContactKind::separate);
  scene.settings.max_dt = 0.002;
  Simulation half(scene), rest(scene);
  ASSERT_TRUE(half.advance_to(0.03).ok());
  std::stringstream stored;
  half.save(stored);
  rest.restore(stored);
  ASSERT_TRUE(half.advance_to(0.04).ok());
  ASSERT_TRUE(rest.advance_to(0.04).ok());
  EXPECT_EQ(half.state_hash(), rest.state_hash());
  EXPECT_EQ(half.metrics().inner_iterations, rest.metrics().inner_iterations);
}

// --- stress forms, weights, torn material ------------------------------------------------------------------

double residual_left(Scene scene, const std::map<std::string, double>& settings, double dt) {
  scene.settings.methods["admm"] = settings;
  scene.settings.methods["admm"]["tolerance"] = 0;
  Simulation simulation(scene);
  StepReport report;
  for (int k = 0; k < 8; ++k) report = simulation.step(dt);
  EXPECT_TRUE(report.ok()) << describe(report);
  return report.residual;
}
TEST(Admm, reduces_the_residual_of_both_stress_forms) {
  Scene scene = thrown_block(clay(), "admm");
  scene.bodies[0].velocity = {0, -0.4, 0};
  const double dt = 5 * elastic_dt(scene);
  const double kirchhoff = residual_left(scene, {{"iterations", 10}}, dt);
  const double paper = residual_left(scene, {{"iterations", 10}, {"stress_form", 1}}, dt);
  const double bulk = residual_left(scene, {{"iterations", 10}, {"weights", 1}, {"penalty", 0.5}}, dt);
  std::printf("%.2g of the residual left, %.2g in the published form, %.2g with bulk weights\n", kirchhoff,
              paper, bulk);
  EXPECT_LT(kirchhoff, 1e-2);
  EXPECT_LT(paper, 1e-2);
  EXPECT_LT(bulk, 1e-2);
}

TEST(Admm, torn_material_falls_and_rests) {
  Scene scene = thrown_block(foam(0.1), "admm");
  scene.settings.max_dt = 2e-3;
  Simulation simulation(scene);
  const AdvanceReport report = simulation.advance_to(0.3);
  ASSERT_TRUE(report.ok()) << describe(report.last);
  const Metrics m = simulation.metrics();
  EXPECT_GT(m.weak, m.particles / 2);
  EXPECT_GT(m.bounds_min[1], -1e-3);
  EXPECT_LT(m.max_speed, 1);
}

TEST(Admm, settings_are_checked) {
  Scene scene = free_block(sand());
  scene.settings.methods["admm"]["penalty"] = 0;
  EXPECT_THROW(Simulation{scene}, SceneError);
  scene.settings.methods["admm"] = {{"penality", 0.1}};
  EXPECT_THROW(Simulation{scene}, SceneError);
}

}  // namespace
}  // namespace dollop
