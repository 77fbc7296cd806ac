// The explicit material point method. Theory: docs/theory/mpm.md.
#pragma once

#include <dollop/scene.h>
#include <dollop/simulation.h>

#include "grid/block_grid.h"
#include "solvers/state.h"

namespace dollop {

template <class S>
struct ExplicitMpm {
  BlockGrid<S> grid;
  std::vector<MaterialBinding<S>> materials;  // one for each group
  double mass_floor = 0;                      // nodes with less mass are empty [kg]

  // what the loops are called with in the current step
  TransferArgs<S> args{};
  std::vector<GroupView<S>> views;
};

// Advances the state by dt. A report that is not ok means that the state is as it was.
template <class S>
StepReport step(ExplicitMpm<S>& mpm, const Scene& scene, State<S>& state, double dt);

}  // namespace dollop
