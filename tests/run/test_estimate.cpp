#include <dollop/run.h>
#include <gtest/gtest.h>

namespace dollop {
namespace {

Scene block(double edge) {
  Scene scene;
  scene.settings.cell_size = 0.01;
  scene.materials = {{"jelly", "neo-hookean", {}}};
  scene.bodies = {{.material = "jelly", .shape = Box{{0, 0, 0}, {edge, edge, edge}}}};
  return scene;
}

// what is estimated before the start is what is there after it
TEST(RunEstimate, CountsParticlesAndBytes) {
  for (const Transfer transfer : {Transfer::apic, Transfer::flip})
    for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
      Scene scene = block(0.5);
      scene.settings.transfer = transfer, scene.settings.precision = precision;
      scene.output.particles.clear();
      Simulation run(scene);
      ASSERT_TRUE(run.step(1e-6).ok());
      const RunEstimate estimate = estimate_run(scene, run.stable_dt());
      const double bytes = double(run.particle_bytes() + run.grid_bytes());
      EXPECT_NEAR(estimate.particles, 1e6, 1e3);
      EXPECT_GT(estimate.bytes, 0.95 * bytes) << int(transfer) << int(precision);
      EXPECT_LT(estimate.bytes, 1.6 * bytes) << int(transfer) << int(precision);
    }
}

// implicit steps need memory of their own, and time
TEST(RunEstimate, KnowsTheSolver) {
  for (const char* model : {"neo-hookean", "drucker-prager"}) {
    Scene scene = block(0.3);
    scene.materials[0].model = model;
    scene.output.particles.clear();
    scene.settings.max_dt = 2e-3;
    const RunEstimate explicit_run = estimate_run(scene, Simulation(scene).stable_dt());
    scene.settings.solver = "newton";
    scene.colliders = {{.shape = Plane{.point = {0, -0.15, 0}}, .contact = ContactKind::sticky}};
    scene.bodies[0].velocity = {0, -0.5, 0};
    Simulation run(scene);
    ASSERT_TRUE(run.step(2e-3).ok());
    const RunEstimate estimate = estimate_run(scene, run.stable_dt());
    const double bytes = double(run.particle_bytes() + run.grid_bytes());
    EXPECT_GT(estimate.bytes, 0.9 * bytes) << model;
    EXPECT_LT(estimate.bytes, 1.6 * bytes) << model;
    EXPECT_GT(estimate.seconds / estimate.steps, 8 * explicit_run.seconds / explicit_run.steps) << model;
  }
}

// as explicit steps do
TEST(RunEstimate, CountsRoundTrips) {
  Scene scene = block(0.3);
  const RunEstimate plain = estimate_run(scene, 1e-3);
  const auto longer = [&] { return estimate_run(scene, 1e-3).seconds / plain.seconds; };
  scene.settings.damping_trips = 1;
  const double one = longer();
  EXPECT_GT(one, 1.3);
  EXPECT_GT(estimate_run(scene, 1e-3).bytes, plain.bytes);
  scene.settings.damping_trips = 20;
  EXPECT_NEAR((longer() - 1) / (one - 1), 20, 1e-9);
  // a viscosity takes the trips that a step of this length needs, less one
  scene.settings.damping_trips = 0;
  const double h = scene.settings.cell_size;
  scene.settings.damping_viscosity = 0.9 * h * h / 6 / 1e-3;
  EXPECT_EQ(longer(), 1);
  scene.settings.damping_viscosity *= 5;
  EXPECT_NEAR((longer() - 1) / (one - 1), 4, 1e-9);
}

// one material whose tangent is not symmetric makes the solver GMRES, used or not
TEST(RunEstimate, KnowsMaterialsThatAreNotUsed) {
  Scene scene = block(0.1);
  scene.settings.solver = "newton";
  const double minres = estimate_run(scene, 1e-3).bytes;
  scene.materials.push_back({"sand", "drucker-prager", {}, {}, {}});
  EXPECT_GT(estimate_run(scene, 1e-3).bytes, 1.1 * minres);
}

TEST(RunEstimate, CountsPictures) {
  Scene scene = block(0.1);
  scene.settings.threads = 1, scene.settings.duration = 1, scene.settings.frame_rate = 20;
  const double without = estimate_run(scene, 1e-3).seconds;
  scene.output.preview = true;
  scene.output.preview_share = 1;
  const double few = estimate_run(scene, 1e-3).seconds;
  EXPECT_GT(few - without, 21 * 0.06);
  EXPECT_LT(few - without, 21 * 0.25);
  for (int k = 0; k < 100; ++k) scene.colliders.push_back({.shape = Sphere{{0, 0.01 * k, 0}, 0.01}});
  EXPECT_GT(estimate_run(scene, 1e-3).seconds - few, few - without);
}

TEST(RunEstimate, FoldsWhatIsLongerThanThePeriod) {
  Scene scene = block(0.2);
  scene.bodies[0].shape = Box{{0, 0, 0}, {3, 0.2, 0.2}};
  scene.domain = Domain{.min = {-0.2, -1, -1}, .max = {0.2, 1, 1}, .periodic = {true, false, false}};
  EXPECT_NEAR(estimate_run(scene).particles, double(Simulation(scene).particle_count()), 1000);  // of 128,000
}

TEST(RunEstimate, CountsWhatEmittersWillLetOut) {
  Scene scene = block(0.1);
  scene.bodies.clear();
  scene.settings.duration = 2;
  scene.emitters = {
      {.material = "jelly", .shape = Disc{{0, 0, 0}, {0, -1, 0}, 0.05}, .speed = 0.5, .until = 1}};
  EXPECT_NEAR(estimate_run(scene).particles, 3.14159 * 0.05 * 0.05 * 0.5 / 1.25e-7, 500);
}

TEST(RunEstimate, RefusesWhatDoesNotFit) {
  EXPECT_NO_THROW(check_memory(block(0.1)));
  EXPECT_THROW(check_memory(block(0.1), 1e5), SceneError);
  EXPECT_THROW(check_memory(block(1e4)), SceneError);  // 8e18 particles
  EXPECT_THROW(check_memory(block(1e200)), SceneError);
  try {
    check_memory(block(20));
  } catch (const SceneError& e) {
    EXPECT_EQ(e.where, "simulation.cell_size");
  }
}

TEST(RunFrames, EndAtTheDuration) {
  Settings s;
  s.duration = 3, s.frame_rate = 30;
  EXPECT_EQ(frame_count(s), 90);
  EXPECT_EQ(frame_time(s, 90), 3);
  EXPECT_EQ(frame_time(s, 45), 1.5);
  s.duration = 0.1, s.frame_rate = 24;  // 2.4 frames
  EXPECT_EQ(frame_count(s), 3);
  EXPECT_EQ(frame_time(s, 2), 2.0 / 24);
  EXPECT_EQ(frame_time(s, 3), 0.1);
  s.duration = 1e-3;
  EXPECT_EQ(frame_count(s), 1);
}

}  // namespace
}  // namespace dollop
