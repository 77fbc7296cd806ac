#include "run/preview_plan.h"

#include <dollop/run.h>
#include <gtest/gtest.h>

namespace dollop {
namespace {

// a block of 8000 particles times `scale`
Scene block(double scale, double duration = 2) {
  Scene scene;
  scene.settings.cell_size = 0.01;
  scene.settings.duration = duration;
  scene.settings.frame_rate = 25;
  scene.materials = {{"jelly", "neo-hookean", {}}};
  scene.bodies = {{.material = "jelly", .shape = Box{{0, 0, 0}, {0.1, 0.1, 0.1 * scale}}}};
  scene.output.preview = true;
  return scene;
}

double share_of(const Scene& scene, const PreviewPlan& plan, double dt) {
  Scene alone = scene;
  alone.output.preview = false;
  alone.settings.threads = 1;
  const RunEstimate run = estimate_run(alone, dt);
  return preview_seconds(scene, plan, run.particles) / run.seconds;
}

TEST(PreviewPlan, long_runs_get_large_pictures_of_every_frame) {
  const PreviewPlan plan = plan_preview(block(50), 1e-5);
  EXPECT_EQ(plan.width, 640);
  EXPECT_EQ(plan.height, 360);
  EXPECT_EQ(plan.every, 1);
}

TEST(PreviewPlan, pictures_take_the_share_that_is_allowed) {
  for (const double dt : {2e-5, 5e-5, 1e-4, 2e-4}) {
    Scene scene = block(4);
    // without a camera half of it is kept for drawing them again
    EXPECT_LT(share_of(scene, plan_preview(scene, dt), dt), 0.055) << dt;
    scene.camera = View{};
    EXPECT_LT(share_of(scene, plan_preview(scene, dt), dt), 0.11) << dt;
    const int every = plan_preview(scene, dt).every;
    scene.output.preview_share = 0.4;
    EXPECT_LE(plan_preview(scene, dt).every, every);
  }
}

TEST(PreviewPlan, pictures_become_small_before_they_become_few) {
  int every = 1, width = 640;
  for (double dt = 1e-6; dt < 1e-2; dt *= 1.3) {
    const PreviewPlan plan = plan_preview(block(4), dt);
    EXPECT_LE(plan.width, width);
    EXPECT_GE(plan.every, every);
    if (plan.every > 1) {
      EXPECT_EQ(plan.width, 320);
    }
    every = plan.every, width = plan.width;
  }
  EXPECT_EQ(every, 12);  // five pictures of 50 frames, however short the run is
}

TEST(PreviewPlan, emitters_fill_the_scene_step_by_step) {
  Scene scene = block(1);
  scene.emitters = {{.material = "jelly", .shape = Disc{{0, 1, 0}, {0, -1, 0}, 0.05}, .speed = 1}};
  const double dt = 2e-4;
  const PreviewPlan filling = plan_preview(scene, dt);
  const double end = estimate_run(scene, dt).particles;
  const PreviewPlan full = plan_preview(block(end / 8000), dt);  // as many particles from the start
  EXPECT_TRUE(filling.width < full.width || filling.every > full.every);
}

TEST(PreviewPlan, all_that_is_asked_for_is_drawn) {
  Scene scene = block(1);
  scene.output.preview_share = 1;
  const PreviewPlan plan = plan_preview(scene, 1e-2);
  EXPECT_EQ(plan.width, 640);
  EXPECT_EQ(plan.every, 1);
}

TEST(PreviewPlan, short_runs_get_pictures_too) {
  Scene scene = block(1, 0.04);
  EXPECT_EQ(plan_preview(scene, 1e-2).every, 1);
  scene.settings.duration = 0.16;
  EXPECT_EQ(plan_preview(scene, 1e-2).every, 1);
  scene.settings.duration = 0.32;
  EXPECT_EQ(plan_preview(scene, 1e-2).every, 2);
}

}  // namespace
}  // namespace dollop
