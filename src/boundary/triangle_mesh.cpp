#include "boundary/triangle_mesh.h"

#include <algorithm>
#include <numeric>

#include "boundary/rigid.h"

namespace dollop {
namespace {

using V3 = Vec3<double>;

// An edge with its ends in ascending order, and whether its triangle runs along it in this direction.
struct Edge {
  int a, b;
  bool forward;
  friend bool operator<(const Edge& e, const Edge& f) { return e.a != f.a ? e.a < f.a : e.b < f.b; }
  bool same_as(const Edge& f) const { return a == f.a && b == f.b; }
};

std::vector<Edge> sorted_edges(const TriangleMesh& mesh) {
  std::vector<Edge> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (const auto& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), a < b});
    }
  std::sort(edges.begin(), edges.end());
  return edges;
}

std::string edges_in_words(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " edge" : " edges");
}

// the points in the order of their coordinates; equal ones in their own order
std::vector<int> by_place(const std::vector<Double3>& points) {
  std::vector<int> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return points[a] != points[b] ? points[a] < points[b] : a < b; });
  return order;
}

// adds the triangles with new numbers of their corners; those that have lost a corner are left out
void add_renumbered(const TriangleMesh& mesh, const std::vector<int>& now, TriangleMesh& merged) {
  for (const auto& t : mesh.triangles) {
    const std::array<int, 3> corners{now[t[0]], now[t[1]], now[t[2]]};
    if (corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0])
      merged.triangles.push_back(corners);
  }
}

}  // namespace

TriangleMesh merge_equal_points(const TriangleMesh& mesh) {
  TriangleMesh merged;
  std::vector<int> now(mesh.points.size());
  for (const int i : by_place(mesh.points)) {
    if (merged.points.empty() || merged.points.back() != mesh.points[i])
      merged.points.push_back(mesh.points[i]);
    now[i] = int(merged.points.size()) - 1;
  }
  add_renumbered(mesh, now, merged);
  return merged;
}

TriangleMesh merge_in_order(const TriangleMesh& mesh) {
  std::vector<int> first(mesh.points.size());  // the first of the points that equal a point
  int leader = -1;
  for (const int i : by_place(mesh.points)) {
    if (leader < 0 || mesh.points[leader] != mesh.points[i]) leader = i;
    first[i] = leader;
  }
  TriangleMesh merged;
  std::vector<int> now(mesh.points.size());
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    if (first[i] == int(i)) merged.points.push_back(mesh.points[i]);
    now[i] = first[i] == int(i) ? int(merged.points.size()) - 1 : now[first[i]];
  }
  add_renumbered(mesh, now, merged);
  return merged;
}

std::string closed_fault(const TriangleMesh& mesh) {
  const std::vector<Edge> edges = sorted_edges(mesh);
  std::size_t open = 0, turned = 0;
  for (std::size_t i = 0; i < edges.size();) {
    std::size_t end = i, forward = 0;
    for (; end < edges.size() && edges[end].same_as(edges[i]); ++end) forward += edges[end].forward;
    const std::size_t count = end - i;
    if (count == 1)
      ++open;
    else if (2 * forward != count)
      ++turned;
    i = end;
  }
  if (open > 0)
    return "is not closed: " + edges_in_words(open) + (open == 1 ? " belongs" : " belong") +
           " to one triangle only; fill its holes and merge its double vertices";
  if (turned > 0)
    return "is not oriented: at " + edges_in_words(turned) +
           " the triangles do not agree on which side is outside; recalculate its normals so that all point "
           "outward";
  return {};
}

// the sum over tetrahedra with an apex near the triangles, which avoids cancellation far from the origin
double signed_volume(const TriangleMesh& mesh) {
  if (mesh.points.empty()) return 0;
  const V3 o = to_vec(mesh.points.front());
  double six_volumes = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const V3 p = to_vec(mesh.points[a]) - o, q = to_vec(mesh.points[b]) - o, r = to_vec(mesh.points[c]) - o;
    six_volumes += dot(p, cross(q, r));
  }
  return six_volumes / 6;
}

double area(const TriangleMesh& mesh) {
  double sum = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const V3 p = to_vec(mesh.points[a]);
    sum += 0.5 * norm(cross(to_vec(mesh.points[b]) - p, to_vec(mesh.points[c]) - p));
  }
  return sum;
}

}  // namespace dollop
