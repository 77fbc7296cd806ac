// dollop rheometer --relaxation: the stress over time after a step strain in shear.
#include <dollop/run.h>
#include <fmt/core.h>

#include <algorithm>

#include "io/json.h"
#include "io/line_plot.h"
#include "rheometer.h"
#include "solvers/rheometer/rheometer.h"

namespace dollop {
namespace {
constexpr double max_shear_step = 100;  // beyond it elastic models give meaningless numbers, slowly
}  // namespace

void show_relaxation(const RheometerArguments& a, const Material& material) {
  RelaxationOptions options;
  if (a.strain > max_shear_step)
    throw RunError(fmt::format("--strain {}: a step of shear is at most {}", a.strain, max_shear_step));
  if (a.strain > 0) options.strain = a.strain;
  options.times = range_of("--times", a.times);
  options.dt = quantity("--dt", a.dt, "s", 0);
  if (options.dt > 0 && options.times.back() / options.dt > most_flow_steps)
    throw RunError(fmt::format("--dt {}: too many steps until {} s; choose a larger step or shorter --times",
                               a.dt, options.times.back()));
  const std::vector<RelaxationPoint> points = relaxation(material, options);
  if (std::all_of(points.begin(), points.end(), [](const RelaxationPoint& p) { return p.stress == 0; }))
    refuse_without_stress(material);
  std::string csv = "time,shear_stress\n", list;
  PlotSeries series{material.name, {}, {}, true, true};
  for (const RelaxationPoint& p : points) {
    csv += json_number(p.time) + "," + json_number(p.stress) + "\n";
    list += fmt::format("{}{{\"time\":{},\"shear_stress\":{}}}", list.empty() ? "" : ",", json_number(p.time),
                        json_number(p.stress));
    series.x.push_back(p.time), series.y.push_back(p.stress);
  }
  if (a.json) {
    fmt::print("{{\"material\":{},\"model\":{},\"test\":\"relaxation\",\"strain\":{},\"points\":[{}]}}\n",
               json_string(material.name), json_string(material.model), json_number(options.strain), list);
  } else {
    fmt::print("{} ({}), sheared by {} at once, then kept\n{:>14}{:>20}\n", material.name, material.model,
               options.strain, "time [s]", "shear stress [Pa]");
    for (const RelaxationPoint& p : points) fmt::print("{:>14.6g}{:>20.6g}\n", p.time, p.stress);
  }
  if (!a.csv.empty()) write_output(a.csv, csv);
  if (!a.plot.empty())
    write_output(a.plot,
                 svg_of({.title = fmt::format("{}, sheared by {} at once", material.name, options.strain),
                         .x_label = "time [s]",
                         .y_label = "shear stress [Pa]",
                         .log_x = true,
                         .log_y = wants_logarithm(series.y),
                         .series = {series}}));
}

}  // namespace dollop
