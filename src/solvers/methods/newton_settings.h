// What users may set of the newton method, in [simulation.newton].
#pragma once

#include <tuple>

#include "materials/parameter.h"

namespace dollop {

struct NewtonSettings {
  double tolerance = 1e-3;
  double iterations = 20;
  double linear_tolerance = 1e-2;
  double linear_iterations = 30;
  static constexpr Range below_one{0, 1, true, true};
  static constexpr auto parameters = std::tuple{
      Parameter<NewtonSettings>{"tolerance", &NewtonSettings::tolerance, "", below_one,
                                "Newton's method has converged when the residual of a step has fallen to "
                                "this fraction of the first one"},
      Parameter<NewtonSettings>{"iterations", &NewtonSettings::iterations, "", count_from(1, 1000),
                                "largest number of Newton iterations in a step"},
      Parameter<NewtonSettings>{"linear_tolerance", &NewtonSettings::linear_tolerance, "", below_one,
                                "the linear solve of an iteration ends when its residual has fallen to this "
                                "fraction"},
      Parameter<NewtonSettings>{"linear_iterations", &NewtonSettings::linear_iterations, "",
                                count_from(1, 200),
                                "largest number of iterations of the linear solver, MINRES or GMRES"}};
};

}  // namespace dollop
