// What gauges show: sums over a part of the material, in closed form for blocks that fly without forces.
#include "solvers/observation/gauges.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numbers>
#include <sstream>

#include "io/json.h"
#include "run/expectations.h"
#include "solvers/bodies.h"

namespace dollop {
namespace {

using namespace tests;

const Shape around_light = Box{{0.2, 0.2, 0.2}, {0.4, 0.4, 0.4}},
            around_heavy = Box{{1.2, 0.2, 0.1}, {0.4, 0.4, 0.2}},
            around_all = Box{{0.7, 0.2, 0.2}, {1.6, 0.6, 0.6}}, nowhere = Box{{0.2, 5, 0.2}, {0.4, 0.4, 0.4}};

// 512 particles of 1/16 kg at 3 m/s, and 256 of 1/4 kg at 5 m/s; 50 mm apart, the first 25 mm from the corner
Scene two_blocks(Precision precision, std::vector<Gauge> gauges) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = 0.1, s.kernel = Kernel::quadratic, s.precision = precision, s.threads = 1;
  s.gravity = {0, 0, 0};
  scene.materials = {elastic("light", 500, 1e4, 0.3), elastic("heavy", 2000, 1e4, 0.3)};
  scene.bodies = {{.material = "light", .shape = around_light, .velocity = {1, 2, -2}},
                  {.material = "heavy", .shape = around_heavy, .velocity = {-3, 0, 4}}};
  scene.gauges = std::move(gauges);
  return scene;
}

// a block of 32 kg in eight layers, 50 mm apart, that flies along x at 1 m/s, past gauges in a row
Scene flying_block(Precision precision) {
  Scene scene = two_blocks(precision, {{.name = "left", .shape = around_light},
                                       {.name = "right", .shape = Box{{0.6, 0.2, 0.2}, {0.4, 0.4, 0.4}}},
                                       {.name = "all"}});
  scene.bodies.pop_back();
  scene.bodies[0].velocity = {1, 0, 0};
  return scene;
}

GaugeReading reading(const Simulation& run, const std::string& name) {
  for (const GaugeReading& r : run.metrics().gauges)
    if (r.gauge == name) return r;
  throw std::runtime_error("no gauge " + name);
}

std::vector<double> numbers_of(const GaugeReading& r) {
  std::vector<double> all{double(r.particles), r.mass, r.flow, r.kinetic_energy, r.max_speed};
  for (const Double3& v : {r.momentum, r.center_of_mass, r.bounds_min, r.bounds_max})
    all.insert(all.end(), v.begin(), v.end());
  return all;
}

void expect_same_bits(const std::vector<GaugeReading>& a, const std::vector<GaugeReading>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t g = 0; g < a.size(); ++g) {
    EXPECT_EQ(a[g].gauge, b[g].gauge);
    const std::vector<double> x = numbers_of(a[g]), y = numbers_of(b[g]);
    for (std::size_t k = 0; k < x.size(); ++k)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(x[k]), std::bit_cast<std::uint64_t>(y[k]))
          << a[g].gauge << ", number " << k << ": " << x[k] << " " << y[k];
  }
}

void expect_near(const Double3& a, const Double3& b, double tolerance) {
  for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(a[d], b[d], tolerance) << "xyz"[d];
}

void expect_light(const GaugeReading& r, double tolerance) {
  EXPECT_EQ(r.particles, 512u);
  EXPECT_NEAR(r.mass, 32, 32 * tolerance);
  expect_near(r.momentum, {32, 64, -64}, 64 * tolerance);
  expect_near(r.center_of_mass, {0.2, 0.2, 0.2}, tolerance);
  EXPECT_NEAR(r.kinetic_energy, 144, 144 * tolerance);
  expect_near(r.bounds_min, {0.025, 0.025, 0.025}, tolerance);
  expect_near(r.bounds_max, {0.375, 0.375, 0.375}, tolerance);
  EXPECT_NEAR(r.max_speed, 3, 3 * tolerance);
}

void expect_heavy(const GaugeReading& r, double tolerance) {
  EXPECT_EQ(r.particles, 256u);
  EXPECT_NEAR(r.mass, 64, 64 * tolerance);
  expect_near(r.momentum, {-192, 0, 256}, 256 * tolerance);
  expect_near(r.center_of_mass, {1.2, 0.2, 0.1}, tolerance);
  EXPECT_NEAR(r.kinetic_energy, 800, 800 * tolerance);
  expect_near(r.bounds_min, {1.025, 0.025, 0.025}, tolerance);
  expect_near(r.bounds_max, {1.375, 0.375, 0.175}, tolerance);
  EXPECT_NEAR(r.max_speed, 5, 5 * tolerance);
}

void expect_empty(const GaugeReading& r) {
  EXPECT_EQ(r.particles, 0u);
  EXPECT_EQ(r.mass, 0);
  EXPECT_EQ(r.momentum, (Double3{0, 0, 0}));
  EXPECT_EQ(r.kinetic_energy, 0);
  EXPECT_EQ(r.max_speed, 0);
  for (const Double3& v : {r.center_of_mass, r.bounds_min, r.bounds_max})
    for (const double a : v) EXPECT_TRUE(std::isnan(a)) << a;
}

struct Gauges : testing::TestWithParam<Precision> {
  double tolerance() const { return GetParam() == Precision::double_precision ? 1e-12 : 1e-6; }
};
INSTANTIATE_TEST_SUITE_P(All, Gauges,
                         testing::Values(Precision::single_precision, Precision::double_precision),
                         [](const auto& p) {
                           return p.param == Precision::double_precision ? "double_precision"
                                                                         : "single_precision";
                         });

// --- what is measured

TEST_P(Gauges, a_shape_holds_what_is_inside) {
  const Simulation run(two_blocks(
      GetParam(), {{.name = "light", .shape = around_light},
                   {.name = "heavy", .shape = around_heavy},
                   {.name = "half", .shape = Box{{0.1, 0.2, 0.2}, {0.2, 0.4, 0.4}}},
                   {.name = "above", .shape = Plane{{0, 0.3, 0}, {0, -1, 0}}},
                   {.name = "corner", .shape = Sphere{.center = {0.025, 0.025, 0.025}, .radius = 0.06}}}));
  expect_light(reading(run, "light"), tolerance());
  expect_heavy(reading(run, "heavy"), tolerance());
  const GaugeReading half = reading(run, "half"), above = reading(run, "above"),
                     corner = reading(run, "corner");
  EXPECT_EQ(half.particles, 256u);
  EXPECT_NEAR(half.mass, 16, 16 * tolerance());
  expect_near(half.center_of_mass, {0.1, 0.2, 0.2}, tolerance());
  expect_near(half.bounds_max, {0.175, 0.375, 0.375}, tolerance());
  // a quarter of each block: 8 kg and 16 kg
  EXPECT_EQ(above.particles, 128u + 64u);
  expect_near(above.momentum, {8 - 48, 16, -16 + 64}, 100 * tolerance());
  expect_near(above.center_of_mass, {(8 * 0.2 + 16 * 1.2) / 24, 0.35, (8 * 0.2 + 16 * 0.1) / 24},
              tolerance());
  EXPECT_NEAR(above.max_speed, 5, 5 * tolerance());
  EXPECT_EQ(corner.particles, 4u);  // that of the corner and its three neighbours
}

TEST_P(Gauges, a_material_leaves_out_the_others) {
  const Simulation run(
      two_blocks(GetParam(), {{.name = "a", .material = "light"}, {.name = "b", .material = "heavy"}}));
  expect_light(reading(run, "a"), tolerance());
  expect_heavy(reading(run, "b"), tolerance());
}

TEST_P(Gauges, a_shape_and_a_material_must_both_fit) {
  const Simulation run(
      two_blocks(GetParam(), {{.name = "light", .material = "light", .shape = around_all},
                              {.name = "heavy", .material = "heavy", .shape = around_all},
                              {.name = "not_here", .material = "heavy", .shape = around_light}}));
  expect_light(reading(run, "light"), tolerance());
  expect_heavy(reading(run, "heavy"), tolerance());
  expect_empty(reading(run, "not_here"));
}

TEST_P(Gauges, without_both_they_show_the_totals) {
  Scene scene = two_blocks(GetParam(), {{.name = "all"}});
  scene.bodies[0].angular_velocity = {0, 0, 3};  // particles that differ
  scene.settings.gravity = {0, -9.81, 0};
  Simulation run(scene);
  ASSERT_TRUE(run.advance_to(0.05).ok());
  const Metrics m = run.metrics();
  const GaugeReading all = m.gauges.at(0);
  EXPECT_EQ(all.particles, 768u);
  EXPECT_DOUBLE_EQ(all.mass, m.mass);
  EXPECT_DOUBLE_EQ(all.kinetic_energy, m.kinetic_energy);
  EXPECT_DOUBLE_EQ(all.max_speed, m.max_speed);
  EXPECT_EQ(all.flow, 0);
  expect_near(all.momentum, m.momentum, 1e-10);
  expect_near(all.center_of_mass, m.center_of_mass, 1e-14);
  EXPECT_EQ(all.bounds_min, m.bounds_min);
  EXPECT_EQ(all.bounds_max, m.bounds_max);
}

TEST_P(Gauges, are_shown_in_the_order_of_the_scene) {
  const Simulation run(two_blocks(GetParam(), {{.name = "b", .material = "heavy"}, {.name = "a"}}));
  const std::vector<GaugeReading> all = run.metrics().gauges;
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].gauge, "b");
  EXPECT_EQ(all[0].particles, 256u);
  EXPECT_EQ(all[1].gauge, "a");
  EXPECT_EQ(all[1].particles, 768u);
  EXPECT_TRUE(Simulation(two_blocks(GetParam(), {})).metrics().gauges.empty());
}

// --- motion

TEST_P(Gauges, a_shape_follows_its_motion) {
  Scene scene = flying_block(GetParam());
  // it runs ahead and is back at 0.2 s; a quarter turn about the origin takes 0.2 s
  const Animated ahead(Animated::Kind::linear, {{0, 0}, {0.1, 1}, {0.2, 0.2}});
  const Shape before_turn = Box{{0.2, -0.4, 0.2}, {0.4, 0.4, 0.4}};
  scene.gauges = {{.name = "still", .shape = around_light},
                  {.name = "along", .shape = around_light, .motion = {.velocity = {1, 0, 0}}},
                  {.name = "keys", .shape = around_light, .motion = {.position = {ahead, 0, 0}}},
                  {.name = "turned",
                   .shape = before_turn,
                   .motion = {.angular_velocity = {0, 0, 2.5 * std::numbers::pi}}}};
  Simulation run(scene);
  EXPECT_EQ(reading(run, "along").particles, 512u);
  EXPECT_EQ(reading(run, "keys").particles, 512u);
  EXPECT_EQ(reading(run, "turned").particles, 0u);
  ASSERT_TRUE(run.advance_to(0.1).ok());
  EXPECT_EQ(reading(run, "still").particles, 384u);
  EXPECT_EQ(reading(run, "along").particles, 512u);
  EXPECT_EQ(reading(run, "keys").particles, 0u);
  ASSERT_TRUE(run.advance_to(0.2).ok());
  EXPECT_EQ(reading(run, "still").particles, 256u);
  EXPECT_EQ(reading(run, "along").particles, 512u);
  EXPECT_EQ(reading(run, "keys").particles, 512u);
  // the turned box lies at x from 0.2 to 0.6 and y from 0 to 0.4
  EXPECT_EQ(reading(run, "turned").particles, 512u);
  // what it shows is in the lengths of the scene
  expect_near(reading(run, "along").center_of_mass, {0.4, 0.2, 0.2}, tolerance());
  expect_near(reading(run, "turned").bounds_min, {0.225, 0.025, 0.025}, tolerance());
  expect_near(reading(run, "along").momentum, {32, 0, 0}, 32 * tolerance());
}

// --- flow

TEST_P(Gauges, flow_is_the_growth_of_mass_over_time) {
  Simulation run(flying_block(GetParam()));
  const auto expect_flow = [&](double left, double right) {
    EXPECT_NEAR(reading(run, "left").flow, left, 1000 * tolerance());
    EXPECT_NEAR(reading(run, "right").flow, right, 1000 * tolerance());
    EXPECT_EQ(reading(run, "all").flow, 0);
  };
  expect_flow(0, 0);                       // no time has passed
  ASSERT_TRUE(run.advance_to(0.11).ok());  // two layers of 4 kg
  EXPECT_NEAR(reading(run, "right").mass, 8, 8 * tolerance());
  expect_flow(-8 / 0.11, 8 / 0.11);
  ASSERT_TRUE(run.advance_to(0.14).ok());  // a third, and the mean is since the start
  expect_flow(-12 / 0.14, 12 / 0.14);
  run.new_interval();
  expect_flow(0, 0);
  EXPECT_NEAR(reading(run, "right").mass, 12, 12 * tolerance());
  ASSERT_TRUE(run.advance_to(0.2).ok());  // a fourth
  expect_flow(-4 / 0.06, 4 / 0.06);
}

TEST_P(Gauges, flow_of_a_scene_without_material_is_what_an_emitter_gives) {
  Scene scene = two_blocks(GetParam(), {{.name = "heavy", .material = "heavy"}, {.name = "all"}});
  scene.bodies.clear();
  scene.emitters = {{.material = "light", .shape = Disc{{0, 0, 0}, {0, 1, 0}, 0.2}, .speed = 1}};
  Simulation run(scene);
  expect_empty(reading(run, "all"));
  ASSERT_TRUE(run.advance_to(0.1).ok());
  const Metrics m = run.metrics();
  EXPECT_GT(m.mass, 1);
  EXPECT_DOUBLE_EQ(reading(run, "all").flow, m.mass / 0.1);
  EXPECT_EQ(reading(run, "heavy").flow, 0);
}

TEST_P(Gauges, go_on_bitwise_from_a_saved_state) {
  const Scene scene = flying_block(GetParam());
  const auto begin = [&](Simulation& run) {
    ASSERT_TRUE(run.advance_to(0.11).ok());
    run.new_interval();
    ASSERT_TRUE(run.advance_to(0.14).ok());
  };
  Simulation whole(scene), first(scene), second(scene);
  begin(whole), begin(first);
  std::stringstream file;
  first.save(file);
  second.restore(file);
  expect_same_bits(second.metrics().gauges, first.metrics().gauges);
  ASSERT_TRUE(whole.advance_to(0.2).ok());
  ASSERT_TRUE(second.advance_to(0.2).ok());
  expect_same_bits(second.metrics().gauges, whole.metrics().gauges);
  EXPECT_NEAR(reading(second, "right").flow, 8 / 0.09, 1e-3);  // from 8 kg at 0.11 s to 16 kg

  // a state of other gauges
  Scene fewer = scene;
  fewer.gauges.pop_back();
  Simulation wrong(fewer);
  std::stringstream again(file.str());
  EXPECT_THROW(wrong.restore(again), std::runtime_error);
}

// --- what they must not depend on, and what they must not change

// some hundred blocks of the grid, so that sums have several pieces
Scene wide_scene(Precision precision, int threads) {
  Scene scene = two_blocks(precision, {{.name = "all"},
                                       {.name = "light", .material = "light"},
                                       {.name = "ball", .shape = Sphere{{1, 0.3, 1}, 0.93}},
                                       {.name = "nothing", .shape = nowhere}});
  scene.settings.threads = threads;
  scene.bodies = {{.material = "light",
                   .shape = Box{{1, 0, 1}, {4.4, 0.4, 4.4}},
                   .particles_per_cell = 1,
                   .angular_velocity = {0, 1, 0.3}},
                  {.material = "heavy",
                   .shape = Box{{1.01, 0.4, 0.97}, {0.8, 0.4, 0.8}},
                   .particles_per_cell = 1,
                   .velocity = {0.1, -1, 0.2}}};
  return scene;
}

TEST_P(Gauges, readings_are_the_same_at_any_number_of_threads) {
  std::vector<GaugeReading> of_one;
  for (const int threads : {1, 2, 3}) {
    Simulation run(wide_scene(GetParam(), threads));
    ASSERT_TRUE(run.advance_to(0.02).ok());
    const Metrics m = run.metrics();
    if (threads == 1) of_one = m.gauges;
    expect_same_bits(m.gauges, of_one);
    EXPECT_EQ(m.gauges[0].particles, m.particles);
    EXPECT_NEAR(m.gauges[0].mass, m.mass, 1e-12 * m.mass);
    EXPECT_NEAR(m.gauges[0].kinetic_energy, m.kinetic_energy, 1e-12 * m.kinetic_energy);
    EXPECT_GT(m.gauges[2].particles, 100u);
    EXPECT_LT(m.gauges[2].particles, m.gauges[0].particles);
    expect_empty(m.gauges[3]);
  }
}

TEST_P(Gauges, do_not_touch_the_state) {
  Scene with = wide_scene(GetParam(), 1), without = with;
  without.gauges.clear();
  Simulation a(with), b(without);
  EXPECT_EQ(a.state_hash(), b.state_hash());
  ASSERT_TRUE(a.advance_to(0.01).ok());
  a.metrics();
  a.new_interval();
  ASSERT_TRUE(a.advance_to(0.02).ok());
  ASSERT_TRUE(b.advance_to(0.01).ok());
  ASSERT_TRUE(b.advance_to(0.02).ok());
  EXPECT_EQ(a.state_hash(), b.state_hash());
}

// --- nothing to measure

TEST_P(Gauges, see_across_the_border_of_a_periodic_domain) {
  Scene scene = two_blocks(GetParam(), {{.name = "low", .shape = Box{{0.2, 0.4, 0.4}, {0.4, 0.8, 0.8}}},
                                        {.name = "high", .shape = Box{{0.6, 0.4, 0.4}, {0.4, 0.8, 0.8}}}});
  scene.domain = Domain{{0, 0, 0}, {0.8, 0.8, 0.8}, {true, false, false}};
  scene.bodies = {
      {.material = "light", .shape = Box{{0.4, 0.4, 0.4}, {0.8, 0.4, 0.4}}, .velocity = {1, 0, 0}}};
  for (const Kernel kernel : {Kernel::quadratic, Kernel::cubic}) {
    scene.settings.kernel = kernel;
    Simulation run(scene);
    for (const double t : {0.0, 0.33, 1.0}) {
      ASSERT_TRUE(run.advance_to(t).ok());
      EXPECT_EQ(reading(run, "low").particles, 512u) << t;
      EXPECT_EQ(reading(run, "high").particles, 512u) << t;
      EXPECT_LE(reading(run, "high").bounds_max[0], 0.8);
    }
  }
}

TEST_P(Gauges, an_empty_one_has_no_place) {
  const Simulation run(two_blocks(GetParam(), {{.name = "none", .shape = nowhere}}));
  expect_empty(reading(run, "none"));
  EXPECT_EQ(reading(run, "none").flow, 0);
  FrameRecord record;
  record.metrics = run.metrics();
  const std::string line = to_json(record);
  EXPECT_TRUE(is_json(line)) << line;
  EXPECT_NE(line.find(R"("gauges":{"none":{"particles":0,"mass":0,"flow":0,"momentum":[0,0,0],)"
                      R"("center_of_mass":[null,null,null],"kinetic_energy":0,"bounds_min":[null,null,null],)"
                      R"("bounds_max":[null,null,null],"max_speed":0}})"),
            std::string::npos)
      << line;
}

TEST_P(Gauges, expectations_about_the_place_of_nothing_fail) {
  const Simulation run(two_blocks(GetParam(), {{.name = "none", .shape = nowhere}}));
  FrameRecord record;
  record.metrics = run.metrics();
  using When = Expectation::When;
  std::vector<Expectation> all;
  for (const char* metric : {"center_of_mass.x", "bounds_min.y", "bounds_max.z"})
    for (const char* op : {"<", "<=", ">", ">=", "==", "~"})
      for (const When when : {When::end, When::at, When::always, When::sometime})
        all.push_back({.metric = std::string("gauges.none.") + metric,
                       .op = op,
                       .value = 0,
                       .tolerance = 1e9,
                       .when = when,
                       .time = 0,
                       .text = "?"});
  all.push_back({.metric = "gauges.none.mass", .op = "==", .value = 0, .text = "?"});
  ExpectationTracker tracker(all, 0.1);
  tracker.add(record);
  const std::vector<ExpectationResult> results = tracker.results();
  for (std::size_t i = 0; i + 1 < all.size(); ++i)
    EXPECT_FALSE(results[i].passed) << all[i].metric << " " << all[i].op;
  EXPECT_TRUE(results.back().passed);
}

// --- gauges that cannot be

void expect_refused(const std::vector<Gauge>& gauges, const std::string& where, const std::string& part) {
  try {
    Simulation run(two_blocks(Precision::single_precision, gauges));
    ADD_FAILURE() << "accepted, expected a message with '" << part << "'";
  } catch (const SceneError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    EXPECT_EQ(error.where, where) << error.what();
  }
}

TEST(BadGauges, are_refused) {
  expect_refused({{}}, "gauges[0]", "a gauge needs a name");
  expect_refused({{.name = "a"}, {.name = "b"}, {.name = "a"}}, "gauges[2].name",
                 "there are two gauges named 'a'");
  expect_refused({{.name = "a"}, {.name = "b", .material = "sand"}}, "gauges[1].material", "'sand'");
  expect_refused({{.name = "a", .shape = Disc{}}}, "gauges[0].shape", "gauge 'a': disc: needs thickness");
  expect_refused({{.name = "a", .shape = Sphere{.radius = -1}}}, "gauges[0].shape", "radius");
  const Motion broken{.position = {Animated("sin("), 0, 0}};
  expect_refused({{.name = "a", .shape = Sphere{.radius = 1}, .motion = broken}}, "gauges[0].motion",
                 "position");
  expect_refused({{.name = "a", .motion = broken}}, "gauges[0].motion", "position");
  expect_refused({{.name = "a", .motion = {.velocity = {1, 0, 0}}}}, "gauges[0].motion", "needs a shape");
}

}  // namespace
}  // namespace dollop
