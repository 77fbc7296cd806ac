#include "io/json.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <string>

namespace dollop {
namespace {

TEST(json, numbers_read_back_and_are_null_if_not_finite) {
  for (const double value : {0.1, -0.0, 1e-300, 1.0 / 3, 5e-324, 1.7976931348623157e308, 123456789.0}) {
    EXPECT_EQ(std::strtod(json_number(value).c_str(), nullptr), value);
    EXPECT_TRUE(is_json(json_number(value))) << json_number(value);
  }
  EXPECT_EQ(json_number(0.1), "0.1");
  EXPECT_EQ(json_number(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(json_number(std::numeric_limits<double>::quiet_NaN()), "null");
}

TEST(json, strings_are_escaped) {
  EXPECT_EQ(json_string("a\"b\\c\n\x01"), R"("a\"b\\c\n\u0001")");
  EXPECT_EQ(json_string("sch\xc3\xb6n \xf0\x9f\x8d\xa6"), "\"sch\xc3\xb6n \xf0\x9f\x8d\xa6\"");
  const std::string bad[] = {"\xff",    "\xc3", "\xc3(", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                             "\xe2\x82"};
  for (const std::string& bytes : bad) {
    EXPECT_FALSE(is_json("\"" + bytes + "\""));
    EXPECT_TRUE(is_json(json_string(bytes)));
    EXPECT_EQ(json_string(bytes).find("\xef\xbf\xbd"), 1u);
  }
}

TEST(json, checker_is_strict) {
  for (const char* good : {"0", "-0.5e+7", "[]", "{}", " [1, 2 ,\"a\"] ", R"({"a":{"b":[null,true,false]}})",
                           R"("\u00e9\n\/")", "1E5"})
    EXPECT_TRUE(is_json(good)) << good;
  for (const char* bad : {"",         "01", "1.",     ".5",         "+1",          "nan",     "NaN",   "inf",
                          "-",        "1e", "[1,]",   "{\"a\":1,}", "{a:1}",       "{\"a\"}", "[1 2]", "[",
                          "{\"a\":1", "\"", "\"\t\"", R"("\x")",    R"("\u12g4")", "1 1",     "tru"})
    EXPECT_FALSE(is_json(bad)) << bad;
  EXPECT_TRUE(is_json(std::string(50, '[') + std::string(50, ']')));
  EXPECT_FALSE(is_json(std::string(100000, '[')));  // no deep recursion
}

}  // namespace
}  // namespace dollop
