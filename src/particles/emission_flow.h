// How much has flowed out of a nozzle.
#pragma once

#include <dollop/scene.h>

namespace dollop {

// The speed, at least zero [m/s].
double flow_speed(const Animated& speed, double t);

// The length that flows out between two times (SEED.9) [m]: exact for constants and keys, and so for their sums;
// expressions are integrated numerically.
double flow_length(const Animated& speed, double begin, double end);

// Whether flow_length() is exact, so that it need not be summed up step by step.
inline bool has_exact_length(const Animated& speed) { return speed.kind != Animated::Kind::expression; }

// How many copies of the shape have left until t, t included (SEED.13).
double copies_until(const Emitter& emitter, double t);

}  // namespace dollop
