// dollop rheometer: measures a material by deforming one material point. Its options, and what the tests share.
#include "rheometer.h"

#include <dollop/run.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "commands.h"
#include "io/atomic_file.h"
#include "materials/registry.h"
#include "scene/document.h"
#include "scene/read_scene.h"
#include "scene/units.h"
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

namespace {
Stiffness stiffness_of(const Material& material) {
  const ModelInfo& model = models()[std::size_t(find_model(material.model))];
  return model.stiffness(resolve_parameters(model, material.parameters).data());
}
}  // namespace

double longest_step(const Material& material) { return stiffness_of(material).longest_step; }

double step_option(const RheometerArguments& a, const Material& material) {
  const double dt = quantity("--dt", a.dt, "s", 0), longest = longest_step(material);
  if (dt > longest)
    throw RunError(fmt::format("--dt {}: {} bears steps of {} s at most; choose a smaller step", a.dt,
                               material.name, longest));
  return dt;
}

double rounding_stress(const Material& material) { return 1e-15 * stiffness_of(material).modulus; }

void refuse_without_stress(const Material& material) {
  const ModelInfo& model = models()[std::size_t(find_model(material.model))];
  const bool rubs = std::any_of(model.parameters.begin(), model.parameters.end(),
                                [](const ParameterInfo& p) { return p.name == "friction_angle"; });
  throw RunError(
      fmt::format("{} ({}) shows no stress: {}", material.name, material.model,
                  rubs ? "the test has no pressure, without which a material without cohesion has no strength"
                       : "it flows without resistance; give it a yield_stress or a viscosity"));
}

void PatienceLine::show(std::size_t done, std::size_t count, const char* things) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::seconds(5)) return;
  fmt::print(stderr, "dollop: {} of {} {}\n", done, count, things);
  last_ = now;
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

void run_rheometer(const RheometerArguments& a) {
  if (!a.plot.empty() && std::filesystem::path(a.plot).extension() != ".svg")
    throw RunError(fmt::format("--plot {}: the plot is an SVG file; give a name that ends in .svg", a.plot));
  if (!a.fit.empty()) return fit_measured_flow(a);
  if (a.source.empty())
    throw RunError(
        "say what to measure: a scene file, a preset or a model; or --fit FILE for measured points");
  const Material material = material_of(a);
  if (a.startup) return show_startup(a, material);
  if (a.relaxation) return show_relaxation(a, material);
  if (a.oscillation) return show_oscillation(a, material);
  show_flow_curve(a, material);
}

// rejects options that have no effect together with a given one
void refuse_together(const Command& command, const char* given, const std::vector<const char*>& others) {
  if (!command.given(given)) return;
  for (const char* other : others)
    if (command.given(other)) throw RunError(fmt::format("{} cannot be used together with {}", other, given));
}
void refuse_without(const Command& command, const std::vector<const char*>& needed,
                    const std::vector<const char*>& others) {
  for (const char* one : needed)
    if (command.given(one)) return;
  for (const char* other : others)
    if (command.given(other))
      throw RunError(fmt::format("{} is for {} only", other, fmt::join(needed, " and ")));
}

void check_options(const Command& command) {
  refuse_together(command, "--fit",
                  {"SOURCE", "--material", "--set", "--variant", "--rates", "--times", "--uniaxial",
                   "--startup", "--relaxation", "--oscillation", "--dt", "--time", "--strain", "--csv"});
  refuse_together(command, "--startup",
                  {"--relaxation", "--oscillation", "--uniaxial", "--rates", "--time", "--strain"});
  refuse_together(command, "--relaxation", {"--oscillation", "--uniaxial", "--rates", "--time"});
  refuse_together(command, "--oscillation", {"--uniaxial", "--rates", "--time", "--times"});
  refuse_without(command, {"--startup", "--relaxation"}, {"--times"});
  refuse_together(command, "--bulk-modulus", {"--volume-change"});
  refuse_without(command, {"--fit"},
                 {"--columns", "--units", "--table", "--shear-modulus", "--bulk-modulus", "--density",
                  "--height", "--volume-change", "--exact"});
}

// what is measured of a material
void add_test_options(Command command, RheometerArguments& a) {
  command.add_option("--rates", a.rates, "FROM:TO:COUNT, strain rates [1/s] of the flow curve")
      .show_default();
  command.add_flag("--uniaxial", a.uniaxial,
                   "measure uniaxial extension at constant volume instead of shear");
  command.add_option("--startup", a.startup,
                     "RATE: measure the stress over time in shear at this rate [1/s] from rest");
  command.add_flag("--relaxation", a.relaxation,
                   "measure the stress over time after a step strain in shear that is then held");
  command.add_option("--times", a.times, "FROM:TO:COUNT, times of --startup and --relaxation [s]")
      .show_default();
  command.add_option("--oscillation", a.oscillation,
                     "FROM:TO:COUNT: measure storage and loss modulus in oscillatory shear at these angular "
                     "frequencies [rad/s]");
  command.add_option("--dt", a.dt,
                     "time step, as in a simulation; default: small steps, extrapolated to zero");
  command
      .add_option("--strain", a.strain,
                  "largest strain of a flow curve; with --relaxation: the step strain, default 1; with "
                  "--oscillation: the amplitude, default 1e-4")
      .range(1e-9, 1e4);
  command.add_option("--time", a.time, "longest time at a rate of a flow curve");
}

}  // namespace

void add_rheometer(Command app, int& status) {
  auto a = std::make_shared<RheometerArguments>();
  Command command = app.add_command("rheometer",
                                    "measure flow curve, start-up, relaxation or moduli of a material; "
                                    "fit a measured flow curve");
  command.add_option("SOURCE", a->source, "scene file, file of materials, preset or model");
  command.add_option("--material", a->material, "NAME: the material of the scene to measure");
  command.add_option("--set", a->set, "KEY=VALUE: a parameter of the material, or any key of the scene")
      .one_value_a_time();
  command.add_option("--variant", a->variants, "NAME: use the values of [variants.NAME] of the scene")
      .one_value_a_time();
  add_test_options(command, *a);
  command.add_option("--csv", a->csv,
                     "FILE: write the table as CSV, without rates and frequencies of which no steady "
                     "response was found");
  command.add_option("--plot", a->plot, "FILE.svg: write a plot");
  command.add_flag("--json", a->json, "print one JSON object");
  add_fit_options(command, *a);
  command.footer(
      "Examples:\n"
      "  dollop rheometer shaving-cream --plot flow.svg\n"
      "  dollop rheometer modelling-clay --set hardening=0 --rates 0.1:10:5 --csv flow.csv\n"
      "  dollop rheometer scene.toml --material crust --uniaxial\n"
      "  dollop rheometer pie --startup 0.5 --times 0.001:10:50 --plot startup.svg\n"
      "  dollop rheometer oobleck --relaxation --strain 0.5\n"
      "  dollop rheometer shaving-cream --oscillation 0.01:100:20 --strain 0.2 --csv moduli.csv\n"
      "  dollop rheometer --fit measured.csv --density 77.7 --height \"20 cm\" >> scene.toml\n"
      "  dollop rheometer --fit export.csv --columns 3,4 --units 1/s,mPa\n"
      "One point of the material is deformed at constant volume, from a state without pressure.\n"
      "It does not tear, whatever its tear_threshold. Moduli of a material that yields or flows by a power\n"
      "law depend on the amplitude, --strain: they are those of the first harmonic of its stress.");
  command.callback([a, command, &status] {
    check_options(command);
    run_rheometer(*a);
    status = exit_fine;
  });
}

}  // namespace dollop
