#include "solvers/methods/implicit_system.h"

#include <algorithm>
#include <cmath>

#include "boundary/motion.h"
#include "core/parallel.h"
#include "core/profile.h"

namespace dollop {

template <class S>
ImplicitSystem<S>::ImplicitSystem(StepGrid<S>& grid, ImplicitMpm<S>& mpm)
    : grid_(grid), blocks_(grid.blocks), mpm_(mpm) {
  const std::size_t field = slot_reals * (blocks_.slots.size() + 1);  // with a block of zeros at the end
  for (AlignedArray<S>* a : {&mpm.velocity, &mpm.residual, &mpm.change, &mpm.trial, &mpm.trial_residual,
                             &mpm.work, &mpm.preconditioner.scale}) {
    a->resize(0);
    a->resize(field);
  }
  if (mpm.preconditioner.kind == Preconditioning::blocks)
    for (AlignedArray<S>* a : {&mpm.preconditioner.diagonal, &mpm.preconditioner.off_diagonal})
      a->resize(field);
  number_chunks();
}

template <class S>
void ImplicitSystem<S>::start(S* v) const {
  each_node([&](std::size_t i, const S* node) {
    for (std::size_t d = 0; d < 3; ++d) v[node_reals * i + d] = node[d];
  });
}

template <class S>
void ImplicitSystem<S>::residual(const S* v, S* r) {
  const ScopedPhase phase(Phase::forces);
  run(mpm_.kernels->forces, v, r);
  add_momentum(v, r);
}

template <class S>
void ImplicitSystem<S>::add_momentum(const S* v, S* r) const {
  each_node([&](std::size_t i, const S* node) {
    for (std::size_t d = 0; d < 3; ++d)
      r[node_reals * i + d] =
          node[3] > S(0) ? r[node_reals * i + d] + node[3] * (v[node_reals * i + d] - node[d]) : S(0);
  });
}

template <class S>
void ImplicitSystem<S>::linearise(const S* v) {
  const ScopedPhase phase(Phase::tangent);
  mpm_.args.field = v;
  parallel_for(tiles(), 1, [&](std::size_t t) { mpm_.kernels->linearise(mpm_.args, int(t)); });
  precondition();
}

template <class S>
void ImplicitSystem<S>::make_definite() {
  const ScopedPhase phase(Phase::tangent);
  parallel_for(tiles(), 1, [&](std::size_t t) { mpm_.kernels->make_definite(mpm_.args, int(t)); });
  precondition();
}

template <class S>
void ImplicitSystem<S>::precondition() {
  NodePreconditioner<S>& made = mpm_.preconditioner;
  S* scale = made.scale.data();
  run(mpm_.kernels->diagonal, nullptr, scale);
  each_node([&](std::size_t i, const S* node) {
    for (std::size_t d = 0; d < 3; ++d)
      scale[node_reals * i + d] =
          node[3] > S(0) ? S(1) / std::sqrt(node[3] + scale[node_reals * i + d]) : S(0);
    scale[node_reals * i + 3] = S(0);
  });
  if (made.kind != Preconditioning::blocks) return;
  const auto part = [&](int p) {
    return [&, p](const ImplicitArgs<S>& args, int tile) { mpm_.kernels->node_blocks(args, tile, p); };
  };
  run(part(0), nullptr, made.diagonal.data());
  run(part(1), nullptr, made.off_diagonal.data());
  made.factorise(blocks_.velocity.data(), size() / node_reals);
}

template <class S>
void ImplicitSystem<S>::multiply(const S* z, S* y) {
  {
    const ScopedPhase phase(Phase::product);
    run(mpm_.kernels->product, z, y);
  }
  each_node([&](std::size_t i, const S* node) {
    for (std::size_t d = 0; d < 3; ++d) y[node_reals * i + d] += node[3] * z[node_reals * i + d];
  });
}

template <class S>
void ImplicitSystem<S>::apply(const S* x, S* y) {
  S* z = mpm_.work.data();
  unscale(x, z);
  if (mpm_.preconditioner.kind != Preconditioning::jacobi) {
    multiply(z, y);
    project(mpm_.contacts, y);
    mpm_.preconditioner.apply(y, y, size() / node_reals);
    return;
  }
  {
    const ScopedPhase phase(Phase::product);
    run(mpm_.kernels->product, z, y);
  }
  // y = s P (y + m z) in one pass over the grid, but for the held nodes, which come first
  const S* nodes = blocks_.velocity.data();
  for (const HeldNode& node : mpm_.contacts.nodes) {
    if (node.rank == 0) continue;
    const std::size_t at = node_reals * node.node;
    for (std::size_t d = 0; d < 3; ++d) y[at + d] += nodes[at + 3] * z[at + d], z[at + d] = S(0);
  }
  project(mpm_.contacts, y);
  const S* s = mpm_.preconditioner.scale.data();
  parallel_ranges(size() / node_reals, 1024, [=](std::size_t begin, std::size_t end) {
    for (std::size_t at = node_reals * begin; at < node_reals * end; at += node_reals)
      for (std::size_t d = 0; d < node_reals; ++d)
        y[at + d] = s[at + d] * (y[at + d] + nodes[at + 3] * z[at + d]);
  });
}

template <class S>
void ImplicitSystem<S>::right_hand_side(const S* r, S* b) {
  std::copy(r, r + size(), b);
  project(mpm_.contacts, b);
  mpm_.preconditioner.apply(b, b, size() / node_reals);
  parallel_ranges(size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) b[i] = -b[i];
  });
}

template <class S>
void ImplicitSystem<S>::unscale(const S* x, S* z) {
  mpm_.preconditioner.apply_transposed(x, z, size() / node_reals);
  project(mpm_.contacts, z);
}

// the sum of term(node, mass) over the nodes with mass, in the order of the slots
template <class S>
template <class Term>
double ImplicitSystem<S>::sum_over_nodes(Term&& term) const {
  std::vector<double> sums(blocks_.slots.size());
  parallel_for(sums.size(), 16, [&](std::size_t slot) {
    for (std::size_t i = block_nodes * slot; i < block_nodes * (slot + 1); ++i) {
      const double mass = double(blocks_.velocity[node_reals * i + 3]);
      if (mass > 0) sums[slot] += term(node_reals * i, mass);
    }
  });
  double sum = 0;
  for (const double s : sums) sum += s;
  return sum;
}

template <class S>
double ImplicitSystem<S>::norm(const S* r) {
  S* free = mpm_.work.data();
  std::copy(r, r + size(), free);
  project(mpm_.contacts, free);
  return std::sqrt(sum_over_nodes([&](std::size_t at, double mass) {
    double square = 0;
    for (std::size_t d = 0; d < 3; ++d) square += double(free[at + d]) * double(free[at + d]);
    return square / mass;
  }));
}

template <class S>
void ImplicitSystem<S>::balance(S* v, S* r) const {
  const auto& nodes = mpm_.contacts.nodes;
  if (std::any_of(nodes.begin(), nodes.end(), [](const HeldNode& node) { return node.rank > 0; })) return;
  const double mass = sum_over_nodes([](std::size_t, double m) { return m; });
  if (!(mass > 0)) return;
  Double3 shift;
  for (std::size_t d = 0; d < 3; ++d)
    shift[d] = -sum_over_nodes([&](std::size_t at, double) { return double(r[at + d]); }) / mass;
  each_node([&](std::size_t i, const S* node) {
    if (!(node[3] > S(0))) return;
    for (std::size_t d = 0; d < 3; ++d) {
      v[node_reals * i + d] += S(shift[d]);
      r[node_reals * i + d] += node[3] * S(shift[d]);
    }
  });
}

// One unit in the last place of the nodal velocities, and of the velocity h/dt that corresponds to a strain increment of
// one, times the diagonal of the system.
template <class S>
double ImplicitSystem<S>::rounding(const S* v, double cell_size, double dt) const {
  const double sum = sum_over_nodes([&](std::size_t at, double mass) {
    double square = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double scale = double(mpm_.preconditioner.scale[at + d]);
      const double r = (std::fabs(double(v[at + d])) + cell_size / dt) / (scale * scale);
      square += r * r / mass;
    }
    return square;
  });
  return double(std::numeric_limits<S>::epsilon()) * std::sqrt(sum);
}

template <class S>
double ImplicitSystem<S>::product(const S* r, const S* z) const {
  return sum_over_nodes([&](std::size_t at, double) {
    double sum = 0;
    for (std::size_t d = 0; d < 3; ++d) sum += double(r[at + d]) * double(z[at + d]);
    return sum;
  });
}

template <class S>
double ImplicitSystem<S>::kinetic_energy(const S* v) const {
  return sum_over_nodes([&](std::size_t at, double mass) {
    double square = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double change = double(v[at + d]) - double(blocks_.velocity[at + d]);
      square += change * change;
    }
    return 0.5 * mass * square;
  });
}

template <class S>
Energy ImplicitSystem<S>::energy(const S* v) {
  const ScopedPhase phase(Phase::forces);
  mpm_.args.field = v;
  mpm_.energies.resize(tiles());
  parallel_for(tiles(), 1,
               [&](std::size_t t) { mpm_.energies[t] = mpm_.kernels->potential(mpm_.args, int(t)); });
  return total_energy(v);
}

template <class S>
Energy ImplicitSystem<S>::energy(const S* v, S* r) {
  const ScopedPhase phase(Phase::forces);
  mpm_.energies.resize(tiles());
  const auto loop = [&](const ImplicitArgs<S>& args, int tile) {
    mpm_.energies[std::size_t(tile)] = mpm_.kernels->forces_and_potential(args, tile);
  };
  run(loop, v, r);
  add_momentum(v, r);
  return total_energy(v);
}

// with the potentials of the tiles
template <class S>
Energy ImplicitSystem<S>::total_energy(const S* v) const {
  const double kinetic = kinetic_energy(v);
  Energy all{kinetic, kinetic};
  for (const double part : mpm_.energies) all.sum += part, all.size += std::fabs(part);
  return all;
}

template <class S>
template <class Body>
void ImplicitSystem<S>::each_node(Body&& body) const {
  parallel_for(blocks_.slots.size(), 16, [&](std::size_t slot) {
    for (std::size_t i = block_nodes * slot; i < block_nodes * (slot + 1); ++i)
      body(i, blocks_.velocity.data() + node_reals * i);
  });
}

// runs one of the loops over all tiles, and sums the tiles into a field
template <class S>
template <class Loop>
void ImplicitSystem<S>::run(Loop&& loop, const S* field, S* sum) {
  mpm_.args.field = field, mpm_.args.sum = sum;
  parallel_for(tiles(), 1, [&](std::size_t t) { loop(mpm_.args, int(t)); });
  parallel_for(blocks_.slots.size(), 16, [&](std::size_t i) { mpm_.kernels->sum_tiles(mpm_.args, int(i)); });
}

// numbers the chunks of particles of each group, and allocates their tangents
template <class S>
void ImplicitSystem<S>::number_chunks() {
  const std::size_t count = grid_.views.size();
  mpm_.first_chunk.resize(count), mpm_.tangents.resize(count);
  mpm_.groups.clear();
  for (std::size_t g = 0; g < count; ++g) {
    const std::uint32_t* begin = grid_.views[g].begin;
    auto& first = mpm_.first_chunk[g];
    first.assign(tiles() + 1, 0);
    for (std::size_t t = 0; t < tiles(); ++t)
      first[t + 1] = first[t] + (begin[t + 1] - begin[t] + chunk_size - 1) / chunk_size;
    if (mpm_.keeps_tangents) mpm_.tangents[g].resize(std::size_t(first.back()) * tangent_reals * chunk_size);
    mpm_.groups.push_back({mpm_.materials[g], first.data(), mpm_.tangents[g].data()});
  }
  mpm_.args = {&grid_.args, mpm_.groups.data(), nullptr, nullptr};
}

// The residual of gravity over 1e-4 of the step.
template <class S>
double least_residual(const SolveArgs<S>& args) {
  const Double3 g = value_at(args.setup.settings().gravity, args.state.time);
  const BlockGrid<S>& grid = args.grid.blocks;
  double mass = 0;
  for (std::size_t i = 0; i < block_nodes * grid.slots.size(); ++i)
    mass += double(grid.velocity[node_reals * i + 3]);
  return 1e-4 * args.report.dt * std::sqrt((g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * mass);
}

template <class S>
void apply_friction(const MovingColliders& colliders, const ImplicitMpm<S>& mpm, StepGrid<S>& grid) {
  const ScopedPhase phase(Phase::contact);
  BlockGrid<S>& blocks = grid.blocks;
  const S* v = mpm.velocity.data();
  parallel_for(blocks.slots.size(), 16, [&](std::size_t slot) {
    for (std::size_t i = block_nodes * slot; i < block_nodes * (slot + 1); ++i)
      for (std::size_t d = 0; d < 3; ++d) blocks.velocity[node_reals * i + d] = v[node_reals * i + d];
  });
  apply_friction(mpm.contacts, v, mpm.residual.data(), colliders.size(), blocks, grid.impacts);
}

#define DOLLOP_INSTANTIATE(S)                          \
  template class ImplicitSystem<S>;                    \
  template double least_residual(const SolveArgs<S>&); \
  template void apply_friction(const MovingColliders&, const ImplicitMpm<S>&, StepGrid<S>&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
