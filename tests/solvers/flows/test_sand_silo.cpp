// Sand that flows out of a silo through a slot or a round hole: the rate does not depend on how full it is and grows with
// the width of the hole as Beverloo's law says. And the volume of the heap below: no more than there was above.
#include <gtest/gtest.h>

#include "solvers/flow_cases.h"
#include "solvers/sand_cases.h"

namespace dollop {
namespace {

using namespace tests;

// Half of a silo with a slot, four cells thick and periodic, or a quarter of a round one.
struct Silo {
  Sand sand = {};
  bool round = false;
  int opening = 8;  // width of the slot or the hole [cells]
  int width = 16;   // from the middle to the wall [cells]
  int fill = 40;    // height of the sand [cells]
  int drop =
      0;  // from the opening down to a rough floor; 0: it falls on a smooth one and slides away [cells]
  double cell_size = 0.01;

  double opening_size() const { return opening * cell_size; }
  double mass() const {
    const double h = cell_size, r = width * h;
    return sand.density * fill * h * (round ? std::numbers::pi / 4 * r * r : r * 4 * h);
  }
  // rho sqrt(g) D^(5/2) of a whole round hole, D^(3/2) of a slot one metre long [kg/s]
  double beverloo_scale() const {
    return sand.density * std::sqrt(g_earth) * std::pow(opening_size(), round ? 2.5 : 1.5);
  }
  double whole() const { return round ? 4 : 2 / (4 * cell_size); }  // of what is simulated
};

Scene silo_scene(const Silo& silo) {
  const double h = silo.cell_size, r = silo.opening_size() / 2, w = silo.width * h, top = silo.fill * h;
  Scene scene;
  scene.settings = sand_settings(h);
  scene.materials = {silo.sand.material()};
  const auto symmetry = [&](const char* name, Double3 normal) {
    scene.colliders.push_back(
        {.name = name, .shape = Plane{{0, 0, 0}, normal}, .contact = ContactKind::slip});
  };
  symmetry("symmetry in x", {1, 0, 0});
  const double thick = 3 * h;
  if (silo.round) {
    symmetry("symmetry in z", {0, 0, 1});
    const Box quadrant{.center = {w / 2, top / 2, w / 2}, .size = {w, top, w}};
    scene.bodies = {
        {.material = "sand",
         .shape = Intersect{{Cylinder{.center = {0, top / 2, 0}, .radius = w, .height = top}, quadrant}}}};
    const Cylinder plate{.center = {0, -thick / 2, 0}, .radius = w + 4 * h, .height = thick};
    const Cylinder hole{.center = {0, -thick / 2, 0}, .radius = r, .height = 2 * thick};
    const Cylinder around{.center = {0, top / 2, 0}, .radius = w + 4 * h, .height = top + 8 * h};
    const Cylinder inside{.center = {0, top / 2, 0}, .radius = w, .height = top + 16 * h};
    scene.colliders.push_back({.name = "bottom", .shape = Minus{{plate, hole}}, .friction = 0.5});
    scene.colliders.push_back({.name = "wall", .shape = Minus{{around, inside}}, .friction = 0.3});
  } else {
    scene.domain = Domain{{-1, -1, 0}, {1, 1, 4 * h}, {false, false, true}};
    scene.bodies = {
        {.material = "sand", .shape = Box{.center = {w / 2, top / 2, 2 * h}, .size = {w, top, 4 * h}}}};
    scene.colliders.push_back({.name = "bottom",
                               .shape = Box{.center = {(r + w) / 2 + 2 * h, -thick / 2, 2 * h},
                                            .size = {w - r + 4 * h, thick, 8 * h}},
                               .friction = 0.5});
    scene.colliders.push_back({.name = "wall", .shape = Plane{{w, 0, 0}, {-1, 0, 0}}, .friction = 0.3});
  }
  const bool rough = silo.drop > 0;
  scene.colliders.push_back({.name = "floor",
                             .shape = Plane{.point = {0, -(rough ? silo.drop : silo.fill + 8) * h, 0}},
                             .contact = rough ? ContactKind::sticky : ContactKind::slip});
  return scene;
}

// the part of the sand that is still above the bottom
double filled(const Simulation& simulation) {
  const ParticleData sand = simulation.particles("sand");
  double in = 0, all = 0;
  for (std::size_t i = 0; i < sand.position.size(); ++i)
    all += sand.mass[i], in += sand.position[i][1] > 0 ? sand.mass[i] : 0;
  return in / all;
}

// Rates of flow [kg/s] while the silo empties from 75 to 35 %, in four equal parts.
std::vector<double> flow_rates(const Silo& silo) {
  Simulation simulation(silo_scene(silo));
  const double levels[] = {0.75, 0.65, 0.55, 0.45, 0.35};
  const double interval = 0.05 * silo.mass() * silo.whole() / silo.beverloo_scale();
  std::vector<double> times, rates;
  double before = 1, last = 0;
  while (times.size() < std::size(levels)) {
    const double t = last + interval / 4;
    if (!simulation.advance_to(t).ok() || t > 100 * interval) break;
    const double now = filled(simulation);
    while (times.size() < std::size(levels) && now <= levels[times.size()])
      times.push_back(last + (t - last) * (before - levels[times.size()]) / (before - now));
    before = now, last = t;
  }
  for (std::size_t k = 1; k < times.size(); ++k)
    rates.push_back(0.1 * silo.mass() * silo.whole() / (times[k] - times[k - 1]));
  return rates;
}

// The mean rate; the parts lie within `spread` of it.
double expect_steady(const Silo& silo, double spread) {
  const std::vector<double> rates = flow_rates(silo);
  EXPECT_EQ(rates.size(), 4u);
  if (rates.size() < 4) return 0;
  const double mean = (rates[0] + rates[1] + rates[2] + rates[3]) / 4;
  std::printf("%s of %d cells, %s %g degrees: %.3f %.3f %.3f %.3f of the mean, prefactor %.3f\n",
              silo.round ? "hole" : "slot", silo.opening, name_of(silo.sand.cone), silo.sand.angle,
              rates[0] / mean, rates[1] / mean, rates[2] / mean, rates[3] / mean,
              mean / silo.beverloo_scale());
  for (const double rate : rates) EXPECT_NEAR(rate / mean, 1, spread);
  return mean;
}

TEST(HeavySandSilo, flow_through_a_slot_does_not_depend_on_the_filling) {
  const Silo silo{.opening = 8, .width = 12, .fill = 36};
  const double mean = expect_steady(silo, 0.05);
  EXPECT_NEAR(mean / silo.beverloo_scale(), 0.69, 0.07);
}

// Beverloo's law for experiments is W = 0.58 rho sqrt(g) (D - k d)^(5/2) with the size d of the grains
constexpr double beverloo = 0.58;

TEST(SandSilo, beverloo_scale_is_that_of_the_law) {
  // [kg/s] of holes of 10, 15 and 20 mm, sand of 2200 kg/m^3
  const double rates[] = {0.0400, 0.1101, 0.2261};
  for (int k = 0; k < 3; ++k) {
    const Silo silo{.round = true, .opening = 10 + 5 * k, .cell_size = 1e-3};
    EXPECT_NEAR(beverloo * silo.beverloo_scale(), rates[k], 5e-5);
  }
}

// slope of the line through points by least squares
double slope_of(const std::vector<double>& x, const std::vector<double>& y) {
  double n = double(x.size()), sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sx += x[k], sy += y[k], sxx += x[k] * x[k], sxy += x[k] * y[k];
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

// Here it is cells that the edge of the hole takes off: W^(2/5) lies on a straight line in D, which begins at the edge.
// The silo is filled twice as high as the widest hole, so that at the end of what is measured it is still filled
// higher than the funnel.
TEST(LongSandSilo, flow_through_a_hole_follows_beverloo) {
  std::vector<double> sizes, roots, log_sizes, log_inner, log_rates;
  for (const int opening : {14, 17, 20}) {
    const Silo silo{.round = true, .opening = opening, .width = 16, .fill = 40};
    const double factor = expect_steady(silo, 0.03) / silo.beverloo_scale();
    EXPECT_NEAR(factor / beverloo, 1, 0.2);
    sizes.push_back(opening), log_sizes.push_back(std::log(opening));
    roots.push_back(std::pow(factor, 0.4) * opening), log_rates.push_back(2.5 * std::log(roots.back()));
  }
  const double slope = slope_of(sizes, roots), middle = (sizes[0] + sizes[1] + sizes[2]) / 3;
  const double edge = middle - (roots[0] + roots[1] + roots[2]) / 3 / slope;
  for (const double size : sizes) log_inner.push_back(std::log(size - edge));
  const double exponent = slope_of(log_sizes, log_rates), inner = slope_of(log_inner, log_rates);
  std::printf("prefactor %.3f with %.2f cells off the hole, power %.3f; of the diameter alone %.3f\n",
              std::pow(slope, 2.5), edge, inner, exponent);
  for (std::size_t k = 0; k < sizes.size(); ++k)
    EXPECT_NEAR(roots[k] / (slope * (sizes[k] - edge)), 1, 0.015);
  EXPECT_NEAR(inner, 2.5, 0.05);
  EXPECT_NEAR(exponent, 3.02, 0.1);
  EXPECT_NEAR(edge, 2.7, 0.5);
  EXPECT_NEAR(std::pow(slope, 2.5), 0.84, 0.08);
}

// --- volume ---

struct Volumes {
  double survey;  // volume that the survey finds, over that at the start
  double full;    // volume of cells at least half full, likewise
  double inside;  // volume for each particle in the middle of the heap, likewise
  double left;    // part of the sand that did not get through
};

// volume of the cells, four thick, that are at least half as full of particles as they were at the start
double volume_of_full_cells(const Simulation& simulation, double h) {
  std::map<std::pair<int, int>, int> cells;
  for (const Double3& x : simulation.particles("sand").position)
    cells[{int(std::floor(x[0] / h)), int(std::floor(x[1] / h))}] += 1;
  double volume = 0;
  for (const auto& [cell, count] : cells) volume += count >= 16 ? 4 * h * h * h : 0;
  return volume;
}

// volume of a box over that of the particles in it
double volume_inside(const Simulation& simulation, const Double3& low, const Double3& high) {
  const ParticleData sand = simulation.particles("sand");
  double volume = 0;
  for (std::size_t i = 0; i < sand.position.size(); ++i) {
    const Double3& x = sand.position[i];
    if (x[0] > low[0] && x[1] > low[1] && x[0] < high[0] && x[1] < high[1]) volume += sand.volume[i];
  }
  return (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]) / volume;
}

// The slot silo with as little as possible left on its bottom: half the width of the opening beyond it.
Volumes run_through(bool correction) {
  const Silo silo{.sand = {.angle = 30, .cone = ConeKind::tan, .volume_correction = correction},
                  .opening = 12,
                  .width = 8,
                  .fill = 24,
                  .drop = 40};
  const double h = silo.cell_size, floor = -silo.drop * h, true_volume = silo.mass() / silo.sand.density;
  Simulation simulation(silo_scene(silo));
  const double survey_before = simulation.metrics(true).survey->volume;
  EXPECT_NEAR(survey_before / true_volume, 1, 0.02);
  EXPECT_NEAR(volume_of_full_cells(simulation, h) / true_volume, 1, 1e-3);
  EXPECT_TRUE(simulation.advance_to(2.5).ok());
  const Volumes v{.survey = simulation.metrics(true).survey->volume / survey_before,
                  .full = volume_of_full_cells(simulation, h) / true_volume,
                  .inside = volume_inside(simulation, {h, floor + 2 * h, 0}, {7 * h, floor + 16 * h, 4 * h}),
                  .left = filled(simulation)};
  const Metrics m = simulation.metrics();
  std::printf(
      "volume correction %s: full cells %.4f, inside %.4f, survey %.4f of the start; %.1f %% did not fall; "
      "%.4f m/s\n",
      correction ? "on" : "off", v.full, v.inside, v.survey, 100 * v.left,
      std::sqrt(2 * m.kinetic_energy / m.mass));
  return v;
}

TEST(HeavySandVolume, heap_below_a_slot_has_no_more_volume_than_there_was) {
  const Volumes with = run_through(true);
  EXPECT_LT(with.full, 1.02);
  EXPECT_LT(with.inside, 1.02);
  EXPECT_LT(with.survey, 1.02);
  EXPECT_GT(with.inside, 0.95);  // nor is it pressed together
  const Volumes without = run_through(false);
  EXPECT_GT(without.inside, 1.1);
}

}  // namespace
}  // namespace dollop
