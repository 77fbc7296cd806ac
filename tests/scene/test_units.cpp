#include "scene/units.h"

#include <dollop/scene_file.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>
#include <sstream>

namespace dollop {
namespace {

double si(const std::string& text, const std::string& unit) {
  double value = std::nan("");
  const std::string fault = parse_quantity(text, unit, value);
  EXPECT_EQ(fault, "") << text;
  return value;
}

std::string fault(const std::string& text, const std::string& unit) {
  double value = 0;
  return parse_quantity(text, unit, value);
}

// what is said of a unit that there is not: the units of the reference, and each of them is one
TEST(Units, the_list_in_errors_is_that_of_the_reference) {
  const std::string text = fault("3 inch", "m"), begin = "there are ";
  const std::size_t first = text.find(begin) + begin.size();
  const std::string list = text.substr(first, text.find(", with") - first);
  EXPECT_NE(scene_reference().find("`" + list + "`"), std::string::npos) << text;
  std::istringstream words(list);
  std::set<std::string> seen;
  for (std::string word; words >> word;) {
    Unit unit;
    EXPECT_EQ(parse_unit(word, unit), "") << word;
    seen.insert(word);
  }
  for (const char* word : {"m", "rev", "l", "%"}) EXPECT_EQ(seen.count(word), 1u) << word;
}

TEST(Units, decimal_commas_are_named) {
  EXPECT_EQ(fault("0,01 m", "m"), "a number has a decimal point: write \"0.01 m\"");
  EXPECT_EQ(fault("-3,5 kPa", "Pa"), "a number has a decimal point: write \"-3.5 kPa\"");
  EXPECT_EQ(fault("1,5", ""), "a number has a decimal point: write \"1.5\"");
  EXPECT_EQ(fault("1, m", "m").find("decimal point"), std::string::npos);
}

// where the power of the material is not known, that of the time may be any
TEST(Units, consistency_takes_any_power_of_time) {
  EXPECT_EQ(si("17.8", "Pa s^n"), 17.8);
  EXPECT_EQ(si("17.8 Pa s^n", "Pa s^n"), 17.8);
  EXPECT_EQ(si("17.8 Pa s^0.22", "Pa s^n"), 17.8);
  EXPECT_EQ(si("0.5 kPa*s^2.8", "Pa s^n"), 500);
  EXPECT_EQ(si("5 Pa s", "Pa s^n"), 5);
  EXPECT_NE(fault("5 Pa", "Pa s^n"), "");
  EXPECT_NE(fault("5 mm s^0.3", "Pa s^n"), "");
  EXPECT_NE(fault("5 s^0.3", "Pa s^n"), "");
  EXPECT_NE(fault("5 Pa s^x", "Pa s^n"), "");
  EXPECT_NE(fault("5 Pa s^0.22", "Pa s"), "");
  EXPECT_DOUBLE_EQ(si("5 Pa min^0.3", "Pa s^n"), 5 * std::pow(60, 0.3));
  EXPECT_EQ(fault("5 Pa min", "Pa s^n"),
            "the power of the time is not known; write s^n or, for example, min^0.5");
}

// else it is the material's own
TEST(Units, consistency_has_the_power_of_its_material) {
  for (const char* text :
       {"3", "3 Pa s^n", "3 Pa*s^0.3", " 3e-3  kPa s^.3 ", "3000 mPa * s^n", "3 kg m^-1 s^-2 s^n"})
    EXPECT_DOUBLE_EQ(si(text, "Pa s^0.3"), 3) << text;
  for (const char* text : {"1 Pa min^n", "1e-3 kPa min^0.3"})
    EXPECT_DOUBLE_EQ(si(text, "Pa s^0.3"), std::pow(60, 0.3)) << text;
  EXPECT_DOUBLE_EQ(si("1 Pa ms^2", "Pa s^2"), 1e-6);
  EXPECT_EQ(si("3 Pa s", "Pa s^1"), 3);
  EXPECT_EQ(si("3 kg/m/s", "Pa s^1"), 3);
  EXPECT_EQ(si("3 Pa min", "Pa s^1"), 180);

  EXPECT_EQ(fault("3 kPa s^0.5", "Pa s^0.3"), "the power 0.5 of the time is not the n = 0.3 of the material");
  EXPECT_EQ(fault("3 Pa s^x", "Pa s^0.3"), "the power in 's^x' must be a number or n");
  for (const char* viscosity : {"3 kg/m/s", "3 Pa s", "3 Pa*s", "3 kPa min", "3 Pa s "})
    EXPECT_EQ(fault(viscosity, "Pa s^0.3"), "expected \"3 Pa s^0.3\", got a viscosity") << viscosity;
  EXPECT_NE(fault("3 N/m^2 s^n", "Pa s^0.3").find("two ways"), std::string::npos);
  for (const char* text :
       {"3 s^0.3", "3 Pa", "3 mm s^n", "3 % s^n", "3 Pa s^n s^n", "3 Pa s^n^2", "Pa s^n", "s^n", ""})
    EXPECT_NE(fault(text, "Pa s^0.3"), "") << text;
}

TEST(Units, scenes_know_the_power_of_a_consistency) {
  const auto material = [](const std::string& keys) {
    return parse_scene("[simulation]\nduration = 1\ncell_size = 1\n[materials.m]\n" + keys, "m")
        .scene.materials.at(0);
  };
  const std::string curve = "model = 'herschel-bulkley'\ntau_y = 1\nflow_index = 0.3\nconsistency = ";
  const auto viscosity = [&](const std::string& keys) { return material(keys).parameters.at("viscosity"); };
  EXPECT_DOUBLE_EQ(viscosity(curve + "'1 Pa min^0.3'"), std::pow(60, 0.3) * std::pow(2, 0.65));
  EXPECT_DOUBLE_EQ(viscosity("preset = 'shaving-cream'\nviscosity = '1 Pa min^n'"), std::pow(60, 0.22));
  EXPECT_DOUBLE_EQ(viscosity("preset = 'shaving-cream'\nviscosity = '3 Pa s^0.22'"), 3);
  EXPECT_DOUBLE_EQ(viscosity("preset = 'viscoplastic'\nviscosity = '3 Pa s'"), 3);
  EXPECT_DOUBLE_EQ(viscosity("model = 'herschel-bulkley'\nviscosity = '3 Pa s^n'"), 3);
  for (const std::string& wrong :
       {curve + "'3 kPa s^0.5'", std::string("preset = 'pie'\nconsistency = '3 Pa s^0.5'"),
        std::string("model = 'herschel-bulkley'\nviscosity = '3 Pa s^0.4'"),
        std::string("model = 'herschel-bulkley'\nviscosity = '3 Pa s'"), curve + "'3 Pa s'"})
    EXPECT_THROW(material(wrong), SceneError) << wrong;
}

// decimal numbers with a prefix are the nearest double, not a product that is off by one bit
TEST(Units, decimal_values_are_exact) {
  EXPECT_EQ(si("3 mm", "m"), 0.003);
  EXPECT_EQ(si("0.29 kPa", "Pa"), 290.0);
  EXPECT_EQ(si("1e-5 s", "s"), 1e-5);
  EXPECT_EQ(si("9.81 m/s^2", "m/s^2"), 9.81);
  EXPECT_EQ(si("2 kg/m^3", "kg/m^3"), 2.0);
  EXPECT_EQ(si("1.1 g/cm^3", "kg/m^3"), 1100.0);
  EXPECT_EQ(si("0.3 um", "m"), 0.3e-6);
  EXPECT_EQ(si("0.3 µm", "m"), 0.3e-6);
  EXPECT_EQ(si("7 nm", "m"), 7e-9);
  EXPECT_EQ(si("1.17 GPa", "Pa"), 1.17e9);
  EXPECT_EQ(si("12.34 cm", "m"), 0.1234);
  EXPECT_EQ(si("2 %", ""), 0.02);
  for (const char* text : {"2 % %", "2 %%", "2 %*%"}) EXPECT_NE(fault(text, ""), "") << text;
}

TEST(Units, plain_numbers) {
  EXPECT_EQ(si("1e-5", "s"), 1e-5);
  EXPECT_EQ(si("  -3.5  ", "m"), -3.5);
  EXPECT_EQ(si("+2", ""), 2.0);
  EXPECT_EQ(si(".5", "m"), 0.5);
}

TEST(Units, angles) {
  EXPECT_DOUBLE_EQ(si("30 deg", "rad"), std::numbers::pi / 6);
  EXPECT_DOUBLE_EQ(si("30°", "rad"), std::numbers::pi / 6);
  EXPECT_DOUBLE_EQ(si("120 rpm", "rad/s"), 4 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(si("2 rev/s", "rad/s"), 4 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(si("90 deg/s", "rad/s"), std::numbers::pi / 2);
}

TEST(Units, compounds) {
  EXPECT_EQ(si("27 Pa s", "Pa s"), 27.0);
  EXPECT_EQ(si("27 Pa*s", "Pa s"), 27.0);
  EXPECT_EQ(si("27 kg/m/s", "Pa s"), 27.0);
  EXPECT_EQ(si("27 kg m^-1 s^-1", "Pa s"), 27.0);
  EXPECT_EQ(si("3 N/m^2", "Pa"), 3.0);
  EXPECT_EQ(si("3 m²", "m^2"), 3.0);
  EXPECT_EQ(si("5 1/s", "1/s"), 5.0);
  EXPECT_EQ(si("30 Hz", "1/s"), 30.0);
  EXPECT_EQ(si("2 min", "s"), 120.0);
  EXPECT_EQ(si("1 h", "s"), 3600.0);
  EXPECT_DOUBLE_EQ(si("36 km/h", "m/s"), 10.0);
  EXPECT_EQ(si("1 bar", "Pa"), 1e5);
  EXPECT_EQ(si("2 mm/ms", "m/s"), 2.0);
}

TEST(Units, dimension_is_checked) {
  EXPECT_EQ(fault("3 ms", "m"), "expected a length such as \"3 mm\", got a time");
  EXPECT_EQ(fault("3 Pa", "kg/m^3"), "expected a density such as \"1000 kg/m^3\", got a stress");
  EXPECT_EQ(fault("3 Hz", "rad/s"), "expected an angular velocity such as \"90 deg/s\", got a rate");
  EXPECT_EQ(fault("3 m^5", "m"), "expected a length such as \"3 mm\", got something in m^5");
  EXPECT_EQ(fault("3 m", ""), "expected a pure number, got a length");
}

TEST(Units, faults) {
  for (const char* text : {"", " ", "mm", "3 mmm", "3 km km/", "3 m^", "3 m^99", "3 m**2", "3 /", "3 parsec",
                           "1e999 m", "nan", "inf m", "--3", "+-3", "3 m/s s", "3,5 m", "3 m\x01"})
    EXPECT_NE(fault(text, "m"), "") << text;
}

}  // namespace
}  // namespace dollop
