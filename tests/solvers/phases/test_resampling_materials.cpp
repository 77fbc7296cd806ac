// Resampling of the materials themselves, in states that they came to by deformation: mass, volume, momentum and the
// current volume stay what they were. With a model of two plain columns, and in more ways: test_resampling.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "grid/kernels.h"
#include "particles/lattices.h"
#include "solvers/phases/resampling.h"

namespace dollop {
namespace {

using lattices::r;

struct Sample {
  const char* model;
  std::map<std::string, double> parameters;
};
const Sample samples[] = {
    {"herschel-bulkley",
     {{"shear_modulus", 290},
      {"bulk_modulus", 109e3},
      {"yield_stress", 31.9},
      {"viscosity", 27.2},
      {"power", 0.22},
      {"tear_threshold", 0.4},
      {"recovery_time", 0.35}}},
    {"von-mises", {{"young_modulus", 1e5}, {"yield_stress", 2e3}, {"hardening", 1e3}}},
    {"von-mises", {{"yield_stress", 2e3}, {"tear_threshold", 0.4}}},
    {"drucker-prager", {{"young_modulus", 3.537e5}, {"hardening_rate", 0.15}}},
    {"oldroyd-b", {{"shear_modulus", 5e3}, {"relaxation_time", 0.01}, {"solvent_viscosity", 5}}},
    {"oldroyd-b", {{"relaxation_time", 1e-3}, {"tear_threshold", 0.4}}},
    {"viscoelastic", {{"deviatoric_viscosity", 100}, {"volumetric_viscosity", 300}}},
    {"viscoelastic", {{"yield_stress", 500}, {"tear_threshold", 0.4}}},
    {"hencky", {{"young_modulus", 1e5}, {"poisson_ratio", 0.4}}},
    {"neo-hookean", {{"young_modulus", 1e5}, {"poisson_ratio", 0.4}}}};

// particles of one material, and how they are seen by its model
template <class S>
struct Body {
  State<S> state;
  std::vector<MaterialBinding<S>> materials{1};
  LawBytes law, step_law;

  Body(const Sample& sample, const std::vector<Double3>& places) {
    const int model = find_model(sample.model);
    const ModelInfo& info = models()[std::size_t(model)];
    materials[0].parameters = resolve_parameters(info, sample.parameters);
    const double* values = materials[0].parameters.data();
    materials[0].kernels = best_instruction_set().loops<S>().material(model, info.tears(values));
    materials[0].make_law();
    state.particles = ParticleStore<S>(lattices::space(), 1);
    state.particles.add_group(0, affine_column(), info.columns_for(values));
    state.particles.append(0, places.data(), places.size());
    EXPECT_FALSE(state.particles.sort());
    state.needs_sort = false;
    const double density = info.stiffness(values).density;
    for (std::size_t i = 0; i < group().size(); ++i) {
      const double volume = r * r * r * random(i, 0, 0.7, 1.3);
      group().reals(ParticleGroup<S>::volume)[i] = S(volume);
      group().reals(ParticleGroup<S>::mass)[i] = S(volume * density);
      for (int d = 0; d < 3; ++d)
        group().reals(ParticleGroup<S>::velocity + d)[i] = S(random(i, 1 + d, -1, 2));
      state.lightest = std::min(state.lightest, volume * density);
    }
    deform();
  }
  ParticleGroup<S>& group() { return state.particles.groups()[0]; }
  double random(std::size_t i, int what, double low, double high) {
    return low + (high - low) * random_uniform(17, std::uint64_t(what), group().ids()[i]);
  }

  // each particle in a direction of its own, so far that what can flow and tear does so
  void deform() {
    constexpr std::size_t chunk = advance_size;
    materials[0].kernels->make_law(materials[0].parameters.data(), law.data());
    materials[0].kernels->make_step_law(materials[0].parameters.data(), 1e-3, step_law.data());
    for (int step = 0; step < 20; ++step)
      for (std::size_t i = 0; i < group().size(); i += chunk) {
        const std::size_t count = std::min(chunk, group().size() - i);
        S du[9 * chunk] = {};
        for (std::size_t n = 0; n < count; ++n)
          for (std::size_t k = 0; k < 9; ++k) du[k * chunk + n] = S(random(i + n, 4 + int(k), -0.015, 0.015));
        materials[0].kernels->advance(step_law.data(), du, group().state_pointers(), i, int(count));
      }
  }

  // 16 numbers at a time
  template <class Ask>
  std::vector<S> of_all(Ask&& ask) {
    std::vector<S> all(group().size() + 16);
    for (std::size_t i = 0; i < group().size(); i += 16) ask(i, &all[i]);
    all.resize(group().size());
    return all;
  }
  std::vector<S> volume_ratios() {
    return of_all([&](std::size_t i, S* j) {
      materials[0].kernels->volume_ratio(law.data(), group().state_pointers(), i, j);
    });
  }
  std::vector<S> energies() {
    return of_all([&](std::size_t i, S* density) {
      materials[0].kernels->energy(law.data(), group().state_pointers(), i, density);
    });
  }
  std::size_t torn() {
    std::size_t count = 0;
    if (const Column* weak = group().find("weak"))
      for (std::size_t i = 0; i < group().size(); ++i) count += group().reals(weak->first)[i] == S(1);
    return count;
  }
};

// sums in extended precision, which are not rounded themselves
struct Totals {
  long double mass = 0, volume = 0, current = 0, elastic = 0, momentum[3] = {}, speed = 0;
};
template <class S>
Totals totals(Body<S>& body) {
  Totals t;
  const auto& group = body.group();
  const auto ratios = body.volume_ratios(), energies = body.energies();
  for (std::size_t i = 0; i < group.size(); ++i) {
    const auto real = [&](int c) { return (long double)(group.reals(c)[i]); };
    const auto m = real(ParticleGroup<S>::mass), v = real(ParticleGroup<S>::volume);
    t.mass += m, t.volume += v, t.current += v * ratios[i], t.elastic += v * energies[i];
    for (int d = 0; d < 3; ++d) {
      t.momentum[d] += m * real(ParticleGroup<S>::velocity + d);
      t.speed += m * std::fabs(real(ParticleGroup<S>::velocity + d));
    }
  }
  return t;
}

template <class S>
class ResamplingMaterials : public testing::Test {
 public:
  static constexpr bool single = std::is_same_v<S, float>;
  // of sums, in which the rounding of hundreds of newcomers is lost, and of a single number
  static constexpr double exact = single ? 3e-9 : 1e-15, rounding = 16 * std::numeric_limits<S>::epsilon();
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(ResamplingMaterials, Precisions);

TYPED_TEST(ResamplingMaterials, keeps_mass_volume_and_momentum_of_every_model) {
  std::vector<Double3> places = lattices::cube(14, lattices::isochoric(1.5, {0.2, 0.5, 0.1}));
  const std::size_t old = places.size();
  places.push_back(places[77]), places.push_back(places[1234]);  // and merges these
  for (const Sample& sample : samples) {
    SCOPED_TRACE(std::string(sample.model) +
                 (sample.parameters.count("tear_threshold") ? " that tears" : ""));
    Body<TypeParam> body(sample, places);
    const Totals before = totals(body);
    const auto ratios = body.volume_ratios();
    const auto [least, largest] = std::minmax_element(ratios.begin(), ratios.end());
    EXPECT_LT(*least, 0.8);
    EXPECT_GT(*largest, 1.2);
    if (sample.parameters.count("tear_threshold")) {
      EXPECT_GT(body.torn(), old / 20);
      EXPECT_LT(body.torn(), old - old / 20);
    }
    const auto change = resample(body.materials, lattices::nowhere, {1, 0}, 1e-5, body.state);
    EXPECT_GT(change.inserted, 300u);
    EXPECT_EQ(change.merged, 2u);
    ASSERT_EQ(body.group().size(), old + change.inserted);
    const Totals after = totals(body);
    EXPECT_NEAR(after.mass, before.mass, this->exact * before.mass);
    EXPECT_NEAR(after.volume, before.volume, this->exact * before.volume);
    EXPECT_NEAR(after.current, before.current, this->exact * before.current);
    for (int d = 0; d < 3; ++d)
      EXPECT_NEAR(after.momentum[d], before.momentum[d], this->exact * before.speed) << d;
    EXPECT_NEAR(change.elastic_energy, after.elastic - before.elastic, this->exact * before.elastic);
    // what is new has a volume between those of its donors
    const auto now = body.volume_ratios();
    for (std::size_t i = 0; i < now.size(); ++i) {
      ASSERT_GE(double(now[i]), double(*least) * (1 - this->rounding)) << i;
      ASSERT_LE(double(now[i]), double(*largest) * (1 + this->rounding)) << i;
    }
  }
}

}  // namespace
}  // namespace dollop
