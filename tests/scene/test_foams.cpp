// Materials that flow and tear, as scenes give them: words, flow curves, presets that complete what is given.
#include <gtest/gtest.h>

#include <cmath>

#include "materials/registry.h"
#include "scene/scene_files.h"

namespace dollop {
namespace {

// all parameters of one material of good/foams.toml
struct Values {
  const ModelInfo* model = nullptr;
  std::vector<double> values;
  explicit Values(const std::string& name) {
    const Scene scene = read_scene(scene_tests / "good" / "foams.toml").scene;
    for (const Material& m : scene.materials)
      if (m.name == name) {
        model = &models()[std::size_t(find_model(m.model))];
        values = resolve_parameters(*model, m.parameters);
      }
  }
  double operator[](const std::string& name) const {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (model->parameters[i].name == name) return values[i];
    return NAN;
  }
};

TEST(Foams, preset) {
  const Values published("published");
  EXPECT_EQ(published["yield_stress"], 31.9);
  EXPECT_EQ(published["tear_threshold"], 217.5);
  EXPECT_EQ(published["weak_volume"], 0);
  EXPECT_TRUE(published.model->tears(published.values.data()));
}

// one number of a flow curve or of a pair of moduli changes that number alone
TEST(Foams, preset_completes_what_is_given) {
  const Values softer("softer");
  EXPECT_NEAR(softer["yield_stress"], std::sqrt(3.0) * 30, 1e-12);
  EXPECT_NEAR(softer["viscosity"], 5, 1e-12);
  EXPECT_EQ(softer["power"], 0.27);
  EXPECT_NEAR(softer["young_modulus"] / (2 * (1 + softer["poisson_ratio"])), 1600, 1e-6);
  EXPECT_NEAR(softer["young_modulus"] / (3 * (1 - 2 * softer["poisson_ratio"])), 50e3, 1e-6);
  EXPECT_EQ(softer["recovery_time"], 0);
  EXPECT_EQ(softer["tear_threshold"], 10);
}

TEST(Foams, flow_curve) {
  const Values measured("measured");
  EXPECT_NEAR(measured["yield_stress"], 31.869735, 1e-6);
  EXPECT_NEAR(measured["viscosity"], 17.8 * std::pow(2, 0.61), 1e-12);
  EXPECT_EQ(measured["power"], 0.22);
  EXPECT_EQ(measured["renormalise"], 1);
  EXPECT_FALSE(measured.model->tears(measured.values.data()));
}

TEST(Foams, words) {
  const Values torn("torn");
  EXPECT_EQ(torn["renormalise"], 0);
  EXPECT_EQ(torn["weak_stress"], 1);
  EXPECT_EQ(torn["weak_strain"], 1);
  EXPECT_EQ(torn["weak_volume"], 1);
  EXPECT_EQ(torn["recovery_time"], 0.5);
  EXPECT_EQ(torn.model->removal(torn.values.data()).ratio, 1e-5);
  EXPECT_EQ(torn.model->removal(torn.values.data()).size, 1e-3);
  const Values clay("clay");
  EXPECT_EQ(clay.model->name, "von-mises");
  EXPECT_EQ(clay["weak_volume"], 2);
  EXPECT_TRUE(clay.model->tears(clay.values.data()));
}

}  // namespace
}  // namespace dollop
