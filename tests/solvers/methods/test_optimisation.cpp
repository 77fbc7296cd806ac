// The methods with potentials, semi-implicit and optimisation: what they conserve, how they converge, and that they agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "solvers/bodies.h"
#include "solvers/methods/implicit_system.h"
#include "solvers/phases/node_access.h"

namespace dollop {
namespace {

using namespace tests;

// a soft sponge, or another fluid of its kind
Material fluid(double shear = 1e4, double relaxation = 0.05, double viscosity = 0, double density = 1000) {
  return {"fluid",
          "oldroyd-b",
          {{"density", density},
           {"shear_modulus", shear},
           {"lambda", 4 * shear},
           {"relaxation_time", relaxation},
           {"solvent_viscosity", viscosity}}};
}

Scene free_block(const Material& material, const std::string& solver, int cells = 5) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = 0.02, s.solver = solver, s.precision = Precision::double_precision;
  s.transfer = Transfer::apic;
  s.gravity = Double3{0, 0, 0};
  scene.materials = {material};
  scene.bodies = {{.material = material.name,
                   .shape = Box{.center = {0, 0, 0}, .size = {0.02 * cells, 0.02 * (cells + 1), 0.02 * 4}}}};
  return scene;
}

// a motion that stretches, squeezes and turns
void set_motion(TypedSimulation<double>& run, double rate) {
  set_linear_velocity(run, {0.1, 0.2, -0.1},
                      {{{-2 * rate, 0.5 * rate, 0}, {rate, -rate, 0.3 * rate}, {0, 0, 0.7 * rate}}});
}

// explicit steps of this length are stable
double explicit_dt(const Scene& scene) {
  Scene other = scene;
  other.settings.solver = "explicit";
  return Simulation(other).stable_dt();
}

// --- the potential of the grid ----------------------------------------------------------------------------

// The grid of a step as the method sees it, up to the solve.
struct AtSolve {
  TypedSimulation<double> run;
  OptimisationMpm<double>& mpm;
  StepReport report;
  explicit AtSolve(const Scene& scene, double dt)
      : run(scene),
        mpm(const_cast<OptimisationMpm<double>&>(std::get<OptimisationMpm<double>>(run.method()))) {
    set_motion(run, 3);
    for (int k = 0; k < 3; ++k) EXPECT_TRUE(run.step(dt).ok());
    report.dt = dt;
    StepGrid<double>& grid = mpm.explicit_mpm.grid;
    const MovingColliders colliders(run.setup().colliders, run.state().time, dt);
    EXPECT_TRUE(prepare(colliders, run.setup(), run.state(), grid, report));
    momentum_to_grid(grid);
    update_velocity(grid);
  }
};

// R is the gradient of E over the nodal velocities, and (m + K) z its change, along random directions      (IMP.11)
TEST(Optimisation, forces_and_products_are_derivatives_of_the_energy) {
  for (const bool cubic : {false, true})
    for (const char* model : {"neo-hookean", "oldroyd-b"}) {
      Scene scene = free_block(
          model == std::string("oldroyd-b") ? fluid(1e4, 0.01, 30) : elastic("block", 1000, 3e4, 0.3, model),
          "optimisation", 3);
      scene.settings.kernel = cubic ? Kernel::cubic : Kernel::quadratic;
      AtSolve at(scene, 5e-3);
      ImplicitSystem<double> system(at.mpm.explicit_mpm.grid, at.mpm);
      find_contacts(MovingColliders(at.run.setup().colliders, 0, 5e-3), at.mpm.explicit_mpm.grid.blocks,
                    at.mpm.contacts);
      const std::size_t n = system.size();
      std::vector<double> v(n + slot_reals), z(n + slot_reals), moved(n + slot_reals), r(n), r2(n), y(n);
      system.start(v.data());
      const auto& nodes = at.mpm.explicit_mpm.grid.blocks.velocity;
      for (std::size_t i = 0; i < n; ++i)
        z[i] = i % 4 < 3 && nodes[i / 4 * 4 + 3] > 0 ? std::sin(0.7 * double(i)) : 0;
      const auto energy_at = [&](double t) {
        for (std::size_t i = 0; i < n; ++i) moved[i] = v[i] + t * z[i];
        return system.energy(moved.data()).sum;
      };
      const double h = 1e-3;
      const double slope =
          (8 * (energy_at(h) - energy_at(-h)) - (energy_at(2 * h) - energy_at(-2 * h))) / (12 * h);
      system.residual(v.data(), r.data());
      const double product = system.product(r.data(), z.data());
      EXPECT_NEAR(product, slope, 1e-7 * std::fabs(slope)) << model;

      system.linearise(v.data());
      system.multiply(z.data(), y.data());
      const auto residual_at = [&](double t, std::vector<double>& to) {
        for (std::size_t i = 0; i < n; ++i) moved[i] = v[i] + t * z[i];
        system.residual(moved.data(), to.data());
      };
      residual_at(1e-4, r), residual_at(-1e-4, r2);
      double error = 0, size = 0;
      for (std::size_t i = 0; i < n; ++i) {
        error += std::pow((r[i] - r2[i]) / 2e-4 - y[i], 2);
        size += y[i] * y[i];
      }
      EXPECT_LT(std::sqrt(error / size), 1e-6) << model;
    }
}

// The block of each node is the part of m + K that its own components see, for small strains.          (IMP.13)
TEST(Optimisation, node_blocks_are_those_of_the_system) {
  Scene scene = free_block(fluid(1e4, 0.01, 30), "optimisation", 3);
  scene.settings.methods["optimisation"]["preconditioner"] = 1;
  AtSolve at(scene, 1e-5);
  ImplicitSystem<double> system(at.mpm.explicit_mpm.grid, at.mpm);
  find_contacts(MovingColliders(at.run.setup().colliders, 0, 1e-5), at.mpm.explicit_mpm.grid.blocks,
                at.mpm.contacts);
  const std::size_t n = system.size();
  std::vector<double> v(n + slot_reals), z(n + slot_reals), y(n), scaled(n);
  system.start(v.data());
  system.linearise(v.data());
  const auto& nodes = at.mpm.explicit_mpm.grid.blocks.velocity;
  int checked = 0;
  for (std::size_t i = 0; i < n && checked < 40; i += 4 * 7) {
    if (!(nodes[i + 3] > 0)) continue;
    ++checked;
    for (std::size_t c = 0; c < 3; ++c) {
      // L^-1 (m + K) L^-T of a unit vector of this node has a unit diagonal block
      std::fill(z.begin(), z.end(), 0);
      z[i + c] = 1;
      std::vector<double> unit(n + slot_reals);
      at.mpm.preconditioner.apply_transposed(z.data(), unit.data(), n / 4);
      system.multiply(unit.data(), y.data());
      at.mpm.preconditioner.apply(y.data(), scaled.data(), n / 4);
      for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(scaled[i + d], c == d ? 1 : 0, 2e-3);
    }
  }
  EXPECT_GT(checked, 20);
}

// tangents that were made definite: no direction has negative curvature, where some had before          (IMP.14)
TEST(Optimisation, clamped_tangents_are_definite) {
  Scene scene = free_block(elastic("block", 1000, 3e4, 0.3), "optimisation", 3);
  AtSolve at(scene, 5e-3);
  set_linear_velocity(at.run, {0, 0, 0}, {{{-80, 0, 0}, {0, -80, 0}, {0, 0, -80}}});
  StepGrid<double>& grid = at.mpm.explicit_mpm.grid;
  momentum_to_grid(grid), update_velocity(grid);
  ImplicitSystem<double> system(grid, at.mpm);
  find_contacts(MovingColliders(at.run.setup().colliders, 0, 5e-3), grid.blocks, at.mpm.contacts);
  const std::size_t n = system.size();
  std::vector<double> v(n + slot_reals), z(n + slot_reals), y(n);
  system.start(v.data());
  // what the strains add to the curvature along a rotation: a compressed body is unstable against it
  const auto curvature = [&](std::size_t axis) {
    for (std::size_t i = 0; i < n / node_reals; ++i) {
      const BlockSpace& space = grid.blocks.space;
      const Double3 x = node_place(space, coord_of(grid.blocks.slots[i / block_nodes]), int(i % block_nodes));
      const bool filled = grid.blocks.velocity[node_reals * i + 3] > 0;
      const Double3 w = cross({axis == 0 ? 1.0 : 0, axis == 1 ? 1.0 : 0, axis == 2 ? 1.0 : 0}, x);
      for (std::size_t d = 0; d < 3; ++d) z[node_reals * i + d] = filled ? w[d] : 0;
    }
    system.multiply(z.data(), y.data());
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i)
      sum += z[i] * (y[i] - (i % 4 < 3 ? grid.blocks.velocity[i / 4 * 4 + 3] * z[i] : 0));
    return sum;
  };
  system.linearise(v.data());
  for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_LT(curvature(axis), -1e-6) << axis;
  system.make_definite();
  for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_GT(curvature(axis), -1e-12) << axis;
}

// --- convergence -------------------------------------------------------------------------------------------

TEST(Optimisation, converges_quadratically) {
  for (const Material& material : {elastic("block", 1000, 1e5, 0.3), fluid(4e4, 0.05, 10)}) {
    Scene scene = free_block(material, "optimisation");
    std::vector<double> r;
    for (int k = 1; k <= 9; ++k) {
      scene.settings.methods["optimisation"] = {
          {"tolerance", 1e-14}, {"iterations", double(k)}, {"linear_iterations", 2000}};
      TypedSimulation<double> run(scene);
      set_motion(run, 2);
      r.push_back(run.step(8e-3).residual);
      std::printf("%.2g ", r.back());
    }
    std::printf("\n");
    EXPECT_LT(*std::min_element(r.begin(), r.end()), 1e-10) << material.model;
    // the linear solves end at the square of the distance, so orders of 2 are reached once it is small
    int squares = 0;
    for (std::size_t k = 1; k < r.size(); ++k) {
      if (r[k - 1] > 3e-3 || r[k - 1] < 1e-7) continue;
      EXPECT_LT(r[k], 100 * r[k - 1] * r[k - 1] + 1e-11) << material.model;
      ++squares;
    }
    EXPECT_GE(squares, 1) << material.model;
  }
}

// all lead to the same solution
TEST(Optimisation, preconditioners_agree) {
  std::vector<Double3> found[3];
  for (const double kind : {0.0, 1.0, 2.0}) {
    Scene scene = free_block(fluid(1e5, 0.05), "optimisation");
    scene.settings.methods["optimisation"] = {{"preconditioner", kind}, {"tolerance", 1e-8}};
    TypedSimulation<double> run(scene);
    set_motion(run, 2);
    for (int k = 0; k < 3; ++k) ASSERT_TRUE(run.step(5e-3).ok());
    found[std::size_t(kind)] = run.particles("fluid").position;
  }
  for (std::size_t i = 0; i < found[0].size(); ++i)
    for (std::size_t d = 0; d < 3; ++d) {
      ASSERT_NEAR(found[0][i][d], found[1][i][d], 1e-8);
      ASSERT_NEAR(found[0][i][d], found[2][i][d], 1e-8);
    }
}

// --- what a step keeps -------------------------------------------------------------------------------------

struct Solvers : testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(WithPotential, Solvers, testing::Values("semi-implicit", "optimisation"),
                         [](const testing::TestParamInfo<const char*>& solver) {
                           return std::string(solver.param) == "optimisation" ? "optimisation"
                                                                              : "semi_implicit";
                         });

TEST_P(Solvers, free_fall_is_exact) {
  Scene scene = free_block(fluid(), GetParam());
  scene.settings.gravity = Double3{0, -9.81, 0};
  Simulation simulation(scene);
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(simulation.step(0.004).ok());
  const Metrics m = simulation.metrics();
  EXPECT_NEAR(m.momentum[1] / m.mass, -9.81 * 0.04, 1e-9);
  EXPECT_NEAR(m.center_of_mass[1], -0.5 * 9.81 * 0.04 * 0.044, 1e-9);
  EXPECT_LT(m.elastic_energy, 1e-12);
}

TEST_P(Solvers, linear_momentum_is_kept) {
  TypedSimulation<double> run(free_block(fluid(1e4, 0.05, 20), GetParam()));
  set_motion(run, 4);
  const Metrics before = run.metrics();
  const double scale = momentum_scale(run);
  for (int k = 0; k < 20; ++k) ASSERT_TRUE(run.step(4e-3).ok());
  const Metrics m = run.metrics();
  for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(m.momentum[d], before.momentum[d], 1e-12 * scale);
}

// Backward Euler loses angular momentum to first order. The linear solve loses more in long steps, by a part of second order,
// so that its steps are shorter here.
TEST_P(Solvers, loss_of_angular_momentum_halves_with_dt) {
  std::vector<double> lost;
  const double longest = std::string(GetParam()) == "optimisation" ? 4e-3 : 1e-3;
  for (const double dt : {longest, longest / 2, longest / 4}) {
    Scene scene = free_block(elastic("block", 1000, 1e5, 0.3), GetParam());
    scene.settings.methods[GetParam()] = std::string(GetParam()) == "optimisation"
                                             ? std::map<std::string, double>{{"tolerance", 1e-7}}
                                             : std::map<std::string, double>{{"linear_tolerance", 1e-8}};
    TypedSimulation<double> run(scene);
    set_linear_velocity(run, {0, 0, 0}, {{{0, -10, 0}, {10, 0, 0}, {0, 0, 0}}});
    const double before = run.metrics().angular_momentum[2];
    for (int k = 0; k < int(std::lround(0.2 / dt)); ++k) ASSERT_TRUE(run.step(dt).ok());
    lost.push_back(1 - run.metrics().angular_momentum[2] / before);
    std::printf("%.4f ", lost.back());
  }
  std::printf("\n");
  EXPECT_NEAR(lost[1] / lost[0], 0.5, 0.12);
  EXPECT_NEAR(lost[2] / lost[1], 0.5, 0.08);
}

// in steps up to 100 times as long as explicit ones, with the affine part, for materials that relax and that do not
TEST(Optimisation, energy_never_grows) {
  for (const double relaxation : {1e-3, 0.05, std::numeric_limits<double>::infinity()})
    for (const double longer : {1.0, 10.0, 100.0}) {
      Scene scene = free_block(fluid(1e5, relaxation), "optimisation", 4);
      scene.settings.methods["optimisation"] = {{"tolerance", 1e-6}};
      const double dt = longer * explicit_dt(scene);
      TypedSimulation<double> run(scene);
      set_motion(run, std::min(4.0, 0.1 / dt));
      const auto energy = [&] {
        const Metrics m = run.metrics();
        return m.kinetic_energy + m.elastic_energy + affine_energy(run);
      };
      double before = energy();
      const double first = before;
      for (int k = 0; k < 15; ++k) {
        const StepReport report = run.step(dt);
        ASSERT_TRUE(report.ok()) << relaxation << " " << longer << ": " << describe(report);
        const double now = energy();
        EXPECT_LE(now, before + 1e-9 * first) << relaxation << " " << longer << " step " << k;
        before = now;
      }
      EXPECT_LT(before, first);
    }
}

// without solvent and relaxation a body that turns keeps its shape
TEST(Optimisation, spinning_body_keeps_its_shape) {
  Scene scene = free_block(fluid(1e6, std::numeric_limits<double>::infinity()), "optimisation");
  TypedSimulation<double> run(scene);
  set_linear_velocity(run, {0, 0, 0}, {{{0, -5, 0}, {5, 0, 0}, {0, 0, 0}}});
  const double size =
      length(minus(run.particles("fluid").position.front(), run.particles("fluid").position.back()));
  for (int k = 0; k < 100; ++k) ASSERT_TRUE(run.step(4e-3).ok());
  const auto x = run.particles("fluid").position;
  EXPECT_NEAR(length(minus(x.front(), x.back())), size, 2e-3 * size);
  EXPECT_GT(run.metrics().min_J, 0.995);
  EXPECT_LT(run.metrics().max_J, 1.005);
}

// --- agreement ---------------------------------------------------------------------------------------------

double distance(const std::vector<Double3>& a, const std::vector<Double3>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, length(minus(a[i], b[i])));
  return worst;
}

// A sponge falls on a floor, in steps ten times as long as explicit ones: the linearised solve is near the exact one.
TEST(SemiImplicit, falling_sponge_is_near_that_of_optimisation) {
  std::vector<Double3> found[2];
  Scene scene = free_block(fluid(3.6e4, 15.8, 0, 2000), "optimisation", 6);
  scene.settings.gravity = Double3{0, -9.81, 0};
  scene.colliders = {{.name = "floor",
                      .shape = Plane{.point = {0, -0.1, 0}, .normal = {0, 1, 0}},
                      .contact = ContactKind::separate,
                      .friction = 0.3}};
  scene.settings.max_dt = 10 * explicit_dt(scene);
  for (const int k : {0, 1}) {
    scene.settings.solver = k ? "semi-implicit" : "optimisation";
    Simulation simulation(scene);
    const AdvanceReport report = simulation.advance_to(0.2);
    ASSERT_TRUE(report.ok()) << describe(report.last);
    EXPECT_GT(report.dt_max, 0.9 * scene.settings.max_dt);
    EXPECT_EQ(report.rejected, 0);
    found[k] = simulation.particles("fluid").position;
  }
  const double worst = distance(found[0], found[1]) / scene.settings.cell_size;
  std::printf("%.4f cells apart\n", worst);
  EXPECT_LT(worst, 0.05);
}

// as dt falls all solvers approach each other in proportion
TEST(Optimisation, solvers_agree_to_first_order) {
  const double time = 0.016;
  for (const char* solver : {"newton", "semi-implicit", "optimisation"}) {
    std::vector<double> errors;
    for (const int steps : {64, 128, 256}) {
      std::vector<Double3> found[2];
      for (const int k : {0, 1}) {
        Scene scene = free_block(fluid(4e4, 0.02, 5), k ? solver : "explicit");
        if (scene.settings.solver == "newton") scene.settings.methods["newton"] = {{"tolerance", 1e-6}};
        if (scene.settings.solver == "optimisation")
          scene.settings.methods["optimisation"] = {{"tolerance", 1e-6}};
        TypedSimulation<double> run(scene);
        set_motion(run, 5);
        for (int n = 0; n < steps; ++n) ASSERT_TRUE(run.step(time / steps).ok());
        found[k] = run.particles("fluid").position;
      }
      errors.push_back(distance(found[0], found[1]));
    }
    std::printf("%s: %.3g %.3g %.3g m\n", solver, errors[0], errors[1], errors[2]);
    EXPECT_LT(errors[1], 0.62 * errors[0]) << solver;
    EXPECT_LT(errors[2], 0.62 * errors[1]) << solver;
  }
}

// --- the same bits -----------------------------------------------------------------------------------------

TEST_P(Solvers, threads_and_resume_do_not_matter) {
  Scene scene = free_block(fluid(1e5, 0.05, 20), GetParam());
  scene.settings.precision = Precision::single_precision;
  scene.settings.gravity = Double3{0, -9.81, 0};
  scene.settings.max_dt = 2e-3;
  scene.settings.methods[GetParam()] = {{"preconditioner", 1}};
  scene.colliders = {
      {.name = "floor", .shape = Plane{.point = {0, -0.07, 0}, .normal = {0, 1, 0}}, .friction = 0.4}};
  std::uint64_t first = 0;
  for (const int threads : {1, 2, 8}) {
    scene.settings.threads = threads;
    Simulation simulation(scene), rest(scene);
    ASSERT_TRUE(simulation.advance_to(0.02).ok());
    std::stringstream stored;
    simulation.save(stored);
    rest.restore(stored);
    ASSERT_TRUE(simulation.advance_to(0.04).ok() && rest.advance_to(0.04).ok());
    if (threads == 1) first = simulation.state_hash();
    EXPECT_EQ(simulation.state_hash(), first) << threads;
    EXPECT_EQ(rest.state_hash(), first) << threads;
  }
}

// --- bad input ---------------------------------------------------------------------------------------------

std::string fault_of(const Scene& scene) {
  try {
    Simulation simulation(scene);
  } catch (const SceneError& error) {
    return error.what();
  }
  return "";
}

TEST(Optimisation, materials_without_potential_are_refused) {
  for (const char* model : {"von-mises", "herschel-bulkley", "drucker-prager"}) {
    const std::string fault = fault_of(free_block({"m", model, {}}, "optimisation"));
    EXPECT_NE(fault.find("potential"), std::string::npos) << model;
    EXPECT_NE(fault.find("newton"), std::string::npos) << model;
    EXPECT_EQ(fault_of(free_block({"m", model, {}}, "semi-implicit")), "") << model;
  }
  Material torn = fluid();
  torn.parameters["tear_threshold"] = 1;
  EXPECT_NE(fault_of(free_block(torn, "optimisation")).find("tears"), std::string::npos);
  EXPECT_EQ(fault_of(free_block(fluid(), "optimisation")), "");
}

TEST(Optimisation, published_update_is_for_explicit_steps) {
  Material published = fluid();
  published.parameters["update"] = 1;
  for (const char* solver : {"newton", "semi-implicit", "optimisation"})
    EXPECT_NE(fault_of(free_block(published, solver)).find("congruence"), std::string::npos) << solver;
  EXPECT_EQ(fault_of(free_block(published, "explicit")), "");
}

// plastic materials step too, by GMRES
TEST(SemiImplicit, steps_sand_and_foam) {
  for (const char* model : {"drucker-prager", "herschel-bulkley", "von-mises"}) {
    Scene scene = free_block({"m", model, {{"young_modulus", 1e5}, {"density", 1000}}}, "semi-implicit");
    scene.settings.gravity = Double3{0, -9.81, 0};
    scene.settings.max_dt = 1e-3;
    scene.colliders = {{.name = "floor",
                        .shape = Plane{.point = {0, -0.06, 0}, .normal = {0, 1, 0}},
                        .contact = ContactKind::sticky}};
    Simulation simulation(scene);
    const AdvanceReport report = simulation.advance_to(0.05);
    ASSERT_TRUE(report.ok()) << model << ": " << describe(report.last);
    EXPECT_LT(simulation.metrics().max_speed, 1) << model;
    EXPECT_LT(simulation.metrics().mass_error, 1e-9) << model;
  }
}

}  // namespace
}  // namespace dollop
