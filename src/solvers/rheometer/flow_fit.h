// Fits of flow curves by tau = tau_y + K rate^n, and the parameters of herschel-bulkley that reproduce them.
#pragma once

#include <vector>

namespace dollop {

// One point of a flow curve.
struct FlowSample {
  double rate = 0;    // shear rate [1/s]
  double stress = 0;  // shear stress [Pa]
};

// tau = tau_y + K rate^n
struct FlowLaw {
  double tau_y = 0;        // [Pa]
  double consistency = 0;  // K [Pa s^n]
  double index = 1;        // n
  double operator()(double rate) const;
};

struct FlowFit {
  FlowLaw law;
  double rms_error = 0, max_error = 0;  // relative
  bool scattered = false;               // K = 0 because the points scatter about as much as they rise
  bool at_bound = false;                // n is the least or the largest allowed
};

// The least-squares fit by relative errors, with tau_y >= 0, K >= 0 and n from 0.1 to 5. A stress that does not depend
// on the rate, or rises no more with it than its scatter explains, gives K = 0 and n = 1. Where n would be at its bound
// and n = 1 fits as well, n is 1. Stresses must be positive, and at least three rates positive and distinct.
FlowFit fit_flow(const std::vector<FlowSample>& samples);

// relative errors of a law at some points
FlowFit judge(const FlowLaw& law, const std::vector<FlowSample>& samples);

// Parameters of the model herschel-bulkley.
struct FoamParameters {
  double shear_modulus = 0;  // mu [Pa]
  double yield_stress = 0;   // sigma_Y [Pa]
  double viscosity = 0;      // eta [Pa s^h]
  double power = 1;          // h
};
FoamParameters small_strain_parameters(const FlowLaw& law, double shear_modulus);  // (HB.9)
FlowLaw small_strain_law(const FoamParameters& foam);                              // the inverse

// The shear stress in steady shear at elastic strains of any size.                                     (HB.11)
double steady_shear_stress(const FoamParameters& foam, double rate);

// Parameters fitted to points at elastic strains of any size; the errors are those of steady_shear_stress. (HB.10)
struct FoamFit {
  FoamParameters foam;
  double rms_error = 0, max_error = 0;  // relative
};
FoamFit fit_foam(const std::vector<FlowSample>& samples, double shear_modulus);
FoamFit judge(const FoamParameters& foam, const std::vector<FlowSample>& samples);

}  // namespace dollop
