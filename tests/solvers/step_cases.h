// Scenes whose results should not depend on the time step, each with the figures that are compared.
#pragma once

#include "solvers/axial_bar.h"
#include "solvers/flow_cases.h"
#include "solvers/methods/elastic_dt.h"

namespace dollop::tests {

// How a scene is run.
struct Way {
  Transfer transfer = Transfer::fading;
  double divisor = 1;  // of the default step, that of the stability bound
  double stiffer = 1;  // factor of the bulk modulus of fluids
  double longer = 1;   // factor of the time constant
  Kernel kernel = Kernel::cubic;
  Precision precision = Precision::single_precision;
  bool implicit = false;
  bool subcycled = false;
  auto operator<=>(const Way&) const = default;
};

inline std::string name_of(const Way& way) {
  std::string name = name_of(way.transfer);
  const auto add = [&](const char* what, double x) { name += what + std::to_string(std::lround(x)); };
  if (way.divisor > 1) add("_dt_over_", way.divisor);
  if (way.divisor < 1) add("_dt_times_", 1 / way.divisor);
  if (way.stiffer > 1) add("_bulk_modulus_times_", way.stiffer);
  if (way.longer > 1) add("_time_times_", way.longer);
  if (way.longer < 1) add("_time_over_", 1 / way.longer);
  if (way.kernel == Kernel::quadratic) name += "_quadratic";
  if (way.precision == Precision::double_precision) name += "_double";
  if (way.implicit) name += "_newton";
  if (way.subcycled) name += "_subcycled";
  return name;
}

inline Scene run_so(const Way& way, Scene scene) {
  Settings& s = scene.settings;
  s.kernel = way.kernel, s.transfer = way.transfer, s.precision = way.precision;
  for (Material& m : scene.materials)
    if (m.parameters.count("bulk_modulus")) m.parameters["bulk_modulus"] *= way.stiffer;
  s.fading_time = way.longer * fading_time(scene);
  s.max_dt = elastic_dt(scene) / way.divisor;
  if (way.implicit) s.solver = "newton";
  if (way.subcycled) s.solver = "subcycled";
  return scene;
}

struct Figure {
  const char* name;
  double value;
};
struct Outcome {
  double dt = 0;  // of most steps [s]
  std::int64_t steps = 0;
  std::vector<Figure> figures = {};
};

template <class Run>
void advance(Run& run, double time, Outcome& outcome) {
  const AdvanceReport report = run.advance_to(time);
  EXPECT_TRUE(report.ok()) << describe(report.last);
  outcome.steps += report.steps, outcome.dt = report.dt_max;
}

// --- a heap of yogurt slumps on a sticky floor -------------------------------------------------------------

inline constexpr double yogurt_size = 0.06;  // height and diameter [m]

// The whole of a cylinder, `cells` high: between planes of symmetry, fronts would run ahead along the planes.
inline Scene yogurt_scene(int cells) {
  const double size = yogurt_size, h = size / cells;
  Scene scene;
  scene.settings.cell_size = h;
  scene.materials = {fluid_material({12, 4.1, 0.45}, 1050, 225, 4e4)};
  scene.bodies = {{.material = "fluid",
                   .shape = Cylinder{.center = {0, size / 2, 0}, .radius = size / 2, .height = size}}};
  scene.colliders = {{.name = "floor",
                      .shape = Plane{.point = {0, 1e-4 * h, 0}, .normal = {0, 1, 0}},
                      .contact = ContactKind::sticky}};
  return scene;
}

inline Outcome slump(const Way& way, int cells) {
  const Scene scene = run_so(way, yogurt_scene(cells));
  Simulation run(scene);
  Outcome outcome;
  advance(run, 1, outcome);
  std::vector<double> radius;
  for (const Double3& x : run.particles("fluid").position) radius.push_back(std::hypot(x[0], x[2]));
  std::sort(radius.begin(), radius.end());
  const double edge = scene.settings.cell_size / 4;  // half the spacing of the particles
  const auto quantile = [&](double q) { return radius[std::size_t(q * double(radius.size() - 1))] + edge; };
  outcome.figures = {
      {"reach", quantile(1)}, {"99 % quantile", quantile(0.99)}, {"90 % quantile", quantile(0.9)}};
  return outcome;
}

// --- a block of rubber falls and rebounds ------------------------------------------------------------------

inline constexpr double drop = 0.05;  // [m]

// 5 x 10 x 5 cm, `cells` wide
inline Scene dropped_block_scene(int cells) {
  const double width = 0.05, hair = 1e-4 * width / cells;
  Scene scene;
  scene.settings.cell_size = width / cells;
  scene.materials = {elastic("rubber", 1000, 5e4, 0.3)};
  scene.bodies = {{.material = "rubber",
                   .shape = Box{.center = {0, drop + width, 0}, .size = {width, 2 * width, width}}}};
  scene.colliders = {{.name = "floor",
                      .shape = Plane{.point = {0, hair, 0}, .normal = {0, 1, 0}},
                      .contact = ContactKind::separate,
                      .friction = 0}};
  return scene;
}

// how high the centre of mass will rise above where it is when the block stands: known as soon as the block has left the
// floor, after 0.14 s
inline Outcome rebound(const Way& way, int cells) {
  const Scene scene = run_so(way, dropped_block_scene(cells));
  Simulation run(scene);
  Outcome outcome;
  advance(run, 0.19, outcome);
  const Metrics m = run.metrics();
  EXPECT_GT(m.bounds_min[1], scene.settings.cell_size);
  const double speed = m.momentum[1] / m.mass;
  EXPECT_GT(speed, 0);
  outcome.figures = {{"rebound", m.center_of_mass[1] - 0.05 + speed * speed / (2 * earth_gravity)}};
  return outcome;
}

// --- plane Poiseuille flow ---------------------------------------------------------------------------------

inline Outcome poiseuille(const Way& way, int cells, ContactKind contact = ContactKind::no_slip) {
  const FlowSetup setup{.flow = {{0, 10, 1}, 200, 0.05},
                        .channel = true,
                        .cells = cells,
                        .density = 1000,
                        .shear_modulus = 1000,
                        .bulk_modulus = 2e4,
                        .duration = 1,  // ten times that of the slowest decay
                        .contact = contact};
  Simulation run(run_so(way, flow_scene(setup)));
  Outcome outcome;
  advance(run, setup.duration, outcome);
  const FlowProfile profile = profile_of(setup, run.particles("fluid"));
  outcome.figures = {{"top speed / formula", profile.top_speed / setup.flow.top_speed()}};
  return outcome;
}

// --- a shear wave decays -----------------------------------------------------------------------------------

inline constexpr double wave_shear_modulus = 3000;  // [Pa]

// A viscous and nearly incompressible fluid, periodic, with u = sin(2 pi y / L); a wave is `cells` long.
inline Scene shear_wave_scene(int cells) {
  const double h = 0.01;
  Scene scene;
  scene.settings.cell_size = h, scene.settings.gravity = {0, 0, 0};
  scene.materials = {fluid_material({0, 10, 1}, 1000, wave_shear_modulus, 200 * wave_shear_modulus)};
  const Double3 size{4 * h, cells * h, 4 * h};
  scene.domain = Domain{{0, 0, 0}, size, {true, true, true}};
  scene.bodies = {{.material = "fluid", .shape = Box{.center = times(0.5, size), .size = size}}};
  return scene;
}

// The rate of decay over that of a Maxwell fluid, whose shear stress relaxes at the rate G/K: nu k^2 but for
// 6 percent.
template <class S>
Outcome shear_wave_in(const Way& way, int cells) {
  TypedSimulation<S> run(run_so(way, shear_wave_scene(cells)));
  const double k = 2 * std::numbers::pi / (cells * 0.01), speed = 0.02, relaxation = 10 / wave_shear_modulus;
  const double viscous = 0.01 * k * k;
  const double rate = (1 - std::sqrt(1 - 4 * relaxation * viscous)) / (2 * relaxation);
  set_velocity(
      run,
      [&](const Double3& x) {
        return Double3{speed * std::sin(k * x[1]), 0, 0};
      },
      [&](const Double3& x) {
        return std::array<Double3, 3>{{{0, speed * k * std::cos(k * x[1]), 0}, {}, {}}};
      });
  const auto amplitude = [&] {
    double sum = 0, weight = 0;
    each_particle(run, [&](ParticleGroup<S>& group, std::size_t i, const Double3& x) {
      const double wave = std::sin(k * x[1]);
      sum += wave * double(group.reals(ParticleGroup<S>::velocity)[i]), weight += wave * wave;
    });
    return sum / weight;
  };
  Outcome outcome;
  advance(run, 0.5 / rate, outcome);
  const double start = run.state().time, before = amplitude();
  advance(run, 2.5 / rate, outcome);
  const double measured = std::log(before / amplitude()) / (run.state().time - start);
  outcome.figures = {{"rate / formula", measured / rate}};
  return outcome;
}
inline Outcome shear_wave(const Way& way, int cells) {
  return (way.precision == Precision::single_precision ? shear_wave_in<float> : shear_wave_in<double>)(way,
                                                                                                       cells);
}

// --- a bar vibrates ----------------------------------------------------------------------------------------

// The bar of axial_bar.h for `periods`: period, and what is left of the amplitude in the last five
template <class S>
Outcome bar_in(const Way& way, int cells, int periods) {
  TypedSimulation<S> run(run_so(way, held_bar_scene(cells, way.kernel, way.precision)));
  const Record record = vibrate(run, held_bar_wave_number, periods * bar_period);
  const double period = period_of(record);
  Record last;
  for (std::size_t i = 0; i < record.times.size(); ++i)
    if (record.times[i] > (periods - 5) * bar_period - 1e-9) last.add(record.times[i], record.values[i]);
  Outcome outcome{.dt = run.metrics().dt_max, .steps = run.state().steps};
  outcome.figures = {{"period", period}, {"amplitude left", amplitude_of(last, period) / record.values[0]}};
  return outcome;
}
inline Outcome bar(const Way& way, int periods) {
  return (way.precision == Precision::single_precision ? bar_in<float> : bar_in<double>)(way, 25, periods);
}

}  // namespace dollop::tests
