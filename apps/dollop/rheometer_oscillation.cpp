// dollop rheometer --oscillation: storage and loss modulus in oscillatory shear.
#include <dollop/run.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/json.h"
#include "io/line_plot.h"
#include "rheometer.h"
#include "solvers/rheometer/rheometer.h"

namespace dollop {
namespace {

constexpr double linear_harmonic =
    0.01;  // a third harmonic above this part of the first is no linear response

struct Spectrum {
  const Material& material;
  double strain = 0;  // amplitude
  std::vector<OscillationPoint> points = {};

  std::size_t unsteady() const {
    return std::size_t(std::count_if(points.begin(), points.end(), [](const auto& p) { return !p.steady; }));
  }
  double third_harmonic() const {
    double most = 0;
    for (const OscillationPoint& p : points) most = std::max(most, p.third_harmonic);
    return most;
  }
};

void print_table(const Spectrum& s) {
  fmt::print("{} ({}), oscillatory shear of amplitude {}\n{:>28}{:>24}{:>21}\n", s.material.name,
             s.material.model, s.strain, "angular frequency [rad/s]", "storage modulus [Pa]",
             "loss modulus [Pa]");
  for (const OscillationPoint& p : s.points)
    fmt::print("{:>28.6g}{:>24.6g}{:>21.6g}{}\n", p.frequency, p.storage, p.loss, p.steady ? "" : " *");
  if (s.unsteady() > 0)
    fmt::print(
        "at {} of {} frequencies (marked *) the response did not become periodic, the last period is shown; "
        "the material hardens, or relaxes by a power law\n",
        s.unsteady(), s.points.size());
  if (s.third_harmonic() > linear_harmonic)
    fmt::print(
        "the response is not linear, its third harmonic reaches {:.2g} % of the first: the moduli are those "
        "of the first harmonic and depend on --strain\n",
        100 * s.third_harmonic());
}

void print_json(const Spectrum& s) {
  std::string list;
  for (const OscillationPoint& p : s.points)
    list += fmt::format(
        "{}{{\"angular_frequency\":{},\"storage_modulus\":{},\"loss_modulus\":{},\"third_harmonic\":{},"
        "\"steady\":{}}}",
        list.empty() ? "" : ",", json_number(p.frequency), json_number(p.storage), json_number(p.loss),
        json_number(p.third_harmonic), p.steady);
  fmt::print("{{\"material\":{},\"model\":{},\"test\":\"oscillation\",\"strain\":{},\"points\":[{}]}}\n",
             json_string(s.material.name), json_string(s.material.model), json_number(s.strain), list);
}

// steady points only: readers of the file could not tell unsteady ones apart
void write_csv(const Spectrum& s, const std::string& file) {
  std::string text = "angular_frequency,storage_modulus,loss_modulus\n";
  for (const OscillationPoint& p : s.points)
    if (p.steady)
      text += json_number(p.frequency) + "," + json_number(p.storage) + "," + json_number(p.loss) + "\n";
  write_output(file, text);
  if (s.unsteady() > 0)
    fmt::print(stderr,
               "dollop: {} leaves out {} of {} frequencies, at which the response did not become periodic\n",
               file, s.unsteady(), s.points.size());
}

// a modulus that is rounding alone would stretch the logarithmic axis
double shown_modulus(double modulus, const OscillationPoint& p) {
  return modulus > 1e-9 * std::hypot(p.storage, p.loss) ? modulus : std::nan("");
}

void plot(const Spectrum& s, const std::string& file) {
  PlotSeries storage{"storage modulus", {}, {}, true, true}, loss{"loss modulus", {}, {}, true, true};
  loss.dashed = true;
  for (const OscillationPoint& p : s.points) {
    storage.x.push_back(p.frequency), storage.y.push_back(shown_modulus(p.storage, p));
    loss.x.push_back(p.frequency), loss.y.push_back(shown_modulus(p.loss, p));
  }
  write_output(file, svg_of({.title = fmt::format("{}, shear of amplitude {}", s.material.name, s.strain),
                             .x_label = "angular frequency [rad/s]",
                             .y_label = "modulus [Pa]",
                             .log_x = true,
                             .log_y = true,
                             .series = {storage, loss}}));
}

// a period must have some steps, and two periods not too many
void check_step(const RheometerArguments& a, double dt, const std::vector<double>& frequencies) {
  if (dt == 0) return;
  if (const double fast = frequencies.back(); 2 * std::numbers::pi / fast < fewest_period_steps * dt)
    throw RunError(
        fmt::format("--dt {}: a period at {} rad/s has fewer than {} such steps; choose a smaller "
                    "step or lower frequencies",
                    a.dt, fast, fewest_period_steps));
  if (const double slow = frequencies.front(); 4 * std::numbers::pi / slow > most_flow_steps * dt)
    throw RunError(
        fmt::format("--dt {}: too many steps in a period at {} rad/s; choose a larger step or "
                    "higher frequencies",
                    a.dt, slow));
}

}  // namespace

void show_oscillation(const RheometerArguments& a, const Material& material) {
  OscillationOptions options;
  if (a.strain > max_shear_step)
    throw RunError(fmt::format("--strain {}: the amplitude is at most {}", a.strain, max_shear_step));
  if (a.strain > 0) options.strain = a.strain;
  const std::vector<double> frequencies = range_of("--oscillation", *a.oscillation);
  options.dt = step_option(a, material);
  check_step(a, options.dt, frequencies);
  if (const double slow = frequencies.front();
      2 * std::numbers::pi / slow > most_flow_steps / 10 * longest_step(material))
    throw RunError(fmt::format(
        "--oscillation {}: a period at {} rad/s takes too many steps of the {} s that {} bears; choose "
        "higher frequencies",
        *a.oscillation, slow, longest_step(material), material.name));
  Spectrum spectrum{material, options.strain};
  PatienceLine patience;
  for (const double frequency : frequencies) {
    patience.show(spectrum.points.size(), frequencies.size(), "frequencies");
    spectrum.points.push_back(oscillation(material, frequency, options));
  }
  const double none = rounding_stress(material);
  if (std::all_of(spectrum.points.begin(), spectrum.points.end(),
                  [&](const OscillationPoint& p) { return std::hypot(p.storage, p.loss) <= none; }))
    refuse_without_stress(material);
  if (a.json)
    print_json(spectrum);
  else
    print_table(spectrum);
  if (!a.csv.empty()) write_csv(spectrum, a.csv);
  if (!a.plot.empty()) plot(spectrum, a.plot);
}

}  // namespace dollop
