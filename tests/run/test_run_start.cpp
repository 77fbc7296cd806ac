#include "run/run_start.h"

#include <dollop/scene_file.h>
#include <dollop/simulation.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace dollop {
namespace {

// a box of this width, with a thin stiff layer, that turns
Scene scene_of(double width, double turning, const std::string& more = "") {
  return parse_scene(fmt::format(R"([simulation]
duration = 1
cell_size = 0.01
{}
[materials.soft]
model = "neo-hookean"
young_modulus = 1e4
[materials.skin]
model = "neo-hookean"
young_modulus = 1e7
[[bodies]]
material = "soft"
shape = {{ box = {{ center = [0, 0, 0], size = [{}, {}, {}] }} }}
layers = [{{ material = "skin", depth = 0.006 }}]
angular_velocity = [0, {}, 0]
)",
                                 more, width, width, width, turning),
                     "start.toml")
      .scene;
}

TEST(run_start, small_scenes_are_counted) {
  const Scene scene = scene_of(0.1, 3);
  const RunStart start = examine_start(scene);
  const Simulation simulation(scene);
  EXPECT_TRUE(start.counted);
  EXPECT_EQ(start.particles, double(simulation.particle_count()));
  EXPECT_EQ(start.dt, simulation.stable_dt());
}

// with a hundredth of the particles no one would lie in the layer
TEST(run_start, large_scenes_have_the_time_step_of_all_their_materials) {
  const RunStart start = examine_start(scene_of(2.4, 0));
  EXPECT_FALSE(start.counted);
  EXPECT_NEAR(start.particles / (8 * 240.0 * 240 * 240), 1, 0.01);
  EXPECT_EQ(start.dt, Simulation(scene_of(0.1, 0)).stable_dt());
}

TEST(run_start, large_scenes_have_the_time_step_of_their_speeds) {
  const RunStart half = examine_start(scene_of(1.2, 5000)), whole = examine_start(scene_of(2.4, 5000));
  EXPECT_NEAR(half.dt / whole.dt, 2, 0.1);  // the corners of the larger box are twice as fast
}

TEST(run_start, a_body_that_is_too_thin_stays_an_error) {
  const char* sheet = R"([simulation]
duration = 1
cell_size = 0.01
[materials.soft]
model = "neo-hookean"
young_modulus = 1e4
[[bodies]]
material = "soft"
shape = { box = { center = [0, 0, 0], size = [8, 0.001, 8] } }
)";
  EXPECT_THROW(examine_start(parse_scene(sheet, "start.toml").scene), SceneError);
}

}  // namespace
}  // namespace dollop
