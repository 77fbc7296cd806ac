// The tables of functions that solvers call: instruction sets against the first, and what they may write.
#include "materials/material_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/aligned_array.h"
#include "core/random.h"
#include "grid/kernels.h"
#include "materials/registry.h"

namespace dollop {
namespace {

constexpr std::size_t chunk = advance_size, asked = chunk_size, particles = 3 * chunk;

// a model, plain or with tearing round it
struct Material {
  int index;
  bool tears;
  const ModelInfo& model() const { return models()[std::size_t(index)]; }
  std::string name() const { return model().name + (tears ? " that tears" : ""); }
  // small, so that some particles are torn and some are not; what relaxes does so within the run
  std::vector<double> values() const {
    std::map<std::string, double> given;
    if (tears) given["tear_threshold"] = 0.06;
    if (tears && model().name == "oldroyd-b") given["relaxation_time"] = 1e-3;
    if (tears && model().name == "viscoelastic") given["yield_stress"] = 150;
    return resolve_parameters(model(), given);
  }
};
std::vector<Material> every_material() {
  std::vector<Material> all;
  for (int m = 0; m < int(models().size()); ++m) {
    all.push_back({m, false});
    if (!models()[std::size_t(m)].tearing_columns.empty()) all.push_back({m, true});
  }
  return all;
}

// the columns of a group of particles, all of one material
template <class S>
struct Group {
  std::vector<AlignedArray<S>> columns;
  std::vector<S*> pointers;
  explicit Group(const Material& material) {
    for (const Column& c : material.model().columns_for(material.values().data()))
      for (int k = 0; k < c.components; ++k) columns.emplace_back(particles);
    for (auto& c : columns) pointers.push_back(c.data());
  }
};

template <class S>
struct Results {
  S stress[6 * asked], strain[6 * asked], energy[asked], volume[asked];
};

// the values of a run: some steps with random increments in every lane; then some particles become averages
template <class S>
Results<S> run(const InstructionSet& isa, const Material& material, int count, Group<S>& group) {
  const MaterialKernels<S>& kernels = *isa.loops<S>().material(material.index, material.tears);
  EXPECT_EQ(kernels.name, material.model().name);
  LawBytes law, step_law;
  kernels.make_law(material.values().data(), law.data());
  kernels.make_step_law(material.values().data(), 1e-3, step_law.data());
  for (std::uint64_t step = 0; step < 5; ++step) {
    S du[9 * chunk];
    for (std::size_t k = 0; k < 9 * chunk; ++k) du[k] = S(0.04 * (random_uniform(1, step, k) - 0.5));
    kernels.advance(step_law.data(), du, group.pointers.data(), chunk, count);
  }
  S ratios[asked];
  for (std::size_t k = 0; k < asked; ++k) ratios[k] = S(0.9 + 0.2 * random_uniform(2, 0, k));
  kernels.rebuild(law.data(), ratios, group.pointers.data(), chunk, std::min(count, int(asked) - 3));
  Results<S> r;
  kernels.stress(law.data(), group.pointers.data(), chunk, r.stress);
  kernels.strain(law.data(), group.pointers.data(), chunk, r.strain);
  kernels.energy(law.data(), group.pointers.data(), chunk, r.energy);
  kernels.volume_ratio(law.data(), group.pointers.data(), chunk, r.volume);
  for (std::size_t k = 0; k + 3 < std::min(std::size_t(count), asked); ++k)
    EXPECT_NEAR(r.volume[k], ratios[k], 1e-6) << isa.name << " " << material.name();
  return r;
}

template <class S>
struct MaterialKernelsTest : testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(MaterialKernelsTest, Scalars);

// fused multiply-add rounds differently, so equal to rounding only
TYPED_TEST(MaterialKernelsTest, instruction_sets_agree) {
  using S = TypeParam;
  const double tolerance = std::is_same_v<S, float> ? 1e-4 : 1e-12;
  for (const Material& material : every_material()) {
    Group<S> group(material);
    const Results<S> exact = run<S>(instruction_set(0), material, int(chunk), group);
    double scale = 0;
    for (const S tau : exact.stress) scale = std::max(scale, std::fabs(double(tau)));
    EXPECT_GT(scale, 100);
    for (int i = 1; i < instruction_set_count(); ++i) {
      const InstructionSet& isa = instruction_set(i);
      if (!isa.supported()) continue;
      Group<S> other(material);
      const Results<S> found = run<S>(isa, material, int(chunk), other);
      for (std::size_t k = 0; k < 6 * asked; ++k) {
        EXPECT_NEAR(found.stress[k], exact.stress[k], tolerance * scale)
            << isa.name << " " << material.name();
        EXPECT_NEAR(found.strain[k], exact.strain[k], tolerance) << isa.name << " " << material.name();
      }
      for (std::size_t k = 0; k < asked; ++k) {
        EXPECT_NEAR(found.energy[k], exact.energy[k], tolerance * scale)
            << isa.name << " " << material.name();
        EXPECT_NEAR(found.volume[k], exact.volume[k], tolerance) << isa.name << " " << material.name();
      }
    }
  }
}

// the first `count` particles of a chunk move as in a full one, and nobody else's numbers change
TYPED_TEST(MaterialKernelsTest, only_counted_particles_are_written) {
  using S = TypeParam;
  for (int i = 0; i < instruction_set_count(); ++i) {
    const InstructionSet& isa = instruction_set(i);
    if (!isa.supported()) continue;
    for (const Material& material : every_material()) {
      Group<S> full(material);
      run<S>(isa, material, int(chunk), full);
      for (int count = 0; count <= int(chunk); ++count) {
        Group<S> part(material);
        run<S>(isa, material, count, part);
        for (std::size_t c = 0; c < part.columns.size(); ++c)
          for (std::size_t k = 0; k < particles; ++k) {
            const bool mine = k >= chunk && k < chunk + std::size_t(count);
            ASSERT_EQ(part.columns[c][k], mine ? full.columns[c][k] : S(0))
                << isa.name << " " << material.name() << " " << count << " " << k;
          }
      }
    }
  }
}

// the kernels of a material that tears: some particles tear, and a model that cannot has none
TYPED_TEST(MaterialKernelsTest, tearing) {
  using S = TypeParam;
  const InstructionSet& isa = instruction_set(0);
  int tearing = 0;
  for (const Material& material : every_material()) {
    if (!material.tears) continue;
    ++tearing;
    Group<S> group(material);
    run<S>(isa, material, int(chunk), group);
    int torn = 0;
    for (std::size_t k = chunk; k < 2 * chunk; ++k) {
      const S weak = group.columns.back()[k];
      EXPECT_TRUE(weak == 0 || weak == 1);
      torn += weak == 1;
    }
    EXPECT_GT(torn, 0) << material.name();
    EXPECT_LT(torn, int(chunk)) << material.name();
  }
  EXPECT_EQ(tearing, 4);
  const int plain = find_model("neo-hookean");
  EXPECT_EQ(isa.loops<S>().material(plain, true), nullptr);
}

}  // namespace
}  // namespace dollop
