#include "surface/material_looks.h"

#include <gtest/gtest.h>

namespace dollop {
namespace {

TEST(material_looks, own_look_then_that_of_the_model_then_plain) {
  EXPECT_EQ(look_of({"m", "herschel-bulkley", {}, "honey"}), "honey");
  EXPECT_EQ(look_of({"m", "herschel-bulkley", {}}), "foam");
  EXPECT_EQ(look_of({"m", "drucker-prager", {}}), "sand");
  EXPECT_EQ(look_of({"m", "of another version", {}}), "plain");
}

TEST(material_looks, grains_and_what_is_hidden) {
  EXPECT_TRUE(shown_as_grains({"m", "drucker-prager", {}}));
  EXPECT_TRUE(shown_as_grains({"m", "neo-hookean", {}, "salt"}));
  EXPECT_FALSE(shown_as_grains({"m", "drucker-prager", {}, "rubber"}));
  EXPECT_FALSE(shown_as_grains({"m", "neo-hookean", {}, "no such look"}));
  EXPECT_TRUE(hidden("hidden"));
  EXPECT_FALSE(hidden(look_of({"m", "neo-hookean", {}})));
}

}  // namespace
}  // namespace dollop
