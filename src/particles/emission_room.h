// Whether there is room for a copy of a nozzle's shape (SEED.18).
#pragma once

#include <dollop/shapes.h>

#include <array>
#include <cstdint>
#include <vector>

#include "particles/particle_store.h"

namespace dollop {

// A cell list: points sorted into cells as wide as the reach, so that the neighbours of a point are in 27 cells.
class PointCells {
 public:
  PointCells(const std::vector<Double3>& points, double reach);

  // whether a point is closer to x than the reach
  bool has_near(const Double3& x) const;
  // the same for all periodic images of x; a period of 0 means that the axis is not periodic
  bool has_near_image(Double3 x, const Double3& period) const;

 private:
  struct Entry {
    std::array<double, 3> cell;
    Double3 point;
  };
  std::array<double, 3> cell_of(const Double3& x) const;

  double reach_;
  Double3 low_, high_;  // bounding box of all positions that are near a point
  std::vector<Entry> entries_;
};

// Whether a particle is closer to one of the positions than the reach. The store must be sorted; on periodic axes all
// images count.
template <class S>
bool is_crowded(const ParticleStore<S>& particles, const std::vector<Double3>& places, double reach);

}  // namespace dollop
