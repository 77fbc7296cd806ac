#include "particles/seeding.h"

#include <cmath>

#include "boundary/shape_distance.h"
#include "core/parallel.h"

namespace dollop {

LatticeSeeds seed_lattice(const Shape& shape, const BlockSpace& space, double per_cell) {
  const double spacing = space.cell_size / std::cbrt(per_cell);
  const Bounds box = bounds(shape);
  std::array<std::int64_t, 3> first, count;
  for (std::size_t d = 0; d < 3; ++d) {
    first[d] = std::int64_t(std::floor((box.min[d] - space.origin[d]) / spacing));
    count[d] = std::int64_t(std::ceil((box.max[d] - space.origin[d]) / spacing)) - first[d];
    if (count[d] <= 0) return {{}, spacing * spacing * spacing};
  }
  const auto place = [&](std::int64_t k, std::size_t d) {
    return space.origin[d] + spacing * (double(first[d] + k) + 0.5);
  };
  std::vector<std::vector<Double3>> slabs{std::size_t(count[0])};
  parallel_for(slabs.size(), 1, [&](std::size_t i) {
    for (std::int64_t j = 0; j < count[1]; ++j)
      for (std::int64_t k = 0; k < count[2]; ++k) {
        const Double3 x{place(std::int64_t(i), 0), place(j, 1), place(k, 2)};
        if (signed_distance(shape, x) < 0) slabs[i].push_back(x);
      }
  });
  LatticeSeeds seeds{{}, spacing * spacing * spacing};
  for (const auto& slab : slabs) seeds.places.insert(seeds.places.end(), slab.begin(), slab.end());
  return seeds;
}

}  // namespace dollop
