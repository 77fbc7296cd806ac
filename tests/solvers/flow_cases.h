// Flows of Herschel-Bulkley fluids with closed-form solutions: between two plates, down a slope, and heaps at rest.
#pragma once

#include <dollop/dollop.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "io/line_plot.h"

namespace dollop::tests {

inline constexpr double earth_gravity = 9.81;

// tau = tau_y + K rate^n in simple shear
struct Fluid {
  double tau_y, consistency, flow_index;
};

inline Material fluid_material(const Fluid& fluid, double density, double shear_modulus,
                               double bulk_modulus) {
  return {"fluid",
          "herschel-bulkley",
          {{"density", density},
           {"shear_modulus", shear_modulus},
           {"bulk_modulus", bulk_modulus},
           {"tau_y", fluid.tau_y},
           {"consistency", fluid.consistency},
           {"flow_index", fluid.flow_index}}};
}

inline std::string name_of(const Fluid& fluid) {
  char text[80];
  std::snprintf(text, sizeof text, "τ_y %g, K %g, n %g", fluid.tau_y, fluid.consistency, fluid.flow_index);
  return text;
}

// Steady flow on a wall where the shear stress falls from drive * thickness at the wall to zero at `thickness`: half
// a channel, or a film under its own weight.
struct SteadyFlow {
  Fluid fluid;
  double drive;      // body force along the wall [Pa/m]
  double thickness;  // [m]

  double sheared() const { return std::max(0.0, thickness - fluid.tau_y / drive); }
  double speed(double from_wall) const {
    const double n = fluid.flow_index, power = 1 + 1 / n;
    return n / (n + 1) * std::pow(drive / fluid.consistency, 1 / n) *
           (std::pow(sheared(), power) - std::pow(std::max(0.0, sheared() - from_wall), power));
  }
  double top_speed() const { return speed(thickness); }
  double mean_speed() const {
    const double n = fluid.flow_index;
    return top_speed() * (1 - sheared() / thickness * n / (2 * n + 1));
  }
};

// A slab of the flow, four cells long and wide, periodic along both. Walls are planes of grid nodes; the material
// reaches two cells into them, so that the support of the first free nodes is filled on both sides.
struct FlowSetup {
  SteadyFlow flow;
  bool channel;                        // two walls; else a film whose surface is free
  int cells;                           // from wall to wall, or from wall to surface
  double density;                      // [kg/m^3]
  double shear_modulus, bulk_modulus;  // [Pa]
  double duration;                     // [s]
  double load = 0;                     // body force into the wall, in a film [Pa/m]
  double ramp = 0;                     // time in which forces grow to their value [s]
  ContactKind contact = ContactKind::no_slip;
  Transfer transfer = Transfer::apic;                       // flip: without any PIC
  double max_dt = std::numeric_limits<double>::infinity();  // [s]

  double height() const { return channel ? 2 * flow.thickness : flow.thickness; }
  double cell_size() const { return height() / cells; }
  double from_wall(double y) const { return channel ? std::min(y, height() - y) : y; }
};

inline Scene flow_scene(const FlowSetup& setup) {
  const double h = setup.cell_size(), top = setup.cells * h, inside = 2 * h;
  const double upper = setup.channel ? top + inside : top;
  const auto grown = [&](double force) {
    const double g = force / setup.density;
    return setup.ramp > 0 ? Animated(Animated::Kind::smooth, {{0, 0}, {setup.ramp, g}}) : Animated(g);
  };
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = h, s.kernel = Kernel::quadratic, s.transfer = setup.transfer, s.flip_ratio = 1;
  s.max_dt = setup.max_dt;
  s.gravity = Animated3{grown(setup.flow.drive), grown(-setup.load), 0.0};
  scene.materials = {
      fluid_material(setup.flow.fluid, setup.density, setup.shear_modulus, setup.bulk_modulus)};
  scene.domain = Domain{{0, -8 * h, 0}, {4 * h, top + 8 * h, 4 * h}, {true, false, true}};
  scene.bodies = {
      {.material = "fluid",
       .shape = Box{.center = {2 * h, (upper - inside) / 2, 2 * h}, .size = {4 * h, upper + inside, 4 * h}}}};
  scene.colliders = {
      {.name = "floor", .shape = Plane{.point = {0, 0, 0}, .normal = {0, 1, 0}}, .contact = setup.contact}};
  if (setup.channel)
    scene.colliders.push_back({.name = "ceiling",
                               .shape = Plane{.point = {0, top, 0}, .normal = {0, -1, 0}},
                               .contact = setup.contact});
  return scene;
}

// The velocity profile at the end, by rows of particles, and its error against the closed form.
struct FlowProfile {
  std::vector<double> from_wall, speed;  // a row each, from the floor up
  double error = 0;                      // sqrt(sum (u - formula)^2 / sum formula^2) over all particles
  double top_speed = 0;                  // [m/s]
  double mean_speed = 0;                 // of all particles, which have the same volume at rest [m/s]
  double change = 0;                     // of the mean speed in the last fifth of the time, relative
  double least_J = 1;
};

inline FlowProfile profile_of(const FlowSetup& setup, const ParticleData& fluid) {
  const double h = setup.cell_size();
  FlowProfile profile;
  double difference = 0, size = 0, count = 0;
  struct Row {
    double height = 0, speed = 0, count = 0;
  };
  std::map<int, Row> rows;
  for (std::size_t i = 0; i < fluid.position.size(); ++i) {
    const double y = fluid.position[i][1], u = fluid.velocity[i][0];
    if (y < 0 || (setup.channel && y > setup.cells * h)) continue;  // held in the wall
    const double exact = setup.flow.speed(setup.from_wall(y));
    difference += (u - exact) * (u - exact), size += exact * exact;
    profile.mean_speed += u, count += 1;
    Row& row = rows[int(2 * y / h)];
    row.height += y, row.speed += u, row.count += 1;
    profile.least_J = std::min(profile.least_J, 1 + fluid.state.at("volume_change")[0][i]);
  }
  profile.error = std::sqrt(difference / size);
  profile.mean_speed /= count;
  for (const auto& [index, row] : rows) {
    profile.from_wall.push_back(row.height / row.count);
    profile.speed.push_back(row.speed / row.count);
    profile.top_speed = std::max(profile.top_speed, profile.speed.back());
  }
  return profile;
}

// Runs to the steady state. `failed` gets a description if a step fails.
inline FlowProfile steady_profile(const FlowSetup& setup, std::string& failed) {
  Simulation simulation(flow_scene(setup));
  const auto mean_speed = [&] {
    const Metrics m = simulation.metrics();
    return m.momentum[0] / m.mass;
  };
  AdvanceReport report = simulation.advance_to(0.8 * setup.duration);
  const double before = mean_speed();
  if (report.ok()) report = simulation.advance_to(setup.duration);
  if (!report.ok()) failed = describe(report.last);
  FlowProfile profile = profile_of(setup, simulation.particles("fluid"));
  profile.change = mean_speed() / before - 1;
  std::printf(
      "%d cells, %s: profile off by %.2f %%, top speed %.5g m/s (%+.2f %%), mean %.5g (%+.2f %%), still "
      "changes "
      "by %.1e, J >= %.4f\n",
      setup.cells, name_of(setup.flow.fluid).c_str(), 100 * profile.error, profile.top_speed,
      100 * (profile.top_speed / setup.flow.top_speed() - 1), profile.mean_speed,
      100 * (profile.mean_speed / setup.flow.mean_speed() - 1), profile.change, profile.least_J);
  return profile;
}

// One curve of a figure: a formula and measured values.
struct Comparison {
  std::string label;
  std::vector<double> x = {}, formula = {};
  std::vector<double> measured_x = {}, measured = {};
};

// Writes a figure, if the environment names a folder for figures in DOLLOP_PLOTS: lines are formulas, points results.
inline void plot_comparisons(const std::string& file, LinePlot plot, const std::vector<Comparison>& all) {
  const char* folder = std::getenv("DOLLOP_PLOTS");
  if (!folder) return;
  constexpr std::size_t colours = 7;  // of a plot: series whose indices differ by this have the same colour
  plot.series.assign(colours, {});
  for (std::size_t i = 0; i < all.size(); ++i)
    plot.series[i] = {.label = all[i].label, .x = all[i].x, .y = all[i].formula};
  for (const Comparison& c : all)
    plot.series.push_back({.label = "", .x = c.measured_x, .y = c.measured, .line = false, .points = true});
  std::ofstream(std::string(folder) + "/" + file) << svg_of(plot);
}

}  // namespace dollop::tests
