// What output sees: particles in order of id, with the attributes that were asked for.
#include <dollop/dollop.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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
