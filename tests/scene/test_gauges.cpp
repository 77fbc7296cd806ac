// [[gauges]] of a scene: what they become, errors at their place, the resolved text, the schema, and [expect].
#include <gtest/gtest.h>

#include <numbers>

#include "io/json.h"
#include "scene/describe.h"
#include "scene/expectations.h"
#include "scene/same_scene.h"
#include "scene/scene_files.h"

namespace dollop {
namespace {

const std::string materials =
    "[materials.sand]\nmodel = \"hencky\"\n[materials.clay]\nmodel = \"von-mises\"\n";  // lines 4 to 7
const std::string below =
    "[[gauges]]\nname = \"below\"\nmaterial = \"sand\"\n"
    "shape = { box = { center = [0, \"-10 cm\", 0], size = [0.2, 0.2, 0.4] } }\n";
const std::string moving =
    "[[gauges]]\nname = \"scoop-2\"\nshape = { sphere = { radius = 0.1 }, translate = [0, 1, 0] }\n"
    "motion = { position = { expression = [\"0.1*t\", \"0\", \"sin(t)\"] }, angular_velocity = [0, \"90 "
    "deg/s\", 0], pivot = [0, 0, 1] }\n";
const std::string all = "[[gauges]]\nname = \"all\"\n";

// the error is at line:column, and its message holds the part
void expect_error(const std::string& text, const std::string& place, const std::string& part) {
  const std::string message = error_of(text), first = message.substr(0, message.find('\n'));
  EXPECT_TRUE(contains(first, "scene.toml:" + place + ": error: ")) << text << message;
  EXPECT_TRUE(contains(first, part)) << text << message;
}

// --- reading

TEST(SceneGauges, are_read) {
  const Scene scene = scene_of(materials + below + moving + all).scene;
  ASSERT_EQ(scene.gauges.size(), 3u);
  const Gauge &first = scene.gauges[0], &second = scene.gauges[1], &third = scene.gauges[2];
  EXPECT_EQ(first.name, "below");
  EXPECT_EQ(first.material, "sand");
  ASSERT_TRUE(first.shape);
  EXPECT_EQ(std::get<Box>(first.shape->form).center, (Double3{0, -0.1, 0}));
  EXPECT_EQ(std::get<Box>(first.shape->form).size, (Double3{0.2, 0.2, 0.4}));
  expect_same(first.motion, Motion{});
  EXPECT_EQ(second.name, "scoop-2");
  EXPECT_EQ(second.material, "");
  ASSERT_TRUE(second.shape);
  EXPECT_EQ(std::get<Placed>(second.shape->form).translation, (Double3{0, 1, 0}));
  EXPECT_EQ(second.motion.position.z.expression, "sin(t)");
  EXPECT_DOUBLE_EQ(second.motion.angular_velocity[1], std::numbers::pi / 2);
  EXPECT_EQ(second.motion.pivot, (Double3{0, 0, 1}));
  EXPECT_EQ(third.name, "all");
  EXPECT_EQ(third.material, "");
  EXPECT_FALSE(third.shape);
  EXPECT_TRUE(scene_of("").scene.gauges.empty());
}

TEST(SceneGauges, resolved_text_reads_back_to_the_same) {
  const SceneFile file = scene_of(materials + below + moving + all +
                                  "[expect]\ngauges.below.mass = [\"> 1 g\", \"< 2 always\"]\n"
                                  "gauges.scoop-2.momentum.y = \"~ 3 +- 1 %\"\n");
  const SceneFile again = parse_scene(file.resolved, "/another/folder/scene.toml");
  ASSERT_EQ(again.scene.gauges.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) expect_same(file.scene.gauges[i], again.scene.gauges[i]);
  expect_all_same(file.scene.expectations, again.scene.expectations);
  EXPECT_EQ(again.scene.expectations.size(), 3u);
  EXPECT_EQ(file.resolved, again.resolved);
}

TEST(SceneGauges, can_be_overridden) {
  const std::string text = materials + below + all;
  const Scene scene =
      scene_of(text, {"gauges[1].material=clay", "gauges[0].shape.box.size[2]=3", "gauges[1].name=\"rest\""})
          .scene;
  ASSERT_EQ(scene.gauges.size(), 2u);
  EXPECT_EQ(scene.gauges[1].material, "clay");
  EXPECT_EQ(scene.gauges[1].name, "rest");
  EXPECT_EQ(std::get<Box>(scene.gauges[0].shape.value().form).size, (Double3{0.2, 0.2, 3}));
  EXPECT_EQ(differing_keys(scene_of(text).resolved, scene_of(text, {"gauges[1].material=clay"}).resolved),
            (std::vector<std::string>{"gauges[1].material: \"\" -> \"clay\""}));
}

// --- errors

TEST(SceneGauges, need_a_name_of_their_own) {
  expect_error(materials + "[[gauges]]\nmaterial = \"sand\"\n", "8:1", "needs the key 'name'");
  expect_error(materials + "[[gauges]]\nname = \"\"\n", "9:8", "a gauge needs a name");
  expect_error(materials + "[[gauges]]\nname = \"the pile\"\n", "9:8",
               "the name 'the pile' must be letters, digits, '_' and '-'");
  expect_error(materials + "[[gauges]]\nname = \"a.b\"\n", "9:8", "must be letters, digits");
  expect_error(materials + all + below + all, "15:8", "there are two gauges named 'all'");
  // colliders and emitters have names of their own
  EXPECT_EQ(error_of(all + "[[colliders]]\nname = \"all\"\nshape = { plane = { } }\n"), "");
}

TEST(SceneGauges, need_a_material_of_the_scene) {
  expect_error(materials + "[[gauges]]\nname = \"a\"\nmaterial = \"snad\"\n", "10:12",
               "there is no material 'snad'; did you mean 'sand'?");
  expect_error(materials + "[[gauges]]\nname = \"a\"\nmaterial = \"water\"\n", "10:12",
               "there is no material 'water'; there is sand or clay");
  expect_error("[[gauges]]\nname = \"a\"\nmaterial = \"water\"\n", "6:12", "add [materials.water]");
}

TEST(SceneGauges, need_a_solid_shape) {
  const std::string named = "[[gauges]]\nname = \"a\"\n";
  expect_error(named + "shape = { disc = { radius = 0.1 } }\n", "6:1", "disc: needs thickness");
  expect_error(named + "shape = { union = [{ sphere = { radius = 1 } }, { disc = { radius = 0.1 } }] }\n",
               "6:1", "disc: needs thickness");
  expect_error(named + "shape = { sphere = { radius = 0 } }\n", "6:31", "'radius' must be > 0");
  EXPECT_EQ(error_of(named + "shape = { disc = { radius = 0.1, thickness = 0.1 } }\n"), "");
  EXPECT_EQ(error_of(named + "shape = { plane = { } }\n"), "");
}

TEST(SceneGauges, know_no_other_keys) {
  expect_error("[[gauges]]\nname = \"a\"\nfriction = 1\n", "6:1", "friction");
  expect_error("[[gauges]]\nname = \"a\"\nmateral = \"sand\"\n", "6:1", "did you mean 'material'?");
  expect_error("[gauges]\nname = \"a\"\n", "4:2", "[[gauges]]");
  expect_error("[[gauges]]\nname = \"a\"\nmaterial = 3\n", "6:12", "material");
  expect_error("[[gauges]]\nname = \"a\"\nmotion = { speed = 3 }\n", "6:12", "speed");
}

// --- [expect]

TEST(GaugeExpectations, every_number_has_its_name_and_unit) {
  const auto value = [](const std::string& metric, const std::string& text) {
    const Scene scene = scene_of(all + "[expect]\ngauges.all." + metric + " = \"" + text + "\"\n").scene;
    EXPECT_EQ(scene.expectations.at(0).metric, "gauges.all." + metric);
    return scene.expectations.at(0).value;
  };
  EXPECT_EQ(value("particles", "> 3"), 3);
  EXPECT_EQ(value("mass", "> 3 g"), 0.003);
  EXPECT_EQ(value("flow", "> 3 kg/s"), 3);
  EXPECT_EQ(value("momentum.x", "> 3 N s"), 3);
  EXPECT_EQ(value("center_of_mass.y", "> 3 cm"), 0.03);
  EXPECT_EQ(value("kinetic_energy", "> 3 mJ"), 0.003);
  EXPECT_EQ(value("bounds_min.z", "> 3 mm"), 0.003);
  EXPECT_EQ(value("bounds_max.x", "> 3 mm"), 0.003);
  EXPECT_EQ(value("max_speed", "> 3 m/s"), 3);
  EXPECT_EQ(gauge_metrics().size(), 9u);
  expect_error(all + "[expect]\ngauges.all.mass = \"> 3 cm\"\n", "7:19", "expected a mass");
}

TEST(GaugeExpectations, can_be_written_as_one_key) {
  const Scene scene = scene_of("[expect]\n\"gauges.all.bounds_max.z\" = \"< 1 at 0.5 s\"\n" + all).scene;
  ASSERT_EQ(scene.expectations.size(), 1u);
  EXPECT_EQ(scene.expectations[0].metric, "gauges.all.bounds_max.z");
  EXPECT_EQ(scene.expectations[0].time, 0.5);
}

TEST(GaugeExpectations, of_what_is_not_there_are_refused_with_a_hint) {
  const auto error = [](const std::string& entry, const std::string& place, const std::string& part) {
    expect_error(materials + below + "[expect]\n" + entry + "\n", place, part);
  };
  const std::string how = "write gauges.NAME.mass, say, with the name of one of the [[gauges]]";
  // another gauge
  error("gauges.blow.mass = \"> 0\"", "13:13",
        "'gauges.blow.mass' is not a metric; did you mean 'gauges.below.mass'?");
  error("gauges.hopper-of-the-mill.mass = \"> 0\"", "13:27",
        "'gauges.hopper-of-the-mill.mass' is not a metric; " + how);
  error("gauges = \"> 0\"", "13:1", "'gauges' is not a metric; " + how);
  error("\"gauges.below\" = \"> 0\"", "13:1", "'gauges.below' is not a metric");
  expect_error("[expect]\ngauges.below.mass = \"> 0\"\n", "5:14", how);  // a scene without gauges
  // another quantity
  error("gauges.below.elastic_energy = \"> 0\"", "13:14", "'gauges.below.elastic_energy' is not a metric");
  error("gauges.below.mas = \"> 0\"", "13:14", "did you mean 'gauges.below.mass'?");
  // vectors and numbers
  error("gauges.below.momentum = \"> 0\"", "13:14",
        "it is a vector: write \"gauges.below.momentum.x\", .y or .z");
  error("gauges.below.mass.x = \"> 0\"", "13:19", "'gauges.below.mass.x' is not a metric");
  error("gauges.below.momentum.w = \"> 0\"", "13:23", "'gauges.below.momentum.w' is not a metric");
  // the whole scene has no flow
  error("flow = \"> 0\"", "13:1", "'flow' is not a metric");
}

// --- documents

TEST(GaugeDocuments, schema_knows_gauges_and_what_they_show) {
  const std::string schema = scene_schema();
  EXPECT_TRUE(is_json(schema));
  std::size_t at = schema.find("\"gauges\":");
  ASSERT_NE(at, std::string::npos);
  // once a part of the scene, once in [expect]
  EXPECT_NE(schema.find("\"gauges\":", at + 1), std::string::npos);
  EXPECT_TRUE(contains(schema, "\"^(contact_forces|gauges|volume_change|mesh_gaps)\\\\.\""));
  EXPECT_TRUE(contains(schema, "\"flow\":"));
}

TEST(GaugeDocuments, reference_lists_every_number) {
  const std::string text = scene_reference();
  EXPECT_TRUE(contains(text, "`[[gauges]]`"));
  for (const MetricInfo& metric : gauge_metrics())
    EXPECT_TRUE(contains(text, "| `gauges.NAME." + metric.name + "`")) << metric.name;
  EXPECT_TRUE(contains(text, "| `gauges.NAME.flow` | kg/s |"));
  EXPECT_TRUE(contains(text, "| `gauges.NAME.momentum` `.x` `.y` `.z` | kg m/s |"));
}

}  // namespace
}  // namespace dollop
