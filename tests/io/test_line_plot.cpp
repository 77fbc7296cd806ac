#include "io/line_plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "io/temporary_folder.h"

namespace dollop {
namespace {

int count_of(const std::string& text, const std::string& word) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++count;
  return count;
}

LinePlot sample_plot() {
  return {.title = "A <small> \"plot\" & more",
          .x_label = "shear rate [1/s]",
          .y_label = "shear stress [Pa]",
          .log_x = true,
          .log_y = true,
          .series = {{"measured", {0.01, 1, 100}, {10, 20, 400}, false, true},
                     {"law", {0.01, 1, 100}, {11, 19, 410}, true, false, true},
                     {"", {0.01, 100}, {15, 15}}}};
}

TEST(line_plot, is_xml_with_all_that_was_asked_for) {
  const std::string svg = svg_of(sample_plot());
  EXPECT_EQ(svg.rfind("<svg ", 0), 0u);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  EXPECT_NE(svg.find("A &lt;small&gt; &quot;plot&quot; &amp; more"), std::string::npos);
  for (const char* text :
       {">shear rate [1/s]<", ">shear stress [Pa]<", ">measured<", ">law<", ">0.01<", ">100<"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  EXPECT_EQ(count_of(svg, "<circle"), 4);               // three points and one in the legend
  EXPECT_EQ(count_of(svg, "stroke-dasharray"), 2);      // a line and its legend
  EXPECT_EQ(count_of(svg, "stroke-width=\"1.8\""), 3);  // two lines, one of them in the legend

  int status = 0;
  const TemporaryFolder folder;
  write_text(folder / "plot.svg", svg);
  const std::string parse = "python3 -c 'import sys, xml.etree.ElementTree as t; t.parse(sys.argv[1])' ";
  const std::string said = output_of(parse + (folder / "plot.svg").string() + " 2>&1", status);
  EXPECT_EQ(status, 0) << said;
}

// the numbers behind a word, such as the centre of the first circle
double number_behind(const std::string& text, const std::string& word, int which = 0) {
  std::size_t at = 0;
  for (int k = 0; k <= which; ++k) at = text.find(word, at) + word.size();
  return std::stod(text.substr(at));
}

TEST(line_plot, places_points_on_logarithmic_axes) {
  const std::string svg = svg_of(sample_plot());
  const double x0 = number_behind(svg, "cx=\"", 0), x1 = number_behind(svg, "cx=\"", 1),
               x2 = number_behind(svg, "cx=\"", 2);
  EXPECT_NEAR(x1 - x0, x2 - x1, 0.02);  // 0.01, 1, 100
  const double y0 = number_behind(svg, "cy=\"", 0), y1 = number_behind(svg, "cy=\"", 1),
               y2 = number_behind(svg, "cy=\"", 2);
  EXPECT_GT(y0, y1);  // upwards
  EXPECT_NEAR((y0 - y1) / (y0 - y2), std::log(2) / std::log(40), 1e-3);
}

TEST(line_plot, the_legend_avoids_the_data) {
  LinePlot plot;
  plot.series = {{"falling", {0, 1, 2, 3}, {3, 2, 1, 0}, false, true}};
  const double first_x = number_behind(svg_of(plot), "cx=\"", 0),
               legend_x = number_behind(svg_of(plot), "cx=\"", 4);
  EXPECT_GT(legend_x, first_x + 200);  // not at the top left, where the curve begins
  plot.series[0].y = {0, 1, 2, 3};
  EXPECT_LT(number_behind(svg_of(plot), "cx=\"", 4), first_x + 50);
}

TEST(line_plot, breaks_lines_at_what_cannot_be_drawn) {
  LinePlot plot;
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  plot.series = {{"", {0, 1, 2, 3, 4}, {1, 2, nothing, 4, 5}}};
  std::string svg = svg_of(plot);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  const std::size_t line = svg.find("stroke-width=\"1.8\"");
  ASSERT_NE(line, std::string::npos);
  const std::string path = svg.substr(svg.rfind("<path", line), line - svg.rfind("<path", line));
  EXPECT_EQ(count_of(path, "M"), 2);
  EXPECT_EQ(count_of(path, "L"), 2);

  plot.log_x = true;  // 0 has no place
  svg = svg_of(plot);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(line_plot, draws_even_nothing_and_a_single_value) {
  for (const bool logarithmic : {false, true})
    for (const auto& values : {std::vector<double>{}, std::vector<double>{5}, std::vector<double>{7, 7},
                               std::vector<double>{1e-300, 1e300}}) {
      LinePlot plot{
          .log_x = logarithmic, .log_y = logarithmic, .series = {{"one", values, values, true, true}}};
      const std::string svg = svg_of(plot);
      EXPECT_EQ(svg.find("nan"), std::string::npos) << values.size();
      EXPECT_EQ(svg.find("inf"), std::string::npos) << values.size();
      EXPECT_EQ(count_of(svg, "<circle"), int(values.size()) + 1);
    }
}

TEST(line_plot, linear_ticks_are_round) {
  EXPECT_EQ(linear_ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  const auto ticks = linear_ticks(-0.013, 0.052);
  ASSERT_GE(ticks.size(), 4u);
  ASSERT_LE(ticks.size(), 9u);
  EXPECT_NEAR(ticks[0], -0.01, 1e-15);
  EXPECT_NEAR(ticks[1], 0, 1e-15);
  EXPECT_EQ(linear_ticks(3, 3), std::vector<double>{3});
}

TEST(line_plot, logarithmic_ticks_are_powers_of_ten) {
  EXPECT_EQ(logarithmic_ticks(0.005, 2000).size(), 6u);  // 0.01 to 1000
  const auto few = logarithmic_ticks(0.9, 21);
  ASSERT_EQ(few.size(), 5u);  // 1 2 5 10 20
  EXPECT_NEAR(few[1], 2, 1e-12);
  EXPECT_NEAR(few[4], 20, 1e-12);
  const auto many = logarithmic_ticks(1e-30, 1e30);
  EXPECT_LE(many.size(), 14u);
  EXPECT_GE(many.size(), 4u);
  EXPECT_GE(logarithmic_ticks(30, 50).size(), 3u);  // less than a decade
}

}  // namespace
}  // namespace dollop
