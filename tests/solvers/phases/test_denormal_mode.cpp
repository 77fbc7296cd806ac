// Denormal numbers count as zero in the loops of a step, on every thread, and nowhere else.
#include <dollop/dollop.h>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <atomic>

#include "core/denormals.h"
#include "solvers/methods/explicit_mpm.h"
#include "solvers/methods/newton_mpm.h"

namespace dollop {
namespace {

#if defined(__SSE2__)

// A material that notes the mode of the thread in which its loops run.
std::atomic<int> flushing, keeping;
const MaterialKernels<float>* real_kernels = nullptr;
const ImplicitMaterial<float>* real_implicit = nullptr;
void note() { ++(DenormalMode::current() == DenormalMode::flushing() ? flushing : keeping); }

void noting_stress(const void* law, float* const* state, std::size_t i, float* tau) {
  note();
  real_kernels->stress(law, state, i, tau);
}
void noting_advance(const void* law, const float* du, float* const* state, std::size_t i, int count) {
  note();
  real_kernels->advance(law, du, state, i, count);
}
void noting_trial(const void* law, const float* du, float* const* state, std::size_t i, float* force) {
  note();
  real_implicit->trial(law, du, state, i, force);
}

Scene block(const char* solver) {
  Scene scene;
  scene.settings.solver = solver;
  scene.settings.cell_size = 0.02;
  scene.materials = {{"jelly", "neo-hookean", {{"young_modulus", 5e4}}}};
  scene.bodies = {{.material = "jelly", .shape = Box{{0, 0.2, 0}, {0.4, 0.3, 0.4}}, .velocity = {0, -1, 0}}};
  scene.colliders = {{.name = "ground", .shape = Plane{}}};
  return scene;
}

template <class Method>
void expect_loops_to_flush(Method& method, Setup<float>& setup, State<float>& state) {
  MaterialKernels<float> noting = *setup.materials[0].kernels;
  real_kernels = std::exchange(setup.materials[0].kernels, &noting);
  noting.stress = noting_stress, noting.advance = noting_advance;
  flushing = keeping = 0;
  tbb::task_arena arena(4);  // threads join whose mode nobody has set
  arena.execute([&] {
    const DenormalMode before = DenormalMode::current();
    ASSERT_EQ(before, DenormalMode{});
    for (int k = 0; k < 3; ++k) {
      ASSERT_TRUE(step(method, setup, state, 1e-4).ok());
      EXPECT_EQ(DenormalMode::current(), before);
    }
  });
  EXPECT_GT(flushing, 1000);
  EXPECT_EQ(keeping, 0);
}

TEST(DenormalMode, explicit_loops_flush_and_restore_the_mode) {
  const Scene scene = block("explicit");
  State<float> state;
  ExplicitMpm<float> method;
  auto setup = set_up<float>(scene, columns(method, scene.settings), state);
  make_ready(setup, state, method);
  expect_loops_to_flush(method, setup, state);
}

TEST(DenormalMode, implicit_loops_flush_and_restore_the_mode) {
  const Scene scene = block("newton");
  State<float> state;
  NewtonMpm<float> method;
  auto setup = set_up<float>(scene, columns(method, scene.settings), state);
  make_ready(setup, state, method);
  ImplicitMaterial<float> noting = *method.materials[0];
  real_implicit = std::exchange(method.materials[0], &noting);
  noting.trial = noting_trial;
  expect_loops_to_flush(method, setup, state);
}

// A library may leave its own mode in the thread that calls; results are the same, and it gets its mode back.
TEST(DenormalMode, callers_that_flush_get_the_same_results) {
  const auto hash = [] {
    Simulation simulation(block("explicit"));
    EXPECT_TRUE(simulation.advance_to(0.005).ok());
    return simulation.state_hash();
  };
  const std::uint64_t usual = hash();
  const FlushDenormals as_a_library;
  EXPECT_EQ(hash(), usual);
  EXPECT_EQ(DenormalMode::current(), DenormalMode::flushing());
}

// far below the smallest normal number nothing happens, rather than anything slow
TEST(DenormalMode, denormal_velocities_are_no_velocities) {
  Scene scene = block("explicit");
  scene.settings.gravity = {0, 0, 0};
  scene.colliders.clear();
  scene.bodies[0].velocity = {0, 1e-41, 0};
  Simulation simulation(scene);
  ASSERT_TRUE(simulation.advance_to(0.005).ok());
  EXPECT_EQ(simulation.metrics().max_speed, 0);
}

#endif

}  // namespace
}  // namespace dollop
