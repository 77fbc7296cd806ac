// The local step of torn particles in ADMM. What limits their strain is no function of f b f^T, so their stress is
// linearised at the velocity that the iteration starts from. Theory: docs/theory/admm.md.
#pragma once

#include "materials/admm_material.h"
#include "materials/branch_step.h"
#include "materials/implicit_loops.h"
#include "math/definite.h"

namespace dollop::inline DOLLOP_ISA {

// Results for torn particles, until they replace those of the loops over all particles.
template <class S>
struct LaggedResults {
  alignas(64) S z[9 * advance_size], force[9 * advance_size];
};

// Solves a y = r for a positive definite matrix of nine unknowns by Cholesky's method, in every lane; a is overwritten.
// Pivots are at least `least`.
template <class R>
DOLLOP_APART void solve_nine(const R& least, R (&a)[9][9], R (&y)[9]) {
  for (int j = 0; j < 9; ++j) {
    R d = a[j][j];
    for (int k = 0; k < j; ++k) d = d - a[j][k] * a[j][k];
    const R scale = R(ScalarOf<R>(1)) / sqrt(max(d, least));
    a[j][j] = scale;
    for (int i = j + 1; i < 9; ++i) {
      R sum = a[i][j];
      for (int k = 0; k < j; ++k) sum = sum - a[i][k] * a[j][k];
      a[i][j] = sum * scale;
    }
  }
  for (int i = 0; i < 9; ++i) {
    for (int k = 0; k < i; ++k) y[i] = y[i] - a[i][k] * y[k];
    y[i] = y[i] * a[i][i];
  }
  for (int i = 8; i >= 0; --i) {
    for (int k = i + 1; k < 9; ++k) y[i] = y[i] - a[k][i] * y[k];
    y[i] = y[i] * a[i][i];
  }
}

template <class Model, class S>
struct LaggedStep {
  using R = Pack<S>;
  using Loops = ImplicitLoops<Tearing<Model>, S, false>;
  using Law = StepLawOf<Tearing<Model>, S>;
  using State = typename Tearing<Model>::template State<R>;

  static DOLLOP_INLINE R weakness(const AdmmBatch<S>& batch, int k) {
    return load_state<State, R>(batch.state, batch.first + std::size_t(k)).weak;
  }
  // visit(first lane, weakness) for every pack with torn particles
  template <class Visit>
  static DOLLOP_INLINE void each_torn(const AdmmBatch<S>& batch, Visit&& visit) {
    for (int k = 0; k < batch.count; k += R::lanes) {
      const R weak = weakness(batch, k);
      if (any(weak > R(S(0.5)))) visit(k, weak);
    }
  }
  // writes where a particle is torn
  static DOLLOP_INLINE void put(const R& weak, const R& value, S* at) {
    select(weak > R(S(0.5)), value, R::load(at)).store(at);
  }
  static DOLLOP_INLINE const S* tangent_of(const AdmmBatch<S>& batch, int k) {
    return batch.tangent + k / chunk_size * chunk_size * tangent_reals + k % chunk_size;
  }

  // tau f^-T of the torn particles of a batch, by the law of the material itself
  static void trial(const void* step_law, const AdmmBatch<S>& batch, S* force) {
    alignas(64) S du[9 * chunk_size], out[9 * chunk_size];
    each_torn(batch, [&](int k, const R& weak) {
      const int chunk = k / chunk_size * chunk_size;
      for (int e = 0; e < 9; ++e)
        for (int p = 0; p < chunk_size; ++p) du[chunk_size * e + p] = batch.du[advance_size * e + chunk + p];
      Loops::trial(step_law, du, batch.state, batch.first + std::size_t(chunk), out);
      for (int e = 0; e < 9; ++e)
        put(weak, R::load(out + chunk_size * e + k % chunk_size), force + advance_size * e + k);
    });
  }

  // Replaces c~ of a pack of particles by its positive semidefinite part: off-diagonal directions count twice in the
  // products of symmetric matrices, hence the root.                                                   (IMP.14)
  static DOLLOP_APART void make_definite(S* tangent) {
    const auto weight = [](int e) { return e < 3 ? 1.0 : 1.4142135623730951; };
    Matrix6<R> c;
    for (int e = 0; e < 6; ++e)
      for (int k = 0; k < 6; ++k)
        c.at[e][k] = R(S(0.5)) * (R(S(weight(e) / weight(k))) * R::load(tangent + chunk_size * (6 * k + e)) +
                                  R(S(weight(k) / weight(e))) * R::load(tangent + chunk_size * (6 * e + k)));
    if (!all_definite(c)) keep_positive_part(c);
    for (int e = 0; e < 6; ++e)
      for (int k = 0; k < 6; ++k)
        (R(S(weight(k) / weight(e))) * c.at[e][k]).store(tangent + chunk_size * (6 * k + e));
  }

  // Tangents and multipliers of the torn particles; their weight is the mean of k b, and b is 1.        (ADMM.12)
  static void start(const void* step_law, const AdmmBatch<S>& batch, int branches, S* force) {
    alignas(64) S du[9 * chunk_size];
    bool torn[advance_size / chunk_size] = {};
    each_torn(batch, [&](int k, const R&) { torn[k / chunk_size] = true; });
    for (int chunk = 0; chunk < advance_size; chunk += chunk_size) {
      if (!torn[chunk / chunk_size]) continue;
      for (int e = 0; e < 9; ++e)
        for (int p = 0; p < chunk_size; ++p) du[chunk_size * e + p] = batch.du[advance_size * e + chunk + p];
      Loops::linearise(step_law, du, batch.state, batch.first + std::size_t(chunk),
                       batch.tangent + chunk * tangent_reals);
    }
    trial(step_law, batch, force);
    each_torn(batch, [&](int k, const R& weak) {
      S* data = batch.data + k;
      const R zero = R(S(0)), one = R(S(1));
      const R weight =
          R(S(1.0 / 3)) * (R::load(data) + R::load(data + advance_size) + R::load(data + 2 * advance_size));
      make_definite(batch.tangent + k / chunk_size * chunk_size * tangent_reals + k % chunk_size);
      for (int e = 0; e < admm_shared; ++e) put(weak, e < 3 ? weight : zero, data + advance_size * e);
      for (int b = 0; b < branches; ++b) {
        S* of_branch = data + advance_size * (admm_shared + admm_branch * b);
        for (int e = 0; e < 9; ++e) {
          S* f = force + advance_size * e + k;
          const R multiplier = -R::load(f);
          if (b == 0) put(weak, multiplier, f);
          const R z = b == 0 ? R::load(f) + weight * R::load(batch.du + advance_size * e + k) : zero;
          put(weak, z, of_branch + advance_size * e);
        }
        put(weak, b == 0 ? weight : one, of_branch + advance_size * admm_weight);
      }
    });
  }

  // The local step, V (c~ : sym y + y tau) + k y f0 f0^T = k (f^ - f0) f0^T - V tau for y of f = (1 + y) f0, with the
  // positive semidefinite part of c~                                                                 (ADMM.12)
  static void iterate(const AdmmOptions<S>& o, const AdmmBatch<S>& batch, LaggedResults<S>& results) {
    each_torn(batch, [&](int k, const R&) {
      const S *tangent = tangent_of(batch, k), *data = batch.data + advance_size * admm_shared + k;
      const auto at = [&](int e) { return R::load(tangent + chunk_size * e); };
      R weight = R::load(data + advance_size * admm_weight);
      const Mat3<R> du = load_matrix<R>(batch.du + k), old = load_matrix<R>(data);
      const Mat3<R> multiplier = old - weight * du;
      weight = R(o.rescale) * weight;
      const Mat3<R> inverse = make_mat3<R>([&](int i, int j) { return at(tangent_inverse + 3 * i + j); });
      R whole;
      const Mat3<R> f0 = inverse_of_increment(inverse - Mat3<R>::identity(), whole);
      const Mat3<R> hat = Mat3<R>::identity() + du - (R(S(1)) / weight) * multiplier;
      Mat3<R> y = weight * ((hat - f0) * transpose(f0));
      solve(tangent, weight, f0, y);
      const Mat3<R> wanted = weight * (f0 + y * f0 - hat);
      const Mat3<R> force = multiplier + R(o.relaxation) * (wanted - multiplier);
      store_matrix(force, results.force + k);
      store_matrix(force + weight * du, results.z + k);
    });
  }
  static void restore(const LaggedResults<S>& results, const AdmmBatch<S>& batch, S* force) {
    each_torn(batch, [&](int k, const R& weak) {
      S* data = batch.data + advance_size * admm_shared + k;
      for (int e = 0; e < 9; ++e) {
        put(weak, R::load(results.force + advance_size * e + k), force + advance_size * e + k);
        put(weak, R::load(results.z + advance_size * e + k), data + advance_size * e);
      }
    });
  }

 private:
  // from the weighted part of the right-hand side to the solution
  static DOLLOP_INLINE void solve(const S* tangent, const R& weight, const Mat3<R>& f0, Mat3<R>& y) {
    const auto at = [&](int e) { return R::load(tangent + chunk_size * e); };
    const SymMat3<R> tau{at(tangent_stress),     at(tangent_stress + 1), at(tangent_stress + 2),
                         at(tangent_stress + 3), at(tangent_stress + 4), at(tangent_stress + 5)};
    const Mat3<R> metric = f0 * transpose(f0);
    static constexpr int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    R a[9][9], x[9];
    for (int i = 0; i < 9; ++i) {
      const int r = i / 3, c = i % 3;
      x[i] = y(r, c) - tau(r, c);
      for (int j = 0; j < 9; ++j) {
        const int s = j / 3, t = j % 3;  // the response of entry (r, c) to y with the entry (s, t) alone
        a[i][j] = R(S(s == t ? 1 : 0.5)) * at(6 * place[s][t] + place[r][c]);
        if (r == s) a[i][j] = a[i][j] + tau(t, c) + weight * metric(t, c);
      }
    }
    solve_nine(R(S(1e-3)) * weight, a, x);
    y = make_mat3<R>([&](int i, int j) { return x[3 * i + j]; });
  }
};

}  // namespace dollop::inline DOLLOP_ISA
