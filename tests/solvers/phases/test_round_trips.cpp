// Damping by round trips: what it damps and how fast, what it keeps, and that it leaves no trace in a rejected step.
#include "solvers/phases/round_trips.h"

#include <dollop/dollop.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/random.h"
#include "grid/mpm_reference.h"
#include "solvers/bodies.h"
#include "solvers/frame/method_info.h"
#include "worse_of.h"

namespace dollop {
namespace {

using namespace tests;

constexpr Transfer affine_transfers[] = {Transfer::apic, Transfer::rpic, Transfer::fading};

double inertia_of(const Settings& s) {
  return s.cell_size * s.cell_size / (s.kernel == Kernel::cubic ? 3 : 4);
}

// hardly any stress: the motion of a few steps is that of free particles
Material limp() {
  return {"limp", "neo-hookean", {{"density", 1000}, {"young_modulus", 1e-6}, {"poisson_ratio", 0.2}}};
}

// --- waves -------------------------------------------------------------------------------------------------

constexpr int wave_cells = 64;

// a periodic bar, and in it a wave along x of one period: shear, or compression
template <class S>
TypedSimulation<S> wave(Kernel kernel, Transfer transfer, bool shear, Settings s = {}) {
  Scene scene;
  s.cell_size = 0.01, s.kernel = kernel, s.transfer = transfer, s.gravity = {0, 0, 0};
  s.precision = precision_of<S>;
  scene.settings = s;
  const double length = wave_cells * s.cell_size, across = 4 * s.cell_size;
  scene.domain = Domain{.min = {0, 0, 0}, .max = {length, across, across}, .periodic = {true, true, true}};
  scene.materials = {limp()};
  scene.bodies = {
      {.material = "limp",
       .shape = Box{.center = {length / 2, across / 2, across / 2}, .size = {length, across, across}}}};
  TypedSimulation<S> run(scene);
  const double k = 2 * std::numbers::pi / length, speed = 1e-3;
  const std::size_t axis = shear ? 1 : 0;
  set_velocity(
      run,
      [&](const Double3& x) {
        Double3 v{};
        v[axis] = speed * std::sin(k * x[0]);
        return v;
      },
      [&](const Double3& x) {
        std::array<Double3, 3> grad{};
        grad[axis][0] = speed * k * std::cos(k * x[0]);
        return grad;
      });
  return run;
}

template <class S>
double amplitude(TypedSimulation<S>& run, bool shear) {
  const double k = 2 * std::numbers::pi / (wave_cells * run.scene().settings.cell_size);
  double sum = 0, norm = 0;
  each_particle(run, [&](ParticleGroup<S>& group, std::size_t i, const Double3& x) {
    const double s = std::sin(k * x[0]);
    sum += s * double(group.reals(ParticleGroup<S>::velocity + (shear ? 1 : 0))[i]), norm += s * s;
  });
  return sum / norm;
}

// what is left of a wave after some steps
template <class S>
double left_of(TypedSimulation<S> run, bool shear, double dt, int steps) {
  const double before = amplitude(run, shear);
  for (int n = 0; n < steps; ++n) {
    const StepReport report = run.step(dt);
    EXPECT_TRUE(report.ok()) << describe(report);
  }
  return amplitude(run, shear) / before;
}

TEST(RoundTrips, damp_shear_by_half_of_the_inertia_of_the_kernel_and_compression_by_all_of_it) {
  const double angle = 2 * std::numbers::pi / wave_cells;  // k dx
  for (const Kernel kernel : all_kernels)
    for (const Transfer transfer : {Transfer::apic, Transfer::fading})
      for (const bool shear : {true, false}) {
        const auto damped = [&](int trips) {
          return left_of(wave<double>(kernel, transfer, shear, {.damping_trips = trips}), shear, 1e-6, 1);
        };
        const double rate = (kernel == Kernel::cubic ? 1 / 6.0 : 1 / 8.0) * (shear ? 1 : 2);
        const double without = damped(0);
        for (const int trips : {1, 5}) {
          const double per_trip = 1 - std::pow(damped(trips) / without, 1.0 / trips);
          EXPECT_NEAR(per_trip / (rate * angle * angle), 1, 0.02)
              << name_of(kernel) << ' ' << name_of(transfer) << ' ' << shear << ' ' << trips;
        }
      }
}

TEST(RoundTrips, of_rpic_begin_with_the_symmetric_part_that_it_has_dropped_already) {
  for (const Kernel kernel : all_kernels) {
    const auto damped = [&](int trips) {
      return left_of(wave<double>(kernel, Transfer::rpic, true, {.damping_trips = trips}), true, 1e-6, 20);
    };
    EXPECT_NEAR(damped(1) / damped(0), 1, 0.002);
    const double angle = 2 * std::numbers::pi / wave_cells,
                 rate = kernel == Kernel::cubic ? 1 / 6.0 : 1 / 8.0;
    EXPECT_NEAR(-std::log(damped(3)) / (20 * 3 * rate * angle * angle), 1, 0.02);
  }
}

TEST(RoundTrips, stand_for_a_viscosity_that_does_not_depend_on_the_step) {
  for (const Kernel kernel : all_kernels)
    for (const Transfer transfer : affine_transfers) {
      Settings s{.kernel = kernel, .damping_viscosity = 2e-2};
      if (transfer == Transfer::rpic) s.rpic_damping = 0.25;
      const double inertia = 1e-4 / (kernel == Kernel::cubic ? 3 : 4), time = 1.2e-2;
      const double k = 2 * std::numbers::pi / (wave_cells * 0.01);
      // parts of a trip, and several trips
      for (const double share : {0.3, 1.0, 2.6, 12.0}) {
        const int steps = std::max(1, int(std::lround(time / (share * inertia / (2 * s.damping_viscosity)))));
        const double dt = time / steps;
        Settings bare = s;
        bare.damping_viscosity = 0;
        const double rate = (std::log(left_of(wave<double>(kernel, transfer, true, bare), true, dt, steps)) -
                             std::log(left_of(wave<double>(kernel, transfer, true, s), true, dt, steps))) /
                            time;
        EXPECT_NEAR(rate / (s.damping_viscosity * k * k), 1, 0.02)
            << name_of(kernel) << ' ' << name_of(transfer) << ": " << share << " trips a step";
        const int trips = damping_plan(wave<double>(kernel, transfer, true, s).scene().settings, dt).trips;
        const int needed = int(std::ceil(2 * s.damping_viscosity * dt / inertia - 1e-9));
        EXPECT_EQ(trips, needed + (transfer == Transfer::fading ? 1 : transfer == Transfer::rpic ? 0 : -1));
      }
    }
}

TEST(RoundTrips, in_float_damp_as_in_double) {
  const auto left = [](auto run) { return left_of(std::move(run), true, 1e-6, 20); };
  const Settings s{.damping_trips = 4};
  for (const Transfer transfer : affine_transfers)
    EXPECT_NEAR(left(wave<float>(Kernel::quadratic, transfer, true, s)),
                left(wave<double>(Kernel::quadratic, transfer, true, s)), 1e-4);
}

// --- clouds, compared with sums over all particles and nodes ---------------------------------------------------

// particles of different weights, in a heap and scattered far around it, with any velocities
template <class S>
TypedSimulation<S> cloud(Settings s, int count, bool spray) {
  Scene scene;
  s.cell_size = 0.01, s.gravity = {0, 0, 0}, s.precision = precision_of<S>;
  scene.settings = s;
  scene.materials = {limp(), limp()};
  scene.materials[1].name = "other";
  TypedSimulation<S> run(scene);
  std::array<std::vector<Double3>, 2> places;
  for (int n = 0; n < count; ++n) {
    const auto random = [&](std::uint64_t k) { return random_uniform(5, std::uint64_t(n), k) - 0.5; };
    const double size = spray && n % 3 == 0 ? 0.6 : 0.06;
    places[n % 4 == 0].push_back({size * random(0), size * random(1), size * random(2)});
  }
  for (int g = 0; g < 2; ++g)
    run.state().particles.append(g, places[std::size_t(g)].data(), places[std::size_t(g)].size());
  run.state().needs_sort = true;
  double fastest = 0;
  for (std::size_t g = 0; g < 2; ++g) {
    auto& group = run.state().particles.groups()[g];
    for (std::size_t i = 0; i < group.size(); ++i) {
      const auto random = [&](std::uint64_t k) { return random_uniform(6 + g, i, k) - 0.5; };
      group.reals(ParticleGroup<S>::mass)[i] = S(1e-4 * (1.5 + random(20)));
      group.reals(ParticleGroup<S>::volume)[i] = S(1e-7);
      Double3 v;
      for (std::size_t d = 0; d < 3; ++d)
        group.reals(ParticleGroup<S>::velocity + int(d))[i] = S(v[d] = random(d));
      for (int k = 0; k < 9; ++k)
        group.reals(group.affine_array() + k)[i] = S(60 * random(std::uint64_t(3 + k)));
      fastest = std::max(fastest, length(v));
    }
  }
  run.state().max_speed = fastest, run.state().lightest = 1e-4;
  return run;
}

using Points = std::vector<reference::Particle>;  // by material, then by id

template <class S>
Points points_of(TypedSimulation<S>& run) {
  static const reference::Law none{"neo-hookean", 0, 0};
  Points points;
  each_particle(run, [&](ParticleGroup<S>& group, std::size_t i, const Double3& x) {
    reference::Particle& p = points.emplace_back();
    p.id = group.ids()[i] + (std::uint64_t(group.material()) << 40), p.law = &none, p.state.resize(6);
    p.mass = double(group.reals(ParticleGroup<S>::mass)[i]), p.volume = 0;
    p.x = times(1 / run.scene().settings.cell_size, x);
    for (std::size_t d = 0; d < 3; ++d) p.v[d] = double(group.reals(ParticleGroup<S>::velocity + int(d))[i]);
    for (std::size_t k = 0; k < 9; ++k) p.c[k] = double(group.reals(group.affine_array() + int(k))[i]);
  });
  std::sort(points.begin(), points.end(), [](const auto& p, const auto& q) { return p.id < q.id; });
  return points;
}

double square(const reference::Matrix& c) {
  double sum = 0;
  for (const double x : c) sum += x * x;
  return sum;
}

// kinetic energy with that of the affine velocities
double energy_of(const Points& points, const Settings& s) {
  double sum = 0;
  for (const auto& p : points) sum += 0.5 * p.mass * (dot(p.v, p.v) + inertia_of(s) * square(p.c));
  return sum;
}

struct Momenta {
  Double3 linear{}, angular{};
  double scale = 0;  // of the angular momentum
};
Momenta momenta_of(const Points& points, const Settings& s) {
  Momenta sum;
  for (const auto& p : points) {
    const Double3 spin{p.c[7] - p.c[5], p.c[2] - p.c[6], p.c[3] - p.c[1]}, x = times(s.cell_size, p.x);
    sum.linear = plus(sum.linear, times(p.mass, p.v));
    sum.angular = plus(sum.angular, times(p.mass, plus(cross(x, p.v), times(inertia_of(s), spin))));
    sum.scale += p.mass * length(x) * length(p.v);
  }
  return sum;
}

void drop_symmetric(Points& points, double part) {
  for (auto& p : points) {
    const reference::Matrix turned = reference::transposed(p.c);
    for (std::size_t k = 0; k < 9; ++k) p.c[k] = (1 - part / 2) * p.c[k] - part / 2 * turned[k];
  }
}

// to the grid and back by APIC, without a part of the symmetric affine velocity
Points trip(Points points, const Settings& s, double dropped) {
  drop_symmetric(points, dropped);
  const reference::Setting setting{{{s.kernel, Transfer::apic, ForceForm::mls}}, s.cell_size, 0, {}, 0, {}};
  const auto v = reference::velocities(setting, reference::particles_to_grid(setting, points));
  reference::grid_to_particles(setting, v, v.after, points);
  return points;
}

// largest difference between velocities, and between affine velocities over a cell
double distance(const Points& a, const Points& b, const Settings& s) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = worse_of(worst, length(minus(a[i].v, b[i].v)));
    worst = worse_of(worst, s.cell_size * std::sqrt(square(reference::plus(a[i].c, -1, b[i].c))));
  }
  return worst;
}

constexpr double instant = 1e-12;  // [s] no way to go, and no force

TEST(RoundTrips, are_those_of_sums_over_all_particles_and_nodes) {
  const int count = sanitized ? 60 : 400;
  for (const Kernel kernel : all_kernels)
    for (const Transfer transfer : {Transfer::apic, Transfer::rpic})
      for (const bool spray : {false, true})
        for (const int trips : {1, 3}) {
          Settings s{.kernel = kernel, .transfer = transfer, .damping_trips = trips};
          TypedSimulation<double> run = cloud<double>(s, count, spray);
          s = run.scene().settings;
          Points expected = points_of(run);
          ASSERT_TRUE(run.step(instant).ok());
          for (int k = 0; k < trips; ++k) expected = trip(expected, s, 1);
          expected = trip(expected, s, 0);
          if (transfer == Transfer::rpic) drop_symmetric(expected, 1);
          EXPECT_LT(distance(points_of(run), expected, s), 1e-9)
              << name_of(kernel) << ' ' << name_of(transfer) << ' ' << spray << ' ' << trips;
        }
}

// Parts of a trip, the last of them in the transfer of the step itself; with rpic the transfer before it has dropped
// what it drops already.
TEST(RoundTrips, of_a_viscosity_take_the_last_part_in_the_step_itself) {
  for (const Kernel kernel : all_kernels)
    for (const double all : {0.4, 2.4}) {
      Settings s{.kernel = kernel, .transfer = Transfer::apic};
      s.cell_size = 0.01;
      s.damping_viscosity = all * inertia_of(s) / (2 * instant);
      TypedSimulation<double> run = cloud<double>(s, 200, true);
      Points expected = points_of(run);
      ASSERT_TRUE(run.step(instant).ok());
      const int parts = int(std::ceil(all));
      for (int k = 0; k < parts; ++k) expected = trip(expected, s, all / parts);
      EXPECT_LT(distance(points_of(run), expected, s), 1e-9) << name_of(kernel) << ' ' << all;
    }
}

// particles that keep their residual take the difference between the first trip and the last
TEST(RoundTrips, of_the_fading_transfer_leave_what_the_grid_does_not_hold) {
  for (const Kernel kernel : all_kernels) {
    Settings s{.kernel = kernel, .transfer = Transfer::fading, .fading_time = 1, .damping_trips = 2};
    TypedSimulation<double> run = cloud<double>(s, 200, true);
    s = run.scene().settings;
    const Points before = points_of(run);
    ASSERT_TRUE(run.step(instant).ok());  // keeps all of the residual
    const Points resolved = trip(before, s, 0), damped = trip(trip(resolved, s, 1), s, 1);
    Points expected = before;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i].v = plus(expected[i].v, minus(damped[i].v, resolved[i].v));
      expected[i].c = reference::plus(reference::plus(expected[i].c, 1, damped[i].c), -1, resolved[i].c);
    }
    EXPECT_LT(distance(points_of(run), expected, s), 1e-9) << name_of(kernel);
  }
}

TEST(RoundTrips, keep_momentum_and_angular_momentum) {
  for (const Kernel kernel : all_kernels)
    for (const Transfer transfer : affine_transfers)
      for (const bool by_viscosity : {false, true}) {
        Settings s{.kernel = kernel, .transfer = transfer};
        s.cell_size = 0.01;
        if (by_viscosity)
          s.damping_viscosity = 19.5 * inertia_of(s) / (2 * instant);
        else
          s.damping_trips = 20;
        TypedSimulation<double> run = cloud<double>(s, 300, true);
        const Points start = points_of(run);
        const Momenta before = momenta_of(start, s);
        ASSERT_TRUE(run.step(instant).ok());
        const Momenta after = momenta_of(points_of(run), s);
        EXPECT_LT(length(minus(after.linear, before.linear)) / momentum_scale(run), 1e-12)
            << name_of(transfer);
        EXPECT_LT(length(minus(after.angular, before.angular)) / before.scale, 1e-12) << name_of(transfer);
        // yet they have damped: the motion is not what it was
        EXPECT_GT(distance(points_of(run), start, s), 0.05);
      }
}

// of the motion that the particles have scattered in the last step
double damped_energy(TypedSimulation<double>& run) {
  const StepGrid<double>& grid = std::get<ExplicitMpm<double>>(run.method()).grid;
  const double inertia = inertia_of(run.scene().settings);
  double sum = 0;
  for (std::size_t g = 0; g < grid.damped.views.size(); ++g) {
    const GroupView<double>& view = grid.damped.views[g];
    for (std::size_t i = 0; i < run.state().particles.groups()[g].size(); ++i) {
      for (const double* v : view.v) sum += 0.5 * view.mass[i] * v[i] * v[i];
      for (const double* c : view.c) sum += 0.5 * view.mass[i] * inertia * c[i] * c[i];
    }
  }
  return sum;
}

TEST(RoundTrips, take_energy_from_any_motion) {
  for (const Kernel kernel : all_kernels)
    for (const Transfer transfer : affine_transfers)
      for (const bool spray : {false, true}) {
        const auto named = [&](int trips) {
          return name_of(kernel) + ' ' + name_of(transfer) + ' ' + std::to_string(trips);
        };
        double least = 0;
        for (const int trips : {0, 1, 2, 3, 6, 20}) {
          const Settings s{.kernel = kernel, .transfer = transfer, .fading_time = 1, .damping_trips = trips};
          TypedSimulation<double> run = cloud<double>(s, 300, spray);
          const double before = energy_of(points_of(run), run.scene().settings);
          ASSERT_TRUE(run.step(instant).ok());
          EXPECT_LE(energy_of(points_of(run), run.scene().settings), before * (1 + 1e-12)) << named(trips);
          if (trips == 0) {
            least = before;
            continue;
          }
          EXPECT_LT(damped_energy(run), least) << named(trips);
          least = damped_energy(run);
        }
      }
}

// --- steps --------------------------------------------------------------------------------------------------

TEST(RoundTrips, of_a_rejected_step_leave_no_trace) {
  for (const Transfer transfer : affine_transfers) {
    const Settings s{.transfer = transfer, .damping_trips = 3};
    TypedSimulation<float> run = cloud<float>(s, 300, true), other = cloud<float>(s, 300, true);
    each_particle(run, [](auto&, std::size_t, const Double3&) {});
    const std::uint64_t before = run.state_hash();
    EXPECT_FALSE(run.step(1).ok());
    EXPECT_EQ(run.state_hash(), before) << name_of(transfer);
    ASSERT_TRUE(run.step(1e-4).ok());
    ASSERT_TRUE(other.step(1e-4).ok());
    EXPECT_EQ(run.state_hash(), other.state_hash());
  }
}

TEST(RoundTrips, damp_alike_with_every_method) {
  for (const Transfer transfer : affine_transfers) {
    const auto after = [&](const std::string& solver, int trips) {
      const Settings s{.solver = solver, .transfer = transfer, .damping_trips = trips};
      TypedSimulation<double> run = cloud<double>(s, 200, false);
      EXPECT_TRUE(run.step(1e-6).ok()) << solver;
      return points_of(run);
    };
    const Settings s{.cell_size = 0.01};
    const Points expected = after("explicit", 4), undamped = after("explicit", 0);
    EXPECT_GT(distance(expected, undamped, s), 0.05);
    for (const std::string& solver : method_names())
      EXPECT_LT(distance(after(solver, 4), expected, s), 1e-5) << solver << ' ' << name_of(transfer);
  }
}

// a spring is pulled by what the trips leave of its motion, whatever its stress
TEST(RoundTrips, take_the_energy_of_an_elastic_body_and_leave_its_shape) {
  const auto swing = [](int trips) {
    Scene scene;
    Settings& s = scene.settings;
    s.cell_size = 0.02, s.gravity = {0, 0, 0}, s.damping_trips = trips;
    scene.materials = {elastic("rubber", 1000, 5e4, 0.3)};
    scene.bodies = {{.material = "rubber", .shape = Box{.center = {0, 0, 0}, .size = {0.1, 0.2, 0.1}}}};
    TypedSimulation<float> run(scene);
    set_linear_velocity(run, {0, 0, 0}, {{{0, 0, 0}, {0, 3, 0}, {0, 0, 0}}});
    EXPECT_TRUE(run.advance_to(0.3).ok());
    const Metrics m = run.metrics();
    return m.kinetic_energy + m.elastic_energy;
  };
  const double none = swing(0), one = swing(1), five = swing(5);
  EXPECT_LT(one, 0.9 * none);
  EXPECT_LT(five, 0.5 * one);
}

}  // namespace
}  // namespace dollop
