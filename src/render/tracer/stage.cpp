#include "render/tracer/stage.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "render/lighting.h"
#include "render/tracer/parts.h"
#include "render/tracer/sampling.h"
#include "surface/material_looks.h"

namespace dollop {
namespace {

struct PlanePart {
  Solid solid;
  Shading shading;
  bool has_look = false;  // the scene gives it one; otherwise it looks like the studio floor
};

RTCRay to_embree(const TracedRay& r, unsigned mask) {
  RTCRay ray{};
  ray.org_x = r.origin.x, ray.org_y = r.origin.y, ray.org_z = r.origin.z;
  ray.dir_x = r.direction.x, ray.dir_y = r.direction.y, ray.dir_z = r.direction.z;
  ray.tnear = r.near;
  ray.tfar = r.far;
  ray.time = r.time;
  ray.mask = mask;
  return ray;
}

// the nearest hit; its geomID is RTC_INVALID_GEOMETRY_ID if there is none
RTCRayHit closest_hit(RTCScene scene, const TracedRay& ray, unsigned mask) {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRayHit found{};
  found.ray = to_embree(ray, mask);
  found.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  rtcIntersect1(scene, &context, &found);
  return found;
}

// Embree calls this for each triangle of a transmissive part that a shadow ray hits
void filter_shadow_ray(const RTCFilterFunctionNArguments* arguments) {
  if (!arguments->valid[0]) return;
  const StagePart& part = *static_cast<const StagePart*>(arguments->geometryUserPtr);
  const auto& hit = *reinterpret_cast<const RTCHit*>(arguments->hit);
  const Shading& shading = part.kind == StagePart::Kind::surface
                               ? part.shading_at(part.mesh->triangles[hit.primID][0])
                               : part.shading;
  if (transmit_shadow_ray(shading, *reinterpret_cast<ShadowContext*>(arguments->context)))
    arguments->valid[0] = 0;
}

// material of particle i; 0 if the frame names none or an unknown one
std::size_t material_of(const std::vector<std::int32_t>& material, std::size_t i, std::size_t materials) {
  const std::int32_t m = i < material.size() ? material[i] : 0;
  return m >= 0 && std::size_t(m) < materials ? std::size_t(m) : 0;
}

}  // namespace

struct Stage::Implementation {
  StageContents contents;
  std::vector<Shading> materials;
  std::vector<PlanePart> planes;
  std::deque<StagePart> parts;  // a deque does not move its elements
  EmbreeDevice device;
  EmbreeScene scene;
  std::vector<Medium> media;
  bool any_pane = false;

  explicit Implementation(const StageContents& c)
      : contents(c), materials(material_shadings(c.scene.materials)) {
    if (materials.empty()) materials.emplace_back();
  }

  void attach(EmbreeGeometry geometry, StagePart& part);
  void add_surface();
  void add_grains();
  void add_solids();
  void add_media();

  // a coated diffuse material of this colour, for pictures coloured by a quantity
  Shading colored(const Shading& base, const Vec3<float>& color) const;
  // these fill in the position, normals and shading of a hit
  void resolve(const RTCRayHit& found, const TracedRay& ray, Hit& hit) const;
  void resolve_surface(const RTCHit& found, float material_choice, Hit& hit) const;
  void resolve_plane(const PlanePart& plane, Hit& hit) const;
};

void Stage::Implementation::attach(EmbreeGeometry geometry, StagePart& part) {
  any_pane = any_pane || part.pane;
  rtcSetGeometryMask(geometry.get(), part.pane ? mask_pane : mask_solid);
  if (part.transmissive && part.kind != StagePart::Kind::solid_field) {
    rtcSetGeometryUserData(geometry.get(), &part);
    rtcSetGeometryOccludedFilterFunction(geometry.get(), filter_shadow_ray);
  }
  rtcCommitGeometry(geometry.get());
  rtcAttachGeometryByID(scene.get(), geometry.get(), unsigned(parts.size() - 1));
}

void Stage::Implementation::add_surface() {
  if (contents.surface.triangles.empty()) return;
  StagePart& part = parts.emplace_back();
  for (const Shading& shading : materials)
    part.transmissive = part.transmissive || (shading.transmission > 0 && !contents.coloring);
  part.materials = &materials;
  attach(make_surface_part(device.get(), contents, part), part);
}

void Stage::Implementation::add_grains() {
  const auto& list = contents.scene.materials;
  std::vector<bool> drawn;
  for (const Material& material : list) drawn.push_back(shown_as_grains(material));
  if (std::find(drawn.begin(), drawn.end(), true) == drawn.end()) return;
  StagePart& part = parts.emplace_back();
  for (std::size_t i = 0; i < contents.frame.id.size(); ++i) {
    const float* x = &contents.frame.position[3 * i];
    if (drawn[material_of(contents.frame.material, i, list.size())] && std::isfinite(x[0] + x[1] + x[2]))
      part.particle.push_back(std::uint32_t(i));
  }
  if (part.particle.empty()) return parts.pop_back();
  attach(make_grains_part(device.get(), contents, part), part);
}

void Stage::Implementation::add_solids() {
  const std::vector<Solid> solids = solids_at(contents.scene, contents.frame.time, contents.view.see_through);
  for (std::size_t i = 0; i < solids.size(); ++i) {
    const Collider& collider = contents.scene.colliders[i];
    if (!solids[i].there || hidden(collider.look)) continue;
    if (solids[i].plane) {
      const Camera& camera = contents.view.camera;
      if (solids[i].glass || !plane_shown(solids[i], camera.eye, camera.forward)) continue;
      planes.push_back({solids[i], collider_shading(collider, i), !collider.look.empty() || collider.color});
      continue;
    }
    if (!std::isfinite(norm(solids[i].high - solids[i].low))) continue;
    StagePart& part = parts.emplace_back();
    attach(make_solid_part(device.get(), contents, i, part), part);
  }
  if (contents.view.floor) {
    Solid floor;
    floor.plane = true;
    floor.point = {0, *contents.view.floor, 0};
    planes.push_back({floor, {}, false});
  }
}

// A picture of a quantity has a surface instead.
void Stage::Implementation::add_media() {
  const auto& list = contents.scene.materials;
  for (std::size_t m = 0; m < list.size() && !contents.coloring; ++m) {
    if (!shown_as_density(list[m])) continue;
    SurfaceOptions alone;
    alone.surfaced.resize(list.size());
    alone.surfaced[m] = true;
    const SurfacePoints points = collect_points(contents.frame, alone);
    if (!points.empty())
      media.emplace_back(points, contents.frame.id, list[m].optical_depth, materials[m].color);
  }
}

Shading Stage::Implementation::colored(const Shading& base, const Vec3<float>& color) const {
  Shading shading = base;
  shading.color = color;
  shading.scattering_distance = shading.transmission = 0;
  shading.reflectance = 0.02f;
  shading.roughness = 0.5f;
  shading.metal = false;
  return shading;
}

void Stage::Implementation::resolve_surface(const RTCHit& found, float material_choice, Hit& hit) const {
  const SurfaceMesh& mesh = contents.surface;
  const auto& [a, b, c] = mesh.triangles[found.primID];
  const float wb = found.u, wc = found.v, wa = 1 - wb - wc;
  if (mesh.normals.size() == mesh.positions.size())
    hit.normal = unit(wa * mesh.normals[a] + wb * mesh.normals[b] + wc * mesh.normals[c]);
  // where materials meet, they blend across one triangle, stochastically
  const std::uint32_t vertex = material_choice < wa ? a : material_choice < wa + wb ? b : c;
  hit.shading = parts[hit.part].shading_at(vertex);
  if (!contents.coloring) return;
  const auto& colors = contents.coloring->vertices;
  hit.shading = colored(hit.shading, wa * colors[a] + wb * colors[b] + wc * colors[c]);
}

void Stage::Implementation::resolve(const RTCRayHit& found, const TracedRay& ray, Hit& hit) const {
  const StagePart& part = parts[found.hit.geomID];
  hit.part = found.hit.geomID;
  hit.plane = false;
  hit.t = found.ray.tfar;
  hit.x = ray.origin + hit.t * ray.direction;
  hit.geometric_normal = hit.normal = unit({found.hit.Ng_x, found.hit.Ng_y, found.hit.Ng_z});
  switch (part.kind) {
    case StagePart::Kind::surface:
      return resolve_surface(found.hit, ray.material_choice, hit);
    case StagePart::Kind::grains: {
      const std::size_t i = part.particle[found.hit.primID];
      const Shading& base = materials[material_of(contents.frame.material, i, materials.size())];
      hit.shading = base;
      hit.shading.color = grain_color(base, contents.frame.id[i]);
      if (contents.coloring) hit.shading = colored(base, contents.coloring->particles[i]);
      return;
    }
    case StagePart::Kind::solid_mesh: {
      const auto& [a, b, c] = part.triangles[found.hit.primID];
      const float wb = found.hit.u, wc = found.hit.v;
      hit.normal = unit((1 - wb - wc) * part.normals[a] + wb * part.normals[b] + wc * part.normals[c]);
      break;
    }
    case StagePart::Kind::solid_field:
      hit.geometric_normal = hit.normal = outward_normal(part.pose_at_time(ray.time), hit.x);
      break;
  }
  hit.shading = part.shading;
  hit.shading.color =
      pattern_color(part.shading, rest_position(part.pose_at_time(ray.time), hit.x), part.pattern_scale);
}

void Stage::Implementation::resolve_plane(const PlanePart& plane, Hit& hit) const {
  hit.plane = true;
  hit.normal = hit.geometric_normal = plane.solid.normal;
  hit.shading = plane.shading;
  if (plane.has_look) {
    hit.shading.color = pattern_color(plane.shading, hit.x, 0.3f * contents.view.size);
    return;
  }
  const float footprint = 0.15f * hit.t * contents.view.camera.half_height / float(contents.view.height);
  hit.shading = {};
  hit.shading.reflectance = 0;
  // dark enough that white materials stand out
  hit.shading.color =
      0.68f * (plane.solid.normal.y > 0.9f ? floor_albedo(hit.x, contents.view.size, footprint)
                                           : Vec3<float>{0.12f, 0.145f, 0.185f});
}

Stage::Stage(const StageContents& contents) : implementation_(std::make_unique<Implementation>(contents)) {
  Implementation& i = *implementation_;
  i.device = start_embree();
  i.scene.reset(rtcNewScene(i.device.get()));
  rtcSetSceneBuildQuality(i.scene.get(), RTC_BUILD_QUALITY_MEDIUM);
  i.add_surface();
  i.add_grains();
  i.add_solids();
  i.add_media();
  build_bvh(i.device.get(), i.scene.get());
}

Stage::~Stage() = default;

float Stage::ray_offset() const { return 2e-5f * implementation_->contents.view.size; }

std::optional<Hit> Stage::intersect(const TracedRay& ray) const {
  const Implementation& i = *implementation_;
  const RTCRayHit found = closest_hit(i.scene.get(), ray, mask_solid);
  const bool hit_part = found.hit.geomID != RTC_INVALID_GEOMETRY_ID;
  Hit result;
  const PlanePart* nearest_plane = nullptr;
  float far = hit_part ? found.ray.tfar : ray.far;
  for (const PlanePart& plane : i.planes) {
    // what lies in the plane, such as the top of a stand, is seen and not the plane
    const float margin = hit_part ? plane_margin(plane.solid, ray.direction, ray_offset()) : 0;
    if (const auto t = hit(plane.solid, {ray.origin, ray.direction, ray.near, far})) {
      if (hit_part && *t > found.ray.tfar - margin) continue;
      far = *t;
      nearest_plane = &plane;
    }
  }
  if (nearest_plane) {
    result.t = far;
    result.x = ray.origin + far * ray.direction;
    i.resolve_plane(*nearest_plane, result);
    return result;
  }
  if (!hit_part) return {};
  i.resolve(found, ray, result);
  return result;
}

std::optional<Hit> Stage::intersect_part(std::uint32_t part, const TracedRay& ray) const {
  const Implementation& i = *implementation_;
  const RTCRayHit found = closest_hit(i.scene.get(), ray, mask_solid);
  if (found.hit.geomID != part) return {};
  Hit result;
  i.resolve(found, ray, result);
  return result;
}

Vec3<float> Stage::transmittance(const TracedRay& ray) const {
  const Implementation& i = *implementation_;
  constexpr float opaque = 6;  // optical depth
  float depth = 0;             // first: deep in a medium no other question is left
  for (const Medium& medium : i.media) {
    const Medium::Passage passage = medium.follow({ray.origin, ray.direction, ray.near, ray.far}, opaque);
    if (passage.stopped) return {0, 0, 0};
    depth += passage.depth;
  }
  ShadowContext shadow;
  rtcInitIntersectContext(&shadow.context);
  RTCRay embree_ray = to_embree(ray, mask_solid);
  rtcOccluded1(i.scene.get(), &shadow.context, &embree_ray);
  if (embree_ray.tfar < 0) return {0, 0, 0};
  return depth > 0 ? std::exp(-depth) * shadow.transmittance : shadow.transmittance;
}

const std::vector<Medium>& Stage::media() const { return implementation_->media; }

std::vector<Vec3<float>> Stage::panes_along(const TracedRay& ray) const {
  const Implementation& i = *implementation_;
  std::vector<Vec3<float>> normals;
  if (!i.any_pane) return normals;
  TracedRay rest = ray;
  constexpr int max_panes = 8;  // further panes hardly show
  for (int k = 0; k < max_panes; ++k) {
    const RTCRayHit found = closest_hit(i.scene.get(), rest, mask_pane);
    if (found.hit.geomID == RTC_INVALID_GEOMETRY_ID) break;
    Hit hit;
    i.resolve(found, rest, hit);
    if (dot(hit.geometric_normal, ray.direction) < 0) normals.push_back(hit.normal);  // front sides only
    rest.near = hit.t + ray_offset() / norm(ray.direction);
  }
  return normals;
}

}  // namespace dollop
