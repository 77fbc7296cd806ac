// Sand as scenes give it: several parameters as one list, words, angles.
#include <gtest/gtest.h>

#include <cmath>

#include "materials/registry.h"
#include "scene/describe.h"
#include "scene/scene_files.h"

namespace dollop {
namespace {

constexpr double degree = 0.017453292519943295;

// one parameter of a material of a scene
double value_of(const Scene& scene, const std::string& material, const std::string& parameter) {
  for (const Material& m : scene.materials)
    if (m.name == material) {
      const ModelInfo& model = models()[std::size_t(find_model(m.model))];
      const std::vector<double> values = resolve_parameters(model, m.parameters);
      for (std::size_t i = 0; i < values.size(); ++i)
        if (model.parameters[i].name == parameter) return values[i];
    }
  return NAN;
}

void expect_hardening(const Scene& scene, const std::string& material, const std::array<double, 4>& h) {
  EXPECT_DOUBLE_EQ(value_of(scene, material, "friction_angle"), h[0] * degree) << material;
  EXPECT_DOUBLE_EQ(value_of(scene, material, "hardening_rate"), h[1] * degree) << material;
  EXPECT_DOUBLE_EQ(value_of(scene, material, "hardening_decay"), h[2]) << material;
  EXPECT_DOUBLE_EQ(value_of(scene, material, "hardening_drop"), h[3] * degree) << material;
}

TEST(Sands, hardening_as_a_list) {
  const Scene scene = read_scene(scene_tests / "good" / "sands.toml").scene;
  expect_hardening(scene, "published", {35, 9, 0.2, 10});
  expect_hardening(scene, "with_units", {35, 9, 0.2, 10});
  expect_hardening(scene, "looser", {28, 0, 0, 0});
  EXPECT_EQ(value_of(scene, "looser", "density"), 2200);
  expect_hardening(scene, "castle", {35, 0, 0, 0});
  EXPECT_EQ(value_of(scene, "castle", "cohesion"), 2000);
}

TEST(Sands, every_parameter) {
  const Scene scene = read_scene(scene_tests / "good" / "sands.toml").scene;
  expect_hardening(scene, "all", {21, 1, 0.1, 2});
  EXPECT_EQ(value_of(scene, "all", "cone"), 1);
  EXPECT_EQ(value_of(scene, "all", "volume_correction"), 0);
  EXPECT_EQ(value_of(scene, "all", "grain_size"), 0.0005);
  EXPECT_EQ(value_of(scene, "all", "max_volume_gain"), 0.5);
  EXPECT_DOUBLE_EQ(value_of(scene, "all", "fast_friction_angle"), 33 * degree);
  EXPECT_EQ(value_of(scene, "published", "volume_correction"), 1);
  EXPECT_EQ(value_of(scene, "published", "cone"), 0);
}

// --- overrides of the command line

const std::string sand = "[materials.sand]\npreset = \"dry-sand\"\n";

TEST(Sands, list_is_overridden_like_other_keys) {
  const std::string with_list = sand + "hardening = [30, 1, 0.1, 5]\n";
  expect_hardening(scene_of(with_list).scene, "sand", {30, 1, 0.1, 5});
  for (const std::string& text : {sand, with_list})
    expect_hardening(scene_of(text, {"materials.sand.hardening=[40, 2, 0.5, \"3 deg\"]"}).scene, "sand",
                     {40, 2, 0.5, 3});
  expect_hardening(scene_of(with_list, {"materials.sand.hardening[1]=4"}).scene, "sand", {30, 4, 0.1, 5});
}

TEST(Sands, override_that_contradicts_is_named) {
  const std::string with_list = sand + "hardening = [30, 1, 0.1, 5]\n";
  for (const auto& [text, override] :
       {std::pair<std::string, std::string>{with_list, "materials.sand.friction_angle=20 deg"},
        {sand + "friction_angle = \"20 deg\"\n", "materials.sand.hardening=[30, 1, 0.1, 5]"}}) {
    const std::string message = error_of(text, {override});
    EXPECT_TRUE(contains(message, "give hardening or friction_angle, not both")) << message;
    EXPECT_TRUE(contains(message, override)) << message;
  }
  const std::string message = error_of(sand, {"materials.sand.hardening=[95, 1, 0.1, 5]"});
  EXPECT_TRUE(contains(message, "must be 0 to 89 deg, it is 95")) << message;
}

// an end of the range is in it, in degrees as in radians
TEST(Sands, ends_of_the_range_of_angles) {
  expect_hardening(scene_of(sand + "hardening = [89, 0, 0, 0]\n").scene, "sand", {89, 0, 0, 0});
  expect_hardening(scene_of(sand + "hardening = [0, 0, 0, 0]\n").scene, "sand", {0, 0, 0, 0});
  EXPECT_NE(error_of(sand + "hardening = [89.001, 0, 0, 0]\n"), "");
  EXPECT_NE(error_of(sand + "hardening = [-0.001, 0, 0, 0]\n"), "");
}

// --- where they are described

TEST(Sands, list_is_documented) {
  const std::string page = materials_page(), schema = scene_schema();
  EXPECT_TRUE(contains(page,
                       "Instead of `friction_angle`, `hardening_rate`, `hardening_decay`, "
                       "`hardening_drop`, one list, `hardening`: "));
  EXPECT_TRUE(contains(page, "| `friction_angle` | rad | 0 to 89 deg | 30 deg | "));
  EXPECT_TRUE(contains(scene_reference(), "hardening = [35, 9, 0.2, 10]"));
  const std::size_t list = schema.find("\"hardening\": {\n", schema.find("\"friction_angle\""));
  ASSERT_NE(list, std::string::npos);
  const std::string part = schema.substr(list, 2500);
  EXPECT_TRUE(contains(part, "\"additionalItems\": false"));
  EXPECT_TRUE(contains(part, "\"maximum\": 89"));
  EXPECT_TRUE(contains(part, "\"minItems\": 4"));
}

}  // namespace
}  // namespace dollop
