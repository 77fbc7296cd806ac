// The enclosed volume is that of the particles, whatever they form; thin things do not vanish.
#include "bodies.h"
#include "worse_of.h"

namespace dollop {
namespace {

void expect_volume(const ParticleFrame& frame, const std::string& what) {
  for (const SurfaceMethod method : all_methods) {
    SCOPED_TRACE(what + ", " + name_of(method));
    const SurfaceMesh mesh = make_surface(frame, {.method = method});
    expect_closed(mesh);
    EXPECT_NEAR(enclosed_volume(mesh) / total_volume(frame), 1, 0.005);
  }
}

TEST(SurfaceVolume, of_bodies) {
  for (const double jitter : {0.0, 0.45}) {
    const std::string seeds = jitter > 0 ? ", jittered" : ", lattice";
    expect_volume(ball({.jitter = jitter}, 0.4), "ball" + seeds);
    expect_volume(ball({.jitter = jitter}, 0.12), "small ball" + seeds);
    expect_volume(box({.jitter = jitter}, {0.3, 0.2, 0.15}), "box" + seeds);
  }
}

TEST(SurfaceVolume, of_thin_things) {
  for (const double jitter : {0.0, 0.3})
    for (const int layers : {1, 2, 3}) {
      const std::string what = std::to_string(layers) + " particles thick, jitter " + std::to_string(jitter);
      expect_volume(sheet({.jitter = jitter}, layers, 0.3), "sheet " + what);
      expect_volume(thread({.jitter = jitter}, layers), "thread " + what);
    }
}

// 8 and 4 particles in a cell of 0.1: their spacing differs, the body and its volume do not.
TEST(SurfaceVolume, of_dense_and_sparse_particles) {
  const double sparse = 0.1 / std::cbrt(4.0);
  for (const double spacing : {0.05, sparse}) {
    ParticleFrame frame = ball({.spacing = spacing, .jitter = 0.4}, 0.4);
    const double exact = 4.0 / 3.0 * M_PI * 0.4 * 0.4 * 0.4;
    for (float& v : frame.attributes[0].values) v = float(exact / double(frame.material.size()));
    const SurfaceMesh mesh = make_surface(frame, {});
    EXPECT_NEAR(enclosed_volume(mesh) / exact, 1, 0.005);
    // and the surface is where the ball ends
    double worst = 0;
    for (const auto& x : mesh.positions) worst = tests::worse_of(worst, std::abs(double(norm(x)) - 0.4));
    EXPECT_LT(worst, 0.6 * spacing);
  }
}

// A body squeezed to 0.8 of its volume at rest: "J" says so.
TEST(SurfaceVolume, of_compressed_particles) {
  ParticleFrame frame = ball({}, 0.3);
  const double now = total_volume(frame);
  for (float& v : frame.attributes[0].values) v /= 0.8f;
  frame.attributes.push_back({"J", 1, std::vector<float>(frame.material.size(), 0.8f)});
  for (const SurfaceMethod method : all_methods)
    EXPECT_NEAR(enclosed_volume(make_surface(frame, {.method = method})) / now, 1, 0.005) << name_of(method);
}

// Two bodies of different particles in one frame.
TEST(SurfaceVolume, of_mixed_particles) {
  ParticleFrame frame = ball({.spacing = 0.05}, 0.3);
  const double h = 0.05 / std::cbrt(2.0);
  const ParticleFrame other = ball({.spacing = h, .shift = {0.8, 0, 0}}, 0.3);
  for (std::size_t i = 0; i < other.material.size(); ++i)
    add_particle(frame, {other.position[3 * i], other.position[3 * i + 1], other.position[3 * i + 2]},
                 h * h * h, 1);
  expect_volume(frame, "mixed");
}

// Without the correction too the surface of a large body is in its place: what is left to move is little.
TEST(SurfaceVolume, flat_surfaces_lie_where_the_body_ends) {
  for (const SurfaceMethod method : all_methods) {
    const SurfaceMesh mesh = make_surface(box({.jitter = 0.3}, {0.4, 0.2, 0.4}), {.method = method});
    double sum = 0;
    int count = 0;
    for (const auto& x : mesh.positions)
      if (std::abs(x.x) < 0.25f && std::abs(x.z) < 0.25f && x.y > 0) {
        sum += x.y;
        ++count;
      }
    ASSERT_GT(count, 100);
    EXPECT_NEAR(sum / count, 0.2, 0.2 * 0.05) << name_of(method);
  }
}

// One piece, as thick all along as the volume says, also where a body takes part in the correction.
TEST(SurfaceVolume, threads_stay_whole) {
  for (const SurfaceMethod method : all_methods)
    for (const double jitter : {0.0, 0.3}) {
      SCOPED_TRACE(std::string(name_of(method)) + ", jitter " + std::to_string(jitter));
      ParticleFrame frame = thread({.jitter = jitter}, 1);
      EXPECT_EQ(count_pieces(make_surface(frame, {.method = method})), 1);
      const ParticleFrame body = ball({.shift = {0, 1, 0}}, 0.3);
      for (std::size_t i = 0; i < body.material.size(); ++i)
        add_particle(frame, {body.position[3 * i], body.position[3 * i + 1], body.position[3 * i + 2]},
                     0.05 * 0.05 * 0.05);
      const SurfaceMesh mesh = make_surface(frame, {.method = method});
      EXPECT_EQ(count_pieces(mesh), 2);
      float low = 1, high = -1;
      for (const auto& x : mesh.positions)
        if (x.y < 0.2f) low = std::min(low, x.x), high = std::max(high, x.x);
      EXPECT_LT(low, -0.45f);
      EXPECT_GT(high, 0.45f);
    }
}

// A stretched thread: particles two spacings apart along it.
TEST(SurfaceVolume, stretched_threads_stay_whole) {
  ParticleFrame frame;
  for (int i = 0; i < 20; ++i) add_particle(frame, {0.1 * i, 0.013, 0.021}, 0.05 * 0.05 * 0.05);
  for (const SurfaceMethod method : {SurfaceMethod::fast, SurfaceMethod::sharp})
    EXPECT_EQ(count_pieces(make_surface(frame, {.method = method})), 1) << name_of(method);
}

// Where particles lie on top of each other the surface is that of what they cover.
TEST(SurfaceVolume, crowded_particles_do_not_swell) {
  ParticleFrame frame = ball({.spacing = 0.05}, 0.3);
  const ParticleFrame once = frame;
  for (int copy = 0; copy < 20; ++copy)
    for (std::size_t i = 0; i < once.material.size(); ++i)
      add_particle(frame, {once.position[3 * i], once.position[3 * i + 1], once.position[3 * i + 2]},
                   0.05 * 0.05 * 0.05);
  for (const SurfaceMethod method : all_methods) {
    const SurfaceMesh mesh = make_surface(frame, {.method = method});
    expect_closed(mesh);
    for (const auto& x : mesh.positions) ASSERT_LT(norm(x), 0.38f) << name_of(method);
  }
}

TEST(SurfaceVolume, is_estimated_without_the_attribute) {
  ParticleFrame frame = ball({.jitter = 0.2}, 0.4);
  const double volume = total_volume(frame);
  frame.attributes.erase(frame.attributes.begin());
  const SurfaceMesh mesh = make_surface(frame, {});
  expect_closed(mesh);
  EXPECT_NEAR(enclosed_volume(mesh) / volume, 1, 0.4);
}

}  // namespace
}  // namespace dollop
