// A rheometer: one point of a material, deformed as a whole, without grid or inertia. Materials that can tear do not tear
// in it. Theory: docs/theory/rheometer.md.
#pragma once

#include <dollop/scene.h>

#include <limits>
#include <vector>

namespace dollop {

enum class Flow {
  shear,     // v = (rate y, 0, 0)
  extension  // v = rate (x, -y/2, -z/2): along x, at constant volume
};

struct FlowOptions {
  double dt = 0;  // time step, as in a simulation; 0: the limit of small steps [s]
  double max_strain =
      0;  // the test stops there at the latest; 0: 100 in shear, 20 in extension, 20 times that for fluids
  double max_time = std::numeric_limits<double>::infinity();  // the test stops there too [s]
};

// Largest number of steps of a test at one rate: some seconds of computing time.
inline constexpr double most_flow_steps = 2e7;

// The reading of the rheometer when the stress is steady, or where the test stopped.
struct RheometerPoint {
  double rate = 0;               // of shear or of extension [1/s]
  double stress = 0;             // s12 in shear, s11 - s22 in extension; Cauchy [Pa]
  double normal_difference = 0;  // s11 - s22 [Pa]
  double strain = 0;             // rate times the duration of the test
  bool steady = false;
  bool out_of_time = false;  // the test stopped at max_time, before max_strain
};

// Deforms the material from rest until its stress is steady. Throws SceneError for an invalid material. (HB.11, HB.12)
RheometerPoint steady_flow(const Material& material, Flow flow, double rate, const FlowOptions& options = {});

// Stress at a time after the beginning of a test.
struct StressAtTime {
  double time = 0;               // [s]
  double stress = 0;             // s12, Cauchy [Pa]
  double normal_difference = 0;  // s11 - s22 [Pa]
};

struct StartupOptions {
  double rate = 1;                 // of shear, from time 0 on [1/s]
  std::vector<double> times = {};  // increasing, positive [s]
  double dt = 0;  // time step; times are rounded to multiples of it. 0: the limit of small ones [s]
};

// Start-up of shear: the stress in a material that was at rest until time 0.                           (RHE.4)
std::vector<StressAtTime> startup(const Material& material, const StartupOptions& options);

struct RelaxationOptions {
  double strain = 1;               // shear, applied at once at time 0
  std::vector<double> times = {};  // as above
  double dt = 0;
};

// Stress relaxation: the stress after a step strain at time 0 that is then held.                      (RHE.5)
std::vector<StressAtTime> relaxation(const Material& material, const RelaxationOptions& options);

struct OscillationOptions {
  double strain = 1e-4;  // amplitude of the shear
  double dt = 0;         // time step, rounded to a part of the period; 0: the limit of small ones [s]
};

// Fewest steps of a period, with a time step of one's own.
inline constexpr int fewest_period_steps = 8;

// The response of the last period to the shear strain sin(frequency t): storage sin(...) + loss cos(...) + harmonics.
struct OscillationPoint {
  double frequency = 0;       // angular [rad/s]
  double storage = 0;         // G' [Pa]
  double loss = 0;            // G'' [Pa]
  double third_harmonic = 0;  // its amplitude relative to that of the first: 0 where the response is linear
  bool steady = false;        // the moduli of successive periods agreed
};

// Oscillatory shear from rest, until the response is periodic.                                       (RHE.6, RHE.7)
OscillationPoint oscillation(const Material& material, double frequency,
                             const OscillationOptions& options = {});

// `count` values from `first` to `last` with equal ratios.
std::vector<double> logarithmic_range(double first, double last, int count);

}  // namespace dollop
