// dollop rheometer: computes the flow curve of a material by deforming one material point.
#include "rheometer.h"

#include <dollop/run.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>

#include "commands.h"
#include "io/atomic_file.h"
#include "io/json.h"
#include "io/line_plot.h"
#include "materials/registry.h"
#include "scene/document.h"
#include "scene/read_scene.h"
#include "scene/units.h"
#include "solvers/rheometer/flow_fit.h"
#include "solvers/rheometer/rheometer.h"

namespace dollop {

double quantity(const std::string& option, const std::string& written, const std::string& unit,
                double otherwise) {
  if (written.empty()) return otherwise;
  double value = 0;
  if (const std::string fault = parse_quantity(written, unit, value); !fault.empty())
    throw RunError(fmt::format("{} {}: {}", option, written, fault));
  if (!(value > 0) || !std::isfinite(value))
    throw RunError(fmt::format("{} {}: must be positive", option, written));
  return value;
}

void write_output(const std::string& file, const std::string& text) {
  try {
    write_file(file, text);
  } catch (const OutputError& e) {
    throw RunError(e.what());
  }
}

bool wants_logarithm(const std::vector<double>& values) {
  if (values.empty()) return false;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *least > 0 && *most > 5 * *least;
}

std::string text_of(const FoamParameters& foam) {
  return fmt::format("yield_stress {:.6g} Pa, viscosity {:.6g} Pa s^n, power {:.6g}", foam.yield_stress,
                     foam.viscosity, foam.power);
}
std::string text_of(const FlowLaw& law) {
  return fmt::format("tau_y {:.6g} Pa, consistency {:.6g} Pa s^n, flow_index {:.6g}", law.tau_y,
                     law.consistency, law.index);
}

std::vector<double> range_of(const std::string& option, const std::string& written) {
  const auto fail = [&](const std::string& what) {
    throw RunError(
        fmt::format("{} {}: {}; write FROM:TO:COUNT, such as 0.01:100:20, or values between commas", option,
                    written, what));
  };
  const char separator = written.find(':') != std::string::npos ? ':' : ',';
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= written.size();) {
    const std::size_t end = std::min(written.find(separator, begin), written.size());
    double value = 0;
    const std::string number = written.substr(begin, end - begin);
    if (!parse_quantity(number, "", value).empty() || !(value > 0) || value > 1e30)
      fail(fmt::format("'{}' is not a number above 0 and up to 1e30", number));
    numbers.push_back(value);
    begin = end + 1;
  }
  if (separator == ',') {
    for (std::size_t i = 1; i < numbers.size(); ++i)
      if (numbers[i] <= numbers[i - 1]) fail("the values must increase");
    return numbers;
  }
  if (numbers.size() != 3) fail("there must be three numbers");
  if (numbers[1] <= numbers[0]) fail("the second number must be above the first");
  if (numbers[2] < 2 || numbers[2] > 10000 || numbers[2] != std::floor(numbers[2]))
    fail("the count must be a whole number from 2 to 10000");
  return logarithmic_range(numbers[0], numbers[1], int(numbers[2]));
}

void refuse_without_stress(const Material& material) {
  const ModelInfo& model = models()[std::size_t(find_model(material.model))];
  const bool rubs = std::any_of(model.parameters.begin(), model.parameters.end(),
                                [](const ParameterInfo& p) { return p.name == "friction_angle"; });
  throw RunError(
      fmt::format("{} ({}) shows no stress: {}", material.name, material.model,
                  rubs ? "the test has no pressure, without which a material without cohesion has no strength"
                       : "it flows without resistance; give it a yield_stress or a viscosity"));
}

namespace {

// overrides of the scene: keys without a table belong to the material
std::vector<std::string> overrides_of(const RheometerArguments& a, const std::string& material) {
  std::vector<std::string> overrides;
  for (const std::string& name : a.variants) overrides.push_back("variant=" + name);
  for (const std::string& given : a.set) {
    const std::string key = given.substr(0, given.find('='));
    const bool whole = key.size() == given.size() || key.find_first_of(".[") != std::string::npos;
    if (!whole && material.empty()) continue;
    overrides.push_back(whole ? given : fmt::format("materials.{}.{}", material, given));
  }
  return overrides;
}

std::string only_name(const std::vector<Material>& materials, const RheometerArguments& a) {
  std::vector<std::string> names;
  for (const Material& m : materials) names.push_back(m.name);
  if (a.material.empty() && names.size() == 1) return names[0];
  if (names.empty()) throw RunError(a.source + " has no materials");
  if (a.material.empty())
    throw RunError(
        fmt::format("{} has several materials; say which by --material: {}", a.source, listed(names)));
  if (std::find(names.begin(), names.end(), a.material) != names.end()) return a.material;
  const std::string near = nearest_name(a.material, names);
  throw RunError(fmt::format("--material {}: {} has no such material; {}", a.material, a.source,
                             near.empty() ? "there is " + listed(names) : "did you mean '" + near + "'?"));
}

// a scene with only a material, so that --set is parsed and checked as in scenes
Material material_of_name(const RheometerArguments& a, const char* kind) {
  if (!a.material.empty()) throw RunError("--material is for scene files; " + a.source + " is one material");
  if (!a.variants.empty()) throw RunError("--variant is for scene files; " + a.source + " is one material");
  const std::string text = fmt::format(
      "[simulation]\nduration = 1\ncell_size = 1\n[materials.{0}]\n{1} = \"{0}\"\n", a.source, kind);
  return parse_scene(text, a.source, overrides_of(a, a.source)).scene.materials.at(0);
}

Material material_of(const RheometerArguments& a) {
  if (find_preset(a.source).preset) return material_of_name(a, "preset");
  if (find_model(a.source) >= 0) return material_of_name(a, "model");
  if (!std::filesystem::exists(a.source) && a.source.find_first_of("./") == std::string::npos) {
    std::vector<std::string> known = model_names();
    for (const std::string& name : preset_names()) known.push_back(name);
    const std::string hint = did_you_mean(a.source, known);
    throw RunError(fmt::format("'{}' is neither a scene file, nor a preset, nor a model{}", a.source,
                               hint.empty() ? "; see `dollop materials`" : hint));
  }
  const std::string name = only_name(read_materials(a.source, overrides_of(a, {})), a);
  for (const Material& m : read_materials(a.source, overrides_of(a, name)))
    if (m.name == name) return m;
  throw RunError(a.source + " has no material " + name);
}

// A flow curve with its fit.
struct Curve {
  Material material;
  Flow flow = Flow::shear;
  std::optional<FoamParameters> foam = {};  // of a herschel-bulkley material
  std::vector<RheometerPoint> points = {};
  std::optional<FlowFit> fit = {};  // of the stress over the rate
  std::size_t fitted = 0;           // points, from the slowest on
  int unsteady = 0, out_of_time = 0;
};

std::optional<FoamParameters> foam_of(const Material& material) {
  if (material.model != "herschel-bulkley") return {};
  const ModelInfo& model = models()[std::size_t(find_model(material.model))];
  const std::vector<double> values = resolve_parameters(model, material.parameters);
  const auto value = [&](const char* name) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (model.parameters[i].name == name) return values[i];
    return 0.0;
  };
  return FoamParameters{value("young_modulus") / (2 * (1 + value("poisson_ratio"))), value("yield_stress"),
                        value("viscosity"), value("power")};
}

constexpr double max_fit_error = 0.05;         // of a fit, relative
constexpr double min_distorting_strain = 0.1;  // elastic strains above this lower the stress by some per cent
constexpr std::size_t min_slow_rates = 5;  // at least so many slower rates are needed for a fit of their own

// in steady shear of foam: N1 = 2 strain tau                                                          (HB.11)
double elastic_strain(const RheometerPoint& p) { return p.normal_difference / (2 * p.stress); }

// Elastic strains lower the stress of fast shear: if no law fits all rates, it is fitted to the slow rates without this
// effect, if there are enough of them.
void fit(Curve& curve) {
  std::vector<FlowSample> samples, slow;
  bool still_slow = true;
  for (const RheometerPoint& p : curve.points) {
    if (!(p.stress > 0)) return;
    samples.push_back({p.rate, p.stress});
    still_slow = still_slow && elastic_strain(p) < min_distorting_strain;
    if (still_slow) slow.push_back(samples.back());
  }
  if (curve.unsteady > 0 || samples.size() < 3) return;
  curve.fit = fit_flow(samples), curve.fitted = samples.size();
  if (curve.flow == Flow::shear && curve.fit->max_error > max_fit_error && slow.size() >= min_slow_rates)
    curve.fit = fit_flow(slow), curve.fitted = slow.size();
}

// --dt must reach a steady flow, or --strain or --time, in an acceptable number of steps
void check_step(const RheometerArguments& a, const FlowOptions& options, double slowest) {
  if (options.dt == 0) return;
  double strain = std::min(2.0, options.max_time * slowest);  // hardly any flow is steady before
  if (options.max_strain > 0) strain = std::min(strain, options.max_strain);
  if (const double steps = strain / (slowest * options.dt); steps > most_flow_steps * (1 + 1e-9))
    throw RunError(fmt::format(
        "--dt {}: at the rate {} a strain of {:.3g} takes {:.2g} steps, more than {:.2g}; choose a "
        "larger step or faster --rates",
        a.dt, slowest, strain, steps, most_flow_steps));
}

// shows the progress of a long test
class PatienceLine {
 public:
  void show(std::size_t done, std::size_t count) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::seconds(5)) return;
    fmt::print(stderr, "dollop: {} of {} rates\n", done, count);
    last_ = now;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

Curve measure(const RheometerArguments& a, const Material& material) {
  Curve curve{
      .material = material, .flow = a.uniaxial ? Flow::extension : Flow::shear, .foam = foam_of(material)};
  FlowOptions options;
  options.dt = quantity("--dt", a.dt, "s", 0);
  options.max_strain = a.strain;
  options.max_time = quantity("--time", a.time, "s", options.max_time);
  const std::vector<double> rates = range_of("--rates", a.rates);
  check_step(a, options, rates.front());
  PatienceLine patience;
  for (const double rate : rates) {
    patience.show(curve.points.size(), rates.size());
    curve.points.push_back(steady_flow(material, curve.flow, rate, options));
    curve.unsteady += !curve.points.back().steady;
    curve.out_of_time += curve.points.back().out_of_time;
  }
  if (std::all_of(curve.points.begin(), curve.points.end(),
                  [](const RheometerPoint& p) { return p.stress == 0; }))
    refuse_without_stress(material);
  fit(curve);
  return curve;
}

// the law of extension equivalent to a law of shear                                                          (HB.9)
FlowLaw extension_law(FlowLaw law) {
  law.tau_y *= std::sqrt(3.0);
  law.consistency *= std::pow(3.0, (1 + law.index) / 2);
  return law;
}

// the law of shear equivalent to a fitted curve of extension                                              (HB.9)
FlowLaw shear_law(const Curve& curve) {
  FlowLaw law = curve.fit->law;
  if (curve.flow == Flow::shear) return law;
  law.tau_y /= std::sqrt(3.0);
  law.consistency /= std::pow(3.0, (1 + law.index) / 2);
  return law;
}

std::string fit_text(const Curve& curve) {
  if (!curve.fit && curve.unsteady > 0)
    return fmt::format(
        "no fit: at {} of {} rates (marked *) the stress did not become steady, the last one is shown; the "
        "material is elastic, or hardens, or needs a larger {}\n",
        curve.unsteady, curve.points.size(),
        curve.out_of_time == 0                ? "--strain"
        : curve.out_of_time == curve.unsteady ? "--time"
                                              : "--time or --strain");
  if (!curve.fit) return "no fit: it needs at least 3 rates, and stresses above 0\n";
  const FlowLaw law = shear_law(curve);
  std::string text =
      fmt::format("fit        {}{}\n           the same as {}\n", text_of(law),
                  law.consistency == 0 ? " (of no meaning: the stress does not depend on the rate)" : "",
                  text_of(small_strain_parameters(law, 0)));
  text += fmt::format("fit error  rms {:.2g} %, largest {:.2g} %{}\n", 100 * curve.fit->rms_error,
                      100 * curve.fit->max_error,
                      curve.fit->max_error > max_fit_error ? ": this is no curve tau_y + K rate^n" : "");
  if (curve.fitted < curve.points.size())
    text += fmt::format(
        "the fit is that of {} of {} rates, up to {:.3g}: faster flow is no curve tau_y + K rate^n\n",
        curve.fitted, curve.points.size(), curve.points[curve.fitted - 1].rate);
  double strain = 0;
  for (const RheometerPoint& p : curve.points) strain = std::max(strain, elastic_strain(p));
  if (curve.flow != Flow::shear || strain <= 0.2) return text;
  const RheometerPoint& last = curve.points.back();
  const std::string to = curve.foam
                             ? fmt::format(", at {:.3g} 1/s to {:.2g} of the material's tau_y + K rate^n",
                                           last.rate, last.stress / small_strain_law(*curve.foam)(last.rate))
                             : "";
  text += fmt::format(
      "elastic strains reach {:.2g} and lower the stress of fast flow{}; a larger shear modulus would mend "
      "that\n",
      strain, to);
  return text;
}

void print_table(const Curve& curve) {
  const bool shear = curve.flow == Flow::shear;
  fmt::print("{} ({}), {}\n", curve.material.name, curve.material.model,
             shear ? "steady simple shear" : "steady uniaxial extension at constant volume");
  if (shear)
    fmt::print("{:>18}{:>20}{:>26}\n", "shear rate [1/s]", "shear stress [Pa]", "first normal stress [Pa]");
  else
    fmt::print("{:>22}{:>24}\n", "extension rate [1/s]", "stress difference [Pa]");
  for (const RheometerPoint& p : curve.points) {
    const char* mark = p.steady ? "" : " *";
    if (shear)
      fmt::print("{:>18.6g}{:>20.6g}{:>26.6g}{}\n", p.rate, p.stress, p.normal_difference, mark);
    else
      fmt::print("{:>22.6g}{:>24.6g}{}\n", p.rate, p.stress, mark);
  }
  if (curve.foam)
    fmt::print("material   {}\n           the same as {}\n", text_of(*curve.foam),
               text_of(small_strain_law(*curve.foam)));
  fmt::print("{}", fit_text(curve));
}

std::string json_members(const FlowLaw& law, const FoamParameters& foam) {
  return fmt::format(
      "\"tau_y\":{},\"consistency\":{},\"flow_index\":{},\"yield_stress\":{},\"viscosity\":{},\"power\":{}",
      json_number(law.tau_y), json_number(law.consistency), json_number(law.index),
      json_number(foam.yield_stress), json_number(foam.viscosity), json_number(foam.power));
}

void print_json(const Curve& curve) {
  const bool shear = curve.flow == Flow::shear;
  std::string points, fit = "null", parameters = "null";
  for (const RheometerPoint& p : curve.points) {
    points += fmt::format("{}{{\"{}\":{},\"{}\":{}", points.empty() ? "" : ",",
                          shear ? "shear_rate" : "extension_rate", json_number(p.rate),
                          shear ? "shear_stress" : "stress_difference", json_number(p.stress));
    if (shear) points += fmt::format(",\"first_normal_stress\":{}", json_number(p.normal_difference));
    points += fmt::format(",\"strain\":{},\"steady\":{}}}", json_number(p.strain), p.steady);
  }
  if (curve.fit) {
    const FlowLaw law = shear_law(curve);
    fit = fmt::format("{{{},\"points\":{},\"rms_error\":{},\"max_error\":{}}}",
                      json_members(law, small_strain_parameters(law, 0)), curve.fitted,
                      json_number(curve.fit->rms_error), json_number(curve.fit->max_error));
  }
  if (curve.foam)
    parameters = fmt::format("{{{}}}", json_members(small_strain_law(*curve.foam), *curve.foam));
  fmt::print(
      "{{\"material\":{},\"model\":{},\"parameters\":{},\"test\":\"{}\",\"points\":[{}],\"fit\":{}}}\n",
      json_string(curve.material.name), json_string(curve.material.model), parameters,
      shear ? "shear" : "uniaxial", points, fit);
}

// steady points only: readers of the file could not tell unsteady ones apart
void write_csv(const Curve& curve, const std::string& file) {
  const bool shear = curve.flow == Flow::shear;
  std::string text =
      shear ? "shear_rate,shear_stress,first_normal_stress\n" : "extension_rate,stress_difference\n";
  for (const RheometerPoint& p : curve.points) {
    if (!p.steady) continue;
    text += json_number(p.rate) + "," + json_number(p.stress);
    text += shear ? "," + json_number(p.normal_difference) + "\n" : "\n";
  }
  write_output(file, text);
  if (curve.unsteady > 0)
    fmt::print(stderr, "dollop: {} leaves out {} of {} rates, at which the stress did not become steady\n",
               file, curve.unsteady, curve.points.size());
}

void plot(const Curve& curve, const std::string& file) {
  const bool shear = curve.flow == Flow::shear;
  PlotSeries found{curve.material.name, {}, {}, !curve.fit.has_value(), true}, fitted;
  for (const RheometerPoint& p : curve.points) found.x.push_back(p.rate), found.y.push_back(p.stress);
  LinePlot figure{
      .title = fmt::format("{}, {}", curve.material.name, shear ? "simple shear" : "uniaxial extension"),
      .x_label = shear ? "shear rate [1/s]" : "extension rate [1/s]",
      .y_label = shear ? "shear stress [Pa]" : "stress difference [Pa]",
      .log_x = true,
      .log_y = wants_logarithm(found.y),
      .series = {found}};
  if (curve.fit) {
    const FlowLaw& law = curve.fit->law;
    fitted.label = fmt::format("{:.4g} + {:.4g} rate^{:.4g}", law.tau_y, law.consistency, law.index);
    fitted.x = logarithmic_range(found.x.front(), found.x[curve.fitted - 1], 100);
    for (const double rate : fitted.x) fitted.y.push_back(law(rate));
    figure.series.push_back(fitted);
  }
  if (curve.foam) {
    const FlowLaw law = small_strain_law(*curve.foam), shown = shear ? law : extension_law(law);
    PlotSeries own{.label = "at small elastic strains", .x = {}, .y = {}, .dashed = true};
    own.x = logarithmic_range(found.x.front(), found.x.back(), 100);
    for (const double rate : own.x) own.y.push_back(shown(rate));
    figure.series.push_back(own);
  }
  write_output(file, svg_of(figure));
}

void run_rheometer(const RheometerArguments& a) {
  if (!a.plot.empty() && std::filesystem::path(a.plot).extension() != ".svg")
    throw RunError(fmt::format("--plot {}: the plot is an SVG file; give a name that ends in .svg", a.plot));
  if (!a.fit.empty()) return fit_measured_flow(a);
  if (a.source.empty())
    throw RunError(
        "say what to measure: a scene file, a preset or a model; or --fit FILE for measured points");
  const Material material = material_of(a);
  if (a.relaxation) return show_relaxation(a, material);
  const Curve curve = measure(a, material);
  if (a.json)
    print_json(curve);
  else
    print_table(curve);
  if (!a.csv.empty()) write_csv(curve, a.csv);
  if (!a.plot.empty()) plot(curve, a.plot);
}

// rejects options that have no effect together with a given one
void refuse_together(const CLI::App& command, const char* given, const std::vector<const char*>& others) {
  if (command.get_option(given)->count() == 0) return;
  for (const char* other : others)
    if (command.get_option(other)->count() > 0)
      throw RunError(fmt::format("{} cannot be used together with {}", other, given));
}
void refuse_without(const CLI::App& command, const char* needed, const std::vector<const char*>& others) {
  if (command.get_option(needed)->count() > 0) return;
  for (const char* other : others)
    if (command.get_option(other)->count() > 0)
      throw RunError(fmt::format("{} is for {} only", other, needed));
}

void check_options(const CLI::App& command) {
  refuse_together(command, "--fit",
                  {"SOURCE", "--material", "--set", "--variant", "--rates", "--times", "--uniaxial",
                   "--relaxation", "--dt", "--time", "--strain", "--csv"});
  refuse_together(command, "--relaxation", {"--uniaxial", "--rates", "--time"});
  refuse_without(command, "--relaxation", {"--times"});
  refuse_together(command, "--bulk-modulus", {"--volume-change"});
  refuse_without(command, "--fit",
                 {"--columns", "--units", "--table", "--shear-modulus", "--bulk-modulus", "--density",
                  "--height", "--volume-change", "--exact"});
}

}  // namespace

void add_rheometer(CLI::App& app, int& status) {
  auto a = std::make_shared<RheometerArguments>();
  auto* command =
      app.add_subcommand("rheometer", "measure the flow curve of a material, or fit a measured one");
  command->add_option("SOURCE", a->source, "scene file, file of materials, preset or model");
  command->add_option("--material", a->material, "NAME: the material of the scene to measure");
  command->add_option("--set", a->set, "KEY=VALUE: a parameter of the material, or any key of the scene")
      ->allow_extra_args(false);
  command->add_option("--variant", a->variants, "NAME: use the values of [variants.NAME] of the scene")
      ->allow_extra_args(false);
  command->add_option("--rates", a->rates, "FROM:TO:COUNT, strain rates [1/s]")->capture_default_str();
  command->add_flag("--uniaxial", a->uniaxial,
                    "measure uniaxial extension at constant volume instead of shear");
  command->add_flag("--relaxation", a->relaxation, "measure stress relaxation after a step strain in shear");
  command->add_option("--times", a->times, "FROM:TO:COUNT, times of --relaxation [s]")->capture_default_str();
  command->add_option("--dt", a->dt,
                      "time step, as in a simulation; default: small steps, extrapolated to zero");
  command
      ->add_option("--strain", a->strain,
                   "largest strain of a test; with --relaxation: the step strain, default 1")
      ->check(CLI::Range(1e-9, 1e4));
  command->add_option("--time", a->time, "longest time of a test");
  command->add_option("--csv", a->csv,
                      "FILE: write the table as CSV, without rates that have no steady stress");
  command->add_option("--plot", a->plot, "FILE.svg: write a plot");
  command->add_flag("--json", a->json, "print one JSON object");
  add_fit_options(*command, *a);
  command->footer(
      "Examples:\n"
      "  dollop rheometer shaving-cream --plot flow.svg\n"
      "  dollop rheometer modelling-clay --set hardening=0 --rates 0.1:10:5 --csv flow.csv\n"
      "  dollop rheometer scene.toml --material crust --uniaxial\n"
      "  dollop rheometer oobleck --relaxation --strain 0.5\n"
      "  dollop rheometer --fit measured.csv --density 77.7 --height \"20 cm\" >> scene.toml\n"
      "  dollop rheometer --fit export.csv --columns 3,4 --units 1/s,mPa\n"
      "One point of the material is deformed at constant volume, from a state without pressure.\n"
      "It does not tear, whatever its tear_threshold.");
  command->callback([a, command, &status] {
    check_options(*command);
    run_rheometer(*a);
    status = exit_fine;
  });
}

}  // namespace dollop
