#include "boundary/triangle_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "boundary/rigid.h"

namespace dollop {
namespace {

using V3 = Vec3<double>;
constexpr int leaf_size = 4;

double squared_distance_to_segment(const V3& x, const V3& a, const V3& b) {
  const V3 along = b - a, p = x - a;
  const double length2 = dot(along, along);
  const V3 away = p - (length2 > 0 ? std::clamp(dot(p, along) / length2, 0.0, 1.0) : 0.0) * along;
  return dot(away, away);
}

double squared_distance_to_box(const Double3& x, const Double3& min, const Double3& max) {
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    const double beyond = std::max({min[i] - x[i], x[i] - max[i], 0.0});
    sum += beyond * beyond;
  }
  return sum;
}

}  // namespace

// the distance to the plane if the point projects into the triangle, else to the closest edge
double squared_distance(const Double3& x, const std::array<Double3, 3>& triangle) {
  const V3 p = to_vec(x), a = to_vec(triangle[0]), b = to_vec(triangle[1]), c = to_vec(triangle[2]);
  const V3 n = cross(b - a, c - a);
  const bool above =
      dot(cross(b - a, p - a), n) > 0 && dot(cross(c - b, p - b), n) > 0 && dot(cross(a - c, p - c), n) > 0;
  const double n2 = dot(n, n);
  if (above && n2 > 0) {
    const double height = dot(p - a, n);
    return height * height / n2;
  }
  return std::min({squared_distance_to_segment(p, a, b), squared_distance_to_segment(p, b, c),
                   squared_distance_to_segment(p, c, a)});
}

TriangleTree::TriangleTree(const TriangleMesh& mesh) {
  std::vector<Double3> centroids;
  for (const auto& [a, b, c] : mesh.triangles) {
    triangles_.push_back({mesh.points[a], mesh.points[b], mesh.points[c]});
    const V3 sum = to_vec(mesh.points[a]) + to_vec(mesh.points[b]) + to_vec(mesh.points[c]);
    centroids.push_back(to_array((1.0 / 3) * sum));
  }
  if (!triangles_.empty()) build(0, int(triangles_.size()), centroids);
}

// Splits the triangles at the median of their centroids, across the longest side of the centroids' bounding box.
int TriangleTree::build(int first, int last, std::vector<Double3>& centroids) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const int index = int(nodes_.size());
  Node node{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}, first, last - first, 0};
  Double3 low = node.min, high = node.max;
  for (int t = first; t < last; ++t)
    for (int i = 0; i < 3; ++i) {
      for (const Double3& corner : triangles_[t]) {
        node.min[i] = std::min(node.min[i], corner[i]);
        node.max[i] = std::max(node.max[i], corner[i]);
      }
      low[i] = std::min(low[i], centroids[t][i]), high[i] = std::max(high[i], centroids[t][i]);
    }
  nodes_.push_back(node);
  if (last - first <= leaf_size) return index;

  int axis = 0;
  for (int i = 1; i < 3; ++i)
    if (high[i] - low[i] > high[axis] - low[axis]) axis = i;
  std::vector<int> order(std::size_t(last - first));
  std::iota(order.begin(), order.end(), first);
  const int half = (last - first) / 2;
  std::nth_element(order.begin(), order.begin() + half, order.end(), [&](int a, int b) {
    return centroids[a][axis] != centroids[b][axis] ? centroids[a][axis] < centroids[b][axis] : a < b;
  });
  std::vector<std::array<Double3, 3>> triangles;
  std::vector<Double3> sorted;
  for (const int t : order) triangles.push_back(triangles_[t]), sorted.push_back(centroids[t]);
  std::copy(triangles.begin(), triangles.end(), triangles_.begin() + first);
  std::copy(sorted.begin(), sorted.end(), centroids.begin() + first);
  nodes_[index].count = 0;
  build(first, first + half, centroids);
  nodes_[index].other = build(first + half, last, centroids);
  return index;
}

double TriangleTree::distance(const Double3& x, double most, int& closest) const {
  struct Waiting {
    int node;
    double squared;
  };
  std::array<Waiting, 64> waiting;  // halving leaves no more levels than an int has bits
  int count = 0;
  double best = most * most;
  const auto look_at = [&](int t) {
    const double squared = squared_distance(x, triangles_[t]);
    if (squared < best) best = squared, closest = t;
  };
  if (closest >= 0) look_at(closest);
  const auto reach = [&](int n) {
    return Waiting{n, squared_distance_to_box(x, nodes_[n].min, nodes_[n].max)};
  };
  if (!nodes_.empty()) waiting[count++] = reach(0);
  while (count > 0) {
    const Waiting next = waiting[--count];
    if (next.squared >= best) continue;
    const Node& node = nodes_[next.node];
    for (int t = node.first; t < node.first + node.count; ++t) look_at(t);
    if (node.count > 0) continue;
    Waiting a = reach(next.node + 1), b = reach(node.other);
    if (a.squared < b.squared) std::swap(a, b);  // the closer one is visited first
    waiting[count++] = a, waiting[count++] = b;
  }
  return std::min(most, std::sqrt(best));
}

}  // namespace dollop
