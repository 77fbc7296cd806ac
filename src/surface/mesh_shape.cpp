#include "surface/mesh_shape.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"

namespace dollop {
namespace {

constexpr std::size_t grain = 2048;  // vertices

Vec3<double> wide(const Vec3<float>& a) { return {double(a.x), double(a.y), double(a.z)}; }

// One step of the filter: every vertex moves by `factor` of the way to the middle of its neighbours.
void move_to_neighbours(const VertexRings& rings, float factor, const std::vector<Vec3<float>>& from,
                        std::vector<Vec3<float>>& to) {
  parallel_for(from.size(), grain, [&](std::size_t v) {
    Vec3<float> sum{0, 0, 0};  // of differences, which are small: no digits are lost far from the origin
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
      const std::uint32_t place = end[t[c]]++;
      rings.next[place] = t[(c + 1) % 3];
      rings.last[place] = t[(c + 2) % 3];
    }
  return rings;
}

void find_normals(const VertexRings& rings, SurfaceMesh& mesh) {
  const std::vector<Vec3<float>>& x = mesh.positions;
  mesh.normals.resize(x.size());
  parallel_for(x.size(), grain, [&](std::size_t v) {
    Vec3<double> sum{0, 0, 0};
    for (std::uint32_t i = rings.first[v]; i < rings.first[v + 1]; ++i)
      sum = sum + cross(wide(x[rings.next[i]] - x[v]), wide(x[rings.last[i]] - x[v]));
    const double length = std::sqrt(dot(sum, sum));
    mesh.normals[v] = length > 0
                          ? Vec3<float>{float(sum.x / length), float(sum.y / length), float(sum.z / length)}
                          : Vec3<float>{0, 1, 0};
  });
}

MeshMeasure measure(const SurfaceMesh& mesh) {
  MeshMeasure sum;
  if (mesh.triangles.empty()) return sum;
  const Vec3<float> middle =
      mesh.positions.front();  // any point: the sums of a closed mesh do not depend on it
  for (const auto& t : mesh.triangles) {
    const Vec3<double> a = wide(mesh.positions[t[0]] - middle), b = wide(mesh.positions[t[1]] - middle),
                       c = wide(mesh.positions[t[2]] - middle);
    sum.volume += dot(a, cross(b, c)) / 6;
    const Vec3<double> n = cross(b - a, c - a);
    sum.area += std::sqrt(dot(n, n)) / 2;
  }
  return sum;
}

void smooth_mesh(const VertexRings& rings, int rounds, SurfaceMesh& mesh) {
  constexpr float shrink = 0.5f,
                  inflate = -0.53f;  // Taubin's pass band ends at 1 / shrink + 1 / inflate = 0.11
  std::vector<Vec3<float>> other(mesh.positions.size());
  for (int round = 0; round < rounds; ++round) {
    move_to_neighbours(rings, shrink, mesh.positions, other);
    move_to_neighbours(rings, inflate, other, mesh.positions);
  }
}

void fit_volume(const VertexRings& rings, double volume, double largest, SurfaceMesh& mesh) {
  constexpr double close_enough = 1e-4;
  find_normals(rings, mesh);
  double moved = 0;
  for (int round = 0; round < 6; ++round) {
    const MeshMeasure now = measure(mesh);
    if (!(now.area > 0) || std::abs(now.volume - volume) < close_enough * volume) return;
    const double target = std::clamp(moved + (volume - now.volume) / now.area, -largest, largest);
    const float step = float(target - moved);
    if (step == 0) return;
    moved = target;
    parallel_for(mesh.positions.size(), grain,
                 [&](std::size_t v) { mesh.positions[v] = mesh.positions[v] + step * mesh.normals[v]; });
    find_normals(rings, mesh);
  }
}

}  // namespace dollop
