// The user settings of the admm method, in [simulation.admm].
#pragma once

#include <tuple>

#include "materials/parameter.h"

namespace dollop {

struct AdmmSettings {
  double iterations = 20;
  double tolerance = 1e-3;
  double penalty = 0.15;
  double relaxation = 1.6;
  double weights = 2;
  double stress_form = 0;
  double linear_tolerance = 0.05;
  double linear_iterations = 30;
  static constexpr Range part{0, 1, false, true};
  static constexpr auto parameters = std::tuple{
      Parameter<AdmmSettings>{
          "iterations", &AdmmSettings::iterations, "", count_from(1, 10000),
          "limits the iterations of a step; what they have found is taken if its residual "
          "is smaller than the first one. Raise it for accuracy"},
      Parameter<AdmmSettings>{
          "tolerance", &AdmmSettings::tolerance, "", part,
          "ends the iteration when no node changes its velocity by more than this fraction of the largest "
          "one and contacts have settled; 0: all iterations are done"},
      Parameter<AdmmSettings>{
          "penalty", &AdmmSettings::penalty, "", Range{0, 1000, true, false},
          "weight of the difference between the strain of a particle and that of the grid, in units of the "
          "stiffness; 0.05 for metals that flow, 0.5 for few iterations. With weights = \"unit\" in J"},
      Parameter<AdmmSettings>{"relaxation", &AdmmSettings::relaxation, "", Range{0, 2, true, true},
                              "over-relaxation: 1 none, 1.4 to 1.6 converges faster, more may not converge"},
      Parameter<AdmmSettings>{
          "weights",
          &AdmmSettings::weights,
          "",
          three_words,
          "what a particle's weight is proportional to: its stiffness in its present shape (stiffness), "
          "its bulk modulus (bulk), or nothing (unit, for comparisons: it hardly converges)",
          {"unit", "bulk", "stiffness"}},
      Parameter<AdmmSettings>{
          "stress_form",
          &AdmmSettings::stress_form,
          "",
          two_words,
          "stress of material that flows in a step: that after the return map, as in all other solvers "
          "(kirchhoff), or larger by the flow of the step (paper, as published)",
          {"kirchhoff", "paper"}},
      Parameter<AdmmSettings>{
          "linear_tolerance", &AdmmSettings::linear_tolerance, "", part,
          "ends the linear solve of an iteration when its residual has fallen to this fraction"},
      Parameter<AdmmSettings>{"linear_iterations", &AdmmSettings::linear_iterations, "", count_from(1, 10000),
                              "limits the iterations of the linear solver, conjugate gradients"}};
};

}  // namespace dollop
