// A rotation turns the stress of a body and changes nothing else.
#include <gtest/gtest.h>

#include <numbers>

#include "materials/neo_hookean.h"
#include "solvers/bodies.h"
#include "worse_of.h"

namespace dollop {
namespace {

using namespace tests;

template <class S>
class RigidRotation : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(RigidRotation, Scalars);

constexpr double pi = std::numbers::pi;

template <class S>
Scene block_scene(Kernel kernel, ForceForm forces) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = 0.02, s.kernel = kernel, s.forces = forces, s.gravity = {0, 0, 0},
  s.precision = precision_of<S>;
  scene.materials = {elastic("jelly", 1000, 1e5, 0.3)};
  scene.bodies = {{.material = "jelly", .shape = Box{.center = {0, 0, 0}, .size = {0.1, 0.08, 0.06}}}};
  return scene;
}

using Strain = std::array<double, 6>;  // xx yy zz xy xz yz
constexpr Strain start_strain{0.2, -0.1, 0.05, 0.08, -0.04, 0.06};

Mat3<double> to_matrix(const Strain& e) {
  return {{{1 + e[0], e[3], e[4]}, {e[3], 1 + e[1], e[5]}, {e[4], e[5], 1 + e[2]}}};
}

// F F^T after n steps of (1 + dt W): turned by n atan(w dt) about z and stretched in the plane by
// sqrt(1 + (w dt)^2) a step
Mat3<double> turned(const Strain& e, double w_dt, int n) {
  const double angle = n * std::atan(w_dt), stretch = std::pow(1 + w_dt * w_dt, 0.5 * n);
  const double c = stretch * std::cos(angle), s = stretch * std::sin(angle);
  const Mat3<double> r{{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
  return r * to_matrix(e) * transpose(r);
}

template <class S>
std::vector<Strain> strains_of(TypedSimulation<S>& run) {
  std::vector<Strain> all;
  each_particle(run, [&](ParticleGroup<S>& group, std::size_t i, const Double3&) {
    Strain e;
    for (int k = 0; k < 6; ++k) e[std::size_t(k)] = double(group.reals(group.state_arrays().begin + k)[i]);
    all.push_back(e);
  });
  return all;
}

// every node moves with a ball that turns about z, and the block is inside the ball
TYPED_TEST(RigidRotation, imposed_turns_the_strain_of_every_particle) {
  using S = TypeParam;
  const double w = 5;
  const int n = 2000;
  const double dt = 2 * pi / (w * n);
  for (const Kernel kernel : all_kernels)
    for (const ForceForm forces : all_forces) {
      Scene scene = block_scene<S>(kernel, forces);
      if (sanitized) scene.bodies[0].shape = Sphere{.center = {0, 0, 0}, .radius = 0.02};
      scene.colliders = {{.name = "ball",
                          .shape = Sphere{.center = {0, 0, 0}, .radius = 0.3},
                          .contact = ContactKind::sticky,
                          .motion = {.angular_velocity = {0, 0, w}}}};
      TypedSimulation<S> run(scene);
      set_strain(run, start_strain);
      const double energy = run.metrics().elastic_energy;
      for (int k = 0; k < n; ++k) ASSERT_TRUE(run.step(dt).ok());

      const Mat3<double> expected = turned(start_strain, w * dt, n);
      double worst = 0;
      for (const Strain& e : strains_of(run))
        worst = tests::worse_of(worst, std::sqrt(norm_squared(to_matrix(e) - expected)));
      EXPECT_LT(worst, either<S>(2e-4, forces == ForceForm::mls ? 1e-11 : 1e-8))
          << name_of(kernel) << ' ' << name_of(forces);
      // a full turn: all is as it was, but for the stretch of exp(2 pi w dt) that explicit steps have
      const double excess = std::exp(2 * pi * w * dt) - 1;
      EXPECT_LT(std::sqrt(norm_squared(expected - to_matrix(start_strain))), 3 * excess);
      EXPECT_NEAR(run.metrics().elastic_energy / energy, 1, 10 * excess);
    }
}

// half the step, half the change of energy in a turn: nothing is left of it in the limit
TEST(RigidRotationError, of_energy_halves_with_the_step) {
  const auto change = [](int n) {
    Scene scene = block_scene<double>(Kernel::quadratic, ForceForm::mls);
    scene.bodies[0].shape = Sphere{.center = {0, 0, 0}, .radius = 0.012};
    const double w = 5;
    scene.colliders = {{.name = "ball",
                        .shape = Sphere{.center = {0, 0, 0}, .radius = 0.3},
                        .contact = ContactKind::sticky,
                        .motion = {.angular_velocity = {0, 0, w}}}};
    TypedSimulation<double> run(scene);
    set_strain(run, start_strain);
    const double energy = run.metrics().elastic_energy;
    for (int k = 0; k < n; ++k) EXPECT_TRUE(run.step(2 * pi / (w * n)).ok());
    return run.metrics().elastic_energy / energy - 1;
  };
  const double coarse = change(4000), fine = change(8000);
  std::printf("elastic energy changes by %.3g and %.3g in a turn of 4000 and 8000 steps\n", coarse, fine);
  EXPECT_NEAR(coarse / fine, 2, 0.1);
}

// the places, in order of id, and the stresses of a body
struct Snapshot {
  std::vector<Double3> places;
  std::vector<Mat3<double>> stress;
};

template <class S>
Snapshot snapshot(TypedSimulation<S>& run) {
  const auto law = NeoHookean{.density = 1000, .young_modulus = 1e5, .poisson_ratio = 0.3}.law<double>();
  const ParticleData data = run.particles("jelly");
  Snapshot s{data.position, {}};
  const auto& e = data.state.at("strain");
  for (std::size_t i = 0; i < data.id.size(); ++i)
    s.stress.push_back(to_mat3(
        law.stress(NeoHookean::State<double>{{e[0][i], e[1][i], e[2][i], e[3][i], e[4][i], e[5][i]}})));
  return s;
}

double size_of_stress(const Snapshot& s) {
  double sum = 0;
  for (const auto& tau : s.stress) sum += norm_squared(tau);
  return std::sqrt(sum);
}

// by how much the body has turned about z
double angle_between(const Snapshot& a, const Snapshot& b) {
  double along = 0, across = 0;
  for (std::size_t i = 0; i < a.places.size(); ++i) {
    along += a.places[i][0] * b.places[i][0] + a.places[i][1] * b.places[i][1];
    across += a.places[i][0] * b.places[i][1] - a.places[i][1] * b.places[i][0];
  }
  return std::atan2(across, along);
}

// distance between the stresses of b and those of a turned, relative to their size
double unturned_stress(const Snapshot& a, const Snapshot& b) {
  const double angle = angle_between(a, b), c = std::cos(angle), s = std::sin(angle);
  const Mat3<double> r{{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
  double sum = 0;
  for (std::size_t i = 0; i < a.stress.size(); ++i)
    sum += norm_squared(b.stress[i] - r * a.stress[i] * transpose(r));
  return std::sqrt(sum) / size_of_stress(a);
}

// everything the particles of one run have, in another of the same bodies
template <class S>
void copy_particles(TypedSimulation<S>& from, TypedSimulation<S>& to) {
  to.state() = from.state();
  to.state().needs_sort = true;
}

// A block that spins freely, held together by its stress. Steps of RPIC first drain its pulsation and leave
// its spin, then it turns once with APIC: the stress turns with it, and its size and the energies stay.
TYPED_TEST(RigidRotation, free_leaves_energies_and_size_of_stress) {
  using S = TypeParam;
  const double w = 10;
  Scene scene = block_scene<S>(Kernel::cubic, ForceForm::mls);
  scene.settings.cell_size = sanitized ? 0.02 : 0.0125;
  scene.settings.transfer = Transfer::rpic;
  scene.bodies[0].angular_velocity = {0, 0, w};
  scene.bodies[0].shape = Box{.center = {0, 0, 0}, .size = {0.1, 0.1, 0.1}};
  TypedSimulation<S> settling(scene);
  ASSERT_TRUE(settling.advance_to(0.6).ok());

  scene.settings.transfer = Transfer::apic;
  TypedSimulation<S> run(scene);
  copy_particles(settling, run);
  ASSERT_TRUE(run.advance_to(0.6 + 0.5 * pi / w).ok());  // it settles anew: APIC resists other modes
  const Metrics before = run.metrics();
  const Snapshot start = snapshot(run);
  const double size = size_of_stress(start), begin = run.state().time;
  double least = size, most = size, low = before.elastic_energy, high = low, astray = 0;
  const double turn = 2 * pi / w;
  for (int k = 1; k <= 40; ++k) {
    ASSERT_TRUE(run.advance_to(begin + turn * k / 40).ok());
    const Snapshot now = snapshot(run);
    const double stress = size_of_stress(now), energy = run.metrics().elastic_energy;
    least = std::min(least, stress), most = std::max(most, stress);
    low = std::min(low, energy), high = std::max(high, energy);
    astray = tests::worse_of(astray, unturned_stress(start, now));
  }
  const Metrics after = run.metrics();
  std::printf(
      "in a turn: size of stress %.2g, stress not turned %.2g, elastic energy %.2g, kinetic energy %.2g\n",
      (most - least) / size, astray, (high - low) / before.elastic_energy,
      after.kinetic_energy / before.kinetic_energy - 1);
  EXPECT_LT((most - least) / size, 0.04);
  EXPECT_LT(astray, 0.1);
  EXPECT_LT((high - low) / before.elastic_energy, 0.08);
  EXPECT_NEAR(after.kinetic_energy / before.kinetic_energy, 1, 1e-3);
  EXPECT_NEAR(after.angular_momentum[2] / before.angular_momentum[2], 1, either<S>(1e-5, 1e-11));
}

}  // namespace
}  // namespace dollop
