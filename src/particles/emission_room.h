// Whether there is room for a copy of a nozzle's shape (SEED.18).
#pragma once

#include <dollop/shapes.h>

#include <array>
#include <cstdint>
#include <vector>

#include "particles/particle_store.h"

namespace dollop {

// Points sorted into cells as wide as the reach, so that those near a place are in the 27 cells about it.
class PointCells {
 public:
  PointCells(const std::vector<Double3>& points, double reach);

  bool has_near(const Double3& x) const;                        // a point closer to x than the reach
  bool has_near_image(Double3 x, const Double3& period) const;  // or to x + any number of periods; 0: none

 private:
  struct Entry {
    std::array<double, 3> cell;
    Double3 point;
  };
  std::array<double, 3> cell_of(const Double3& x) const;

  double reach_;
  Double3 low_, high_;  // nothing outside is near
  std::vector<Entry> entries_;
};

// Whether a particle is closer to one of the places than the reach. The particles are sorted; on periodic axes all images
// count.
template <class S>
bool is_crowded(const ParticleStore<S>& particles, const std::vector<Double3>& places, double reach);

}  // namespace dollop
