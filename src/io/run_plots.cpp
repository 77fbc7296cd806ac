#include "io/run_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "io/xml.h"

namespace dollop {

namespace {

using Lines = std::vector<std::map<std::string, double>>;

// A number of each line, where it has it; gaps are not a number.
std::vector<double> column(const Lines& lines, const std::string& name, double scale = 1) {
  std::vector<double> values;
  for (const auto& line : lines) {
    const auto found = line.find(name);
    values.push_back(found == line.end() ? std::numeric_limits<double>::quiet_NaN() : scale * found->second);
  }
  return values;
}

bool any_finite(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}
bool any_nonzero(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double v) { return std::isfinite(v) && v != 0; });
}

// A curve of a plot: the metric, and what the legend calls it.
struct Curve {
  const char* metric;
  const char* label;
  double scale = 1;
  bool only_if_nonzero = false;
  bool dashed = false;
};

struct Panel {
  const char* name;
  const char* title;
  const char* y_label;
  std::vector<Curve> curves;
  bool of_steps = false;  // the initial state has no steps: left out
};

const std::vector<Panel>& panels() {
  static const std::vector<Panel> all = {
      {"energy",
       "Energy",
       "energy [J]",
       {{"kinetic_energy", "kinetic"},
        {"elastic_energy", "elastic"},
        {"total_energy", "sum", 1, false, true}}},
      {"momentum",
       "Momentum",
       "momentum [kg m/s]",
       {{"momentum.x", "x"}, {"momentum.y", "y"}, {"momentum.z", "z"}}},
      {"angular-momentum",
       "Angular momentum about the origin",
       "angular momentum [kg m\u00b2/s]",
       {{"angular_momentum.x", "x"}, {"angular_momentum.y", "y"}, {"angular_momentum.z", "z"}}},
      {"mass", "Mass", "mass [kg]", {{"mass", "in the scene"}, {"removed_mass", "removed", 1, true}}},
      {"particles",
       "Particles",
       "number of particles",
       {{"particles", "in the scene"}, {"weak", "torn", 1, true}}},
      {"particle-changes",
       "Particles that came and went",
       "number since the start",
       {{"emitted", "emitted", 1, true},
        {"inserted", "inserted", 1, true},
        {"merged", "merged", 1, true},
        {"removed", "removed", 1, true}}},
      {"position",
       "Height",
       "y [m]",
       {{"bounds_max.y", "highest particle"},
        {"center_of_mass.y", "centre of mass"},
        {"bounds_min.y", "lowest particle"}}},
      {"speed", "Largest speed", "speed [m/s]", {{"max_speed", "fastest particle"}}},
      {"velocity-noise", "Velocity noise within two cells", "velocity [m/s]", {{"velocity_noise", "rms"}}},
      {"volume-change",
       "Volume change J",
       "J [-]",
       {{"max_J", "largest"}, {"mean_J", "of all material"}, {"min_J", "smallest"}}},
      {"density",
       "Density inside the body",
       "density [kg/m\u00b3]",
       {{"density_max", "largest"}, {"density_mean", "mean"}, {"density_min", "smallest"}}},
      {"time-step",
       "Time step",
       "dt [ms]",
       {{"dt_max", "largest", 1e3}, {"dt_min", "smallest", 1e3, false, true}},
       true},
      {"strain-increment",
       "Largest strain in a step",
       "dt |grad v| [-]",
       {{"max_increment", "largest"}},
       true},
      {"performance",
       "Speed of the run",
       "million particle steps a second",
       {{"particle_steps_per_s", "particle steps", 1e-6}},
       true},
      {"wall-time", "Time that a frame took", "wall time [s]", {{"wall_s", "a frame"}}, true},
  };
  return all;
}

std::string title_of(const std::string& run, const std::string& plot) {
  return run.empty() ? plot : fmt::format("{}: {}", run, plot);
}

// long runs of steps differ by orders of magnitude where material is slow at first and fast later
bool needs_logarithm(const std::vector<PlotSeries>& series) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const PlotSeries& s : series)
    for (const double y : s.y)
      if (std::isfinite(y)) low = std::min(low, y), high = std::max(high, y);
  return low > 0 && high > 20 * low;
}

LinePlot plot_of(const Panel& panel, const Lines& lines, const std::string& run) {
  LinePlot plot;
  plot.title = title_of(run, panel.title);
  plot.x_label = "time [s]";
  plot.y_label = panel.y_label;
  const Lines used(lines.begin() + (panel.of_steps && !lines.empty() ? 1 : 0), lines.end());
  for (const Curve& curve : panel.curves) {
    PlotSeries series;
    series.label = curve.label;
    series.x = column(used, "time");
    series.y = column(used, curve.metric, curve.scale);
    series.dashed = curve.dashed;
    series.points = used.size() == 1;  // a line needs two
    if (curve.only_if_nonzero ? any_nonzero(series.y) : any_finite(series.y))
      plot.series.push_back(std::move(series));
  }
  if (panel.of_steps) plot.log_y = needs_logarithm(plot.series);
  // where it is the only one, the title says what the main curve is
  if (plot.series.size() == 1 && plot.series[0].label == panel.curves[0].label &&
      !panel.curves[0].only_if_nonzero)
    plot.series[0].label.clear();
  return plot;
}

// the names of colliders that report a force: "contact_forces.NAME.x"
std::set<std::string> collider_names(const Lines& lines) {
  const std::string start = "contact_forces.", end = ".x", torque = ".torque";
  std::set<std::string> names;
  for (const auto& line : lines)
    for (auto it = line.lower_bound(start); it != line.end() && it->first.starts_with(start); ++it)
      if (it->first.ends_with(end)) {
        const std::string name = it->first.substr(start.size(), it->first.size() - start.size() - end.size());
        if (!name.ends_with(torque)) names.insert(name);
      }
  return names;
}

// part of a file's name, made of that of a collider or a gauge
std::string file_word(const std::string& name) {
  std::string word;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    word += plain ? c : '-';
  }
  return word;
}

void add_forces(const Lines& lines, const std::string& run, std::vector<RunPlot>& plots) {
  for (const std::string& name : collider_names(lines)) {
    LinePlot plot;
    plot.title = title_of(run, fmt::format("Force on '{}'", name));
    plot.x_label = "time [s]";
    plot.y_label = "force [N]";
    bool felt = false;
    for (const char* axis : {"x", "y", "z"}) {
      const std::vector<double> values = column(lines, fmt::format("contact_forces.{}.{}", name, axis));
      felt = felt || any_nonzero(values);
      plot.series.push_back({axis, column(lines, "time"), values});
    }
    if (felt) plots.push_back({"force-" + file_word(name), plot});
  }
}

// the names of gauges: "gauges.NAME.flow"
std::set<std::string> gauge_names(const Lines& lines) {
  const std::string start = "gauges.", end = ".flow";
  std::set<std::string> names;
  for (const auto& line : lines)
    for (auto it = line.lower_bound(start); it != line.end() && it->first.starts_with(start); ++it)
      if (it->first.ends_with(end))
        names.insert(it->first.substr(start.size(), it->first.size() - start.size() - end.size()));
  return names;
}

void add_gauges(const Lines& lines, const std::string& run, std::vector<RunPlot>& plots) {
  for (const std::string& name : gauge_names(lines)) {
    const auto add = [&](const char* metric, const char* title, const char* label) {
      const std::vector<double> values = column(lines, fmt::format("gauges.{}.{}", name, metric));
      if (!any_nonzero(values)) return;
      LinePlot plot;
      plot.title = title_of(run, fmt::format("{} '{}'", title, name));
      plot.x_label = "time [s]";
      plot.y_label = label;
      plot.series.push_back({"", column(lines, "time"), values});
      plots.push_back({fmt::format("{}-{}", metric, file_word(name)), plot});
    };
    add("mass", "Mass in", "mass [kg]");
    add("flow", "Flow into", "flow [kg/s]");
  }
}

}  // namespace

std::vector<RunPlot> make_run_plots(const Lines& lines, const std::string& title) {
  Lines full = lines;
  for (auto& line : full)
    if (line.contains("kinetic_energy") && line.contains("elastic_energy"))
      line["total_energy"] = line["kinetic_energy"] + line["elastic_energy"];
  std::vector<RunPlot> plots;
  for (const Panel& panel : panels())
    if (LinePlot plot = plot_of(panel, full, title); !plot.series.empty())
      plots.push_back({panel.name, std::move(plot)});
  add_forces(full, title, plots);
  add_gauges(full, title, plots);
  return plots;
}

std::string overview_svg(const std::vector<RunPlot>& plots, const std::string& title) {
  constexpr int columns = 3, width = 480, height = 320, top = 48;
  const int rows = (int(plots.size()) + columns - 1) / columns;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      columns * width, top + rows * height);
  out += fmt::format(
      "<text x=\"{}\" y=\"32\" text-anchor=\"middle\" font-family=\"sans-serif\" font-size=\"20\" "
      "fill=\"#222222\">{}</text>\n",
      columns * width / 2, escape_xml(title));
  int index = 0;
  for (RunPlot panel : plots) {
    panel.plot.width = width, panel.plot.height = height;
    const std::string svg = svg_of(panel.plot), start = "<svg ";
    out += fmt::format("<svg x=\"{}\" y=\"{}\" {}", index % columns * width, top + index / columns * height,
                       svg.substr(start.size()));
    ++index;
  }
  return out + "</svg>\n";
}

}  // namespace dollop
