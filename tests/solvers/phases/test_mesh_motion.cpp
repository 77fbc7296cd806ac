// Surface meshes move with the material, by the velocity that moves the particles, and the particles do not notice.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

#include "solvers/bodies.h"
#include "solvers/frame/method_info.h"
#include "solvers/observation/body_meshes.h"

namespace dollop {
namespace {

using namespace tests;

struct Way {
  std::string solver;
  Kernel kernel;
};
std::string name_of(const testing::TestParamInfo<Way>& info) {
  std::string name = info.param.solver + "_" + tests::name_of(info.param.kernel);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (const MethodInfo& method : methods())
    for (const Kernel kernel : all_kernels) ways.push_back({method.name, kernel});
  return ways;
}

constexpr double h = 0.02;

// a box with a mesh, in free space
Scene box_scene(const Way& way, double young) {
  Scene scene;
  Settings& s = scene.settings;
  s.solver = way.solver, s.kernel = way.kernel, s.cell_size = h, s.gravity = {0, 0, 0};
  s.precision = Precision::double_precision;
  scene.materials = {elastic("rubber", 1000, young, 0.3)};
  scene.bodies = {{.material = "rubber",
                   .shape = Box{{0.003, 0.001, -0.002}, {8 * h, 6 * h, 4 * h}},
                   .surface_mesh = "shape"}};
  return scene;
}

double farthest(const std::vector<Double3>& a, const std::vector<Double3>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, length(minus(a[i], b[i])));
  return most;
}

struct MeshMotion : testing::TestWithParam<Way> {};

// Points that are where particles are, deep enough inside for every node around them to have its whole weight, stay there.
TEST_P(MeshMotion, IsThatOfTheParticles) {
  Scene scene = box_scene(GetParam(), 1e4);
  scene.settings.transfer = Transfer::apic;
  scene.bodies[0].surface_edge = 0.25 * h;  // so that there are more points than particles
  TypedSimulation<double> run(scene);
  set_velocity(
      run,
      [](const Double3& x) {
        return Double3{std::sin(30 * x[1]), 0.5 * std::cos(40 * x[2]), 0.3 * x[0]};
      },
      [](const Double3&) { return std::array<Double3, 3>{}; });
  std::vector<Double3>& points = run.state().meshes[0].x;
  const std::vector<Double3> at_rest = run.setup().meshes[0].mesh.points;
  std::vector<std::size_t> inside;
  const std::vector<Double3> before = run.particles("rubber").position;
  ASSERT_GT(points.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    points[i] = before[i];
    const auto& box = std::get<Box>(scene.bodies[0].shape.form);
    bool deep = true;
    for (std::size_t d = 0; d < 3; ++d)
      deep = deep && std::fabs(before[i][d] - box.center[d]) < 0.5 * box.size[d] - h;
    if (deep) inside.push_back(i);
  }
  ASSERT_GT(inside.size(), 50u);
  const double dt = 0.2 * run.stable_dt() < 1 ? 0.2 * std::min(run.stable_dt(), 1e-3) : 1e-4;
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(run.step(dt).ok());
  const std::vector<Double3> after = run.particles("rubber").position;
  double moved = 0;
  for (const std::size_t i : inside) {
    EXPECT_NEAR(length(minus(points[i], after[i])), 0, 1e-10 * h);
    moved = std::max(moved, length(minus(after[i], before[i])));
  }
  EXPECT_GT(moved, 1e-4 * h);
  // near the surface, where nodes hardly have mass, the fit is used: it differs a little
  double differs = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
    differs = std::max(differs, length(minus(points[i], after[i])));
  EXPECT_LT(differs, 0.1 * moved);
}

// Nodes with the velocity of a uniaxial stretch that goes on by inertia, diag(a) X with X = x / (1 + a t), move every point
// to (1 + a t) X, also those on edges and corners, beyond which no node has mass.                       (EMB.3)
TEST_P(MeshMotion, FollowsAUniaxialStretchByTheClosedForm) {
  const Double3 rate{0.9, -0.3, -0.25};
  Scene scene = box_scene(GetParam(), 1e-6);
  scene.settings.transfer = Transfer::apic;
  TypedSimulation<double> run(scene);
  constexpr int steps = 100;
  constexpr double dt = 0.005;
  for (int k = 0; k < steps; ++k) {
    std::array<Double3, 3> now{};
    for (std::size_t d = 0; d < 3; ++d) now[d][d] = rate[d] / (1 + rate[d] * k * dt);
    set_linear_velocity(run, {0, 0, 0}, now);
    ASSERT_TRUE(run.step(dt).ok());
  }
  const std::vector<Double3>& rest = run.setup().meshes[0].mesh.points;
  std::vector<Double3> expected;
  double moved = 0;
  for (const Double3& x : rest) {
    Double3 shift;
    for (std::size_t d = 0; d < 3; ++d) shift[d] = steps * dt * rate[d] * x[d];
    expected.push_back(plus(x, shift));
    moved = std::max(moved, length(shift));
  }
  EXPECT_GT(moved, 1.5 * h);
  EXPECT_LT(farthest(run.state().meshes[0].x, expected), 0.002 * h);
}

// the largest relative change of the distance between some of the points
double distortion(const std::vector<Double3>& rest, const std::vector<Double3>& now) {
  double worst = 0, size = 0;
  const std::size_t stride = std::max<std::size_t>(1, rest.size() / 60);
  for (std::size_t i = 0; i < rest.size(); i += stride)
    for (std::size_t j = 0; j < i; j += stride) {
      const double before = length(minus(rest[i], rest[j]));
      size = std::max(size, before);
      worst = std::max(worst, std::fabs(length(minus(now[i], now[j])) - before));
    }
  return worst / size;
}

Double3 mean_of(const std::vector<Double3>& all) {
  Double3 sum{};
  for (const Double3& x : all) sum = plus(sum, times(1.0 / double(all.size()), x));
  return sum;
}

// A stiff box that turns by half a circle while it flies stays a box, no worse than its particles do.
TEST_P(MeshMotion, OfARigidBodyIsRigid) {
  Scene scene = box_scene(GetParam(), 2e6);
  scene.settings.transfer = Transfer::apic;
  scene.bodies[0].velocity = {1, 0.5, -0.25}, scene.bodies[0].angular_velocity = {4, 2, 6};
  scene.settings.max_dt = 1e-3;
  TypedSimulation<double> run(scene);
  const std::vector<Double3> particles = run.particles("rubber").position;
  ASSERT_TRUE(run.advance_to(std::numbers::pi / std::sqrt(56.0)).ok());
  const double of_particles = distortion(particles, run.particles("rubber").position);
  const double of_mesh = distortion(run.setup().meshes[0].mesh.points, run.state().meshes[0].x);
  EXPECT_LT(of_particles, 0.02);
  EXPECT_LT(of_mesh, 1.3 * of_particles + 0.002);
  const auto& box = std::get<Box>(scene.bodies[0].shape.form);
  const std::vector<Double3>& rest = run.setup().meshes[0].mesh.points;
  Double3 middle{};  // of the corners, which moves as the body does
  int corners = 0;
  for (std::size_t p = 0; p < rest.size(); ++p) {
    bool is_corner = true;
    for (std::size_t d = 0; d < 3; ++d)
      is_corner = is_corner && std::fabs(std::fabs(rest[p][d] - box.center[d]) - 0.5 * box.size[d]) < 1e-9;
    if (is_corner) middle = plus(middle, times(1.0 / 8, run.state().meshes[0].x[p])), ++corners;
  }
  ASSERT_EQ(corners, 8);
  const Double3 before = mean_of(particles), after = mean_of(run.particles("rubber").position);
  EXPECT_LT(length(minus(minus(after, before), times(run.state().time, scene.bodies[0].velocity))), 0.01 * h);
  EXPECT_NEAR(length(minus(middle, after)), length(minus(box.center, before)), 0.02 * h);
}

Scene pressed_scene(const Way& way, Precision precision) {
  Scene scene = box_scene(way, 1e5);
  Settings& s = scene.settings;
  s.precision = precision, s.gravity = {0, -9.81, 0}, s.transfer = Transfer::apic;
  scene.bodies[0].shape = Sphere{{0, 0.051, 0}, 0.05};
  scene.bodies[0].velocity = {0.2, -1, 0};
  Collider press{.name = "press", .shape = Box{{0.03, 0.13, 0}, {0.05, 0.04, 0.3}, 0.01}};
  press.motion.velocity = {0, -1, 0};
  scene.colliders = {{.name = "ground", .shape = Plane{}, .contact = ContactKind::separate, .friction = 0.3},
                     press};
  return scene;
}

TEST_P(MeshMotion, HasTheSameBitsAtAnyNumberOfThreadsAndAfterARestart) {
  for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
    Scene scene = pressed_scene(GetParam(), precision);
    scene.settings.threads = 1;
    Simulation whole(scene);
    ASSERT_TRUE(whole.advance_to(0.01).ok());
    scene.settings.threads = 2;
    Simulation first(scene);
    int steps = 0;
    first.advance_to(0.01, [&](const StepReport&) { return ++steps < 5; });
    std::stringstream file;
    first.save(file);
    Simulation second(scene);
    second.restore(file);
    EXPECT_EQ(second.state_hash(), first.state_hash());
    ASSERT_TRUE(second.advance_to(0.01).ok());
    EXPECT_EQ(second.state_hash(), whole.state_hash());
    const auto a = whole.snapshot({}).meshes, b = second.snapshot({}).meshes;
    ASSERT_EQ(a.size(), 1u);
    EXPECT_EQ(a[0].position, b[0].position);
    EXPECT_EQ(a[0].normal, b[0].normal);
  }
}

// Frames show no point in the ground or the press; the state keeps the points where the material is.      (EMB.5)
TEST_P(MeshMotion, IsNotShownInsideColliders) {
  const Scene scene = pressed_scene(GetParam(), Precision::double_precision);
  TypedSimulation<double> run(scene);
  double deepest = 0, lowest_shown = 1;
  int touching = 0;
  for (int k = 1; k <= 8; ++k) {
    ASSERT_TRUE(run.advance_to(0.005 * k).ok());
    const BodyMesh shown = run.snapshot({}).meshes.at(0);
    const MovingColliders colliders(run.setup().colliders, run.state().time, 0);
    for (std::size_t v = 0; v < shown.position.size(); v += 3) {
      const Double3 x{shown.position[v], shown.position[v + 1], shown.position[v + 2]};
      lowest_shown = std::min(lowest_shown, x[1]);
      for (const NearCollider& near : colliders.near(x, 1e-6)) {
        const double phi = colliders.sample(near, x).phi;
        EXPECT_GT(phi, -1e-6) << colliders[near.collider].name;
        touching += near.collider == 1 && phi < 1e-6;
      }
    }
    for (const Double3& x : run.state().meshes[0].x)
      for (const NearCollider& near : colliders.near(x, 0))
        deepest = std::min(deepest, colliders.sample(near, x).phi);
  }
  EXPECT_GT(lowest_shown, -1e-6);
  EXPECT_LT(deepest, -1e-3);
  EXPECT_GT(deepest, -h);
  EXPECT_GT(touching, 0);
}

// points that are in a collider from the start, as in a grip, are shown where they are
TEST(MeshMotionInGrips, IsShownAsItIs) {
  Scene scene = box_scene({"explicit", Kernel::quadratic}, 1e4);
  scene.colliders = {
      {.name = "grip", .shape = Box{{0.08, 0, 0}, {0.08, 1, 1}}, .contact = ContactKind::sticky}};
  TypedSimulation<double> run(scene);
  ASSERT_TRUE(run.advance_to(0.01).ok());
  const BodyMesh shown = run.snapshot({}).meshes.at(0);
  const EmbeddedMesh& mesh = run.setup().meshes[0].mesh;
  int inside = 0;
  for (std::size_t v = 0; v < mesh.point_of.size(); ++v) {
    EXPECT_NEAR(shown.position[3 * v], run.state().meshes[0].x[mesh.point_of[v]][0], 1e-6);
    inside += shown.position[3 * v] > 0.045;
  }
  EXPECT_GT(inside, 10);
}

INSTANTIATE_TEST_SUITE_P(All, MeshMotion, testing::ValuesIn(all_ways()), name_of);

// the particles of a run with and without meshes
void expect_same_particles(Scene scene) {
  Simulation with(scene);
  for (Body& body : scene.bodies) body.surface_mesh.clear();
  Simulation without(scene);
  ASSERT_TRUE(with.advance_to(0.03).ok());
  ASSERT_TRUE(without.advance_to(0.03).ok());
  EXPECT_EQ(with.steps(), without.steps());
  EXPECT_NE(with.state_hash(), without.state_hash());  // the points of meshes count
  for (const Material& material : scene.materials) {
    const ParticleData a = with.particles(material.name), b = without.particles(material.name);
    EXPECT_EQ(a.position, b.position);
    EXPECT_EQ(a.velocity, b.velocity);
    EXPECT_EQ(a.state, b.state);
  }
}

// crumbs that fly apart: lone particles, and islands of a few
Scene crumbs(Kernel kernel, Transfer transfer) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = h, s.kernel = kernel, s.transfer = transfer, s.max_dt = 1e-3;
  scene.materials = {elastic("rubber", 1000, 1e4, 0.3)};
  for (int k = 0; k < 6; ++k)
    scene.bodies.push_back({.material = "rubber",
                            .shape = Box{{0.3 * k + 0.0037, 0.2 * (k % 2) + 0.0021, 0.011 * k + 0.0013},
                                         {k % 3 == 0 ? 1.01 * h : 2.01 * h, 1.01 * h, 1.01 * h}},
                            .particles_per_cell = 1,
                            .velocity = {0.3, -0.2 * k, 0.1},
                            .surface_mesh = "shape"});
  return scene;
}

TEST(MeshMotionOfParticles, IsNotNoticedByThem) {
  for (const Kernel kernel : all_kernels) {
    expect_same_particles(pressed_scene({"explicit", kernel}, Precision::single_precision));
    for (const Transfer transfer : all_transfers) expect_same_particles(crumbs(kernel, transfer));
  }
}

// In free flight each mesh moves with its few particles, which share nodes with no others.
TEST(MeshMotionOfParticles, FollowsLoneParticlesAndIslands) {
  for (const Kernel kernel : all_kernels)
    for (const Transfer transfer : all_transfers) {
      const Scene scene = crumbs(kernel, transfer);
      TypedSimulation<float> run(scene);
      ASSERT_TRUE(run.advance_to(0.1).ok());
      const BlockGrid<float>& blocks = std::get<ExplicitMpm<float>>(run.method()).grid.blocks;
      EXPECT_EQ(blocks.island_count(), scene.bodies.size());
      ASSERT_EQ(run.state().particles.size(), 2 + 2 * 4u);
      EXPECT_GT(blocks.stored_islands.size(), 0u);
      EXPECT_LT(blocks.stored_islands.size(), blocks.island_count());
      for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
        const Double3& v = scene.bodies[k].velocity;
        const double t = run.state().time, fallen = 0.5 * 9.81 * t * (t + t / double(run.state().steps));
        const Double3 path{v[0] * t, v[1] * t - fallen, v[2] * t};
        const std::vector<Double3>& rest = run.setup().meshes[k].mesh.points;
        for (std::size_t p = 0; p < rest.size(); ++p)
          EXPECT_LT(length(minus(run.state().meshes[k].x[p], plus(rest[p], path))), 0.02 * h)
              << tests::name_of(kernel) << " " << tests::name_of(transfer) << " body " << k;
      }
    }
}

// Points that have lost the material move with the points next to them; a mesh that has lost it as a whole rests. (EMB.4)
TEST(MeshMotionWithoutMaterial, IsThatOfTheNeighbours) {
  Scene scene = box_scene({"explicit", Kernel::quadratic}, 1e4);
  scene.bodies[0].velocity = {1, 0, 0};
  TypedSimulation<double> run(scene);
  std::vector<Double3>& x = run.state().meshes[0].x;
  const EmbeddedMesh& mesh = run.setup().meshes[0].mesh;
  std::vector<std::uint32_t> far{0};  // a point and those around it, two rings deep
  for (std::size_t ring = 0, begin = 0; ring < 2; ++ring) {
    const std::size_t end = far.size();
    for (; begin < end; ++begin)
      for (std::uint32_t n = mesh.first_neighbour[far[begin]]; n < mesh.first_neighbour[far[begin] + 1]; ++n)
        if (std::find(far.begin(), far.end(), mesh.neighbours[n]) == far.end())
          far.push_back(mesh.neighbours[n]);
  }
  ASSERT_LT(far.size(), x.size() / 2);
  for (const std::uint32_t p : far) x[p] = {1, 2, 3};
  const double dt = 1e-4;
  ASSERT_TRUE(run.step(dt).ok());
  for (const std::uint32_t p : far) EXPECT_NEAR(x[p][0], 1 + dt, 1e-9);
  for (Double3& p : x) p = {5, 5, 5};
  ASSERT_TRUE(run.step(dt).ok());
  for (const Double3& p : x) EXPECT_EQ(p, (Double3{5, 5, 5}));
}

// edges that reach over a gap, as when a body has torn                                                  (EMB.7)
TEST(MeshGapsOfABody, AreEdgesWithoutMaterial) {
  const Scene scene = box_scene({"explicit", Kernel::quadratic}, 1e4);
  TypedSimulation<double> run(scene);
  EXPECT_EQ(run.metrics().mesh_gaps.at(0).part, 0);
  std::vector<Double3>& x = run.state().meshes[0].x;
  const EmbeddedMesh& mesh = run.setup().meshes[0].mesh;
  std::size_t across = 0;
  for (std::uint32_t p = 0; p < x.size(); ++p)
    for (std::uint32_t n = mesh.first_neighbour[p]; n < mesh.first_neighbour[p + 1]; ++n)
      across += p < mesh.neighbours[n] && (mesh.points[p][0] > 0) != (mesh.points[mesh.neighbours[n]][0] > 0);
  for (Double3& p : x)
    if (p[0] > 0) p[0] += 20 * h;  // one half moves off: the middles of the edges between lie in free space
  EXPECT_NEAR(run.metrics().mesh_gaps.at(0).part, 2.0 * double(across) / double(mesh.neighbours.size()),
              1e-12);
  for (Double3& p : x) p = plus(p, {0, 0, 0});
  EXPECT_GT(across, 10u);
}

// A mesh that is not where the body is cannot move with it.
TEST(BodySurfaces, MustLieAtTheirBodies) {
  Scene scene = box_scene({"explicit", Kernel::quadratic}, 1e4);
  scene.bodies[0].surface_mesh = "missing.obj";
  try {
    Simulation run(scene);
    ADD_FAILURE() << "a missing file was accepted";
  } catch (const SceneError& error) {
    EXPECT_EQ(error.where, "bodies[0].surface_mesh");
    EXPECT_NE(std::string(error.what()).find("does not exist"), std::string::npos);
  }
}

}  // namespace
}  // namespace dollop
