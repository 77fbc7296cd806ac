// Dual contouring (Ju, Losasso, Schaefer and Warren 2002) of a shape's signed distance: each cell that the surface
// intersects has one vertex, which minimises the quadratic error to the tangent planes, so that edges stay sharp.
#include "boundary/polygonise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "boundary/rigid.h"

namespace dollop {
namespace {

using V3 = Vec3<double>;
using Cell = std::array<int, 3>;

std::uint64_t key_of(const Cell& c) {
  return std::uint64_t(c[0] + 1) << 42 | std::uint64_t(c[1] + 1) << 21 | std::uint64_t(c[2] + 1);
}

// The quadratic error function: the least squares solution x of n_k . (x - p_k) = 0, regularised towards the mean of
// the p_k.
struct QuadraticError {
  Mat3<double> a{};
  V3 b{0, 0, 0}, middle{0, 0, 0};
  int count = 0;

  void add(const V3& p, const V3& n) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) a(i, j) += n[i] * n[j];
    b = b + dot(n, p) * n;
    middle = middle + p;
    ++count;
  }
  V3 solve() const {
    const V3 m = (1.0 / count) * middle;
    Mat3<double> s = a;
    for (int i = 0; i < 3; ++i) s(i, i) += 0.02 * count;
    const V3 r = b - a * m;
    const V3 c0{s(0, 0), s(1, 0), s(2, 0)}, c1{s(0, 1), s(1, 1), s(2, 1)}, c2{s(0, 2), s(1, 2), s(2, 2)};
    const double d = dot(c0, cross(c1, c2));  // Cramer's rule; positive, for s is positive definite
    return m + (1 / d) * V3{dot(r, cross(c1, c2)), dot(c0, cross(r, c2)), dot(c0, cross(c1, r))};
  }
};

class Polygoniser {
 public:
  Polygoniser(const Shape& shape, const Bounds& box, double t, int cells) : shape_(shape), t_(t) {
    double longest = 0;
    for (std::size_t a = 0; a < 3; ++a) longest = std::max(longest, box.max[a] - box.min[a]);
    width_ = longest / cells;
    size_ = 1;
    while (size_ < cells + 4) size_ *= 2;  // a margin of two cells or more
    const V3 middle = 0.5 * (to_vec(box.min) + to_vec(box.max));
    const double half = 0.5 * size_;
    // offset by a fraction of a cell, so that faces of boxes do not pass through corners of cells
    origin_ = middle - (width_ * (half + 0.137)) * V3{1, 1, 1};
  }

  TriangleShape run() {
    if (!(width_ > 0) || !std::isfinite(width_)) return {};
    visit({0, 0, 0}, size_);
    for (const Cell& cell : surface_cells_) add_faces(cell);
    return std::move(mesh_);
  }

 private:
  V3 corner(const Cell& c) const { return origin_ + width_ * V3{double(c[0]), double(c[1]), double(c[2])}; }

  double distance(const V3& x) const { return signed_distance(shape_, to_array(x), t_); }

  double corner_distance(const Cell& c) {
    const auto [found, is_new] = distances_.try_emplace(key_of(c), 0.0);
    if (is_new) found->second = distance(corner(c));
    return found->second;
  }

  // octree traversal of all cubes that the surface may intersect
  void visit(const Cell& c, int size) {
    const double half = 0.5 * size * width_;
    if (std::abs(distance(corner(c) + half * V3{1, 1, 1})) > 1.7321 * half) return;
    if (size == 1) {
      place_vertex(c);
      return;
    }
    for (int k = 0; k < 8; ++k) {
      const int s = size / 2;
      visit({c[0] + (k & 1) * s, c[1] + (k >> 1 & 1) * s, c[2] + (k >> 2 & 1) * s}, s);
    }
  }

  // the zero of the distance between two corners, by regula falsi
  V3 crossing(V3 x, V3 y, double dx, double dy) const {
    for (int pass = 0; pass < 3; ++pass) {
      const V3 m = x + (dx / (dx - dy)) * (y - x);
      const double dm = distance(m);
      if (dm == 0) return m;
      (dm < 0) == (dx < 0) ? (x = m, dx = dm) : (y = m, dy = dm);
    }
    return x + (dx / (dx - dy)) * (y - x);
  }

  void place_vertex(const Cell& c) {
    QuadraticError fit;
    for (int axis = 0; axis < 3; ++axis)
      for (int k = 0; k < 4; ++k) {
        Cell from = c;
        from[std::size_t((axis + 1) % 3)] += k & 1;
        from[std::size_t((axis + 2) % 3)] += k >> 1;
        Cell to = from;
        ++to[std::size_t(axis)];
        const double d0 = corner_distance(from), d1 = corner_distance(to);
        if ((d0 < 0) == (d1 < 0)) continue;
        const V3 x = crossing(corner(from), corner(to), d0, d1);
        fit.add(x, to_vec(normal(shape_, to_array(x), t_)));
      }
    if (fit.count == 0) return;
    V3 x = fit.solve();
    const V3 low = corner(c);
    for (int a = 0; a < 3; ++a) x[a] = std::clamp(x[a], low[a], low[a] + width_);
    vertices_[key_of(c)] = points_.size();
    points_.push_back(x);
    corners_.emplace_back();
    surface_cells_.push_back(c);
  }

  // the mesh vertex for a point and a face; faces with almost the same normal share it
  std::uint32_t vertex(std::size_t point, const V3& toward) {
    const V3 x = points_[point];
    // the normal is sampled a little inside the face, so that it is that of the face's side of an edge
    const V3 n = unit_or_zero(to_vec(normal(shape_, to_array(x + 0.15 * (toward - x)), t_)));
    for (const std::uint32_t v : corners_[point])
      if (dot(mesh_.normals[v], n) > 0.94) return v;
    mesh_.positions.push_back(x);
    mesh_.normals.push_back(n);
    corners_[point].push_back(std::uint32_t(mesh_.positions.size() - 1));
    return corners_[point].back();
  }

  // the faces dual to the three edges at the cell's first corner
  void add_faces(const Cell& c) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Cell end = c;
      ++end[axis];
      const bool inside = corner_distance(c) < 0;
      if (inside == (corner_distance(end) < 0)) continue;
      const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
      std::array<Cell, 4> around{c, c, c, c};
      --around[1][u], --around[2][u], --around[2][v], --around[3][v];
      std::array<std::size_t, 4> points{};
      bool complete = true;
      for (std::size_t k = 0; k < 4; ++k) {
        const auto found = vertices_.find(key_of(around[k]));
        complete = complete && found != vertices_.end();
        if (complete) points[k] = found->second;
      }
      if (!complete) continue;
      if (!inside) std::swap(points[1], points[3]);
      add_quad(points);
    }
  }

  void add_quad(const std::array<std::size_t, 4>& q) {
    // along the shorter diagonal
    const bool second = norm(points_[q[0]] - points_[q[2]]) > norm(points_[q[1]] - points_[q[3]]);
    if (second) {
      add_triangle({q[0], q[1], q[3]});
      add_triangle({q[1], q[2], q[3]});
    } else {
      add_triangle({q[0], q[1], q[2]});
      add_triangle({q[0], q[2], q[3]});
    }
  }

  void add_triangle(const std::array<std::size_t, 3>& t) {
    const V3 middle = (1.0 / 3) * (points_[t[0]] + points_[t[1]] + points_[t[2]]);
    mesh_.triangles.push_back({vertex(t[0], middle), vertex(t[1], middle), vertex(t[2], middle)});
  }

  const Shape& shape_;
  double t_;
  double width_ = 0;  // of a cell [m]
  int size_ = 1;      // of the octree, in cells: a power of two
  V3 origin_{0, 0, 0};
  std::unordered_map<std::uint64_t, double> distances_ = {};      // at corners
  std::unordered_map<std::uint64_t, std::size_t> vertices_ = {};  // of cells
  std::vector<V3> points_ = {};                                   // positions of the cells' vertices
  std::vector<std::vector<std::uint32_t>> corners_ = {};  // indices of the mesh vertices at each point
  std::vector<Cell> surface_cells_ = {};
  TriangleShape mesh_ = {};
};

}  // namespace

TriangleShape polygonise(const Shape& shape, const Bounds& box, double t, int cells) {
  return Polygoniser(shape, box, t, cells).run();
}

}  // namespace dollop
