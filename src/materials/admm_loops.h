// The local step of ADMM as loops over batches of particles. Included by the unit of each model only, which
// cmake/materials.cmake makes. Theory: docs/theory/admm.md.
#pragma once

#include <utility>

#include "materials/branch_step.h"
#include "materials/lagged_step.h"
#include "materials/model_loops.h"
#include "materials/state_columns.h"
#include "materials/tearing.h"
#include "math/pack_pair.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

template <class Model, class S, bool tears>
struct AdmmLoops {
  using Law = StepLawOf<Model, S>;
  // closed forms are long chains of operations: two packs at a time; dual numbers are enough work for one
  static constexpr bool is_hencky = requires(const Law& l) { l.template branch_elasticity<0>(); };
  using R = std::conditional_t<is_hencky, PackPair<S>, Pack<S>>;
  using State = typename Model::template State<R>;
  static constexpr int branches = Law::branches;
  using Branches = std::make_integer_sequence<int, branches>;
  using Lagged = LaggedStep<Model, S>;

  static DOLLOP_INLINE const Law& law_of(const void* step_law) {
    if constexpr (tears)
      return static_cast<const StepLawOf<Tearing<Model>, S>*>(step_law)->base;
    else
      return *static_cast<const Law*>(step_law);
  }
  // the columns of a material that tears begin with those of its model
  static DOLLOP_INLINE State load(const Law& l, const AdmmBatch<S>& batch, int k) {
    State s = load_state<State, R>(batch.state, batch.first + std::size_t(k));
    if constexpr (requires { l.begin_step(s); }) l.begin_step(s);
    return s;
  }
  template <int B>
  static DOLLOP_INLINE BranchStep<B, is_hencky, Law, State, R> branch(const Law& l, const State& before,
                                                                      bool paper) {
    return {l, before, paper};
  }
  static constexpr int data_of(int b) { return advance_size * (admm_shared + admm_branch * b); }

  // the weights of all branches; a branch without stiffness gets a small part of that of the others     (ADMM.6)
  template <int... B>
  static DOLLOP_INLINE void set_weights(const AdmmOptions<S>& o, const Law& l, const State& before,
                                        const Mat3<R>& du, const R& volume, R (&k)[branches],
                                        std::integer_sequence<int, B...>) {
    const R zero = R(S(0));
    ((k[B] = branch_acts<B>(l) ? branch<B>(l, before, o.paper).weight(o, du, volume) : zero), ...);
    R most = k[0];
    for (int b = 1; b < branches; ++b) most = max(most, k[b]);
    for (int b = 0; b < branches; ++b) k[b] = max(k[b], R(S(1e-3)) * most);
  }

  static void start(const AdmmOptions<S>& o, const void* step_law, const AdmmBatch<S>& batch, S* force) {
    const Law l = law_of(step_law);
    for (int i = 0; i < batch.count; i += R::lanes) {
      const State before = load(l, batch, i);
      const Mat3<R> du = load_matrix<R>(batch.du + i);
      R k[branches];
      set_weights(o, l, before, du, R::load(batch.volume + i), k, Branches{});
      SymMat3<R> shared = SymMat3<R>::diagonal(R(S(0)));
      Mat3<R> sum = to_mat3(shared);
      const auto add = [&]<int B>(std::integral_constant<int, B>) DOLLOP_INLINE_LAMBDA {
        if (!branch_acts<B>(l)) return;
        branch<B>(l, before, o.paper).start(du, k[B], batch.data + data_of(B) + i, shared, sum);
      };
      [&]<int... B>(std::integer_sequence<int, B...>) DOLLOP_INLINE_LAMBDA {
        (add(std::integral_constant<int, B>{}), ...);
      }
      (Branches{});
      store_symmetric(shared, batch.data + i);
      store_matrix(sum, force + i);
    }
    if constexpr (tears) Lagged::start(step_law, batch, branches, force);
  }

  static void iterate(const AdmmOptions<S>& o, const void* step_law, const AdmmBatch<S>& batch, S* force,
                      AdmmSums& sums) {
    const Law l = law_of(step_law);
    [[maybe_unused]] LaggedResults<S> lagged;
    if constexpr (tears) Lagged::iterate(o, batch, lagged);
    for (int i = 0; i < batch.count; i += R::lanes) {
      const State before = load(l, batch, i);
      const Mat3<R> du = load_matrix<R>(batch.du + i);
      Mat3<R> sum = Mat3<R>::diagonal(R(S(0)), R(S(0)), R(S(0)));
      R primal = R(S(0)), unsolved = R(S(0));
      const auto add = [&]<int B>(std::integral_constant<int, B>) DOLLOP_INLINE_LAMBDA {
        if (!branch_acts<B>(l)) return;
        branch<B>(l, before, o.paper).iterate(o, du, batch.data + data_of(B) + i, sum, primal, unsolved);
      };
      [&]<int... B>(std::integer_sequence<int, B...>) DOLLOP_INLINE_LAMBDA {
        (add(std::integral_constant<int, B>{}), ...);
      }
      (Branches{});
      store_matrix(sum, force + i);
      if (o.rescale != S(1))
        for (int e = 0; e < admm_shared; ++e) {
          S* at = batch.data + advance_size * e + i;
          (R(o.rescale) * R::load(at)).store(at);
        }
      add_sums(primal * R::load(batch.volume + i), unsolved, batch.count - i, sums);
    }
    if constexpr (tears) Lagged::restore(lagged, batch, force);
  }
  static DOLLOP_INLINE void add_sums(const R& primal, const R& unsolved, int count, AdmmSums& sums) {
    alignas(64) S p[std::size_t(R::lanes)], u[std::size_t(R::lanes)];
    primal.store(p), unsolved.store(u);
    for (int k = 0; k < R::lanes && k < count; ++k) {
      sums.primal += std::isfinite(p[k]) ? double(p[k]) : 0;
      sums.unsolved += u[k] > S(0) ? long(u[k]) : 0;
    }
  }

  static void trial(const AdmmOptions<S>& o, const void* step_law, const AdmmBatch<S>& batch, S* force) {
    const Law l = law_of(step_law);
    for (int i = 0; i < batch.count; i += R::lanes) {
      const State before = load(l, batch, i);
      const Mat3<R> du = load_matrix<R>(batch.du + i);
      Mat3<R> sum = Mat3<R>::diagonal(R(S(0)), R(S(0)), R(S(0)));
      const auto add = [&]<int B>(std::integral_constant<int, B>) DOLLOP_INLINE_LAMBDA {
        if (branch_acts<B>(l)) sum = sum + branch<B>(l, before, o.paper).force(du);
      };
      [&]<int... B>(std::integer_sequence<int, B...>) DOLLOP_INLINE_LAMBDA {
        (add(std::integral_constant<int, B>{}), ...);
      }
      (Branches{});
      store_matrix(sum, force + i);
    }
    if constexpr (tears) Lagged::trial(step_law, batch, force);
  }

  static constexpr AdmmMaterial<S> table{branches, start, iterate, trial};
};

}  // namespace

template <class Model, class S>
const AdmmMaterial<S>* admm_loops(bool tears) {
  if constexpr (HasBranches<StepLawOf<Model, S>>) {
    if (!tears) return &AdmmLoops<Model, S, false>::table;
    if constexpr (CanTear<Model>) return &AdmmLoops<Model, S, true>::table;
  }
  return nullptr;
}

}  // namespace dollop::inline DOLLOP_ISA
