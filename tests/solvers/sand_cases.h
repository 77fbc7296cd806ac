// Flows of Drucker-Prager sand with known outcome: slabs on a slope, columns at rest and collapsing.
#pragma once

#include <dollop/dollop.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>
#include <string>
#include <vector>

namespace dollop::tests {

inline constexpr double g_earth = 9.81;                       // [m/s^2]
inline constexpr double one_degree = std::numbers::pi / 180;  // [rad]

// the definition of the friction angle: values of the parameter `cone`
enum class ConeKind { triaxial, plane_strain, tan, sin };

inline const char* name_of(ConeKind cone) {
  constexpr const char* names[] = {"triaxial", "plane-strain", "tan", "sin"};
  return names[int(cone)];
}

// Sand of a constant friction angle.
struct Sand {
  double angle = 30;  // [degrees]
  ConeKind cone = ConeKind::triaxial;
  bool volume_correction = true;
  double young_modulus = 3.537e5;  // [Pa]
  double density = 2200;           // [kg/m^3]
  double poisson_ratio = 0.3;

  Material material() const {
    return {"sand",
            "drucker-prager",
            {{"density", density},
             {"young_modulus", young_modulus},
             {"poisson_ratio", poisson_ratio},
             {"friction_angle", angle * one_degree},
             {"cone", double(int(cone))},
             {"volume_correction", volume_correction ? 1.0 : 0.0}}};
  }
  // shear stress over pressure in simple shear
  double slope_friction() const {
    const double s = std::sin(angle * one_degree);
    if (cone == ConeKind::triaxial) return 2 * std::sqrt(3.0) * s / (3 - s);
    return cone == ConeKind::sin ? s : std::tan(angle * one_degree);
  }
  double slope_angle() const { return std::atan(slope_friction()) / one_degree; }  // [degrees]
};

// settings that all of these runs share
inline Settings sand_settings(double cell_size) {
  Settings s;
  s.cell_size = cell_size, s.kernel = Kernel::quadratic, s.transfer = Transfer::apic;
  s.threads = 1;  // these runs are small, and tests run in parallel
  return s;
}

// the q-quantile of a list, 0 <= q <= 1
inline double quantile(std::vector<double> values, double q) {
  const auto at = values.begin() + std::ptrdiff_t(q * double(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// --- a slab on a slope, periodic along the slope and across it: the floor is level and gravity is inclined ---

struct Slab {
  Sand sand;
  double angle;    // of the slope [degrees]
  int depth = 20;  // [cells]
  double cell_size = 0.01;
  ContactKind contact = ContactKind::sticky;
  double friction = 0;  // of the floor, if it is not sticky
  double lean = 1e-3;   // time in which gravity is inclined once the load is on [s]
  Seeding seeding = Seeding::lattice;
  int width = 4;                            // along the slope and across, periodic [cells]
  std::map<std::string, double> more = {};  // parameters of the material

  static constexpr double settle = 0.3;  // time in which the load normal to the slope is applied [s]
  double height() const { return depth * cell_size; }
  double drive() const { return g_earth * std::sin(angle * one_degree); }
  double load() const { return g_earth * std::cos(angle * one_degree); }
};

inline Scene slab_scene(const Slab& slab) {
  const double h = slab.cell_size, top = slab.height(), width = slab.width * h;
  Scene scene;
  scene.settings = sand_settings(h);
  const Animated load(Animated::Kind::smooth, {{0, 0}, {0.8 * slab.settle, -slab.load()}});
  const Animated drive(Animated::Kind::smooth, {{slab.settle, 0}, {slab.settle + slab.lean, slab.drive()}});
  scene.settings.gravity = Animated3{drive, load, 0.0};
  scene.materials = {slab.sand.material()};
  for (const auto& [name, value] : slab.more) scene.materials[0].parameters[name] = value;
  scene.domain = Domain{{0, -8 * h, 0}, {width, top + 8 * h, width}, {true, false, true}};
  scene.bodies = {{.material = "sand",
                   .shape = Box{.center = {width / 2, top / 2, width / 2}, .size = {width, top, width}},
                   .seeding = slab.seeding}};
  scene.colliders = {{.name = "floor",
                      .shape = Plane{.point = {0, 0, 0}, .normal = {0, 1, 0}},
                      .contact = slab.contact,
                      .friction = slab.friction}};
  return scene;
}

// mean velocity down the slope of the particles higher than `above` [m/s]
inline double slab_speed(const Simulation& simulation, double above) {
  const ParticleData sand = simulation.particles("sand");
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < sand.position.size(); ++i)
    if (sand.position[i][1] > above) sum += sand.velocity[i][0], count += 1;
  return sum / count;
}

// --- a collapsing column in plane strain: half of it, beside a smooth wall ---

struct Column {
  Sand sand;
  double aspect;  // height over length
  int cells;      // along its length
  double cell_size = 0.01;
  double patience = 4.25;  // duration over sqrt(height / g)
  double max_dt = 1.5e-4;  // [s]

  double length() const { return cells * cell_size; }
  double height() const { return aspect * length(); }
  double duration() const { return patience * std::sqrt(height() / g_earth); }
};

inline Scene column_scene(const Column& column) {
  const double h = column.cell_size, l = column.length(), top = column.height();
  Scene scene;
  scene.settings = sand_settings(h);
  scene.settings.max_dt = column.max_dt;
  scene.materials = {column.sand.material()};
  scene.domain = Domain{{-1, -1, 0}, {1, 1, 4 * h}, {false, false, true}};
  scene.bodies = {
      {.material = "sand", .shape = Box{.center = {l / 2, top / 2, 2 * h}, .size = {l, top, 4 * h}}}};
  scene.colliders = {{.name = "floor", .shape = Plane{}, .contact = ContactKind::sticky},
                     {.name = "wall",
                      .shape = Plane{.point = {0, 0, 0}, .normal = {1, 0, 0}},
                      .contact = ContactKind::slip}};
  return scene;
}

// The deposit of a collapsed column.
struct Deposit {
  double runout = 0;  // (L - L0)/L0; 99 % of the sand is within the distance L of the wall
  double height = 0;  // H/L0; 99 % of the sand within two cells of the wall is below H
  double speed = 0;   // root mean square [m/s]
};

inline Deposit deposit_of(const Column& column, const Simulation& simulation) {
  const ParticleData sand = simulation.particles("sand");
  std::vector<double> x, y;
  for (const Double3& p : sand.position) {
    x.push_back(p[0]);
    if (p[0] < 2 * column.cell_size) y.push_back(p[1]);
  }
  const Metrics m = simulation.metrics();
  return {quantile(x, 0.99) / column.length() - 1, quantile(y, 0.99) / column.length(),
          std::sqrt(2 * m.kinetic_energy / m.mass)};
}

}  // namespace dollop::tests
