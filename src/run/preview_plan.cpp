#include "run/preview_plan.h"

#include <dollop/run.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace dollop {
namespace {

// the shapes that a shape is made of
int count_shapes(const Shape& shape) {
  if (const Placed* placed = std::get_if<Placed>(&shape.form)) return count_shapes(*placed->shape);
  const std::vector<Shape>* members = nullptr;
  if (const Union* set = std::get_if<Union>(&shape.form)) members = &set->shapes;
  if (const Intersect* set = std::get_if<Intersect>(&shape.form)) members = &set->shapes;
  if (const Minus* set = std::get_if<Minus>(&shape.form)) members = &set->shapes;
  if (!members) return 1;
  int sum = 0;
  for (const Shape& member : *members) sum += count_shapes(member);
  return sum;
}

// seconds of one core for a picture, good to a factor of two: docs/performance.md
double picture_seconds(const Scene& scene, const PreviewPlan& plan, double particles) {
  int shapes = 0;
  for (const Collider& collider : scene.colliders) shapes += count_shapes(collider.shape);
  return 7e-7 * particles + plan.width * plan.height * (5e-7 + 5e-8 * shapes);
}

}  // namespace

PreviewPlan plan_preview(const Scene& scene, double stable_dt) {
  constexpr std::array<PreviewPlan, 3> sizes{{{640, 360}, {480, 270}, {320, 180}}};
  constexpr int fewest = 5;        // pictures of a run, however short it is
  constexpr double caution = 0.5;  // the estimated time of the steps is good to a factor of two
  if (scene.output.preview_share >= 1) return sizes[0];
  Scene steps_alone = scene;
  steps_alone.output.preview = false;
  steps_alone.settings.threads = 1;
  const RunEstimate run = estimate_run(steps_alone, stable_dt);
  const int frames = frame_count(scene.settings);
  // without a camera all pictures may be drawn twice: the second time when it is known where the material went
  const double share = scene.output.preview_share * (scene.camera ? 1 : 0.5);
  const double allowed = share * caution * run.seconds / frames;  // for each frame [s]
  PreviewPlan plan = sizes.back();
  for (const PreviewPlan& size : sizes)
    if (picture_seconds(scene, size, run.particles) <= allowed) return size;
  const double frames_for_one = std::ceil(picture_seconds(scene, plan, run.particles) / allowed);
  const int most = std::max(1, frames / (fewest - 1));
  plan.every = frames_for_one < most ? int(frames_for_one) : most;
  return plan;
}

double preview_seconds(const Scene& scene, const PreviewPlan& plan, double particles) {
  const int pictures = frame_count(scene.settings) / plan.every + 1;
  return pictures * picture_seconds(scene, plan, particles);
}

}  // namespace dollop
