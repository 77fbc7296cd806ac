// The stability bound: proven for every arrangement of particles, and reached by a single one.
#include "solvers/setup/stability_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/random.h"
#include "solvers/bodies.h"
#include "worse_of.h"

namespace dollop {
namespace {

using namespace tests;

constexpr double cell = 0.02, density = 1000, young = 1e5, poisson = 0.3;
constexpr double modulus = young / (1 - 2 * poisson);  // 3 K

// --- the formula -------------------------------------------------------------------------------------------

TEST(StabilityBound, without_viscosity_is_beta_h_over_the_wave_speed) {
  const Stiffness stiff{density, modulus, 0};
  const double unit = cell * std::sqrt(density / modulus);
  const auto beta = [&](Kernel k, ForceForm f) { return stability_bound(stiff, cell, k, f) / unit; };
  EXPECT_NEAR(beta(Kernel::quadratic, ForceForm::mls), 1, 1e-12);
  EXPECT_NEAR(beta(Kernel::cubic, ForceForm::mls), 2 / std::sqrt(3.0), 1e-12);
}

// sum of w'^2 / w over the nodes of an axis: a particle at x, in cells
double sharpness(Kernel kernel, double x) {
  double w[4], d[4], sum = 0;
  const int nodes = kernel == Kernel::cubic ? 4 : 3;
  if (kernel == Kernel::cubic) {
    const double f = x - std::floor(x - BSpline<4>::offset);
    BSpline<4>::weights(f, w), BSpline<4>::derivatives(f, d);
  } else {
    const double f = x - std::floor(x - BSpline<3>::offset);
    BSpline<3>::weights(f, w), BSpline<3>::derivatives(f, d);
  }
  for (int k = 0; k < nodes; ++k) sum += d[k] * d[k] / w[k];
  return sum;
}

double sharpest(Kernel kernel) {
  double most = 0;
  for (int k = 0; k < 20000; ++k) most = std::max(most, sharpness(kernel, 1 + (k + 0.5) / 20000));
  return most;
}

// With the gradients of kernels beta^2 = 4/(2 (s - D^-1) + 2 D^-1/(1 + kappa)) at the largest s, less than the 4/s
// of (DT.2): the affine velocity carries over D^-1 of it only.                                            (DT.6)
TEST(StabilityBound, with_gradients_of_kernels_is_that_of_the_sharpest_place) {
  const Stiffness stiff{density, modulus, 0};
  const double unit = cell * std::sqrt(density / modulus);
  struct Row {
    Kernel kernel;
    double inverse_inertia, sharpest, apic, pic;
  };
  for (const Row& row :
       {Row{Kernel::quadratic, 4, 6, 0.70711, 0.57735}, Row{Kernel::cubic, 3, 3.1368, 1.1053, 0.79849}}) {
    const double s = sharpest(row.kernel), d = row.inverse_inertia;
    EXPECT_NEAR(s, row.sharpest, 4e-4);
    const auto beta = [&](double kept) {
      return stability_bound(stiff, cell, row.kernel, ForceForm::gradient, kept) / unit;
    };
    for (const double kept : {0.0, 0.5, 1.0})
      EXPECT_NEAR(beta(kept) / (2 / std::sqrt(2 * (s - d) + 2 * d / (1 + kept))), 1, 2e-4);
    EXPECT_NEAR(beta(1), row.apic, 1e-4);
    EXPECT_NEAR(beta(0), row.pic, 1e-4);
    EXPECT_LT(beta(1), 0.985 * 2 / std::sqrt(s));
  }
}

// with the frequency w and the decay rate r of the stiffest mode: w^2 dt^2 + 2 r dt = 4      (DT.3)
TEST(StabilityBound, with_viscosity_solves_its_quadratic_equation) {
  for (const Kernel k : all_kernels)
    for (const ForceForm f : all_forces)
      for (const double viscosity : {0.0, 0.1, 3.0, 50.0, 1e4}) {
        const double elastic_dt = stability_bound({density, modulus, 0}, cell, k, f);
        const double w2 = 4 / (elastic_dt * elastic_dt), spread = w2 * density / modulus;
        const double r = 2 * viscosity * spread / density;
        const double dt = stability_bound({density, modulus, viscosity}, cell, k, f);
        EXPECT_NEAR(w2 * dt * dt + 2 * r * dt, 4, 1e-12);
        EXPECT_LE(dt, elastic_dt);
      }
}

TEST(StabilityBound, of_a_very_viscous_material_goes_with_the_square_of_the_cell) {
  const Stiffness thick{density, 1e-3, 1e3};
  const double dt = stability_bound(thick, cell, Kernel::quadratic, ForceForm::mls);
  EXPECT_NEAR(dt / (2 / (4 / (cell * cell) * 2 * 1e3 / density)), 1, 1e-6);
  EXPECT_NEAR(stability_bound(thick, 2 * cell, Kernel::quadratic, ForceForm::mls) / dt, 4, 1e-5);
}

TEST(StabilityBound, of_a_scene_is_that_of_its_stiffest_material_times_the_safety) {
  Scene scene;
  scene.settings.cell_size = cell, scene.settings.gravity = {0, 0, 0}, scene.settings.dt_safety = 0.7;
  scene.materials = {elastic("soft", 1000, 1e4, 0.3), elastic("hard", 1000, 1e6, 0.3),
                     elastic("idle", 1000, 1e9, 0.3)};
  for (const char* name : {"soft", "hard"})
    scene.bodies.push_back({.material = name, .shape = Box{.center = {0, 0, 0}, .size = {0.1, 0.1, 0.1}}});
  const double unit = cell * std::sqrt(1000 * (1 - 0.6) / 1e6);
  EXPECT_NEAR(Simulation(scene).stable_dt() / (0.7 * 2 / std::sqrt(3.0) * unit), 1, 1e-12);
  scene.settings.max_dt = 1e-6;
  EXPECT_EQ(Simulation(scene).stable_dt(), 1e-6);
}

// max dt of a particle that moves at v and falls at g: v dt + g dt^2 = cfl h      (DT.4)
TEST(StabilityBound, lets_no_particle_go_farther_than_the_speed_limit) {
  Scene scene;
  scene.settings.cell_size = cell, scene.settings.gravity = {0, -9.81, 0}, scene.settings.cfl = 0.5;
  scene.materials = {elastic("soft", 1000, 1, 0)};
  scene.bodies = {{.material = "soft",
                   .shape = Box{.center = {0, 0, 0}, .size = {0.1, 0.1, 0.1}},
                   .velocity = {3, 0, 4}}};
  const double dt = Simulation(scene).stable_dt();
  EXPECT_NEAR(5 * dt + 9.81 * dt * dt, 0.5 * cell, 1e-12);
}

// --- the dynamics ------------------------------------------------------------------------------------------

struct Method {
  Kernel kernel;
  Transfer transfer;
  ForceForm forces;
  double rpic_damping = 1;
  double fading_steps = 0;  // time constant of fading over the bound; 0: the default
  int trips = 0;
  double viscosity = 0;  // of damping, as nu dt / D at the bound without it
};

std::vector<Method> all_methods() {
  std::vector<Method> all;
  for (const Kernel k : all_kernels)
    for (const ForceForm f : all_forces) {
      for (const Transfer t : all_transfers) all.push_back({k, t, f});
      all.push_back({k, Transfer::rpic, f, 0.5});
      for (const double steps : {0.01, 1.0, 100.0}) all.push_back({k, Transfer::fading, f, 1, steps});
      for (const Transfer t : {Transfer::apic, Transfer::fading}) {
        all.push_back({.kernel = k, .transfer = t, .forces = f, .trips = 3});
        all.push_back({.kernel = k, .transfer = t, .forces = f, .viscosity = 0.25});
      }
    }
  return all;
}

std::string name_of(const Method& m) {
  return tests::name_of(m.kernel) + "_" + tests::name_of(m.transfer) + "_" + tests::name_of(m.forces) +
         (m.transfer == Transfer::rpic && m.rpic_damping < 1 ? "_half" : "") +
         (m.fading_steps == 0  ? ""
          : m.fading_steps < 1 ? "_at_once"
          : m.fading_steps > 1 ? "_slowly"
                               : "_quickly") +
         (m.trips > 0 ? "_trips" : "") + (m.viscosity > 0 ? "_viscosity" : "");
}

// particles of one cell's eighth each, at places given in cells, at rest and a little compressed
template <class S>
TypedSimulation<S> cloud(const Method& method, const std::vector<Double3>& places) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = cell, s.kernel = method.kernel, s.transfer = method.transfer, s.forces = method.forces;
  s.fading_time =
      method.fading_steps * stability_bound({density, modulus, 0}, cell, method.kernel, method.forces, 1);
  const double inertia = cell * cell / (method.kernel == Kernel::cubic ? 3 : 4);
  s.damping_trips = method.trips;
  s.damping_viscosity = method.viscosity * inertia /
                        stability_bound({density, modulus, 0}, cell, method.kernel, method.forces, 1);
  s.rpic_damping = method.rpic_damping, s.gravity = {0, 0, 0}, s.precision = precision_of<S>, s.dt_safety = 1;
  scene.materials = {elastic("m", density, young, poisson)};
  TypedSimulation<S> run(scene);
  std::vector<Double3> x;
  for (const Double3& p : places) x.push_back(times(cell, p));
  run.state().particles.append(0, x.data(), x.size());
  run.state().needs_sort = true;
  auto& group = run.state().particles.groups()[0];
  const double volume = cell * cell * cell / 8;
  for (std::size_t i = 0; i < x.size(); ++i) {
    group.reals(ParticleGroup<S>::mass)[i] = S(density * volume);
    group.reals(ParticleGroup<S>::volume)[i] = S(volume);
    for (int k = 0; k < 6; ++k)
      group.reals(group.state_arrays().begin + k)[i] =
          S(1e-9 * (k < 3 ? 1 : 0.3 * (random_uniform(3, i, std::uint64_t(k)) - 0.5)));
  }
  return run;
}

// growth of the largest strain in some steps; stops when it is plain
template <class S>
double growth(TypedSimulation<S>& run, double dt, int steps) {
  double most = 0;
  for (int n = 0; n < steps && most < 1e-9 * 1e5; ++n) {
    const StepReport report = run.step(dt);
    EXPECT_TRUE(report.ok()) << describe(report);
    each_particle(run, [&](ParticleGroup<S>& group, std::size_t i, const Double3&) {
      for (int k = 0; k < 6; ++k)
        most = worse_of(most, std::fabs(double(group.reals(group.state_arrays().begin + k)[i])));
    });
  }
  return most / 1e-9;
}

// The largest stable step of a single particle at (x, x, x). Let A = D^-1 be the part of its stiffness that
// acts through an affine velocity and B the rest, zero in MLS form; s of the affine velocity is carried over
// to the next step (1 in APIC, 0 in PIC and FLIP). Then dt^2 3K/rho (B / 2 + A / (2 + 2 s)) <= 1.
// A viscosity leaves the less of it the longer the step is: bisection.                               (DAMP.7)
double lone_bound(const Method& m, double x) {
  const double a = m.kernel == Kernel::cubic ? 3 : 4;
  const double b = m.forces == ForceForm::mls ? 0 : sharpness(m.kernel, x) - a;
  const bool carried = m.transfer == Transfer::apic || m.transfer == Transfer::fading;
  const double s = m.trips > 0 ? 0 : carried ? 1 : m.transfer == Transfer::rpic ? 1 - m.rpic_damping : 0;
  const double unit = cell * std::sqrt(density / modulus);
  const double undamped = stability_bound({density, modulus, 0}, cell, m.kernel, m.forces, 1);
  double low = 0, high = 2 * unit;
  for (int k = 0; k < 60; ++k) {
    const double dt = (low + high) / 2, left = s * std::max(0.0, 1 - 2 * m.viscosity * dt / undamped);
    (dt * dt * (b / 2 + a / (2 + 2 * left)) <= unit * unit ? low : high) = dt;
  }
  return low;
}

double worst_place(const Method& m) {
  return m.kernel == Kernel::cubic ? 1.2756 : 1.48;
}  // at 1.5 a weight is zero

class LoneParticle : public testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, LoneParticle, testing::ValuesIn(all_methods()),
                         [](const auto& method) { return name_of(method.param); });

TEST_P(LoneParticle, is_stable_below_its_bound_and_unstable_above) {
  for (const double x : {worst_place(GetParam()), 1.1, 1.25, 0.9}) {
    const double bound = lone_bound(GetParam(), x);
    TypedSimulation<double> below = cloud<double>(GetParam(), {{x, x, x}}),
                            above = cloud<double>(GetParam(), {{x, x, x}});
    EXPECT_LT(growth(below, 0.98 * bound, 1000), 20) << "at " << x;
    EXPECT_GT(growth(above, 1.02 * bound, 1000), 1e4) << "at " << x;
  }
}

// what a user gets: the step that the library proposes, without any safety factor
TEST_P(LoneParticle, is_stable_in_the_steps_that_a_run_takes) {
  for (int n = 0; n < 20; ++n) {
    const double x = n == 0 ? worst_place(GetParam()) : 1 + random_uniform(1, 2, std::uint64_t(n));
    TypedSimulation<double> run = cloud<double>(GetParam(), {{x, x, x}});
    EXPECT_LT(growth(run, 0.98 * run.stable_dt(), 300), 30) << "at " << x;
  }
}

TEST_P(LoneParticle, bound_at_the_worst_place_is_that_of_the_library) {
  TypedSimulation<double> run = cloud<double>(GetParam(), {{1, 1, 1}});
  double least = 1e300;
  for (int k = 0; k < 20000; ++k)  // between the places where a weight is zero
    least = std::min(least, lone_bound(GetParam(), 1 + (k + 0.5) / 20000));
  EXPECT_NEAR(run.stable_dt() / least, 1, 2e-4);
}

class RandomCloud : public testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, RandomCloud, testing::ValuesIn(all_methods()),
                         [](const auto& method) { return name_of(method.param); });

TEST_P(RandomCloud, is_stable_in_the_steps_that_a_run_takes) {
  const int clouds = sanitized ? 3 : 12;
  double worst = 0;
  for (int n = 0; n < clouds; ++n) {
    std::vector<Double3> places;
    const auto uniform = [&](std::uint64_t k) { return random_uniform(7, std::uint64_t(n), k); };
    const int count = 1 + n * 5;
    const double size = 1 + 3 * uniform(0);
    for (int p = 0; p < count; ++p)
      places.push_back(
          {size * uniform(std::uint64_t(3 * p + 1)), size * uniform(std::uint64_t(3 * p + 2)),
           n % 3 == 2 ? 1.3 : size * uniform(std::uint64_t(3 * p + 3))});  // every third one is a sheet
    TypedSimulation<double> run = cloud<double>(GetParam(), places);
    worst = worse_of(worst, growth(run, 0.98 * run.stable_dt(), 300));
  }
  EXPECT_LT(worst, 50);
}

// A block with its surface shows what the bound gives away where there is no spray: some 1.4 to 1.9.
class DenseBlock : public testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, DenseBlock, testing::ValuesIn(all_methods()),
                         [](const auto& method) { return name_of(method.param); });

TEST_P(DenseBlock, stands_somewhat_longer_steps_than_a_lone_particle) {
  constexpr int across = 9;
  std::vector<Double3> places;
  for (int i = 0; i < across; ++i)
    for (int j = 0; j < across; ++j)
      for (int k = 0; k < across; ++k) {
        const auto jitter = [&](std::uint64_t axis) {
          return 0.2 * (random_uniform(9, axis, std::uint64_t(i * across * across + j * across + k)) - 0.5);
        };
        places.push_back(
            {1.38 + 0.5 * i + jitter(0), 1.47 + 0.5 * j + jitter(1), 1.25 + 0.5 * k + jitter(2)});
      }
  TypedSimulation<double> below = cloud<double>(GetParam(), places),
                          above = cloud<double>(GetParam(), places);
  EXPECT_LT(growth(below, 1.3 * below.stable_dt(), 400), 50);
  EXPECT_GT(growth(above, 2.1 * above.stable_dt(), 400), 1e4);
}

// --- a dense medium ----------------------------------------------------------------------------------------

// Nodes of a bar of unit cells, density and wave speed, periodic, with particles evenly in each cell: lumped masses, and
// the stiffness of kernel gradients. Every cell is like the others, so waves are its modes.
struct Bar {
  std::vector<double> mass, stiffness;  // stiffness by rows
  std::size_t cells() const { return mass.size(); }

  // M^-1 K u
  std::vector<double> restoring(const std::vector<double>& u) const {
    std::vector<double> a(cells());
    for (std::size_t i = 0; i < cells(); ++i)
      for (std::size_t j = 0; j < cells(); ++j) a[i] += stiffness[cells() * i + j] * u[j] / mass[i];
    return a;
  }
  // 2/omega of the fastest wave
  double critical_step() const {
    double fastest = 0;
    for (std::size_t k = 0; k <= cells() / 2; ++k) {
      const double angle = 2 * std::numbers::pi * double(k) / double(cells());
      std::vector<double> wave(cells());
      for (std::size_t i = 0; i < cells(); ++i) wave[i] = std::cos(angle * double(i));
      fastest = std::max(fastest, restoring(wave)[0]);
    }
    return 2 / std::sqrt(fastest);
  }
};

template <int Nodes>
Bar assembled(int cells, int per_cell) {
  const std::size_t n = std::size_t(cells);
  Bar bar{std::vector<double>(n), std::vector<double>(n * n)};
  for (int p = 0; p < cells * per_cell; ++p) {
    const double x = (p + 0.5) / per_cell, base = std::floor(x - BSpline<Nodes>::offset),
                 share = 1.0 / per_cell;
    double w[4], d[4];
    BSpline<Nodes>::weights(x - base, w), BSpline<Nodes>::derivatives(x - base, d);
    const auto node = [&](int k) { return std::size_t(int(base) + k + cells) % n; };
    for (int i = 0; i < Nodes; ++i) {
      bar.mass[node(i)] += share * w[i];
      for (int j = 0; j < Nodes; ++j) bar.stiffness[n * node(i) + node(j)] += share * d[i] * d[j];
    }
  }
  return bar;
}

// the largest displacement in some symplectic steps, over the first
double growth(const Bar& bar, double dt, int steps) {
  std::vector<double> u(bar.cells()), v(bar.cells());
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = random_uniform(11, 12, i) - 0.5;
  double most = 0;
  for (int n = 0; n < steps; ++n) {
    const std::vector<double> a = bar.restoring(u);
    for (std::size_t i = 0; i < u.size(); ++i) v[i] -= dt * a[i], u[i] += dt * v[i];
    for (const double x : u) most = worse_of(most, std::fabs(x));
  }
  return most / 0.5;
}

// The frequencies of dense media are 1 - 2/3 cos a - 1/3 cos 2a, at most 3/2, and (80 - 30 cos a - 48 cos 2a - 2 cos 3a)/120,
// at most 1.0793 at cos a = sqrt 15 - 4, squared: steps of 1.633 and 1.925. In 24 cells the wave nearest to the latter has
// 90 degrees, hence 1.937.
TEST(DenseBar, is_stable_up_to_the_step_of_its_fastest_wave) {
  const struct {
    Bar bar;
    double dt;
  } bars[] = {{assembled<3>(24, 8), 1.6394},
              {assembled<4>(24, 8), 1.9365},
              {assembled<3>(24, 64), 2 / std::sqrt(1.5)},
              {assembled<4>(120, 64), 2 / std::sqrt(1.0793)}};
  for (const auto& [bar, dt] : bars) {
    const double found = bar.critical_step();
    for (const double m : bar.mass) EXPECT_NEAR(m, 1, 1e-14);
    EXPECT_NEAR(found, dt, 4e-4);
    EXPECT_LT(growth(bar, 0.98 * found, 400), 50);
    EXPECT_GT(growth(bar, 1.02 * found, 400), 1e6);
  }
}

}  // namespace
}  // namespace dollop
