#include "solvers/mpm_phases.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "boundary/motion.h"
#include "core/parallel.h"
#include "core/profile.h"
#include "particles/emission_room.h"

namespace dollop {

template <class S>
std::optional<LostParticle> sort_by_block(State<S>& state, BlockGrid<S>& grid) {
  const ScopedPhase phase(Phase::sort);
  if (!state.needs_sort) return {};
  if (const auto lost = state.particles.sort()) return lost;
  grid.update_layout(state.particles);
  state.needs_sort = false;
  return {};
}

namespace {

// points the loops at the particles and the grid of this step
template <class S>
void set_loops(ExplicitMpm<S>& mpm, const Settings& settings, State<S>& state, double dt) {
  BlockGrid<S>& grid = mpm.grid;
  mpm.views.clear();
  for (std::size_t g = 0; g < state.particles.groups().size(); ++g) {
    ParticleGroup<S>& group = state.particles.groups()[g];
    MaterialBinding<S>& material = mpm.materials[g];
    material.kernels->make_law(material.parameters.data(), dt, material.law.data());
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
    view.begin = state.particles.begin(int(g)).data();
    view.material = material.kernels;
    view.law = material.law.data();
    mpm.views.push_back(view);
  }

  TransferArgs<S>& a = mpm.args;
  a.cell_size = S(grid.space.cell_size);
  a.dt = S(dt);
  const Double3 gravity = value_at(settings.gravity, state.time);
  for (int d = 0; d < 3; ++d) a.gravity[d] = S(gravity[std::size_t(d)]);
  // below this the products of spline tails are rounding
  a.mass_floor = std::isfinite(state.lightest) ? S(1e-12 * state.lightest) : S(0);
  a.flip_ratio =
      S(settings.flip_dt > 0 ? std::pow(settings.flip_ratio, dt / settings.flip_dt) : settings.flip_ratio);
  a.symmetric_kept = S(settings.transfer == Transfer::rpic ? 1 - settings.rpic_damping : 1);
  a.advect_particle_velocity = settings.advection == Advection::particle_velocity;
  a.groups = mpm.views.data();
  a.group_count = int(mpm.views.size());
  a.slot_count = int(grid.slots.size());
  a.neighbours = grid.neighbours.data();
  a.tile_of_slot = grid.tile_of_slot.data();
  a.slot_of_tile = grid.slot_of_tile.data();
  a.tiles = grid.tiles.data();
  a.velocity = grid.velocity.data();
  a.old_velocity = grid.old_velocity.data();
  a.strain_velocity = grid.choice.strain_velocity ? grid.velocity.data() : nullptr;
  a.momentum_only = false;
  a.bounds = grid.bounds.data();
  a.reports = grid.reports.data();
}

}  // namespace

template <class S>
bool prepare(ExplicitMpm<S>& mpm, const Settings& settings, State<S>& state, StepReport& report) {
  if (const auto lost = sort_by_block(state, mpm.grid)) {
    report.status = Status::lost_particle;
    report.particle = lost->id;
    return false;
  }
  set_loops(mpm, settings, state, report.dt);
  return true;
}

template <class S>
void particles_to_grid(ExplicitMpm<S>& mpm) {
  const ScopedPhase phase(Phase::particles_to_grid);
  parallel_for(mpm.grid.slot_of_tile.size(), 2,
               [&](std::size_t t) { mpm.grid.kernels->particles_to_tile(mpm.args, int(t)); });
}

template <class S>
void update_velocity(ExplicitMpm<S>& mpm) {
  const ScopedPhase phase(Phase::grid);
  parallel_for(mpm.grid.slots.size(), 16,
               [&](std::size_t i) { mpm.grid.kernels->tiles_to_slot(mpm.args, int(i)); });
}

namespace {

// the worst of many tile reports, in the terms of a step
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

// Tiles in which some particle might move or deform too much. The speed of nodes bounds that of particles,
// but for what FLIP lets them keep of their own (`own_speed`), and the range of node velocities over a tile
// bounds grad v (DT.5): cheap, nearly always enough, and never too lenient.
template <class S>
std::vector<std::size_t> suspect_tiles(const BlockGrid<S>& grid, double dt, double own_speed) {
  const double h = grid.space.cell_size, allowed_speed = max_travel * h / dt - own_speed;
  const double allowed_range = max_strain_increment * h / (std::sqrt(3.0) * dt);
  std::vector<std::size_t> suspects;
  for (std::size_t t = 0; t < grid.slot_of_tile.size(); ++t) {
    const std::int32_t* around = grid.neighbours.data() + 27 * std::size_t(grid.slot_of_tile[t]);
    double range2 = 0, speed2 = 0;
    for (int c = 0; c < 3; ++c) {
      S least = std::numeric_limits<S>::infinity(), most = -least;
      for (int o = 0; o < 27; ++o) {
        const S* b = grid.bounds.data() + 8 * std::size_t(around[o]);
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
bool check_velocity(ExplicitMpm<S>& mpm, const State<S>& state, StepReport& report) {
  const ScopedPhase phase(Phase::check);
  BlockGrid<S>& grid = mpm.grid;
  const auto reject = [&](Status status) {
    report.status = status;
    return false;
  };
  parallel_for(grid.slots.size(), 32,
               [&](std::size_t i) { grid.kernels->velocity_bounds(mpm.args, int(i)); });
  for (std::size_t i = 0; i < grid.slots.size(); ++i)
    if (!(grid.bounds[8 * i + 3] == S(0))) return reject(Status::not_finite);

  // what the particles of the suspects would do; nothing is written
  const bool flips = grid.choice.transfer == Transfer::flip && mpm.args.advect_particle_velocity;
  const double own_speed =
      flips ? 2 * double(mpm.args.flip_ratio) * state.max_speed : 0;  // |v_p| + |sum w v_i|
  const auto suspects = suspect_tiles(grid, report.dt, own_speed);
  parallel_for(suspects.size(), 1,
               [&](std::size_t k) { grid.kernels->inspect_tile(mpm.args, int(suspects[k])); });
  bool finite, left_margin;
  collect(grid.reports, &suspects, report, finite, left_margin);
  if (!finite) return reject(Status::not_finite);
  if (report.max_travel > max_travel) return reject(Status::too_fast);
  if (report.max_increment > max_strain_increment || report.min_det <= 0) return reject(Status::strained);
  return true;
}

template <class S>
void grid_to_particles(ExplicitMpm<S>& mpm, StepReport& report) {
  const ScopedPhase phase(Phase::grid_to_particles);
  parallel_for(mpm.grid.slot_of_tile.size(), 2,
               [&](std::size_t t) { mpm.grid.kernels->grid_to_particles(mpm.args, int(t)); });
  bool finite, left_margin;
  report.max_travel = 0, report.max_increment = 0, report.min_det = 1;
  collect(mpm.grid.reports, nullptr, report, finite, left_margin);
  DOLLOP_ASSERT(finite);  // the grid velocity was, and so must be what is interpolated from it
  report.left_margin = left_margin;
}

template <class S>
void advance_time(const ExplicitMpm<S>& mpm, const StepReport& report, State<S>& state) {
  state.time += report.dt;
  ++state.steps;
  state.max_speed = report.max_speed;
  state.needs_sort = report.left_margin;
  Tally& tally = state.tally;
  tally.dt_min = tally.dt_max > 0 ? std::min(tally.dt_min, report.dt) : report.dt;
  tally.dt_max = std::max(tally.dt_max, report.dt);
  tally.newton_iterations += report.newton_iterations;
  tally.linear_iterations += report.linear_iterations;
  tally.newton_residual = std::max(tally.newton_residual, report.newton_residual);
  tally.max_increment = std::max(tally.max_increment, report.max_increment);
  for (const auto& slot : mpm.impacts)
    for (const NodeImpact& node : slot)
      for (std::size_t d = 0; d < 3; ++d) {
        tally.impacts[node.collider].impulse[d] += node.impact.impulse[d];
        tally.impacts[node.collider].moment[d] += node.impact.moment[d];
      }
}

template <class S>
void add_particles(const NewParticles& fresh, State<S>& state) {
  const std::size_t n = fresh.places.size();
  if (n == 0) return;
  const std::size_t first = state.particles.append(fresh.group, fresh.places.data(), n);
  ParticleGroup<S>& group = state.particles.groups()[std::size_t(fresh.group)];
  const S mass = S(fresh.density * fresh.volume);
  double speed2 = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = first + k;
    const Double3& v = fresh.velocities[k];
    for (std::size_t d = 0; d < 3; ++d) group.reals(ParticleGroup<S>::velocity + int(d))[i] = S(v[d]);
    group.reals(ParticleGroup<S>::mass)[i] = mass;
    group.reals(ParticleGroup<S>::volume)[i] = S(fresh.volume);
    if (group.affine_array() >= 0)
      for (std::size_t c = 0; c < 9; ++c)
        group.reals(group.affine_array() + int(c))[i] = S(fresh.gradient[c]);
    speed2 = std::max(speed2, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  }
  state.max_speed = std::max(state.max_speed, std::sqrt(speed2));
  state.lightest = std::min(state.lightest, double(mass));
  state.tally.added_mass += double(mass) * double(n);
  state.needs_sort = true;
}

template <class S>
void emit(ExplicitMpm<S>& mpm, State<S>& state, double dt) {
  const ScopedPhase phase(Phase::emit);
  for (std::size_t e = 0; e < mpm.emitters.size(); ++e) {
    const EmitterPlan& plan = mpm.emitters[e].plan;
    const HasRoom has_room = [&](const std::vector<Double3>& places) {
      if (sort_by_block(state, mpm.grid)) return false;  // one is lost, as the next step will report
      return !is_crowded(state.particles, places, plan.clearance());
    };
    const Emission out = plan.emit(state.emitters[e], state.time - dt, state.time, has_room);
    add_particles<S>(
        {mpm.emitters[e].group, mpm.emitters[e].density, out.volume, out.places, out.velocities, {}}, state);
    state.tally.emitted += out.places.size();
  }
}

#define DOLLOP_INSTANTIATE(S)                                                      \
  template std::optional<LostParticle> sort_by_block(State<S>&, BlockGrid<S>&);    \
  template bool prepare(ExplicitMpm<S>&, const Settings&, State<S>&, StepReport&); \
  template void particles_to_grid(ExplicitMpm<S>&);                                \
  template void update_velocity(ExplicitMpm<S>&);                                  \
  template bool check_velocity(ExplicitMpm<S>&, const State<S>&, StepReport&);     \
  template void grid_to_particles(ExplicitMpm<S>&, StepReport&);                   \
  template void advance_time(const ExplicitMpm<S>&, const StepReport&, State<S>&); \
  template void add_particles(const NewParticles&, State<S>&);                     \
  template void emit(ExplicitMpm<S>&, State<S>&, double);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
