// The user settings of the newton method, in [simulation.newton].
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
      Parameter<NewtonSettings>{
          "tolerance", &NewtonSettings::tolerance, "", below_one,
          "ends Newton's method when the residual has fallen to this fraction of the first one; "
          "lower it for accuracy, raise it for speed"},
      Parameter<NewtonSettings>{
          "iterations", &NewtonSettings::iterations, "", count_from(1, 1000),
          "limits the Newton iterations of a step; a step that needs more is repeated with half its length"},
      Parameter<NewtonSettings>{
          "linear_tolerance", &NewtonSettings::linear_tolerance, "", below_one,
          "ends the linear solve of a Newton iteration when its residual has fallen to this fraction"},
      Parameter<NewtonSettings>{
          "linear_iterations", &NewtonSettings::linear_iterations, "", count_from(1, 200),
          "limits the iterations of the linear solver, MINRES or GMRES, whose memory grows with it"}};
};

}  // namespace dollop
