// Particle resampling: fills voids with new particles and merges those that coincide. Theory: docs/theory/resampling.md.
#pragma once

#include <dollop/numerics.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "solvers/setup/setup.h"

namespace dollop {

struct ResampleOptions {
  std::uint64_t seed = 0;
  std::uint64_t call = 0;  // number of this resampling, for its random numbers
  bool merge = true;
  ResampleFields fields = ResampleFields::donors;
  int depth = 3;  // of the search for voids
};

// The changes by a resampling, after minus before. Mass and volume are conserved; the current volume and the linear
// momentum are conserved with fields of donors.
struct ResampleChange {
  std::uint64_t inserted = 0, merged = 0;
  double kinetic_energy = 0, elastic_energy = 0;  // [J]
  Double3 angular_momentum{};                     // about the origin [kg m^2/s]
};

// The particles must be sorted. Newcomers are appended, and donors of their group share mass with them. There is one
// binding for each group. `blocked` says where no particle may be [m]; it is called from several threads.
// `affine_inertia` is D of APIC [m^2]. The result does not depend on the order of memory or the number of threads.
template <class S>
ResampleChange resample(const std::vector<MaterialBinding<S>>& materials,
                        const std::function<bool(const Double3&)>& blocked, const ResampleOptions& options,
                        double affine_inertia, State<S>& state);

}  // namespace dollop
