// The local step of ADMM for one branch of many particles at a time: from a velocity to multipliers and back. Theory:
// docs/theory/admm.md.
#pragma once

#include "materials/admm_material.h"
#include "materials/branches.h"
#include "materials/strain.h"
#include "math/eigen3.h"

namespace dollop::inline DOLLOP_ISA {

template <class R, class S>
DOLLOP_INLINE Mat3<R> load_matrix(const S* at) {
  return make_mat3<R>([&](int i, int j)
                          DOLLOP_INLINE_LAMBDA { return R::load(at + advance_size * (3 * i + j)); });
}
template <class R, class S>
DOLLOP_INLINE void store_matrix(const Mat3<R>& a, S* at) {
  for (int e = 0; e < 9; ++e) a(e / 3, e % 3).store(at + advance_size * e);
}
template <class R, class S>
DOLLOP_INLINE void store_symmetric(const SymMat3<R>& a, S* at) {
  a.xx.store(at), a.yy.store(at + advance_size), a.zz.store(at + 2 * advance_size);
  a.xy.store(at + 3 * advance_size), a.xz.store(at + 4 * advance_size), a.yz.store(at + 5 * advance_size);
}

// the inverse of 1 + du, and det(1 + du)
template <class R>
DOLLOP_INLINE Mat3<R> inverse_of_increment(const Mat3<R>& du, R& whole) {
  const Mat3<R> f = Mat3<R>::identity() + du;
  const auto cofactor = [&](int i, int j) DOLLOP_INLINE_LAMBDA {
    const int p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, s = (j + 2) % 3;
    return f(p, r) * f(q, s) - f(p, s) * f(q, r);
  };
  whole = det(f);
  const R scale = R(ScalarOf<R>(1)) / whole;
  return make_mat3<R>([&](int i, int j) DOLLOP_INLINE_LAMBDA { return scale * cofactor(j, i); });
}

// eigenvalues in descending order
template <class R>
DOLLOP_INLINE Eigen3<R> sorted(Eigen3<R> a) {
  const auto order = [&](int i, int j) DOLLOP_INLINE_LAMBDA {
    const auto swaps = a.values[i] < a.values[j];
    const R x = a.values[i], y = a.values[j];
    a.values[i] = select(swaps, y, x), a.values[j] = select(swaps, x, y);
    for (int r = 0; r < 3; ++r) {
      const R u = a.vectors(r, i), v = a.vectors(r, j);
      a.vectors(r, i) = select(swaps, v, u), a.vectors(r, j) = select(swaps, u, v);
    }
  };
  order(0, 1), order(1, 2), order(0, 1);
  return a;
}

// f b f^T in its principal axes, for f = 1 + x b^-1
template <class R>
struct Principal {
  Eigen3<R> axes;     // of f b f^T - 1, sorted
  Mat3<R> increment;  // f - 1
};
template <class R>
DOLLOP_INLINE Principal<R> principal_of(const SymMat3<R>& e, const Mat3<R>& x, const Mat3<R>& increment) {
  const auto entry = [&](int i, int j) DOLLOP_INLINE_LAMBDA {
    return e(i, j) + (x(i, j) + x(j, i) +
                      (x(i, 0) * increment(j, 0) + x(i, 1) * increment(j, 1) + x(i, 2) * increment(j, 2)));
  };
  const SymMat3<R> strain{entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
  return {sorted(eigen(strain)), increment};
}

// The Hessian of the energy by F in principal axes: a block of stretches, and for each pair of axes the curvature of shear
// and of rotation.                                                                                     (ADMM.6)
template <class R>
struct Curvature {
  R block[3][3], shear[3], rotation[3];
};
template <class R>
DOLLOP_INLINE Curvature<R> curvature_of(const Vec3<R>& eps, const PrincipalStress<R>& stress) {
  using S = ScalarOf<R>;
  const R one = R(S(1)), half = R(S(0.5));
  Vec3<R> sigma{}, inverse{}, t{};
  Curvature<R> c;
  for (int i = 0; i < 3; ++i) {
    sigma[i] = exp(eps[i]), inverse[i] = exp(-eps[i]);
    t[i] = stress.tau[i] * inverse[i];
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      c.block[i][j] = stress.slope(i, j) * inverse[i] * inverse[j];
      if (i == j) c.block[i][j] = c.block[i][j] - t[i] * inverse[i];
    }
  for (int p = 0; p < 3; ++p) {
    const int i = pair_of[p][0], j = pair_of[p][1];
    const R apart = sigma[i] - sigma[j];
    const auto near = abs(apart) < R(S(std::is_same_v<S, float> ? 1e-2 : 1e-5)) * sigma[i];
    const R limit = half * (c.block[i][i] - c.block[i][j] + c.block[j][j] - c.block[j][i]);
    c.shear[p] = select(near, limit, (t[i] - t[j]) / select(near, one, apart));
    c.rotation[p] = (t[i] + t[j]) / (sigma[i] + sigma[j]);
  }
  return c;
}
// its Frobenius norm
template <class R>
DOLLOP_INLINE R hessian_norm(const Vec3<R>& eps, const PrincipalStress<R>& stress) {
  const Curvature<R> c = curvature_of(eps, stress);
  R sum = R(ScalarOf<R>(0));
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) sum = sum + c.block[i][j] * c.block[i][j];
    sum = sum + c.shear[i] * c.shear[i] + c.rotation[i] * c.rotation[i];
  }
  return sqrt(sum);
}
// The most negative curvature, positive: compressed material gives way to rotation, strongly stretched one to stretch.
//                                                                                                      (ADMM.6)
template <class R>
DOLLOP_INLINE R softening_of(const Vec3<R>& eps, const PrincipalStress<R>& stress) {
  const Curvature<R> c = curvature_of(eps, stress);
  R least = R(ScalarOf<R>(0));
  for (int i = 0; i < 3; ++i) least = min(least, min(c.block[i][i], min(c.shear[i], c.rotation[i])));
  return -least;
}

template <int B, bool is_hencky, class Law, class State, class R>
struct BranchStep {
  using S = ScalarOf<R>;
  const Law& law;
  const State& before;
  bool paper;
  SymMat3<R> e;  // b - 1
  BranchStress<B, is_hencky, Law, State, R> stress;

  DOLLOP_INLINE BranchStep(const Law& l, const State& s, bool in_paper)
      : law(l),
        before(s),
        paper(in_paper),
        e(l.template branch_strain<B>(s)),
        stress{l, s, log_volume_ratio(e), in_paper} {}

  // logarithms of the stretches whose squares are 1 + the eigenvalues
  static DOLLOP_INLINE Vec3<R> logarithms(const Eigen3<R>& a) {
    return HenckyElasticity<S>::log_strain(a.values);
  }
  DOLLOP_INLINE Principal<R> trial(const Mat3<R>& du) const {
    return principal_of(e, du + du * to_mat3(e), du);
  }

  // the weight, per volume                                                                             (ADMM.6)
  DOLLOP_INLINE R weight(const AdmmOptions<S>& o, const Mat3<R>& du, const R& volume) const {
    const R one = R(S(1)), zero = R(S(0));
    const R penalty = R(o.penalty);
    if (o.weights == AdmmWeights::unit) return penalty / max(volume, R(std::numeric_limits<S>::min()));
    Vec3<R> eps = logarithms(trial(du).axes);
    for (int i = 0; i < 3; ++i) eps[i] = min(max(eps[i], -one), one);  // a bad start must not decide
    const R least = R(S(2) / (S(2) - o.relaxation)) * softening_of(eps, stress(eps));
    if (o.weights == AdmmWeights::bulk) {
      const PrincipalStress<R> rest = stress.elastic({zero, zero, zero});
      R sum = zero;
      for (int i = 0; i < 9; ++i) sum = sum + rest.slope(i / 3, i % 3);
      return max(penalty * R(S(1.0 / 9)) * sum, least);
    }
    return max(penalty * hessian_norm(eps, stress.elastic(eps)), least);
  }

  // tau f^-T                                                                                           (ADMM.9)
  DOLLOP_INLINE Mat3<R> force(const Mat3<R>& du) const {
    R whole;
    const Mat3<R> inverse = inverse_of_increment(du, whole);
    const Eigen3<R> axes = trial(du).axes;
    return to_mat3(assemble(axes.vectors, stress(logarithms(axes)).tau)) * transpose(inverse);
  }

  // The start of the iteration: multipliers that belong to the velocity, none for particles that it would turn over.
  //                                                                                                   (ADMM.11)
  DOLLOP_INLINE void start(const Mat3<R>& du, const R& k, S* data, SymMat3<R>& shared, Mat3<R>& sum) const {
    const R zero = R(S(0)), one = R(S(1));
    R whole;
    const Mat3<R> inverse = inverse_of_increment(du, whole);
    const Eigen3<R> axes = trial(du).axes;
    const Vec3<R> eps = logarithms(axes);
    const Mat3<R> pushed = to_mat3(assemble(axes.vectors, stress(eps).tau)) * transpose(inverse);
    const auto upright = whole > R(S(0.05));
    const Mat3<R> multiplier =
        make_mat3<R>([&](int i, int j) DOLLOP_INLINE_LAMBDA { return select(upright, -pushed(i, j), zero); });
    store_matrix(multiplier + k * (du + du * to_mat3(e)), data);
    for (int i = 0; i < 3; ++i) {
      const R start = min(max(eps[i], R(S(-1)) - one), one + one);
      start.store(data + advance_size * (admm_strains + i));
    }
    k.store(data + advance_size * admm_weight);
    shared = shared + k * (e + SymMat3<R>::diagonal(one));
    sum = sum + multiplier;
  }

  // One iteration: the multiplier of the velocity, the local step, its over-relaxed multiplier          (ADMM.2-4)
  DOLLOP_INLINE void iterate(const AdmmOptions<S>& o, const Mat3<R>& du, S* data, Mat3<R>& sum, R& primal,
                             R& unsolved) const {
    const R one = R(S(1));
    S* weight = data + advance_size * admm_weight;
    R k = R::load(weight);
    const Mat3<R> moved = du + du * to_mat3(e);
    const Mat3<R> old = load_matrix<R>(data), multiplier = old - k * moved;  // z - k b, Lambda      (ADMM.3)
    const R rescale = R(o.rescale);
    k = rescale * k;
    const SymMat3<R> b = e + SymMat3<R>::diagonal(one), inverse_b = inverse(b);
    const Mat3<R> x = moved - (one / k) * multiplier;  // (f^ - 1) b                                  (ADMM.2)
    const Principal<R> p = principal_of(e, x, x * to_mat3(inverse_b));
    Vec3<R> eps{};
    for (int i = 0; i < 3; ++i) eps[i] = R::load(data + advance_size * (admm_strains + i));

    Mat3<R> wanted;  // -V tau f^-T of the local step
    const R failed = solve(o, b, x, p, k, eps, wanted);
    const Mat3<R> change = wanted - multiplier;
    const R relaxation = R(o.relaxation);
    store_matrix(multiplier + k * moved + relaxation * change, data);
    for (int i = 0; i < 3; ++i) eps[i].store(data + advance_size * (admm_strains + i));
    k.store(weight);
    sum = sum + (multiplier + relaxation * change);
    const Mat3<R> scaled = change * to_mat3(inverse_b);
    for (int i = 0; i < 9; ++i) primal = primal + change(i / 3, i % 3) * scaled(i / 3, i % 3) / k;
    unsolved = unsolved + failed;
  }

 private:
  // The local step in the principal axes of f^ b f^^T. Gives k (f - f^) b; 1 in lanes that were not solved.
  //                                                                                               (ADMM.2, ADMM.7)
  DOLLOP_INLINE R solve(const AdmmOptions<S>& o, const SymMat3<R>& b, const Mat3<R>& x, const Principal<R>& p,
                        const R& k, Vec3<R>& eps, Mat3<R>& change) const {
    const R one = R(S(1)), zero = R(S(0));
    const Mat3<R>& u = p.axes.vectors;
    Vec3<R> hat{};
    for (int i = 0; i < 3; ++i) {
      const R value = max(p.axes.values[i], -one);
      hat[i] = value / (one + sqrt(one + value));
    }
    const Mat3<R> rows = transpose(u) * (to_mat3(b) + x);  // U^T f^ b
    Vec3<R> scale{};
    const R tiny = R(S(1e-6));
    const R whole = one + volume_increment(p.increment);
    const auto turned = either(whole <= zero, p.axes.values.z < R(S(-0.99)));
    Vec3<R> last{rows(2, 0), rows(2, 1), rows(2, 2)};
    if (any(turned)) collapse(b, p, whole, turned, hat, last);

    const LocalSolution<R> found = solve_local(stress, hat, k, R(S(2) / o.penalty), eps);
    eps = found.eps;
    for (int i = 0; i < 3; ++i) {
      const R stretch = i == 2 ? select(turned, one, one + hat[i]) : one + hat[i];
      scale[i] = k * (found.stretch[i] - hat[i]) / max(stretch, tiny);
    }
    change = make_mat3<R>([&](int i, int j) DOLLOP_INLINE_LAMBDA {
      return scale.x * u(i, 0) * rows(0, j) + scale.y * u(i, 1) * rows(1, j) + scale.z * u(i, 2) * last[j];
    });
    return found.unsolved;
  }

  // Particles that are nearly flat or turned over: the least stretch from det f^, signed, and the row of U^T f^ b that
  // belongs to it, divided by the stretch, from the other two                                          (ADMM.10)
  DOLLOP_APART static void collapse(const SymMat3<R>& b, const Principal<R>& p, const R& whole,
                                    const decltype(whole < whole)& turned, Vec3<R>& hat, Vec3<R>& last) {
    const R one = R(S(1));
    const Mat3<R>& u = p.axes.vectors;
    const auto row = [&](int i) DOLLOP_INLINE_LAMBDA {
      const auto entry = [&](int c) DOLLOP_INLINE_LAMBDA {
        return u(c, i) +
               (u(0, i) * p.increment(0, c) + u(1, i) * p.increment(1, c) + u(2, i) * p.increment(2, c));
      };
      return Vec3<R>{entry(0), entry(1), entry(2)};
    };
    // det U as U may be a reflection
    const R size = sqrt(max(det(b), R(S(0)))) * det(u);
    const R area = max((one + hat.x) * (one + hat.y), R(S(1e-6)));
    const R least = whole * sqrt(max(det(b), R(S(0)))) / area;
    hat.z = select(turned, least - one, hat.z);
    last = choose(turned, (size / area) * cross(row(0), row(1)), last);
  }
};

}  // namespace dollop::inline DOLLOP_ISA
