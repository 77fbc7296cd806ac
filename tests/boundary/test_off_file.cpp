#include "boundary/off_file.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace dollop {
namespace {

std::string fault_of(const std::string& text) {
  try {
    return "read as " + plain_off(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(off_file, everything_but_points_and_faces_is_left_out) {
  const std::string plain = "OFF\n3 2 0\n0 0 0 \n1 0.5 -2 \n0 1e-05 0 \n3 0 1 2\n3 2 1 0\n";
  for (const char* text :
       {"OFF\n3 2 0\n0 0 0\n1 0.5 -2\n0 1e-5 0\n3 0 1 2\n3 2 1 0\n",
        "OFF 3 2 0\r\n0 0 0\r\n1 .5 -2\r\n0 1e-5 0\r\n3 0 1 2\r\n3 2 1 0",
        "# of a cat\nCOFF # colours\n\n3 4\n0\n0 0 0 255 0 0\n  1 0.5 -2 0 0 0\n0 1e-5 0 1 1 1\n# faces\n"
        "3 0 1 2 0.5 0.5 0.5\n0\n2 0 1\n3 2 1 0\n"})
    EXPECT_EQ(plain_off(text), plain) << text;
}

TEST(off_file, what_it_is_not_said_to_hold_is_a_fault) {
  EXPECT_EQ(fault_of(""), "it ends too early");
  EXPECT_EQ(fault_of("solid\n1 1 0\n"), "it does not begin with OFF, COFF or NOFF");
  EXPECT_EQ(fault_of("OFF BINARY\n1 1 0\n"), "it lacks a number in line 1");
  EXPECT_EQ(fault_of("OFF\n3 -1 0\n"), "it has a count of -1");
  EXPECT_EQ(fault_of("OFF\n3 nan 0\n"), "it has a count of nan");
  EXPECT_EQ(fault_of("OFF\n999 1 0\n0 0 0\n"), "its header promises more than it holds");
  EXPECT_EQ(fault_of("OFF\n2 0 0\n0 0 0\n"), "it ends too early");
  EXPECT_EQ(fault_of("OFF\n1 0 0\n0 1e99 0\n"), "it has a coordinate that is not finite");
  EXPECT_EQ(fault_of("OFF\n1 0 0\n0 0 $\n"), "it lacks a number in line 3");
  const std::string points = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n";
  EXPECT_EQ(fault_of(points + "3 0 1 3\n"), "a face names a vertex that is not there");
  EXPECT_EQ(fault_of(points + "3 0 1 -1\n"), "a face names a vertex that is not there");
  EXPECT_EQ(fault_of(points + "-3 0 1 2\n"), "a face has -3 corners");
  EXPECT_EQ(fault_of(points + "10 0 1 2 0 1 2 0 1 2 0\n"), "a face has 10 corners; at most 9 can be read");
}

}  // namespace
}  // namespace dollop
