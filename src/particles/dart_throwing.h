// Dart throwing: finds positions for new particles in voids of the material. Theory: docs/theory/resampling.md.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "particles/particle_cells.h"
#include "particles/sphere_distance.h"

namespace dollop {

// The least distance of new points from particles and from each other [r]: slightly more than the largest distance of
// any point from a lattice of spacing r, so that an undisturbed lattice gains no particles.               (RES.5)
inline constexpr double dart_distance = 0.8660254037844386 + 0.01;

struct DartOptions {
  std::uint64_t seed = 0;
  std::uint64_t call = 0;  // differs from call to call, so that a void that was missed is found later
  int depth = 3;           // levels of subdivision: the smallest parts of a cell are r / 2^depth wide
};

// A position relative to the low corner of a brick of the cells [r].
struct Dart {
  std::uint32_t brick;
  Float3 x;
};

// Points at least dart_distance from all particles and from each other, deeper than fill_depth, and not blocked. The
// function `blocked` takes a position in metres and is called from several threads. The points depend on the positions
// of the particles and on the options, never on the order in memory or the number of threads. They are ordered by
// brick, then cell.                                                                                      (RES.4-6)
std::vector<Dart> throw_darts(const ParticleCells& cells, const SphereDistance& distance,
                              const std::function<bool(const Double3&)>& blocked, const DartOptions& options);

}  // namespace dollop
