#include "solvers/phases/step_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "boundary/motion.h"
#include "core/denormals.h"
#include "core/parallel.h"
#include "core/profile.h"
#include "solvers/phases/sorting.h"
#include "solvers/setup/scene_space.h"

namespace dollop {

std::vector<Column> carried_columns(const Settings& settings) {
  const bool affine = settings.transfer == Transfer::apic || settings.transfer == Transfer::rpic;
  return affine ? affine_column() : std::vector<Column>{};
}

// 41 bytes per particle at eight per cell in float, measured for solid blocks; FLIP needs twice as much
double grid_bytes_per_particle(const Settings& s, double particles_per_cell) {
  const double precision = s.precision == Precision::double_precision ? 2 : 1;
  return 45 * (8 / particles_per_cell) * precision * (s.transfer == Transfer::flip ? 2 : 1);
}

template <class S>
void choose_loops(const Setup<S>& setup, bool two_velocities, StepGrid<S>& grid) {
  const Settings& settings = setup.settings();
  grid.blocks.space = space_of(setup.scene);
  grid.blocks.choice = {settings.kernel, settings.transfer, settings.forces, two_velocities};
  grid.blocks.kernels = setup.loops().transfers(grid.blocks.choice);
}

namespace {

// the columns of a group as arguments of the loops
template <class S>
GroupView<S> view_of(const MaterialBinding<S>& material, const LawBytes& step_law,
                     const std::vector<std::uint32_t>& begin, ParticleGroup<S>& group) {
  GroupView<S> view{};
  for (int d = 0; d < 3; ++d) {
    view.x[d] = group.reals(ParticleGroup<S>::position + d);
    view.v[d] = group.reals(ParticleGroup<S>::velocity + d);
  }
  if (group.affine_array() >= 0)
    for (int k = 0; k < 9; ++k) view.c[k] = group.reals(group.affine_array() + k);
  view.mass = group.reals(ParticleGroup<S>::mass);
  view.volume = group.reals(ParticleGroup<S>::volume);
  view.state = group.state_pointers();
  view.begin = begin.data();
  view.material = material.kernels;
  view.law = material.law.data();
  view.step_law = step_law.data();
  return view;
}

// points the loops at the particles and the nodes of this step
template <class S>
void set_loops(const Setup<S>& setup, double dt, State<S>& state, StepGrid<S>& grid) {
  grid.views.clear();
  grid.step_laws.resize(setup.materials.size());
  for (std::size_t g = 0; g < setup.materials.size(); ++g) {
    const MaterialBinding<S>& material = setup.materials[g];
    material.kernels->make_step_law(material.parameters.data(), dt, grid.step_laws[g].data());
    grid.views.push_back(
        view_of(material, grid.step_laws[g], state.particles.begin(int(g)), state.particles.groups()[g]));
  }

  const Settings& settings = setup.settings();
  BlockGrid<S>& blocks = grid.blocks;
  TransferArgs<S>& a = grid.args;
  a.cell_size = S(blocks.space.cell_size);
  a.dt = S(dt);
  const Double3 gravity = value_at(settings.gravity, state.time);
  for (int d = 0; d < 3; ++d) a.gravity[d] = S(gravity[std::size_t(d)]);
  // a smaller nodal mass is only rounding in the products of spline tails
  a.mass_floor = std::isfinite(state.lightest) ? S(1e-12 * state.lightest) : S(0);
  a.flip_ratio =
      S(settings.flip_dt > 0 ? std::pow(settings.flip_ratio, dt / settings.flip_dt) : settings.flip_ratio);
  a.symmetric_kept = S(settings.transfer == Transfer::rpic ? 1 - settings.rpic_damping : 1);
  a.advect_particle_velocity = settings.advection == Advection::particle_velocity;
  a.groups = grid.views.data();
  a.group_count = int(grid.views.size());
  a.slot_count = int(blocks.slots.size());
  a.neighbours = blocks.neighbours.data();
  a.tile_of_slot = blocks.tile_of_slot.data();
  a.slot_of_tile = blocks.slot_of_tile.data();
  a.tiles = blocks.tiles.data();
  a.velocity = blocks.velocity.data();
  a.old_velocity = blocks.old_velocity.data();
  a.bounds = blocks.bounds.data();
  a.reports = blocks.reports.data();
}

}  // namespace

template <class S>
bool prepare(const Setup<S>& setup, State<S>& state, StepGrid<S>& grid, StepReport& report) {
  if (!sort_by_block(state, report)) return false;
  const ScopedPhase phase(Phase::sort);
  grid.blocks.update_layout(state.particles);
  set_loops(setup, report.dt, state, grid);
  return true;
}

namespace {

template <class S>
void scatter(bool with_stresses, StepGrid<S>& grid) {
  const ScopedPhase phase(Phase::particles_to_grid);
  const FlushDenormals flush;
  parallel_for(grid.blocks.slot_of_tile.size(), 2, [&](std::size_t t) {
    grid.blocks.kernels->particles_to_tile(grid.args, with_stresses, int(t));
  });
}

}  // namespace

template <class S>
void particles_to_grid(StepGrid<S>& grid) {
  scatter(true, grid);
}

template <class S>
void momentum_to_grid(StepGrid<S>& grid) {
  scatter(false, grid);
}

template <class S>
void update_velocity(StepGrid<S>& grid) {
  const ScopedPhase phase(Phase::grid);
  const FlushDenormals flush;
  parallel_for(grid.blocks.slots.size(), 16,
               [&](std::size_t i) { grid.blocks.kernels->tiles_to_slot(grid.args, int(i)); });
}

namespace {

// merges the extremes of many tile reports into the report of a step
template <class S>
void collect(const std::vector<TileReport<S>>& tiles, const std::vector<std::size_t>* some,
             StepReport& report, bool& finite, bool& left_margin) {
  finite = true, left_margin = false;
  double speed2 = 0;
  const std::size_t n = some ? some->size() : tiles.size();
  for (std::size_t k = 0; k < n; ++k) {
    const TileReport<S>& t = tiles[some ? (*some)[k] : k];
    speed2 = std::max(speed2, double(t.max_speed_squared));
    report.max_travel = std::max(report.max_travel, double(t.max_travel));
    report.max_increment = std::max(report.max_increment, double(t.max_increment_norm));
    report.min_det = std::min(report.min_det, double(t.min_det));
    finite = finite && t.finite;
    left_margin = left_margin || t.left_margin;
  }
  report.max_speed = std::sqrt(speed2);
}

// Tiles in which some particle might move or deform too much. The speed of nodes bounds that of particles, except for
// the part of their own velocity that FLIP particles keep (`own_speed`), and the range of node velocities over a tile
// bounds grad v (DT.5). The test is cheap, nearly always sufficient, and never misses a tile.
template <class S>
std::vector<std::size_t> suspect_tiles(const BlockGrid<S>& grid, double dt, double own_speed) {
  const double h = grid.space.cell_size, allowed_speed = max_travel * h / dt - own_speed;
  const double allowed_range = max_strain_increment * h / (std::sqrt(3.0) * dt);
  std::vector<std::size_t> suspects;
  for (std::size_t t = 0; t < grid.slot_of_tile.size(); ++t) {
    const std::int32_t* around = grid.neighbours.data() + neighbour_count * std::size_t(grid.slot_of_tile[t]);
    double range2 = 0, speed2 = 0;
    for (int c = 0; c < 3; ++c) {
      S least = std::numeric_limits<S>::infinity(), most = -least;
      for (int o = 0; o < neighbour_count; ++o) {
        const S* b = grid.bounds.data() + bounds_reals * std::size_t(around[o]);
        least = std::min(least, b[c]), most = std::max(most, b[4 + c]);
      }
      if (least > most) continue;
      const double low = least, high = most, fastest = std::max(std::fabs(low), std::fabs(high));
      range2 += (high - low) * (high - low);
      speed2 += fastest * fastest;
    }
    if (range2 > allowed_range * allowed_range || std::sqrt(speed2) > allowed_speed) suspects.push_back(t);
  }
  return suspects;
}

}  // namespace

template <class S>
bool check_velocity(const AlignedArray<S>& moving, const State<S>& state, StepGrid<S>& grid,
                    StepReport& report) {
  const ScopedPhase phase(Phase::check);
  const FlushDenormals flush;
  BlockGrid<S>& blocks = grid.blocks;
  const auto reject = [&](Status status) {
    report.status = status;
    return false;
  };
  parallel_for(blocks.slots.size(), 32,
               [&](std::size_t i) { blocks.kernels->velocity_bounds(grid.args, moving.data(), int(i)); });
  for (std::size_t i = 0; i < blocks.slots.size(); ++i)
    if (!(blocks.bounds[bounds_reals * i + 3] == S(0))) return reject(Status::not_finite);

  // inspect the particles of suspect tiles; only the tile reports are written
  const bool flips = blocks.choice.transfer == Transfer::flip && grid.args.advect_particle_velocity;
  const double own_speed =
      flips ? 2 * double(grid.args.flip_ratio) * state.max_speed : 0;  // |v_p| + |sum w v_i|
  const auto suspects = suspect_tiles(blocks, report.dt, own_speed);
  parallel_for(suspects.size(), 1, [&](std::size_t k) {
    blocks.kernels->inspect_tile(grid.args, moving.data(), int(suspects[k]));
  });
  bool finite, left_margin;
  collect(blocks.reports, &suspects, report, finite, left_margin);
  if (!finite) return reject(Status::not_finite);
  if (report.max_travel > max_travel) return reject(Status::too_fast);
  if (report.max_increment > max_strain_increment || report.min_det <= 0) return reject(Status::strained);
  return true;
}

template <class S>
void grid_to_particles(const AlignedArray<S>& moving, StepGrid<S>& grid, StepReport& report) {
  const ScopedPhase phase(Phase::grid_to_particles);
  const FlushDenormals flush;
  parallel_for(grid.blocks.slot_of_tile.size(), 2, [&](std::size_t t) {
    grid.blocks.kernels->grid_to_particles(grid.args, moving.data(), int(t));
  });
  bool finite, left_margin;
  report.max_travel = 0, report.max_increment = 0, report.min_det = 1;
  collect(grid.blocks.reports, nullptr, report, finite, left_margin);
  DOLLOP_ASSERT(finite);  // the grid velocity was finite, so the interpolated one is too
  report.left_margin = left_margin;
}

#define DOLLOP_INSTANTIATE(S)                                                                       \
  template void choose_loops(const Setup<S>&, bool, StepGrid<S>&);                                  \
  template bool prepare(const Setup<S>&, State<S>&, StepGrid<S>&, StepReport&);                     \
  template void particles_to_grid(StepGrid<S>&);                                                    \
  template void momentum_to_grid(StepGrid<S>&);                                                     \
  template void update_velocity(StepGrid<S>&);                                                      \
  template bool check_velocity(const AlignedArray<S>&, const State<S>&, StepGrid<S>&, StepReport&); \
  template void grid_to_particles(const AlignedArray<S>&, StepGrid<S>&, StepReport&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
