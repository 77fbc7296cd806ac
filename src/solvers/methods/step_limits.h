// How long the steps of a method may be.
#pragma once

namespace dollop {

// How long steps may be [s].
struct StepLimits {
  double longest;  // that is stable; infinite for a method that is stable in steps of any length
  double
      elastic;  // that the stiffness of the material allows an explicit method; infinite if there is no material
};

}  // namespace dollop
