// How long a run still takes: as long for each particle and second of simulated time as until now, with the particles
// that emitters will add.
#pragma once

#include <dollop/run.h>

namespace dollop {

class RemainingTime {
 public:
  explicit RemainingTime(const Scene& scene) : forecast_(scene) {}

  void add(double dt, double particles);  // a step that was made
  // `elapsed`: time on the clock of the steps so far [s]; from a simulated time to the end, with the particles there are
  // now. Negative: not known.
  double estimate(double elapsed, double time, double end, double particles) const;

 private:
  static constexpr double overhead = 1000;  // what a step costs by itself, in particles
  ParticleForecast forecast_;
  double done_ = 0;  // sum over steps of dt times particles [s]
};

}  // namespace dollop
