// What implicit solvers ask of every model: forces after a trial step, and the change of these with the step, against
// finite differences; every instruction set against the first.
#include "materials/implicit_material.h"

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

// numbers in [0, 1), one after the other
struct Random {
  std::uint64_t seed, count = 0;
  double uniform() { return random_uniform(seed, 0, count++); }
};

using Matrix = std::array<std::array<double, 3>, 3>;
using tests::worse_of;

constexpr double young = 1e5;  // [Pa]
constexpr double difference_step = 1e-6;

struct Case {
  int model;
  bool tears;
  bool has_rate = false;  // of sand: the mu(I) rheology
  StepForces of = StepForces::of_state;
  std::string name() const {
    std::string text = (tears ? "tearing_" : "") + models()[std::size_t(model)].name +
                       (has_rate ? "_with_rate" : "") +
                       (of == StepForces::of_potential ? "_by_potential" : "");
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
  }
  std::vector<double> values() const {
    std::map<std::string, double> given{{"young_modulus", young}, {"poisson_ratio", 0.3}};
    if (tears) given["tear_threshold"] = 0.05, given["recovery_time"] = 0.3;
    if (models()[std::size_t(model)].name == "oldroyd-b")
      given["relaxation_time"] = 5e-3, given["solvent_viscosity"] = 20;
    if (models()[std::size_t(model)].name == "viscoelastic")
      given["deviatoric_viscosity"] = 60, given["volumetric_viscosity"] = 300, given["yield_stress"] = 4e3;
    if (has_rate) given["grain_size"] = 1e-3, given["fast_friction_angle"] = 0.7;
    return resolve_parameters(models()[std::size_t(model)], given);
  }
};
std::vector<Case> cases() {
  std::vector<Case> all;
  for (int m = 0; m < int(models().size()); ++m) {
    all.push_back({m, false});
    if (!models()[std::size_t(m)].tearing_columns.empty()) all.push_back({m, true});
    if (models()[std::size_t(m)].name == std::string("drucker-prager")) all.push_back({m, false, true});
    if (models()[std::size_t(m)].has_potential) all.push_back({m, false, false, StepForces::of_potential});
  }
  return all;
}

// sixteen particles of a material after some random steps
struct Particles {
  static constexpr std::size_t n = 16;
  const MaterialKernels<double>& kernels;
  const ImplicitMaterial<double>& implicit;
  std::vector<AlignedArray<double>> columns;
  std::vector<double*> state;
  LawBytes step_law;

  Particles(const InstructionSet& isa, const Case& c, double size)
      : kernels(*isa.loops<double>().material(c.model, c.tears)),
        implicit(*isa.loops<double>().implicit_material(c.model, c.tears, c.of)) {
    const auto values = c.values();
    for (const Column& column : models()[std::size_t(c.model)].columns_for(values.data()))
      for (int k = 0; k < column.components; ++k) columns.emplace_back(n);
    for (auto& column : columns) state.push_back(column.data());
    kernels.make_step_law(values.data(), 1e-3, step_law.data());
    Random random{5};
    for (int step = 0; step < 6; ++step) {
      alignas(64) double du[9 * advance_size] = {};
      for (std::size_t e = 0; e < 9; ++e)
        for (std::size_t p = 0; p < n; ++p)
          du[advance_size * e + p] = size * (random.uniform() - 0.5) - (e % 4 == 0 && p % 2 ? 0.3 * size : 0);
      kernels.advance(step_law.data(), du, state.data(), 0, int(n));
    }
  }
  // tau f^-T of all for the same increment
  std::array<Matrix, n> forces(const Matrix& du) {
    alignas(64) double in[9 * 16], out[9 * 16];
    for (std::size_t e = 0; e < 9; ++e) std::fill_n(in + 16 * e, 16, du[e / 3][e % 3]);
    implicit.trial(step_law.data(), in, state.data(), 0, out);
    std::array<Matrix, n> result;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t e = 0; e < 9; ++e) result[p][e / 3][e % 3] = out[16 * e + p];
    return result;
  }
  std::vector<double> tangents(const Matrix& du) {
    alignas(64) double in[9 * 16];
    AlignedArray<double> out(tangent_reals * 16);
    for (std::size_t e = 0; e < 9; ++e) std::fill_n(in + 16 * e, 16, du[e / 3][e % 3]);
    implicit.linearise(step_law.data(), in, state.data(), 0, out.data());
    return {out.begin(), out.end()};
  }
};

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
  return c;
}

// (c~ : sym g + g tau) f^-T with g = change f^-1
Matrix change_of_force(const std::vector<double>& tangent, std::size_t p, const Matrix& change) {
  const auto at = [&](int k) { return tangent[std::size_t(16 * k) + p]; };
  constexpr int pair[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  Matrix inverse, tau, transposed;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      inverse[std::size_t(i)][std::size_t(j)] = at(tangent_inverse + 3 * i + j);
      transposed[std::size_t(j)][std::size_t(i)] = at(tangent_inverse + 3 * i + j);
      tau[std::size_t(i)][std::size_t(j)] = at(tangent_stress + pair[i][j]);
    }
  const Matrix g = product(change, inverse);
  Matrix sum = product(g, tau);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int a = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b) {
          const double d = 0.5 * (g[std::size_t(a)][std::size_t(b)] + g[std::size_t(b)][std::size_t(a)]);
          sum[std::size_t(i)][std::size_t(j)] += at(6 * pair[a][b] + pair[i][j]) * d;
        }
  return product(sum, transposed);
}

class ImplicitMaterials : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Every, ImplicitMaterials, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case>& c) { return c.param.name(); });

// In all nine directions, also such that turn the particle. Central differences are extrapolated from two steps to none;
// where the two sides disagree there is a kink.
TEST_P(ImplicitMaterials, tangent_is_that_of_the_forces) {
  Particles particles(instruction_set(0), GetParam(), 0.04);
  Random random{17};
  int compared = 0, kinks = 0;
  double worst = 0;
  for (int sample = 0; sample < 12; ++sample) {
    Matrix du{};
    for (auto& row : du)
      for (double& x : row) x = (sample > 0 ? 0.3 : 1e-3) * (random.uniform() - 0.5);
    const auto tangent = particles.tangents(du);
    for (std::size_t k = 0; k < 9; ++k) {
      Matrix unit{};
      unit[k / 3][k % 3] = 1;
      const auto moved = [&](double step) {
        Matrix other = du;
        other[k / 3][k % 3] += step;
        return particles.forces(other);
      };
      const double h = difference_step;
      const auto here = moved(0), up = moved(h), down = moved(-h), up2 = moved(2 * h), down2 = moved(-2 * h);
      for (std::size_t p = 0; p < Particles::n; ++p) {
        const Matrix found = change_of_force(tangent, p, unit);
        double error = 0, kink = 0;
        for (std::size_t e = 0; e < 9; ++e) {
          const auto of = [&](const auto& f) { return f[p][e / 3][e % 3]; };
          const double slope = (8 * (of(up) - of(down)) - (of(up2) - of(down2))) / (12 * h);
          const double ahead = 4 * of(up) - of(up2) - 3 * of(here),
                       behind = 3 * of(here) - 4 * of(down) + of(down2);
          kink = worse_of(kink, std::fabs(ahead - behind) / (2 * h));
          error = worse_of(error, std::fabs(found[e / 3][e % 3] - slope));
        }
        const bool at_kink = kink > 1e-6 * young;
        ++(at_kink ? kinks : compared);
        if (!at_kink) worst = worse_of(worst, error / young);
      }
    }
  }
  std::printf("off by %.1e of E at most, %d compared, %d at kinks\n", worst, compared, kinks);
  EXPECT_LT(worst, 1e-8);
  EXPECT_GT(compared, 20 * kinks);
}

// The forces are the derivatives of the potential, in all nine directions. Where plastic flow begins between the points of a
// difference, two steps of it disagree.
TEST_P(ImplicitMaterials, forces_derive_from_the_potential) {
  Particles particles(instruction_set(0), GetParam(), 0.04);
  if (GetParam().of == StepForces::of_state) {
    const bool elastic =
        models()[std::size_t(GetParam().model)].symmetric_tangent && particles.implicit.potential;
    EXPECT_TRUE(elastic || !particles.implicit.potential);
    GTEST_SKIP() << "forces of the state";
  }
  const auto potential = [&](const Matrix& du) {
    alignas(64) double in[9 * 16], out[16];
    for (std::size_t e = 0; e < 9; ++e) std::fill_n(in + 16 * e, 16, du[e / 3][e % 3]);
    particles.implicit.potential(particles.step_law.data(), in, particles.state.data(), 0, out);
    return std::vector<double>(out, out + 16);
  };
  Random random{19};
  double worst = 0;
  int compared = 0, kinks = 0;
  for (int sample = 0; sample < 12; ++sample) {
    Matrix du{};
    for (auto& row : du)
      for (double& x : row) x = (sample > 0 ? 0.3 : 1e-3) * (random.uniform() - 0.5);
    const auto forces = particles.forces(du);
    for (std::size_t k = 0; k < 9; ++k) {
      const auto moved = [&](double step) {
        Matrix other = du;
        other[k / 3][k % 3] += step;
        return potential(other);
      };
      const double h = 1e-4;
      const auto up = moved(h), down = moved(-h), up2 = moved(2 * h), down2 = moved(-2 * h),
                 up_half = moved(h / 2), down_half = moved(-h / 2);
      for (std::size_t p = 0; p < Particles::n; ++p) {
        const double slope = (8 * (up[p] - down[p]) - (up2[p] - down2[p])) / (12 * h),
                     fine = (8 * (up_half[p] - down_half[p]) - (up[p] - down[p])) / (6 * h);
        const bool at_kink = std::fabs(slope - fine) > 2e-9 * young;
        ++(at_kink ? kinks : compared);
        if (!at_kink) worst = worse_of(worst, std::fabs(slope - forces[p][k / 3][k % 3]));
      }
    }
  }
  std::printf("off by %.1e of E at most, %d compared, %d at kinks\n", worst / young, compared, kinks);
  EXPECT_LT(worst, 1e-8 * young);
  EXPECT_GT(compared, 20 * kinks);
}

// a particle that turns inside out has no potential
TEST_P(ImplicitMaterials, potential_is_infinite_where_volume_turns_over) {
  if (GetParam().of == StepForces::of_state) GTEST_SKIP() << "forces of the state";
  Particles particles(instruction_set(0), GetParam(), 0.04);
  for (const double stretch : {-1.0, -1.5}) {
    alignas(64) double in[9 * 16] = {}, out[16];
    std::fill_n(in, 16, stretch);
    particles.implicit.potential(particles.step_law.data(), in, particles.state.data(), 0, out);
    for (const double x : out) EXPECT_TRUE(std::isinf(x) && x > 0) << stretch;
  }
}

// the case of sand with a rate is another one: sheared beyond the cone it bears more
TEST(ImplicitSand, bears_more_where_friction_grows_with_the_rate) {
  std::vector<Case> all = cases();
  const auto rated = std::find_if(all.begin(), all.end(), [](const Case& c) { return c.has_rate; });
  ASSERT_NE(rated, all.end());
  const Case plain{rated->model, false};
  Particles a(instruction_set(0), plain, 0.04), b(instruction_set(0), *rated, 0.04);
  const Matrix du{{{-0.03, 0.25, 0}, {0, -0.04, 0}, {0, 0, -0.02}}};
  const auto slow = a.forces(du), fast = b.forces(du);
  int more = 0;
  for (std::size_t p = 0; p < Particles::n; ++p)
    more += std::fabs(fast[p][0][1]) > std::fabs(slow[p][0][1]) + 1e-3 * young;
  EXPECT_GT(more, int(Particles::n) / 4);
}

// without motion the forces are the stresses of the state, and those of a stressed state that is turned are turned
TEST_P(ImplicitMaterials, rotation_turns_the_forces) {
  Particles particles(instruction_set(0), GetParam(), 0.04);
  const double a = 0.3, c = std::cos(a), s = std::sin(a);
  const Matrix turn{{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}}, du{{{c - 1, -s, 0}, {s, c - 1, 0}, {0, 0, 0}}};
  const auto still = particles.forces({}), turned = particles.forces(du);
  double scale = 0, worst = 0;
  for (std::size_t p = 0; p < Particles::n; ++p) {
    const Matrix expected = product(turn, still[p]);  // Q tau Q^T Q^-T
    for (std::size_t e = 0; e < 9; ++e) {
      scale = std::max(scale, std::fabs(expected[e / 3][e % 3]));
      worst = worse_of(worst, std::fabs(expected[e / 3][e % 3] - turned[p][e / 3][e % 3]));
    }
  }
  EXPECT_GT(scale, 10);
  EXPECT_LT(worst, 1e-9 * scale);
}

TEST_P(ImplicitMaterials, symmetric_where_it_is_said) {
  const ModelInfo& model = models()[std::size_t(GetParam().model)];
  const bool derived = GetParam().of == StepForces::of_potential;
  if (!derived && (!model.symmetric_tangent || GetParam().tears)) GTEST_SKIP() << "not said";
  Particles particles(instruction_set(0), GetParam(), 0.04);
  const Matrix du{{{0.05, 0.08, -0.02}, {-0.03, -0.1, 0.04}, {0.07, 0.02, -0.06}}};
  const auto tangent = particles.tangents(du);
  double worst = 0;
  for (std::size_t p = 0; p < Particles::n; ++p)
    for (std::size_t j = 0; j < 9; ++j) {
      Matrix unit{};
      unit[j / 3][j % 3] = 1;
      const Matrix column = change_of_force(tangent, p, unit);
      for (std::size_t i = 0; i < 9; ++i) {
        Matrix other{};
        other[i / 3][i % 3] = 1;
        worst = worse_of(worst,
                         std::fabs(column[i / 3][i % 3] - change_of_force(tangent, p, other)[j / 3][j % 3]));
      }
    }
  EXPECT_LT(worst, 1e-9 * young);
}

TEST_P(ImplicitMaterials, instruction_sets_agree) {
  const Matrix du{{{0.05, 0.08, -0.02}, {-0.03, -0.1, 0.04}, {0.07, 0.02, -0.06}}};
  Particles first(instruction_set(0), GetParam(), 0.04);
  const auto forces = first.forces(du);
  const auto tangents = first.tangents(du);
  for (int set = 1; set < instruction_set_count(); ++set) {
    if (!instruction_set(set).supported()) continue;
    Particles other(instruction_set(set), GetParam(), 0.04);
    const auto other_forces = other.forces(du);
    const auto other_tangents = other.tangents(du);
    for (std::size_t p = 0; p < Particles::n; ++p)
      for (std::size_t e = 0; e < 9; ++e)
        EXPECT_NEAR(forces[p][e / 3][e % 3], other_forces[p][e / 3][e % 3], 1e-6);
    for (std::size_t k = 0; k < tangents.size(); ++k) EXPECT_NEAR(tangents[k], other_tangents[k], 1e-2);
  }
}

}  // namespace
}  // namespace dollop
