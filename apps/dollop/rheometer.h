// Shared by the parts of `dollop rheometer`.
#pragma once

#include <dollop/scene.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "command_line.h"
#include "solvers/rheometer/flow_fit.h"

namespace dollop {

struct RheometerArguments {
  std::string source, material;
  std::vector<std::string> set, variants;
  std::string rates = "0.01:100:20", times = "1e-6:100:33";
  bool uniaxial = false, relaxation = false, exact = false, json = false;
  std::optional<std::string> startup, oscillation;  // shear rate, with unit; angular frequencies
  std::string dt, time;                             // with units
  double strain = 0;
  std::string csv, plot;
  std::string fit;                                   // file of measured points
  std::string columns, units, tables;                // of that file, separated by commas
  std::string shear_modulus, bulk_modulus, density;  // of the fitted material, with units
  std::string height, volume_change;                 // choose its bulk modulus, with units
};

// The value of an option in SI units; `otherwise` if it was not given. Throws RunError.
double quantity(const std::string& option, const std::string& written, const std::string& unit,
                double otherwise);

// The values of an option "FROM:TO:COUNT" or of numbers separated by commas. Throws RunError.
std::vector<double> range_of(const std::string& option, const std::string& written);

// Writes a whole file, or throws RunError.
void write_output(const std::string& file, const std::string& text);

// Whether the values are positive and span so wide a range that a logarithmic axis is better.
bool wants_logarithm(const std::vector<double>& values);

// Either set of parameters of herschel-bulkley as text with units.
std::string text_of(const FoamParameters& foam);
std::string text_of(const FlowLaw& law);

inline constexpr double max_shear_step = 100;  // beyond it elastic models give meaningless numbers, slowly

// The longest step that the law of a material bears [s].
double longest_step(const Material& material);

// The value of --dt, 0 if it was not given. Throws RunError if the material does not bear it.
double step_option(const RheometerArguments& a, const Material& material);

// The stress below which a material shows none: rounding leaves some to sand that holds nothing [Pa].
double rounding_stress(const Material& material);

// Throws RunError, with the reason, for a material without any stress.
[[noreturn]] void refuse_without_stress(const Material& material);

// Shows the progress of a long test.
class PatienceLine {
 public:
  void show(std::size_t done, std::size_t count, const char* things);

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// The tests: each prints a table or JSON, and writes the files that were asked for.
void show_flow_curve(const RheometerArguments& a, const Material& material);
void show_startup(const RheometerArguments& a, const Material& material);
void show_relaxation(const RheometerArguments& a, const Material& material);
void show_oscillation(const RheometerArguments& a, const Material& material);

// dollop rheometer --fit: measured points in, a material out
void add_fit_options(Command command, RheometerArguments& a);
void fit_measured_flow(const RheometerArguments& a);

}  // namespace dollop
