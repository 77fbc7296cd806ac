#include "view/run_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <optional>
#include <set>
#include <thread>

#include "boundary/collider.h"
#include "io/quantities.h"
#include "surface/material_looks.h"
#include "surface/shape_mesh.h"
#include "surface/surface.h"
#include "surface/surface_files.h"
#include "surface/visible_surface.h"
#include "view/encode.h"
#include "view/json_object.h"
#include "view/particle_json.h"

namespace dollop {
namespace {

constexpr std::size_t megabyte = 1 << 20;
constexpr std::size_t frame_bytes = 256 * megabyte;  // four frames of a million particles with all attributes
constexpr std::size_t result_bytes = 192 * megabyte;

constexpr double idle_factor =
    60;  // idle time after a computation over its duration, while a run is busy: 1.7 % of one core

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

std::size_t size_of(const ParticleFrame& frame) {
  std::size_t bytes = sizeof frame + frame.id.size() * sizeof(frame.id[0]) +
                      (frame.position.size() + frame.material.size()) * sizeof(float);
  for (const Attribute& a : frame.attributes) bytes += a.values.size() * sizeof(float);
  for (const BodyMesh& mesh : frame.meshes)
    bytes +=
        (mesh.position.size() + mesh.normal.size() + mesh.velocity.size() + mesh.uv.size()) * sizeof(float) +
        mesh.triangles.size() * sizeof(mesh.triangles[0]);
  return bytes;
}

std::string color_json(const std::optional<Double3>& color) { return color ? json_numbers(*color) : "null"; }

std::string pose_json(const Pose& pose, bool there) {
  JsonList rotation;
  for (const Double3& row : pose.rotation)
    for (const double value : row) rotation.number(value);
  return JsonObject()
      .raw("rotation", rotation.str())
      .raw("translation", json_numbers(pose.translation))
      .flag("there", there)
      .str();
}

std::string row_json(const std::map<std::string, double>& row) {
  JsonObject object;
  for (const auto& [name, value] : row) object.number(name, value);
  return object.str();
}

}  // namespace

RunReader::RunReader(const std::filesystem::path& folder, std::function<bool()> busy)
    : cache_(folder),
      busy_(std::move(busy)),
      reading_arena_(busy_ ? 1 : int(tbb::task_arena::automatic)),
      computing_arena_(busy_ ? 1 : int(tbb::task_arena::automatic)),
      frames_(frame_bytes),
      results_(result_bytes) {}

// A frame that a resumed run has rewritten has another stamp.
RunReader::Stamp RunReader::stamp_of(int frame) const {
  for (const char* extension : {".bgeo", ".vtp", ".ply"}) {
    std::error_code error;
    const auto written =
        std::filesystem::last_write_time(cache_.folder().frame("particles", frame, extension), error);
    if (!error) return {frame, std::int64_t(written.time_since_epoch().count())};
  }
  throw NotFound(fmt::format("there is no frame {}", frame));
}

RunReader::Frame RunReader::frame(int number) {
  const Stamp stamp = stamp_of(number);
  const std::lock_guard reading(reading_);
  {
    const std::lock_guard lock(guard_);
    if (Frame found = frames_.find(stamp)) return found;
  }
  Frame read;
  reading_arena_.execute([&] { read = std::make_shared<const ParticleFrame>(cache_.particles(number)); });
  const std::lock_guard lock(guard_);
  frames_.add(stamp, read, size_of(*read));
  return read;
}

// While a run is busy, only a small part of the time is spent on computations for the page.
void RunReader::throttle() {
  while (busy_ && busy_() && std::chrono::steady_clock::now() < next_computation_)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

// The cached result for the key, or else the result of compute().
template <class Compute>
RunReader::Bytes RunReader::cached(const Key& key, Compute&& compute) {
  const std::lock_guard computing(computing_);
  {
    const std::lock_guard lock(guard_);
    if (Bytes found = results_.find(key)) return found;
  }
  throttle();
  Bytes bytes;
  const double start = thread_seconds();
  computing_arena_.execute([&] { bytes = std::make_shared<const std::string>(compute()); });
  next_computation_ =
      std::chrono::steady_clock::now() +
      std::chrono::milliseconds(std::int64_t(1000 * idle_factor * (thread_seconds() - start)));
  const std::lock_guard lock(guard_);
  results_.add(key, bytes, bytes->size());
  return bytes;
}

// Not cached: the page caches it, and encoding a frame again is fast.
RunReader::Bytes RunReader::particles(int number, const std::string& quantity, bool ids) {
  const Frame read = frame(number);
  ParticleRequest request{.frame = number,
                          .materials = cache_.scene().materials.size(),
                          .quantity = quantity,
                          .ids = ids,
                          .colliders = collider_poses(number)};
  return std::make_shared<const std::string>(encode_particles(*read, request));
}

RunReader::Bytes RunReader::surface(int number, const std::string& name) {
  return cached({"surface", stamp_of(number), name}, [&] {
    const Frame read = frame(number);
    SurfaceOptions options;
    options.surfaced = surfaced_materials(cache_.scene());
    const auto surface_of = [&](const ParticleFrame& frame) {
      return visible_surface(cache_.scene(), frame, options);
    };
    if (name.empty()) return encode_surface(surface_of(*read), number, "");
    const auto values = quantity(*read, name);
    if (!values) return encode_surface(surface_of(*read), number, "");
    // a frame with only what the surface needs, and the quantity as an attribute to interpolate
    ParticleFrame reduced{.time = read->time,
                          .id = read->id,
                          .position = read->position,
                          .material = read->material,
                          .attributes = {},
                          .meshes = read->meshes};
    for (const Attribute& a : read->attributes)
      if (a.name == "volume" || a.name == "velocity") reduced.attributes.push_back(a);
    options.value = "viewed";
    reduced.attributes.push_back({options.value, 1, *values});
    return encode_surface(surface_of(reduced), number, name);
  });
}

RunReader::Bytes RunReader::collider_mesh(std::size_t collider, int number) {
  if (collider >= cache_.scene().colliders.size())
    throw NotFound(fmt::format("there is no collider {}", collider));
  const Shape& shape = cache_.scene().colliders[collider].shape;
  const bool changes = std::holds_alternative<MeshSequence>(shape.form);
  const Stamp when{changes ? number : 0, 0};
  return cached({"collider", when, std::to_string(collider)}, [&] {
    const double time = changes ? frame_time(cache_.scene().settings, number) : 0;
    return encode_surface(shape_mesh(shape, shot_bounds(), time), number, "");
  });
}

std::string RunReader::collider_poses(int number) const {
  const double time = frame_time(cache_.scene().settings, number);
  JsonList list;
  for (const Collider& collider : cache_.scene().colliders)
    list.raw(pose_json(pose_at(collider.motion, time), is_there(collider, time)));
  return list.str();
}

std::string RunReader::particle(int number, std::uint64_t which, bool by_id) {
  const Frame read = frame(number);
  std::uint64_t index = which;
  if (by_id)  // frames are sorted by id
    index = std::uint64_t(std::lower_bound(read->id.begin(), read->id.end(), which) - read->id.begin());
  if (index >= read->material.size() || (by_id && read->id[index] != which))
    throw NotFound(fmt::format("frame {} has no particle {}{}", number, by_id ? "with id " : "", which));
  return particle_json(*read, index);
}

std::string RunReader::metrics() const {
  const auto rows = cache_.metrics();
  std::set<std::string> names;
  for (const auto& row : rows)
    for (const auto& [name, value] : row) names.insert(name);
  JsonObject columns;
  for (const std::string& name : names) {
    JsonList column;
    for (const auto& row : rows) {
      const auto found = row.find(name);
      column.number(found == row.end() ? NAN : found->second);
    }
    columns.raw(name, column.str());
  }
  return JsonObject().number("rows", double(rows.size())).raw("columns", columns.str()).str();
}

std::string RunReader::metrics_since(std::size_t& rows) const {
  const auto all = cache_.metrics();
  JsonList list;
  for (std::size_t k = std::min(rows, all.size()); k < all.size(); ++k) list.raw(row_json(all[k]));
  rows = all.size();
  return list.str();
}

std::string RunReader::materials_json() const {
  JsonList list;
  for (const Material& material : cache_.scene().materials)
    list.raw(JsonObject()
                 .text("name", material.name)
                 .text("model", material.model)
                 .text("look", std::string(look_of(material)))
                 .flag("grains", shown_as_grains(material))
                 .raw("color", color_json(material.color))
                 .str());
  return list.str();
}

}  // namespace dollop
