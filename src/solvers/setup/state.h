// What a simulation advances.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "particles/emission.h"
#include "particles/particle_store.h"

namespace dollop {

// What the material did to a collider.
struct Impact {
  Double3 impulse{}, moment{};  // about the origin [N s, N m s]
};

// Counts since the start, and extremes and sums since the last new interval.
struct Tally {
  double added_mass = 0;  // of bodies and emitters [kg]
  std::uint64_t emitted = 0;
  std::int64_t rejected = 0;
  std::int64_t outer_iterations = 0, inner_iterations = 0;  // of implicit steps and their linear systems
  std::uint64_t inserted = 0, merged = 0, removed = 0;
  double removed_mass = 0;              // [kg]
  double resample_energy = 0;           // [J]
  Double3 resample_angular_momentum{};  // [kg m^2/s]
  double interval_start = 0;            // [s]
  double dt_min = 0, dt_max = 0;        // of the steps since then [s]; 0: none
  double residual = 0;                  // largest since then
  double max_increment = 0;             // largest dt |grad v| since then
  std::vector<Impact> impacts;          // since then, one for each collider
  std::vector<double> gauge_masses;     // at that time, one for each gauge [kg]

  // every number of a checkpoint, in its order; the two lists have lengths of the scene
  template <class Self, class Visit>
  static void numbers(Self& t, Visit&& visit) {
    visit(t.added_mass), visit(t.emitted), visit(t.rejected);
    visit(t.outer_iterations), visit(t.inner_iterations);
    visit(t.inserted), visit(t.merged), visit(t.removed), visit(t.removed_mass);
    visit(t.resample_energy), visit(t.resample_angular_momentum);
    visit(t.interval_start), visit(t.dt_min), visit(t.dt_max);
    visit(t.residual), visit(t.max_increment);
  }
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

  // every number of a checkpoint but the tally's, in its order
  template <class Self, class Visit>
  static void numbers(Self& s, Visit&& visit) {
    visit(s.time), visit(s.steps), visit(s.max_speed), visit(s.lightest), visit(s.caution);
    visit(s.needs_sort), visit(s.resamplings), visit(s.last_resampling), visit(s.strain_since);
  }
};

}  // namespace dollop
