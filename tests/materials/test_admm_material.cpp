// The local step of ADMM of every model: its branches are the forces of the law, it solves its equation however bad the
// input is, and its form in b is that of Fang et al. in F.
#include "materials/admm_material.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "core/aligned_array.h"
#include "core/random.h"
#include "grid/implicit_kernels.h"
#include "materials/registry.h"
#include "worse_of.h"

namespace dollop {
namespace {

using tests::worse_of;
using Matrix = std::array<std::array<double, 3>, 3>;

// numbers in [0, 1), one after the other
struct Random {
  std::uint64_t seed, count = 0;
  double uniform() { return random_uniform(seed, 0, count++); }
  double normal() {
    double sum = -6;
    for (int k = 0; k < 12; ++k) sum += uniform();
    return sum;
  }
};

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
  return c;
}
double determinant(const Matrix& f) {
  return f[0][0] * (f[1][1] * f[2][2] - f[1][2] * f[2][1]) -
         f[0][1] * (f[1][0] * f[2][2] - f[1][2] * f[2][0]) +
         f[0][2] * (f[1][0] * f[2][1] - f[1][1] * f[2][0]);
}
Matrix inverse(const Matrix& f) {
  const double scale = 1 / determinant(f);
  Matrix g;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, s = (j + 2) % 3;
      g[j][i] = scale * (f[p][r] * f[q][s] - f[p][s] * f[q][r]);
    }
  return g;
}
double size_of(const Matrix& a) {
  double sum = 0;
  for (const auto& row : a)
    for (const double x : row) sum += x * x;
  return std::sqrt(sum);
}

struct Case {
  int model;
  const char* variant = "";
  bool is_variant(const char* name) const { return std::string(variant) == name; }
  const ModelInfo& info() const { return models()[std::size_t(model)]; }
  std::string name() const {
    std::string text = info().name + variant;
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
  }
  std::vector<double> values() const {
    std::map<std::string, double> given;
    const auto has = [&](const char* parameter) {
      return std::any_of(info().parameters.begin(), info().parameters.end(),
                         [&](const ParameterInfo& p) { return p.name == parameter; });
    };
    if (has("young_modulus")) given["young_modulus"] = 1e5, given["poisson_ratio"] = 0.3;
    if (info().name == "oldroyd-b") given["relaxation_time"] = 5e-3;
    if (is_variant("_with_solvent")) given["solvent_viscosity"] = 20;
    if (is_variant("_with_rate")) given["grain_size"] = 1e-3, given["fast_friction_angle"] = 0.7;
    if (is_variant("_that_hardens"))
      given[info().name == "von-mises" ? "hardening" : "hardening_rate"] =
          info().name == "von-mises" ? 3e4 : 0.5;
    if (is_variant("_exact")) given["renormalise"] = 1;
    return resolve_parameters(info(), given);
  }
};
std::vector<Case> cases() {
  std::vector<Case> all;
  for (int m = 0; m < int(models().size()); ++m) {
    const ModelInfo& info = models()[std::size_t(m)];
    if (info.branches == 0) continue;
    all.push_back({m});
    if (info.name == "oldroyd-b") all.push_back({m, "_with_solvent"});
    if (info.name == "drucker-prager") all.push_back({m, "_with_rate"});
    if (info.name == "drucker-prager" || info.name == "von-mises") all.push_back({m, "_that_hardens"});
    if (info.name == "herschel-bulkley") all.push_back({m, "_exact"});
  }
  return all;
}

// a batch of particles of a material after some random steps
template <class S>
struct Batch {
  static constexpr std::size_t n = advance_size;
  const MaterialKernels<S>& kernels;
  const ImplicitMaterial<S>& implicit;
  const AdmmMaterial<S>& admm;
  std::vector<AlignedArray<S>> columns;
  std::vector<S*> state;
  AlignedArray<S> volume, data, du, force;
  LawBytes step_law;
  AdmmOptions<S> options{S(0.15), S(1), S(1), AdmmWeights::stiffness, false};

  Batch(const InstructionSet& isa, const Case& c)
      : kernels(*isa.loops<S>().material(c.model, false)),
        implicit(*isa.loops<S>().implicit_material(c.model, false, StepForces::of_state)),
        admm(*isa.loops<S>().admm_material(c.model, false)),
        volume(n),
        data(std::size_t(admm_reals(admm.branches)) * n),
        du(9 * n),
        force(9 * n) {
    const auto values = c.values();
    for (const Column& column : c.info().columns)
      for (int k = 0; k < column.components; ++k) columns.emplace_back(n);
    for (auto& column : columns) state.push_back(column.data());
    for (S& v : volume) v = S(1);
    kernels.make_step_law(values.data(), 1e-3, step_law.data());
  }
  void rest() {
    for (auto& column : columns) std::fill(column.begin(), column.end(), S(0));
  }
  void strain(Random& random, double size, int steps) {
    for (int step = 0; step < steps; ++step) {
      alignas(64) S change[9 * advance_size];
      for (S& x : change) x = S(size * (random.uniform() - 0.5));
      for (std::size_t p = 0; p < n; p += 2) change[p] -= S(0.1 * size);
      kernels.advance(step_law.data(), change, state.data(), 0, int(n));
    }
  }
  void set(std::size_t p, const Matrix& increment) {
    for (std::size_t e = 0; e < 9; ++e) du[n * e + p] = S(increment[e / 3][e % 3]);
  }
  AdmmBatch<S> view() { return {state.data(), 0, int(n), volume.data(), du.data(), data.data(), nullptr}; }
  Matrix matrix(const AlignedArray<S>& array, std::size_t p, int first = 0) const {
    Matrix a;
    for (std::size_t e = 0; e < 9; ++e) a[e / 3][e % 3] = double(array[n * (std::size_t(first) + e) + p]);
    return a;
  }
  double weight(std::size_t p) const { return double(data[n * (admm_shared + admm_weight) + p]); }
  // b of a material with one branch
  Matrix tensor(std::size_t p) const {
    constexpr int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    Matrix b;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        b[i][j] = double(data[n * std::size_t(place[i][j]) + p]) / weight(p);
    return b;
  }
};

class AdmmMaterials : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Every, AdmmMaterials, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case>& c) { return c.param.name(); });

// The stresses of the branches add up to that of the law after the step: what ADMM converges to is what Newton's method
// solves.
template <class S>
double difference_of_forces(const Case& c) {
  Batch<S> batch(best_instruction_set(), c);
  Random random{11};
  double worst = 0;
  for (int sample = 0; sample < 60; ++sample) {
    batch.rest();
    batch.strain(random, 0.05, sample % 6);
    for (std::size_t p = 0; p < batch.n; ++p) {
      Matrix increment;
      for (auto& row : increment)
        for (double& x : row) x = (sample % 3 ? 0.3 : 1e-3) * (random.uniform() - 0.5);
      batch.set(p, increment);
    }
    batch.admm.trial(batch.options, batch.step_law.data(), batch.view(), batch.force.data());
    for (std::size_t first = 0; first < batch.n; first += chunk_size) {
      alignas(64) S du[9 * chunk_size], out[9 * chunk_size];
      for (std::size_t e = 0; e < 9; ++e)
        for (std::size_t p = 0; p < chunk_size; ++p)
          du[chunk_size * e + p] = batch.du[batch.n * e + first + p];
      batch.implicit.trial(batch.step_law.data(), du, batch.state.data(), first, out);
      for (std::size_t p = 0; p < chunk_size; ++p) {
        double size = 0, error = 0;
        for (std::size_t e = 0; e < 9; ++e) {
          const double wanted = double(out[chunk_size * e + p]);
          size = std::max(size, std::fabs(wanted));
          error = worse_of(error, std::fabs(double(batch.force[batch.n * e + first + p]) - wanted));
        }
        worst = worse_of(worst, error / (size + 1e5 * 1e-3));
      }
    }
  }
  return worst;
}
TEST_P(AdmmMaterials, branches_add_up_to_the_stress_of_the_law) {
  const double in_double = difference_of_forces<double>(GetParam()),
               in_float = difference_of_forces<float>(GetParam());
  std::printf("off by %.1e, in float %.1e\n", in_double, in_float);
  EXPECT_LT(in_double, 1e-10);
  EXPECT_LT(in_float, 3e-4);
}

// Steps of all sizes, also such that turn particles over: with the multipliers of a start and increments f^ of any kind,
// the local step finds an f with V tau(f) f^-T + k (f - f^) b = 0.                                    (ADMM.2)
template <class S>
void solve_everywhere(const Case& c, int count, double tolerance) {
  Batch<S> batch(best_instruction_set(), c);
  Random random{23};
  long unsolved = 0, flat = 0;
  double worst = 0;
  for (int sample = 0; sample * int(batch.n) < count; ++sample) {
    const double size = std::exp(3 * random.uniform() - 3);  // of the increment
    batch.rest();
    batch.strain(random, 0.05, sample % 8);
    std::fill(batch.du.begin(), batch.du.end(), S(0));
    batch.admm.start(batch.options, batch.step_law.data(), batch.view(), batch.force.data());
    for (std::size_t p = 0; p < batch.n; ++p) {
      Matrix increment;
      for (auto& row : increment)
        for (double& x : row) x = size * random.normal();
      if (p % 4 == 0) {  // nearly flat, or turned over
        const double left = p % 8 ? 1e-3 * random.normal() : random.normal();
        for (std::size_t j = 0; j < 3; ++j)
          increment[1][j] = left * increment[1][j] + (j == 1 ? left - 1 : 0.0);
      }
      Matrix f = increment;
      for (std::size_t i = 0; i < 3; ++i) f[i][i] += 1;
      flat += determinant(f) < 1e-2;
      batch.set(p, increment);
    }
    std::vector<Matrix> multiplier;
    for (std::size_t p = 0; p < batch.n; ++p) multiplier.push_back(batch.matrix(batch.force, p));
    // z - k b belongs to no increment: the multiplier at the given one is the same as at the start
    for (std::size_t p = 0; p < batch.n; ++p) {
      const Matrix moved = product(batch.matrix(batch.du, p), batch.tensor(p));
      for (std::size_t e = 0; e < 9; ++e)
        batch.data[batch.n * (admm_shared + e) + p] =
            S(multiplier[p][e / 3][e % 3] + batch.weight(p) * moved[e / 3][e % 3]);
    }
    AdmmSums sums;
    batch.admm.iterate(batch.options, batch.step_law.data(), batch.view(), batch.force.data(), sums);
    unsolved += sums.unsolved;
    if (sample % 10) continue;
    // f = f^ + Lambda/(k b) must have the force -Lambda
    std::vector<Matrix> found;
    for (std::size_t p = 0; p < batch.n; ++p) {
      found.push_back(batch.matrix(batch.force, p));
      Matrix change;
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
          change[i][j] = (found[p][i][j] - multiplier[p][i][j]) / batch.weight(p);
      change = product(change, inverse(batch.tensor(p)));
      Matrix increment = batch.matrix(batch.du, p);
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) increment[i][j] += change[i][j];
      batch.set(p, increment);
    }
    batch.admm.trial(batch.options, batch.step_law.data(), batch.view(), batch.force.data());
    for (std::size_t p = 0; p < batch.n; ++p) {
      Matrix sum = batch.matrix(batch.force, p);
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) sum[i][j] += found[p][i][j];
      const double off = size_of(sum) / (batch.weight(p) + size_of(found[p]));
      worst = worse_of(worst, off);
    }
  }
  std::printf("%d local steps, %ld of particles that are flat or turned over: %ld unsolved, residual %.1e\n",
              count, flat, unsolved, worst);
  EXPECT_EQ(unsolved, 0);
  EXPECT_LT(worst, tolerance);
}
TEST_P(AdmmMaterials, local_step_never_fails) {
  if (GetParam().is_variant("_with_solvent") || GetParam().info().name == "viscoelastic")
    GTEST_SKIP() << "two branches";
  solve_everywhere<double>(GetParam(), 200000, 1e-6);
  solve_everywhere<float>(GetParam(), 200000, 1e-2);
}

}  // namespace
}  // namespace dollop
