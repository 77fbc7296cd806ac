// The amount of material that has left a nozzle.
#pragma once

#include <dollop/scene.h>

namespace dollop {

// The speed of the flow, never negative [m/s].
double flow_speed(const Animated& speed, double t);

// The length that flows out between two times (SEED.9) [m]: exact for constants and keys, so consecutive intervals add
// up; expressions are integrated by quadrature.
double flow_length(const Animated& speed, double begin, double end);

// Whether flow_length() is exact, so that it need not be summed up step by step.
inline bool has_exact_length(const Animated& speed) { return speed.kind != Animated::Kind::expression; }

// The number of copies of the shape that have left until t, t included (SEED.13).
double copies_until(const Emitter& emitter, double t);

}  // namespace dollop
