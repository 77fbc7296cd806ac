// Steady flows of Herschel-Bulkley fluids between plates and down a slope against their closed forms, and rest below
// the yield stress. What limits them, and the choice of the settings: docs/validation-foam.md.
#include <gtest/gtest.h>

#include "solvers/flow_cases.h"

namespace dollop {
namespace {

using namespace tests;

// A flow and the speeds that its closed form gives.
struct Case {
  Fluid fluid;
  double top_speed;       // [m/s]
  double mean_speed = 0;  // 0: not known apart from the program
};

// --- between two plates, driven along them by a force on every volume ---

constexpr double channel_drive = 200, half_height = 0.05;  // [Pa/m], [m]
const std::vector<Case> channel_cases = {
    {{0, 10, 1}, 0.025}, {{4, 10, 1}, 0.009}, {{4, 10, 0.5}, 0.0036}, {{4, 10, 2}, 0.01549}};

FlowSetup channel(const Fluid& fluid, int cells) {
  return {.flow = {fluid, channel_drive, half_height},
          .channel = true,
          .cells = cells,
          .density = 100,         // starts within h^2 rho/K = 25 ms
          .shear_modulus = 1000,  // 100 times the stress at the wall
          .bulk_modulus = 2000,   // there is no pressure
          .duration = 0.5};
}

// --- down a slope of 20 degrees ---

constexpr double film_density = 1000, film_height = 0.05;
const double film_drive = film_density * earth_gravity * std::sin(20 * std::numbers::pi / 180);
const double film_load = film_density * earth_gravity * std::cos(20 * std::numbers::pi / 180);
const std::vector<Case> film_cases = {
    {{0, 10, 1}, 0.4194}, {{50, 10, 1}, 0.2067, 0.1583}, {{50, 10, 0.5}, 1.622}};

// The thinning fluid has a thousandth of the density in a thousand times the gravity: the same weight and the same
// steady flow, with less inertia. A film as fluid as that needs it.
FlowSetup film(const Fluid& fluid, int cells) {
  const bool thin = fluid.flow_index < 1;
  return {.flow = {fluid, film_drive, film_height},
          .channel = false,
          .cells = cells,
          .density = thin ? film_density / 1000 : film_density,
          .shear_modulus = 50 * film_drive * film_height,
          .bulk_modulus = 200 * film_load * film_height,  // the bottom is compressed by half a percent
          .duration = thin ? 0.04 : 1,
          .load = film_load};
}

Comparison comparison_of(const FlowSetup& setup, const FlowProfile& profile) {
  Comparison c{
      .label = name_of(setup.flow.fluid), .measured_x = profile.speed, .measured = profile.from_wall};
  for (int k = 0; k <= 200; ++k) {
    const double z = setup.height() * k / 200;
    c.x.push_back(setup.flow.speed(setup.channel ? std::min(z, setup.height() - z) : z));
    c.formula.push_back(z);
  }
  return c;
}

// All cases at a resolution, each within `bound` in profile, top speed and mean speed. Returns the curves for a figure.
std::vector<Comparison> expect_profiles(const std::vector<Case>& cases,
                                        FlowSetup (*setup_of)(const Fluid&, int), int cells, double bound) {
  std::vector<Comparison> curves;
  for (const Case& c : cases) {
    SCOPED_TRACE(name_of(c.fluid));
    const FlowSetup setup = setup_of(c.fluid, cells);
    EXPECT_NEAR(setup.flow.top_speed() / c.top_speed, 1, 2e-3);  // the closed form itself
    if (c.mean_speed > 0) {
      EXPECT_NEAR(setup.flow.mean_speed() / c.mean_speed, 1, 5e-4);
    }
    std::string failed;
    const FlowProfile profile = steady_profile(setup, failed);
    EXPECT_EQ(failed, "");
    EXPECT_LT(profile.error, bound);
    EXPECT_NEAR(profile.top_speed / c.top_speed, 1, bound);
    EXPECT_NEAR(profile.mean_speed / setup.flow.mean_speed(), 1, bound);
    EXPECT_LT(std::fabs(profile.change), 0.01);  // steady
    EXPECT_GT(profile.least_J, 0.985);
    curves.push_back(comparison_of(setup, profile));
  }
  return curves;
}

TEST(FoamChannel, bingham_fluid_flows_as_a_plug_between_layers_at_eight_cells_across) {
  expect_profiles({channel_cases[1]}, channel, 8, 0.08);
}

TEST(HeavyFoamChannel, profiles_are_within_5_percent_at_16_cells_across) {
  expect_profiles(channel_cases, channel, 16, 0.05);
}

TEST(HeavyFoamChannel, profiles_are_within_3_percent_at_32_cells_across) {
  const auto curves = expect_profiles(channel_cases, channel, 32, 0.03);
  plot_comparisons(
      "foam-channel.svg",
      {.title = "Flow between plates, 200 Pa/m, 32 cells across: lines closed form, points simulated",
       .x_label = "speed [m/s]",
       .y_label = "height [m]"},
      curves);
}

// In steady flow the walls feel all of the drive, that on the material inside them included.
TEST(FoamChannel, no_slip_walls_carry_the_drive) {
  const FlowSetup setup = channel(channel_cases[1].fluid, 8);
  Scene scene = flow_scene(setup);
  Simulation simulation(scene);
  ASSERT_TRUE(simulation.advance_to(0.3).ok());
  simulation.new_interval();
  ASSERT_TRUE(simulation.advance_to(0.4).ok());
  const Metrics m = simulation.metrics();
  const double drive = channel_drive * m.mass / setup.density;
  EXPECT_NEAR(m.contact_forces[0].force[0] + m.contact_forces[1].force[0], drive, 0.01 * drive);
  EXPECT_NEAR(m.contact_forces[0].force[0], m.contact_forces[1].force[0], 0.01 * drive);
}

// a surface in any direction, with a free surface above
TEST(FoamChannel, no_slip_holds_a_ball_in_a_bowl) {
  Scene scene;
  scene.settings.cell_size = 0.01;
  scene.materials = {fluid_material({5, 10, 1}, 1000, 500, 5000)};
  scene.bodies = {{.material = "fluid", .shape = Sphere{{0, 0.0, 0}, 0.05}, .velocity = {0.5, 0, 0}}};
  scene.colliders = {
      {.name = "bowl",
       .shape = Minus{{Box{.center = {0, -0.03, 0}, .size = {0.3, 0.2, 0.3}}, Sphere{{0, 0.03, 0}, 0.09}}},
       .contact = ContactKind::no_slip}};
  for (const int threads : {1, 3}) {
    scene.settings.threads = threads;
    Simulation simulation(scene);
    ASSERT_TRUE(simulation.advance_to(0.4).ok());
    const Metrics m = simulation.metrics();
    EXPECT_LT(m.max_speed, 0.1);
    EXPECT_GT(m.bounds_min[1], -0.061);
    static std::uint64_t hash = 0;
    if (threads == 1) hash = simulation.state_hash();
    EXPECT_EQ(simulation.state_hash(), hash);
  }
}

// Between walls that are only sticky the flow is too fast, as if its layers of shear were thicker by a part of a cell.
// `excess` is by how much, of each of the fluids.
void expect_flow_between_sticky_walls(int cells, const std::vector<double>& excess) {
  for (std::size_t i = 0; i < channel_cases.size(); ++i) {
    const Case& c = channel_cases[i];
    FlowSetup setup = channel(c.fluid, cells);
    setup.contact = ContactKind::sticky;
    std::string failed;
    const FlowProfile profile = steady_profile(setup, failed);
    EXPECT_EQ(failed, "");
    const double n = c.fluid.flow_index, faster = profile.top_speed / setup.flow.top_speed();
    const double offset = (std::pow(faster, n / (n + 1)) - 1) * setup.flow.sheared() / setup.cell_size();
    std::printf("no slip %.3f cells behind the plane\n", offset);
    EXPECT_GT(offset, 0.08);
    EXPECT_LT(offset, 0.18);
    EXPECT_NEAR(faster - 1, excess[i], 0.003) << i;
    EXPECT_NEAR(profile.error, excess[i], 0.015) << i;  // the whole profile is faster
  }
}

TEST(HeavyFoamChannel, sticky_walls_act_behind_their_plane) {
  expect_flow_between_sticky_walls(16, {0.032, 0.054, 0.093, 0.044});
}

TEST(LongFoamChannel, sticky_walls_act_behind_their_plane_on_a_finer_grid) {
  expect_flow_between_sticky_walls(32, {0.018, 0.029, 0.053, 0.015});
}

// Each transfer of APIC smooths the velocity a little, which at a wall takes momentum away: the more steps, the slower
// the flow. What counts is dt against the time h^2 rho/K that viscosity needs across a cell. Pure FLIP does not smooth.
TEST(LongFoamChannel, short_steps_brake_only_with_a_transfer_that_smooths) {
  FlowSetup setup = channel({0, 10, 1}, 16);
  setup.contact = ContactKind::sticky;
  setup.density = 1000, setup.duration = 1;
  const double across_cell = std::pow(setup.cell_size(), 2) * setup.density / setup.flow.fluid.consistency;
  const struct {
    double part, apic;  // top speed over that of the formula
  } cases[] = {{0.4, 1.016}, {0.1, 0.969}, {0.025, 0.851}, {0.00625, 0.611}};
  for (const auto& known : cases) {
    setup.max_dt = known.part * across_cell;
    std::string failed;
    setup.transfer = Transfer::flip;
    std::printf("dt K/(rho h^2) = %g: FLIP ", known.part);
    EXPECT_NEAR(steady_profile(setup, failed).top_speed / setup.flow.top_speed(), 1.044, 0.003);
    setup.transfer = Transfer::apic;
    std::printf("dt K/(rho h^2) = %g: APIC ", known.part);
    EXPECT_NEAR(steady_profile(setup, failed).top_speed / setup.flow.top_speed(), known.apic, 0.005);
    EXPECT_EQ(failed, "");
  }
}

TEST(HeavyFoamFilm, profiles_are_within_5_percent_at_16_cells) {
  expect_profiles(film_cases, film, 16, 0.05);
}

TEST(LongFoamFilm, profiles_are_within_3_percent_at_32_cells) {
  const auto curves = expect_profiles(film_cases, film, 32, 0.03);
  plot_comparisons("foam-film.svg",
                   {.title = "Film on a slope of 20 degrees, 32 cells: lines closed form, points simulated",
                    .x_label = "speed [m/s]",
                    .y_label = "height [m]"},
                   curves);
}

// Particles that start in rows leave them in the end: disorder grows from rounding, by a factor of 1.1 to 1.3
// with every unit of shear. Up to here there is none to see.
TEST(LongFoamFilm, keeps_its_speed_to_a_shear_strain_of_fifty) {
  FlowSetup setup = film(film_cases[0].fluid, 16);
  const double wall_rate = setup.flow.drive * setup.flow.thickness / setup.flow.fluid.consistency;
  setup.duration = 50 / wall_rate;
  std::string failed;
  const FlowProfile profile = steady_profile(setup, failed);
  EXPECT_EQ(failed, "");
  EXPECT_LT(profile.error, 0.05);
  EXPECT_LT(std::fabs(profile.change), 0.005);
}

// --- below the yield stress ---

// How far the material gets in a second after all forces have been put on, at most [m].
double creep_in_a_second(FlowSetup setup) {
  setup.ramp = 0.45;
  const double start = 0.5;
  Simulation simulation(flow_scene(setup));
  EXPECT_TRUE(simulation.advance_to(start).ok());
  const ParticleData before = simulation.particles("fluid");
  EXPECT_TRUE(simulation.advance_to(start + 1).ok());
  const ParticleData after = simulation.particles("fluid");
  double farthest = 0;
  const double period = 4 * setup.cell_size();
  for (std::size_t i = 0; i < before.position.size(); ++i)
    farthest =
        std::max(farthest, std::fabs(std::remainder(after.position[i][0] - before.position[i][0], period)));
  return farthest;
}

// less than a thousandth of the way that a fluid which yields flows in the same time
void expect_rest(const FlowSetup& setup, const Case& flowing) {
  EXPECT_EQ(setup.flow.top_speed(), 0);
  const double creep = creep_in_a_second(setup), way = flowing.top_speed * 1.0;
  std::printf("creeps by %.2g m in 1 s, %.1e of what the fluid with τ_y %g flows\n", creep, creep / way,
              flowing.fluid.tau_y);
  EXPECT_LT(creep / way, 1e-3);
}

TEST(HeavyFoamFilm, rests_below_the_yield_stress) { expect_rest(film({200, 10, 1}, 16), film_cases[1]); }

TEST(HeavyFoamChannel, rests_below_the_yield_stress) {
  expect_rest(channel({12, 10, 1}, 16), channel_cases[1]);
}

}  // namespace
}  // namespace dollop
