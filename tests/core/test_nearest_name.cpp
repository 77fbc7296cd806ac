#include "core/nearest_name.h"

#include <gtest/gtest.h>

namespace dollop {
namespace {

TEST(NearestName, is_that_with_the_fewest_edits) {
  const std::vector<std::string> known{"density", "young_modulus", "yield_stress"};
  EXPECT_EQ(nearest_name("density", known), "density");
  EXPECT_EQ(nearest_name("densty", known), "density");
  EXPECT_EQ(nearest_name("yuong_modulus", known), "young_modulus");
  EXPECT_EQ(nearest_name("yield_strss", known), "yield_stress");
  EXPECT_EQ(nearest_name("viscosity", known), "");
  // the nearest of several that are near, wherever it stands
  EXPECT_EQ(nearest_name("yield_stres", {"yield_stress", "yield_strain"}), "yield_stress");
  EXPECT_EQ(nearest_name("yield_stres", {"yield_strain", "yield_stress"}), "yield_stress");
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_name("density", {}), "");
}

TEST(NearestName, a_part_between_hyphens_is_meant) {
  const std::vector<std::string> known{"salt",    "dry-sand", "sand-castle", "sand-20",
                                       "sand-25", "sand-30",  "pie"};
  EXPECT_EQ(names_meant("sand", known),
            (std::vector<std::string>{"dry-sand", "sand-castle", "sand-20", "sand-25"}));
  EXPECT_EQ(names_meant("Castle", known), std::vector<std::string>{"sand-castle"});
  EXPECT_EQ(names_meant("dry_sand", known), std::vector<std::string>{"dry-sand"});
  EXPECT_EQ(names_meant("slat", known), std::vector<std::string>{"salt"});
  EXPECT_TRUE(names_meant("yogurt", known).empty());
  EXPECT_TRUE(names_meant(std::string(100, 'x'), known).empty());
  EXPECT_EQ(did_you_mean("pei", known), "; did you mean 'pie'?");
  EXPECT_EQ(did_you_mean("20", {"sand-20", "clay-20"}), "; did you mean 'sand-20' or 'clay-20'?");
  EXPECT_EQ(did_you_mean("yogurt", known), "");
}

}  // namespace
}  // namespace dollop
