// The description of a run that the page needs before it can show a frame.
#include <algorithm>
#include <cmath>
#include <limits>

#include "io/quantities.h"
#include "surface/shape_mesh.h"
#include "view/json_object.h"
#include "view/run_reader.h"

namespace dollop {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void extend(Bounds& bounds, std::size_t axis, double value) {
  if (!std::isfinite(value)) return;
  bounds.min[axis] = std::min(bounds.min[axis], value);
  bounds.max[axis] = std::max(bounds.max[axis], value);
}

// whether the motion depends on time
bool moves(const Motion& motion) {
  const auto is_constant = [](const Animated3& a) {
    return a.x.kind == Animated::Kind::constant && a.y.kind == Animated::Kind::constant &&
           a.z.kind == Animated::Kind::constant;
  };
  const Double3 none{0, 0, 0};
  return motion.velocity != none || motion.angular_velocity != none || !is_constant(motion.position) ||
         !is_constant(motion.rotation);
}

}  // namespace

RunReader::Frame RunReader::first_frame() {
  const std::vector<int> present = frames();
  return present.empty() ? nullptr : frame(present.front());
}

// The bounding box of the particles over all frames; a unit cube at the origin if that is unknown.
Bounds RunReader::shot_bounds() {
  Bounds bounds{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
  static constexpr const char* axes[] = {"x", "y", "z"};
  for (const auto& row : cache_.metrics()) {
    const auto count = row.find("particles");
    if (count == row.end() || !(count->second > 0)) continue;  // bounds without particles are zero
    for (std::size_t a = 0; a < 3; ++a)
      for (const char* end : {"bounds_min.", "bounds_max."})
        if (const auto found = row.find(std::string(end) + axes[a]); found != row.end())
          extend(bounds, a, found->second);
  }
  const auto empty = [&] { return !(bounds.min[0] <= bounds.max[0]); };
  if (empty())
    if (const Frame first = first_frame())
      for (std::size_t i = 0; i < first->position.size(); ++i) extend(bounds, i % 3, first->position[i]);
  for (const Emitter& emitter : cache_.scene().emitters) {
    const Bounds nozzle = dollop::bounds(emitter.shape);
    for (std::size_t a = 0; a < 3; ++a) extend(bounds, a, nozzle.min[a]), extend(bounds, a, nozzle.max[a]);
  }
  if (empty()) return {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
  for (std::size_t a = 0; a < 3; ++a) {
    bounds.min[a] -= cache_.scene().settings.cell_size;
    bounds.max[a] += cache_.scene().settings.cell_size;
  }
  return bounds;
}

// The view of a finished run from its first and last frame; before its end, one that frames what is expected.
PreviewView RunReader::view() {
  constexpr int width = 1280, height = 800;
  const Scene& scene = cache_.scene();
  const std::vector<int> present = frames();
  // beside a run that goes on, reading another frame takes long
  if (present.empty() || present.back() < frame_count(scene.settings))
    return frame_scene(scene, ParticleFrame{}, width, height);
  std::vector<ParticleFrame> ends;
  for (const Frame& end : {first_frame(), frame(present.back())})
    ends.push_back({.time = end->time, .position = end->position});
  return frame_run(scene, ends, width, height);
}

// The scene's own camera, or one that frames the material. Also finds the colliders that hide the material.
std::string RunReader::camera_json(const Bounds& shot, std::vector<bool>& see_through) {
  const Scene& scene = cache_.scene();
  const PreviewView view = this->view();
  see_through = view.see_through;
  if (scene.camera)
    return JsonObject()
        .raw("eye", json_numbers(scene.camera->eye))
        .raw("target", json_numbers(scene.camera->target))
        .number("angle", scene.camera->angle)
        .str();
  const Camera& camera = view.camera;
  // the orbit centre is the point of the line of sight that is nearest to the centre of the material
  Vec3<float> middle;
  for (int a = 0; a < 3; ++a) middle[a] = float(0.5 * (shot.min[std::size_t(a)] + shot.max[std::size_t(a)]));
  const float distance = std::max(0.1f * view.size, dot(middle - camera.eye, camera.forward));
  const Vec3<float> target = camera.eye + distance * camera.forward;
  return JsonObject()
      .raw("eye", json_numbers(Double3{camera.eye.x, camera.eye.y, camera.eye.z}))
      .raw("target", json_numbers(Double3{target.x, target.y, target.z}))
      .number("angle", 2 * std::atan(camera.half_height))
      .str();
}

std::string RunReader::colliders_json(const std::vector<bool>& see_through) const {
  JsonList list;
  for (std::size_t c = 0; c < cache_.scene().colliders.size(); ++c) {
    const Collider& collider = cache_.scene().colliders[c];
    JsonObject object;
    object.text("name", collider.name).text("look", collider.look.empty() ? "plain" : collider.look);
    object.raw("color", collider.color ? json_numbers(*collider.color) : "null");
    object.flag("moves", moves(collider.motion));
    object.flag("changes", std::holds_alternative<MeshSequence>(collider.shape.form));
    object.flag("hides", c < see_through.size() && see_through[c]);
    if (const auto plane = as_plane(collider.shape))
      object.raw("plane", JsonObject()
                              .raw("point", json_numbers(plane->point))
                              .raw("normal", json_numbers(plane->normal))
                              .str());
    list.raw(object.str());
  }
  return list.str();
}

std::string RunReader::description() {
  const Scene& scene = cache_.scene();
  const Bounds shot = shot_bounds();
  const std::vector<int> present = frames();
  std::vector<bool> see_through;
  JsonList names;
  if (!present.empty())
    for (const std::string& name : quantity_names(*frame(present.back()))) names.text(name);
  JsonObject object;
  object.text("title", scene.title.empty() ? folder().filename().string() : scene.title);
  object.text("folder", folder().filename().string());
  object.text("version", DOLLOP_VERSION);
  object.number("frame_rate", scene.settings.frame_rate);
  object.number("duration", scene.settings.duration);
  object.number("frame_count", frame_count(scene.settings));
  object.number("cell_size", scene.settings.cell_size);
  object.raw("frames", json_numbers(present));
  object.raw("materials", materials_json());
  object.raw("quantities", names.str());
  object.raw("bounds",
             JsonObject().raw("low", json_numbers(shot.min)).raw("high", json_numbers(shot.max)).str());
  object.raw("camera", camera_json(shot, see_through));
  object.raw("colliders", colliders_json(see_through));
  return object.str();
}

}  // namespace dollop
