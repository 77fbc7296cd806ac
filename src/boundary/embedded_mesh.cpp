#include "boundary/embedded_mesh.h"

#include <dollop/scene.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

#include "boundary/creases.h"
#include "boundary/polygonise.h"
#include "boundary/rigid.h"

namespace dollop {
namespace {

using V3 = Vec3<double>;
using UV = std::array<double, 2>;

constexpr std::size_t most_triangles = 20'000'000;

// Triangles of merged points, with the texture coordinates of their corners; no coordinates if there are none.
struct Corners {
  TriangleMesh mesh = {};
  std::vector<std::array<UV, 3>> uv = {};  // of each triangle
};

// Numbers for places; those that differ by no more than rounding have the same.
class PlaceNumbers {
 public:
  explicit PlaceNumbers(double tolerance) : tolerance_(tolerance) {}

  int of(const Double3& x, std::vector<Double3>& places) {
    const Cell low = cell_of(x, -tolerance_), high = cell_of(x, tolerance_);
    for (std::int64_t i = low[0]; i <= high[0]; ++i)
      for (std::int64_t j = low[1]; j <= high[1]; ++j)
        for (std::int64_t k = low[2]; k <= high[2]; ++k)
          if (const auto found = cells_.find({i, j, k});
              found != cells_.end() && near(x, places[found->second]))
            return int(found->second);
    cells_.emplace(cell_of(x, 0), places.size());
    places.push_back(x);
    return int(places.size()) - 1;
  }

 private:
  using Cell = std::array<std::int64_t, 3>;
  Cell cell_of(const Double3& x, double offset) const {
    Cell cell;
    for (std::size_t d = 0; d < 3; ++d) cell[d] = std::llround((x[d] + offset) / (8 * tolerance_));
    return cell;
  }
  bool near(const Double3& a, const Double3& b) const {
    return std::fabs(a[0] - b[0]) <= tolerance_ && std::fabs(a[1] - b[1]) <= tolerance_ &&
           std::fabs(a[2] - b[2]) <= tolerance_;
  }
  double tolerance_;
  std::map<Cell, std::size_t> cells_;
};

// Merges equal points; triangles that lose a corner by that are left out.
Corners merge(const TexturedMesh& parts) {
  constexpr double rounding = 1e-10;  // of the size: far above that of double, far below that of float
  double size = 0;
  for (const Double3& p : parts.mesh.points)
    for (std::size_t d = 0; d < 3; ++d) size = std::max(size, std::fabs(p[d] - parts.mesh.points[0][d]));
  Corners merged;
  PlaceNumbers numbers(rounding * (size > 0 ? size : 1));
  std::vector<int> now;
  for (const Double3& p : parts.mesh.points) now.push_back(numbers.of(p, merged.mesh.points));
  for (const auto& [a, b, c] : parts.mesh.triangles) {
    if (now[a] == now[b] || now[b] == now[c] || now[c] == now[a]) continue;
    merged.mesh.triangles.push_back({now[a], now[b], now[c]});
    if (!parts.uv.empty()) merged.uv.push_back({parts.uv[a], parts.uv[b], parts.uv[c]});
  }
  if (merged.mesh.triangles.empty()) throw SceneError("the surface mesh has no triangle with an area");
  return merged;
}

void turn_outwards(Corners& corners) {
  if (!closed_fault(corners.mesh).empty() || signed_volume(corners.mesh) >= 0) return;
  for (auto& t : corners.mesh.triangles) std::swap(t[1], t[2]);
  for (auto& t : corners.uv) std::swap(t[1], t[2]);
}

// The points in the middle of edges.
class Middles {
 public:
  Middles(std::vector<Double3>& points, double longest) : points_(points), longest_(longest) {}

  // the number of the point; -1 if the edge is short enough
  int of(int a, int b) {
    const V3 x = to_vec(points_[a]), y = to_vec(points_[b]);
    if (!(norm(x - y) > longest_)) return -1;
    const auto key = std::uint64_t(std::min(a, b)) << 32 | std::uint64_t(std::max(a, b));
    const auto [found, is_new] = numbers_.try_emplace(key, int(points_.size()));
    if (is_new) points_.push_back(to_array(0.5 * (x + y)));
    return found->second;
  }

 private:
  std::vector<Double3>& points_;
  double longest_;
  std::unordered_map<std::uint64_t, int> numbers_;
};

// a corner of a triangle while it is divided
struct Corner {
  int point;
  UV uv;
};

// Divides a triangle at the middles of its long edges; `middle[k]` is that of the edge from corner k, -1 for a short one.
template <class Add>
void divide(std::array<Corner, 3> corner, std::array<int, 3> middle, Add&& add) {
  const auto count = std::count_if(middle.begin(), middle.end(), [](int m) { return m >= 0; });
  // turned so that a single long edge is the first, and a single short one the last
  for (int turn = 0; turn < 2; ++turn)
    if ((count == 1 && middle[0] < 0) || (count == 2 && middle[2] >= 0)) {
      std::rotate(corner.begin(), corner.begin() + 1, corner.end());
      std::rotate(middle.begin(), middle.begin() + 1, middle.end());
    }
  const auto at = [&](std::size_t k) {
    const UV &a = corner[k].uv, &b = corner[(k + 1) % 3].uv;
    return Corner{middle[k], {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])}};
  };
  const auto& [a, b, c] = corner;
  if (count == 0) return add(a, b, c);
  if (count == 1) return add(a, at(0), c), add(at(0), b, c);
  if (count == 2) return add(at(0), b, at(1)), add(a, at(0), at(1)), add(a, at(1), c);
  add(a, at(0), at(2)), add(at(0), b, at(1)), add(at(2), at(1), c), add(at(0), at(1), at(2));
}

// Divides edges until none is longer than the limit. Triangles on both sides of an edge divide it alike.         (EMB.5)
void divide_edges(double longest, Corners& corners) {
  if (!(longest > 0) || !std::isfinite(longest)) return;
  for (bool divided = true; divided;) {
    divided = false;
    Corners next;
    next.mesh.points = corners.mesh.points;
    Middles middles(next.mesh.points, longest);
    const auto add = [&](const Corner& a, const Corner& b, const Corner& c) {
      next.mesh.triangles.push_back({a.point, b.point, c.point});
      if (!corners.uv.empty()) next.uv.push_back({a.uv, b.uv, c.uv});
    };
    for (std::size_t t = 0; t < corners.mesh.triangles.size(); ++t) {
      const auto& p = corners.mesh.triangles[t];
      const std::array<UV, 3> uv = corners.uv.empty() ? std::array<UV, 3>{} : corners.uv[t];
      const std::array<int, 3> middle{middles.of(p[0], p[1]), middles.of(p[1], p[2]), middles.of(p[2], p[0])};
      divided = divided || middle[0] >= 0 || middle[1] >= 0 || middle[2] >= 0;
      divide({Corner{p[0], uv[0]}, Corner{p[1], uv[1]}, Corner{p[2], uv[2]}}, middle, add);
      if (next.mesh.triangles.size() > most_triangles)
        throw SceneError(fmt::format(
            "the surface mesh would have more than {} triangles; make surface_edge longer", most_triangles));
    }
    corners = std::move(next);
  }
}

// The vertices: a corner of a triangle belongs to that of its point, normal and texture coordinates.
void make_vertices(const Corners& corners, EmbeddedMesh& mesh) {
  const std::vector<std::uint32_t> leaders = corners_of_normals(corners.mesh);
  std::vector<std::uint32_t> normal_of(leaders.size());
  std::map<std::tuple<std::uint32_t, double, double>, std::uint32_t> vertices;
  for (std::uint32_t c = 0; c < leaders.size(); ++c) {
    if (leaders[c] == c) normal_of[c] = std::uint32_t(mesh.normals++);
    normal_of[c] = normal_of[leaders[c]];
    const UV uv = corners.uv.empty() ? UV{0, 0} : corners.uv[c / 3][c % 3];
    const auto [found, is_new] =
        vertices.try_emplace({normal_of[c], uv[0], uv[1]}, std::uint32_t(mesh.point_of.size()));
    if (is_new) {
      mesh.point_of.push_back(std::uint32_t(corners.mesh.triangles[c / 3][c % 3]));
      mesh.normal_of.push_back(normal_of[c]);
      if (!corners.uv.empty()) mesh.uv.push_back({float(uv[0]), float(uv[1])});
    }
    if (c % 3 == 0) mesh.triangles.emplace_back();
    mesh.triangles.back()[c % 3] = found->second;
  }
}

void find_neighbours(const TriangleMesh& triangles, EmbeddedMesh& mesh) {
  std::vector<std::array<std::uint32_t, 2>> edges;  // in both directions
  for (const auto& t : triangles.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto a = std::uint32_t(t[k]), b = std::uint32_t(t[(k + 1) % 3]);
      edges.push_back({a, b}), edges.push_back({b, a});
    }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  mesh.first_neighbour.assign(mesh.points.size() + 1, 0);
  for (const auto& [from, to] : edges) {
    ++mesh.first_neighbour[from + 1];
    mesh.neighbours.push_back(to);
  }
  for (std::size_t p = 0; p < mesh.points.size(); ++p) mesh.first_neighbour[p + 1] += mesh.first_neighbour[p];
}

const Shape& innermost(const Shape& shape) {
  const auto* placed = std::get_if<Placed>(&shape.form);
  return placed ? innermost(*placed->shape) : shape;
}

bool is_made_of_parts(const Shape& shape) {
  return std::holds_alternative<Union>(shape.form) || std::holds_alternative<Intersect>(shape.form) ||
         std::holds_alternative<Minus>(shape.form);
}

}  // namespace

std::size_t EmbeddedMesh::bytes() const {
  return points.size() * sizeof(points[0]) + triangles.size() * sizeof(triangles[0]) +
         uv.size() * sizeof(uv[0]) +
         (point_of.size() + normal_of.size() + first_neighbour.size() + neighbours.size()) *
             sizeof(point_of[0]);
}

EmbeddedMesh make_embedded_mesh(const TexturedMesh& parts, double longest_edge) {
  Corners corners = merge(parts);
  turn_outwards(corners);
  divide_edges(longest_edge, corners);
  EmbeddedMesh mesh;
  mesh.points = corners.mesh.points;
  make_vertices(corners, mesh);
  find_neighbours(corners.mesh, mesh);
  return mesh;
}

std::vector<V3> normals_of(const EmbeddedMesh& mesh, const std::vector<Double3>& x) {
  std::vector<V3> normals(mesh.normals, V3{0, 0, 0});
  for (const auto& t : mesh.triangles) {
    V3 p[3];
    for (std::size_t k = 0; k < 3; ++k) p[k] = to_vec(x[mesh.point_of[t[k]]]);
    const V3 n = unit_or_zero(cross(p[1] - p[0], p[2] - p[0]));
    for (std::size_t k = 0; k < 3; ++k) {
      V3& sum = normals[mesh.normal_of[t[k]]];
      sum = sum + corner_angle(p[k], p[(k + 1) % 3], p[(k + 2) % 3]) * n;
    }
  }
  for (V3& n : normals) n = norm(n) > 0 ? unit_or_zero(n) : V3{0, 1, 0};
  return normals;
}

TexturedMesh textured_surface(const Shape& shape, double width) {
  const Shape& inner = innermost(shape);
  TexturedMesh surface;
  if (const auto* mesh = std::get_if<Mesh>(&inner.form)) {
    surface = read_textured_mesh(mesh->file);
    place_as(shape, surface.mesh.points);
    return surface;
  }
  TriangleShape triangles;
  if (is_made_of_parts(inner)) {
    constexpr int fewest = 32, most = 512;  // cells along the longest edge of the box around the shape
    const Bounds box = bounds(shape);
    double longest = 0;
    for (std::size_t d = 0; d < 3; ++d) longest = std::max(longest, box.max[d] - box.min[d]);
    triangles = polygonise(shape, box, 0, int(std::clamp<double>(std::ceil(longest / width), fewest, most)));
  } else {
    triangles = tessellate(shape);
  }
  for (const V3& x : triangles.positions) surface.mesh.points.push_back(to_array(x));
  for (const auto& [a, b, c] : triangles.triangles)
    surface.mesh.triangles.push_back({int(a), int(b), int(c)});
  return surface;
}

void place_as(const Shape& shape, std::vector<Double3>& points) {
  const auto* placed = std::get_if<Placed>(&shape.form);
  if (!placed) return;
  place_as(*placed->shape, points);
  const Mat3<double> rotation = to_mat(placed->rotation);
  for (Double3& p : points) {
    for (std::size_t d = 0; d < 3; ++d) p[d] *= placed->scale[d];
    p = to_array(rotation * to_vec(p) + to_vec(placed->translation));
  }
}

}  // namespace dollop
