#include "solvers/methods/newton_solve.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "boundary/motion.h"
#include "core/denormals.h"
#include "core/parallel.h"
#include "core/profile.h"

namespace dollop {
namespace {

constexpr double shortest_line_search = 1.0 / 16;  // relative to the Newton step
constexpr double worst_residual = 0.1;  // largest residual of an accepted step, relative to the first

// The equations of one step: R(v) = m (v - v^n - dt g) + dt sum V tau f^-T grad w = contact impulses        (IMP.1)
template <class S>
class System {
 public:
  System(StepGrid<S>& grid, NewtonMpm<S>& newton) : grid_(grid), blocks_(grid.blocks), newton_(newton) {
    const std::size_t field = slot_reals * (blocks_.slots.size() + 1);  // with a block of zeros at the end
    for (AlignedArray<S>* a : {&newton.velocity, &newton.residual, &newton.change, &newton.trial,
                               &newton.trial_residual, &newton.work, &newton.scale}) {
      a->resize(0);
      a->resize(field);
    }
    number_chunks();
  }
  std::size_t size() const { return slot_reals * blocks_.slots.size(); }

  // the initial guess v^n + dt g
  void start(S* v) const {
    each_node([&](std::size_t i, const S* node) {
      for (std::size_t d = 0; d < 3; ++d) v[node_reals * i + d] = node[d];
    });
  }

  void residual(const S* v, S* r) {
    const ScopedPhase phase(Phase::forces);
    run(newton_.kernels->forces, v, r);
    each_node([&](std::size_t i, const S* node) {
      for (std::size_t d = 0; d < 3; ++d)
        r[node_reals * i + d] =
            node[3] > S(0) ? r[node_reals * i + d] + node[3] * (v[node_reals * i + d] - node[d]) : S(0);
    });
  }

  // tangents at v, and 1/sqrt of the diagonal                                                    (IMP.4, IMP.9)
  void linearise(const S* v) {
    const ScopedPhase phase(Phase::tangent);
    newton_.args.field = v;
    parallel_for(tiles(), 1, [&](std::size_t t) { newton_.kernels->linearise(newton_.args, int(t)); });
    S* scale = newton_.scale.data();
    run(newton_.kernels->diagonal, v, scale);
    each_node([&](std::size_t i, const S* node) {
      for (std::size_t d = 0; d < 3; ++d)
        scale[node_reals * i + d] =
            node[3] > S(0) ? S(1) / std::sqrt(node[3] + scale[node_reals * i + d]) : S(0);
      scale[node_reals * i + 3] = S(0);
    });
  }

  // y = s P (m + K) P s x, where s is the scale and P the projection of contacts                          (IMP.6)
  void apply(const S* x, S* y) {
    S* z = newton_.work.data();
    unscale(x, z);
    multiply(z, y);
    each_node([&](std::size_t i, const S* node) {
      for (std::size_t d = 0; d < 3; ++d) y[node_reals * i + d] += node[3] * z[node_reals * i + d];
    });
    project(newton_.contacts, y);
    scale(y, y);
  }
  // the velocity change from the scaled unknowns
  void unscale(const S* x, S* z) {
    scale(x, z);
    project(newton_.contacts, z);
  }
  void scale(const S* x, S* y) const {
    const S* s = newton_.scale.data();
    parallel_ranges(size(), 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) y[i] = s[i] * x[i];
    });
  }

  // sqrt(sum |P R|^2 / m): a velocity times the root of a mass                                            (IMP.6)
  double norm(const S* r) {
    S* free = newton_.work.data();
    std::copy(r, r + size(), free);
    project(newton_.contacts, free);
    std::vector<double> sums(blocks_.slots.size());
    parallel_for(sums.size(), 16, [&](std::size_t slot) {
      for (std::size_t i = block_nodes * slot; i < block_nodes * (slot + 1); ++i) {
        const double mass = double(blocks_.velocity[node_reals * i + 3]);
        if (!(mass > 0)) continue;
        double square = 0;
        for (std::size_t d = 0; d < 3; ++d)
          square += double(free[node_reals * i + d]) * double(free[node_reals * i + d]);
        sums[slot] += square / mass;
      }
    });
    double sum = 0;
    for (const double s : sums) sum += s;
    return std::sqrt(sum);
  }

  // The norm of the residual that rounding alone can cause: one unit in the last place of the nodal velocities, and of
  // the velocity h/dt that corresponds to a strain increment of one, times the diagonal of the system      (IMP.10)
  double rounding(const S* v, double cell_size, double dt) const {
    std::vector<double> sums(blocks_.slots.size());
    parallel_for(sums.size(), 16, [&](std::size_t slot) {
      for (std::size_t i = block_nodes * slot; i < block_nodes * (slot + 1); ++i) {
        const double mass = double(blocks_.velocity[node_reals * i + 3]);
        if (!(mass > 0)) continue;
        for (std::size_t d = 0; d < 3; ++d) {
          const double scale = double(newton_.scale[node_reals * i + d]);
          const double r = (std::fabs(double(v[node_reals * i + d])) + cell_size / dt) / (scale * scale);
          sums[slot] += r * r / mass;
        }
      }
    });
    double sum = 0;
    for (const double s : sums) sum += s;
    return double(std::numeric_limits<S>::epsilon()) * std::sqrt(sum);
  }

 private:
  void multiply(const S* z, S* y) {
    const ScopedPhase phase(Phase::product);
    run(newton_.kernels->product, z, y);
  }
  std::size_t tiles() const { return blocks_.slot_of_tile.size(); }

  template <class Body>
  void each_node(Body&& body) const {
    parallel_for(blocks_.slots.size(), 16, [&](std::size_t slot) {
      for (std::size_t i = block_nodes * slot; i < block_nodes * (slot + 1); ++i)
        body(i, blocks_.velocity.data() + node_reals * i);
    });
  }

  // runs one of the loops over all tiles, and sums the tiles into a field
  void run(void (*loop)(const ImplicitArgs<S>&, int), const S* field, S* sum) {
    newton_.args.field = field, newton_.args.sum = sum;
    parallel_for(tiles(), 1, [&](std::size_t t) { loop(newton_.args, int(t)); });
    parallel_for(blocks_.slots.size(), 16,
                 [&](std::size_t i) { newton_.kernels->sum_tiles(newton_.args, int(i)); });
  }

  // numbers the chunks of particles of each group, and allocates their tangents
  void number_chunks() {
    const std::size_t count = grid_.views.size();
    newton_.first_chunk.resize(count), newton_.tangents.resize(count);
    newton_.groups.clear();
    for (std::size_t g = 0; g < count; ++g) {
      const std::uint32_t* begin = grid_.views[g].begin;
      auto& first = newton_.first_chunk[g];
      first.assign(tiles() + 1, 0);
      for (std::size_t t = 0; t < tiles(); ++t)
        first[t + 1] = first[t] + (begin[t + 1] - begin[t] + chunk_size - 1) / chunk_size;
      newton_.tangents[g].resize(std::size_t(first.back()) * tangent_reals * chunk_size);
      newton_.groups.push_back({newton_.materials[g], first.data(), newton_.tangents[g].data()});
    }
    newton_.args = {&grid_.args, newton_.groups.data(), nullptr, nullptr};
  }

  StepGrid<S>& grid_;
  BlockGrid<S>& blocks_;
  NewtonMpm<S>& newton_;
};

// Solves the linear system of a Newton step for the velocity change. Returns the number of iterations.   (IMP.6)
template <class S>
int solve_linear(System<S>& system, NewtonMpm<S>& newton) {
  S *b = newton.trial_residual.data(), *x = newton.trial.data();
  const std::size_t n = system.size();
  std::copy(newton.residual.data(), newton.residual.data() + n, b);
  project(newton.contacts, b);
  system.scale(b, b);
  parallel_ranges(n, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) b[i] = -b[i];
  });
  const KrylovOptions options{newton.options.linear_tolerance, 0, int(newton.options.linear_iterations)};
  const auto apply = [&](const S* from, S* to) { system.apply(from, to); };
  const KrylovReport report = newton.symmetric ? minres(apply, b, x, n, options, newton.krylov)
                                               : gmres(apply, b, x, n, options, newton.krylov);
  system.unscale(x, newton.change.data());
  return report.iterations;
}

// Backtracking line search: takes the first step length of 1, 1/2, ... that reduces the residual, or else the shortest.
// Returns the norm of the residual there.
template <class S>
double line_search(double before, System<S>& system, NewtonMpm<S>& newton) {
  for (double part = 1;; part /= 2) {
    const S *v = newton.velocity.data(), *change = newton.change.data();
    S* moved = newton.trial.data();
    parallel_ranges(system.size(), 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) moved[i] = v[i] + S(part) * change[i];
    });
    system.residual(moved, newton.trial_residual.data());
    const double after = system.norm(newton.trial_residual.data());
    if (after < before || part <= shortest_line_search) {
      newton.velocity.swap(newton.trial);
      newton.residual.swap(newton.trial_residual);
      return after;
    }
  }
}

// The absolute tolerance of the residual, whatever the first one was: the residual of gravity over 1e-4 of the step
template <class S>
double least_residual(const Double3& g, const BlockGrid<S>& grid, double dt) {
  double mass = 0;
  for (std::size_t i = 0; i < block_nodes * grid.slots.size(); ++i)
    mass += double(grid.velocity[node_reals * i + 3]);
  return 1e-4 * dt * std::sqrt((g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * mass);
}

}  // namespace

template <class S>
bool solve_velocity(const Obstacles& obstacles, const Setup<S>& setup, const State<S>& state,
                    StepGrid<S>& grid, NewtonMpm<S>& newton, StepReport& report) {
  const ScopedPhase phase(Phase::solve);
  const Settings& settings = setup.settings();
  const Double3 gravity = value_at(settings.gravity, state.time);
  const FlushDenormals flush;
  System<S> system(grid, newton);
  find_contacts(obstacles.moving(), grid.blocks, newton.contacts);
  system.start(newton.velocity.data());
  const double enough = least_residual(gravity, grid.blocks, report.dt);
  double first = 0, now = 0, before = 0;
  int idle = 0;        // iterations in a row that reduced the residual by less than half
  bool known = false;  // whether the residual belongs to the current velocity
  for (int k = 0;; ++k) {
    const HoldChange held =
        hold_to_surfaces(obstacles.moving(), report.dt, newton.contacts, newton.velocity.data());
    if (held.velocity || !known) system.residual(newton.velocity.data(), newton.residual.data());
    const bool released = release(newton.residual.data(), newton.contacts);
    set_projections(newton.contacts);
    now = system.norm(newton.residual.data());
    if (k == 0) first = now;
    report.outer_iterations = k;
    report.residual = first > 0 && now > enough ? now / first : 0;
    if (!std::isfinite(now)) break;
    const bool settled = !held.active && !released;
    if (settled && now <= std::max(newton.options.tolerance * first, enough)) return true;
    idle = k > 0 && now > 0.5 * before ? idle + 1 : 0;
    if (settled && idle >= 2) {
      const double rounding = system.rounding(newton.velocity.data(), settings.cell_size, report.dt);
      if (now <= rounding) {  // the residual is at the level of rounding
        if (first <= rounding) report.residual = 0;
        return true;
      }
    }
    before = now;
    if (k == int(newton.options.iterations)) break;
    system.linearise(newton.velocity.data());
    report.inner_iterations += solve_linear(system, newton);
    line_search(now, system, newton);
    known = true;
  }
  if (now <= std::max(worst_residual * first, enough)) return true;
  report.status = std::isfinite(now) ? Status::not_converged : Status::not_finite;
  return false;
}

template <class S>
void apply_friction(const MovingColliders& colliders, const NewtonMpm<S>& newton, StepGrid<S>& grid) {
  const ScopedPhase phase(Phase::contact);
  BlockGrid<S>& blocks = grid.blocks;
  const S* v = newton.velocity.data();
  parallel_for(blocks.slots.size(), 16, [&](std::size_t slot) {
    for (std::size_t i = block_nodes * slot; i < block_nodes * (slot + 1); ++i)
      for (std::size_t d = 0; d < 3; ++d) blocks.velocity[node_reals * i + d] = v[node_reals * i + d];
  });
  apply_friction(newton.contacts, v, newton.residual.data(), colliders.size(), blocks, grid.impacts);
}

#define DOLLOP_INSTANTIATE(S)                                                                    \
  template bool solve_velocity(const Obstacles&, const Setup<S>&, const State<S>&, StepGrid<S>&, \
                               NewtonMpm<S>&, StepReport&);                                      \
  template void apply_friction(const MovingColliders&, const NewtonMpm<S>&, StepGrid<S>&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
