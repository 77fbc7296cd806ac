// Damping by round trips through the grid, before the step proper. Theory: docs/theory/damping.md.
#pragma once

#include <dollop/scene.h>

#include <array>
#include <vector>

#include "core/aligned_array.h"
#include "grid/kernels.h"
#include "solvers/setup/setup.h"

namespace dollop {

template <class S>
struct StepGrid;

// What a step of dt does for the damping of the settings.                                              (DAMP.3-6)
struct DampingPlan {
  int trips = 0;            // to the grid and back
  double dropped = 0;       // part of the symmetric affine velocity that is dropped at a time
  bool drop_first = false;  // before the first trip
  bool drop_last = false;   // after the last one, for the transfer of the step proper
  bool difference = false;  // particles take the change from the first trip to the last one
  bool acts() const { return trips > 0 || drop_first; }
};
DampingPlan damping_plan(const Settings& settings, double dt);

// The most that damping_viscosity lets a step have, so that it takes no more than 1000 trips [s].
double longest_damped_step(const Settings& settings);

// Time of the trips of a step, as a multiple of the time of an explicit step.
double damping_cost(const Settings& settings, double dt);

// Columns of the damped velocity and affine velocity.
inline constexpr int motion_columns = 12;
template <class S>
using MotionColumns = std::array<AlignedArray<S>, motion_columns>;

// The damped motion of the particles, beside their own: a step that is rejected leaves theirs as it was.
template <class S>
struct DampedMotion {
  std::vector<MotionColumns<S>> columns;  // of each group
  std::vector<MotionColumns<S>>
      residual;  // of each group: what the first trip has lost of the particles' own motion
  std::vector<GroupView<S>> views;      // that read the damped motion
  std::vector<GroupView<S>> gathering;  // that write it, and do not strain the particles
  std::size_t bytes() const;
};

// Bytes of these columns per particle, before a run.
double damping_bytes_per_particle(const Settings& settings);

// Damps the motion that the particles scatter in this step, by round trips.                             (DAMP.1-6)
template <class S>
void damp_motion(const Setup<S>& setup, StepGrid<S>& grid);

// Lets the loops read and write the particles' own columns again. These become the damped motion, if the gather reads them.
template <class S>
void take_damped_motion(StepGrid<S>& grid);

}  // namespace dollop
