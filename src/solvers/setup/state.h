// The state that a simulation advances.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "particles/emission.h"
#include "particles/particle_store.h"

namespace dollop {

// The impulse of the material on a collider, and its moment.
struct Impact {
  Double3 impulse{}, moment{};  // about the origin [N s, N m s]
};

// Counts since the start of the run, and extremes and sums since the start of the current interval.
struct Tally {
  double added_mass = 0;  // of bodies and emitters [kg]
  std::uint64_t emitted = 0;
  std::int64_t rejected = 0;
  std::int64_t outer_iterations = 0, inner_iterations = 0;  // of Newton's method; of the linear solver
  std::uint64_t inserted = 0, merged = 0, removed = 0;
  double removed_mass = 0;              // [kg]
  double resample_energy = 0;           // [J]
  Double3 resample_angular_momentum{};  // [kg m^2/s]
  double interval_start = 0;            // [s]
  double dt_min = 0, dt_max = 0;        // shortest and longest step since then [s]; 0: no step yet
  double residual = 0;                  // largest residual since then
  double max_increment = 0;             // largest dt |grad v| since then
  std::vector<Impact> impacts;          // since then, one for each collider
  std::vector<double> gauge_masses;     // at that time, one for each gauge [kg]

  // visits every number in the order of a checkpoint; the scene determines the lengths of the two lists
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

// The points of the surface mesh of a body.
struct MeshPoints {
  std::vector<Double3> x, v;  // [m], [m/s]
};

template <class S>
struct State {
  ParticleStore<S> particles;
  std::vector<MeshPoints> meshes;  // in the order of Setup::meshes
  double time = 0;                 // [s]
  std::int64_t steps = 0;
  double max_speed = 0;    // of the particles [m/s]
  bool needs_sort = true;  // some particle has left the margin of its block
  double lightest = std::numeric_limits<double>::infinity();  // least mass of a particle [kg]
  std::vector<EmitterState> emitters;
  Tally tally;
  std::uint64_t resamplings = 0;     // number of resamplings so far: each has its own random numbers
  std::int64_t last_resampling = 0;  // the step after which the last resampling took place
  double strain_since = 0;           // sum over the steps since then of the largest dt |grad v|
  // How far the states can grow before one might be out of bounds, as a logarithm; 0: unknown. Not in a checkpoint.
  double headroom = 0;
  double caution = 1;  // time step as a fraction of the allowed one: halved by rejected steps, then recovers

  // visits every number but those of the tally, in the order of a checkpoint
  template <class Self, class Visit>
  static void numbers(Self& s, Visit&& visit) {
    visit(s.time), visit(s.steps), visit(s.max_speed), visit(s.lightest), visit(s.caution);
    visit(s.needs_sort), visit(s.resamplings), visit(s.last_resampling), visit(s.strain_since);
  }
};

}  // namespace dollop
