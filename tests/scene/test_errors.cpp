// How errors look, and errors of files and of the set-up.
#include <dollop/simulation.h>
#include <gtest/gtest.h>

#include "scene/scene_files.h"

namespace dollop {
namespace {

std::string message_of(const std::string& text, const std::string& path = "scene.toml") {
  try {
    parse_scene(text, path);
  } catch (const SceneError& error) {
    return error.what();
  }
  return "";
}

TEST(SceneErrors, exact_form) {
  EXPECT_EQ(
      message_of(simulation_text + "\n[materials.clay]\nmodel = \"von-mises\"\n\n\n\n\nyeild_stress = 3\n"),
      "scene.toml:11:1: error: 'yeild_stress' is not a parameter of von-mises; did you mean 'yield_stress'?\n"
      "   11 | yeild_stress = 3\n"
      "      | ^^^^^^^^^^^^");
}

TEST(SceneErrors, columns_count_characters_and_tabs_are_blanks) {
  EXPECT_EQ(message_of("\"ä\" = 1\n"),
            "scene.toml:1:1: error: 'ä' is not a part of a scene; these are title, "
            "materials, expect, variants, simulation, domain, bodies, emitters, colliders, gauges, camera or "
            "output\n"
            "    1 | \"ä\" = 1\n      | ^^^");
  EXPECT_TRUE(contains(message_of("[simulation]\n\tduration = \"ä\"\n"),
                       "scene.toml:2:13: error: 'duration': expected a time such as \"10 ms\", got \"ä\"\n"
                       "    2 |  duration = \"ä\"\n      |             ^^^"));
}

TEST(SceneErrors, long_lines_are_cut_around_the_place) {
  const std::string message = message_of("[simulation]\ngravity = [" + std::string(3000, ' ') +
                                         "0, 0, \"x\"," + std::string(3000, ' ') + "]\n");
  EXPECT_LT(message.size(), 500u);
  const std::size_t second = message.find('\n') + 1, third = message.find('\n', second) + 1;
  const std::string line = message.substr(second, third - second - 1), carets = message.substr(third);
  EXPECT_EQ(line.find("\"x\""), carets.find("^^^")) << message;
}

TEST(SceneErrors, terminal_codes_are_not_passed_on) {
  for (const char* text :
       {"\"a\\u001b[31m\" = 1\n", "[simulation]\nduration = \"\\u001b[2J\"\n", "x = \"\x1b[2J\"\n"})
    EXPECT_FALSE(contains(message_of(text), "\x1b")) << text;
}

TEST(SceneErrors, files_that_cannot_be_read) {
  const auto error = [](const std::filesystem::path& path) {
    try {
      read_scene(path);
    } catch (const SceneError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(error("nowhere.toml"),
            "nowhere.toml: error: the scene file cannot be opened: No such file or directory");
  EXPECT_TRUE(contains(error(scene_tests), "this is a folder"));
}

TEST(SceneErrors, mesh_files_that_cannot_be_used) {
  const std::string message = error_of("[[colliders]]\nshape = { mesh = { file = \"scene.toml.obj\" } }\n");
  EXPECT_TRUE(contains(message, "scene.toml:5:27: error: ")) << message;
}

TEST(SceneErrors, deep_nesting_does_not_exhaust_the_stack) {
  const std::size_t n = 200000;
  const auto repeated = [](const std::string& part, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += part;
    return text;
  };
  for (const std::string& text :
       {"a = " + std::string(n, '['), "a = " + repeated("{a=", n), "a" + repeated(".a", n) + " = 1",
        "[a" + repeated(".a", n) + "]", "\"a\"" + repeated(".'a'", n) + " = 1",
        "a = " + repeated("{ a" + repeated(".a", 30) + " = ", 30)})
    EXPECT_NE(message_of(text), "") << text.substr(0, 40);
  const std::string set = "{ union = [";
  EXPECT_TRUE(contains(error_of("[[colliders]]\nshape = " + repeated(set, 40) + repeated("]}", 40) + "\n"),
                       "nested too deeply"));
}

// texts that are fine, but that toml++ 3.3 alone cannot read without undefined behaviour
TEST(SceneErrors, letters_beyond_ascii_are_read) {
  EXPECT_EQ(parse_scene("title = \"\"\"\\\n  О О\"\"\" # О\n" + simulation_text, "scene.toml").scene.title,
            "О О");
  EXPECT_EQ(parse_scene("\xEF\xBB\xBFtitle = \"О\"\n" + simulation_text, "scene.toml").scene.title, "О");
}

// --- errors of the set-up

TEST(Explain, shows_the_key_or_what_is_around_it) {
  const SceneFile file = scene_of(
      "[materials.m]\nmodel = \"hencky\"\n\n[[bodies]]\nmaterial = \"m\"\nshape = { sphere = { radius = 0.1 "
      "} }\n");
  EXPECT_EQ(explain(file, SceneError("it holds no particle", "bodies[0].shape")),
            "scene.toml:9:1: error: it holds no particle\n"
            "    9 | shape = { sphere = { radius = 0.1 } }\n"
            "      | ^^^^^");
  EXPECT_TRUE(contains(explain(file, SceneError("x", "bodies[0].velocity")), "scene.toml:7:1: error: x\n"));
  EXPECT_TRUE(contains(explain(file, SceneError("x", "bodies[0].shape.sphere.radius")),
                       "scene.toml:9:22: error: x\n"));
  EXPECT_TRUE(contains(explain(file, SceneError("x", "materials.m.density")), "scene.toml:4:12: error: x\n"));
  EXPECT_TRUE(contains(explain(file, SceneError("x", "materials[0].model")), "scene.toml:5:1: error: x\n"));
  EXPECT_EQ(explain(file, SceneError("x", "output.preview")), "scene.toml: error: x");
  EXPECT_EQ(explain(file, SceneError("x")), "scene.toml: error: x");
}

// settings that are put in a scene after it was read
TEST(Explain, settings_of_methods_are_shown) {
  SceneFile file = scene_of("[simulation.newton]\niterations = 7\n");
  const auto error = [&] {
    try {
      validate_scene(file.scene);
    } catch (const SceneError& e) {
      return explain(file, e);
    }
    return std::string();
  };
  EXPECT_EQ(error(), "");
  file.scene.settings.methods["newton"]["iterations"] = 7.5;
  EXPECT_TRUE(contains(error(), "scene.toml:5:1: error: 'iterations' of [simulation.newton] is 7.5"))
      << error();
}

TEST(Explain, bodies_too_far_away_or_too_large_are_shown) {
  const std::string ball =
      "[materials.m]\nmodel = \"hencky\"\n[[bodies]]\nmaterial = \"m\"\nshape = { sphere = { radius = 0.1 } "
      "}\n";
  const auto error = [&](const std::string& center, const std::string& radius) {
    const SceneFile file = scene_of(ball + "[[bodies]]\nmaterial = \"m\"\nshape = { sphere = { center = [" +
                                    center + ", 0, 0], radius = " + radius + " } }\n");
    try {
      Simulation simulation(file.scene);
    } catch (const SceneError& e) {
      return explain(file, e);
    }
    return std::string();
  };
  for (const char* center : {"1e12", "-1e12", "1e6", "-1e5", "-4.2e4", "4.2e4"})
    EXPECT_TRUE(contains(error(center, "0.1"), "scene.toml:11:1: error: this shape lies too far away"))
        << center;
  EXPECT_TRUE(contains(error("0", "1e5"), "scene.toml:11:1: error: this shape would hold about"));
  EXPECT_EQ(error("4.1e4", "0.1"), "");
}

TEST(Explain, positions_of_keys) {
  const SceneFile file = scene_of("[output]\nparticles = [\"vtp\"]\n");
  const auto at = [&](const std::string& key) {
    const SourcePosition p = file.positions.at(key);
    return std::pair(p.line, p.column);
  };
  EXPECT_EQ(at("simulation"), std::pair(1, 2));
  EXPECT_EQ(at("simulation.cell_size"), std::pair(3, 1));
  EXPECT_EQ(at("output.particles"), std::pair(5, 1));
  EXPECT_EQ(at("output.particles[0]"), std::pair(5, 14));
}

// --- differences

TEST(DifferingKeys, names_each_value) {
  const std::string floor = "[[colliders]]\nname = \"floor\"\nshape = { plane = { } }\n";
  const std::string before = scene_of(floor).resolved;
  EXPECT_TRUE(differing_keys(before, before).empty());
  const std::string now =
      scene_of(floor, {"simulation.cell_size=0.002", "simulation.max_dt=1e-5", "colliders[0].contact=slip",
                       "colliders[0].shape.plane.point=[0,1,0]"})
          .resolved;
  EXPECT_EQ(
      differing_keys(before, now),
      (std::vector<std::string>{
          "simulation.cell_size: 0.01 -> 0.002", "colliders[0].shape.plane.point: [0, 0, 0] -> [0, 1, 0]",
          "colliders[0].contact: \"separate\" -> \"slip\"", "simulation.max_dt: absent -> 1e-05"}));
  EXPECT_EQ(differing_keys(now, before).back(), "colliders[0].contact: \"slip\" -> \"separate\"");
  EXPECT_THROW(differing_keys(before, "= broken"), SceneError);
}

}  // namespace
}  // namespace dollop
