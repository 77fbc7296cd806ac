#include "solvers/methods/admm_system.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/profile.h"

namespace dollop {

template <class S>
AdmmSystem<S>::AdmmSystem(StepGrid<S>& grid, State<S>& state, AdmmMpm<S>& admm)
    : grid_(grid), blocks_(grid.blocks), admm_(admm) {
  number_batches(state);
  const AdmmSettings& o = admm.options;
  admm.split = {&grid.args,
                admm.batches.data(),
                {S(o.penalty), S(o.relaxation), S(1), AdmmWeights(int(o.weights)), o.stress_form > 0.5},
                nullptr,
                nullptr};
}

// numbers the batches of particles of each group, and allocates what is kept of them
template <class S>
void AdmmSystem<S>::number_batches(State<S>& state) {
  const std::size_t count = grid_.views.size();
  admm_.first_batch.resize(count), admm_.data.resize(count), admm_.torn_tangents.resize(count);
  admm_.batches.clear();
  for (std::size_t g = 0; g < count; ++g) {
    const std::uint32_t* begin = grid_.views[g].begin;
    auto& first = admm_.first_batch[g];
    first.assign(tiles() + 1, 0);
    for (std::size_t t = 0; t < tiles(); ++t)
      first[t + 1] = first[t] + (begin[t + 1] - begin[t] + advance_size - 1) / advance_size;
    const std::size_t numbers = std::size_t(first.back()) * advance_size;
    admm_.data[g].resize(numbers * std::size_t(admm_reals(admm_.branches[g]->branches)));
    if (admm_.tears[g]) admm_.torn_tangents[g].resize(numbers * tangent_reals);
    ParticleGroup<S>& group = state.particles.groups()[g];
    const int acceleration = group.find("acceleration")->first;
    admm_.batches.push_back(
        {admm_.branches[g],
         admm_.materials[g],
         first.data(),
         admm_.data[g].data(),
         admm_.tears[g] ? admm_.torn_tangents[g].data() : nullptr,
         {group.reals(acceleration), group.reals(acceleration + 1), group.reals(acceleration + 2)}});
  }
}

// runs one of the loops over all tiles, and sums the tiles into a field
template <class S>
template <class Loop>
void AdmmSystem<S>::run(Loop&& loop, const S* field, S* sum) {
  admm_.split.field = field, admm_.split.sum = sum;
  parallel_for(tiles(), 1, [&](std::size_t t) { loop(admm_.split, int(t)); });
  parallel_for(blocks_.slots.size(), 16, [&](std::size_t i) { admm_.loops->sum_tiles(admm_.split, int(i)); });
}

// m (v - v^n - dt g) - forces; both may be the same field
template <class S>
void AdmmSystem<S>::residual_from(const S* forces, const S* v, S* residual) const {
  const S* grid = blocks_.velocity.data();
  parallel_ranges(size() / node_reals, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = node_reals * begin; i < node_reals * end; i += node_reals) {
      const S mass = grid[i + 3];
      for (std::size_t d = 0; d < 3; ++d)
        residual[i + d] = mass > S(0) ? mass * (v[i + d] - grid[i + d]) - forces[i + d] : S(0);
      residual[i + 3] = S(0);
    }
  });
}

template <class S>
void AdmmSystem<S>::start(const S* v, S* residual) {
  const ScopedPhase phase(Phase::tangent);
  run(admm_.loops->start, v, residual);
  residual_from(residual, v, residual);
  S* scale = admm_.preconditioner.scale.data();
  run(admm_.loops->diagonal, v, scale);
  const S* grid = blocks_.velocity.data();
  parallel_ranges(size() / node_reals, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = node_reals * begin; i < node_reals * end; i += node_reals) {
      for (std::size_t d = 0; d < 3; ++d)
        scale[i + d] = grid[i + 3] > S(0) ? S(1) / std::sqrt(grid[i + 3] + scale[i + d]) : S(0);
      scale[i + 3] = S(0);
    }
  });
}

template <class S>
AdmmSums AdmmSystem<S>::iterate(const S* v, S* residual) {
  const ScopedPhase phase(Phase::local_steps);
  std::vector<AdmmSums> sums(tiles());
  const auto loop = [&](const AdmmArgs<S>& args, int tile) {
    sums[std::size_t(tile)] = admm_.loops->iterate(args, tile);
  };
  run(loop, v, residual);
  residual_from(residual, v, residual);
  AdmmSums all;
  for (const AdmmSums& one : sums) all.primal += one.primal, all.unsolved += one.unsolved;
  return all;
}

template <class S>
void AdmmSystem<S>::true_residual(const S* v, S* residual) {
  const ScopedPhase phase(Phase::forces);
  run(admm_.loops->forces, v, residual);
  const S* grid = blocks_.velocity.data();
  parallel_ranges(size() / node_reals, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = node_reals * begin; i < node_reals * end; i += node_reals)
      for (std::size_t d = 0; d < 3; ++d)
        residual[i + d] =
            grid[i + 3] > S(0) ? grid[i + 3] * (v[i + d] - grid[i + d]) + residual[i + d] : S(0);
  });
}

// y = S z
template <class S>
void AdmmSystem<S>::multiply(const S* z, S* y) {
  const ScopedPhase phase(Phase::product);
  run(admm_.loops->product, z, y);
  const S* grid = blocks_.velocity.data();
  parallel_ranges(size() / node_reals, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = node_reals * begin; i < node_reals * end; i += node_reals) {
      for (std::size_t d = 0; d < 3; ++d) y[i + d] += grid[i + 3] * z[i + d];
      y[i + 3] = S(0);
    }
  });
}

// Conjugate gradients in the directions that contacts leave free, scaled by the diagonal, which commutes with the
// projection as it is the same for all components. The residual itself is not projected: at nodes in contact it is the
// contact impulse.
template <class S>
int AdmmSystem<S>::solve(const KrylovOptions& options, S* residual, S* x) {
  const std::size_t n = size();
  S *p = admm_.krylov.vector(0, n), *q = admm_.krylov.vector(1, n), *free = admm_.work.data();
  const S* s = admm_.preconditioner.scale.data();
  const auto free_part = [&] {
    std::copy(residual, residual + n, free);
    project(admm_.contacts, free);
    return sum_numbers(n, [=](std::size_t i) {
      const double scaled = double(s[i]) * double(free[i]);
      return scaled * scaled;
    });
  };
  double square = free_part();
  const double goal = options.relative * options.relative * square;
  for_numbers(n, [=](std::size_t i) { x[i] = S(0), p[i] = -s[i] * (s[i] * free[i]); });
  int products = 0;
  while (products < options.max_iterations && square > goal && std::isfinite(square)) {
    multiply(p, q);
    ++products;
    const double curvature = dot(p, q, n), step = square / curvature;
    if (!(curvature > 0) || !std::isfinite(step)) break;
    for_numbers(n, [=](std::size_t i) {
      x[i] = S(double(x[i]) + step * double(p[i]));
      residual[i] = S(double(residual[i]) + step * double(q[i]));
    });
    const double next = free_part(), ratio = next / square;
    square = next;
    for_numbers(n, [=](std::size_t i) {
      p[i] = S(ratio * double(p[i]) - double(s[i]) * (double(s[i]) * double(free[i])));
    });
  }
  return products;
}

template <class S>
bool AdmmSystem<S>::expected_velocity(S* v) {
  S* gained = admm_.work.data();
  run(admm_.loops->scatter_acceleration, v, gained);
  const S *grid = blocks_.velocity.data(), dt = grid_.args.dt;
  std::vector<char> any(blocks_.slots.size(), 0);
  parallel_for(blocks_.slots.size(), 16, [&](std::size_t slot) {
    for (std::size_t i = slot_reals * slot; i < slot_reals * (slot + 1); i += node_reals)
      for (std::size_t d = 0; d < 3; ++d) {
        const S change = grid[i + 3] > S(0) ? dt * gained[i + d] / grid[i + 3] : S(0);
        any[slot] = any[slot] || change != S(0);
        v[i + d] = grid[i + d] + change;
      }
  });
  return std::find(any.begin(), any.end(), 1) != any.end();
}

template <class S>
void AdmmSystem<S>::note_accelerations(const S* v) {
  const S *grid = blocks_.velocity.data(), rate = S(1) / grid_.args.dt;
  S* noted = admm_.trial.data();
  parallel_ranges(size() / node_reals, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = node_reals * begin; i < node_reals * end; i += node_reals)
      for (std::size_t d = 0; d < 3; ++d)
        noted[i + d] = grid[i + 3] > S(0) ? rate * (v[i + d] - grid[i + d]) : S(0);
  });
}

template <class S>
void keep_accelerations(AdmmMpm<S>& admm) {
  admm.split.field = admm.trial.data();
  const std::size_t tiles = admm.explicit_mpm.grid.blocks.slot_of_tile.size();
  parallel_for(tiles, 1, [&](std::size_t t) { admm.loops->gather_acceleration(admm.split, int(t)); });
}

#define DOLLOP_INSTANTIATE(S)   \
  template class AdmmSystem<S>; \
  template void keep_accelerations(AdmmMpm<S>&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
