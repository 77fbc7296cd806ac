#include "surface/mesh_shape.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"

namespace dollop {
namespace {

constexpr std::size_t chunk = 2048;  // vertices

Vec3<double> to_double3(const Vec3<float>& a) { return {double(a.x), double(a.y), double(a.z)}; }

// One Laplacian smoothing step: every vertex moves by `factor` of the way to the mean of its neighbours.
void laplacian_step(const VertexRings& rings, float factor, const std::vector<Vec3<float>>& from,
                    std::vector<Vec3<float>>& to) {
  parallel_for(from.size(), chunk, [&](std::size_t v) {
    Vec3<float> sum{0, 0, 0};  // of differences, which are small: no precision is lost far from the origin
    for (std::uint32_t i = rings.first[v]; i < rings.first[v + 1]; ++i)
      sum = sum + (from[rings.next[i]] - from[v]);
    const float count = float(std::max(1u, rings.first[v + 1] - rings.first[v]));
    to[v] = from[v] + (factor / count) * sum;
  });
}

}  // namespace

VertexRings vertex_rings(const SurfaceMesh& mesh) {
  VertexRings rings;
  rings.first.assign(mesh.positions.size() + 1, 0);
  for (const auto& t : mesh.triangles)
    for (const std::uint32_t v : t) ++rings.first[v + 1];
  for (std::size_t v = 1; v < rings.first.size(); ++v) rings.first[v] += rings.first[v - 1];
  rings.next.resize(3 * mesh.triangles.size());
  rings.last.resize(3 * mesh.triangles.size());
  std::vector<std::uint32_t> end(rings.first.begin(), rings.first.end() - 1);
  for (const auto& t : mesh.triangles)
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t slot = end[t[c]]++;
      rings.next[slot] = t[(c + 1) % 3];
      rings.last[slot] = t[(c + 2) % 3];
    }
  return rings;
}

void find_normals(const VertexRings& rings, SurfaceMesh& mesh) {
  const std::vector<Vec3<float>>& x = mesh.positions;
  mesh.normals.resize(x.size());
  parallel_for(x.size(), chunk, [&](std::size_t v) {
    Vec3<double> sum{0, 0, 0};
    for (std::uint32_t i = rings.first[v]; i < rings.first[v + 1]; ++i)
      sum = sum + cross(to_double3(x[rings.next[i]] - x[v]), to_double3(x[rings.last[i]] - x[v]));
    const double length = std::sqrt(dot(sum, sum));
    mesh.normals[v] = length > 0
                          ? Vec3<float>{float(sum.x / length), float(sum.y / length), float(sum.z / length)}
                          : Vec3<float>{0, 1, 0};
  });
}

MeshMeasure measure(const SurfaceMesh& mesh) {
  MeshMeasure sum;
  if (mesh.triangles.empty()) return sum;
  const Vec3<float> reference =
      mesh.positions.front();  // any point: the sums of a closed mesh do not depend on it
  for (const auto& t : mesh.triangles) {
    const Vec3<double> a = to_double3(mesh.positions[t[0]] - reference),
                       b = to_double3(mesh.positions[t[1]] - reference),
                       c = to_double3(mesh.positions[t[2]] - reference);
    sum.volume += dot(a, cross(b, c)) / 6;
    const Vec3<double> n = cross(b - a, c - a);
    sum.area += std::sqrt(dot(n, n)) / 2;
  }
  return sum;
}

void smooth_mesh(const VertexRings& rings, int passes, SurfaceMesh& mesh) {
  constexpr float shrink = 0.5f,
                  inflate = -0.53f;  // Taubin's pass band ends at 1 / shrink + 1 / inflate = 0.11
  std::vector<Vec3<float>> other(mesh.positions.size());
  for (int pass = 0; pass < passes; ++pass) {
    laplacian_step(rings, shrink, mesh.positions, other);
    laplacian_step(rings, inflate, other, mesh.positions);
  }
}

void fit_volume(const VertexRings& rings, double volume, double max_offset, SurfaceMesh& mesh) {
  constexpr double tolerance = 1e-4;
  find_normals(rings, mesh);
  double offset = 0;
  for (int pass = 0; pass < 6; ++pass) {
    const MeshMeasure now = measure(mesh);
    if (!(now.area > 0) || std::abs(now.volume - volume) < tolerance * volume) return;
    const double target = std::clamp(offset + (volume - now.volume) / now.area, -max_offset, max_offset);
    const float step = float(target - offset);
    if (step == 0) return;
    offset = target;
    parallel_for(mesh.positions.size(), chunk,
                 [&](std::size_t v) { mesh.positions[v] = mesh.positions[v] + step * mesh.normals[v]; });
    find_normals(rings, mesh);
  }
}

}  // namespace dollop
