// The tables of functions that solvers call: instruction sets against the first, and what they may write.
#include "materials/material_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/aligned_array.h"
#include "core/random.h"
#include "grid/kernels.h"
#include "materials/registry.h"

namespace dollop {
namespace {

constexpr std::size_t chunk = advance_size, asked = 16, particles = 3 * chunk;

// the columns of a group of particles, all in one model
template <class S>
struct Group {
  std::vector<AlignedArray<S>> columns;
  std::vector<S*> pointers;
  explicit Group(const ModelInfo& model) {
    for (const Column& c : model.columns)
      for (int k = 0; k < c.components; ++k) columns.emplace_back(particles);
    for (auto& c : columns) pointers.push_back(c.data());
  }
};

template <class S>
struct Results {
  S stress[6 * asked], energy[asked], volume[asked];
};

// the values of a run: some steps with random increments in every lane
template <class S>
Results<S> run(const InstructionSet& isa, int model, std::size_t first, int count, Group<S>& group) {
  const MaterialKernels<S>& kernels = material_kernels<S>(isa, model);
  EXPECT_EQ(kernels.name, models()[std::size_t(model)].name);
  alignas(64) unsigned char law[max_law_bytes];
  kernels.make_law(resolve_parameters(models()[std::size_t(model)], {}).data(), 1e-3, law);
  for (std::uint64_t step = 0; step < 5; ++step) {
    S du[9 * chunk];
    for (std::size_t k = 0; k < 9 * chunk; ++k) du[k] = S(0.02 * (random_uniform(1, step, k) - 0.5));
    kernels.advance(law, du, group.pointers.data(), first, count);
  }
  Results<S> r;
  kernels.stress(law, group.pointers.data(), first, r.stress);
  kernels.energy(law, group.pointers.data(), first, r.energy);
  kernels.volume_ratio(law, group.pointers.data(), first, r.volume);
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
  for (int m = 0; m < int(models().size()); ++m) {
    Group<S> group(models()[std::size_t(m)]);
    const Results<S> exact = run<S>(instruction_set(0), m, chunk, int(chunk), group);
    double scale = 0;
    for (const S tau : exact.stress) scale = std::max(scale, std::fabs(double(tau)));
    EXPECT_GT(scale, 100);
    for (int i = 1; i < instruction_set_count(); ++i) {
      const InstructionSet& isa = instruction_set(i);
      if (!isa.supported()) continue;
      Group<S> other(models()[std::size_t(m)]);
      const Results<S> found = run<S>(isa, m, chunk, int(chunk), other);
      for (std::size_t k = 0; k < 6 * asked; ++k)
        EXPECT_NEAR(found.stress[k], exact.stress[k], tolerance * scale)
            << isa.name << " " << models()[std::size_t(m)].name;
      for (std::size_t k = 0; k < asked; ++k) {
        EXPECT_NEAR(found.energy[k], exact.energy[k], tolerance * scale) << isa.name;
        EXPECT_NEAR(found.volume[k], exact.volume[k], tolerance) << isa.name;
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
    for (int m = 0; m < int(models().size()); ++m) {
      Group<S> full(models()[std::size_t(m)]);
      run<S>(isa, m, chunk, int(chunk), full);
      for (int count = 0; count <= int(chunk); ++count) {
        Group<S> part(models()[std::size_t(m)]);
        run<S>(isa, m, chunk, count, part);
        for (std::size_t c = 0; c < part.columns.size(); ++c)
          for (std::size_t k = 0; k < particles; ++k) {
            const bool mine = k >= chunk && k < chunk + std::size_t(count);
            ASSERT_EQ(part.columns[c][k], mine ? full.columns[c][k] : S(0))
                << isa.name << " " << count << " " << k;
          }
      }
    }
  }
}

}  // namespace
}  // namespace dollop
