#include "particles/node_fields.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "particles/cubic_spline.h"

namespace dollop {
namespace {

constexpr int nodes_wide = brick_width / 2;  // nodes of a brick along an axis: they are 2r apart
constexpr int reach = 4;                     // support of the spline on each side: two grid cells [r]

double weight(double x, double y, double z) {  // at a position relative to a node [r]
  return cubic_spline(x / 2) * cubic_spline(y / 2) * cubic_spline(z / 2);
}

}  // namespace

template <class S>
NodeFields<S>::NodeFields(const ParticleCells& cells, int group, const S* mass, const Columns& columns,
                          const std::vector<Dart>& places)
    : cells_(cells), group_(group), width_(columns.size() + 1) {
  for (const Dart& place : places)
    each_node(place, [&](const Node& node, double) { nodes_.push_back(node); });
  std::sort(nodes_.begin(), nodes_.end());
  nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
  means_.assign(nodes_.size() * width_, 0);
  parallel_for(nodes_.size(), 16,
               [&](std::size_t n) { take_means(nodes_[n], mass, columns, means_.data() + n * width_); });
}

template <class S>
template <class Visit>
void NodeFields<S>::each_node(const Dart& place, Visit&& visit) const {
  const std::int32_t* around = cells_.bricks().around(place.brick);
  int first[3];
  for (std::size_t d = 0; d < 3; ++d) first[d] = int(std::floor(place.x[d] / 2)) - 1;
  for (int n = 0; n < 64; ++n) {
    const int i = first[0] + n / 16, j = first[1] + n / 4 % 4, k = first[2] + n % 4;
    // a missing brick has no particle within the support
    const std::int32_t brick = around[BrickMap::neighbour(i >> 2, j >> 2, k >> 2)];
    if (brick == BrickMap::none) continue;
    const int number = ((i & 3) * nodes_wide + (j & 3)) * nodes_wide + (k & 3);
    visit(Node(std::uint32_t(brick), std::uint32_t(number)),
          weight(double(place.x[0]) - 2 * i, double(place.x[1]) - 2 * j, double(place.x[2]) - 2 * k));
  }
}

template <class S>
void NodeFields<S>::take_means(const Node& node, const S* mass, const Columns& columns, double* row) const {
  const auto [brick, number] = node;
  const CellCoord at{2 * std::int32_t(number / 16), 2 * std::int32_t(number / 4 % 4),
                     2 * std::int32_t(number % 4)};
  const CellCoord low{at[0] - reach, at[1] - reach, at[2] - reach};
  const CellCoord high{at[0] + reach - 1, at[1] + reach - 1, at[2] + reach - 1};
  cells_.each_run(brick, low, high, [&](std::uint32_t begin, std::uint32_t end, const Float3& shift) {
    for (std::uint32_t q = begin; q < end; ++q) {
      if (cells_.group(q) != group_) continue;
      const Float3 x = cells_.place(q);
      const std::size_t i = cells_.index(q);
      const double m =
          double(mass[i]) * weight(double(x[0]) + shift[0] - at[0], double(x[1]) + shift[1] - at[1],
                                   double(x[2]) + shift[2] - at[2]);
      row[0] += m;
      for (std::size_t c = 0; c < columns.size(); ++c) row[c + 1] += m * double(columns[c][i]);
    }
  });
  if (row[0] > 0)
    for (std::size_t c = 1; c < width_; ++c) row[c] /= row[0];
}

template <class S>
bool NodeFields<S>::interpolate(const Dart& place, std::vector<double>& values) const {
  std::vector<double> sum(width_ - 1, 0.0);
  double total = 0;  // below 1 where nodes of the stencil lie beyond the material
  each_node(place, [&](const Node& node, double w) {
    const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), node);
    DOLLOP_ASSERT(found != nodes_.end() && *found == node);
    const double* row = means_.data() + std::size_t(found - nodes_.begin()) * width_;
    if (!(row[0] > 0)) return;
    total += w;
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += w * row[c + 1];
  });
  if (!(total > 0)) return false;
  for (double& s : sum) s /= total;
  values = std::move(sum);
  return true;
}

template class NodeFields<float>;
template class NodeFields<double>;

}  // namespace dollop
