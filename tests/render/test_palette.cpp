#include "render/palette.h"

#include <gtest/gtest.h>

namespace dollop {
namespace {

TEST(palette, materials_of_a_scene_are_told_apart) {
  const std::vector<Appearance> looks = choose_appearances({{"a", "von-mises", {}},
                                                            {"b", "von-mises", {}},
                                                            {"c", "von-mises", {}},
                                                            {"d", "neo-hookean", {}},
                                                            {"e", "drucker-prager", {}},
                                                            {"f", "some-new-model", {}}});
  for (std::size_t i = 0; i < looks.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_GT(norm(looks[i].albedo - looks[j].albedo), 0.1f) << i << j;
  EXPECT_EQ(looks[0].look, Look::smooth);
  EXPECT_EQ(looks[4].look, Look::grain);
}

TEST(palette, grains_vary_about_the_colour_of_their_material) {
  const Vec3<float> albedo{0.5f, 0.4f, 0.3f};
  double sum = 0;
  bool differ = false;
  for (std::uint64_t id = 0; id < 1000; ++id) {
    const Vec3<float> c = grain_albedo(albedo, id);
    sum += c.x / 1000;
    differ = differ || std::abs(c.x - albedo.x) > 0.1f;
    EXPECT_NEAR(c.y / c.x, 0.8f, 1e-5f);
  }
  EXPECT_NEAR(sum, 0.5, 0.01);
  EXPECT_TRUE(differ);
}

}  // namespace
}  // namespace dollop
