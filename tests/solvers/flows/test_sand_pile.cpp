// Piles that are poured slowly from a spout onto a rough floor, and what stays of a bed when its side is taken away: the
// angle of the flank against the angle of friction.
#include <gtest/gtest.h>

#include "solvers/flow_cases.h"
#include "solvers/sand_cases.h"

namespace dollop {
namespace {

using namespace tests;

enum class Form { cone, wedge };  // a quarter of a round pile, or half of a ridge in plane strain

struct Pile {
  Sand sand;
  Form form = Form::cone;
  int spout = 3;            // half width [cells]
  double base = 20;         // radius of the heap if it had the angle of friction [cells]
  double drop = 3;          // of the sand between spout and heap [cells]
  double speed = 0.15;      // at the spout [m/s]
  double cell_size = 0.01;  // [m]

  double spout_area() const {
    const double r = spout * cell_size;
    return form == Form::cone ? std::numbers::pi / 4 * r * r : r * 4 * cell_size;
  }
  double volume() const {
    const double r = base * cell_size, slope = std::tan(sand.angle * one_degree);
    return form == Form::cone ? std::numbers::pi / 12 * r * r * r * slope : r * r * slope / 2 * 4 * cell_size;
  }
  double pouring() const { return volume() / (spout_area() * speed); }  // [s]
  double height() const { return base * cell_size * std::tan(sand.angle * one_degree); }
};

// The spout rises with the heap, as high above it as `drop`, so that little is splashed about.
Scene pile_scene(const Pile& pile) {
  const double h = pile.cell_size, r = pile.spout * h, drop = pile.drop * h;
  Scene scene;
  scene.settings = sand_settings(h);
  scene.materials = {pile.sand.material()};
  scene.colliders = {
      {.name = "floor", .shape = Plane{}, .contact = ContactKind::sticky},
      {.name = "symmetry in x", .shape = Plane{.normal = {1, 0, 0}}, .contact = ContactKind::slip}};
  Emitter spout{
      .material = "sand", .shape = {}, .speed = pile.speed, .direction = {0, -1, 0}, .until = pile.pouring()};
  const double power = pile.form == Form::cone ? 1.0 / 3.0 : 0.5;
  std::vector<Animated::Key> rise;
  for (int k = 0; k <= 50; ++k)
    rise.push_back({pile.pouring() * k / 50, pile.height() * std::pow(k / 50.0, power)});
  spout.motion.position = Animated3{0.0, Animated(Animated::Kind::linear, rise), 0.0};
  if (pile.form == Form::cone) {
    const Box quadrant{.center = {r, drop, r}, .size = {2 * r, 2 * h, 2 * r}};
    const Cylinder mouth{.center = {0, drop, 0}, .radius = r, .height = h};
    spout.shape = Intersect{{mouth, quadrant}};
    scene.colliders.push_back(
        {.name = "symmetry in z", .shape = Plane{.normal = {0, 0, 1}}, .contact = ContactKind::slip});
  } else {
    spout.shape = Box{.center = {r / 2, drop, 2 * h}, .size = {r, h, 4 * h}};
    scene.domain = Domain{{-1, -1, 0}, {1, 1, 4 * h}, {false, false, true}};
  }
  scene.emitters = {spout};
  return scene;
}

// The surface of a heap: the height that 95 % of the sand stays below, in rings or strips of a cell.
struct Surface {
  std::vector<double> r = {}, height = {};
  double angle = 0;  // of a line through what lies between 20 and 80 % of the height [degrees]
};

Surface surface_of(const Simulation& simulation, bool round, double h, double reach = 1e9) {
  std::map<int, std::vector<double>> rings;
  for (const Double3& x : simulation.particles("sand").position) {
    const double r = round ? std::hypot(x[0], x[2]) : x[0];
    if (r < reach && x[1] > 0) rings[int(r / h)].push_back(x[1]);
  }
  Surface s;
  for (const auto& [ring, heights] : rings) {
    if (heights.size() < 4) continue;  // grains that rolled away
    s.r.push_back((ring + 0.5) * h), s.height.push_back(quantile(heights, 0.95));
  }
  const double top = *std::max_element(s.height.begin(), s.height.end());
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t k = 0; k < s.r.size(); ++k) {
    if (s.height[k] < 0.2 * top || s.height[k] > 0.8 * top) continue;
    n += 1, x += s.r[k], y += s.height[k], xx += s.r[k] * s.r[k], xy += s.r[k] * s.height[k];
  }
  s.angle = std::atan(-(n * xy - x * y) / (n * xx - x * x)) / one_degree;
  return s;
}

Surface pour(const Pile& pile) {
  Simulation simulation(pile_scene(pile));
  const AdvanceReport report = simulation.advance_to(pile.pouring() + 1);
  EXPECT_TRUE(report.ok()) << describe(report.last);
  const Metrics m = simulation.metrics();
  const Surface s = surface_of(simulation, pile.form == Form::cone, pile.cell_size);
  std::printf(
      "%s of %s sand, %g degrees, base %g cells, %.1f s: flank %.1f degrees (slope %.1f), still %.4f m/s, "
      "top %.3f of %.3f m\n",
      pile.form == Form::cone ? "cone" : "wedge", name_of(pile.sand.cone), pile.sand.angle, pile.base,
      pile.pouring(), s.angle, pile.sand.slope_angle(), std::sqrt(2 * m.kinetic_energy / m.mass),
      *std::max_element(s.height.begin(), s.height.end()), pile.height());
  return s;
}

// a line at the angle of the slope through the middle of what was measured, and the surface
Comparison curve_of(const Sand& sand, const Surface& s) {
  char label[32];
  std::snprintf(label, sizeof label, "%g degrees", sand.angle);
  const std::size_t middle = s.r.size() / 2;
  Comparison c{.label = label, .measured_x = s.r, .measured = s.height};
  for (const double r : s.r) {
    c.x.push_back(r);
    c.formula.push_back(s.height[middle] - (r - s.r[middle]) * std::tan(sand.slope_angle() * one_degree));
  }
  return c;
}

// --- a bed on a rough shelf whose gate sinks slowly: in plane strain, the sand above runs over it and falls ---

struct Bed {
  Sand sand;
  int length = 24;        // from the wall to the gate [cells]
  double sinking = 0.15;  // [m/s]
  double cell_size = 0.01;

  double height() const { return 1.3 * length * cell_size * std::tan(sand.slope_angle() * one_degree); }
  double open() const { return height() / sinking; }  // when the gate is down [s]
};

Scene bed_scene(const Bed& bed) {
  const double h = bed.cell_size, l = bed.length * h, top = bed.height(), thick = 4 * h;
  Scene scene;
  scene.settings = sand_settings(h);
  scene.materials = {bed.sand.material()};
  scene.domain = Domain{{-1, -1, 0}, {1, 1, 4 * h}, {false, false, true}};
  scene.bodies = {
      {.material = "sand", .shape = Box{.center = {l / 2, top / 2, 2 * h}, .size = {l, top, 4 * h}}}};
  Motion sinks;
  sinks.position = Animated3{0.0, Animated(Animated::Kind::linear, {{0, 0}, {bed.open(), -top}}), 0.0};
  scene.colliders = {{.name = "wall", .shape = Plane{.normal = {1, 0, 0}}, .contact = ContactKind::slip},
                     {.name = "shelf",
                      .shape = Box{.center = {l / 2 - h, -3 * h, 2 * h}, .size = {l + 2 * h, 6 * h, 8 * h}},
                      .contact = ContactKind::sticky},
                     {.name = "gate",
                      .shape = Box{.center = {l + thick / 2, 0, 2 * h}, .size = {thick, 2 * top, 8 * h}},
                      .motion = sinks}};
  return scene;
}

// the slope that is left on the shelf half a second after the gate is down
Surface drain(const Bed& bed) {
  Simulation simulation(bed_scene(bed));
  const AdvanceReport report = simulation.advance_to(bed.open() + 0.5);
  EXPECT_TRUE(report.ok()) << describe(report.last);
  const Surface s = surface_of(simulation, false, bed.cell_size, bed.length * bed.cell_size);
  std::printf("bed of %d cells, %s sand, %g degrees: slope of %.1f degrees, expected %.1f\n", bed.length,
              name_of(bed.sand.cone), bed.sand.angle, s.angle, bed.sand.slope_angle());
  return s;
}

// The angle at which an infinite slope of the cone tan would start to slide is that of friction. What comes down does not
// stop at once and leaves a little less. The steeper slope that the triaxial cone allows is not reached.
TEST(HeavySandPile, drained_bed_keeps_the_slope_of_its_cone) {
  const Surface s = drain({.sand = {.angle = 30, .cone = ConeKind::tan}, .length = 16});
  EXPECT_NEAR(s.angle, 30, 4);
}

TEST(LongSandPile, drained_beds_are_left_near_the_angle_of_friction) {
  std::vector<Comparison> curves;
  for (const ConeKind cone : {ConeKind::tan, ConeKind::triaxial})
    for (const double angle : {20., 30., 40.}) {
      const Bed bed{.sand = {.angle = angle, .cone = cone}};
      const Surface s = drain(bed);
      EXPECT_NEAR(s.angle, angle, 4);
      if (cone == ConeKind::tan) curves.push_back(curve_of(bed.sand, s));
    }
  plot_comparisons(
      "sand-slopes.svg",
      {.title = "What stays of beds drained slowly: lines the angle of friction, points simulated",
       .x_label = "distance [m]",
       .y_label = "height [m]"},
      curves);
}

// In a round pile the sand is nearly in the triaxial compression that the published cone is meant for.
TEST(LongSandPile, poured_cones_have_the_angle_of_friction) {
  for (const double angle : {20., 30., 40.}) EXPECT_NEAR(pour({.sand = {.angle = angle}}).angle, angle, 3);
}

TEST(LongSandPile, poured_ridges_lie_between_the_angle_of_friction_and_that_of_the_slope) {
  for (const double angle : {20., 40.}) {
    const Pile pile{.sand = {.angle = angle}, .form = Form::wedge, .base = 40, .drop = 4, .speed = 0.2};
    const Surface s = pour(pile);
    EXPECT_GT(s.angle, angle - 4);
    EXPECT_LT(s.angle, pile.sand.slope_angle() + 4);
  }
}

}  // namespace
}  // namespace dollop
