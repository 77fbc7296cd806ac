// Finds places for new particles where a body has opened. Theory: docs/theory/resampling.md.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "particles/particle_cells.h"
#include "particles/sphere_distance.h"

namespace dollop {

// New points keep this distance from particles and from each other [r]: slightly more than the largest hole of a
// lattice of spacing r, so that an undisturbed one gains nothing.                                         (RES.5)
inline constexpr double dart_distance = 0.8660254037844386 + 0.01;

struct DartOptions {
  std::uint64_t seed = 0;
  std::uint64_t call = 0;  // a new number each time, else a hole that was missed is missed again
  int depth = 3;           // the smallest part of a cell that a point is tried in has a width of r / 2^depth
};

// A place counted from the low corner of a brick of the cells [r].
struct Dart {
  std::uint32_t brick;
  Float3 x;
};

// Points at least dart_distance from all particles and from each other, deeper than fill_depth, and not blocked, which
// is asked with places in metres and from several threads. They depend on where the particles are and on the options,
// never on the order of memory or the number of threads. Ordered by brick, then cell.                   (RES.4-6)
std::vector<Dart> throw_darts(const ParticleCells& cells, const SphereDistance& distance,
                              const std::function<bool(const Double3&)>& blocked, const DartOptions& options);

}  // namespace dollop
