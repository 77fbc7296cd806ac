// dollop rheometer: the flow curve of a material, the stress of steady shear or extension at several rates.
#include <dollop/run.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "io/json.h"
#include "io/line_plot.h"
#include "materials/registry.h"
#include "rheometer.h"
#include "solvers/rheometer/flow_fit.h"
#include "solvers/rheometer/rheometer.h"

namespace dollop {
namespace {

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

Curve measure(const RheometerArguments& a, const Material& material) {
  Curve curve{
      .material = material, .flow = a.uniaxial ? Flow::extension : Flow::shear, .foam = foam_of(material)};
  FlowOptions options;
  options.dt = step_option(a, material);
  options.max_strain = a.strain;
  options.max_time = quantity("--time", a.time, "s", options.max_time);
  const std::vector<double> rates = range_of("--rates", a.rates);
  check_step(a, options, rates.front());
  PatienceLine patience;
  for (const double rate : rates) {
    patience.show(curve.points.size(), rates.size(), "rates");
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
  if (curve.flow != Flow::shear || !curve.foam || strain <= 0.2) return text;
  const RheometerPoint& last = curve.points.back();
  text += fmt::format(
      "elastic strains reach {:.2g} and lower the stress of fast flow, at {:.3g} 1/s to {:.2g} of the "
      "material's tau_y + K rate^n; a larger shear modulus would mend that\n",
      strain, last.rate, last.stress / small_strain_law(*curve.foam)(last.rate));
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

}  // namespace

void show_flow_curve(const RheometerArguments& a, const Material& material) {
  const Curve curve = measure(a, material);
  if (a.json)
    print_json(curve);
  else
    print_table(curve);
  if (!a.csv.empty()) write_csv(curve, a.csv);
  if (!a.plot.empty()) plot(curve, a.plot);
}

}  // namespace dollop
