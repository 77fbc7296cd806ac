// Heaps of a yield-stress fluid that spread slowly under their own weight and come to rest where the stress at the
// floor equals tau_y. For shallow heaps the height is h^2 = 2 tau_y (R - r) / (rho g), which fixes the reach R.
//
// "Slowly" here: gravity grows from zero in three seconds, smoothly, and the viscosity beyond yield is small, so that
// the heap passes through states of rest. The floor is sticky, the planes of symmetry are smooth.
#include <gtest/gtest.h>

#include "solvers/flow_cases.h"

namespace dollop {
namespace {

using namespace tests;

constexpr double density = 1000, size = 0.1;  // height, and length or diameter of the block at the start [m]
constexpr double weight = density * earth_gravity;

// Half of a wide ridge (a slab of four cells), or a quarter of a cylinder.
struct Heap {
  bool round;
  double tau_y;     // [Pa]
  int cells;        // along `size`
  double duration;  // [s]

  double cell_size() const { return size / cells; }
  double reach() const {
    if (!round) return std::cbrt(9 * weight * std::pow(size, 4) / (8 * tau_y));
    const double pi = std::numbers::pi, volume = pi / 4 * size * size * size;
    return std::pow(225 * weight * volume * volume / (128 * pi * pi * tau_y), 0.2);
  }
  double height(double r) const { return std::sqrt(2 * tau_y * std::max(0.0, reach() - r) / weight); }
  // floor between two distances that the model covers [m^2]
  double floor_area(double from, double to) const {
    return round ? std::numbers::pi / 4 * (to * to - from * from) : (to - from) * 4 * cell_size();
  }
};

Scene heap_scene(const Heap& heap) {
  const double h = heap.cell_size(), hair = 1e-4 * h;
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = h, s.kernel = Kernel::quadratic, s.transfer = Transfer::apic;
  s.gravity = Animated3{0.0, Animated(Animated::Kind::smooth, {{0, 0}, {3, -earth_gravity}}), 0.0};
  scene.materials = {fluid_material({heap.tau_y, 0.1, 1}, density, 100 * heap.tau_y, 3e4)};
  scene.colliders = {{.name = "floor",
                      .shape = Plane{.point = {0, hair, 0}, .normal = {0, 1, 0}},
                      .contact = ContactKind::sticky},
                     {.name = "symmetry in x",
                      .shape = Plane{.point = {hair, 0, 0}, .normal = {1, 0, 0}},
                      .contact = ContactKind::slip}};
  if (heap.round) {
    const Box quadrant{.center = {size / 4, size / 2, size / 4}, .size = {size / 2, size, size / 2}};
    const Cylinder block{.center = {0, size / 2, 0}, .radius = size / 2, .height = size};
    scene.bodies = {{.material = "fluid", .shape = Intersect{{block, quadrant}}}};
    scene.colliders.push_back({.name = "symmetry in z",
                               .shape = Plane{.point = {0, 0, hair}, .normal = {0, 0, 1}},
                               .contact = ContactKind::slip});
  } else {
    scene.bodies = {{.material = "fluid",
                     .shape = Box{.center = {size / 2, size / 2, 2 * h}, .size = {size, size, 4 * h}}}};
    scene.domain = Domain{{0, -1, 0}, {1, 1, 4 * h}, {false, false, true}};
  }
  return scene;
}

struct Rest {
  double reach = 0;                         // of the farthest particle's edge [m]
  double speed = 0;                         // root mean square [m/s]
  double volume_ratio = 1;                  // of all particles together
  std::vector<double> r = {}, height = {};  // volume over floor, in rings or strips
  double height_error = 0;                  // sqrt(sum (h - formula)^2 / sum formula^2) over these
};

Rest measure(const Heap& heap, const Simulation& simulation) {
  const ParticleData fluid = simulation.particles("fluid");
  const Metrics m = simulation.metrics();
  const double width = 4 * heap.cell_size();
  Rest rest{.speed = std::sqrt(2 * m.kinetic_energy / m.mass)};
  std::vector<double> volume(std::size_t(2 * heap.reach() / width) + 1);
  double now = 0, before = 0;
  for (std::size_t i = 0; i < fluid.position.size(); ++i) {
    const Double3& x = fluid.position[i];
    const double r = heap.round ? std::hypot(x[0], x[2]) : x[0];
    const double v = fluid.volume[i] * (1 + fluid.state.at("volume_change")[0][i]);
    rest.reach = std::max(rest.reach, r + heap.cell_size() / 4);
    volume[std::min(std::size_t(r / width), volume.size() - 1)] += v;
    now += v, before += fluid.volume[i];
  }
  rest.volume_ratio = now / before;
  double difference = 0, formula = 0;
  for (std::size_t k = 0; k < volume.size(); ++k) {
    const double from = double(k) * width, area = heap.floor_area(from, from + width);
    if (volume[k] == 0) continue;
    rest.r.push_back(from + width / 2), rest.height.push_back(volume[k] / area);
    const double exact = heap.height(rest.r.back());
    difference += area * std::pow(rest.height.back() - exact, 2), formula += area * exact * exact;
  }
  rest.height_error = std::sqrt(difference / formula);
  return rest;
}

// Lets a heap spread and compares where it comes to rest; `expected` is the reach that the closed form gives, and its
// heights are met within `height_bound`.
Comparison expect_reach(const Heap& heap, double expected, double height_bound) {
  EXPECT_NEAR(heap.reach() / expected, 1, 4e-3);
  Simulation simulation(heap_scene(heap));
  const AdvanceReport report = simulation.advance_to(heap.duration);
  EXPECT_TRUE(report.ok()) << describe(report.last);
  const Rest rest = measure(heap, simulation);
  std::printf(
      "%s, τ_y %g Pa, %d cells: reach %.4f m, formula %.4f, %+.1f %%; heights off by %.1f %%; "
      "%.1e m/s, volume %+.2f %%\n",
      heap.round ? "cylinder" : "ridge", heap.tau_y, heap.cells, rest.reach, heap.reach(),
      100 * (rest.reach / heap.reach() - 1), 100 * rest.height_error, rest.speed,
      100 * (rest.volume_ratio - 1));
  EXPECT_NEAR(rest.reach / expected, 1, 0.12);
  EXPECT_LT(rest.height_error, height_bound);
  EXPECT_LT(rest.speed, 2e-3);  // at rest: 0.2 % of sqrt(g size)
  EXPECT_NEAR(rest.volume_ratio, 1, 0.01);
  char label[32];
  std::snprintf(label, sizeof label, "τ_y %g Pa", heap.tau_y);
  Comparison c{.label = label, .measured_x = rest.r, .measured = rest.height};
  for (int k = 0; k <= 400; ++k) {
    c.x.push_back(heap.reach() * k / 400);
    c.formula.push_back(heap.height(c.x.back()));
  }
  return c;
}

void plot_heaps(const std::string& file, const std::string& title, const std::vector<Comparison>& curves) {
  plot_comparisons(file, {.title = title, .x_label = "distance [m]", .y_label = "height [m]"}, curves);
}

TEST(HeavyFoamSlump, ridge_comes_to_rest_where_the_formula_says) {
  expect_reach({false, 50, 16, 4}, 0.281, 0.15);
}

TEST(HeavyFoamSlump, cylinder_comes_to_rest_where_the_formula_says) {
  expect_reach({true, 10, 16, 4}, 0.161, 0.26);
}

TEST(LongFoamSlump, ridges_come_to_rest_where_the_formula_says) {
  plot_heaps("foam-ridge.svg",
             "Ridges at rest, 10 cm high and wide at the start: lines formula, points simulated",
             {expect_reach({false, 10, 30, 7}, 0.480, 0.07), expect_reach({false, 30, 30, 5}, 0.333, 0.06),
              expect_reach({false, 50, 30, 4}, 0.281, 0.1)});
}

TEST(LongFoamSlump, cylinders_come_to_rest_where_the_formula_says) {
  plot_heaps("foam-cylinder.svg",
             "Cylinders at rest, 10 cm high and wide at the start: lines formula, points simulated",
             {expect_reach({true, 5, 30, 5}, 0.185, 0.15), expect_reach({true, 10, 30, 4}, 0.161, 0.12)});
}

}  // namespace
}  // namespace dollop
