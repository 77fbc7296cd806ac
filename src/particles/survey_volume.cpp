#include "particles/survey_volume.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/parallel.h"
#include "particles/empty_space.h"

namespace dollop {
namespace {

// Volumes are measured by counting sample points: lines along z at a spacing of r/4, with points at a spacing of r/8.
constexpr int lines = 4, points = 8;  // per r
constexpr double points_of_cell = lines * lines * points;
using Points =
    std::uint64_t[brick_width * lines][brick_width * lines];  // of a brick: a bit for each point of a line

// Spheres of this radius around the particles of a lattice of spacing r, whose outermost layer is r/2 inside the body,
// end at the body's surface on average. Spheres of radius r protrude from it, by 0.41 r from a face of the lattice and
// by 0.53 r from a ball.
constexpr float body_radius = 0.65f;

void add_sphere(const Float3& x, float radius, Points& inside) {
  // the points at (n + 1/2) / density from `low` to `high`, as far as they are in the brick
  const auto first = [](float low, int density) {
    return std::max(0, int(std::ceil(low * float(density) - 0.5f)));
  };
  const auto last = [](float high, int density) {
    return std::min(brick_width * density - 1, int(std::floor(high * float(density) - 0.5f)));
  };
  for (int i = first(x[0] - radius, lines); i <= last(x[0] + radius, lines); ++i) {
    const float dx = (float(i) + 0.5f) / lines - x[0];
    for (int j = first(x[1] - radius, lines); j <= last(x[1] + radius, lines); ++j) {
      const float dy = (float(j) + 0.5f) / lines - x[1], square = radius * radius - dx * dx - dy * dy;
      if (square <= 0) continue;
      const float half = std::sqrt(square);
      const int low = first(x[2] - half, points), high = last(x[2] + half, points);
      if (low <= high) inside[i][j] |= ~std::uint64_t(0) >> (63 - (high - low)) << low;
    }
  }
}

// the points of a brick that are inside spheres of a radius up to r around the particles
void find_inside(const ParticleCells& cells, std::size_t brick, float radius, Points& inside) {
  std::fill(&inside[0][0], &inside[0][0] + sizeof inside / sizeof inside[0][0], 0);
  cells.each_run(brick, {-1, -1, -1}, {8, 8, 8},
                 [&](std::uint32_t begin, std::uint32_t end, const Float3& shift) {
                   for (std::uint32_t n = begin; n < end; ++n) {
                     const Float3 x = cells.place(n);
                     add_sphere({x[0] + shift[0], x[1] + shift[1], x[2] + shift[2]}, radius, inside);
                   }
                 });
}

// sum over bricks in order, so that it is the same at any thread count
template <class Part>
double sum_bricks(std::size_t n, Part&& part) {
  std::vector<double> parts(n);
  parallel_for(n, 4, [&](std::size_t b) { parts[b] = part(b); });
  double sum = 0;
  for (const double p : parts) sum += p;
  return sum;
}

template <class Visit>
void each_cell(Visit&& visit) {
  for (int i = 0; i < brick_width; ++i)
    for (int j = 0; j < brick_width; ++j)
      for (int k = 0; k < brick_width; ++k) visit(i, j, k);
}

// the fraction of cell (i, j, k) of a brick that is outside of all spheres
double empty_part(const Points& inside, int i, int j, int k) {
  int empty = 0;
  for (int u = lines * i; u < lines * (i + 1); ++u)
    for (int v = lines * j; v < lines * (j + 1); ++v)
      empty += std::popcount(~inside[u][v] >> (points * k) & 0xff);
  return empty / points_of_cell;
}

// how many corners of a cell have a value above zero
template <class Nodes>
int count_corners(const Nodes& nodes, int i, int j, int k) {
  int count = 0;
  for (int c = 0; c < 8; ++c) count += nodes[i + (c & 1)][j + (c >> 1 & 1)][k + (c >> 2)] > 0;
  return count;
}

}  // namespace

double body_volume(const ParticleCells& cells, const SphereDistance& distance) {
  return sum_bricks(distance.bricks().size(), [&](std::size_t b) {
    float nodes[9][9][9];
    distance.load(b, nodes);
    const auto [least, largest] = std::minmax_element(&nodes[0][0][0], &nodes[0][0][0] + 9 * 9 * 9);
    if (*least > 0) return 0.0;
    if (*largest <= 0) return double(brick_size);
    Points inside;
    find_inside(cells, b, body_radius, inside);
    // cells without an empty node count in full, others with the fraction that the smaller spheres cover
    double sum = 0;
    each_cell([&](int i, int j, int k) {
      sum += count_corners(nodes, i, j, k) == 0 ? 1 : 1 - empty_part(inside, i, j, k);
    });
    return sum;
  });
}

double void_volume(const ParticleCells& cells, const SphereDistance& distance) {
  const EmptySpace space(distance);
  const double volume = sum_bricks(distance.bricks().size(), [&](std::size_t b) {
    bool pocket[9][9][9];
    if (!space.load_pockets(b, pocket)) return 0.0;
    float nodes[9][9][9];
    distance.load(b, nodes);
    Points inside;
    find_inside(cells, b, body_radius, inside);
    // the empty part of cells with a corner in a void; where other corners are in the open air, in proportion
    double sum = 0;
    each_cell([&](int i, int j, int k) {
      if (const int pockets = count_corners(pocket, i, j, k))
        sum += empty_part(inside, i, j, k) * pockets / count_corners(nodes, i, j, k);
    });
    return sum;
  });
  return volume + double(space.closed_bricks()) * brick_size;
}

}  // namespace dollop
