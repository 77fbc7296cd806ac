// What output sees: particles in order of id, with the attributes that were asked for.
#include <dollop/dollop.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solvers/bodies.h"

namespace dollop {
namespace {

Scene two_materials() {
  Scene scene;
  scene.settings.cell_size = 0.02, scene.settings.gravity = {0, 0, 0};
  scene.materials = {{"clay", "von-mises", {{"yield_stress", 200}}},
                     {"rubber", "neo-hookean", {{"density", 1200}}}};
  scene.bodies = {{.material = "rubber", .shape = Box{{0, 0, 0}, {0.1, 0.1, 0.1}}, .velocity = {1, 0, 0}},
                  {.material = "clay", .shape = Box{{0.1, 0, 0}, {0.1, 0.1, 0.1}}},
                  {.material = "rubber", .shape = Box{{0.3, 0, 0}, {0.1, 0.1, 0.1}}, .velocity = {0, 2, 0}}};
  return scene;
}

const Attribute& find(const ParticleFrame& frame, const std::string& name) {
  for (const Attribute& a : frame.attributes)
    if (a.name == name) return a;
  throw std::runtime_error(name);
}

// a bar that fills the period of x, between 0.3 and 0.46 m, and flies along it
Scene bar_across_the_border(Kernel kernel) {
  Scene scene;
  scene.settings.cell_size = 0.02, scene.settings.gravity = {0, 0, 0}, scene.settings.kernel = kernel;
  scene.domain = Domain{.min = {0.3, 0, 0}, .max = {0.46, 1, 1}, .periodic = {true, false, false}};
  scene.materials = {{"clay", "von-mises", {}}};
  scene.bodies = {
      {.material = "clay", .shape = Box{{0.38, 0.5, 0.5}, {0.16, 0.1, 0.1}}, .velocity = {1, 0, 0}}};
  return scene;
}

TEST(Snapshot, PlacesAreThoseInThePeriod) {
  for (const Kernel kernel : {Kernel::quadratic, Kernel::cubic}) {
    Simulation run(bar_across_the_border(kernel));
    for (const double time : {0.0, 0.013, 0.07}) {
      ASSERT_TRUE(run.advance_to(time).ok());
      const ParticleFrame frame = run.snapshot({});
      const ParticleData data = run.particles("clay");
      for (std::size_t i = 0; i < frame.id.size(); ++i) {
        EXPECT_GE(frame.position[3 * i], 0.3f);
        EXPECT_LE(frame.position[3 * i], 0.46f);
        EXPECT_EQ(frame.position[3 * i], float(data.position[i][0]));
      }
      const Metrics m = run.metrics();
      EXPECT_NEAR(m.center_of_mass[0], 0.38, 0.01);  // half a spacing, as what crosses goes to the other end
      EXPECT_GE(m.bounds_min[0], 0.3);
      EXPECT_LT(m.bounds_max[0], 0.46);
      EXPECT_GT(m.bounds_max[0] - m.bounds_min[0], 0.14);
    }
  }
}

TEST(Snapshot, IsInOrderOfIdAndAgreesWithTheGroups) {
  Simulation run(two_materials());
  ASSERT_TRUE(run.advance_to(0.03).ok());
  const ParticleFrame frame =
      run.snapshot({"velocity", "mass", "plastic_strain", "J", "stress", "id", "material"});
  EXPECT_EQ(frame.time, run.time());
  ASSERT_EQ(frame.id.size(), run.particle_count());
  EXPECT_TRUE(std::is_sorted(frame.id.begin(), frame.id.end()));
  for (int m = 0; m < 2; ++m) {
    const ParticleData data = run.particles(m == 0 ? "clay" : "rubber");
    for (std::size_t k = 0; k < data.id.size(); k += 7) {
      const auto row =
          std::size_t(std::lower_bound(frame.id.begin(), frame.id.end(), data.id[k]) - frame.id.begin());
      ASSERT_EQ(frame.id[row], data.id[k]);
      EXPECT_EQ(frame.material[row], m);
      for (std::size_t d = 0; d < 3; ++d) {
        EXPECT_EQ(frame.position[3 * row + d], float(data.position[k][d]));
        EXPECT_EQ(find(frame, "velocity").values[3 * row + d], float(data.velocity[k][d]));
      }
      EXPECT_EQ(find(frame, "mass").values[row], float(data.mass[k]));
      const float plastic_strain = find(frame, "plastic_strain").values[row];
      if (m == 1) {
        EXPECT_EQ(plastic_strain, 0);  // rubber has none
        continue;
      }
      EXPECT_EQ(plastic_strain, float(data.state.at("plastic_strain")[0][k]));
      // von Mises stores its Kirchhoff stress: Cauchy is that over J
      for (std::size_t c = 0; c < 6; ++c)
        EXPECT_NEAR(find(frame, "stress").values[6 * row + c] * find(frame, "J").values[row],
                    data.state.at("kirchhoff")[c][k],
                    1e-3 * (1 + std::fabs(data.state.at("kirchhoff")[c][k])));
    }
  }
}

using Matrix = std::array<Double3, 3>;

// What a block has become that flew apart without forces for a second: v = A x at first, so that F = 1 + A. More than one
// step is exact for A A = 0 alone, since otherwise the gradient of v changes and APIC is a step behind.
ParticleFrame deformed(const Material& material, const Matrix& a, int steps = 1) {
  Scene scene;
  scene.settings.cell_size = 0.01, scene.settings.gravity = {};
  scene.settings.precision = Precision::double_precision, scene.settings.kernel = Kernel::quadratic;
  scene.materials = {material};
  scene.bodies = {{.material = "m", .shape = Box{{0.003, 0.001, 0}, {0.03, 0.03, 0.03}}}};
  TypedSimulation<double> run(scene);
  tests::set_velocity(
      run,
      [&](const Double3& x) {
        return Double3{tests::dot(a[0], x), tests::dot(a[1], x), tests::dot(a[2], x)};
      },
      [&](const Double3&) { return a; });
  for (int k = 0; k < steps; ++k) EXPECT_TRUE(run.step(1.0 / steps).ok());
  return run.snapshot({"stretch"});
}

// V V = F F^T with V symmetric and positive
void expect_stretch(const ParticleFrame& frame, const Matrix& f, const char* what) {
  const std::vector<float>& v = find(frame, "stretch").values;
  ASSERT_EQ(find(frame, "stretch").components, 6);
  ASSERT_EQ(v.size(), 6 * frame.id.size());
  constexpr std::size_t at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  double worst = 0;
  for (std::size_t p = 0; p < frame.id.size(); ++p) {
    const auto entry = [&](std::size_t i, std::size_t j) { return double(v[6 * p + at[i][j]]); };
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        double square = 0;
        for (std::size_t k = 0; k < 3; ++k) square += entry(i, k) * entry(k, j);
        worst = std::max(worst, std::fabs(square - tests::dot(f[i], f[j])));
      }
    EXPECT_GT(entry(0, 0) * entry(1, 1) - entry(0, 1) * entry(0, 1), 0);
    EXPECT_GT(entry(2, 2), 0);
  }
  EXPECT_LT(worst, 1e-5) << what;
}

Material so_soft_that_nothing_pushes(const std::string& model, std::map<std::string, double> more = {}) {
  more["density"] = 1000, more["young_modulus"] = 1e-7, more["poisson_ratio"] = 0.3;
  if (model == "herschel-bulkley") more["viscosity"] = 0;
  return {"m", model, more};
}

// simple shear, in a step and in many, stretches, and all of it with a turn
TEST(Snapshot, StretchIsThatOfTheDeformation) {
  const Matrix much{{{0, 0.6, 0}, {0, 0, 0}, {0, 0, 0}}}, shear{{{0, 0, 0}, {0, 0, 0}, {0.4, 0, 0}}},
      stretch{{{0.35, 0, 0}, {0, -0.2, 0}, {0, 0, 0.1}}},
      both{{{0.1, 0.2, -0.1}, {-0.15, 0.05, 0.1}, {0.1, 0.05, -0.12}}};
  for (const Matrix& a : {much, shear, stretch, both}) {
    const int steps = a == much ? 20 : 1;
    Matrix f = a;
    for (std::size_t d = 0; d < 3; ++d) f[d][d] += 1;
    for (const char* model : {"neo-hookean", "hencky"})
      expect_stretch(deformed(so_soft_that_nothing_pushes(model), a, steps), f, model);
    // what flows remembers all of its deformation if it can tear
    const std::map<std::string, double> tears{{"yield_stress", 1e-10}, {"tear_threshold", 100}};
    for (const char* model : {"von-mises", "herschel-bulkley"})
      expect_stretch(deformed(so_soft_that_nothing_pushes(model, tears), a, steps), f, model);
    // and otherwise the elastic part, which is all of it where it does not flow
    for (const char* model : {"von-mises", "herschel-bulkley"})
      expect_stretch(deformed(so_soft_that_nothing_pushes(model, {{"yield_stress", 1}}), a, steps), f, model);
  }
}

// what flows and does not tear keeps its volume and next to none of its shear
TEST(Snapshot, StretchOfWhatFlowsIsElastic) {
  const Matrix a{{{0.1, 0.4, 0}, {0, 0, 0}, {0, 0, 0}}};
  const double kept = std::cbrt(1.1);
  for (const char* model : {"von-mises", "herschel-bulkley"})
    expect_stretch(deformed(so_soft_that_nothing_pushes(model, {{"yield_stress", 1e-14}}), a),
                   {{{kept, 0, 0}, {0, kept, 0}, {0, 0, kept}}}, model);
}

TEST(Snapshot, RefusesUnknownNames) {
  Simulation run(two_materials());
  try {
    run.snapshot({"velocty"});
    FAIL();
  } catch (const SceneError& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean 'velocity'"), std::string::npos) << e.what();
    EXPECT_EQ(e.where, "output.attributes");
  }
}

TEST(Snapshot, OfNothingIsEmpty) {
  Scene scene = two_materials();
  scene.bodies.clear();
  Simulation run(scene);
  const ParticleFrame frame = run.snapshot({"velocity", "J"});
  EXPECT_TRUE(frame.id.empty() && frame.position.empty());
  EXPECT_EQ(frame.attributes.size(), 2u);
  EXPECT_EQ(run.metrics().particles, 0u);
}

}  // namespace
}  // namespace dollop
