#include "io/usda.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "io/frame_layout.h"
#include "io/usda_materials.h"

namespace dollop {

namespace {

const std::string of_each_point = "interpolation = \"vertex\"";

// scalars and short tuples have USD types; tensors are arrays with several elements per point
UsdaAttribute primvar(const Attribute& attribute, std::size_t count) {
  const int n = attribute.components;
  const std::string name = "primvars:" + usda_identifier(attribute.name);
  const float* values = attribute.values.data();
  if (n > 4)
    return {"float[]", name, {fmt::format("elementSize = {}", n), of_each_point}, [=](AtomicFile& out) {
              write_usda_array(out, values, count * std::size_t(n), 1);
            }};
  return {n == 1 ? "float[]" : fmt::format("float{}[]", n), name, {of_each_point}, [=](AtomicFile& out) {
            write_usda_array(out, values, count, n);
          }};
}

}  // namespace

std::vector<float> particle_widths(const ParticleFrame& frame, const FrameNotes& notes) {
  const std::vector<float> volumes = present_volumes(frame);
  std::vector<float> widths(frame.position.size() / 3, float(notes.width));
  for (std::size_t p = 0; p < volumes.size(); ++p)
    widths[p] = std::cbrt(std::max(volumes[p], 0.0f) * float(6 / std::numbers::pi));
  return widths;
}

UsdaPrim usda_particles(const ParticleFrame& frame, const FrameNotes& notes) {
  const std::size_t count = count_particles(frame);
  const auto widths = std::make_shared<const std::vector<float>>(particle_widths(frame, notes));
  const float widest = widths->empty() ? 0 : *std::max_element(widths->begin(), widths->end());

  UsdaPrim prim{"Points", "particles"};
  const float* positions = frame.position.data();
  prim.sampled.push_back(usda_extent(positions, count, widest / 2));
  prim.sampled.push_back(
      {"point3f[]", "points", {}, [=](AtomicFile& out) { write_usda_array(out, positions, count, 3); }});
  prim.sampled.push_back({"float[]", "widths", {of_each_point}, [widths](AtomicFile& out) {
                            write_usda_array(out, widths->data(), widths->size(), 1);
                          }});
  if (has_ids(frame))
    prim.sampled.push_back({"int64[]", "ids", {}, [&frame](AtomicFile& out) {
                              write_usda_array(out, frame.id.data(), frame.id.size());
                            }});
  for (const Attribute& attribute : frame.attributes) {
    const float* values = attribute.values.data();
    if (attribute.name == "velocity" && attribute.components == 3)
      prim.sampled.push_back({"vector3f[]", "velocities", {}, [=](AtomicFile& out) {
                                write_usda_array(out, values, count, 3);
                              }});
    else
      prim.sampled.push_back(primvar(attribute, count));
  }
  add_usda_materials(prim, frame.material, notes);
  return prim;
}

void write_usda(AtomicFile& out, const ParticleFrame& frame, const FrameNotes& notes) {
  write_usda_sample(out, usda_particles(frame, notes), notes.time_code(frame.time), notes.frame_rate);
}

}  // namespace dollop
