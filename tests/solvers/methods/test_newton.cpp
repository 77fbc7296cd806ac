// The implicit solver: its equations are those of the explicit one as steps become short, Newton's method converges
// as it should, and stiff material is stable in long steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "solvers/bodies.h"

namespace dollop {
namespace {

using namespace tests;

Material sand(double young = 3.537e5, double angle = 0.5236) {
  return {"sand", "drucker-prager", {{"young_modulus", young}, {"friction_angle", angle}}};
}

// as dense and stiff as the other blocks, and shear-thinning; it flows at a strain of 0.1 %
Material foam(double tear_threshold = 0) {
  Material material{"foam",
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

// a block of a material over a floor, thrown at it
Scene thrown_block(const Material& material, const std::string& solver,
                   ContactKind contact = ContactKind::sticky) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = 0.02, s.solver = solver, s.precision = Precision::double_precision;
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

// In free flight without gravity the first residual is rounding already, however stiff the body: there is nothing to solve.
TEST(Newton, does_not_chase_rounding) {
  for (const double young : {1e4, 1e9}) {
    Scene scene = thrown_block(elastic("rubber", 1000, young, 0.3), "newton");
    scene.settings.gravity = {};
    scene.settings.max_dt = 2e-3;
    scene.settings.precision = Precision::single_precision;
    scene.colliders.clear();
    Simulation simulation(scene);
    const AdvanceReport report = simulation.advance_to(0.04);
    ASSERT_TRUE(report.ok()) << describe(report.last);
    EXPECT_EQ(report.steps, 20);
    EXPECT_EQ(report.rejected, 0);
    const Metrics m = simulation.metrics();
    EXPECT_LE(m.outer_iterations, 4 * report.steps);
    EXPECT_EQ(m.residual, 0);
    EXPECT_NEAR(m.momentum[1], -m.mass, 1e-5 * m.mass);
  }
}

std::vector<Double3> positions(const Simulation& simulation, const std::string& material) {
  return simulation.particles(material).position;
}

double distance(const std::vector<Double3>& a, const std::vector<Double3>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += dot(minus(a[i], b[i]), minus(a[i], b[i]));
  return std::sqrt(sum / double(a.size()));
}

std::vector<Double3> after(Scene scene, double dt, double time) {
  Simulation simulation(scene);
  const int steps = int(std::lround(time / dt));
  for (int k = 0; k < steps; ++k) {
    const StepReport report = simulation.step(time / steps);
    EXPECT_TRUE(report.ok()) << describe(report);
  }
  const Metrics m = simulation.metrics();
  if (scene.materials[0].parameters.count("tear_threshold")) {
    EXPECT_GT(m.weak, m.particles / 2);
  }
  return positions(simulation, scene.materials[0].name);
}

// --- agreement with explicit steps -----------------------------------------------------------------------

struct Agreement : testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Materials, Agreement,
                         testing::Values("neo-hookean", "von-mises", "drucker-prager", "herschel-bulkley",
                                         "tearing-herschel-bulkley"),
                         [](const testing::TestParamInfo<const char*>& model) {
                           std::string name = model.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Both with the same dt: the transfers smooth the velocity once a step, so that runs with other steps are others.
TEST_P(Agreement, is_of_first_order_in_dt) {
  const std::string name = GetParam();
  const Material material = name == "drucker-prager"             ? sand()
                            : name == "herschel-bulkley"         ? foam()
                            : name == "tearing-herschel-bulkley" ? foam(0.3)
                                                                 : elastic("block", 1000, 1e5, 0.3, name);
  const double time = 0.016;
  Scene scene = thrown_block(material, "newton");
  scene.settings.methods["newton"] = {{"tolerance", 1e-6}, {"linear_tolerance", 1e-3}};
  std::vector<double> errors;
  for (const int steps : {64, 128, 256})
    errors.push_back(distance(after(scene, time / steps, time),
                              after(thrown_block(material, "explicit"), time / steps, time)));
  std::printf("errors %.3g %.3g %.3g m\n", errors[0], errors[1], errors[2]);
  EXPECT_LT(errors[1], 0.62 * errors[0]);
  EXPECT_LT(errors[2], 0.62 * errors[1]);
  EXPECT_LT(errors[2], 2e-4);
}

// --- convergence ------------------------------------------------------------------------------------------

// the residual after k iterations, relative to the first, of one step of a block that is being squeezed
std::vector<double> residuals(
    Scene scene, double dt, int most,
    const std::function<void(TypedSimulation<double>&)>& prepare = [](auto&) {}) {
  std::vector<double> found;
  scene.settings.methods["newton"] = {
      {"tolerance", 1e-15}, {"linear_tolerance", 1e-12}, {"linear_iterations", 200}};
  scene.settings.gravity = Double3{0, 0, 0};
  for (int k = 1; k <= most; ++k) {
    scene.settings.methods["newton"]["iterations"] = k;
    TypedSimulation<double> run(scene);
    prepare(run);
    set_velocity(
        run,
        [](const Double3& x) {
          return Double3{-2 * x[0] + 0.5 * x[1], -3 * x[1], -1 * x[2]};
        },
        [](const Double3&) {
          return std::array<Double3, 3>{{{-2, 0.5, 0}, {0, -3, 0}, {0, 0, -1}}};
        });
    found.push_back(run.step(dt).residual);
  }
  return found;
}

Scene free_block(const Material& material) {
  Scene scene = thrown_block(material, "newton");
  scene.colliders.clear();
  return scene;
}

// each residual is bounded by the square of the one before, down to rounding
void expect_quadratic(const std::vector<double>& r, double constant) {
  for (const double x : r) std::printf("%.2g ", x);
  std::printf("\n");
  EXPECT_LT(*std::min_element(r.begin(), r.end()), 1e-11);
  int squares = 0;
  for (std::size_t k = 1; k < r.size(); ++k) {
    if (r[k - 1] > 1e-2 || r[k - 1] < 1e-7) continue;
    EXPECT_LT(r[k], constant * r[k - 1] * r[k - 1] + 1e-12);
    ++squares;
  }
  EXPECT_GE(squares, 1);
}

TEST(Newton, converges_quadratically_on_an_elastic_block) {
  expect_quadratic(residuals(free_block(elastic("block", 1000, 1e5, 0.3)), 0.01, 8), 30);
}
TEST(Newton, converges_quadratically_on_sand_that_flows) {
  expect_quadratic(residuals(free_block(sand()), 4e-3, 12), 100);
}

TEST(Newton, converges_quadratically_on_foam_that_flows) {
  expect_quadratic(residuals(free_block(foam()), 4e-3, 8), 100);
}

// All of it torn before the step, by a plastic stretch of 5 %, and pressed together: no particle becomes torn in the
// step, which would make its stress jump.
TEST(Newton, converges_quadratically_on_foam_that_is_torn) {
  const auto tear = [](TypedSimulation<double>& run) {
    each_particle(run, [&](ParticleGroup<double>& group, std::size_t i, const Double3&) {
      constexpr int total = 7, weak = 13;  // after the change of volume and the elastic strain
      group.reals(group.state_arrays().begin + total)[i] = 1.1 - 1;
      group.reals(group.state_arrays().begin + total + 1)[i] = 1 / 1.1 - 1;
      group.reals(group.state_arrays().begin + weak)[i] = 1;
    });
    const Metrics m = run.metrics();
    EXPECT_EQ(m.weak, m.particles);
  };
  expect_quadratic(residuals(free_block(foam(0.02)), 4e-3, 6, tear), 100);
}

// Full steps of Newton's method cycle here: it is the search along them that makes the residual smaller.
TEST(Newton, search_finds_the_solution_of_a_block_that_yields) {
  Material clay = elastic("block", 1000, 1e5, 0.3, "von-mises");
  clay.parameters["yield_stress"] = 100;
  const std::vector<double> r = residuals(free_block(clay), 0.03, 20);
  for (std::size_t k = 1; k < r.size(); ++k) EXPECT_LE(r[k], r[k - 1]);
  for (const double x : r) std::printf("%.2g ", x);
  std::printf("\n");
  EXPECT_LT(r.back(), 1e-6);  // how many iterations the search takes depends on the last bits
}

// --- what a step keeps -------------------------------------------------------------------------------------

TEST(Newton, free_fall_is_exact) {
  Scene scene = free_block(sand());
  Simulation simulation(scene);
  const Metrics start = simulation.metrics();
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(simulation.step(0.004).ok());
  const Metrics m = simulation.metrics();
  const double t = 0.04, dt = 0.004;
  EXPECT_NEAR(m.momentum[1] / m.mass, -1 - 9.81 * t, 1e-9);
  EXPECT_NEAR(m.center_of_mass[1] - start.center_of_mass[1], -t - 0.5 * 9.81 * t * (t + dt), 1e-9);
  EXPECT_NEAR(m.momentum[0] / m.mass, 0.2, 1e-12);
  EXPECT_EQ(m.residual, 0);  // each step begins with the solution
}

// Free blocks keep momentum up to what is left of the residual; backward Euler only loses energy.
TEST(Newton, keeps_momentum_and_loses_energy) {
  Scene scene = free_block(elastic("block", 1000, 1e5, 0.3));
  scene.settings.gravity = Double3{0, 0, 0};
  scene.settings.methods["newton"]["tolerance"] = 1e-8;
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
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(m.momentum[d], before.momentum[d], 1e-8 * scale);
  }
}

// --- long steps ----------------------------------------------------------------------------------------------

Scene column(const std::string& solver, double young = 1e7) {
  const double h = 0.0125;
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = h, s.solver = solver, s.precision = Precision::single_precision;
  s.kernel = Kernel::quadratic;
  scene.domain = Domain{{0, 0, 0}, {2, 2, 4 * h}, {false, false, true}};
  scene.materials = {sand(young)};
  scene.bodies = {
      {.material = "sand", .shape = Box{.center = {0.0375, 0.0375, 2 * h}, .size = {0.075, 0.075, 4 * h}}}};
  scene.colliders = {{.name = "floor",
                      .shape = Plane{.point = {0, 0, 0}, .normal = {0, 1, 0}},
                      .contact = ContactKind::sticky},
                     {.name = "wall",
                      .shape = Plane{.point = {0, 0, 0}, .normal = {1, 0, 0}},
                      .contact = ContactKind::slip}};
  return scene;
}

// where the outermost hundredth of the particles begins
double front(const Simulation& simulation) {
  std::vector<double> x;
  for (const Double3& p : positions(simulation, "sand")) x.push_back(p[0]);
  std::nth_element(x.begin(), x.begin() + long(0.99 * double(x.size())), x.end());
  return x[std::size_t(0.99 * double(x.size()))];
}

struct Collapse {
  AdvanceReport report;
  Metrics metrics;
  double front;
};
Collapse collapse(Scene scene, double max_dt = 1) {
  if (scene.settings.solver == "newton") scene.settings.max_dt = max_dt;
  Simulation simulation(scene);
  const AdvanceReport report = simulation.advance_to(sanitized ? 0.05 : 0.25);
  const Collapse result{report, simulation.metrics(), front(simulation)};
  std::printf("%5d steps of %.3g s, %d rejected, %.1f Newton iterations a step, front %.4f m\n",
              int(report.steps), report.dt_max, int(report.rejected),
              double(result.metrics.outer_iterations) / double(report.steps), result.front);
  return result;
}

// Run-outs of shorter steps are shorter, explicit or not: the transfers smooth the velocity once a step. Explicit steps
// 5 times as long are those of sand 25 times softer, and go as far.
TEST(Newton, collapses_a_stiff_column_in_steps_20_times_as_long) {
  const double dt = Simulation(column("explicit")).stable_dt();
  const Collapse explicit_run = collapse(column("explicit")), softer = collapse(column("explicit", 1e7 / 25)),
                 five = collapse(column("newton"), 5 * dt), twenty = collapse(column("newton"), 20 * dt);
  for (const Collapse& run : {explicit_run, softer, five, twenty}) ASSERT_TRUE(run.report.ok());
  EXPECT_EQ(twenty.report.rejected, 0);
  EXPECT_GT(twenty.report.dt_max, 0.8 * 20 * dt);
  EXPECT_NEAR(double(softer.report.steps) / double(five.report.steps), 1, 0.02);
  EXPECT_NEAR(five.front / softer.front, 1, 0.02);
  EXPECT_NEAR(twenty.front / five.front, 1, 0.08);
  if (!sanitized) {
    EXPECT_NEAR(twenty.front / explicit_run.front, 1.32, 0.03);
  }
  EXPECT_LT(twenty.metrics.max_speed, 1);
  EXPECT_LT(twenty.metrics.elastic_energy,
            explicit_run.metrics.mass);  // no stress is locked in: below 1 J/kg
}

TEST(LongNewton, collapses_a_stiff_column_as_explicit_steps_as_long_do) {
  const double dt = Simulation(column("explicit")).stable_dt();
  const Collapse explicit_run = collapse(column("explicit")), implicit_run = collapse(column("newton"), dt);
  ASSERT_TRUE(explicit_run.report.ok() && implicit_run.report.ok());
  EXPECT_EQ(implicit_run.report.steps, explicit_run.report.steps);
  EXPECT_NEAR(implicit_run.front / explicit_run.front, 1, 0.005);
}

// --- the same bits -------------------------------------------------------------------------------------------

TEST(Newton, threads_do_not_matter) {
  std::uint64_t first = 0;
  for (const int threads : {1, 2, 8}) {
    Scene scene = thrown_block(sand(), "newton", ContactKind::separate);
    scene.settings.threads = threads, scene.settings.precision = Precision::single_precision;
    Simulation simulation(scene);
    for (int k = 0; k < 6; ++k) ASSERT_TRUE(simulation.step(0.002).ok());
    if (threads == 1) first = simulation.state_hash();
    EXPECT_EQ(simulation.state_hash(), first) << threads;
  }
}

TEST(Newton, restored_run_goes_on_as_the_first) {
  Scene scene = thrown_block(sand(), "newton", ContactKind::separate);
  scene.settings.max_dt = 0.002;
  Simulation whole(scene), half(scene), rest(scene);
  ASSERT_TRUE(whole.advance_to(0.02).ok());
  ASSERT_TRUE(half.advance_to(0.01).ok());
  std::stringstream stored;
  half.save(stored);
  rest.restore(stored);
  ASSERT_TRUE(half.advance_to(0.02).ok());
  ASSERT_TRUE(rest.advance_to(0.02).ok());
  EXPECT_EQ(half.state_hash(), rest.state_hash());
  EXPECT_EQ(half.metrics().outer_iterations, rest.metrics().outer_iterations);
  EXPECT_GT(rest.metrics().inner_iterations, rest.metrics().outer_iterations);
}

}  // namespace
}  // namespace dollop
