// dollop rheometer --startup and --relaxation: the stress over time in shear.
#include <dollop/run.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "io/json.h"
#include "io/line_plot.h"
#include "rheometer.h"
#include "solvers/rheometer/rheometer.h"

namespace dollop {
namespace {

constexpr double max_startup_strain = 1e4;  // some seconds of computing time

// A test and what was measured.
struct History {
  const Material& material;
  std::string test;        // "startup"
  std::string condition;   // its name and value in JSON
  std::string title;       // "sheared by 1 at once"
  bool from_rest = false;  // the stress grows from zero
  double no_stress = 0;    // up to it [Pa]
  std::vector<StressAtTime> points = {};
};

void print_json(const History& h) {
  std::string list;
  for (const StressAtTime& p : h.points)
    list += fmt::format("{}{{\"time\":{},\"shear_stress\":{},\"first_normal_stress\":{}}}",
                        list.empty() ? "" : ",", json_number(p.time), json_number(p.stress),
                        json_number(p.normal_difference));
  fmt::print("{{\"material\":{},\"model\":{},\"test\":\"{}\",{},\"points\":[{}]}}\n",
             json_string(h.material.name), json_string(h.material.model), h.test, h.condition, list);
}

void print_table(const History& h) {
  fmt::print("{} ({}), {}\n{:>14}{:>20}{:>26}\n", h.material.name, h.material.model, h.title, "time [s]",
             "shear stress [Pa]", "first normal stress [Pa]");
  for (const StressAtTime& p : h.points)
    fmt::print("{:>14.6g}{:>20.6g}{:>26.6g}\n", p.time, p.stress, p.normal_difference);
}

void write_csv(const History& h, const std::string& file) {
  std::string text = "time,shear_stress,first_normal_stress\n";
  for (const StressAtTime& p : h.points)
    text += json_number(p.time) + "," + json_number(p.stress) + "," + json_number(p.normal_difference) + "\n";
  write_output(file, text);
}

// the stress of a start-up on a linear axis, which shows an overshoot
void plot(const History& h, const std::string& file) {
  PlotSeries shear{"shear stress", {}, {}, true, true}, normal{"first normal stress", {}, {}, true};
  normal.dashed = true;
  for (const StressAtTime& p : h.points) {
    shear.x.push_back(p.time), shear.y.push_back(p.stress);
    normal.x.push_back(p.time), normal.y.push_back(p.normal_difference);
  }
  write_output(file, svg_of({.title = h.material.name + ", " + h.title,
                             .x_label = "time [s]",
                             .y_label = "stress [Pa]",
                             .log_x = true,
                             .log_y = !h.from_rest && wants_logarithm(shear.y),
                             .series = {shear, normal}}));
}

void show(const History& h, const RheometerArguments& a) {
  if (std::all_of(h.points.begin(), h.points.end(),
                  [&](const StressAtTime& p) { return std::fabs(p.stress) <= h.no_stress; }))
    refuse_without_stress(h.material);
  for (const StressAtTime& p : h.points)
    if (!std::isfinite(p.stress) || !std::isfinite(p.normal_difference))
      throw RunError(fmt::format(
          "--times: at {:.3g} s the stress is beyond what a number can hold; end earlier", p.time));
  if (a.json)
    print_json(h);
  else
    print_table(h);
  if (!a.csv.empty()) write_csv(h, a.csv);
  if (!a.plot.empty()) plot(h, a.plot);
}

double time_step_of(const RheometerArguments& a, const Material& material, const std::vector<double>& times) {
  const double dt = step_option(a, material), longest = longest_step(material);
  if (dt == 0 && times.back() > most_flow_steps * longest)
    throw RunError(fmt::format("--times {}: too many steps of the {} s that {} bears; choose shorter times",
                               a.times, longest, material.name));
  if (dt > 0 && times.back() / dt > most_flow_steps)
    throw RunError(fmt::format("--dt {}: too many steps until {} s; choose a larger step or shorter --times",
                               a.dt, times.back()));
  return dt;
}

}  // namespace

void show_startup(const RheometerArguments& a, const Material& material) {
  StartupOptions options;
  if (a.startup->empty()) throw RunError("--startup: give a shear rate, such as 0.5 or \"30 1/min\"");
  options.rate = quantity("--startup", *a.startup, "1/s", 0);
  options.times = range_of("--times", a.times);
  options.dt = time_step_of(a, material, options.times);
  const double strain = options.rate * options.times.back();
  if (!(strain <= max_startup_strain))
    throw RunError(
        fmt::format("--startup {}: until {} s the material is sheared by {:.3g}, more than {}; choose "
                    "shorter --times or a lower rate",
                    *a.startup, options.times.back(), strain, max_startup_strain));
  History history{.material = material,
                  .test = "startup",
                  .condition = "\"shear_rate\":" + json_number(options.rate),
                  .title = fmt::format("sheared at {} 1/s from rest", options.rate),
                  .from_rest = true,
                  .no_stress = rounding_stress(material)};
  history.points = startup(material, options);
  show(history, a);
}

void show_relaxation(const RheometerArguments& a, const Material& material) {
  RelaxationOptions options;
  if (a.strain > max_shear_step)
    throw RunError(fmt::format("--strain {}: a step of shear is at most {}", a.strain, max_shear_step));
  if (a.strain > 0) options.strain = a.strain;
  options.times = range_of("--times", a.times);
  options.dt = time_step_of(a, material, options.times);
  History history{.material = material,
                  .test = "relaxation",
                  .condition = "\"strain\":" + json_number(options.strain),
                  .title = fmt::format("sheared by {} at once, then held", options.strain)};
  history.points = relaxation(material, options);
  show(history, a);
}

}  // namespace dollop
