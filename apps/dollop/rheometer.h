// What the parts of `dollop rheometer` share.
#pragma once

#include <dollop/scene.h>

#include <string>
#include <vector>

#include "solvers/rheometer/flow_fit.h"

namespace dollop {

struct RheometerArguments {
  std::string source, material;
  std::vector<std::string> set, variants;
  std::string rates = "0.01:100:20", times = "1e-6:100:33";
  bool uniaxial = false, relaxation = false, exact = false, json = false;
  std::string dt, time;  // with units
  double strain = 0;
  std::string csv, plot;
  std::string fit;                                   // file of measured points
  std::string shear_modulus, bulk_modulus, density;  // of the fitted material, with units
};

// The value of an option in SI units; `otherwise` if it was not given. Throws RunError.
double quantity(const std::string& option, const std::string& written, const std::string& unit,
                double otherwise);

// The values of an option that is "FROM:TO:COUNT", or numbers between commas. Throws RunError.
std::vector<double> range_of(const std::string& option, const std::string& written);

// Writes a whole file, or throws RunError.
void write_output(const std::string& file, const std::string& text);

// Whether values spread so far, all of them positive, that a logarithmic axis shows them better.
bool wants_logarithm(const std::vector<double>& values);

// Either set of parameters of herschel-bulkley as a phrase, with units.
std::string text_of(const FoamParameters& foam);
std::string text_of(const FlowLaw& law);

// Throws RunError for a material that shows no stress at all, and says why.
[[noreturn]] void refuse_without_stress(const Material& material);

// dollop rheometer --relaxation: the stress over time after a step of shear
void show_relaxation(const RheometerArguments& a, const Material& material);

// dollop rheometer --fit: measured points in, a material out
void fit_measured_flow(const RheometerArguments& a);

}  // namespace dollop
