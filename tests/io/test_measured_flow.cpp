#include "io/measured_flow.h"

#include <gtest/gtest.h>

namespace dollop {
namespace {

void expect_samples(const std::string& text, const std::vector<FlowSample>& expected) {
  const auto found = parse_measured_flow(text);
  ASSERT_EQ(found.size(), expected.size()) << text;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_DOUBLE_EQ(found[i].rate, expected[i].rate) << text;
    EXPECT_DOUBLE_EQ(found[i].stress, expected[i].stress) << text;
  }
}

TEST(measured_flow, reads_the_usual_tables) {
  const std::vector<FlowSample> expected{{0.1, 20.5}, {1, 30}, {10, 55}};
  for (const char* text :
       {"0.1,20.5\n1,30\n10,55\n", "0.1 20.5\n  1   30\n10 55", "0.1\t20.5\n1\t30\n10\t55\r\n",
        "0.1;20.5\n1;30\n10;55\n", "0,1;20,5\n1;30\n10;5,5e1\n", "0,1\t20,5\n1\t30\n10\t55\n",
        "# from the lab\n\n0.1,20.5 # first\n+1,30,\n10,55,extra,columns\n",
        "\xEF\xBB\xBFshear_rate,shear_stress\n0.1,20.5\n1,30\n10,55\n",
        "rate,stress,comment\n0.1,20.5,a\n1,30,b\n10,55,c\n",
        "\"time\",\"shear stress [Pa]\",\"Shear Rate (1/s)\"\n1,20.5,0.1\n2,30,1\n3,55,10\n",
        "shear_rate,shear_stress\n1/s,Pa\n0.1,20.5\n1,30\n10,55\n",
        "shear_rate\tshear_stress\n[1/s]\t[kPa]\n0.1\t0.0205\n1\t0.03\n10\t0.055\n",
        "shear_rate [1/min];shear_stress [mPa]\n6;20500\n60;30000\n600;55000\n"})
    expect_samples(text, expected);
}

TEST(measured_flow, a_point_at_rest_is_allowed) {
  expect_samples("0 5\n1 6\n2 7\n3 8\n", {{0, 5}, {1, 6}, {2, 7}, {3, 8}});
}

TEST(measured_flow, bad_tables_name_the_place) {
  const struct {
    const char *text, *words;
    int line, column;
  } cases[] = {
      {"0.1,20\n1,abc\n10,30\n", "'abc' is not a number", 2, 3},
      {"0.1,20\n1,nan\n10,30\n", "'nan' is not a number", 2, 3},
      {"0.1,20\n1\n10,30\n", "shear stress is missing", 2, 1},
      {"0.1,20\n1,,5\n10,30\n", "shear stress is missing", 2, 3},
      {"0.1,20\n-1,25\n10,30\n", "negative", 2, 1},
      {"0.1,20\n1,  0\n10,30\n", "positive", 2, 5},
      {"1,20\n2,25\n2,26\n", "at least 3 different shear rates above 0, there are 2", 3, 1},
      {"", "there are 0", 1, 1},
      {"# nothing\n", "there are 0", 1, 1},
      {"time,shear_rate,torque\n1,2,3\n", "none named shear_stress", 1, 6},
      {"shear_rate [rpm],shear_stress\n1,2\n", "unit 'rpm' is not known", 1, 1},
      {"shear_rate,shear_stress (psi)\n1,2\n", "unit 'psi' is not known", 1, 12},
      {"shear_rate\n1\n2\n3\n", "none named shear_stress", 1, 1},
      {"rate\n1\n2\n3\n", "two columns", 1, 1},
      {"0,1 18,9\n1,0 20,1\n", "is not a number", 1, 3},
  };
  for (const auto& bad : cases) try {
      parse_measured_flow(bad.text);
      ADD_FAILURE() << "accepted: " << bad.text;
    } catch (const MeasuredFlowError& e) {
      EXPECT_NE(std::string(e.what()).find(bad.words), std::string::npos) << bad.text << e.what();
      EXPECT_EQ(e.line, bad.line) << bad.text;
      EXPECT_EQ(e.column, bad.column) << bad.text;
      EXPECT_GE(e.length, 1) << bad.text;
    }
}

}  // namespace
}  // namespace dollop
