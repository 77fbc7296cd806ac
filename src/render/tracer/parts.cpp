#include "render/tracer/parts.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "boundary/rigid.h"
#include "boundary/shape_distance.h"
#include "boundary/tessellate.h"
#include "core/parallel.h"
#include "io/frame_layout.h"
#include "render/tracer/sampling.h"

namespace dollop {
namespace {

constexpr int exposure_poses = 9;      // of moving solids, for motion blur
constexpr float grain_radius = 0.62f;  // over the particle spacing: a sphere of the particle's volume

// A buffer of vertices for the start and for the end of the exposure, or one for its middle if nothing moves; `fill`
// gets the time from the middle in exposures.
template <class Fill>
void set_vertices(RTCGeometry geometry, RTCFormat format, std::size_t stride, std::size_t count, bool moving,
                  Fill&& fill) {
  rtcSetGeometryTimeStepCount(geometry, moving ? 2 : 1);
  for (unsigned slot = 0; slot < (moving ? 2u : 1u); ++slot) {
    auto* data = static_cast<float*>(
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, slot, format, stride, count));
    const float time = moving ? (slot == 0 ? -0.5f : 0.5f) : 0.0f;
    const std::size_t floats = stride / sizeof(float);
    parallel_for(count, 8192, [&](std::size_t i) { fill(i, time, data + i * floats); });
  }
}

void set_triangles(RTCGeometry geometry, const std::vector<std::array<std::uint32_t, 3>>& triangles) {
  void* data = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                       3 * sizeof(std::uint32_t), triangles.size());
  std::memcpy(data, triangles.data(), triangles.size() * 3 * sizeof(std::uint32_t));
}

// Embree's callbacks for solids without triangles, which are sphere traced along their signed distance.
void field_bounds(const RTCBoundsFunctionArguments* arguments) {
  const StagePart& part = *static_cast<const StagePart*>(arguments->geometryUserPtr);
  RTCBounds& b = *arguments->bounds_o;
  Vec3<float> low = part.poses[0].low, high = part.poses[0].high;
  for (const Solid& solid : part.poses)
    for (int a = 0; a < 3; ++a) {
      low[a] = std::min(low[a], solid.low[a]);
      high[a] = std::max(high[a], solid.high[a]);
    }
  b.lower_x = low.x, b.lower_y = low.y, b.lower_z = low.z;
  b.upper_x = high.x, b.upper_y = high.y, b.upper_z = high.z;
}

std::optional<float> hit_field(const StagePart& part, const RTCRay& ray) {
  const Ray r{{ray.org_x, ray.org_y, ray.org_z}, {ray.dir_x, ray.dir_y, ray.dir_z}, ray.tnear, ray.tfar};
  const Solid& solid = part.poses.size() > 1 ? part.pose_at_time(ray.time) : part.poses[0];
  return part.transmissive || part.pane ? hit_either_side(solid, r) : hit(solid, r);
}

void intersect_field(const RTCIntersectFunctionNArguments* arguments) {
  if (!arguments->valid[0]) return;
  const StagePart& part = *static_cast<const StagePart*>(arguments->geometryUserPtr);
  auto& ray = *reinterpret_cast<RTCRayHit*>(arguments->rayhit);
  const auto t = hit_field(part, ray.ray);
  if (!t || *t >= ray.ray.tfar) return;
  ray.ray.tfar = *t;
  ray.hit.geomID = arguments->geomID;
  ray.hit.primID = 0;
  ray.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
}

void occlude_field(const RTCOccludedFunctionNArguments* arguments) {
  if (!arguments->valid[0]) return;
  const StagePart& part = *static_cast<const StagePart*>(arguments->geometryUserPtr);
  auto& ray = *reinterpret_cast<RTCRay*>(arguments->ray);
  if (!hit_field(part, ray)) return;
  if (!transmit_shadow_ray(part.shading, *reinterpret_cast<ShadowContext*>(arguments->context)))
    ray.tfar = -std::numeric_limits<float>::infinity();
}

EmbreeGeometry make_field(RTCDevice device, StagePart& part) {
  EmbreeGeometry geometry(rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER));
  rtcSetGeometryUserPrimitiveCount(geometry.get(), 1);
  rtcSetGeometryUserData(geometry.get(), &part);
  rtcSetGeometryBoundsFunction(geometry.get(), field_bounds, nullptr);
  rtcSetGeometryIntersectFunction(geometry.get(), intersect_field);
  rtcSetGeometryOccludedFunction(geometry.get(), occlude_field);
  part.kind = StagePart::Kind::solid_field;
  return geometry;
}

EmbreeGeometry make_solid_mesh(RTCDevice device, const Shape& shape, StagePart& part) {
  const Solid& middle = part.poses[part.poses.size() / 2];
  const TriangleShape rest = tessellate(shape, middle.pose.time);
  const bool changes = has_mesh_sequence(shape);
  part.kind = StagePart::Kind::solid_mesh;
  part.triangles = rest.triangles;
  for (const Vec3<double>& n : rest.normals)
    part.normals.push_back(to_float(to_mat(middle.pose.rotation) * n));
  EmbreeGeometry geometry(rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE));
  rtcSetGeometryTimeStepCount(geometry.get(), unsigned(part.poses.size()));
  for (std::size_t k = 0; k < part.poses.size(); ++k) {
    auto* data = static_cast<float*>(rtcSetNewGeometryBuffer(geometry.get(), RTC_BUFFER_TYPE_VERTEX,
                                                             unsigned(k), RTC_FORMAT_FLOAT3,
                                                             3 * sizeof(float), rest.positions.size()));
    const Pose& pose = part.poses[k].pose;
    const TriangleShape then = changes ? tessellate(shape, pose.time) : TriangleShape{};
    // what changes its triangles during the exposure does not change its form
    for (const Vec3<double>& p : then.triangles == rest.triangles ? then.positions : rest.positions) {
      const Vec3<double> x = to_mat(pose.rotation) * p + to_vec(pose.translation);
      for (int a = 0; a < 3; ++a) *data++ = float(x[a]);
    }
  }
  set_triangles(geometry.get(), rest.triangles);
  return geometry;
}

}  // namespace

const Solid& StagePart::pose_at_time(float time) const {
  const float last = float(poses.size() - 1);
  return poses[std::size_t(std::clamp(std::round(time * last), 0.0f, last))];
}

const Shading& StagePart::shading_at(std::uint32_t vertex) const {
  const std::int32_t m = vertex < mesh->material.size() ? mesh->material[vertex] : 0;
  return (*materials)[m >= 0 && std::size_t(m) < materials->size() ? std::size_t(m) : 0];
}

bool transmit_shadow_ray(const Shading& shading, ShadowContext& shadow) {
  if (shading.transmission <= 0) return false;
  const float transmittance =
      std::sqrt(shading.transmission);  // of one surface: the ray crosses two of each body
  shadow.transmittance = times(shadow.transmittance, transmittance * blend({1, 1, 1}, shading.color, 0.5f));
  return true;
}

EmbreeGeometry make_surface_part(RTCDevice device, const StageContents& contents, StagePart& part) {
  const SurfaceMesh& mesh = contents.surface;
  const bool moving = contents.shutter > 0 && mesh.velocities.size() == mesh.positions.size();
  part.kind = StagePart::Kind::surface;
  part.mesh = &mesh;
  EmbreeGeometry geometry(rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE));
  set_vertices(geometry.get(), RTC_FORMAT_FLOAT3, 3 * sizeof(float), mesh.positions.size(), moving,
               [&](std::size_t i, float time, float* out) {
                 Vec3<float> x = mesh.positions[i];
                 if (moving) x = x + (time * float(contents.shutter)) * mesh.velocities[i];
                 out[0] = x.x, out[1] = x.y, out[2] = x.z;
               });
  set_triangles(geometry.get(), mesh.triangles);
  return geometry;
}

EmbreeGeometry make_grains_part(RTCDevice device, const StageContents& contents, StagePart& part) {
  const ParticleFrame& frame = contents.frame;
  const std::vector<float> volumes = present_volumes(frame);
  const Attribute* velocity = find_attribute(frame, "velocity", 3);
  const bool moving = contents.shutter > 0 && velocity;
  const double cell = contents.scene.settings.cell_size;
  part.kind = StagePart::Kind::grains;
  EmbreeGeometry geometry(rtcNewGeometry(device, RTC_GEOMETRY_TYPE_SPHERE_POINT));
  set_vertices(geometry.get(), RTC_FORMAT_FLOAT4, 4 * sizeof(float), part.particle.size(), moving,
               [&](std::size_t k, float time, float* out) {
                 const std::size_t i = part.particle[k];
                 for (int a = 0; a < 3; ++a) {
                   out[a] = frame.position[3 * i + std::size_t(a)];
                   if (moving)
                     out[a] += time * float(contents.shutter) * velocity->values[3 * i + std::size_t(a)];
                 }
                 float v = volumes.empty() ? 0 : volumes[i];
                 if (!(v > 0 && std::isfinite(v))) v = float(cell * cell * cell / 8);
                 out[3] = grain_radius * std::cbrt(v);
               });
  return geometry;
}

EmbreeGeometry make_solid_part(RTCDevice device, const StageContents& contents, std::size_t collider,
                               StagePart& part) {
  const auto pose_at = [&](double time) {
    return solids_at(contents.scene, time, contents.view.see_through)[collider];
  };
  const double time = contents.frame.time;
  const Solid middle = pose_at(time);
  part.pane = middle.glass;
  part.shading = collider_shading(contents.scene.colliders[collider], collider);
  part.transmissive = part.shading.transmission > 0;
  part.pattern_scale = 0.25f * norm(middle.high - middle.low);
  if (contents.shutter > 0) {
    for (int k = 0; k < exposure_poses; ++k)
      part.poses.push_back(pose_at(time + contents.shutter * (double(k) / (exposure_poses - 1) - 0.5)));
    const auto same = [&](const Solid& s) {
      return s.pose.rotation == middle.pose.rotation && s.pose.translation == middle.pose.translation;
    };
    const Shape& shape = contents.scene.colliders[collider].shape;
    const bool at_rest = std::all_of(part.poses.begin(), part.poses.end(), same);
    if (at_rest && !std::holds_alternative<MeshSequence>(shape.form)) part.poses.clear();
  }
  if (part.poses.empty()) part.poses.push_back(middle);
  const Shape& shape = contents.scene.colliders[collider].shape;
  return can_tessellate(shape) ? make_solid_mesh(device, shape, part) : make_field(device, part);
}

Vec3<float> rest_position(const Solid& solid, const Vec3<float>& x) {
  const Double3 rest = to_body(solid.pose, {x.x, x.y, x.z});
  return {float(rest[0]), float(rest[1]), float(rest[2])};
}

}  // namespace dollop
