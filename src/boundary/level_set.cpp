#include "boundary/level_set.h"

#include "boundary/rigid.h"

namespace dollop {

// trilinear interpolation and its gradient; the distance is constant in blocks without values
LevelSet::Sample LevelSet::interpolate(const Double3& x) const {
  std::size_t block = 0, node = 0;
  Double3 s;  // position in the cell, 0 to 1
  for (int i = 0; i < 3; ++i) {
    const double at = (x[i] - origin_[i]) / voxel_size_;
    if (!(at >= 0 && at < double(size_[i]) * cells)) return {reach(), {0, 0, 0}};
    const int cell = int(at);
    s[i] = at - cell;
    block = block * std::size_t(size_[i]) + std::size_t(cell / cells);
    node = node * nodes + std::size_t(cell % cells);
  }
  const std::int32_t index = blocks_[block];
  if (index < 0) return {index == inside ? -reach() : reach(), {0, 0, 0}};
  const float* v = values_.data() + std::size_t(index) * (nodes * nodes * nodes) + node;
  const auto mix = [](double a, double b, double t) { return a + t * (b - a); };
  const auto corner = [&](int a, int b, int c) { return double(v[(a * nodes + b) * nodes + c]); };
  double along_z[2][2], rate_z[2][2];
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b) {
      along_z[a][b] = mix(corner(a, b, 0), corner(a, b, 1), s[2]);
      rate_z[a][b] = corner(a, b, 1) - corner(a, b, 0);
    }
  const double y0 = mix(along_z[0][0], along_z[0][1], s[1]), y1 = mix(along_z[1][0], along_z[1][1], s[1]);
  const double dy = mix(along_z[0][1] - along_z[0][0], along_z[1][1] - along_z[1][0], s[0]);
  const double dz = mix(mix(rate_z[0][0], rate_z[0][1], s[1]), mix(rate_z[1][0], rate_z[1][1], s[1]), s[0]);
  return {mix(y0, y1, s[0]) * voxel_size_, {y1 - y0, dy, dz}};
}

LevelSet::Sample LevelSet::sample(const Double3& x) const {
  Sample s = interpolate(x);
  // the distance to the bounding box is a lower bound of the distance to the mesh
  Vec3<double> beyond, from_middle;
  for (int i = 0; i < 3; ++i) {
    beyond[i] = x[i] < min_[i] ? x[i] - min_[i] : x[i] > max_[i] ? x[i] - max_[i] : 0;
    from_middle[i] = x[i] - 0.5 * (min_[i] + max_[i]);
  }
  const double to_box = norm(beyond);
  if (to_box > 0 && to_box > s.distance) return {to_box, to_array((1 / to_box) * beyond)};
  if (s.gradient == Double3{0, 0, 0} && has_direction(from_middle))
    s.gradient = to_array((1 / norm(from_middle)) * from_middle);
  return s;
}

}  // namespace dollop
