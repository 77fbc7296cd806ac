// The form of ADMM in f and b, as the solver has it, against the published one in F: a few particles and nodes, dense.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "core/aligned_array.h"
#include "core/random.h"
#include "grid/implicit_kernels.h"
#include "materials/admm_material.h"
#include "materials/registry.h"

namespace dollop {
namespace {

using V3 = std::array<double, 3>;
using Matrix = std::array<V3, 3>;

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
  return c;
}
Matrix combined(double s, const Matrix& a, double t, const Matrix& b) {
  Matrix c;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) c[i][j] = s * a[i][j] + t * b[i][j];
  return c;
}
Matrix transposed(const Matrix& a) {
  Matrix c;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) c[i][j] = a[j][i];
  return c;
}
constexpr Matrix identity{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
Matrix diagonal(const V3& d) { return {{{d[0], 0, 0}, {0, d[1], 0}, {0, 0, d[2]}}}; }

// F = U diag(s) V^T by Jacobi's rotations of F^T F; F is not nearly singular here
struct Svd {
  Matrix u, v;
  V3 s;
};
Svd svd(const Matrix& f) {
  Matrix a = transposed(f) * f, v = identity;
  for (int sweep = 0; sweep < 30; ++sweep)
    for (std::size_t p = 0; p < 2; ++p)
      for (std::size_t q = p + 1; q < 3; ++q) {
        const double angle = 0.5 * std::atan2(2 * a[p][q], a[q][q] - a[p][p]);
        Matrix turn = identity;
        turn[p][p] = turn[q][q] = std::cos(angle), turn[p][q] = std::sin(angle),
        turn[q][p] = -std::sin(angle);
        a = transposed(turn) * a * turn, v = v * turn;
      }
  const Matrix fv = f * v;
  Svd r{{}, v, {}};
  for (std::size_t j = 0; j < 3; ++j) {
    r.s[j] = std::sqrt(fv[0][j] * fv[0][j] + fv[1][j] * fv[1][j] + fv[2][j] * fv[2][j]);
    for (std::size_t i = 0; i < 3; ++i) r.u[i][j] = fv[i][j] / r.s[j];
  }
  return r;
}

// solves a x = b for three right-hand sides, by elimination
void solve(std::vector<std::vector<double>> a, std::vector<V3>& b) {
  const std::size_t n = a.size();
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      for (std::size_t d = 0; d < 3; ++d) b[i][d] -= factor * b[k][d];
    }
  for (std::size_t k = n; k-- > 0;)
    for (std::size_t d = 0; d < 3; ++d) {
      for (std::size_t j = k + 1; j < n; ++j) b[k][d] -= a[k][j] * b[j][d];
      b[k][d] /= a[k][k];
    }
}

// von Mises plasticity in principal strains: the stress after the return map
struct Law {
  double mu = 714, lambda = 2857, radius = 8;
  V3 stress(const V3& eps) const {
    const double tr = eps[0] + eps[1] + eps[2];
    double square = 0;
    for (const double e : eps) square += (e - tr / 3) * (e - tr / 3);
    const double size = 2 * mu * std::sqrt(square), kept = size > radius ? radius / size : 1;
    V3 tau;
    for (std::size_t i = 0; i < 3; ++i) tau[i] = 2 * mu * (kept * (eps[i] - tr / 3) + tr / 3) + lambda * tr;
    return tau;
  }
  // V tau/s + k (s - hat) = 0, by Newton's method with differences
  V3 nearest(const V3& hat, double v, double k) const {
    const auto residual = [&](const V3& s) {
      const V3 tau = stress({std::log(s[0]), std::log(s[1]), std::log(s[2])});
      V3 r;
      for (std::size_t i = 0; i < 3; ++i) r[i] = v * tau[i] / s[i] + k * (s[i] - hat[i]);
      return r;
    };
    V3 s = hat;
    for (int n = 0; n < 60; ++n) {
      const V3 r = residual(s);
      std::vector<std::vector<double>> slope(3, std::vector<double>(3));
      for (std::size_t j = 0; j < 3; ++j) {
        V3 up = s, down = s;
        up[j] += 1e-6, down[j] -= 1e-6;
        const V3 a = residual(up), b = residual(down);
        for (std::size_t i = 0; i < 3; ++i) slope[i][j] = (a[i] - b[i]) / 2e-6;
      }
      std::vector<V3> step(3);
      for (std::size_t i = 0; i < 3; ++i) step[i] = {r[i], 0, 0};
      solve(slope, step);
      for (std::size_t i = 0; i < 3; ++i) s[i] = std::max(s[i] - step[i][0], 0.2 * s[i]);
    }
    return s;
  }
};

// particles of a plastic material, some nodes and the gradients of their weights
struct Problem {
  static constexpr std::size_t particles = 6, nodes = 9;
  static constexpr double dt = 0.01, gravity = -1, relaxation = 1.6;
  Law law;
  std::vector<std::vector<V3>> gradient{particles, std::vector<V3>(nodes)};
  std::vector<Matrix> strained{particles};  // F_n
  std::vector<double> volume, mass;
  std::vector<V3> velocity{nodes};
  std::vector<double> weight;  // k

  Problem() {
    std::uint64_t count = 0;
    const auto random = [&] { return 2 * random_uniform(4, 0, count++) - 1; };
    for (std::size_t p = 0; p < particles; ++p) {
      V3 mean{};
      for (V3& g : gradient[p])
        for (std::size_t d = 0; d < 3; ++d) g[d] = 60 * random(), mean[d] += g[d] / nodes;
      for (V3& g : gradient[p])
        for (std::size_t d = 0; d < 3; ++d) g[d] -= mean[d];
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) strained[p][i][j] = identity[i][j] + 0.2 * random();
      volume.push_back(1e-5 * (1 + 0.5 * random()));
    }
    for (std::size_t i = 0; i < nodes; ++i) {
      mass.push_back(1e-3 * (1.2 + 0.8 * random()));
      for (double& v : velocity[i]) v = 0.5 * random();
    }
  }
  // dt grad v
  Matrix increment(const std::vector<V3>& v, std::size_t p) const {
    Matrix du{};
    for (std::size_t i = 0; i < nodes; ++i)
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) du[a][b] += dt * v[i][a] * gradient[p][i][b];
    return du;
  }
  Matrix tensor(std::size_t p) const { return strained[p] * transposed(strained[p]); }
  // S
  std::vector<std::vector<double>> matrix() const {
    std::vector<std::vector<double>> s(nodes, std::vector<double>(nodes, 0.0));
    for (std::size_t i = 0; i < nodes; ++i) s[i][i] = mass[i];
    for (std::size_t p = 0; p < particles; ++p) {
      const Matrix b = tensor(p);
      for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t j = 0; j < nodes; ++j)
          for (std::size_t c = 0; c < 3; ++c)
            for (std::size_t d = 0; d < 3; ++d)
              s[i][j] += dt * dt * weight[p] * gradient[p][i][c] * b[c][d] * gradient[p][j][d];
    }
    return s;
  }
  // adds dt m gradient of a particle to the nodes
  void scatter(const Matrix& m, std::size_t p, std::vector<V3>& sum) const {
    for (std::size_t i = 0; i < nodes; ++i)
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) sum[i][a] += dt * m[a][b] * gradient[p][i][b];
  }
  std::vector<V3> start() const {
    std::vector<V3> v = velocity;
    for (V3& one : v) one[1] += dt * gravity;
    return v;
  }

  // the published iteration: F, and a multiplier L
  std::vector<V3> in_published_form(int iterations) const {
    std::vector<V3> v = start();
    std::vector<Matrix> strain(particles), multiplier(particles);
    for (std::size_t p = 0; p < particles; ++p) {
      strain[p] = combined(1, identity, 1, increment(v, p)) * strained[p];
      const Svd a = svd(strain[p]);
      const V3 tau = law.stress({std::log(a.s[0]), std::log(a.s[1]), std::log(a.s[2])});
      const V3 first{tau[0] / a.s[0], tau[1] / a.s[1], tau[2] / a.s[2]};
      multiplier[p] = combined(-volume[p], a.u * diagonal(first) * transposed(a.v), 0, identity);
    }
    for (int n = 0; n < iterations; ++n) {
      std::vector<V3> sum(nodes, V3{});
      std::vector<Matrix> relaxed(particles);
      for (std::size_t p = 0; p < particles; ++p) {
        const Matrix of_grid = combined(1, identity, 1, increment(v, p)) * strained[p];
        if (n > 0) {
          const Svd a = svd(combined(1, of_grid, -1 / weight[p], multiplier[p]));
          strain[p] = a.u * diagonal(law.nearest(a.s, volume[p], weight[p])) * transposed(a.v);
        }
        relaxed[p] = combined(relaxation, strain[p], 1 - relaxation, of_grid);
        const Matrix before = combined(1, identity, 1, increment(velocity, p)) * strained[p];
        const Matrix pull = combined(1, multiplier[p], weight[p], combined(1, relaxed[p], -1, before));
        scatter(pull * transposed(strained[p]), p, sum);
      }
      for (std::size_t i = 0; i < nodes; ++i) sum[i][1] += dt * mass[i] * gravity;
      solve(matrix(), sum);
      for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t d = 0; d < 3; ++d) v[i][d] = velocity[i][d] + sum[i][d];
      for (std::size_t p = 0; p < particles; ++p) {
        const Matrix of_grid = combined(1, identity, 1, increment(v, p)) * strained[p];
        multiplier[p] = combined(1, multiplier[p], weight[p], combined(1, relaxed[p], -1, of_grid));
      }
    }
    return v;
  }
};

// the same by the loops of the solver, which know b alone
struct Loops {
  static constexpr std::size_t n = advance_size;
  const AdmmMaterial<double>& admm;
  LawBytes step_law;
  AlignedArray<double> strain{6 * n}, unused{7 * n}, volume{n}, du{9 * n}, data, force{9 * n};
  std::vector<double*> state;
  AdmmOptions<double> options{0.3, Problem::relaxation, 1, AdmmWeights::stiffness, false};

  explicit Loops(const Problem& problem)
      : admm(*best_instruction_set().loops<double>().admm_material(find_model("von-mises"), false)),
        data(std::size_t(admm_reals(1)) * n) {
    const ModelInfo& model = models()[std::size_t(find_model("von-mises"))];
    const double mu = problem.law.mu, lambda = problem.law.lambda, bulk = lambda + 2 * mu / 3;
    const auto values = resolve_parameters(model, {{"shear_modulus", mu},
                                                   {"bulk_modulus", bulk},
                                                   {"yield_stress", std::sqrt(1.5) * problem.law.radius}});
    const MaterialKernels<double>& kernels =
        *best_instruction_set().loops<double>().material(find_model("von-mises"), false);
    kernels.make_step_law(values.data(), Problem::dt, step_law.data());
    for (std::size_t k = 0; k < 6; ++k) state.push_back(strain.data() + n * k);
    for (std::size_t k = 0; k < 7; ++k) state.push_back(unused.data() + n * k);
    constexpr std::size_t place[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (std::size_t p = 0; p < Problem::particles; ++p) {
      const Matrix b = problem.tensor(p);
      for (std::size_t k = 0; k < 6; ++k)
        strain[n * k + p] = b[place[k][0]][place[k][1]] - identity[place[k][0]][place[k][1]];
      volume[p] = problem.volume[p];
    }
  }
  AdmmBatch<double> batch(const Problem& problem, const std::vector<V3>& v) {
    for (std::size_t p = 0; p < Problem::particles; ++p) {
      const Matrix increment = problem.increment(v, p);
      for (std::size_t e = 0; e < 9; ++e) du[n * e + p] = increment[e / 3][e % 3];
    }
    return {state.data(), 0, int(Problem::particles), volume.data(), du.data(), data.data(), nullptr};
  }
  // the velocity after the velocity step that follows the forces
  void advance(const Problem& problem, std::vector<V3>& v) const {
    const std::vector<V3> free = problem.start();
    std::vector<V3> change(Problem::nodes, V3{});
    for (std::size_t p = 0; p < Problem::particles; ++p) {
      Matrix m;
      for (std::size_t e = 0; e < 9; ++e) m[e / 3][e % 3] = volume[p] * force[n * e + p];
      problem.scatter(m, p, change);
    }
    for (std::size_t i = 0; i < Problem::nodes; ++i)
      for (std::size_t d = 0; d < 3; ++d) change[i][d] -= problem.mass[i] * (v[i][d] - free[i][d]);
    solve(problem.matrix(), change);
    for (std::size_t i = 0; i < Problem::nodes; ++i)
      for (std::size_t d = 0; d < 3; ++d) v[i][d] += change[i][d];
  }
};

TEST(AdmmForms, in_b_and_in_F_are_the_same) {
  Problem problem;
  Loops loops(problem);
  std::vector<V3> v = problem.start();
  AdmmSums sums;
  loops.admm.start(loops.options, loops.step_law.data(), loops.batch(problem, v), loops.force.data());
  for (std::size_t p = 0; p < Problem::particles; ++p)
    problem.weight.push_back(problem.volume[p] * loops.data[Loops::n * (admm_shared + admm_weight) + p]);
  double most = 0;
  for (int iterations = 1; iterations <= 25; ++iterations) {
    loops.advance(problem, v);
    if (iterations == 1 || iterations == 5 || iterations == 25) {
      const std::vector<V3> published = problem.in_published_form(iterations);
      double apart = 0, size = 0;
      for (std::size_t i = 0; i < Problem::nodes; ++i)
        for (std::size_t d = 0; d < 3; ++d) {
          apart = std::max(apart, std::fabs(v[i][d] - published[i][d]));
          size = std::max(size, std::fabs(v[i][d] - problem.velocity[i][d]));
        }
      std::printf("after %d iterations: %.1e\n", iterations, apart / size);
      most = std::max(most, apart / size);
    }
    const AdmmBatch<double> batch = loops.batch(problem, v);
    loops.admm.iterate(loops.options, loops.step_law.data(), batch, loops.force.data(), sums);
  }
  EXPECT_LT(most, 1e-12);
  EXPECT_EQ(sums.unsolved, 0);
}

// the multiplier of the converged iteration is -V tau f^-T                                            (IMP.2)
TEST(AdmmForms, multipliers_become_the_forces) {
  Problem problem;
  Loops loops(problem);
  std::vector<V3> v = problem.start();
  AdmmSums sums;
  loops.admm.start(loops.options, loops.step_law.data(), loops.batch(problem, v), loops.force.data());
  for (std::size_t p = 0; p < Problem::particles; ++p)
    problem.weight.push_back(problem.volume[p] * loops.data[Loops::n * (admm_shared + admm_weight) + p]);
  for (int k = 0; k < 5000; ++k) {
    loops.advance(problem, v);
    const AdmmBatch<double> batch = loops.batch(problem, v);
    loops.admm.iterate(loops.options, loops.step_law.data(), batch, loops.force.data(), sums);
  }
  const AlignedArray<double> multipliers = loops.force;
  loops.admm.trial(loops.options, loops.step_law.data(), loops.batch(problem, v), loops.force.data());
  for (std::size_t p = 0; p < Problem::particles; ++p)
    for (std::size_t e = 0; e < 9; ++e)
      EXPECT_NEAR(multipliers[Loops::n * e + p], -loops.force[Loops::n * e + p], 1e-8 * problem.law.lambda);
}

}  // namespace
}  // namespace dollop
