#include "scene/overrides.h"

#include <gtest/gtest.h>

#include "scene/scene_files.h"

namespace dollop {
namespace {

const std::string ball =
    "[materials.m]\nmodel = \"hencky\"\n"
    "[[bodies]]\nmaterial = \"m\"\nshape = { sphere = { radius = 0.1 } }\n"
    "[[bodies]]\nmaterial = \"m\"\nshape = { box = { size = [1, 1, 1] } }\n";

Scene with(const std::vector<std::string>& overrides) { return scene_of(ball, overrides).scene; }

TEST(Overrides, values_are_toml) {
  EXPECT_EQ(with({"simulation.cell_size=0.25"}).settings.cell_size, 0.25);
  EXPECT_EQ(with({"output.preview=true"}).output.preview, true);
  EXPECT_EQ(with({"bodies[1].velocity=[0,-1,\"3 m/s\"]"}).bodies[1].velocity, (Double3{0, -1, 3}));
  EXPECT_EQ(with({"title=\"a = b\""}).title, "a = b");
}

TEST(Overrides, bare_words_are_text) {
  EXPECT_EQ(with({"simulation.kernel=quadratic"}).settings.kernel, Kernel::quadratic);
  EXPECT_EQ(with({"simulation.cell_size=3 mm"}).settings.cell_size, 0.003);
  EXPECT_EQ(with({"simulation.cell_size = 3 mm "}).settings.cell_size, 0.003);
  EXPECT_EQ(with({"expect.mass=< 3 kg"}).expectations.at(0).text, "< 3 kg");
  EXPECT_EQ(with({"expect.center_of_mass.y=>= 0"}).expectations.at(0).metric, "center_of_mass.y");
}

// [expect] has two ways to write a metric
TEST(Overrides, replace_a_metric_however_it_is_spelt) {
  for (const std::string key : {"\"bounds_max.y\"", "bounds_max.y"})
    for (const std::string given : {"\"bounds_max.y\"", "bounds_max.y"}) {
      const std::string text =
          ball + "[expect]\nmass = \"> 0\"\n" + key + " = \"< 1\"\nbounds_max.x = \"< 3\"\n";
      const auto expectations = scene_of(text, {"expect." + given + "=< 2"}).scene.expectations;
      ASSERT_EQ(expectations.size(), 3u) << key << ' ' << given;
      const auto height = std::find_if(expectations.begin(), expectations.end(),
                                       [](const Expectation& e) { return e.metric == "bounds_max.y"; });
      EXPECT_EQ(height->text, "< 2") << key << ' ' << given;
      EXPECT_TRUE(contains(error_of(text, {"expect." + given + "=2 mm"}), "--set expect." + given));
    }
  const std::string two = ball + "[expect]\n\"bounds_max.y\" = [\"< 1\", \"> 0\"]\n";
  EXPECT_EQ(scene_of(two, {"expect.\"bounds_max.y\"[1]=> -1"}).scene.expectations.at(1).text, "> -1");
}

TEST(Overrides, both_ways_to_count) {
  EXPECT_EQ(with({"bodies[1].particles_per_cell=27"}).bodies[1].particles_per_cell, 27);
  EXPECT_EQ(with({"bodies.0.particles_per_cell=27"}).bodies[0].particles_per_cell, 27);
  EXPECT_EQ(std::get<Box>(with({"bodies.1.shape.box.size[2]=4"}).bodies[1].shape.form).size[2], 4);
}

TEST(Overrides, make_tables_and_the_last_one_wins) {
  const Scene scene =
      with({"materials.foam.preset=cork", "materials.foam.density=200", "materials.foam.density=300"});
  ASSERT_EQ(scene.materials.size(), 2u);
  EXPECT_EQ(scene.materials[1].name, "foam");
  EXPECT_EQ(scene.materials[1].parameters.at("density"), 300);
  EXPECT_TRUE(with({"domain.min=[0,0,0]", "domain.max=[1,1,1]"}).domain);
}

TEST(Overrides, settings_of_a_method) {
  EXPECT_EQ(with({"simulation.newton.tolerance=1e-5"}).settings.methods.at("newton").at("tolerance"), 1e-5);
  const std::string table = "[simulation.newton]\niterations = 7\n";
  const auto methods = scene_of(table, {"simulation.newton.linear_iterations=40"}).scene.settings.methods;
  EXPECT_EQ(methods.at("newton"),
            (std::map<std::string, double>{{"iterations", 7}, {"linear_iterations", 40}}));
  const auto error = [](const std::string& text) { return error_of(ball, {text}); };
  EXPECT_EQ(error("simulation.newton_tolerance=1e-5"),
            "--set simulation.newton_tolerance=1e-5: error: newton_tolerance is now tolerance in "
            "[simulation.newton]");
  EXPECT_EQ(error("simulation.linear_iterations=40"),
            "--set simulation.linear_iterations=40: error: linear_iterations is now in [simulation.newton]");
  EXPECT_TRUE(contains(error("simulation.newton.iterations=7.5"), "'iterations' must be an integer"));
  EXPECT_TRUE(contains(error("simulation.newtn.iterations=7"), "did you mean 'newton'?"));
  EXPECT_TRUE(contains(error("simulation.newton.iteration=7"),
                       "'iteration' is not a key of [simulation.newton]; did you mean 'iterations'?"));
}

TEST(Overrides, replace_a_shape) {
  const Scene scene = with({"bodies[0].shape={ box = { size = [1, 2, 3] } }"});
  EXPECT_EQ(std::get<Box>(scene.bodies[0].shape.form).size[1], 2);
}

TEST(Overrides, are_in_the_resolved_text) {
  const SceneFile file = scene_of(ball, {"simulation.cell_size=0.25"});
  EXPECT_TRUE(contains(file.resolved, "cell_size = 0.25\n"));
  EXPECT_EQ(file.positions.count("simulation.cell_size"), 0u);
  EXPECT_EQ(file.positions.count("simulation.duration"), 1u);
}

TEST(Overrides, errors_name_the_override) {
  const auto error = [](const std::string& text) { return error_of(ball, {text}); };
  EXPECT_TRUE(contains(error("materials.m.h=0.3"),
                       "--set materials.m.h=0.3: error: 'h' is not a parameter of hencky"));
  EXPECT_TRUE(contains(error("simulation.cell_size=0"),
                       "--set simulation.cell_size=0: error: 'cell_size' must be > 0"));
  EXPECT_TRUE(contains(error("simulation.cel_size=1"), "did you mean 'cell_size'?"));
  EXPECT_TRUE(contains(error("bodies[2].velocity=[0,0,0]"), "there is no item [2]; the list has 2"));
  EXPECT_TRUE(contains(error("emitters[0].speed=1"), "there is no list with an item [0]"));
  EXPECT_TRUE(contains(error("bodies.first.velocity=[0,0,0]"), "write its number"));
  EXPECT_TRUE(contains(error("simulation.cell_size.x=1"), "is not a table"));
  EXPECT_TRUE(contains(error("simulation.cell_size"), "write key=value"));
  EXPECT_TRUE(contains(error("simulation.cell_size="), "the value is missing"));
  EXPECT_TRUE(contains(error("=3"), "is not a key"));
  EXPECT_TRUE(contains(error("a..b=3"), "is not a key"));
  EXPECT_TRUE(contains(error("a[x]=3"), "is not a key"));
  EXPECT_TRUE(contains(error("bodies[0].velocity=[0,1"), "the value is not TOML"));
  EXPECT_TRUE(contains(error("title=\"a"), "the value is not TOML"));
  EXPECT_TRUE(contains(error("title=\"a\"\nb=3"), "only one value"));
  EXPECT_FALSE(contains(error("simulation.cell_size=0"), "\n"));
}

// of two moduli that do not go together, that of the command line is to blame
TEST(Overrides, are_blamed_before_the_file) {
  const std::string text = "[materials.m]\nmodel = \"hencky\"\nshear_modulus = 290\nbulk_modulus = 1e5\n";
  EXPECT_TRUE(
      contains(error_of(text, {"materials.m.bulk_modulus=1e20"}),
               "--set materials.m.bulk_modulus=1e20: error: shear_modulus 290 and bulk_modulus 1e+20 mean"));
}

// options that set keys of [simulation] do not make a file without it a scene
TEST(Overrides, are_not_to_blame_for_a_file_without_simulation) {
  const auto error = [](const std::vector<std::string>& overrides) {
    try {
      parse_scene(ball, "ball.toml", overrides);
    } catch (const SceneError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string missing =
      "ball.toml:1:1: error: [simulation] is missing; it needs duration and cell_size";
  EXPECT_TRUE(contains(error({"simulation.threads=1"}), missing));
  EXPECT_TRUE(contains(error({"simulation.threads=1", "simulation.duration=1"}), missing));
  EXPECT_EQ(error({"simulation.duration=1", "simulation.cell_size=0.1"}), "");
  EXPECT_TRUE(contains(error({"simulation=1"}), "--set simulation=1: error: "));
}

const std::string variants =
    ball +
    "[variants.small]\nsimulation.cell_size = 0.5\n\"bodies[1].velocity\" = [1, 2, 3]\n"
    "[variants.small.materials.m]\ndensity = 7\n"
    "[variants.fast]\nsimulation.cell_size = 0.7\nsimulation.kernel = \"quadratic\"\n";

TEST(Variants, replace_what_they_name_and_nothing_else) {
  const Scene plain = scene_of(variants, {}).scene, small = scene_of(variants, {"variant=small"}).scene;
  EXPECT_EQ(small.settings.cell_size, 0.5);
  EXPECT_EQ(small.bodies[1].velocity, (Double3{1, 2, 3}));
  EXPECT_EQ(small.materials[0].parameters.at("density"), 7);
  EXPECT_EQ(small.materials[0].model, "hencky");
  EXPECT_EQ(small.bodies[0].velocity, plain.bodies[0].velocity);
  EXPECT_NE(plain.settings.cell_size, 0.5);
}

TEST(Variants, later_ones_and_other_overrides_win) {
  EXPECT_EQ(scene_of(variants, {"variant=small", "variant=fast"}).scene.settings.cell_size, 0.7);
  EXPECT_EQ(scene_of(variants, {"simulation.cell_size=0.1", "variant=fast"}).scene.settings.cell_size, 0.1);
  EXPECT_EQ(scene_of(variants, {"variant=fast"}).resolved.find("variants"), std::string::npos);
}

TEST(Variants, errors) {
  EXPECT_EQ(error_of(ball, {"variant=nope"}), "--variant nope: error: the scene has no variant 'nope'");
  EXPECT_NE(error_of(variants, {"variant=smal"}).find("no variant 'smal'; there are small or fast"),
            std::string::npos);
  EXPECT_NE(error_of(ball, {"variant=small"}).find("no variant 'small'"), std::string::npos);
  const std::string bad = ball + "[variants.small]\nsimulation.cel_size = 0.5\n";
  EXPECT_NE(error_of(bad, {"variant=small"}).find("cell_size"), std::string::npos);
  EXPECT_EQ(error_of(bad, {}), "");
}

}  // namespace
}  // namespace dollop
