#include "solvers/methods/admm_mpm.h"

#include <algorithm>
#include <cmath>

#include "core/denormals.h"
#include "core/parallel.h"
#include "core/profile.h"
#include "solvers/methods/admm_system.h"
#include "solvers/methods/implicit_step.h"

namespace dollop {
namespace {

// The residual of a step in its stress form, and its norm in the directions that contacts leave free.
template <class S>
double residual_of(const S* v, ImplicitSystem<S>& system, AdmmSystem<S>& split, AdmmMpm<S>& admm) {
  if (admm.split.options.paper)
    split.true_residual(v, admm.residual.data());
  else
    system.residual(v, admm.residual.data());
  release(admm.residual.data(), admm.contacts);
  set_projections(admm.contacts);
  return system.norm(admm.residual.data());
}

// The start: v^n + dt g, which is the solution of free fall, or that with the accelerations of the last step, whichever has
// the lower residual. Returns the residual of the former.                                            (ADMM.13)
template <class S>
double choose_start(const SolveArgs<S>& args, ImplicitSystem<S>& system, AdmmSystem<S>& split,
                    AdmmMpm<S>& admm) {
  const MovingColliders& colliders = args.obstacles.moving();
  const bool kept = split.expected_velocity(admm.trial.data());
  system.start(admm.velocity.data());
  hold_to_surfaces(colliders, args.report.dt, admm.contacts, admm.velocity.data());
  const double free = residual_of(admm.velocity.data(), system, split, admm);
  if (!kept) return free;
  hold_to_surfaces(colliders, args.report.dt, admm.contacts, admm.trial.data());
  if (residual_of(admm.trial.data(), system, split, admm) < free) admm.velocity.swap(admm.trial);
  return free;
}

// adds x to v; the largest change of a node, and the largest speed after it
struct Motion {
  double change = 0, speed = 0;
};
template <class S>
Motion add(const S* x, S* v, std::size_t n) {
  constexpr std::size_t piece = 1024 * node_reals;
  std::vector<Motion> parts((n + piece - 1) / piece);
  parallel_ranges(n, piece, [&](std::size_t begin, std::size_t end) {
    Motion& most = parts[begin / piece];
    for (std::size_t i = begin; i < end; i += node_reals) {
      double change = 0, speed = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        v[i + d] += x[i + d];
        change += double(x[i + d]) * double(x[i + d]), speed += double(v[i + d]) * double(v[i + d]);
      }
      most.change = std::max(most.change, change), most.speed = std::max(most.speed, speed);
    }
  });
  Motion most;
  for (const Motion& part : parts)
    most.change = std::max(most.change, part.change), most.speed = std::max(most.speed, part.speed);
  return {std::sqrt(most.change), std::sqrt(most.speed)};
}

// Activates the contacts that v violates and releases those, active in the last velocity step, that had to pull there. One
// that is released now is not looked at again before the next velocity step: v is still on its surface. True if any has
// changed.                                                                                                (IMP.7)
template <class S>
bool update_contacts(const MovingColliders& colliders, double dt, const S* impulse, S* v,
                     ImplicitContacts& contacts) {
  std::vector<const SurfaceHold*> pulled;
  for (const HeldNode& node : contacts.nodes)
    for (const SurfaceHold& hold : node.holds)
      if (hold.active && pulls(hold, node, impulse)) pulled.push_back(&hold);
  const HoldChange held = hold_to_surfaces(colliders, dt, contacts, v);
  std::size_t next = 0;
  for (HeldNode& node : contacts.nodes)
    for (SurfaceHold& hold : node.holds)
      if (next < pulled.size() && pulled[next] == &hold) hold.active = false, ++next;
  set_projections(contacts);
  return held.active || !pulled.empty();
}

// Finds v^{n+1} by iterations of ADMM, with contacts; false, and the reason in the report, if they increase the residual.
//                                                                                                      (ADMM.1-14)
template <class S>
bool solve_velocity(AdmmMpm<S>& admm, State<S>& state, const SolveArgs<S>& args) {
  const ScopedPhase phase(Phase::solve);
  const FlushDenormals flush;
  StepReport& report = args.report;
  const MovingColliders& colliders = args.obstacles.moving();
  const AdmmSettings& o = admm.options;
  ImplicitSystem<S> system(args.grid, admm);
  AdmmSystem<S> split(args.grid, state, admm);
  find_contacts(colliders, args.grid.blocks, admm.contacts);
  const double first = choose_start(args, system, split, admm);
  const double least = least_residual(args);
  S *v = admm.velocity.data(), *impulse = admm.trial_residual.data(), *x = admm.change.data();
  split.start(v, impulse);
  for (int k = 1;; ++k) {
    report.inner_iterations += split.solve({o.linear_tolerance, 0, int(o.linear_iterations)}, impulse, x);
    const Motion motion = add(x, v, system.size());
    const bool changed = update_contacts(colliders, report.dt, impulse, v, admm.contacts);
    report.outer_iterations = k;
    const bool settled = !changed && motion.change <= o.tolerance * motion.speed;
    if (settled || k == int(o.iterations) || !std::isfinite(motion.change)) break;
    split.iterate(v, impulse);
  }
  const double now = residual_of(v, system, split, admm);
  report.residual = first > 0 && now > least ? now / first : 0;
  if (std::isfinite(now) && now <= std::max(first, least)) {
    system.balance(v, admm.residual.data());
    split.note_accelerations(v);
    return true;
  }
  report.status = std::isfinite(now) ? Status::not_converged : Status::not_finite;
  return false;
}

}  // namespace

template <class S>
StepReport step(AdmmMpm<S>& admm, const Setup<S>& setup, State<S>& state, double dt) {
  const auto solve = [&](const SolveArgs<S>& args) { return solve_velocity(admm, state, args); };
  return implicit_or_explicit_step(admm, setup, state, dt, solve, [&] { keep_accelerations(admm); });
}

// what the transfer carries, and the acceleration that the next step begins with
template <class S>
std::vector<Column> columns(const AdmmMpm<S>&, const Settings& settings) {
  std::vector<Column> all = carried_columns(settings);
  all.push_back({"acceleration", 3, 0});
  return all;
}

template <class S>
void make_ready(const Setup<S>& setup, const State<S>& state, AdmmMpm<S>& admm) {
  make_loops_ready(setup, state, StepForces::of_state, admm);
  admm.keeps_tangents = false;
  const Settings& settings = setup.settings();
  admm.loops = setup.loops().admm(settings.kernel, settings.forces);
  for (const MaterialBinding<S>& material : setup.materials) {
    admm.tears.push_back(material.tears());
    admm.branches.push_back(setup.loops().admm_material(material.model, material.tears()));
  }
}

template <class S>
std::size_t bytes(const AdmmMpm<S>& admm) {
  std::size_t sum = bytes(static_cast<const ImplicitMpm<S>&>(admm));
  for (const auto* arrays : {&admm.data, &admm.torn_tangents})
    for (const AlignedArray<S>& a : *arrays) sum += a.bytes();
  return sum;
}

// what is kept of the branches, and the vectors of conjugate gradients
template <class S>
double expected_bytes(const AdmmMpm<S>& admm, const Scene& scene, double particles_per_cell) {
  double numbers = 0;
  for (const Material* material : used_materials(scene)) {
    const int model = find_model(material->model);
    if (model < 0) continue;
    const ModelInfo& info = models()[std::size_t(model)];
    const bool tears = info.tears(resolve_parameters(info, material->parameters).data());
    numbers = std::max(numbers, double(admm_reals(info.branches) + (tears ? tangent_reals : 0)));
  }
  return expected_bytes(admm, scene, particles_per_cell, 2) +
         double(sizeof(S)) * 1.1 * (numbers - tangent_reals);
}

template <class S>
double step_cost(const AdmmMpm<S>& admm, const Scene& scene, double dt) {
  const double products = std::min(2.5 * std::sqrt(dt / elastic_dt(scene)), admm.options.linear_iterations);
  return 4 + admm.options.iterations * (1.5 + products);
}

#define DOLLOP_INSTANTIATE(S)                                                \
  template std::vector<Column> columns(const AdmmMpm<S>&, const Settings&);  \
  template StepReport step(AdmmMpm<S>&, const Setup<S>&, State<S>&, double); \
  template void make_ready(const Setup<S>&, const State<S>&, AdmmMpm<S>&);   \
  template std::size_t bytes(const AdmmMpm<S>&);                             \
  template double expected_bytes(const AdmmMpm<S>&, const Scene&, double);   \
  template double step_cost(const AdmmMpm<S>&, const Scene&, double);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
