// Triangles of shapes, the denoiser, random numbers and reflection, each by itself.
#include <gtest/gtest.h>

#include <map>

#include "boundary/rigid.h"
#include "boundary/shape_distance.h"
#include "boundary/tessellate.h"
#include "render/tracer/denoise.h"
#include "render/tracer/microfacet.h"

namespace dollop {
namespace {

struct NamedShape {
  const char* name;
  Shape shape;
  double volume;  // of what the triangles enclose [m^3]
};

constexpr double full_turn = 6.283185307179586;

std::vector<NamedShape> shapes() {
  const Rotation turned = rotation_of_angles({0.3, -0.5, 0.9});
  return {
      {"sharp_box", Box{{1, 2, 3}, {1, 2, 0.5}}, 1.0},
      {"rounded_box", Box{{0, 0, 0}, {1, 1, 1}, 0.1},
       0.8 * 0.8 * 0.8 + 6 * 0.64 * 0.1 + 3 * 0.8 * full_turn / 2 * 0.01 + full_turn * 2 / 3 * 0.001},
      {"sphere", Sphere{{0, 1, 0}, 0.5}, full_turn * 2 / 3 * 0.125},
      {"ellipsoid", Ellipsoid{{0, 1, 0}, {0.5, 0.2, 0.8}}, full_turn * 2 / 3 * 0.08},
      {"cylinder", Cylinder{{0, 0, 1}, {1, 1, 0}, 0.5, 2}, full_turn / 2 * 0.5},
      {"cone", Cone{{0, 0, 1}, {1, -1, 0}, 0.5, 2, 0.2}, full_turn / 6 * 2 * (0.25 + 0.1 + 0.04)},
      {"disc", Disc{{0, 0, 0}, {0, 0, 1}, 1, 0.1}, full_turn / 2 * 0.1},
      {"capsule", Capsule{{0, 0, 0}, {1, 2, 2}, 0.5}, full_turn / 2 * 0.25 * 3 + full_turn * 2 / 3 * 0.125},
      {"torus", Torus{{0, 0, 0}, {1, 0, 1}, 1, 0.25}, full_turn * full_turn / 2 * 0.0625},
      {"placed", place(Box{{0, 0, 0}, {1, 2, 3}}, turned, {1, 2, 3}, 0.5), 0.75},
      {"union", Union{{Sphere{{0, 0, 0}, 0.5}, Sphere{{5, 0, 0}, 0.5}}}, full_turn * 4 / 3 * 0.125}};
}

class Tessellated : public ::testing::TestWithParam<NamedShape> {};

TEST_P(Tessellated, lies_on_the_surface_and_encloses_its_volume) {
  const NamedShape& param = GetParam();
  ASSERT_TRUE(can_tessellate(param.shape));
  const TriangleShape mesh = tessellate(param.shape);
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    ASSERT_NEAR(norm(mesh.normals[i]), 1, 1e-9);
    const Double3 x = to_array(mesh.positions[i]);
    ASSERT_NEAR(signed_distance(param.shape, x), 0, 1e-9) << i;
    // a little way along the normal is outside
    ASSERT_GT(signed_distance(param.shape, to_array(mesh.positions[i] + 1e-3 * mesh.normals[i])), 0.5e-3);
  }
  double volume = 0;
  for (const auto& [a, b, c] : mesh.triangles)
    volume += dot(mesh.positions[a], cross(mesh.positions[b], mesh.positions[c])) / 6;
  EXPECT_NEAR(volume / param.volume, 1, 0.006);
}

INSTANTIATE_TEST_SUITE_P(shapes, Tessellated, ::testing::ValuesIn(shapes()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(tessellate, leaves_shapes_without_a_closed_form_to_others) {
  EXPECT_FALSE(can_tessellate(Plane{}));
  EXPECT_FALSE(can_tessellate(Minus{{Box{}, Sphere{}}}));
  EXPECT_FALSE(can_tessellate(Union{{Box{}, Intersect{{Box{}, Sphere{}}}}}));
}

TEST(sampling, samples_of_a_pixel_are_spread_evenly) {
  for (std::uint64_t pixel = 0; pixel < 20; ++pixel) {
    std::map<int, int> columns, squares;
    for (std::uint32_t s = 0; s < 16; ++s) {
      Sampler sampler(pixel, s);
      (void)sampler.next_2d();
      const Point2 u = sampler.next_2d();
      ASSERT_TRUE(u.x >= 0 && u.x < 1 && u.y >= 0 && u.y < 1);
      ++columns[int(16 * u.x)];
      ++squares[int(4 * u.x) * 4 + int(4 * u.y)];
    }
    EXPECT_EQ(columns.size(), 16u);  // one in each sixteenth
    EXPECT_EQ(squares.size(), 16u);  // and one in each square
  }
}

TEST(microfacet, reflected_directions_have_the_density_they_claim) {
  const Vec3<float> w = unit({0.5f, 0.2f, 0.7f});
  for (const float alpha : {0.05f, 0.3f, 0.9f}) {
    double sum = 0;  // of 1 / pdf over directions: the solid angle that they cover
    double kept = 0;
    constexpr int n = 20000;
    for (std::uint32_t s = 0; s < n; ++s) {
      Sampler sampler(3, s);
      const Vec3<float> h = sample_visible_normal(w, alpha, sampler.next_2d());
      const Vec3<float> l = 2 * dot(w, h) * h - w;
      ASSERT_NEAR(norm(h), 1, 1e-4f);
      if (l.z <= 0) continue;
      const float weight = g2_over_g1(w, l, alpha);
      ASSERT_TRUE(weight >= 0 && weight <= 1.0001f);
      kept += weight / n;
      if (l.z > 0.2f && l.z < 0.9f) sum += 1 / (n * reflection_pdf(w, h, alpha));
    }
    EXPECT_GT(kept, alpha > 0.5f ? 0.3 : 0.8);  // on rough coats, facets shadow many others
    if (alpha > 0.5f) {
      EXPECT_NEAR(sum, full_turn * 0.7, 0.15);  // of the zone between those heights
    }
  }
}

TEST(denoise, takes_noise_away_and_leaves_edges) {
  Film film(64, 64);
  std::vector<PathSample> samples(16);
  const auto truth = [](int x) { return x < 32 ? 0.8f : 0.1f; };  // an edge of albedo
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) {
      for (std::size_t s = 0; s < samples.size(); ++s) {
        const float a = truth(x), noise = float(random_uniform(1, std::uint64_t(y * 64 + x), s));
        samples[s] = {2 * noise * Vec3<float>{a, a, a}, {a, a, a}, {0, 0, 1}, 3};
      }
      film.set(film.at(x, y), samples);
    }
  const Image image = denoise(film);
  double before = 0, after = 0, worst = 0;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) {
      const double off = image.at(x, y).x / truth(x) - 1, raw = film.radiance[film.at(x, y)].x / truth(x) - 1;
      before += raw * raw;
      after += off * off;
      worst = std::max(worst, std::abs(off));
    }
  EXPECT_LT(after, before / 20);
  EXPECT_LT(worst, 0.2);  // also beside the edge
}

TEST(denoise, keeps_pixels_that_an_edge_crosses_in_between) {
  Film film(33, 9);
  // dim light on a white thing before a dark one in bright light
  for (int y = 0; y < 9; ++y)
    for (int x = 0; x < 33; ++x) {
      std::vector<PathSample> samples(16);
      for (std::size_t s = 0; s < samples.size(); ++s) {
        const bool left = x < 16 || (x == 16 && s < 8);
        const float a = left ? 0.9f : 0.2f, light = left ? 0.4f : 2.0f;
        const float noise = 0.8f + 0.4f * float(random_uniform(2, std::uint64_t(y * 33 + x), s));
        samples[s] = {noise * light * Vec3<float>{a, a, a},
                      {a, a, a},
                      left ? Vec3<float>{0, 0, 1} : Vec3<float>{0, 1, 0},
                      left ? 1.0f : 5.0f};
      }
      film.set(film.at(x, y), samples);
    }
  const Image image = denoise(film);
  EXPECT_NEAR(image.at(16, 4).x, 0.38f, 0.03f);
  EXPECT_NEAR(image.at(15, 4).x, 0.36f, 0.02f);
  EXPECT_NEAR(image.at(17, 4).x, 0.4f, 0.02f);
}

}  // namespace
}  // namespace dollop
