// dollop rheometer --fit: fits measured shear rates and stresses and prints a material to paste into a scene.
#include <dollop/run.h>
#include <dollop/scene.h>
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "core/input_file.h"
#include "io/json.h"
#include "io/line_plot.h"
#include "io/measured_flow.h"
#include "io/text_encoding.h"
#include "rheometer.h"
#include "scene/document.h"
#include "solvers/rheometer/rheometer.h"

namespace dollop {
namespace {

constexpr double modulus_per_stress =
    5;  // elastic strains up to 0.2: the small-strain formulas are right within some per cent
constexpr double gravity = 9.81;      // [m/s^2]
constexpr double much_change = 0.03;  // of volume: a run warns of more

// the values of an option between commas
std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> values;
  for (std::size_t begin = 0; begin <= text.size() && !text.empty();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    values.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return values;
}

std::vector<int> numbers_of(const std::string& option, const std::string& text) {
  std::vector<int> numbers;
  for (const std::string& word : split_list(text)) {
    int number = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || stop != word.data() + word.size() || number < 1 || number > 100000)
      throw RunError(fmt::format("{} {}: '{}' is not a number from 1 on", option, text, shown(word)));
    numbers.push_back(number);
  }
  return numbers;
}

MeasuredFlowOptions options_of(const RheometerArguments& a) {
  MeasuredFlowOptions options{numbers_of("--columns", a.columns), split_list(a.units),
                              numbers_of("--table", a.tables)};
  if (!options.columns.empty() && (options.columns.size() != 2 || options.columns[0] == options.columns[1]))
    throw RunError(fmt::format(
        "--columns {}: give two numbers, the columns of the rate and of the stress or viscosity, such as 3,4",
        a.columns));
  if (!options.units.empty() && options.units.size() != 2)
    throw RunError(
        fmt::format("--units {}: give two units, that of the rate and that of the stress or viscosity, "
                    "such as 1/s,mPa",
                    a.units));
  return options;
}

MeasuredFlow read_points(const RheometerArguments& a) {
  const MeasuredFlowOptions options = options_of(a);
  constexpr std::uint64_t most_bytes = 64 << 20;  // far more than any rheometer writes
  std::string text;
  try {
    text = to_utf8(read_input_file(a.fit, most_bytes));
  } catch (const UnreadableFile& e) {
    throw SceneError(fmt::format("{}: error: the file of measured points {}", a.fit, e.what()));
  }
  try {
    return parse_measured_flow(text, options);
  } catch (const MeasuredFlowError& e) {
    if (e.line == 0) throw RunError(e.what());  // an option is to blame
    throw SceneError(show_error(a.fit, text, {e.line, e.column, e.length}, e.what()));
  }
}

// The fit, and how well the model reproduces it.
struct Measured {
  std::vector<FlowSample> samples;
  double largest_stress = 0;
  FlowFit law;   // tau_y + K rate^n
  FoamFit foam;  // the parameters of the model, with errors in steady shear
  double bulk_modulus = 0, density = 0;
  double height = 0, volume_change = 0;                         // that the bulk modulus was chosen for [m, 1]
  double weight() const { return density * gravity * height; }  // pressure at the bottom [Pa]
};

// beyond these bounds the elastic strains of valid points exceed the range of double
double modulus(const std::string& option, const std::string& written, double otherwise) {
  const double value = quantity(option, written, "Pa", otherwise);
  if (value < 1e-12 || value > 1e17)
    throw RunError(fmt::format("{} {}: must be from 1e-12 to 1e17 Pa", option, written));
  return value;
}

Measured fit(const RheometerArguments& a) {
  const MeasuredFlow flow = read_points(a);
  for (const std::string& note : flow.notes) fmt::print(stderr, "dollop: note: {}: {}\n", a.fit, note);
  Measured m;
  m.samples = flow.samples;
  for (const FlowSample& s : m.samples) m.largest_stress = std::max(m.largest_stress, s.stress);
  const double shear_modulus =
      modulus("--shear-modulus", a.shear_modulus, modulus_per_stress * m.largest_stress);
  m.density = quantity("--density", a.density, "kg/m^3", 1000);
  m.height = quantity("--height", a.height, "m", 0.1);
  m.volume_change = quantity("--volume-change", a.volume_change, "", 0.01);
  if (m.volume_change > 0.5)
    throw RunError(fmt::format("--volume-change {}: must be at most 50 %", a.volume_change));
  // pressures are of the order of the weight above, or of the stress that moves the material
  m.bulk_modulus =
      modulus("--bulk-modulus", a.bulk_modulus, std::max(m.weight(), m.largest_stress) / m.volume_change);
  m.law = fit_flow(m.samples);
  m.foam = a.exact ? fit_foam(m.samples, shear_modulus)
                   : judge(small_strain_parameters(m.law.law, shear_modulus), m.samples);
  return m;
}

// why the bulk modulus is what it is
std::string bulk_text(const Measured& m, const RheometerArguments& a) {
  if (!a.bulk_modulus.empty()) return "";
  if (m.weight() >= m.largest_stress)
    return fmt::format(", chosen: {:.3g} % of volume under the weight of {:.3g} m, density g height / K",
                       100 * m.volume_change, m.height);
  return fmt::format(
      ", chosen: {:.3g} % of volume under the largest stress, which exceeds the weight of {:.3g} m",
      100 * m.volume_change, m.height);
}

void print_block(const Measured& m, const RheometerArguments& a) {
  const auto assumed = [](const std::string& given, const char* otherwise) {
    return given.empty() ? otherwise : "";
  };
  fmt::print("# {} points of {}\n", m.samples.size(), a.fit);
  if (!a.exact)
    fmt::print("# error of tau = tau_y + consistency rate^flow_index: rms {:.2g} %, largest {:.2g} %\n",
               100 * m.law.rms_error, 100 * m.law.max_error);
  fmt::print("# error of this material in steady shear: rms {:.2g} %, largest {:.2g} %\n",
             100 * m.foam.rms_error, 100 * m.foam.max_error);
  fmt::print("[materials.measured]\nmodel = \"herschel-bulkley\"\n");
  fmt::print("density = {:.6g}  # kg/m^3{}\n", m.density, assumed(a.density, ", assumed"));
  fmt::print("shear_modulus = {:.6g}  # Pa{}\n", m.foam.foam.shear_modulus,
             assumed(a.shear_modulus, ", assumed: 5 times the largest stress"));
  fmt::print("bulk_modulus = {:.6g}  # Pa{}\n", m.bulk_modulus, bulk_text(m, a));
  const FoamParameters& foam = m.foam.foam;
  if (a.exact)
    fmt::print(
        "yield_stress = {:.6g}  # Pa\nviscosity = {:.6g}  # Pa s^power\npower = {:.6g}\n"
        "# the same as {}: its curve at small elastic strains\n",
        foam.yield_stress, foam.viscosity, foam.power, text_of(small_strain_law(foam)));
  else
    fmt::print(
        "tau_y = {:.6g}  # Pa\nconsistency = {:.6g}  # Pa s^flow_index\nflow_index = {:.6g}\n"
        "# the same as {}\n",
        m.law.law.tau_y, m.law.law.consistency, m.law.law.index, text_of(foam));
}

void print_json(const Measured& m) {
  const FlowLaw& law = m.law.law;
  const FoamParameters& foam = m.foam.foam;
  fmt::print(
      "{{\"points\":{},\"fit\":{{\"tau_y\":{},\"consistency\":{},\"flow_index\":{},\"rms_error\":{},"
      "\"max_error\":{}}},\"material\":{{\"model\":\"herschel-bulkley\",\"density\":{},\"shear_modulus\":{},"
      "\"bulk_modulus\":{},\"yield_stress\":{},\"viscosity\":{},\"power\":{},\"rms_error\":{},\"max_error\":{"
      "}}}}}\n",
      m.samples.size(), json_number(law.tau_y), json_number(law.consistency), json_number(law.index),
      json_number(m.law.rms_error), json_number(m.law.max_error), json_number(m.density),
      json_number(foam.shear_modulus), json_number(m.bulk_modulus), json_number(foam.yield_stress),
      json_number(foam.viscosity), json_number(foam.power), json_number(m.foam.rms_error),
      json_number(m.foam.max_error));
}

void warn(const Measured& m, const RheometerArguments& a) {
  const bool exact = a.exact;
  if (const double change = m.weight() / m.bulk_modulus; !a.bulk_modulus.empty() && change > much_change)
    fmt::print(stderr,
               "dollop: under the weight of {:.3g} m the material loses {:.2g} % of its volume at the "
               "bottom; a bulk "
               "modulus of {:.3g} Pa keeps that at 1 %\n",
               m.height, 100 * change, m.weight() / 0.01);
  const double ratio = m.largest_stress / m.foam.foam.shear_modulus;
  if (ratio > 1 / modulus_per_stress * (1 + 1e-9))
    fmt::print(
        stderr,
        "dollop: the largest stress is {:.2g} of the shear modulus: elastic strains change the flow curve{}; "
        "a shear modulus of {:.3g} Pa or more keeps its error small\n",
        ratio, exact ? "" : " (--exact takes them into account)", modulus_per_stress * m.largest_stress);
  if (m.law.scattered)
    fmt::print(stderr,
               "dollop: the stress scatters more than it rises with the rate: fitted as perfectly plastic, "
               "consistency = 0\n");
  if (m.law.at_bound)
    fmt::print(
        stderr,
        "dollop: flow_index is at the bound of what is fitted, 0.1 to 5: these points do not settle it\n");
  if (m.law.max_error > 0.1)
    fmt::print(
        stderr,
        "dollop: the points are up to {:.2g} % off tau_y + K rate^n: this may not be such a material\n",
        100 * m.law.max_error);
}

void plot(const Measured& m, const std::string& file) {
  PlotSeries points{"measured", {}, {}, false, true}, law{"tau_y + K rate^n", {}, {}},
      foam{"herschel-bulkley, steady shear", {}, {}, true, false, true};
  double least = 0, most = 0;
  for (const FlowSample& s : m.samples) {
    points.x.push_back(s.rate), points.y.push_back(s.stress);
    if (s.rate > 0) least = least > 0 ? std::min(least, s.rate) : s.rate;
    most = std::max(most, s.rate);
  }
  for (const double rate : logarithmic_range(least, most, 100)) {
    law.x.push_back(rate), law.y.push_back(m.law.law(rate));
    foam.x.push_back(rate), foam.y.push_back(steady_shear_stress(m.foam.foam, rate));
  }
  write_output(file, svg_of({.title = "Flow curve",
                             .x_label = "shear rate [1/s]",
                             .y_label = "shear stress [Pa]",
                             .log_x = true,
                             .log_y = wants_logarithm(points.y),
                             .series = {points, law, foam}}));
}

}  // namespace

void add_fit_options(Command command, RheometerArguments& a) {
  command.add_option("--fit", a.fit,
                     "FILE: fit measured shear rates and stresses, as rheometers export them, and print a "
                     "material to paste");
  command.add_option(
      "--columns", a.columns,
      "N,M: columns of the rate and of the stress or viscosity, from 1; default: by their names");
  command.add_option(
      "--units", a.units,
      "UNIT,UNIT: units of these columns, such as 1/s,mPa or 1/s,mPa.s; default: those of the file");
  command.add_option(
      "--table", a.tables,
      "N or N,M,...: which table or interval of the file, from 1; needed if there are several");
  command.add_option("--shear-modulus", a.shear_modulus,
                     "shear modulus of the fitted material; default: 5 times the largest stress");
  command.add_option("--bulk-modulus", a.bulk_modulus,
                     "bulk modulus of the fitted material; default: by --height and --volume-change");
  command.add_option("--height", a.height,
                     "height of the material in the scene, whose weight may compress it; default: 0.1 m");
  command.add_option("--volume-change", a.volume_change,
                     "largest change of volume under that weight, or the largest stress; default: 1 %");
  command.add_option("--density", a.density, "density of the fitted material; default: 1000 kg/m^3");
  command.add_flag("--exact", a.exact,
                   "fit without the limit of small elastic strains: yield_stress, viscosity, power");
}

void fit_measured_flow(const RheometerArguments& a) {
  const Measured m = fit(a);
  if (a.json)
    print_json(m);
  else
    print_block(m, a);
  warn(m, a);
  if (!a.plot.empty()) plot(m, a.plot);
}

}  // namespace dollop
