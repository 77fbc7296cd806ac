#include "boundary/creases.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "boundary/rigid.h"

namespace dollop {
namespace {

using V3 = Vec3<double>;

// Sets that are joined one by one; the first member of a set stands for it.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : leader_(count) {
    std::iota(leader_.begin(), leader_.end(), std::uint32_t(0));
  }
  std::uint32_t leader_of(std::uint32_t i) {
    while (leader_[i] != i) i = leader_[i] = leader_[leader_[i]];
    return i;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = leader_of(a), b = leader_of(b);
    leader_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> leader_;
};

// One side of an edge: the points at its ends in ascending order, and the corners of the triangle there. The corners of
// triangle t have the numbers 3 t to 3 t + 2.
struct EdgeSide {
  int low, high;
  std::uint32_t at_low, at_high;
  friend bool operator<(const EdgeSide& a, const EdgeSide& b) {
    if (a.low != b.low) return a.low < b.low;
    return a.high != b.high ? a.high < b.high : a.at_low < b.at_low;
  }
};

std::vector<EdgeSide> sorted_sides(const TriangleMesh& mesh) {
  std::vector<EdgeSide> sides;
  sides.reserve(3 * mesh.triangles.size());
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t j = (k + 1) % 3;
      const int a = mesh.triangles[t][k], b = mesh.triangles[t][j];
      if (a < b) sides.push_back({a, b, 3 * t + k, 3 * t + j});
      if (b < a) sides.push_back({b, a, 3 * t + j, 3 * t + k});
    }
  std::sort(sides.begin(), sides.end());
  return sides;
}

std::vector<V3> normals_of_triangles(const TriangleMesh& mesh) {
  std::vector<V3> normals;
  normals.reserve(mesh.triangles.size());
  for (const auto& [a, b, c] : mesh.triangles) {
    const V3 p = to_vec(mesh.points[a]);
    normals.push_back(unit_or_zero(cross(to_vec(mesh.points[b]) - p, to_vec(mesh.points[c]) - p)));
  }
  return normals;
}

// the corners that share a normal: those of neighbouring triangles at a point, where the edge between them is no crease
DisjointSets smooth_corners(const TriangleMesh& mesh, const std::vector<V3>& normals, double crease) {
  DisjointSets corners(3 * mesh.triangles.size());
  const std::vector<EdgeSide> sides = sorted_sides(mesh);
  const double least_cosine = std::cos(crease);
  for (std::size_t i = 0; i < sides.size();) {
    std::size_t end = i + 1;
    while (end < sides.size() && sides[end].low == sides[i].low && sides[end].high == sides[i].high) ++end;
    // where more than two triangles meet, which of them belong together is not known: they keep their normals
    if (end - i == 2) {
      const EdgeSide &a = sides[i], &b = sides[i + 1];
      if (dot(normals[a.at_low / 3], normals[b.at_low / 3]) >= least_cosine) {
        corners.join(a.at_low, b.at_low);
        corners.join(a.at_high, b.at_high);
      }
    }
    i = end;
  }
  return corners;
}

double angle_at(const TriangleMesh& mesh, std::size_t triangle, std::size_t corner) {
  const auto& t = mesh.triangles[triangle];
  return corner_angle(to_vec(mesh.points[t[corner]]), to_vec(mesh.points[t[(corner + 1) % 3]]),
                      to_vec(mesh.points[t[(corner + 2) % 3]]));
}

}  // namespace

double corner_angle(const V3& x, const V3& a, const V3& b) {
  return std::atan2(norm(cross(a - x, b - x)), dot(a - x, b - x));
}

std::vector<std::uint32_t> corners_of_normals(const TriangleMesh& mesh, double crease) {
  DisjointSets corners = smooth_corners(mesh, normals_of_triangles(mesh), crease);
  std::vector<std::uint32_t> leaders(3 * mesh.triangles.size());
  for (std::uint32_t c = 0; c < leaders.size(); ++c) leaders[c] = corners.leader_of(c);
  return leaders;
}

TriangleShape with_creases(const TriangleMesh& mesh, double crease) {
  const std::vector<V3> normals = normals_of_triangles(mesh);
  DisjointSets corners = smooth_corners(mesh, normals, crease);
  TriangleShape out;
  std::vector<std::uint32_t> vertex_of(3 * mesh.triangles.size());  // of the corner that stands for its set
  out.triangles.reserve(mesh.triangles.size());
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    std::array<std::uint32_t, 3> triangle{};
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t corner = 3 * t + k, leader = corners.leader_of(corner);
      if (leader == corner) {  // the first of its set
        vertex_of[corner] = std::uint32_t(out.positions.size());
        out.positions.push_back(to_vec(mesh.points[mesh.triangles[t][k]]));
        out.normals.push_back({0, 0, 0});
      }
      triangle[k] = vertex_of[leader];
      V3& normal = out.normals[triangle[k]];
      normal = normal + angle_at(mesh, t, k) * normals[t];
    }
    out.triangles.push_back(triangle);
  }
  for (V3& n : out.normals) n = norm(n) > 0 ? unit_or_zero(n) : V3{0, 1, 0};
  return out;
}

}  // namespace dollop
