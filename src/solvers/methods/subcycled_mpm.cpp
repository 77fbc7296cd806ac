#include "solvers/methods/subcycled_mpm.h"

#include <algorithm>
#include <cmath>

#include "boundary/motion.h"
#include "core/denormals.h"
#include "core/parallel.h"
#include "core/profile.h"
#include "solvers/methods/elastic_dt.h"
#include "solvers/phases/emission.h"
#include "solvers/phases/mesh_motion.h"
#include "solvers/phases/node_contact.h"
#include "solvers/phases/nozzle_contact.h"
#include "solvers/phases/particle_contact.h"
#include "solvers/phases/sampling_phase.h"
#include "solvers/phases/sorting.h"
#include "solvers/phases/state_guard.h"
#include "solvers/phases/time_keeping.h"

namespace dollop {
namespace {

// body(number, node) for every node: x y z and mass of a field
template <class S, class Body>
void each_node(BlockGrid<S>& blocks, Body&& body) {
  parallel_for(blocks.slots.size(), 16, [&](std::size_t slot) {
    for (std::size_t i = block_nodes * slot; i < block_nodes * (slot + 1); ++i)
      body(node_reals * i, blocks.velocity.data() + node_reals * i);
  });
}

// Points the loops at the fields of this step, which is at rest so far: the momentum has no gravity in it yet.
template <class S>
ImplicitArgs<S> start(SubcycledMpm<S>& mpm) {
  BlockGrid<S>& blocks = mpm.grid.blocks;
  const std::size_t field = slot_reals * (blocks.slots.size() + 1);  // with a block of zeros at the end
  for (AlignedArray<S>* a : {&mpm.displacement, &mpm.force}) a->resize(0), a->resize(field);
  mpm.no_chunks.assign(blocks.slot_of_tile.size() + 1, 0);
  mpm.groups.clear();
  for (const ImplicitMaterial<S>* material : mpm.materials)
    mpm.groups.push_back({material, mpm.no_chunks.data(), nullptr});
  mpm.impacts.clear();
  mpm.grid.args.strained_affine = true;
  S gravity[3];
  for (int d = 0; d < 3; ++d) gravity[d] = mpm.grid.args.dt * mpm.grid.args.gravity[d];
  each_node(blocks, [&](std::size_t, S* node) {
    for (int d = 0; d < 3 && node[3] > S(0); ++d) node[d] -= gravity[d];
  });
  return {&mpm.grid.args, mpm.groups.data(), mpm.displacement.data(), mpm.force.data()};
}

// the laws of a step of dt
template <class S>
void set_laws(const Setup<S>& setup, double dt, StepGrid<S>& grid) {
  for (std::size_t g = 0; g < setup.materials.size(); ++g)
    setup.materials[g].kernels->make_step_law(setup.materials[g].parameters.data(), dt,
                                              grid.step_laws[g].data());
}

// moves the nodes for a part of the step
template <class S>
void drift(S part, SubcycledMpm<S>& mpm) {
  S* u = mpm.displacement.data();
  each_node(mpm.grid.blocks, [&](std::size_t at, const S* node) {
    for (std::size_t d = 0; d < 3; ++d) u[at + d] += part * node[d];
  });
}

// Accelerates the nodes by gravity and by the stress at their displacement, for a part of the step.       (SUB.1)
template <class S>
void kick(S part, const ImplicitArgs<S>& args, SubcycledMpm<S>& mpm) {
  const ScopedPhase phase(Phase::forces);
  BlockGrid<S>& blocks = mpm.grid.blocks;
  parallel_for(blocks.slot_of_tile.size(), 1, [&](std::size_t t) { mpm.kernels->forces(args, int(t)); });
  S gravity[3];
  for (int d = 0; d < 3; ++d) gravity[d] = mpm.grid.args.dt * mpm.grid.args.gravity[d];
  parallel_for(blocks.slots.size(), 8, [&](std::size_t slot) {
    mpm.kernels->sum_tiles(args, int(slot));
    for (std::size_t i = block_nodes * slot; i < block_nodes * (slot + 1); ++i) {
      S* node = blocks.velocity.data() + node_reals * i;
      const S* force = mpm.force.data() + node_reals * i;
      for (int d = 0; d < 3 && node[3] > S(0); ++d) node[d] += part * (gravity[d] - force[d] / node[3]);
    }
  });
}

// adds the impulses of a sub-step to those before
void add_impacts(const SlotImpacts& more, SlotImpacts& sum) {
  sum.resize(more.size());
  for (std::size_t i = 0; i < more.size(); ++i)
    for (const ColliderImpact& one : more[i]) add_impact(sum[i], one);
}

// The motion of the nodes in this step, by as many explicit steps as stability needs: half a drift, a kick, half a drift.
// The particles stay as they are.                                                                     (SUB.1-4)
template <class S>
void subcycle(const MovingColliders& colliders, const Setup<S>& setup, const State<S>& state, double dt,
              SubcycledMpm<S>& mpm) {
  const FlushDenormals flush;
  const double longest = std::min(elastic_dt(setup, state), setup.settings().max_dt);
  const int count = std::max(1, int(std::ceil(dt / longest * (1 - 1e-9))));
  const ImplicitArgs<S> args = start(mpm);
  const double part = dt / count;
  const auto touch = [&](double elapsed, double ahead) {
    drive_nozzles(setup.nozzles, state.time, dt, mpm.grid);
    apply_contacts(colliders, mpm.grid, NodeMotion<S>{mpm.displacement.data(), elapsed, ahead});
    add_impacts(mpm.grid.impacts, mpm.impacts);
  };
  touch(0, part / 2);
  drift(S(0.5 / count), mpm);
  for (int k = 0; k < count; ++k) {
    set_laws(setup, (k + 0.5) * part, mpm.grid);
    kick(S(1.0 / count), args, mpm);
    touch((k + 0.5) * part, part);
    drift(S((k + 1 < count ? 1.0 : 0.5) / count), mpm);  // the halves of two sub-steps are one drift
  }
  set_laws(setup, dt, mpm.grid);
}

}  // namespace

// One subcycled step. Listing: docs/theory/subcycled.md, Algorithm 3.  p: particle, i: grid node.
// Phases 1 to 5 leave the particles unchanged, so a step that phase 5 rejects needs no undoing.
template <class S>
StepReport step(SubcycledMpm<S>& mpm, const Setup<S>& setup, State<S>& state, double dt) {
  StepReport report{.dt = dt};
  StepGrid<S>& grid = mpm.grid;
  const AlignedArray<S>& u = mpm.displacement;
  const MovingColliders colliders(setup.colliders, state.time, dt);

  if (!prepare(colliders, setup, state, grid, report))
    return report;                                             // 1  sort new particles, laws of the step
  damp_motion(setup, grid);                                    //    damping by round trips      (DAMP.1-6)
  momentum_to_grid(grid);                                      // 2  m_i and (mv)_i              (MPM.4-5)
  update_velocity(grid);                                       // 3  v_i = (mv)_i / m_i          (MPM.7)
  subcycle(colliders, setup, state, dt, mpm);                  // 4  v_i and u_i, with contacts  (SUB.1-4)
  if (!check_velocity(u, state, grid, report)) return report;  // 5  finite, |u|, |grad u| small
  const StateGuard<S> guard(setup, state);                     //    where states are near bounds (DT.7)
  grid_to_particles(u, grid, report);                       // 6  v_p, C_p from v_i; F_p, tau_p, x_p from u_i
  if (!guard.accepts(setup, state, report)) return report;  //    it undoes phase 6 otherwise  (DT.7)
  keep_out(colliders, grid, state, report);                 // 7  no particle enters a collider (BC.19-20)
  carry_meshes(setup, u, grid, dt, state);                  //    surface meshes follow         (EMB.1-4)
  advance_time(report, state);                              // 8  the step is accepted
  count_impacts(mpm.impacts, state.tally);                  //    forces on colliders
  remove_threads(setup, state);                             // 9  torn, too thin for the grid  (TEAR.8)
  fill_gaps(colliders, setup, report, state);               // 10 particle resampling          (RES.1-9)
  emit(setup.nozzles, dt, state);                           // 11 particles leave the nozzles  (SEED.10)
  sort_by_block(state);                                     // 12 memory order only, if needed
  return report;
}

template <class S>
std::vector<Column> columns(const SubcycledMpm<S>&, const Settings& settings) {
  return carried_columns(settings);
}

template <class S>
void make_ready(const Setup<S>& setup, const State<S>& state, SubcycledMpm<S>& mpm) {
  const Settings& settings = setup.settings();
  choose_loops(setup, true, mpm.grid);
  update_lists(state, mpm.grid);
  mpm.kernels = setup.loops().implicit(settings.kernel, settings.forces);
  mpm.materials.clear();
  for (const MaterialBinding<S>& material : setup.materials)
    mpm.materials.push_back(
        setup.loops().implicit_material(material.model, material.tears(), StepForces::of_state));
  mpm.interval = mpm.options.interval > 0 ? mpm.options.interval : setup.fading_time;
}

template <class S>
StepLimits step_limits(const SubcycledMpm<S>& mpm, const Setup<S>& setup, const State<S>& state) {
  return {mpm.interval, elastic_dt(setup, state), true};
}

template <class S>
std::size_t bytes(const SubcycledMpm<S>& mpm) {
  return mpm.grid.blocks.bytes() + mpm.grid.damped.bytes() + mpm.displacement.bytes() + mpm.force.bytes();
}

// the grid, and two fields at 0.3 nodes per particle, as for implicit methods
template <class S>
double expected_bytes(const SubcycledMpm<S>&, const Scene& scene, double particles_per_cell) {
  return grid_bytes_per_particle(scene.settings, particles_per_cell) +
         2 * 4 * 0.3 * double(sizeof(S)) * (8 / particles_per_cell);
}

template <class S>
double step_cost(const SubcycledMpm<S>&, const Scene& scene, double dt) {
  return std::max(1.0, std::ceil(dt / elastic_dt(scene)));
}

template <class S>
void after_restore(const State<S>& state, SubcycledMpm<S>& mpm) {
  update_lists(state, mpm.grid);
}

#define DOLLOP_INSTANTIATE(S)                                                                \
  template StepReport step(SubcycledMpm<S>&, const Setup<S>&, State<S>&, double);            \
  template std::vector<Column> columns(const SubcycledMpm<S>&, const Settings&);             \
  template void make_ready(const Setup<S>&, const State<S>&, SubcycledMpm<S>&);              \
  template StepLimits step_limits(const SubcycledMpm<S>&, const Setup<S>&, const State<S>&); \
  template std::size_t bytes(const SubcycledMpm<S>&);                                        \
  template double expected_bytes(const SubcycledMpm<S>&, const Scene&, double);              \
  template double step_cost(const SubcycledMpm<S>&, const Scene&, double);                   \
  template void after_restore(const State<S>&, SubcycledMpm<S>&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
