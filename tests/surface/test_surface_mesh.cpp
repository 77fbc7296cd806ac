// The mesh: closed, outward, the same at any thread count, and steady when the particles move.
#include <tbb/global_control.h>

#include <cstring>
#include <limits>

#include "bodies.h"
#include "worse_of.h"

namespace dollop {
namespace {

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

TEST(Surface, normals_point_outward_and_are_unit) {
  for (const SurfaceMethod method : all_methods) {
    const SurfaceMesh mesh =
        make_surface(ball({.jitter = 0.3, .shift = {3, -2, 1}}, 0.4), {.method = method});
    ASSERT_EQ(mesh.normals.size(), mesh.positions.size());
    EXPECT_GT(enclosed_volume(mesh), 0);
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      const Vec3<float> out = mesh.positions[v] - Vec3<float>{3, -2, 1};
      ASSERT_NEAR(norm(mesh.normals[v]), 1, 1e-5);
      ASSERT_GT(dot(mesh.normals[v], out) / norm(out), 0.6f) << name_of(method);
    }
  }
}

TEST(Surface, is_the_same_at_any_number_of_threads) {
  const ParticleFrame frame = ball({.jitter = 0.45}, 0.4);
  for (const SurfaceMethod method : all_methods) {
    SCOPED_TRACE(name_of(method));
    std::vector<SurfaceMesh> meshes;
    for (const std::size_t threads : {1, 2, 7}) {
      tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
      meshes.push_back(make_surface(frame, {.method = method, .value = "speed"}));
    }
    for (const SurfaceMesh& mesh : meshes) {
      EXPECT_TRUE(same_bits(mesh.positions, meshes[0].positions));
      EXPECT_TRUE(same_bits(mesh.normals, meshes[0].normals));
      EXPECT_TRUE(same_bits(mesh.velocities, meshes[0].velocities));
      EXPECT_TRUE(same_bits(mesh.values, meshes[0].values));
      EXPECT_TRUE(same_bits(mesh.triangles, meshes[0].triangles));
    }
  }
}

// Mean and largest distance of the vertices of a from the surface b, along its normal at its nearest vertex.
struct Gap {
  double mean = 0, largest = 0;
};
Gap gap_between(const SurfaceMesh& a, const SurfaceMesh& b, const Vec3<float>& shift) {
  Gap gap;
  for (const Vec3<float>& x : a.positions) {
    const Vec3<float> y = x - shift;
    std::size_t nearest = 0;
    float best = std::numeric_limits<float>::max();
    for (std::size_t v = 0; v < b.positions.size(); ++v) {
      const Vec3<float> d = y - b.positions[v];
      if (const float square = dot(d, d); square < best) best = square, nearest = v;
    }
    const double distance = std::abs(dot(y - b.positions[nearest], b.normals[nearest]));
    gap.mean += distance / double(a.positions.size());
    gap.largest = tests::worse_of(gap.largest, distance);
  }
  return gap;
}

// The particles move by a part of a cell: the surface moves by the same, though it meets other cells.
TEST(Surface, moves_as_the_particles_do) {
  constexpr double h = 0.05;
  for (const SurfaceMethod method : all_methods) {
    const SurfaceMesh still = make_surface(ball({.spacing = h, .jitter = 0.4}, 0.25), {.method = method});
    for (const double part : {0.1, 0.25}) {
      const Double3 shift{part * h, 0.6 * part * h, -0.8 * part * h};
      const SurfaceMesh moved =
          make_surface(ball({.spacing = h, .jitter = 0.4, .shift = shift}, 0.25), {.method = method});
      const Gap gap = gap_between(moved, still, {float(shift[0]), float(shift[1]), float(shift[2])});
      const double travel = part * h * std::sqrt(2.0);
      EXPECT_LT(gap.mean, 0.012 * h) << name_of(method);
      EXPECT_LT(gap.mean, 0.12 * travel) << name_of(method);
      EXPECT_LT(gap.largest, 0.1 * h) << name_of(method);
    }
  }
}

// Every particle moves by a little, each another way: the surface does not move more than they do.
TEST(Surface, does_not_amplify_small_moves) {
  constexpr double h = 0.05;
  const ParticleFrame first = ball({.spacing = h, .jitter = 0.3}, 0.25);
  const ParticleFrame second =
      ball({.spacing = h, .jitter = 0.35}, 0.25);  // 0.05 h farther at most, each axis
  for (const SurfaceMethod method : all_methods) {
    const Gap gap = gap_between(make_surface(second, {.method = method}),
                                make_surface(first, {.method = method}), {0, 0, 0});
    EXPECT_LT(gap.mean, 0.03 * h) << name_of(method);
    EXPECT_LT(gap.largest, (method == SurfaceMethod::fast ? 0.1 : 0.2) * h) << name_of(method);
  }
}

// sizes do not matter: a body of a tenth of a millimetre is as good as one of a metre
TEST(Surface, of_a_tiny_body_is_that_of_a_large_one) {
  constexpr float scale = 0x1p-14f;
  const auto ball = [](const Double3& x) { return x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < 0.04; };
  const ParticleFrame large = lattice({.spacing = 0.05, .jitter = 0.2}, 0.3, ball);
  ParticleFrame tiny = large;
  for (float& x : tiny.position) x *= scale;
  for (float& volume : tiny.attributes[0].values) volume *= scale * scale * scale;
  for (const SurfaceMethod method : {SurfaceMethod::fast, SurfaceMethod::smooth, SurfaceMethod::sharp}) {
    SurfaceOptions options;
    options.method = method;
    const SurfaceMesh a = make_surface(large, options), b = make_surface(tiny, options);
    ASSERT_EQ(a.positions.size(), b.positions.size());
    ASSERT_FALSE(a.positions.empty());
    for (std::size_t v = 0; v < a.positions.size(); ++v)
      EXPECT_LT(norm(a.positions[v] - (1 / scale) * b.positions[v]), 1e-5f);
  }
}

TEST(Surface, cells_are_as_wide_as_asked_for) {
  const ParticleFrame frame = ball({.jitter = 0.2}, 0.3);
  for (const SurfaceMethod method : all_methods) {
    std::size_t last = std::numeric_limits<std::size_t>::max();
    for (const double cell : {0.015, 0.025, 0.05, 0.1}) {
      SCOPED_TRACE(std::string(name_of(method)) + ", cell " + std::to_string(cell));
      const SurfaceMesh mesh = make_surface(frame, {.method = method, .cell = cell});
      expect_closed(mesh);
      EXPECT_NEAR(enclosed_volume(mesh) / total_volume(frame), 1, 0.02);
      EXPECT_LT(mesh.triangles.size(), last);
      last = mesh.triangles.size();
      const double expected = 3 * 4 * M_PI * 0.3 * 0.3 / (cell * cell);
      EXPECT_NEAR(double(mesh.triangles.size()) / expected, 1, 0.35);
    }
  }
}

TEST(Surface, of_nothing_is_nothing) {
  for (const SurfaceMethod method : all_methods) {
    const SurfaceMesh mesh = make_surface(ParticleFrame{.time = 3}, {.method = method});
    EXPECT_TRUE(mesh.positions.empty() && mesh.triangles.empty());
    EXPECT_EQ(mesh.time, 3);
    EXPECT_EQ(enclosed_volume(mesh), 0);
  }
}

TEST(Surface, of_one_particle_is_a_round_drop) {
  for (const SurfaceMethod method : all_methods)
    for (const double place : {0.0, 0.013, 0.6251}) {
      ParticleFrame frame;
      add_particle(frame, {place, 2 * place, 0.3}, 1e-6);
      const SurfaceMesh mesh = make_surface(frame, {.method = method});
      SCOPED_TRACE(name_of(method));
      expect_closed(mesh);
      EXPECT_NEAR(enclosed_volume(mesh) / 1e-6, 1, 0.02);
      for (const auto& x : mesh.positions) {
        const double radius = norm(x - Vec3<float>{float(place), float(2 * place), 0.3f});
        EXPECT_NEAR(radius / std::cbrt(0.75e-6 / M_PI), 1, 0.4);  // it is two cells wide
      }
    }
}

TEST(Surface, leaves_out_what_is_not_a_number) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   inf = std::numeric_limits<double>::infinity();
  const ParticleFrame clean = ball({}, 0.3);
  ParticleFrame frame = clean;
  add_particle(frame, {nan, 0, 0}, 1e-4);
  add_particle(frame, {0, inf, 0}, 1e-4);
  add_particle(frame, {0, 0, -1e38}, 1e-4);
  add_particle(frame, {0.9, 0, 0}, nan);
  add_particle(frame, {0.9, 0, 0}, inf);
  add_particle(frame, {0.9, 0, 0}, 0);
  add_particle(frame, {0.9, 0, 0}, -1e-4);
  for (const SurfaceMethod method : {SurfaceMethod::fast, SurfaceMethod::sharp}) {
    const SurfaceMesh mesh = make_surface(frame, {.method = method});
    expect_closed(mesh);
    EXPECT_EQ(count_pieces(mesh), 1);
    EXPECT_NEAR(enclosed_volume(mesh) / total_volume(clean), 1, 0.02);
  }
  ParticleFrame bad;
  add_particle(bad, {nan, nan, nan}, 1);
  EXPECT_TRUE(make_surface(bad, {}).triangles.empty());
}

// Crowds, spray and particles of all sizes at random places.
TEST(Surface, of_anything_is_closed) {
  std::uint64_t state = 11;
  const auto random = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return double(state >> 11) / double(1ull << 53);
  };
  for (const double sizes : {0.0, 2.0, 9.0}) {  // powers of ten between the least and the largest volume
    ParticleFrame frame;
    for (int cluster = 0; cluster < 8; ++cluster) {
      const Double3 middle{random(), random(), random()};
      const double width = std::pow(10, -4 * random());
      for (int i = 0; i < 30; ++i)
        add_particle(
            frame, {middle[0] + width * random(), middle[1] + width * random(), middle[2] + width * random()},
            1e-5 * std::pow(10, -sizes * random()));
    }
    for (const SurfaceMethod method : all_methods) {
      SCOPED_TRACE(name_of(method));
      const SurfaceMesh mesh = make_surface(frame, {.method = method});
      expect_closed(mesh);
      EXPECT_FALSE(mesh.triangles.empty());
      for (const auto& x : mesh.positions) ASSERT_TRUE(std::isfinite(x.x + x.y + x.z));
    }
  }
}

TEST(Surface, far_from_the_origin_is_as_good) {
  const ParticleFrame frame = ball({.shift = {1000, -500, 250}}, 0.3);
  const SurfaceMesh mesh = make_surface(frame, {});
  expect_closed(mesh);
  EXPECT_NEAR(enclosed_volume(mesh) / total_volume(frame), 1, 0.01);
}

}  // namespace
}  // namespace dollop
