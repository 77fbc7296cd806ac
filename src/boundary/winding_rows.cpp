#include "boundary/winding_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/assert.h"

namespace dollop {
namespace {

struct Point {
  double x, z;
};

// where the edge from a to b meets a plane of constant y; the same to the last bit for both triangles of the edge
Point on_edge(const Double3& a, const Double3& b, double y) {
  const double s = (y - a[1]) / (b[1] - a[1]);
  return {a[0] + s * (b[0] - a[0]), a[2] + s * (b[2] - a[2])};
}

// Calls visit(j, k, x, turn) for each row that crosses the triangle.
//
// A corner on a plane y = j counts as above it, and a point on a row as beyond it. The plane cuts the triangle along a
// segment whose ends are shared with the neighbours, so the segments of a closed mesh form closed polygons, and each
// row enters these as often as it leaves them, whatever the rounding.
template <class Visit>
void cross_triangle(const std::array<Double3, 3>& p, const std::array<int, 3>& id, Visit&& visit) {
  const auto [low, high] = std::minmax({p[0][1], p[1][1], p[2][1]});
  for (int j = int(std::floor(low)) + 1; j <= int(std::floor(high)); ++j) {
    Point up{}, down{};
    for (int e = 0; e < 3; ++e) {
      const int f = (e + 1) % 3;
      const bool above_e = p[e][1] >= j, above_f = p[f][1] >= j;
      if (above_e == above_f) continue;
      const Point meets = id[e] < id[f] ? on_edge(p[e], p[f], j) : on_edge(p[f], p[e], j);
      (above_f ? up : down) = meets;
    }
    const int turn = up.z < down.z ? -1 : 1;  // the normal points along x: the row leaves
    const double z0 = std::min(up.z, down.z), z1 = std::max(up.z, down.z);
    for (int k = int(std::floor(z0)) + 1; k <= int(std::floor(z1)); ++k) {
      const double s = (k - up.z) / (down.z - up.z);
      visit(j, k, up.x + s * (down.x - up.x), turn);
    }
  }
}

}  // namespace

WindingRows::WindingRows(const TriangleMesh& mesh, const Double3& origin, double voxel_size, int size_y,
                         int size_z)
    : size_z_(size_z), begin_(std::size_t(size_y) * size_z + 2, 0) {
  std::vector<Double3> points = mesh.points;
  for (Double3& p : points)
    for (int i = 0; i < 3; ++i) p[i] = (p[i] - origin[i]) / voxel_size;
  const auto for_all = [&](auto&& visit) {
    for (const auto& t : mesh.triangles) cross_triangle({points[t[0]], points[t[1]], points[t[2]]}, t, visit);
  };
  const auto row = [&](int j, int k) { return std::size_t(j) * size_z_ + k; };

  // a counting sort: counts are stored two entries ahead, so that filling advances each start to that of the next row
  for_all([&](int j, int k, double, int) {
    DOLLOP_ASSERT(j >= 0 && k >= 0 && k < size_z_ && row(j, k) + 2 < begin_.size());
    ++begin_[row(j, k) + 2];
  });
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  crossings_.resize(begin_.back());
  for_all([&](int j, int k, double x, int turn) { crossings_[begin_[row(j, k) + 1]++] = {x, turn}; });
  for (std::size_t i = 0; i + 2 < begin_.size(); ++i)
    std::sort(
        crossings_.begin() + std::ptrdiff_t(begin_[i]), crossings_.begin() + std::ptrdiff_t(begin_[i + 1]),
        [](const Crossing& a, const Crossing& b) { return std::pair(a.x, a.turn) < std::pair(b.x, b.turn); });
}

int WindingRows::winding(int i, int j, int k) const {
  const std::size_t row = std::size_t(j) * size_z_ + k;
  int sum = 0;
  for (std::size_t c = begin_[row]; c < begin_[row + 1] && crossings_[c].x < i; ++c)
    sum += crossings_[c].turn;
  return sum;
}

double WindingRows::inside_length() const {
  double length = 0;
  for (std::size_t row = 0; row + 2 < begin_.size(); ++row) {
    int sum = 0;
    for (std::size_t c = begin_[row]; c < begin_[row + 1]; ++c) {
      if (sum != 0) length += crossings_[c].x - crossings_[c - 1].x;
      sum += crossings_[c].turn;
    }
  }
  return length;
}

}  // namespace dollop
