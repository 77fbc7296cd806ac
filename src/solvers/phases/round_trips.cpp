#include "solvers/phases/round_trips.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/denormals.h"
#include "core/parallel.h"
#include "core/profile.h"
#include "solvers/phases/step_grid.h"

namespace dollop {
namespace {

constexpr double most_trips = 1000;   // of a step, by damping_viscosity
constexpr double cost_of_trip = 1.1;  // in explicit steps: docs/performance-notes.md
constexpr std::size_t columns_of_velocity = 3;
constexpr std::size_t grain = 4096;  // particles per parallel task

double kernel_inertia(const Settings& s) {  // D [m^2]
  return s.cell_size * s.cell_size / (s.kernel == Kernel::cubic ? 3 : 4);
}

// Stands for the material of particles that are neither stressed nor strained.
template <class S>
constexpr MaterialKernels<S> without_strain = {
    .name = "none",
    .make_law = nullptr,
    .stress = [](const void*, S* const*, std::size_t, S* tau) { std::fill_n(tau, 6 * chunk_size, S(0)); },
    .strain = nullptr,
    .energy = nullptr,
    .volume_ratio = nullptr,
    .rebuild = nullptr,
    .make_step_law = nullptr,
    .advance = [](const void*, const S*, S* const*, std::size_t, int) {}};

template <class S>
std::size_t size_of(const GroupView<S>& view, const BlockGrid<S>& blocks) {
  return view.begin[blocks.slot_of_tile.size()];
}

// column k of the motion of a view
template <class View>
auto& column(View& view, std::size_t k) {
  return k < columns_of_velocity ? view.v[k] : view.c[k - columns_of_velocity];
}

// calls visit(group, first, last) for pieces of the particles
template <class S, class Visit>
void each_piece(const StepGrid<S>& grid, Visit&& visit) {
  for (std::size_t g = 0; g < grid.views.size(); ++g)
    parallel_ranges(size_of(grid.views[g], grid.blocks), grain,
                    [&](std::size_t first, std::size_t last) { visit(g, first, last); });
}

// C <- skew C + (1 - dropped) sym C                                                                     (DAMP.1)
template <class S>
void drop_symmetric_part(double dropped, S* const* from, S* const* to, std::size_t first, std::size_t last) {
  const S keep = S(1 - dropped / 2), swap = S(-dropped / 2);
  for (std::size_t i = first; i < last; ++i) {
    S c[9];
    for (int k = 0; k < 9; ++k) c[k] = from[k][i];
    for (int row = 0; row < 3; ++row)
      for (int col = 0; col < 3; ++col)
        to[3 * row + col][i] = keep * c[3 * row + col] + swap * c[3 * col + row];
  }
}

template <class S>
void fit(const StepGrid<S>& grid, std::vector<MotionColumns<S>>& columns) {
  columns.resize(grid.views.size());
  for (std::size_t g = 0; g < columns.size(); ++g)
    for (AlignedArray<S>& column : columns[g]) column.resize(size_of(grid.views[g], grid.blocks));
}

// C <- skew C + (1 - dropped) sym C in the damped motion                                                (DAMP.1)
template <class S>
void drop_symmetric_part(double dropped, StepGrid<S>& grid) {
  each_piece(grid, [&](std::size_t g, std::size_t first, std::size_t last) {
    S* const* c = grid.damped.views[g].c;
    drop_symmetric_part(dropped, c, c, first, last);
  });
}

// The damped motion begins as that of the particles, without a part of the symmetric affine velocity. Lone particles take
// theirs up without a grid, so all columns are set.
template <class S>
void begin_with_own(double dropped, StepGrid<S>& grid) {
  DampedMotion<S>& damped = grid.damped;
  fit(grid, damped.columns);
  damped.views = grid.views;
  for (std::size_t g = 0; g < damped.views.size(); ++g)
    for (std::size_t k = 0; k < motion_columns; ++k) column(damped.views[g], k) = damped.columns[g][k].data();
  damped.gathering = damped.views;
  for (GroupView<S>& view : damped.gathering) view.material = &without_strain<S>;
  each_piece(grid, [&](std::size_t g, std::size_t first, std::size_t last) {
    const GroupView<S>&own = grid.views[g], &to = damped.views[g];
    for (int d = 0; d < 3; ++d) std::copy(own.v[d] + first, own.v[d] + last, to.v[d] + first);
    drop_symmetric_part(dropped, own.c, to.c, first, last);
  });
}

// What the particles have beside the motion that came back from the first trip.                         (DAMP.6)
template <class S>
void keep_residual(StepGrid<S>& grid) {
  DampedMotion<S>& damped = grid.damped;
  fit(grid, damped.residual);
  each_piece(grid, [&](std::size_t g, std::size_t first, std::size_t last) {
    for (std::size_t k = 0; k < motion_columns; ++k) {
      const S *own = column(grid.views[g], k), *back = damped.columns[g][k].data();
      S* residual = damped.residual[g][k].data();
      for (std::size_t i = first; i < last; ++i) residual[i] = own[i] - back[i];
    }
  });
}
template <class S>
void add_residual(StepGrid<S>& grid) {
  DampedMotion<S>& damped = grid.damped;
  each_piece(grid, [&](std::size_t g, std::size_t first, std::size_t last) {
    for (std::size_t k = 0; k < motion_columns; ++k) {
      const S* residual = damped.residual[g][k].data();
      S* motion = damped.columns[g][k].data();
      for (std::size_t i = first; i < last; ++i) motion[i] += residual[i];
    }
  });
}

// To the grid and back, with the loops of APIC. No time passes: nothing moves, nothing is strained.     (DAMP.2)
template <class S>
void round_trip(const TransferKernels<S>& kernels, TransferArgs<S>& args, StepGrid<S>& grid) {
  DampedMotion<S>& damped = grid.damped;
  args.groups = damped.views.data();
  scatter(kernels, false, args, grid);
  find_node_velocities(kernels, args, grid);
  args.groups = damped.gathering.data();
  gather(kernels, args.velocity, args, grid);
}

}  // namespace

DampingPlan damping_plan(const Settings& s, double dt) {
  const bool rpic = s.transfer == Transfer::rpic, fading = s.transfer == Transfer::fading;
  DampingPlan plan{.trips = s.damping_trips, .dropped = 1, .drop_first = !fading, .difference = fading};
  if (s.damping_trips > 0) {
    plan.trips += fading;
  } else if (s.damping_viscosity > 0) {
    const double all = 2 * s.damping_viscosity * dt / kernel_inertia(s);      // (DAMP.4)
    const double parts = std::clamp(std::ceil(all * (1 - 1e-12)), 1.0, 1e6);  // guards the conversion
    plan.trips = int(parts) + (fading ? 1 : rpic ? 0 : -1);
    plan.dropped = std::min(1.0, all / parts);
    plan.drop_first = !fading && !rpic;
    plan.drop_last = !fading;
  } else {
    return {};
  }
  return plan;
}

double longest_damped_step(const Settings& s) {
  if (!(s.damping_viscosity > 0)) return std::numeric_limits<double>::infinity();
  return most_trips * kernel_inertia(s) / (2 * s.damping_viscosity);
}

double damping_cost(const Settings& settings, double dt) {
  return cost_of_trip * damping_plan(settings, dt).trips;
}

double damping_bytes_per_particle(const Settings& s) {
  if (!(s.damping_trips > 0 || s.damping_viscosity > 0)) return 0;
  const double columns = motion_columns * (s.transfer == Transfer::fading ? 2 : 1);
  return columns * (s.precision == Precision::double_precision ? 8 : 4);
}

template <class S>
std::size_t DampedMotion<S>::bytes() const {
  std::size_t sum = 0;
  for (const auto* list : {&columns, &residual})
    for (const MotionColumns<S>& group : *list)
      for (const AlignedArray<S>& column : group) sum += column.bytes();
  return sum;
}

template <class S>
void damp_motion(const Setup<S>& setup, StepGrid<S>& grid) {
  const DampingPlan plan = damping_plan(setup.settings(), double(grid.args.dt));
  if (!plan.acts()) return;
  const ScopedPhase phase(Phase::damping);
  const FlushDenormals flush;
  const TransferKernels<S>& kernels =
      *setup.loops().transfers({setup.settings().kernel, Transfer::apic, ForceForm::mls});
  TransferArgs<S> args = grid.args;
  args.dt = 0;
  begin_with_own(plan.drop_first ? plan.dropped : 0, grid);
  for (int k = 0; k < plan.trips; ++k) {
    const bool whole = (k == 0 && plan.difference) || (k + 1 == plan.trips && !plan.drop_last);
    args.symmetric_kept = S(whole ? 1 : 1 - plan.dropped);
    round_trip(kernels, args, grid);
    if (k > 0 || !plan.difference) continue;
    keep_residual(grid);
    drop_symmetric_part(plan.dropped, grid);
  }
  if (plan.difference) {
    add_residual(grid);
    // the loops of APIC have cleared rows of `velocity` alone
    std::fill(grid.blocks.rows.begin(), grid.blocks.rows.end(), std::uint16_t(0xffff));
  }
  grid.args.groups = grid.damped.views.data();
}

template <class S>
void take_damped_motion(StepGrid<S>& grid) {
  if (grid.args.groups == grid.views.data()) return;
  grid.args.groups = grid.views.data();
  const bool some_are_lone = grid.blocks.first_lone_run < grid.blocks.runs.size();
  // otherwise the gather only writes their columns
  if (!keeps_residual(grid.blocks.choice.transfer) && !some_are_lone) return;
  each_piece(grid, [&](std::size_t g, std::size_t first, std::size_t last) {
    for (std::size_t k = 0; k < motion_columns; ++k)
      std::copy(column(grid.damped.views[g], k) + first, column(grid.damped.views[g], k) + last,
                column(grid.views[g], k) + first);
  });
}

#define DOLLOP_INSTANTIATE(S)                               \
  template struct DampedMotion<S>;                          \
  template void damp_motion(const Setup<S>&, StepGrid<S>&); \
  template void take_damped_motion(StepGrid<S>&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
