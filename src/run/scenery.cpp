#include "run/scenery.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "boundary/collider.h"
#include "boundary/rigid.h"
#include "boundary/tessellate.h"
#include "io/atomic_file.h"
#include "io/json.h"
#include "render/palette.h"
#include "render/subject.h"
#include "render/tracer/looks.h"
#include "surface/material_looks.h"
#include "surface/shape_mesh.h"

namespace dollop {
namespace {

// the box around the material, three times as large, in which planes are cut off
Bounds region_of(const Scene& scene, const std::vector<ParticleFrame>& frames) {
  const Extent all = subject_of_frames(scene, frames).whole();
  const float reach = 1.5f * all.size();
  const Vec3<float> c = all.center();
  return {{c.x - reach, c.y - reach, c.z - reach}, {c.x + reach, c.y + reach, c.z + reach}};
}

Bounds moved_to_rest(const Bounds& around, const Pose& pose) {
  Double3 middle;
  double half = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    middle[a] = 0.5 * (around.min[a] + around.max[a]);
    half = std::max(half, 0.5 * (around.max[a] - around.min[a]));
  }
  const Double3 x = to_body(pose, middle);
  return {{x[0] - half, x[1] - half, x[2] - half}, {x[0] + half, x[1] + half, x[2] + half}};
}

std::string json_of(const Vec3<float>& v) {
  return fmt::format("[{}, {}, {}]", json_number(v.x), json_number(v.y), json_number(v.z));
}

// the shading of the path tracer, in terms that other renderers share
std::string json_of(const std::string& name, std::string_view look, const Shading& s) {
  return fmt::format(
      R"({{"name": {}, "look": {}, "color": {}, "roughness": {}, "reflectance": {}, "metal": {}, )"
      R"("transmission": {}, "scattering": {}}})",
      json_string(name), json_string(look), json_of(s.color), json_number(s.roughness),
      json_number(s.reflectance), s.metal, json_number(s.transmission), json_number(s.scattering_distance));
}

std::string name_of(const Collider& collider, std::size_t index) {
  return collider.name.empty() ? fmt::format("collider {}", index + 1) : collider.name;
}

}  // namespace

Scenery::Scenery(const RunCache& cache) : cache_(cache) {
  const Scene& scene = cache.scene();
  const std::vector<ParticleFrame> frames = frames_to_frame(cache);
  view_ = frame_run(scene, frames);
  around_ = region_of(scene, frames);
  std::set<std::string> names;
  for (std::size_t c = 0; c < scene.colliders.size(); ++c) {
    const Collider& collider = scene.colliders[c];
    if (hidden(collider.look)) continue;
    Part part{.collider = c,
              .name = name_of(collider, c),
              .moves = !is_constant(collider.motion),
              .changes = has_mesh_sequence(collider.shape),
              .stays = is_always_there(collider)};
    part.rest = rest_mesh(part, 0);
    if (part.rest.triangles.empty()) continue;
    for (int k = 2; !names.insert(part.name).second; ++k)
      part.name = fmt::format("{} {}", name_of(collider, c), k);
    parts_.push_back(std::move(part));
  }
}

double Scenery::time_of(int frame) const { return frame_time(cache_.scene().settings, frame); }

SurfaceMesh Scenery::rest_mesh(const Part& part, double time) const {
  const Collider& collider = cache_.scene().colliders[part.collider];
  return shape_mesh(collider.shape, moved_to_rest(around_, pose_at(collider.motion, time)), time);
}

bool Scenery::rests() const {
  for (const Part& part : parts_)
    if (part.moves || part.changes || !part.stays) return false;
  return true;
}

SurfaceMesh Scenery::at(int frame) const {
  SurfaceMesh all;
  all.time = time_of(frame);
  for (const Part& part : parts_) {
    const Collider& collider = cache_.scene().colliders[part.collider];
    if (!is_there(collider, all.time)) continue;
    const Pose pose = pose_at(collider.motion, all.time);
    const Mat3<double> rotation = to_mat(pose.rotation);
    const SurfaceMesh mesh = part.changes ? rest_mesh(part, all.time) : part.rest;
    const auto first = std::uint32_t(all.positions.size());
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
      const Vec3<double> x = rotation * to_double(mesh.positions[i]) + to_vec(pose.translation);
      all.positions.push_back(to_float(x));
      all.normals.push_back(to_float(rotation * to_double(mesh.normals[i])));
      all.velocities.push_back(to_float(to_vec(velocity_at(pose, to_array(x)))));
      all.material.push_back(std::int32_t(part.collider));
    }
    for (const auto& [a, b, c] : mesh.triangles) all.triangles.push_back({a + first, b + first, c + first});
  }
  return all;
}

FrameNotes Scenery::notes(int frame) const {
  const std::vector<Collider>& colliders = cache_.scene().colliders;
  FrameNotes notes;
  notes.frame = frame;
  notes.frame_rate = cache_.scene().settings.frame_rate;
  notes.part = "collider";
  for (std::size_t c = 0; c < colliders.size(); ++c) {
    notes.materials.push_back(name_of(colliders[c], c));
    notes.colors.push_back(collider_appearance(colliders[c], c).albedo);
  }
  for (const Part& part : parts_) notes.materials[part.collider] = part.name;
  return notes;
}

void Scenery::write_json(const std::filesystem::path& file) const {
  const Scene& scene = cache_.scene();
  const Camera& camera = view_.camera;
  std::string text = fmt::format(
      "{{\n  \"camera\": {{\"eye\": {}, \"right\": {}, \"up\": {}, \"forward\": {}, \"angle\": {}}},\n"
      "  \"frame_rate\": {},\n  \"materials\": [",
      json_of(camera.eye), json_of(camera.right), json_of(camera.up), json_of(camera.forward),
      json_number(2 * std::atan(camera.half_height)), json_number(scene.settings.frame_rate));
  const std::vector<Shading> shadings = material_shadings(scene.materials);
  for (std::size_t m = 0; m < scene.materials.size(); ++m)
    text += fmt::format("{}\n    {}", m > 0 ? "," : "",
                        json_of(scene.materials[m].name, look_of(scene.materials[m]), shadings[m]));
  text += "\n  ],\n  \"colliders\": [";
  const FrameNotes names = notes(0);
  for (std::size_t c = 0; c < scene.colliders.size(); ++c) {
    const std::string& look = scene.colliders[c].look;
    text += fmt::format("{}\n    {}", c > 0 ? "," : "",
                        json_of(names.materials[c], look.empty() ? "plain" : std::string_view(look),
                                collider_shading(scene.colliders[c], c)));
  }
  write_file(file, text + "\n  ]\n}\n");
}

}  // namespace dollop
