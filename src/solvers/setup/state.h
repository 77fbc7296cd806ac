// What a simulation advances.
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include "materials/material_kernels.h"
#include "materials/registry.h"
#include "particles/emission.h"
#include "particles/particle_store.h"

namespace dollop {

// What a collider felt.
struct Impact {
  Double3 impulse{}, moment{};  // of the material on it; about the origin [N s, N m s]
};

// Counts since the start, and since the last new interval.
struct Tally {
  double added_mass = 0;  // of bodies and emitters [kg]
  std::uint64_t emitted = 0;
  std::int64_t rejected = 0;
  std::int64_t newton_iterations = 0, linear_iterations = 0;
  std::uint64_t inserted = 0, merged = 0, removed = 0;
  double removed_mass = 0;              // [kg]
  double resample_energy = 0;           // [J]
  Double3 resample_angular_momentum{};  // [kg m^2/s]
  double interval_start = 0;            // [s]
  double dt_min = 0, dt_max = 0;        // of the steps since then [s]; 0: none
  double newton_residual = 0;           // largest since then
  double max_increment = 0;             // largest dt |grad v| since then
  std::vector<Impact> impacts;          // since then, one for each collider
  std::vector<double> gauge_masses;     // at that time, one for each gauge [kg]
};

template <class S>
struct State {
  ParticleStore<S> particles;
  double time = 0;  // [s]
  std::int64_t steps = 0;
  double max_speed = 0;    // of the particles [m/s]
  bool needs_sort = true;  // some particle has left the margin of its block
  double lightest = std::numeric_limits<double>::infinity();  // least mass of a particle [kg]
  std::vector<EmitterState> emitters;
  Tally tally;
  std::uint64_t resamplings = 0;     // calls so far: each has random numbers of its own
  std::int64_t last_resampling = 0;  // the step after which it was
  double strain_since = 0;           // sum of the largest dt |grad v| of the steps since then
  double caution = 1;  // the step is this fraction of the allowed one: halved by failures, then recovers
};

// A material of the scene, ready for the loops.
template <class S>
struct MaterialBinding {
  const MaterialKernels<S>* kernels;
  std::vector<double> parameters;
  Removal removal = {};
  int weak_array = -1;  // of its group: 1 where a particle is torn; -1: none ever is
  bool tears() const { return weak_array >= 0; }
  alignas(64) std::array<std::byte, max_law_bytes> law{};  // for the current step
};

}  // namespace dollop
