// A state that is saved and restored goes on bitwise as if nothing had happened.
#include <dollop/dollop.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "solvers/frame/typed_simulation.h"

namespace dollop {
namespace {

Scene busy_scene(Precision precision, Transfer transfer) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = 0.02, s.kernel = Kernel::quadratic, s.precision = precision, s.transfer = transfer;
  if (transfer == Transfer::fading) s.damping_viscosity = 1e-2;  // one trip or more a step
  scene.materials = {{"clay", "von-mises", {{"yield_stress", 200}}}, {"rubber", "neo-hookean", {}}};
  scene.bodies = {{.material = "clay", .shape = Sphere{{0, 0.12, 0}, 0.06}, .velocity = {0.3, -1, 0}},
                  {.material = "rubber",
                   .shape = Box{{0.1, 0.05, 0}, {0.08, 0.08, 0.08}},
                   .angular_velocity = {0, 5, 0}}};
  scene.emitters = {{.material = "clay", .shape = Disc{{-0.1, 0.2, 0}, {0, -1, 0}, 0.03}, .speed = 1}};
  scene.colliders = {{.name = "ground", .shape = Plane{}, .friction = 0.3},
                     {.name = "paddle",
                      .shape = Box{{0, 0.05, 0}, {0.02, 0.1, 0.1}},
                      .motion = {.rotation = Animated3(0, Animated("3*sin(9*t)"), 0)}}};
  return scene;
}

struct SavedState : testing::TestWithParam<std::tuple<Precision, Transfer>> {};

TEST_P(SavedState, GoesOnBitwise) {
  const auto [precision, transfer] = GetParam();
  const Scene scene = busy_scene(precision, transfer);
  Simulation whole(scene);
  ASSERT_TRUE(whole.advance_to(0.04).ok());
  ASSERT_TRUE(whole.advance_to(0.08).ok());

  // stopped in the middle of an interval, after some number of steps
  for (const int stop : {1, 7, 20}) {
    Simulation first(scene);
    int steps = 0;
    const AdvanceReport report = first.advance_to(0.04, [&](const StepReport&) { return ++steps < stop; });
    ASSERT_EQ(report.stopped, first.time() < 0.04);
    std::stringstream file;
    first.save(file);

    Scene other = scene;
    other.settings.threads = 2;
    Simulation second(other);
    second.restore(file);
    EXPECT_EQ(second.state_hash(), first.state_hash());
    ASSERT_TRUE(second.advance_to(0.04).ok());
    ASSERT_TRUE(second.advance_to(0.08).ok());
    EXPECT_EQ(second.state_hash(), whole.state_hash()) << "stopped after step " << stop;
    EXPECT_EQ(second.steps(), whole.steps());
    const Metrics a = second.metrics(), b = whole.metrics();
    EXPECT_EQ(a.contact_forces[0].force, b.contact_forces[0].force);
    EXPECT_EQ(a.emitted, b.emitted);
    EXPECT_EQ(a.dt_min, b.dt_min);
    EXPECT_GT(a.emitted, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SavedState,
                         testing::Combine(testing::Values(Precision::single_precision,
                                                          Precision::double_precision),
                                          testing::Values(Transfer::flip, Transfer::apic, Transfer::fading)));

// the state of another version of the program is refused by its number
TEST(SavedStateFormat, OthersAreRefused) {
  const Scene scene = busy_scene(Precision::single_precision, Transfer::apic);
  TypedSimulation<float> run(scene);
  std::stringstream file;
  run.save(file);
  std::string stored = file.str();
  for (const char format : {saved_state_format - 1, saved_state_format + 1}) {
    stored[0] = format;
    std::stringstream other(stored);
    EXPECT_THROW(run.restore(other), std::runtime_error);
  }
}

// The bytes of what a state lists. Whoever changes the list must raise saved_state_format, and state both here.
TEST(SavedStateFormat, ChangesWithTheLayout) {
  std::string sizes;
  const auto note = [&](const auto& number) { sizes += char('a' + sizeof number); };
  State<float> state;
  State<float>::numbers(state, note);
  sizes += ' ';
  Tally::numbers(state.tally, note);
  EXPECT_EQ(saved_state_format, 8u);
  EXPECT_EQ(sizes, "iiiiibiii iiiiiiiiiiyiiiii");
  EXPECT_EQ(sizeof(EmitterState) + sizeof(Impact), 24u + 48u);
}

TEST(SavedStateDamage, IsRefusedWithoutHarm) {
  const Scene scene = busy_scene(Precision::single_precision, Transfer::apic);
  Simulation run(scene);
  ASSERT_TRUE(run.advance_to(0.01).ok());
  std::stringstream file;
  run.save(file);
  const std::string whole = file.str();

  for (const std::size_t length :
       {std::size_t(0), std::size_t(3), std::size_t(100), whole.size() / 2, whole.size() - 1}) {
    Simulation other(scene);
    std::stringstream cut(whole.substr(0, length));
    EXPECT_THROW(other.restore(cut), std::runtime_error) << length;
  }
  // of another scene or precision
  Scene fewer = scene;
  fewer.materials.pop_back(), fewer.bodies.pop_back();
  Simulation wrong(fewer);
  std::stringstream again(whole);
  EXPECT_THROW(wrong.restore(again), std::runtime_error);
  Simulation precise(busy_scene(Precision::double_precision, Transfer::apic));
  std::stringstream once_more(whole);
  EXPECT_THROW(precise.restore(once_more), std::runtime_error);
}

// lengths inside the stream that promise more than there is must not be believed
TEST(SavedStateDamage, SurvivesFlippedBytes) {
  const Scene scene = busy_scene(Precision::single_precision, Transfer::apic);
  Simulation run(scene);
  std::stringstream file;
  run.save(file);
  const std::string whole = file.str();
  Simulation other(scene);
  for (std::size_t at = 0; at < 400 && at < whole.size(); ++at) {
    std::string bad = whole;
    bad[at] = char(bad[at] ^ 0xff);
    std::stringstream in(bad);
    try {
      other.restore(in);
    } catch (const std::runtime_error&) {
    }
  }
}

}  // namespace
}  // namespace dollop
