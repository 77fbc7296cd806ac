#include "particles/emission_room.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dollop {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double squared_distance(const Double3& a, const Double3& b) {
  double sum = 0;
  for (std::size_t d = 0; d < 3; ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

}  // namespace

PointCells::PointCells(const std::vector<Double3>& points, double reach)
    : reach_(reach), low_{infinity, infinity, infinity}, high_{-infinity, -infinity, -infinity} {
  entries_.reserve(points.size());
  for (const Double3& p : points) {
    entries_.push_back({cell_of(p), p});
    for (std::size_t d = 0; d < 3; ++d) {
      low_[d] = std::min(low_[d], p[d] - reach);
      high_[d] = std::max(high_[d], p[d] + reach);
    }
  }
  std::ranges::sort(entries_, {}, &Entry::cell);
}

std::array<double, 3> PointCells::cell_of(const Double3& x) const {
  return {std::floor(x[0] / reach_), std::floor(x[1] / reach_), std::floor(x[2] / reach_)};
}

bool PointCells::has_near(const Double3& x) const {
  for (std::size_t d = 0; d < 3; ++d)
    if (!(x[d] >= low_[d] && x[d] <= high_[d])) return false;
  const auto middle = cell_of(x);
  for (double i = middle[0] - 1; i <= middle[0] + 1; ++i)
    for (double j = middle[1] - 1; j <= middle[1] + 1; ++j) {
      // the entries of three cells in a row along z are contiguous
      const std::array<double, 3> first{i, j, middle[2] - 1}, last{i, j, middle[2] + 1};
      auto entry = std::ranges::lower_bound(entries_, first, {}, &Entry::cell);
      for (; entry != entries_.end() && entry->cell <= last; ++entry)
        if (squared_distance(entry->point, x) < reach_ * reach_) return true;
    }
  return false;
}

bool PointCells::has_near_image(Double3 x, const Double3& period) const {
  std::array<double, 3> count{1, 1, 1};
  for (std::size_t d = 0; d < 3; ++d) {
    if (!(period[d] > 0) || entries_.empty()) continue;
    x[d] += std::ceil((low_[d] - x[d]) / period[d]) * period[d];  // the first image that is not too low
    count[d] = std::floor((high_[d] - x[d]) / period[d]) + 1;
  }
  for (double i = 0; i < count[0]; ++i)
    for (double j = 0; j < count[1]; ++j)
      for (double k = 0; k < count[2]; ++k)
        if (has_near({x[0] + i * period[0], x[1] + j * period[1], x[2] + k * period[2]})) return true;
  return false;
}

template <class S>
bool is_crowded(const ParticleStore<S>& particles, const std::vector<Double3>& places, double reach) {
  const PointCells cells(places, reach);
  const BlockSpace& space = particles.space();
  Double3 period;
  for (std::size_t d = 0; d < 3; ++d) period[d] = 4.0 * space.period[d] * space.cell_size;
  for (int g = 0; g < int(particles.groups().size()); ++g) {
    const auto& begin = particles.begin(g);
    for (std::size_t block = 0; block + 1 < begin.size(); ++block)
      for (std::size_t i = begin[block]; i < begin[block + 1]; ++i)
        if (cells.has_near_image(particles.position(g, block, i), period)) return true;
  }
  return false;
}

template bool is_crowded(const ParticleStore<float>&, const std::vector<Double3>&, double);
template bool is_crowded(const ParticleStore<double>&, const std::vector<Double3>&, double);

}  // namespace dollop
