// Bad scenes are refused with a message that says what is wrong.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "solvers/bodies.h"

namespace dollop {
namespace {

using namespace tests;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();

Scene good_scene() {
  Scene scene;
  scene.settings.cell_size = 0.02;
  scene.materials = {elastic("jelly", 1000, 1e5, 0.3)};
  scene.bodies = {{.material = "jelly", .shape = Box{.center = {0, 0.1, 0}, .size = {0.1, 0.1, 0.1}}}};
  scene.colliders = {{.name = "floor", .shape = Plane{}, .friction = 0.3}};
  return scene;
}

// the scene is refused, and the message holds every one of the words
void expect_refused(const std::function<void(Scene&)>& spoil, const std::vector<std::string>& words) {
  Scene scene = good_scene();
  spoil(scene);
  try {
    Simulation simulation(scene);
    ADD_FAILURE() << "accepted, expected a message with '" << words[0] << "'";
  } catch (const SceneError& error) {
    for (const std::string& word : words)
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
          << "'" << word << "' not in: " << error.what();
  }
}

TEST(ValidateScene, accepts_good_ones) {
  EXPECT_NO_THROW(Simulation{good_scene()});
  Scene nothing;
  Simulation empty(nothing);
  EXPECT_EQ(empty.particle_count(), 0u);
  EXPECT_EQ(empty.metrics().mass, 0);
}

TEST(ValidateScene, refuses_bad_settings) {
  const auto settings = [](auto change, const std::vector<std::string>& words) {
    expect_refused([&](Scene& s) { change(s.settings); }, words);
  };
  for (const double bad : {0.0, -0.1, nan, inf})
    settings([&](Settings& s) { s.cell_size = bad; }, {"cell_size", "positive"});
  for (const double bad : {-0.1, 1.1, nan}) {
    settings([&](Settings& s) { s.flip_ratio = bad; }, {"flip_ratio", "[0, 1]"});
    settings([&](Settings& s) { s.rpic_damping = bad; }, {"rpic_damping", "[0, 1]"});
  }
  for (const int bad : {-1, 7})
    settings([&](Settings& s) { s.resample_depth = bad; }, {"resample_depth", "from 0 to 6"});
  for (const double bad : {0.0, -1.0, 1.5, nan}) {
    settings([&](Settings& s) { s.dt_safety = bad; }, {"dt_safety", "(0, 1]"});
    settings([&](Settings& s) { s.cfl = bad; }, {"cfl", "(0, 1]"});
  }
  for (const double bad : {0.0, -1.0, nan})
    settings([&](Settings& s) { s.max_dt = bad; }, {"max_dt", "positive"});
  settings([](Settings& s) { s.min_dt = -1; }, {"min_dt"});
  settings([](Settings& s) { s.min_dt = 1e-3, s.max_dt = 1e-4; }, {"min_dt", "max_dt"});
  settings([](Settings& s) { s.gravity.y = nan; }, {"gravity", "finite"});
  settings([](Settings& s) { s.threads = -1; }, {"threads", "-1"});
}

TEST(ValidateScene, refuses_bad_methods) {
  const auto settings = [](auto change, const std::vector<std::string>& words) {
    expect_refused([&](Scene& s) { change(s.settings); }, words);
  };
  settings([](Settings& s) { s.solver = "newtn"; }, {"newtn", "did you mean 'newton'"});
  settings([](Settings& s) { s.methods["newtn"]["tolerance"] = 0.1; }, {"newtn", "did you mean 'newton'"});
  settings([](Settings& s) { s.methods["newton"]["tolerence"] = 0.1; },
           {"tolerence", "did you mean 'tolerance'"});
  settings([](Settings& s) { s.methods["explicit"]["tolerance"] = 0.1; }, {"tolerance", "explicit"});
  for (const double bad : {0.0, 1.0, -0.1, nan})
    settings([&](Settings& s) { s.methods["newton"]["linear_tolerance"] = bad; },
             {"linear_tolerance", "simulation.newton", "out of range"});
  for (const double bad : {0.0, 2.5, 1001.0})
    settings([&](Settings& s) { s.methods["newton"]["iterations"] = bad; },
             {"iterations", "simulation.newton", "out of range"});
}

TEST(ValidateScene, refuses_bad_materials) {
  const auto material = [](const std::map<std::string, double>& parameters,
                           const std::vector<std::string>& words) {
    expect_refused([&](Scene& s) { s.materials[0].parameters = parameters; }, words);
  };
  expect_refused([](Scene& s) { s.materials[0].model = "neo-hokean"; },
                 {"jelly", "neo-hokean", "did you mean 'neo-hookean'"});
  expect_refused([](Scene& s) { s.materials[0].model = "unobtainium"; }, {"unobtainium", "not a model"});
  expect_refused([](Scene& s) { s.materials.push_back(s.materials[0]); }, {"two materials", "jelly"});
  material({{"young_modulos", 1e5}}, {"young_modulos", "did you mean 'young_modulus'"});
  material({{"density", 0}}, {"density", "out of range"});
  material({{"density", -5}}, {"density", "-5"});
  material({{"young_modulus", nan}}, {"young_modulus"});
  material({{"poisson_ratio", 0.5}}, {"poisson_ratio", "0.5"});
  material({{"young_modulus", 1}, {"bulk_modulus", 1}, {"shear_modulus", 1}}, {"not both"});
  material({{"bulk_modulus", 1}}, {"together"});
}

TEST(ValidateScene, refuses_bad_bodies) {
  const auto body = [](auto change, const std::vector<std::string>& words) {
    expect_refused([&](Scene& s) { change(s.bodies[0]); }, words);
  };
  body([](Body& b) { b.material = "jely"; }, {"jely", "not a material"});
  body([](Body& b) { b.shape = Sphere{.radius = -0.1}; }, {"sphere", "radius", "-0.1"});
  body([](Body& b) { b.shape = Box{.size = {0.1, 0, 0.1}}; }, {"box", "size"});
  body([](Body& b) { b.shape = Capsule{.radius = 0}; }, {"capsule", "radius"});
  body([](Body& b) { b.shape = Plane{}; }, {"no end"});
  body(
      [](Body& b) {
        b.shape = Sphere{.center = {0.01, 0.01, 0.01}, .radius = 1e-4};
      },
      {"jelly", "no particle", "cell_size"});
  body([](Body& b) { b.particles_per_cell = 0; }, {"particles_per_cell"});
  body([](Body& b) { b.particles_per_cell = 1e6; }, {"particles_per_cell"});
  body([](Body& b) { b.velocity[2] = inf; }, {"velocity", "finite"});
  body([](Body& b) { b.angular_velocity[0] = nan; }, {"velocity", "finite"});
  body([](Body& b) { b.shape = Box{.center = {1e6, 0, 0}, .size = {0.1, 0.1, 0.1}}; }, {"far"});
}

TEST(ValidateScene, refuses_bad_colliders) {
  const auto collider = [](auto change, const std::vector<std::string>& words) {
    expect_refused([&](Scene& s) { change(s.colliders[0]); }, words);
  };
  collider([](Collider& c) { c.friction = -0.1; }, {"floor", "friction"});
  collider([](Collider& c) { c.shape = Plane{.normal = {0, 0, 0}}; }, {"floor", "normal"});
  collider([](Collider& c) { c.shape = Cylinder{.radius = -1}; }, {"floor", "cylinder", "radius"});
  collider([](Collider& c) { c.shape = Minus{{Sphere{}}}; }, {"floor", "minus"});
  collider([](Collider& c) { c.motion.velocity[0] = nan; }, {"floor", "velocity"});
}

// found before the run begins, wherever in it the value is missing
TEST(ValidateScene, refuses_expressions_without_a_value) {
  const Animated hole("0*log(0.2-t)"), fine("0.01*sin(40*t)");
  const std::vector<std::string> words{"0*log(0.2-t)", "no finite value at t = 0.2 s"};
  expect_refused([&](Scene& s) { s.colliders[0].motion.position.y = hole; }, words);
  expect_refused([&](Scene& s) { s.colliders[0].motion.rotation.x = hole; }, words);
  expect_refused([&](Scene& s) { s.colliders[0].surface_velocity.z = hole; }, words);
  expect_refused([&](Scene& s) { s.settings.gravity.x = hole; }, words);
  const auto emitter = [](const Animated& speed) {
    return Emitter{.material = "jelly", .shape = Disc{.radius = 0.1}, .speed = speed};
  };
  expect_refused([&](Scene& s) { s.emitters = {emitter(hole)}; }, words);
  expect_refused([&](Scene& s) { s.emitters = {emitter(Animated("0.5-t"))}; },
                 {"0.5-t", "below 0", "at t = 0.501 s"});
  Scene good = good_scene();
  good.colliders[0].motion.position.y = fine;
  good.emitters = {emitter(Animated("1-t"))};
  good.settings.duration = 1;
  EXPECT_NO_THROW(Simulation{good});
}

TEST(ValidateScene, refuses_bad_domains) {
  const auto domain = [](const Domain& d, const std::vector<std::string>& words) {
    expect_refused([&](Scene& s) { s.domain = d; }, words);
  };
  domain({{0, 0, 0}, {1, 1, 0.1}, {false, false, true}}, {"periodic", "multiple of 4 cells", "z", "5"});
  domain({{0, 0, 0}, {0.04, 1, 1}, {true, false, false}}, {"periodic", "4 cells"});
  domain({{0, 0, 0}, {1, 0, 1}, {false, false, false}}, {"domain.max", "larger"});
  domain({{0, 0, 0}, {1, nan, 1}, {false, true, false}}, {"domain"});
}

TEST(ValidateScene, refuses_the_name_of_an_unknown_material_in_a_question) {
  const Simulation simulation(good_scene());
  EXPECT_THROW(simulation.particles("sand"), SceneError);
}

}  // namespace
}  // namespace dollop
