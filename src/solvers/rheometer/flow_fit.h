// Flow curves as numbers: fits of tau = tau_y + K rate^n, and the parameters of herschel-bulkley that show them.
#pragma once

#include <vector>

namespace dollop {

// One point of a flow curve.
struct FlowSample {
  double rate = 0;    // of shear [1/s]
  double stress = 0;  // of shear [Pa]
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

// The law with the least squares of relative errors, tau_y >= 0, K >= 0 and n from 0.1 to 5. A stress that does not
// depend on the rate, or rises no more with it than its scatter could make it seem, gives K = 0 and n = 1. Where n would be
// at its bound and n = 1 does as well, it is 1. Stresses must be positive, and at least three rates positive and distinct.
FlowFit fit_flow(const std::vector<FlowSample>& samples);

// relative errors of a law at some points
FlowFit judge(const FlowLaw& law, const std::vector<FlowSample>& samples);

// What the model herschel-bulkley makes of it.
struct FoamParameters {
  double shear_modulus = 0;  // mu [Pa]
  double yield_stress = 0;   // sigma_Y [Pa]
  double viscosity = 0;      // eta [Pa s^h]
  double power = 1;          // h
};
FoamParameters small_strain_parameters(const FlowLaw& law, double shear_modulus);  // (HB.9)
FlowLaw small_strain_law(const FoamParameters& foam);                              // and back

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
