// Steps that fail change nothing; a run repeats them smaller, and says why when it cannot go on.
#include <gtest/gtest.h>

#include <limits>

#include "solvers/bodies.h"
#include "solvers/phases/state_guard.h"

namespace dollop {
namespace {

using namespace tests;

template <class S>
class StepControl : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(StepControl, Scalars);

template <class S>
Scene ball_scene() {
  Scene scene;
  scene.settings.cell_size = 0.02, scene.settings.precision = precision_of<S>,
  scene.settings.gravity = {0, 0, 0};
  scene.materials = {elastic("jelly", 1000, 1e4, 0.3)};
  scene.bodies = {{.material = "jelly", .shape = Sphere{.center = {0, 0, 0}, .radius = 0.05}}};
  return scene;
}

template <class S>
TypedSimulation<S> ball(const Scene& scene) {
  TypedSimulation<S> run(scene);
  each_particle(run, [](auto&, std::size_t, const Double3&) {});  // sorts
  return run;
}

// the step is refused with that status, and every bit is as before
template <class S>
StepReport expect_refused(TypedSimulation<S>& run, double dt, Status status) {
  const std::uint64_t hash = run.state_hash(), count = run.state().particles.size();
  const std::int64_t steps = run.state().steps;
  const StepReport report = run.step(dt);
  EXPECT_EQ(report.status, status) << describe(report);
  EXPECT_EQ(run.state_hash(), hash);
  EXPECT_EQ(run.state().steps, steps);
  EXPECT_EQ(run.state().particles.size(), count);
  EXPECT_EQ(report.dt, dt);
  return report;
}

TYPED_TEST(StepControl, a_particle_may_not_move_more_than_a_cell) {
  Scene scene = ball_scene<TypeParam>();
  scene.bodies[0].velocity = {6, 0, 8};
  TypedSimulation<TypeParam> run = ball<TypeParam>(scene);
  const StepReport report = expect_refused(run, 0.003, Status::too_fast);
  EXPECT_NEAR(report.max_travel, 1.5, 1e-5);
  EXPECT_NE(describe(report).find("1.5 cells"), std::string::npos) << describe(report);
  EXPECT_TRUE(run.step(0.0019).ok());
}

TYPED_TEST(StepControl, a_particle_may_not_deform_too_much) {
  TypedSimulation<TypeParam> run = ball<TypeParam>(ball_scene<TypeParam>());
  const std::array<Double3, 3> grad{{{-60, 0, 0}, {0, -60, 0}, {0, 0, -60}}};
  set_velocity(
      run, [&](const Double3& x) { return times(-60, x); }, [&](const Double3&) { return grad; });
  const StepReport report = expect_refused(run, 0.006, Status::strained);
  EXPECT_NEAR(report.max_increment, 0.006 * 60 * std::sqrt(3.0), 1e-4);
  EXPECT_NEAR(report.min_det, std::pow(1 - 0.36, 3), 1e-4);
  EXPECT_NE(describe(report).find("deforms a particle too much"), std::string::npos);
  EXPECT_TRUE(run.step(0.002).ok());
}

TYPED_TEST(StepControl, a_particle_may_not_turn_inside_out) {
  TypedSimulation<TypeParam> run = ball<TypeParam>(ball_scene<TypeParam>());
  set_velocity(
      run,
      [&](const Double3& x) {
        return Double3{-200 * x[0], 0, 0};
      },
      [&](const Double3&) {
        return std::array<Double3, 3>{{{-200, 0, 0}, {}, {}}};
      });
  const std::uint64_t hash = run.state_hash();
  EXPECT_FALSE(run.step(0.006).ok());
  EXPECT_EQ(run.state_hash(), hash);
}

TYPED_TEST(StepControl, a_velocity_must_be_finite) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    TypedSimulation<TypeParam> run = ball<TypeParam>(ball_scene<TypeParam>());
    run.state().particles.groups()[0].reals(ParticleGroup<TypeParam>::velocity + 1)[3] = TypeParam(bad);
    const StepReport report = expect_refused(run, 1e-4, Status::not_finite);
    EXPECT_NE(describe(report).find("not finite"), std::string::npos);
  }
}

// clay without hardening, whose plastic strain has no effect on the stress: the velocity is fine
template <class S>
Scene clay_scene() {
  Scene scene = ball_scene<S>();
  scene.materials[0].model = "von-mises";
  scene.materials[0].parameters = {
      {"density", 1000}, {"young_modulus", 1e4}, {"poisson_ratio", 0.3}, {"yield_stress", 100}};
  return scene;
}

TYPED_TEST(StepControl, a_state_must_be_within_bounds) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    TypedSimulation<TypeParam> run = ball<TypeParam>(clay_scene<TypeParam>());
    EXPECT_EQ(extent_of(run.setup(), run.state()), 1);
    auto& group = run.state().particles.groups()[0];
    group.reals(group.find("plastic_strain")->first)[7] = TypeParam(bad);
    EXPECT_EQ(extent_of(run.setup(), run.state()), std::numeric_limits<double>::infinity());
    const StepReport report = expect_refused(run, 1e-4, Status::out_of_range);
    EXPECT_NE(describe(report).find("beyond what numbers can hold"), std::string::npos);
    const std::uint64_t hash = run.state_hash();
    EXPECT_FALSE(run.advance_to(0.01).ok());
    EXPECT_EQ(run.state_hash(), hash);
  }
}

// the extent is the largest of all: of the strain here, of the volume ratio there
TYPED_TEST(StepControl, extents_are_those_of_the_worst_particle) {
  TypedSimulation<TypeParam> run = ball<TypeParam>(ball_scene<TypeParam>());
  set_strain(run, {24, 0, 0, 0, 0, 0});
  EXPECT_NEAR(extent_of(run.setup(), run.state()), 24, 1e-4);
  set_strain(run, {-0.75, -0.75, -0.75, 0, 0, 0});
  EXPECT_NEAR(extent_of(run.setup(), run.state()), 8, 1e-4);
  auto& group = run.state().particles.groups()[0];
  group.reals(group.state_arrays().begin)[group.size() - 1] = 5000;
  EXPECT_NEAR(extent_of(run.setup(), run.state()), 5000, 1e-2);
}

// a step that looks at the states does what a step does that need not
TYPED_TEST(StepControl, looking_at_the_states_changes_nothing) {
  Scene scene = clay_scene<TypeParam>();
  scene.bodies[0].angular_velocity = {3, 2, 1}, scene.settings.gravity = {0, -9.81, 0};
  TypedSimulation<TypeParam> far = ball<TypeParam>(scene), near = ball<TypeParam>(scene);
  for (int n = 0; n < 20; ++n) {
    far.state().headroom = 1e9;  // for each step anew
    ASSERT_TRUE(far.step(2e-4).ok());
    near.state().headroom = 0;
    ASSERT_TRUE(near.step(2e-4).ok());
    EXPECT_EQ(far.state_hash(), near.state_hash());
    EXPECT_LT(near.state().headroom, 35);
  }
}

// the headroom falls by no less than states can grow, so that none comes out of bounds unseen
TYPED_TEST(StepControl, headroom_bounds_the_growth_of_states) {
  TypedSimulation<TypeParam> run = ball<TypeParam>(clay_scene<TypeParam>());
  const std::array<Double3, 3> grad{{{-60, 20, 0}, {0, 40, 0}, {0, 0, -30}}};
  set_velocity(
      run,
      [&](const Double3& x) {
        return Double3{-60 * x[0] + 20 * x[1], 40 * x[1], -30 * x[2]};
      },
      [&](const Double3&) { return grad; });
  ASSERT_TRUE(run.step(1e-3).ok());
  for (int n = 0; n < 10; ++n) {
    const double before = extent_of(run.setup(), run.state()), headroom = run.state().headroom;
    ASSERT_TRUE(run.step(1e-3).ok());
    const double used = headroom - run.state().headroom;
    EXPECT_GT(used, 0);
    EXPECT_LE(extent_of(run.setup(), run.state()), before * std::exp(used) * (1 + 1e-6));
  }
}

TYPED_TEST(StepControl, a_step_must_be_a_number) {
  TypedSimulation<TypeParam> run = ball<TypeParam>(ball_scene<TypeParam>());
  set_strain(run, {0.01, 0, 0, 0, 0, 0});
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const std::uint64_t hash = run.state_hash();
    EXPECT_FALSE(run.step(bad).ok());
    EXPECT_EQ(run.state_hash(), hash);
  }
}

TYPED_TEST(StepControl, a_particle_without_a_place_is_named) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), 1e30}) {
    TypedSimulation<TypeParam> run = ball<TypeParam>(ball_scene<TypeParam>());
    auto& group = run.state().particles.groups()[0];
    group.reals(ParticleGroup<TypeParam>::position)[5] = TypeParam(bad);
    const std::uint64_t id = group.ids()[5];
    run.state().needs_sort = true;
    const StepReport report = run.step(1e-4);
    EXPECT_EQ(report.status, Status::lost_particle);
    EXPECT_EQ(report.particle, id);
    EXPECT_NE(describe(report).find("particle " + std::to_string(id)), std::string::npos);
    const AdvanceReport advance = run.advance_to(0.01);  // no use in trying again
    EXPECT_FALSE(advance.ok());
    EXPECT_EQ(advance.rejected, 1);
    EXPECT_EQ(run.state().particles.size(), group.size());
  }
}

// far above the bound: the strain grows from little until a step is refused, and gets no worse than that
TYPED_TEST(StepControl, steps_that_are_far_too_large_are_refused_before_they_do_harm) {
  Scene scene = ball_scene<TypeParam>();
  scene.bodies[0].angular_velocity = {0, 0, 1};
  TypedSimulation<TypeParam> run = ball<TypeParam>(scene);
  const double dt = 5 * run.stable_dt();
  int taken = 0;
  std::uint64_t hash = run.state_hash();
  while (taken < 1000 && run.step(dt).ok()) hash = run.state_hash(), ++taken;
  EXPECT_LT(taken, 1000);
  EXPECT_EQ(run.state_hash(), hash);
  const Metrics m = run.metrics();
  EXPECT_TRUE(std::isfinite(m.kinetic_energy) && m.min_J > 0);
  const AdvanceReport report = run.advance_to(run.state().time + 0.01);  // from there a run finds its way
  EXPECT_TRUE(report.ok()) << describe(report.last);
  EXPECT_LT(report.dt_max, dt);
}

// the speed limit alone is not enough where two bodies meet head on: dt |grad v| is
TYPED_TEST(StepControl, a_run_repeats_failed_steps_smaller_and_recovers) {
  Scene scene = ball_scene<TypeParam>();
  scene.materials[0].parameters["young_modulus"] = 1000;
  scene.bodies = {
      {.material = "jelly", .shape = Sphere{.center = {-0.07, 0, 0}, .radius = 0.05}, .velocity = {4, 0, 0}},
      {.material = "jelly", .shape = Sphere{.center = {0.07, 0, 0}, .radius = 0.05}, .velocity = {-4, 0, 0}}};
  Simulation simulation(scene);
  const AdvanceReport report = simulation.advance_to(0.02);
  ASSERT_TRUE(report.ok()) << describe(report.last);
  EXPECT_GT(report.rejected, 0);
  EXPECT_LT(report.dt_min, 0.6 * report.dt_max);
  EXPECT_NEAR(simulation.time(), 0.02, 1e-14);
  EXPECT_EQ(report.steps, simulation.steps());
  EXPECT_LT(report.rejected, report.steps);
  const AdvanceReport later = simulation.advance_to(0.3);  // they part, and the steps are long again
  ASSERT_TRUE(later.ok()) << describe(later.last);
  EXPECT_GT(later.dt_max, 2 * report.dt_min);
}

TYPED_TEST(StepControl, a_hopeless_run_stops_and_says_why) {
  TypedSimulation<TypeParam> run = ball<TypeParam>(ball_scene<TypeParam>());
  ASSERT_TRUE(run.advance_to(0.005).ok());
  run.state().particles.groups()[0].reals(ParticleGroup<TypeParam>::velocity)[0] =
      std::numeric_limits<TypeParam>::max();
  set_strain(run, {std::numeric_limits<TypeParam>::max(), 0, 0, 0, 0, 0});
  const std::uint64_t hash = run.state_hash(), count = run.state().particles.size();
  const AdvanceReport report = run.advance_to(0.01);
  EXPECT_FALSE(report.ok());
  EXPECT_GT(report.rejected, 5);
  EXPECT_EQ(report.steps, 0);
  EXPECT_FALSE(describe(report.last).empty());
  EXPECT_EQ(run.state_hash(), hash);
  EXPECT_EQ(run.state().particles.size(), count);
  EXPECT_EQ(run.state().time, 0.005);
}

TYPED_TEST(StepControl, no_step_fails_below_min_dt) {
  Scene scene = ball_scene<TypeParam>();
  scene.settings.min_dt = 2e-4;
  TypedSimulation<TypeParam> run = ball<TypeParam>(scene);
  set_strain(run, {std::numeric_limits<TypeParam>::quiet_NaN(), 0, 0, 0, 0, 0});
  const AdvanceReport report = run.advance_to(0.1);
  EXPECT_FALSE(report.ok());
  EXPECT_GE(report.last.dt, scene.settings.min_dt);
  EXPECT_LT(report.last.dt, 2 * scene.settings.min_dt);
  EXPECT_EQ(report.steps, 0);
}

TYPED_TEST(StepControl, no_step_is_longer_than_max_dt) {
  Scene scene = ball_scene<TypeParam>();
  scene.settings.max_dt = 1e-4;
  Simulation simulation(scene);
  const AdvanceReport report = simulation.advance_to(0.00405);
  ASSERT_TRUE(report.ok());
  EXPECT_LE(report.dt_max, 1e-4);
  EXPECT_EQ(report.steps, 41);
}

TYPED_TEST(StepControl, a_frame_is_divided_into_equal_steps) {
  Simulation simulation(ball_scene<TypeParam>());
  const double dt = simulation.stable_dt(), frame = 7.3 * dt;
  for (int k = 1; k <= 5; ++k) {
    const AdvanceReport report = simulation.advance_to(k * frame);
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report.steps, 8);
    EXPECT_EQ(report.rejected, 0);
    EXPECT_NEAR(report.dt_min / report.dt_max, 1, 1e-12);
    EXPECT_NEAR(report.dt_max, frame / 8, 1e-12 * frame);
    EXPECT_NEAR(simulation.time(), k * frame, 1e-12 * frame);
  }
  EXPECT_EQ(simulation.advance_to(5 * frame).steps, 0);  // there already
  EXPECT_EQ(simulation.advance_to(0).steps, 0);          // time does not run backwards
}

TYPED_TEST(StepControl, steps_that_would_never_end_are_not_begun) {
  Scene scene = ball_scene<TypeParam>();
  scene.materials = {elastic("jelly", 1e-30, 1e4, 0.3)};
  TypedSimulation<TypeParam> run(scene);
  const AdvanceReport report = run.advance_to(1);
  EXPECT_EQ(report.last.status, Status::stalled);
  EXPECT_NE(describe(report.last).find("too stiff or too light"), std::string::npos);
}

TYPED_TEST(StepControl, time_goes_on_where_nothing_is) {
  Scene scene = ball_scene<TypeParam>();
  scene.bodies.clear();
  scene.settings.gravity = {0, -9.81, 0};
  TypedSimulation<TypeParam> run(scene);
  EXPECT_TRUE(run.advance_to(1).ok());
  EXPECT_EQ(run.state().time, 1);
}

// At rest and without gravity nothing limits an implicit step but the frame, and how far bodies get that are about to
// start: this one would be left behind by two of them.
TYPED_TEST(StepControl, implicit_steps_from_rest_are_shortened) {
  Scene scene = ball_scene<TypeParam>();
  Settings& s = scene.settings;
  s.solver = "newton", s.gravity = {}, s.frame_rate = 10;
  scene.bodies = {{.material = "jelly", .shape = Box{{0, 0, 0}, {0.12, 0.04, 0.04}}}};
  scene.colliders.clear();
  for (const double side : {-1.0, 1.0}) {
    scene.colliders.push_back(
        {.shape = Box{{0.08 * side, 0, 0}, {0.06, 0.1, 0.1}}, .contact = ContactKind::sticky});
    scene.colliders.back().motion.position.x = {Animated::Kind::linear, {{0.02, 0}, {0.1, 0.05 * side}}};
  }
  TypedSimulation<TypeParam> run(scene);
  EXPECT_TRUE(std::isfinite(run.stable_dt()));
  const AdvanceReport report = run.advance_to(0.1);
  EXPECT_TRUE(report.ok()) << describe(report.last);
  EXPECT_GT(report.steps, 3);
  EXPECT_GT(run.metrics().bounds_max[0], 0.07);
}

// between the times that are looked at before a run
TYPED_TEST(StepControl, a_motion_without_a_value_ends_the_run) {
  Scene scene = ball_scene<TypeParam>();
  scene.settings.duration = 1, scene.settings.max_dt = 2e-4;
  scene.colliders = {{.shape = Plane{.point = {0, -0.2, 0}}}};
  scene.colliders[0].motion.position.x = Animated("0*log(abs(t-0.0125)-4e-4)");
  TypedSimulation<TypeParam> run(scene);
  const AdvanceReport report = run.advance_to(0.1);
  EXPECT_EQ(report.last.status, Status::undefined);
  EXPECT_NE(describe(report.last).find("expression"), std::string::npos);
  EXPECT_GT(run.state().time, 0.0118);
  EXPECT_LT(run.state().time, 0.0121);
}

// A plate a cell thick strikes a ball at rest. If it moved by several cells in a step the ball would hardly notice.
TYPED_TEST(StepControl, colliders_limit_the_step) {
  Scene scene = ball_scene<TypeParam>();
  scene.settings.max_dt = 1e-3;
  scene.materials = {elastic("jelly", 1000, 1e3, 0.3)};
  scene.colliders = {{.shape = Box{{-0.1, 0, 0}, {0.02, 0.3, 0.3}}, .motion = {.velocity = {40, 0, 0}}}};
  TypedSimulation<TypeParam> run(scene);
  EXPECT_NEAR(run.stable_dt(), 0.6 * 0.02 / 40, 1e-12);
  EXPECT_TRUE(run.advance_to(0.006).ok());
  const Metrics m = run.metrics();
  EXPECT_GT(m.momentum[0], 0.6 * m.mass * 40);
  // turning about its middle, a corner counts: 0.15 m away on both axes, at 100 rad/s
  scene.colliders[0].motion = {.angular_velocity = {100, 0, 0}, .pivot = {-0.1, 0, 0}};
  EXPECT_NEAR(TypedSimulation<TypeParam>(scene).stable_dt(), 0.6 * 0.02 / (std::sqrt(2.0) * 15), 1e-12);
  // one without an end counts as it moves at its pivot
  scene.colliders[0].shape = Plane{.point = {0, -1, 0}};
  scene.colliders[0].motion = {.velocity = {0, 30, 0}, .angular_velocity = {0, 100, 0}};
  EXPECT_NEAR(TypedSimulation<TypeParam>(scene).stable_dt(), 0.6 * 0.02 / 30, 1e-12);
}

// Particles at a surface come out too large, which makes them stiffer than their mass allows for.
TYPED_TEST(StepControl, estimated_volumes_are_stable) {
  Scene scene = ball_scene<TypeParam>();
  scene.settings.volume_init = VolumeInit::estimated;
  scene.bodies = {{.material = "jelly",
                   .shape = Sphere{.center = {0, 0, 0}, .radius = 0.02},
                   .angular_velocity = {0, 0.1, 0}}};
  TypedSimulation<TypeParam> run(scene);
  const double before = run.metrics().kinetic_energy;
  EXPECT_TRUE(run.advance_to(0.3).ok());
  EXPECT_EQ(run.metrics().rejected_steps, 0);
  EXPECT_LT(run.metrics().kinetic_energy, 1.1 * before);
}

}  // namespace
}  // namespace dollop
