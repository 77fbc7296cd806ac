#include "core/amounts.h"

#include <gtest/gtest.h>

namespace dollop {
namespace {

TEST(Amounts, bytes_have_the_unit_that_suits_them) {
  EXPECT_EQ(bytes_text(12.3 * 1024 * 1024), "12.3 MiB");
  EXPECT_EQ(bytes_text(4.56 * 1024 * 1024 * 1024), "4.56 GiB");
  EXPECT_EQ(bytes_text(0.96 * 1024 * 1024 * 1024), "0.96 GiB");
}

TEST(Amounts, are_rounded_up_to_digits) {
  EXPECT_DOUBLE_EQ(rounded_up(1234, 1), 2000);
  EXPECT_DOUBLE_EQ(rounded_up(1234, 2), 1300);
  EXPECT_DOUBLE_EQ(rounded_up(0.0301, 1), 0.04);
  EXPECT_DOUBLE_EQ(rounded_up(3000, 1), 3000);
}

}  // namespace
}  // namespace dollop
