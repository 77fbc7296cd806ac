// Trial stresses and tangents of a model; the tangents by dual numbers, a pack at a time. Included by the unit of each
// model only, which cmake/materials.cmake makes.
#pragma once

#include <limits>

#include "materials/model_loops.h"
#include "materials/state_columns.h"
#include "materials/step_law.h"
#include "materials/step_potential.h"
#include "materials/tearing.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

// rows and columns of the six directions of a symmetric matrix: xx yy zz xy xz yz
constexpr int direction_of[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

// the inverse of 1 + du
template <class R>
DOLLOP_INLINE Mat3<R> inverse_of(const Mat3<R>& f) {
  const auto cofactor = [&](int i, int j) {
    const int p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, s = (j + 2) % 3;
    return f(p, r) * f(q, s) - f(p, s) * f(q, r);
  };
  const R scale = R(ScalarOf<R>(1)) / det(f);
  return make_mat3<R>([&](int i, int j) { return scale * cofactor(j, i); });
}

// With `derived` the stress is that which derives from the potential of the step; otherwise that of the state after it.
template <class Model, class S, bool derived>
struct ImplicitLoops {
  using Law = StepLawOf<Model, S>;
  template <class R>
  using State = typename Model::template State<R>;
  using R = Pack<S>;
  using D = Dual<R, 6>;

  static DOLLOP_INLINE Mat3<R> load_increment(const S* du, int k) {
    return make_mat3<R>([&](int i, int j) { return R::load(du + chunk_size * (3 * i + j) + k); });
  }

  // the state after a step, and the stress that its forces come from
  template <class Q>
  static DOLLOP_INLINE SymMat3<Q> stress_after(const Law& l, const Mat3<Q>& increment, const State<R>& before,
                                               State<Q>& s) {
    l.predict(increment, s);
    l.return_map(s);
    if constexpr (derived)
      return step_stress_of<Model>(l, before, s);
    else
      return l.stress(s);
  }

  static void trial(const void* step_law, const S* du, S* const* columns, std::size_t i, S* force) {
    const Law l = *static_cast<const Law*>(step_law);
    for (int k = 0; k < chunk_size; k += R::lanes) {
      const Mat3<R> increment = load_increment(du, k);
      const State<R> before = load_state<State<R>, R>(columns, i + std::size_t(k));
      State<R> s = before;
      store_force(stress_after(l, increment, before, s), increment, force + k);
    }
  }
  // tau f^-T                                                                                          (IMP.2)
  static DOLLOP_INLINE void store_force(const SymMat3<R>& tau, const Mat3<R>& increment, S* force) {
    const Mat3<R> product = to_mat3(tau) * transpose(inverse_of(Mat3<R>::identity() + increment));
    for (int e = 0; e < 9; ++e) product(e / 3, e % 3).store(force + chunk_size * e);
  }

  static void potential(const void* step_law, const S* du, S* const* columns, std::size_t i,
                        S* density) requires derived {
    const Law l = *static_cast<const Law*>(step_law);
    for (int k = 0; k < chunk_size; k += R::lanes) {
      const Mat3<R> increment = load_increment(du, k);
      const State<R> before = load_state<State<R>, R>(columns, i + std::size_t(k));
      State<R> s = before;
      l.predict(increment, s);
      l.return_map(s);
      potential_after(l, increment, before, s).store(density + k);
    }
  }
  // infinite where it is not defined                                                             (IMP.11-12)
  static DOLLOP_INLINE R potential_after(const Law& l, const Mat3<R>& increment, const State<R>& before,
                                         const State<R>& after) requires derived {
    const auto feasible = is_feasible<Model>(l, increment, before, after);
    const R infinite = R(std::numeric_limits<S>::infinity());
    return select(feasible, potential_of<Model>(l, increment, before, after), infinite);
  }

  static void trial_and_potential(const void* step_law, const S* du, S* const* columns, std::size_t i,
                                  S* force, S* density) requires derived {
    const Law l = *static_cast<const Law*>(step_law);
    for (int k = 0; k < chunk_size; k += R::lanes) {
      const Mat3<R> increment = load_increment(du, k);
      const State<R> before = load_state<State<R>, R>(columns, i + std::size_t(k));
      State<R> s = before;
      store_force(stress_after(l, increment, before, s), increment, force + k);
      potential_after(l, increment, before, s).store(density + k);
    }
  }

  // E tau + tau E for the symmetric unit matrix E of a direction
  static DOLLOP_INLINE R turned(const Mat3<R>& tau, int direction, int i, int j) {
    const int a = direction_of[direction][0], b = direction_of[direction][1];
    R sum = R(S(0));
    if (i == a) sum = sum + tau(b, j);
    if (j == a) sum = sum + tau(i, b);
    if (a == b) return sum;
    if (i == b) sum = sum + tau(a, j);
    if (j == b) sum = sum + tau(i, a);
    return sum;
  }

  // du + E_k f in each of six directions                                                              (IMP.3)
  static DOLLOP_INLINE Mat3<D> seeded(const Mat3<R>& increment, const Mat3<R>& f) {
    return make_mat3<D>([&](int i, int j) {
      D entry(increment(i, j));
      for (int k = 0; k < 6; ++k) {
        const int a = direction_of[k][0], b = direction_of[k][1];
        if (i == a) entry.d[k] = f(b, j);
        if (i == b) entry.d[k] = f(a, j);
      }
      return entry;
    });
  }

  // c~ E = change - E tau - tau E in each of six directions, tau and f^-1                             (IMP.4)
  template <class Change>
  static DOLLOP_INLINE void store_tangent(const SymMat3<R>& tau, const Mat3<R>& f, Change&& change, S* out) {
    const Mat3<R> full = to_mat3(tau), inverse = inverse_of(f);
    for (int direction = 0; direction < 6; ++direction) {
      const SymMat3<R> d = change(direction);
      for (int e = 0; e < 6; ++e, out += chunk_size) {
        const int row = direction_of[e][0], col = direction_of[e][1];
        (d(row, col) - turned(full, direction, row, col)).store(out);
      }
    }
    for (int e = 0; e < 6; ++e, out += chunk_size) tau(direction_of[e][0], direction_of[e][1]).store(out);
    for (int e = 0; e < 9; ++e, out += chunk_size) inverse(e / 3, e % 3).store(out);
  }

  static void linearise(const void* step_law, const S* du, S* const* columns, std::size_t i, S* tangent) {
    const Law l = *static_cast<const Law*>(step_law);
    for (int k = 0; k < chunk_size; k += R::lanes) {
      const Mat3<R> increment = load_increment(du, k), f = Mat3<R>::identity() + increment;
      const State<R> before = load_state<State<R>, R>(columns, i + std::size_t(k));
      if constexpr (derived && OwnTangent<Law, State<R>, R>) {
        State<R> s = before;
        const SymMat3<R> tau = stress_after(l, increment, before, s);
        const auto derivatives = l.step_tangent(increment, before, s);
        const auto change = [&](int n) DOLLOP_INLINE_LAMBDA {
          return derivatives.along(direction_of[n][0], direction_of[n][1]);
        };
        store_tangent(tau, f, change, tangent + k);
      } else {
        State<D> s = load_state<State<D>, R>(columns, i + std::size_t(k));
        const SymMat3<D> dual = stress_after(l, seeded(increment, f), before, s);
        const auto part = [&](auto&& of) DOLLOP_INLINE_LAMBDA {
          return SymMat3<R>{of(dual.xx), of(dual.yy), of(dual.zz), of(dual.xy), of(dual.xz), of(dual.yz)};
        };
        const auto change = [&](int n) DOLLOP_INLINE_LAMBDA {
          return part([n](const D& x) DOLLOP_INLINE_LAMBDA { return x.d[n]; });
        };
        store_tangent(part([](const D& x) DOLLOP_INLINE_LAMBDA { return x.value; }), f, change, tangent + k);
      }
    }
  }
  static constexpr ImplicitMaterial<S> make_table() {
    if constexpr (derived)
      return {trial, linearise, potential, trial_and_potential};
    else
      return {trial, linearise, nullptr, nullptr};
  }
  static constexpr ImplicitMaterial<S> table = make_table();
};

}  // namespace

template <class Model, class S>
const ImplicitMaterial<S>* implicit_loops(bool tears, StepForces forces) {
  constexpr bool hyperelastic = Hyperelastic<Model>;  // both stresses are the same
  if (!tears && (forces == StepForces::of_potential || hyperelastic)) {
    if constexpr (HasPotential<Model>) return &ImplicitLoops<Model, S, true>::table;
    return nullptr;
  }
  if constexpr (CanTear<Model>)
    if (tears)
      return forces == StepForces::of_state ? &ImplicitLoops<Tearing<Model>, S, false>::table : nullptr;
  if constexpr (!hyperelastic)
    if (!tears) return &ImplicitLoops<Model, S, false>::table;
  return nullptr;
}

}  // namespace dollop::inline DOLLOP_ISA
