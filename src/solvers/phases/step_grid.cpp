#include "solvers/phases/step_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "boundary/motion.h"
#include "core/denormals.h"
#include "core/parallel.h"
#include "core/profile.h"
#include "grid/inspect.h"
#include "solvers/phases/nozzle_contact.h"
#include "solvers/phases/sorting.h"
#include "solvers/setup/scene_space.h"

namespace dollop {

std::vector<Column> carried_columns(const Settings& settings) {
  return carries_affine_velocity(settings.transfer) ? affine_column() : std::vector<Column>{};
}

// 41 bytes per particle at eight per cell in float, measured for solid blocks; twice as much with forces apart
double grid_bytes_per_particle(const Settings& s, double particles_per_cell) {
  const double precision = s.precision == Precision::double_precision ? 2 : 1;
  return 45 * (8 / particles_per_cell) * precision * (keeps_residual(s.transfer) ? 2 : 1) +
         damping_bytes_per_particle(s);
}

template <class S>
void choose_loops(const Setup<S>& setup, bool two_velocities, StepGrid<S>& grid) {
  const Settings& settings = setup.settings();
  grid.blocks.space = space_of(setup.scene);
  grid.blocks.choice = {settings.kernel, settings.transfer, settings.forces, two_velocities};
  grid.blocks.kernels = setup.loops().transfers(grid.blocks.choice);
  grid.blocks.whole_blocks = two_velocities;
  // mirror_velocity() looks for nodes around those of a block
  grid.blocks.no_islands = std::any_of(setup.colliders.begin(), setup.colliders.end(),
                                       [](const Collider& c) { return c.contact == ContactKind::no_slip; });
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

// The share of its residual, which the grid does not hold, that a particle keeps of its velocity.    (MPM.8, FADE.1)
template <class S>
double residual_kept(const Setup<S>& setup, double dt) {
  const Settings& s = setup.settings();
  if (s.transfer == Transfer::fading) return std::exp(-dt / setup.fading_time);
  return s.flip_dt > 0 ? std::pow(s.flip_ratio, dt / s.flip_dt) : s.flip_ratio;
}

// Residuals are carried along by the flow where it strains by less than a half while they last, or else would grow faster
// than they fade.                                                                                         (FADE.4)
template <class S>
double carry_limit(const Setup<S>& setup, double dt) {
  constexpr double strain = 0.5;
  const double limit = setup.fading_time / (strain * dt);
  return setup.settings().transfer == Transfer::fading ? std::min(limit * limit, 1e12) : 0;
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
  a.residual_kept = S(residual_kept(setup, dt));
  a.symmetric_kept = S(settings.transfer == Transfer::rpic ? 1 - settings.rpic_damping : 1);
  a.carry_limit = S(carry_limit(setup, dt));
  a.advect_particle_velocity = settings.transfer == Transfer::fading
                                   ? !blocks.choice.two_velocities
                                   : settings.advection == Advection::particle_velocity;
  a.groups = grid.views.data();
  a.group_count = int(grid.views.size());
  blocks.set_loops(a);
}

}  // namespace

template <class S>
void update_lists(const State<S>& state, StepGrid<S>& grid) {
  grid.blocks.update_layout(state.particles);
  grid.blocks.update_runs(state.particles, {});
}

template <class S>
bool prepare(const MovingColliders& colliders, const Setup<S>& setup, State<S>& state, StepGrid<S>& grid,
             StepReport& report) {
  if (!sort_by_block(state, report)) return false;
  const ScopedPhase phase(Phase::sort);
  grid.blocks.update_layout(state.particles);
  const std::vector<Collider> driving = pistons(setup.nozzles, state.time, grid.blocks.space.cell_size);
  const MovingColliders nozzles(driving, state.time, report.dt, driving.size());
  grid.blocks.update_runs(state.particles, grid.touched.find(colliders, nozzles, grid.blocks));
  set_loops(setup, report.dt, state, grid);
  return true;
}

template <class S>
void scatter(const TransferKernels<S>& kernels, bool with_stresses, TransferArgs<S>& args,
             StepGrid<S>& grid) {
  grid.blocks.open_boxes(args);
  parallel_for(grid.blocks.scatter_shares, 1, grid.affinity,
               [&](std::size_t r) { kernels.particles_to_tiles(args, with_stresses, int(r)); });
}

template <class S>
void find_node_velocities(const TransferKernels<S>& kernels, const TransferArgs<S>& args, StepGrid<S>& grid) {
  parallel_for(grid.blocks.slots.size(), 8, grid.affinity,
               [&](std::size_t i) { kernels.tiles_to_slot(args, int(i)); });
  const std::vector<std::int32_t>& islands = grid.blocks.stored_islands;
  parallel_for(islands.size(), 16, grid.affinity,
               [&](std::size_t i) { kernels.box_velocity(args, islands[i]); });
}

template <class S>
void gather(const TransferKernels<S>& kernels, const S* moving, const TransferArgs<S>& args,
            StepGrid<S>& grid) {
  const auto parts = std::size_t(grid.blocks.parts);
  parallel_for(grid.blocks.run_shares, 1, grid.affinity, [&](std::size_t k) {
    kernels.grid_to_particles(args, moving, int(k / parts), int(k % parts));
  });
}

template <class S>
void particles_to_grid(StepGrid<S>& grid) {
  const ScopedPhase phase(Phase::particles_to_grid);
  const FlushDenormals flush;
  scatter(*grid.blocks.kernels, true, grid.args, grid);
}

template <class S>
void momentum_to_grid(StepGrid<S>& grid) {
  const ScopedPhase phase(Phase::particles_to_grid);
  const FlushDenormals flush;
  scatter(*grid.blocks.kernels, false, grid.args, grid);
}

template <class S>
void update_velocity(StepGrid<S>& grid) {
  const ScopedPhase phase(Phase::grid);
  const FlushDenormals flush;
  find_node_velocities(*grid.blocks.kernels, grid.args, grid);
}

namespace {

// merges the extremes of many reports into the report of a step
template <class S>
void collect(const std::vector<TileReport<S>>& reports, const std::vector<std::size_t>* some,
             StepReport& report, bool& finite, bool& left_margin) {
  finite = true, left_margin = false;
  double speed2 = 0;
  const std::size_t n = some ? some->size() : reports.size();
  for (std::size_t k = 0; k < n; ++k) {
    const TileReport<S>& t = reports[some ? (*some)[k] : k];
    speed2 = std::max(speed2, double(t.max_speed_squared));
    report.max_travel = std::max(report.max_travel, double(t.max_travel));
    report.max_increment = std::max(report.max_increment, double(t.max_increment_norm));
    report.min_det = std::min(report.min_det, double(t.min_det));
    finite = finite && t.finite;
    left_margin = left_margin || t.left_margin;
  }
  report.max_speed = std::sqrt(speed2);
}

// The range of the velocity of some nodes.
template <class S>
struct VelocityRange {
  S least[3], most[3];

  VelocityRange() {
    for (int c = 0; c < 3; ++c) least[c] = std::numeric_limits<S>::infinity(), most[c] = -least[c];
  }
  void add(const S* bounds) {
    for (int c = 0; c < 3; ++c)
      least[c] = std::min(least[c], bounds[c]), most[c] = std::max(most[c], bounds[node_reals + c]);
  }
  // whether nodes in this range might move a particle by more than the limit, or deform it too much  (DT.5)
  bool is_suspect(double allowed_speed, double allowed_range) const {
    double range2 = 0, speed2 = 0;
    for (int c = 0; c < 3; ++c) {
      if (least[c] > most[c]) continue;
      const double low = least[c], high = most[c], fastest = std::max(std::fabs(low), std::fabs(high));
      range2 += (high - low) * (high - low);
      speed2 += fastest * fastest;
    }
    return range2 > allowed_range * allowed_range || std::sqrt(speed2) > allowed_speed;
  }
};

// The reports of runs in which some particle might move or deform too much. The speed of nodes bounds that of particles,
// except for the part of their own velocity that FLIP particles keep (`own_speed`), and the range of node velocities over
// a tile bounds grad v (DT.5). The test is cheap, nearly always sufficient, and never misses a tile. Mostly the range over
// the whole grid already is small enough. Lone particles have no nodes that could tell: all of them are suspect.
template <class S>
std::vector<std::size_t> suspects(const BlockGrid<S>& grid, double dt, double own_speed) {
  const double h = grid.space.cell_size, allowed_speed = max_travel * h / dt - own_speed;
  const double allowed_range = max_strain_increment * h / (std::sqrt(3.0) * dt);
  const std::size_t slots = grid.slots.size(), parts = std::size_t(grid.parts);
  const auto bounds_of = [&](std::size_t i) { return grid.bounds.data() + bounds_reals * i; };
  VelocityRange<S> whole;
  for (std::size_t i = 0; i < slots; ++i) whole.add(bounds_of(i));
  for (const std::int32_t island : grid.stored_islands) whole.add(bounds_of(slots + std::size_t(island)));

  std::vector<char> suspect(grid.runs.size(), 0);
  std::fill(suspect.begin() + std::ptrdiff_t(grid.first_lone_run), suspect.end(), 1);
  const bool all_slow = !whole.is_suspect(allowed_speed, allowed_range);
  parallel_for(all_slow ? 0 : grid.first_lone_run, 16, [&](std::size_t r) {
    for (std::int32_t k = grid.runs[r].begin; k < grid.runs[r].end && !suspect[r]; ++k) {
      const auto tile = std::size_t(grid.run_tiles[std::size_t(k)]);
      VelocityRange<S> range;
      if (const std::int32_t slot = grid.slot_of_tile[tile]; slot < 0)
        range.add(bounds_of(slots + std::size_t(grid.box_of_tile[tile].box)));
      else
        for (std::size_t o = 0; o < neighbour_count; ++o)
          if (const auto near = std::size_t(grid.neighbours[neighbour_count * std::size_t(slot) + o]);
              near < slots)
            range.add(bounds_of(near));
      suspect[r] = range.is_suspect(allowed_speed, allowed_range);
    }
  });
  std::vector<std::size_t> found;
  for (std::size_t r = all_slow ? grid.first_lone_run : 0; r < suspect.size(); ++r)
    for (std::size_t part = 0; suspect[r] && part < parts; ++part) found.push_back(r * parts + part);
  return found;
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
  parallel_for(blocks.slots.size(), 32, grid.affinity,
               [&](std::size_t i) { blocks.kernels->velocity_bounds(grid.args, moving.data(), int(i)); });
  const std::vector<std::int32_t>& islands = blocks.stored_islands;
  parallel_for(islands.size(), 32, grid.affinity,
               [&](std::size_t i) { blocks.kernels->box_bounds(grid.args, islands[i]); });
  const auto is_finite = [&](std::size_t i) { return blocks.bounds[bounds_reals * i + 3] == S(0); };
  for (std::size_t i = 0; i < blocks.slots.size(); ++i)
    if (!is_finite(i)) return reject(Status::not_finite);
  for (const std::int32_t island : islands)
    if (!is_finite(blocks.slots.size() + std::size_t(island))) return reject(Status::not_finite);

  // inspect the particles of suspect runs; only the reports are written
  const bool own = keeps_residual(blocks.choice.transfer) && grid.args.advect_particle_velocity;
  const double parts =
      grid.args.groups == grid.views.data() ? 2 : 4;  // |v_p| + |sum w v_i|, and of round trips
  const double own_speed = own ? parts * double(grid.args.residual_kept) * state.max_speed : 0;
  const std::vector<std::size_t> some = suspects(blocks, report.dt, own_speed);
  parallel_for(some.size(), 1, [&](std::size_t k) {
    inspect(*blocks.kernels, grid.args, moving.data(), int(some[k]) / blocks.parts,
            int(some[k]) % blocks.parts);
  });
  bool finite, left_margin;
  collect(blocks.reports, &some, report, finite, left_margin);
  if (!finite) return reject(Status::not_finite);
  if (report.max_travel > max_travel) return reject(Status::too_fast);
  if (report.max_increment > max_strain_increment || report.min_det <= 0) return reject(Status::strained);
  return true;
}

template <class S>
void grid_to_particles(const AlignedArray<S>& moving, StepGrid<S>& grid, StepReport& report) {
  const ScopedPhase phase(Phase::grid_to_particles);
  const FlushDenormals flush;
  take_damped_motion(grid);
  gather(*grid.blocks.kernels, moving.data(), grid.args, grid);
  bool finite, left_margin;
  report.max_travel = 0, report.max_increment = 0, report.min_det = 1;
  collect(grid.blocks.reports, nullptr, report, finite, left_margin);
  DOLLOP_ASSERT(finite);  // the grid velocity was finite, so the interpolated one is too
  report.left_margin = left_margin;
}

#define DOLLOP_INSTANTIATE(S)                                                                           \
  template void choose_loops(const Setup<S>&, bool, StepGrid<S>&);                                      \
  template void update_lists(const State<S>&, StepGrid<S>&);                                            \
  template bool prepare(const MovingColliders&, const Setup<S>&, State<S>&, StepGrid<S>&, StepReport&); \
  template void scatter(const TransferKernels<S>&, bool, TransferArgs<S>&, StepGrid<S>&);               \
  template void find_node_velocities(const TransferKernels<S>&, const TransferArgs<S>&, StepGrid<S>&);  \
  template void gather(const TransferKernels<S>&, const S*, const TransferArgs<S>&, StepGrid<S>&);      \
  template void particles_to_grid(StepGrid<S>&);                                                        \
  template void momentum_to_grid(StepGrid<S>&);                                                         \
  template void update_velocity(StepGrid<S>&);                                                          \
  template bool check_velocity(const AlignedArray<S>&, const State<S>&, StepGrid<S>&, StepReport&);     \
  template void grid_to_particles(const AlignedArray<S>&, StepGrid<S>&, StepReport&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
