// What a simulation advances.
#pragma once

#include <array>
#include <cstddef>

#include "materials/material_kernels.h"
#include "particles/particle_store.h"

namespace dollop {

template <class S>
struct State {
  ParticleStore<S> particles;
  double time = 0;  // [s]
  std::int64_t steps = 0;
  double max_speed = 0;    // of the particles [m/s]
  bool needs_sort = true;  // some particle has left the margin of its block
  double caution = 1;      // the step is this fraction of the allowed one: halved by failures, then recovers
};

// A material of the scene, ready for the loops.
template <class S>
struct MaterialBinding {
  const MaterialKernels<S>* kernels;
  std::vector<double> parameters;
  alignas(64) std::array<std::byte, max_law_bytes> law{};  // for the current step
};

}  // namespace dollop
