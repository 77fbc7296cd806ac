// Upper limits of the time step of a method.
#pragma once

namespace dollop {

// Upper limits of the time step [s].
struct StepLimits {
  double longest;              // stability limit of the method; infinite if it is unconditionally stable
  double elastic;              // limit of an explicit method by the stiffness; infinite without material
  bool divides_steps = false;  // the method divides its steps, and `max_dt` limits the parts
};

}  // namespace dollop
