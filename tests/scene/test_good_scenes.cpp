// Scenes that must be read: what they become, and that the resolved text says the same.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "materials/registry.h"
#include "scene/same_scene.h"
#include "scene/scene_files.h"
#include "solvers/frame/method_info.h"

namespace dollop {
namespace {

class GoodScenes : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(GoodScenes, resolved_text_reads_back_to_the_same_scene) {
  const SceneFile file = read_scene(GetParam());
  const SceneFile again = parse_scene(file.resolved, "/another/folder/scene.toml");
  expect_same(file.scene, again.scene);
  EXPECT_EQ(file.resolved, again.resolved);
  EXPECT_EQ(file.resolved.compare(0, 9, "# dollop "), 0);
  EXPECT_FALSE(contains(file.resolved, "0000000")) << "numbers must be the shortest that read back";
}

INSTANTIATE_TEST_SUITE_P(files, GoodScenes, testing::ValuesIn(scenes_in("good")),
                         [](const auto& file) { return file.param.stem().string(); });

// every key of the tables is given in some file, so that the round trip covers all of them
TEST(GoodSceneFiles, cover_every_key) {
  std::set<std::string> given;
  for (const auto& path : scenes_in("good"))
    for (const auto& [key, position] : read_scene(path).positions) {
      std::vector<Step> steps;
      ASSERT_TRUE(split_key(key, steps)) << key;
      // the last two names, "sphere.radius", without numbers
      std::erase_if(steps, [](const Step& step) { return step.is_index; });
      if (steps.size() >= 2) given.insert(steps[steps.size() - 2].name + "." + steps.back().name);
    }
  const auto expect_keys = [&](const Section& section) {
    for (const Key& key : section.keys)
      EXPECT_TRUE(given.count(section.name + "." + key.name)) << section.name << "." << key.name;
  };
  for (const Part& part : parts()) {
    expect_keys(part.section());
    for (const Key& key : part.section().keys) {
      if (!key.has_header) continue;
      for (const std::string& inner : key.table->names())
        EXPECT_TRUE(given.count(key.name + "." + inner)) << key.name << "." << inner;
    }
  }
  expect_keys(motion_section());
  for (const ShapeKind& kind : shape_kinds()) {
    expect_keys(kind.section);
    bool found = false;
    for (const std::string& key : given) found = found || key.ends_with("." + kind.word);
    EXPECT_TRUE(found) << kind.word;
  }
}

TEST(GoodSceneFiles, damping_has_the_unit_of_a_kinematic_viscosity) {
  EXPECT_DOUBLE_EQ(read_scene(scene_tests / "good" / "damping.toml").scene.settings.damping_viscosity, 3e-4);
}

TEST(GoodSceneFiles, values_of_all_keys) {
  const Scene scene = read_scene(scene_tests / "good" / "all_keys.toml").scene;
  EXPECT_EQ(scene.title, "All keys, \"quoted\" and \\ with ünïcode");
  const Settings& s = scene.settings;
  EXPECT_EQ(s.duration, 2.5);
  EXPECT_EQ(s.frame_rate, 24);
  EXPECT_EQ(s.cell_size, 0.0125);
  EXPECT_EQ(s.kernel, Kernel::quadratic);
  EXPECT_EQ(s.transfer, Transfer::rpic);
  EXPECT_EQ(s.flip_ratio, 0.97);
  EXPECT_DOUBLE_EQ(s.flip_dt, 2e-5);
  EXPECT_EQ(s.resample_every, 40);
  EXPECT_EQ(s.resample_strain, 0.15);
  EXPECT_EQ(s.resample_fields, ResampleFields::grid);
  EXPECT_FALSE(s.resample_merge);
  EXPECT_EQ(s.resample_depth, 5);
  EXPECT_EQ(s.rpic_damping, 0.5);
  EXPECT_EQ(s.damping_trips, 3);
  EXPECT_EQ(s.forces, ForceForm::gradient);
  EXPECT_EQ(s.advection, Advection::grid_velocity);
  EXPECT_EQ(s.gravity.y.value, -3.7);
  EXPECT_EQ(s.gravity.z.expression, "0.5*sin(t)");
  EXPECT_EQ(s.precision, Precision::double_precision);
  EXPECT_EQ(s.max_dt, 50e-6);
  EXPECT_EQ(s.min_dt, 1e-9);
  EXPECT_EQ(s.dt_safety, 0.3);
  EXPECT_EQ(s.cfl, 0.29);
  EXPECT_EQ(s.volume_init, VolumeInit::estimated);
  EXPECT_EQ(s.seed, 9223372036854775807u);
  EXPECT_EQ(s.threads, 2);
  ASSERT_TRUE(scene.domain && scene.domain->shear_rate);
  EXPECT_EQ(scene.domain->periodic, (std::array<bool, 3>{true, false, true}));
  EXPECT_EQ(scene.domain->min[1], -0.1);
  EXPECT_EQ(scene.domain->shear_rate->kind, Animated::Kind::smooth);
  EXPECT_EQ(scene.domain->shear_rate->keys.at(1).value, 5);
  EXPECT_EQ(scene.output.particles, (std::vector<std::string>{"vtp", "ply", "bgeo"}));
  EXPECT_EQ(scene.output.attributes, (std::vector<std::string>{"velocity", "stress", "plastic_strain"}));
  EXPECT_TRUE(scene.output.preview);
  EXPECT_EQ(scene.output.preview_share, 0.3);
  EXPECT_EQ(scene.output.checkpoint_every, 3);
  EXPECT_TRUE(scene.output.survey);
  EXPECT_EQ(scene.output.surface, (std::vector<std::string>{"ply", "vdb"}));
  EXPECT_EQ(scene.output.surface_method, "sharp");
  EXPECT_EQ(scene.output.surface_mesh, (std::vector<std::string>{"obj", "usda"}));
  ASSERT_TRUE(scene.camera);
  EXPECT_EQ(scene.camera->eye, (Double3{0.5, 0.2, 1}));
  EXPECT_EQ(scene.camera->target, (Double3{0, 0.1, 0}));
  EXPECT_NEAR(scene.camera->angle, 0.5235987755982988, 1e-15);
  EXPECT_EQ(scene.materials.at(0).look, "jelly");
  EXPECT_EQ(scene.materials.at(0).color, (Double3{1, 0, 0.5}));
  EXPECT_EQ(scene.materials.at(0).optical_depth, 0.5);
  EXPECT_EQ(scene.materials.at(1).look, "");
  EXPECT_FALSE(scene.materials.at(1).color);
}

TEST(GoodSceneFiles, values_of_bodies_emitters_colliders) {
  const Scene scene = read_scene(scene_tests / "good" / "all_keys.toml").scene;
  ASSERT_EQ(scene.bodies.size(), 3u);
  EXPECT_EQ(scene.bodies[2].surface_mesh, "shape");
  EXPECT_EQ(scene.bodies[2].surface_edge, 0.003);
  EXPECT_EQ(scene.bodies[0].surface_mesh, "");
  const Body& ball = scene.bodies[0];
  EXPECT_EQ(ball.material, "rubber");
  EXPECT_EQ(std::get<Sphere>(ball.shape.form).radius, 0.04);
  EXPECT_EQ(ball.particles_per_cell, 27);
  EXPECT_EQ(ball.seeding, Seeding::jittered);
  EXPECT_EQ(ball.velocity, (Double3{0, -2, 0.1}));
  EXPECT_DOUBLE_EQ(ball.angular_velocity[0], std::numbers::pi / 2);
  EXPECT_DOUBLE_EQ(ball.angular_velocity[1], 4 * std::numbers::pi);
  EXPECT_EQ(scene.bodies[1].seeding, Seeding::poisson);
  ASSERT_EQ(scene.bodies[1].layers.size(), 2u);
  EXPECT_EQ(scene.bodies[1].layers[0].material, "rubber");
  EXPECT_DOUBLE_EQ(scene.bodies[1].layers[0].depth, 0.002);
  EXPECT_EQ(scene.bodies[1].layers[1].material, "foam");
  ASSERT_EQ(scene.emitters.size(), 1u);
  const Emitter& nozzle = scene.emitters[0];
  EXPECT_EQ(nozzle.name, "nozzle");
  EXPECT_EQ(nozzle.speed.kind, Animated::Kind::linear);
  EXPECT_EQ(nozzle.speed.keys.at(1).time, 0.1);
  EXPECT_EQ(nozzle.speed.keys.at(1).value, 0.5);
  EXPECT_EQ(nozzle.from, 0.01);
  EXPECT_EQ(nozzle.until, 2);
  EXPECT_EQ(nozzle.every, 0.5);
  EXPECT_FALSE(nozzle.wait);
  EXPECT_EQ(nozzle.motion.position.y.value, 0.01);
  EXPECT_DOUBLE_EQ(nozzle.motion.rotation.z.value, std::numbers::pi / 36);
  ASSERT_EQ(scene.colliders.size(), 1u);
  const Collider& block = scene.colliders[0];
  EXPECT_EQ(block.name, "block");
  EXPECT_EQ(block.contact, ContactKind::slip);
  EXPECT_EQ(block.friction, 0.4);
  EXPECT_EQ(block.from, 0.25);
  EXPECT_EQ(block.until, 2.25);
  EXPECT_EQ(block.look, "wood");
  EXPECT_EQ(block.color, (Double3{0.25, 0.5, 1}));
  EXPECT_EQ(block.motion.position.x.expression, "0.02*sin(2*pi*3*t)");
  EXPECT_EQ(block.motion.position.y.kind, Animated::Kind::constant);
  EXPECT_EQ(block.motion.rotation.y.kind, Animated::Kind::smooth);
  EXPECT_DOUBLE_EQ(block.motion.rotation.y.keys.at(1).value, std::numbers::pi / 2);
}

TEST(GoodSceneFiles, defaults_are_those_of_the_structures) {
  const Scene scene = scene_of("").scene;
  Settings expected;
  expected.duration = 1, expected.cell_size = 0.01;
  expect_same(scene.settings, expected);
  EXPECT_FALSE(scene.domain);
  EXPECT_EQ(scene.output.particles, Output{}.particles);
}

// --- settings of methods

TEST(SceneMethods, values_by_name) {
  const Settings s = read_scene(scene_tests / "good" / "newton.toml").scene.settings;
  EXPECT_EQ(s.solver, "newton");
  const std::map<std::string, double> expected{
      {"tolerance", 1e-4}, {"iterations", 12}, {"linear_tolerance", 0.05}, {"linear_iterations", 40}};
  ASSERT_EQ(s.methods.size(), 1u);
  EXPECT_EQ(s.methods.at("newton"), expected);
}

TEST(SceneMethods, only_what_differs_from_the_defaults_is_kept) {
  const auto methods_of = [](const std::string& text) { return scene_of(text).scene.settings.methods; };
  EXPECT_EQ(methods_of("[simulation.newton]\niterations = 7\ntolerance = 1e-3\n"),
            (std::map<std::string, std::map<std::string, double>>{{"newton", {{"iterations", 7}}}}));
  EXPECT_TRUE(methods_of("[simulation.newton]\ntolerance = 1e-3\n").empty());
  EXPECT_TRUE(methods_of("[simulation.newton]\n").empty());
}

// so that one may switch between solvers
TEST(SceneMethods, may_have_settings_without_being_chosen) {
  const Settings s = scene_of("[simulation.newton]\niterations = 7\n").scene.settings;
  EXPECT_EQ(s.solver, "explicit");
  EXPECT_EQ(s.methods.at("newton").at("iterations"), 7);
}

TEST(SceneMethods, are_in_the_resolved_text_with_their_defaults) {
  EXPECT_TRUE(contains(scene_of("[simulation.newton]\niterations = 7\n").resolved,
                       "\n[simulation.newton]\ntolerance = 0.001\niterations = 7\nlinear_tolerance = 0.01\n"
                       "linear_iterations = 30\n"));
  EXPECT_TRUE(contains(scene_of("").resolved, "\n[simulation.newton]\ntolerance = 0.001\niterations = 20\n"));
}

TEST(SceneMethods, solver_is_one_of_all_methods) {
  EXPECT_EQ(simulation_section().find("solver")->words, method_names());
  for (const std::string& name : method_names())
    EXPECT_EQ(scene_of("solver = \"" + name + "\"\n").scene.settings.solver, name);
  for (const MethodInfo& method : methods())
    EXPECT_TRUE(contains(simulation_section().find("solver")->help, method.name + ": " + method.help));
}

// --- materials

std::vector<double> parameters_of(const std::string& text) {
  const Material material = scene_of("[materials.m]\n" + text).scene.materials.at(0);
  return resolve_parameters(models()[std::size_t(find_model(material.model))], material.parameters);
}

TEST(SceneMaterials, every_preset_is_read) {
  for (const ModelInfo& model : models())
    for (const PresetInfo& preset : model.presets) {
      EXPECT_EQ(parameters_of("preset = \"" + preset.name + "\"\n"),
                resolve_parameters(model, preset.parameters));
      EXPECT_EQ(
          parameters_of("preset = \"" + preset.name + "\"\nmodel = \"" + model.name + "\"\ndensity = 7\n")[0],
          7);
    }
}

TEST(SceneMaterials, moduli_replace_those_of_a_preset) {
  const std::vector<double> values =
      parameters_of("preset = \"soft-rubber\"\nshear_modulus = \"1 kPa\"\nbulk_modulus = 3e3\n");
  EXPECT_NEAR(values.at(1), 9 * 3e3 * 1e3 / (3 * 3e3 + 1e3), 1e-9);
  EXPECT_NEAR(values.at(2), (3 * 3e3 - 2e3) / (2 * (3 * 3e3 + 1e3)), 1e-12);
}

TEST(SceneMaterials, only_what_differs_from_the_defaults_is_kept) {
  const Scene scene =
      scene_of("[materials.m]\nmodel = \"hencky\"\ndensity = 1000\nyoung_modulus = 5\n").scene;
  EXPECT_EQ(scene.materials.at(0).parameters, (std::map<std::string, double>{{"young_modulus", 5}}));
}

// --- meshes

// What the reader asks of the mesh loader for a shape; the mesh itself is refused.
std::pair<std::string, double> asked_for(const std::string& shape) {
  std::pair<std::string, double> asked;
  const auto load = [&](const std::string& file, double voxel_size) -> Mesh {
    asked = {file, voxel_size};
    throw SceneError("no meshes here");
  };
  EXPECT_THROW(
      parse_scene(simulation_text + "[[colliders]]\nshape = " + shape + "\n", "/folder/scene.toml", {}, load),
      SceneError);
  return asked;
}

TEST(SceneMeshes, files_are_relative_to_the_scene) {
  EXPECT_EQ(asked_for("{ mesh = { file = \"a.obj\" } }").first, "/folder/a.obj");
  EXPECT_EQ(asked_for("{ mesh = { file = \"../b/./a.obj\" } }").first, "/b/a.obj");
  EXPECT_EQ(asked_for("{ mesh_sequence = { files = [\"/b/a.obj\"] } }").first, "/b/a.obj");
}

// voxels are in the mesh's own lengths, which the shapes around it scale
TEST(SceneMeshes, voxels_are_half_a_cell_in_the_scene) {
  EXPECT_EQ(asked_for("{ mesh = { file = \"a.obj\" } }").second, 0.005);
  EXPECT_EQ(asked_for("{ mesh = { file = \"a.obj\" }, scale = 5 }").second, 0.001);
  EXPECT_EQ(asked_for("{ union = [{ mesh = { file = \"a.obj\" }, scale = 5 }], scale = [1, 2, 1] }").second,
            0.0005);
  EXPECT_EQ(asked_for("{ mesh = { file = \"a.obj\", voxel_size = \"2 mm\" }, scale = 5 }").second, 0.002);
  EXPECT_EQ(asked_for("{ mesh_sequence = { files = [\"a.obj\"], voxel_size = 0.1 } }").second, 0.1);
}

TEST(SceneMeshes, are_absolute_in_the_resolved_text) {
  const SceneFile file = read_scene(scene_tests / "good" / "shapes.toml");
  const std::string path = (scene_tests / "good" / "meshes" / "cube.obj").string();
  EXPECT_TRUE(contains(file.resolved, "file = \"" + path + "\""));
  const auto& placed = std::get<Placed>(file.scene.colliders.at(1).shape.form);
  EXPECT_EQ(std::get<Mesh>(placed.shape->form).voxel_size, 0.02);  // half a cell, and the mesh is halved
}

// as TOML's own word and as text, with and without other numbers beside
TEST(GoodSceneFiles, infinite_relaxation_times) {
  for (const char* word : {"inf", "+inf", "\"inf\""}) {
    const Scene scene =
        scene_of(std::string("[materials.m]\nmodel = \"oldroyd-b\"\nrelaxation_time = ") + word + "\n").scene;
    EXPECT_TRUE(std::isinf(scene.materials.at(0).parameters.at("relaxation_time"))) << word;
  }
  EXPECT_THROW(scene_of("[materials.m]\nmodel = \"oldroyd-b\"\nrelaxation_time = -inf\n"), SceneError);
  EXPECT_THROW(scene_of("[materials.m]\nmodel = \"oldroyd-b\"\nlambda = inf\n"), SceneError);
}

}  // namespace
}  // namespace dollop
