// The start-up of shear between two plates, as a flow of particles on the grid, against the closed form of
// volume-preserving Oldroyd-B.                                                                        (OB.14)
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "solvers/bodies.h"

namespace dollop {
namespace {

using namespace tests;

constexpr double cell = 0.01, shear_modulus = 1000, relaxation_time = 0.5, viscosity = 20, rate = 4;
constexpr int cells = 24;  // from plate to plate

struct Stress {
  double shear, normal;
};

Stress closed_form(double time) {
  const double w = rate * relaxation_time, s = time / relaxation_time, e = std::exp(-s);
  const double det = 1 + w * w * (1 - 2 * s * e - e * e), scale = shear_modulus / std::cbrt(det);
  return {scale * w * (1 - e) + viscosity * rate, scale * 2 * w * w * (1 - e * (1 + s))};
}

// fluid between sticky plates that move along x in opposite directions, two cells into both
Scene plates(const std::string& solver) {
  const double half = cells * cell / 2, deep = half + 2 * cell;
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = cell, s.solver = solver, s.precision = Precision::double_precision;
  s.transfer = Transfer::apic, s.gravity = Double3{0, 0, 0};
  scene.domain = Domain{{0, -deep - 2 * cell, 0}, {4 * cell, deep + 2 * cell, 4 * cell}, {true, false, true}};
  scene.materials = {{"fluid",
                      "oldroyd-b",
                      {{"density", 1000},
                       {"shear_modulus", shear_modulus},
                       {"lambda", 10 * shear_modulus},
                       {"relaxation_time", relaxation_time},
                       {"solvent_viscosity", viscosity}}}};
  scene.bodies = {{.material = "fluid",
                   .shape = Box{.center = {2 * cell, 0, 2 * cell}, .size = {4 * cell, 2 * deep, 4 * cell}}}};
  for (const double side : {-1.0, 1.0}) {
    Collider plate{.name = side < 0 ? "low" : "high",
                   .shape = Plane{.point = {0, side * half, 0}, .normal = {0, -side, 0}},
                   .contact = ContactKind::sticky};
    plate.surface_velocity.x = side * rate * half;
    scene.colliders.push_back(plate);
  }
  return scene;
}

// the mean Cauchy stress of the particles in the middle half
Stress measured(TypedSimulation<double>& run) {
  const ParticleFrame frame = run.snapshot({"stress"});
  const auto& stress = *std::find_if(frame.attributes.begin(), frame.attributes.end(),
                                     [](const auto& a) { return a.name == "stress"; });
  Stress sum{0, 0};
  int count = 0;
  for (std::size_t i = 0; i < frame.id.size(); ++i) {
    if (std::fabs(frame.position[3 * i + 1]) > cells * cell / 4) continue;
    const auto at = [&](std::size_t k) { return double(stress.values[6 * i + k]); };  // xx yy zz xy xz yz
    sum.shear += at(3), sum.normal += at(0) - at(1);
    ++count;
  }
  return {sum.shear / count, sum.normal / count};
}

struct StartUp : testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(EverySolver, StartUp,
                         testing::Values("explicit", "newton", "semi-implicit", "optimisation", "subcycled"),
                         [](const testing::TestParamInfo<const char*>& solver) {
                           std::string name = solver.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// implicit steps are ten times as long as explicit ones
TEST_P(StartUp, follows_the_closed_form) {
  Scene scene = plates(GetParam());
  if (scene.settings.solver != "explicit") {
    Scene other = scene;
    other.settings.solver = "explicit";
    scene.settings.max_dt = 10 * Simulation(other).stable_dt();
  }
  TypedSimulation<double> run(scene);
  set_linear_velocity(run, {0, 0, 0}, {{{0, rate, 0}, {0, 0, 0}, {0, 0, 0}}});
  double worst = 0;
  for (const double time : {0.25, 0.5, 0.75, 1.0}) {
    const AdvanceReport report = run.advance_to(time);
    ASSERT_TRUE(report.ok()) << describe(report.last);
    const Stress exact = closed_form(time), found = measured(run);
    std::printf("%.2f s: shear %.2f of %.2f, N1 %.2f of %.2f Pa, steps of %.2g s\n", time, found.shear,
                exact.shear, found.normal, exact.normal, report.dt_max);
    worst = std::max(worst, std::fabs(found.shear / exact.shear - 1));
    EXPECT_NEAR(found.shear / exact.shear, 1, 0.03) << time;
    EXPECT_NEAR(found.normal / exact.normal, 1, 0.05) << time;
  }
  // it overshoots: the stress at 0.25 s has not yet reached that at 1 s, which is above the steady one
  const double w = rate * relaxation_time;
  EXPECT_GT(closed_form(1).shear, shear_modulus * w / std::cbrt(1 + w * w) + viscosity * rate);
  RecordProperty("worst", std::to_string(worst));
}

// --- the solvent alone ------------------------------------------------------------------------------------

// the part of v_x that goes as sin(k y)
double amplitude(TypedSimulation<double>& run, double k) {
  double sum = 0, square = 0;
  each_particle(run, [&](ParticleGroup<double>& group, std::size_t i, const Double3& x) {
    const double shape = std::sin(k * x[1]);
    sum += shape * group.reals(ParticleGroup<double>::velocity)[i];
    square += shape * shape;
  });
  return sum / square;
}

// A shear wave in a fluid whose elastic stress relaxes at once decays at the rate eta k^2/rho.
TEST_P(StartUp, shear_wave_decays_by_the_viscosity_of_the_solvent) {
  Scene scene = plates(GetParam());
  constexpr double eta = 50, density = 1000, length = 32 * cell, duration = 0.06;
  const double k = 2 * std::numbers::pi / length, rate_of_decay = eta * k * k / density;
  scene.settings.transfer = Transfer::fading, scene.settings.max_dt = 2e-4;
  scene.colliders.clear();
  scene.domain = Domain{{0, 0, 0}, {4 * cell, length, 4 * cell}, {true, true, true}};
  scene.bodies[0].shape =
      Box{.center = {2 * cell, length / 2, 2 * cell}, .size = {4 * cell, length, 4 * cell}};
  scene.materials[0].parameters = {{"density", density},
                                   {"shear_modulus", 1},
                                   {"lambda", 1e4},
                                   {"relaxation_time", 1e-3},
                                   {"solvent_viscosity", eta}};
  TypedSimulation<double> run(scene);
  set_velocity(
      run,
      [&](const Double3& x) {
        return Double3{0.1 * std::sin(k * x[1]), 0, 0};
      },
      [&](const Double3& x) {
        return std::array<Double3, 3>{{{0, 0.1 * k * std::cos(k * x[1]), 0}, {0, 0, 0}, {0, 0, 0}}};
      });
  const double before = amplitude(run, k);
  const AdvanceReport report = run.advance_to(duration);
  ASSERT_TRUE(report.ok()) << describe(report.last);
  const double found = std::log(before / amplitude(run, k)) / duration;
  std::printf("rate %.3f of %.3f 1/s\n", found, rate_of_decay);
  EXPECT_NEAR(found / rate_of_decay, 1, 0.03);
}

}  // namespace
}  // namespace dollop
