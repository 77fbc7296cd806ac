#include "render/mesh_rays.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <variant>

#include "boundary/rigid.h"
#include "render/camera.h"
#include "render/embree.h"

namespace dollop {
namespace {

// the largest voxel of the meshes that a shape contains
double largest_voxel(const Shape& shape) {
  double widest = 0;
  const auto among = [&](const std::vector<Shape>& shapes) {
    for (const Shape& part : shapes) widest = std::max(widest, largest_voxel(part));
  };
  if (const auto* mesh = std::get_if<Mesh>(&shape.form)) widest = mesh->voxel_size;
  if (const auto* sequence = std::get_if<MeshSequence>(&shape.form))
    for (const Mesh& mesh : sequence->frames) widest = std::max(widest, mesh.voxel_size);
  if (const auto* placed = std::get_if<Placed>(&shape.form))
    widest = largest_voxel(*placed->shape) * *std::max_element(placed->scale.begin(), placed->scale.end());
  if (const auto* set = std::get_if<Union>(&shape.form)) among(set->shapes);
  return widest;
}

bool drawn_by_triangles(const Collider& collider) {
  return has_mesh(collider.shape) && can_tessellate(collider.shape);
}

}  // namespace

struct TriangleRays::Implementation {
  std::vector<Vec3<float>> normals = {};
  std::vector<std::array<std::uint32_t, 3>> triangles = {};
  EmbreeDevice device;
  EmbreeScene scene;
};

TriangleRays::TriangleRays(const TriangleShape& shape) : implementation_(std::make_unique<Implementation>()) {
  Implementation& i = *implementation_;
  i.triangles = shape.triangles;
  for (const Vec3<double>& n : shape.normals) i.normals.push_back(to_float(n));
  i.device = start_embree();
  i.scene.reset(rtcNewScene(i.device.get()));
  EmbreeGeometry geometry(rtcNewGeometry(i.device.get(), RTC_GEOMETRY_TYPE_TRIANGLE));
  auto* points = static_cast<float*>(rtcSetNewGeometryBuffer(geometry.get(), RTC_BUFFER_TYPE_VERTEX, 0,
                                                             RTC_FORMAT_FLOAT3, 3 * sizeof(float),
                                                             shape.positions.size()));
  for (const Vec3<double>& x : shape.positions)
    for (int a = 0; a < 3; ++a) *points++ = float(x[a]);
  void* corners = rtcSetNewGeometryBuffer(geometry.get(), RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                          sizeof(shape.triangles[0]), shape.triangles.size());
  std::memcpy(corners, shape.triangles.data(), shape.triangles.size() * sizeof(shape.triangles[0]));
  rtcCommitGeometry(geometry.get());
  rtcAttachGeometry(i.scene.get(), geometry.get());
  build_bvh(i.device.get(), i.scene.get());
}

TriangleRays::~TriangleRays() = default;

std::optional<TriangleRays::Found> TriangleRays::hit(const Ray& ray) const {
  const Implementation& i = *implementation_;
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRayHit found{};
  found.ray.org_x = ray.origin.x, found.ray.org_y = ray.origin.y, found.ray.org_z = ray.origin.z;
  found.ray.dir_x = ray.direction.x, found.ray.dir_y = ray.direction.y, found.ray.dir_z = ray.direction.z;
  found.ray.tnear = ray.near;
  found.ray.tfar = ray.far;
  found.ray.mask = ~0u;
  found.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  rtcIntersect1(i.scene.get(), &context, &found);
  if (found.hit.geomID == RTC_INVALID_GEOMETRY_ID) return {};
  const auto& [a, b, c] = i.triangles[found.hit.primID];
  const float u = found.hit.u, v = found.hit.v;
  Vec3<float> flat = unit({found.hit.Ng_x, found.hit.Ng_y, found.hit.Ng_z});
  Vec3<float> smooth = unit((1 - u - v) * i.normals[a] + u * i.normals[b] + v * i.normals[c]);
  if (dot(flat, ray.direction) > 0) flat = -flat, smooth = -smooth;
  // at a silhouette the smooth normal may point away from the eye, where the surface does not
  return Found{found.ray.tfar, dot(smooth, ray.direction) < 0 ? smooth : flat};
}

MeshRays::MeshRays(const Scene& scene) {
  for (const Collider& collider : scene.colliders) {
    const bool rigid = drawn_by_triangles(collider) && !has_mesh_sequence(collider.shape);
    at_rest_.push_back(rigid ? std::make_shared<const TriangleRays>(tessellate(collider.shape)) : nullptr);
  }
}

void MeshRays::attach(const Scene& scene, std::vector<Solid>& solids) const {
  for (std::size_t c = 0; c < solids.size() && c < scene.colliders.size(); ++c) {
    const Collider& collider = scene.colliders[c];
    if (!drawn_by_triangles(collider)) continue;
    solids[c].triangles = c < at_rest_.size() ? at_rest_[c] : nullptr;
    if (!solids[c].triangles)
      solids[c].triangles =
          std::make_shared<const TriangleRays>(tessellate(collider.shape, solids[c].pose.time));
    solids[c].distance_error = float(largest_voxel(collider.shape));
  }
}

}  // namespace dollop
