#include "io/measured_flow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "io/text_encoding.h"

namespace dollop {
namespace {

void expect_samples(const std::string& text, const std::vector<FlowSample>& expected) {
  const auto found = parse_measured_flow(text).samples;
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

// a unit may stand behind the name without brackets, and is never left unread
TEST(measured_flow, understands_units_in_headings) {
  const std::vector<FlowSample> expected{{0.5, 20}, {1, 30}, {2, 50}};
  for (const char* heading : {"shear_rate_1/s,shear_stress_kPa", "Shear rate 1/s,Shear stress kPa",
                              "γ̇ in 1/s,τ in kPa", "rate / s^-1,tau / kPa", "gamma_dot s-1,stress (kPa)",
                              "Shear Rate [s⁻¹],Shear-Stress: kPa", "gammadot,sigma_kPa", "rate/s,tau/kPa",
                              "shear_rate,shear_stress\n1/s,kPa", "shear_rate,shear_stress [bar]\n1/s,kPa"})
    expect_samples(std::string(heading) + "\n0.5,0.02\n1,0.03\n2,0.05\n", expected);
  expect_samples("rate_1/min,stress_mPa\n30,20e3\n60,30e3\n120,50e3\n", expected);
  expect_samples("rate,stress_MPa\n.5,20e-6\n1,30e-6\n2,50e-6\n", expected);
}

TEST(measured_flow, finds_columns_by_their_names) {
  const std::vector<FlowSample> expected{{0.5, 20}, {1, 30}, {2, 50}};
  for (const char* text :
       {"stress,rate\n20,.5\n30,1\n50,2\n", "Point No.,rate,stress\n1,.5,20\n2,1,30\n3,2,50\n",
        "Point No.,Time [s],Temperature [°C],Shear Stress [Pa],Shear Rate [1/s],Viscosity [Pa·s],Torque "
        "[mNm]\n"
        "1,10,25,20,.5,40,1\n2,20,25,30,1,30,1\n3,30,25,50,2,25,1\n",
        "rate viscosity\n.5 40\n1 30\n2 25\n", "Shear rate;eta [mPa.s]\n,5;40000\n1;30000\n2;25000\n",
        "\"shear rate\" \"shear stress\"\n.5 20\n1 30\n2 50\n",
        "rate,eta\n1/s,mPa s\n.5,40000\n1,3e4\n2,25e3\n"})
    expect_samples(text, expected);
}

TEST(measured_flow, skips_titles_and_comments) {
  const std::vector<FlowSample> expected{{0.5, 20}, {1, 30}, {2, 50}};
  for (const char* title :
       {"Flow curve of foam\n", "// from the lab, 25 °C\n", "Sample: foam; batch 7\n\nstress against rate\n",
        "# 5\" plate\n", "Plate of 5\", serrated\n", "\"a title\nof \"\"two\"\" lines\"\n"})
    expect_samples(std::string(title) + "shear_rate,shear_stress\n0.5,20\n1,30\n2,50\n", expected);
}

TEST(measured_flow, understands_decimal_commas_in_quotation_marks) {
  const std::vector<FlowSample> expected{{0.5, 20.25}, {1, 30.5}, {2, 50}};
  for (const char* text :
       {"\"0,5\",\"20,25\"\n\"1\",\"30,5\"\n2,50\n", "\"0,500\" \"20,25\"\n1 \"30,5\"\n2 50\n",
        "\"rate\";\"stress\"\n\"0,5\";\"20,25\"\n1;30,500\n2;50\n",
        "\"shear rate,\n1/s\",\"shear stress,\nPa\"\n\"0,5\",\"20,25\"\n1,\"30,5\"\n2,50\n"})
    expect_samples(text, expected);
}

// a number such as 1,234 is decided by the other numbers of the table
TEST(measured_flow, understands_thousands) {
  const std::vector<FlowSample> expected{{0.5, 999.5}, {10, 1234.5}, {1000, 1234567}};
  for (const char* text :
       {"0,5;999,5\n10;1.234,5\n1.000;1.234.567\n", "0.5\t999.5\n10\t1,234.5\n1,000\t1,234,567\n",
        "0.5,999.5\n10,\"1,234.5\"\n\"1,000\",\"1,234,567\"\n", "0,5;999,5\n10;1 234,5\n1 000;1 234 567\n",
        "0.5;999.5\n10;1'234.5\n1'000;1'234'567\n",
        "0,5\t999,5\n10\t1\u202F234,5\n1\u00A0000\t1\u202F234\u202F567\n",
        "0.5,999.5\n10,1\u00A0234.5\n1000,1\u2019234\u2019567\n"})
    expect_samples(text, expected);
  // without such evidence a comma between semicolons or tabs is a decimal sign, and a point always
  expect_samples("1,250;2,000\n2,500;3,000\n5,000;4,000\n", {{1.25, 2}, {2.5, 3}, {5, 4}});
  expect_samples("1.250;2.000\n2.500;3.000\n5.000;4.000\n", {{1.25, 2}, {2.5, 3}, {5, 4}});
}

TEST(measured_flow, knows_german_and_french_names) {
  const std::vector<FlowSample> expected{{0.5, 20}, {1, 30}, {2, 50}};
  for (const char* heading :
       {"Scherrate [1/s];Schubspannung [kPa]", "SCHERRATE in 1/s;SCHUBSPANNUNG in kPa",
        "GP in 1/s;Tau in kPa", "Schergeschwindigkeit\u00A0[s⁻¹];Scherspannung\u00A0[kPa]",
        "Geschwindigkeitsgefälle 1/s;Schubspannung kPa", "Taux de cisaillement (1/s);Contrainte (kPa)",
        "Vitesse de cisaillement en s-1;Contrainte de cisaillement en kPa",
        "Gradient de Cisaillement;Contrainte de Cisaillement\n[1/s];[kPa]", "γ-Punkt / 1/s;τ / kPa"})
    expect_samples(std::string(heading) + "\n0,5;0,02\n1;0,03\n2;0,05\n", expected);
  for (const char* heading :
       {"Scherrate [1/s];Viskosität [Pa·s]", "Scherrate [1/s];VISKOSITÄT [Pa s]",
        "Scherrate [1/s];Viskositaet [Pas]", "Taux de cisaillement;Viscosité apparente\n1/s;Pa.s",
        "Shear rate(s-¹);Shear viscosity(Pa\u22C5s)", "Shear rate;Viscosity\n1/s;Pa-s"})
    expect_samples(std::string(heading) + "\n0,5;40\n1;30\n2;25\n", expected);
}

TEST(measured_flow, finds_the_heading_below_lines_with_numbers) {
  const std::vector<FlowSample> expected{{0.5, 20}, {1, 30}, {2, 50}};
  for (const char* preamble :
       {"Instrument serial number\t5332\nSample\t7\n", "Interval and data points:\t1\t3\n",
        "12.03.2015\t10:23\n\n", "Plate\t40\tmm\n1\t2\t3\n"})
    expect_samples(std::string(preamble) +
                       "No.\tShear Rate\tShear Stress\n\t[1/s]\t[Pa]\n1\t.5\t20\n2\t1\t30\n3\t2\t50\n",
                   expected);
  // a table ends at the next line of text, and lines without one of the two values are left out
  const MeasuredFlow flow = parse_measured_flow(
      "rate [1/s];stress [Pa];T\n.5;20;25\n;7;25\n1;30;25\n3;-;25\n2;50;25\nend of test;;\n");
  EXPECT_EQ(flow.samples.size(), 3u);
  EXPECT_EQ(flow.notes,
            std::vector<std::string>{"2 lines without a shear rate or a shear stress were left out"});
}

TEST(measured_flow, columns_units_and_tables_can_be_chosen) {
  const std::string text =
      "Nr;T;D;S\n1;25;0,5;20\n2;25;1;30\n3;25;2;50\nsecond\n1;25;4;60\n2;25;8;70\n3;25;16;80\n";
  const MeasuredFlow flow = parse_measured_flow(text, {{3, 4}, {"1/s", "kPa"}, {2}});
  ASSERT_EQ(flow.samples.size(), 3u);
  EXPECT_DOUBLE_EQ(flow.samples[0].rate, 4);
  EXPECT_DOUBLE_EQ(flow.samples[0].stress, 60e3);
  EXPECT_TRUE(flow.notes.empty());
  EXPECT_EQ(parse_measured_flow(text, {{3, 4}, {}, {2, 1}}).samples.size(), 6u);
  EXPECT_DOUBLE_EQ(parse_measured_flow(text, {{3, 4}, {"1/min", "mPa s"}, {1}}).samples[0].stress,
                   0.5 / 60 * 20e-3);
  // the user's units replace those of the text, known or not
  const auto psi = parse_measured_flow("rate [1/s],stress [psi]\n1,2\n2,3\n3,4\n", {{}, {"1/s", "bar"}, {}});
  EXPECT_DOUBLE_EQ(psi.samples[0].stress, 2e5);
  for (const MeasuredFlowOptions& bad :
       {MeasuredFlowOptions{{3, 4}, {}, {}}, MeasuredFlowOptions{{3, 4}, {}, {3}},
        MeasuredFlowOptions{{3, 4}, {"Pa", "Pa"}, {1}}})
    EXPECT_THROW(parse_measured_flow(text, bad), MeasuredFlowError);
}

TEST(measured_flow, notes_units_that_are_missing) {
  const auto notes = [](const std::string& text) {
    return parse_measured_flow(text + "\n1,2\n2,3\n3,4\n").notes;
  };
  EXPECT_TRUE(notes("rate [1/s],stress [Pa]").empty());
  EXPECT_EQ(notes("rate,stress").size(), 1u);
  ASSERT_EQ(notes("rate [],stress [Pa]").size(), 1u);
  EXPECT_NE(notes("rate [],stress [Pa]")[0].find("the shear rate is named: taken as 1/s"), std::string::npos);
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
      {"time,shear_rate,torque\n1,2,3\n", "no column shear_stress; there is 'time', 'shear_rate', 'torque'",
       1, 6},
      {"time,tau,torque\n1,2,3\n", "no column shear_rate; there is 'time', 'tau', 'torque'", 1, 6},
      {"a,b\n1,2\n3,4\n5,6\n", "no columns shear_rate and shear_stress; there is 'a', 'b'", 1, 1},
      {"My data\n1,2\n3,4\n5,6\n", "put # before a line that is no heading", 1, 1},
      {"time,shear_stress\n1,2\n", "no column shear_rate", 1, 6},
      {"extension_rate,stress_difference\n1,2\n", "no columns", 1, 1},
      {"rate,stress_psi\n1,2\n", "there is 'rate', 'stress_psi'", 1, 1},
      {"rate,tau_y\n1,2\n", "there is 'rate', 'tau_y'", 1, 1},
      {"rate,stress_mpa\n1,2\n", "no column shear_stress", 1, 1},
      {"rate,stress,tau\n1,2,2\n", "second column of the shear stress", 1, 13},
      {"Shear rate Shear stress\n1 2\n", "4 names over 2 columns", 1, 1},
      {"shear_rate [rpm],shear_stress\n1,2\n", "unit 'rpm' is not known", 1, 1},
      {"shear_rate,shear_stress (psi)\n1,2\n", "unit 'psi' is not known", 1, 12},
      {"shear_rate\n1\n2\n3\n", "no column shear_stress", 1, 1},
      // a bad number makes no heading
      {"nan,20\n1,25\n2,30\n3,40\n", "'nan' is not a number", 1, 1},
      {"0x1,30\n1,25\n2,30\n3,40\n", "'0x1' is not a number", 1, 1},
      {"1,1d0\n1,25\n2,30\n3,40\n", "'1d0' is not a number", 1, 3},
      // beyond what a fit can hold
      {"1,1e300\n2,3\n3,4\n", "the shear stress 1e300 is not from 1e-12 to 1e+12 Pa", 1, 3},
      {"1,2\n1e400,3\n3,4\n", "the shear rate 1e400 is not from", 2, 1},
      {"1,2\n1e-300,3\n3,4\n", "the shear rate 1e-300 is not from", 2, 1},
      {"1,2\n2,1e-400\n3,4\n", "shear stress 1e-400 is not from", 2, 3},
      {"rate,eta\n1e9,1e9\n", "shear stress", 2, 5},
      // decimal commas that cannot be told from separators, points or thousands
      {"0,1,18,9\n1,0,20,1\n", "a number beyond 2 columns", 1, 5},
      {"shear_rate,shear_stress\n0,1,18,9\n", "semicolons", 2, 5},
      {"\"1,000\",\"20\"\n", "'1,000' can be read in two ways", 1, 2},
      {"1,2\t5.5\n", "both decimal commas and decimal points", 1, 5},
      {"1.234,5\t1,234.5\n", "both decimal commas and decimal points", 1, 9},
      {"1,23,456\t5.5\n", "'1,23,456' is not a number", 1, 1},
      // several tables
      {"rate,stress\n1,2\n2,3\n3,4\nrate,stress\n1,2\n2,3\n3,4\n",
       "2 tables of flow (1 from line 2, 3 points; 2", 6, 1},
      {"s;rate;stress\n1|1;1;2\n1|2;2;3\n2|1;3;4\n", "2 tables of flow", 4, 1},
      {"1,2\n\"2,3\n3,4\n", "quotation mark is not closed", 2, 1},
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

// whatever the bytes are, there is a result or an error with a place in the text
TEST(measured_flow, mutated_tables_are_read_or_refused) {
  const std::string tables[] = {
      "Interval and data "
      "points:\t1\t3\n\tNo.\tScherrate\tViskosität\n\t\t[1/"
      "s]\t[mPa·s]\n\t1\t0,5\t1.234,5\n\t2\t1\t999\n\t3\t2\t1.000\n",
      ";GP in 1/s;Tau in Pa;\n1|1; ;0,06;\n2|1;1;30;\n2|2;4;40;\n2|3;9;50;\n",
      "\"shear rate,\n1/s\",\"stress\"\n.5,\"1,020\"\n1,30\n2,50 # end\n", "0.1 20\n1 30\n10 55\n"};
  const std::string bytes = ",;.\t \"'#|-+eE:[]0123456789\n\r\xC2\xA0\xFF";
  std::minstd_rand random(7);
  int read = 0, refused = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text = tables[std::size_t(round) % 4];
    for (int k = 0; k < 1 + round % 5; ++k) {
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0)
        text.erase(at, 1 + random() % 5);
      else
        text.insert(at, 1, bytes[random() % bytes.size()]);
      if (text.empty()) text = "x";
    }
    text = to_utf8(text);
    const int lines = 1 + int(std::count(text.begin(), text.end(), '\n'));
    try {
      for (const FlowSample& sample : parse_measured_flow(text).samples) {
        ASSERT_TRUE(sample.rate >= 0 && sample.rate <= 1e12) << text;
        ASSERT_TRUE(sample.stress > 0 && sample.stress <= 1e12) << text;
      }
      ++read;
    } catch (const MeasuredFlowError& e) {
      ASSERT_TRUE(e.line >= 1 && e.line <= lines && e.column >= 1 && e.length >= 1) << text << e.what();
      ++refused;
    }
  }
  EXPECT_GT(read, 300);
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace dollop
