#include "io/run_plots.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace dollop {
namespace {

std::vector<std::map<std::string, double>> sample_lines(int frames) {
  std::vector<std::map<std::string, double>> lines;
  for (int k = 0; k < frames; ++k)
    lines.push_back({{"frame", k},
                     {"time", 0.1 * k},
                     {"kinetic_energy", 2.0 * k},
                     {"elastic_energy", 1},
                     {"particles", 100},
                     {"emitted", 0},
                     {"inserted", 5 * k},
                     {"momentum.x", k},
                     {"momentum.y", -k},
                     {"momentum.z", 0},
                     {"mass", 0.5},
                     {"min_J", 0.9},
                     {"max_J", 1.1},
                     {"velocity_noise", 0.1 * k},
                     {"mean_J", 1 + 0.01 * k},
                     {"max_increment", k == 0 ? 0 : 0.02},
                     {"dt_min", k == 0 ? 0 : 1e-5},
                     {"dt_max", k == 0   ? 0
                                : k == 1 ? 1e-3
                                         : 1e-4},
                     {"contact_forces.the <block>.x", k},
                     {"contact_forces.the <block>.y", 0},
                     {"contact_forces.the <block>.z", 0},
                     {"contact_forces.the <block>.torque.x", 0},
                     {"contact_forces.idle.x", 0},
                     {"contact_forces.idle.y", 0},
                     {"contact_forces.idle.z", 0}});
  return lines;
}

const RunPlot* find(const std::vector<RunPlot>& plots, const std::string& name) {
  const auto found =
      std::find_if(plots.begin(), plots.end(), [&](const RunPlot& p) { return p.name == name; });
  return found == plots.end() ? nullptr : &*found;
}

TEST(run_plots, curves_are_those_of_the_metrics) {
  const auto plots = make_run_plots(sample_lines(4), "Run");
  const RunPlot* energy = find(plots, "energy");
  ASSERT_NE(energy, nullptr);
  EXPECT_EQ(energy->plot.title, "Run: Energy");
  ASSERT_EQ(energy->plot.series.size(), 3u);
  EXPECT_EQ(energy->plot.series[0].y, (std::vector<double>{0, 2, 4, 6}));
  EXPECT_EQ(energy->plot.series[2].y, (std::vector<double>{1, 3, 5, 7}));  // the sum
  EXPECT_EQ(energy->plot.series[2].x[3], 0.1 * 3);
  EXPECT_EQ(find(plots, "momentum")->plot.series.size(), 3u);
  ASSERT_NE(find(plots, "velocity-noise"), nullptr);
  EXPECT_EQ(find(plots, "velocity-noise")->plot.series[0].y, (std::vector<double>{0, 0.1, 0.1 * 2, 0.1 * 3}));
  ASSERT_EQ(find(plots, "volume-change")->plot.series.size(), 3u);
  EXPECT_EQ(find(plots, "volume-change")->plot.series[1].y, (std::vector<double>{1, 1.01, 1.02, 1.03}));
  EXPECT_EQ(find(plots, "strain-increment")->plot.series[0].y, (std::vector<double>{0.02, 0.02, 0.02}));
}

TEST(run_plots, what_a_run_does_not_have_is_left_out) {
  const auto plots = make_run_plots(sample_lines(4), "");
  EXPECT_EQ(find(plots, "density"), nullptr);
  EXPECT_EQ(find(plots, "force-idle"), nullptr);
  EXPECT_EQ(find(plots, "particle-changes")->plot.series.size(), 1u);  // nothing was emitted
  ASSERT_NE(find(plots, "force-the--block-"), nullptr);
  EXPECT_TRUE(make_run_plots({}, "").empty());
}

TEST(run_plots, gauges_show_their_mass_and_flow) {
  auto lines = sample_lines(3);
  const std::size_t without = make_run_plots(lines, "").size();
  for (int k = 0; k < 3; ++k) {
    const auto add = [&](const std::string& name, double mass, double flow) {
      lines[std::size_t(k)]["gauges." + name + ".mass"] = mass;
      lines[std::size_t(k)]["gauges." + name + ".flow"] = flow;
      lines[std::size_t(k)]["gauges." + name + ".max_speed"] = 1;
      lines[std::size_t(k)]["gauges." + name + ".momentum.x"] = 1;
    };
    add("left_1", 3 - k, k == 0 ? 0 : -10);
    add("at-rest", 4, 0);
    add("idle", 0, 0);
  }
  const auto plots = make_run_plots(lines, "Run");
  EXPECT_EQ(plots.size(), without + 3);
  const RunPlot *mass = find(plots, "mass-left-1"), *flow = find(plots, "flow-left-1");
  ASSERT_TRUE(mass && flow);
  EXPECT_EQ(mass->plot.title, "Run: Mass in 'left_1'");
  EXPECT_EQ(mass->plot.x_label, "time [s]");
  EXPECT_EQ(mass->plot.y_label, "mass [kg]");
  ASSERT_EQ(mass->plot.series.size(), 1u);
  EXPECT_EQ(mass->plot.series[0].x, (std::vector<double>{0, 0.1, 0.2}));
  EXPECT_EQ(mass->plot.series[0].y, (std::vector<double>{3, 2, 1}));
  EXPECT_EQ(flow->plot.title, "Run: Flow into 'left_1'");
  EXPECT_EQ(flow->plot.y_label, "flow [kg/s]");
  ASSERT_EQ(flow->plot.series.size(), 1u);
  EXPECT_EQ(flow->plot.series[0].y, (std::vector<double>{0, -10, -10}));
  // what stays zero is left out
  EXPECT_NE(find(plots, "mass-at-rest"), nullptr);
  EXPECT_EQ(find(plots, "flow-at-rest"), nullptr);
  EXPECT_EQ(find(plots, "mass-idle"), nullptr);
  EXPECT_EQ(find(plots, "flow-idle"), nullptr);
}

TEST(run_plots, the_initial_state_has_no_time_step) {
  const auto plots = make_run_plots(sample_lines(4), "");
  const LinePlot& plot = find(plots, "time-step")->plot;
  ASSERT_EQ(plot.series.size(), 2u);
  EXPECT_EQ(plot.series[0].y, (std::vector<double>{1, 0.1, 0.1}));  // [ms]
  EXPECT_TRUE(plot.log_y);
}

TEST(run_plots, a_single_frame_is_shown_by_points) {
  const auto plots = make_run_plots(sample_lines(1), "");
  EXPECT_TRUE(find(plots, "energy")->plot.series[0].points);
  EXPECT_EQ(find(plots, "time-step"), nullptr);
}

TEST(run_plots, overview_holds_every_plot) {
  const auto plots = make_run_plots(sample_lines(4), "");
  const std::string svg = overview_svg(plots, "a < b");
  EXPECT_NE(svg.find(">a &lt; b</text>"), std::string::npos);
  std::size_t parts = 0;
  for (std::size_t at = svg.find("<svg x="); at != std::string::npos; at = svg.find("<svg x=", at + 1))
    ++parts;
  EXPECT_EQ(parts, plots.size());
  EXPECT_NE(svg.find("the &lt;block&gt;"), std::string::npos);
}

}  // namespace
}  // namespace dollop
