// The explicit material point method. Theory: docs/theory/mpm.md.
#pragma once

#include <dollop/scene.h>
#include <dollop/simulation.h>

#include "grid/block_grid.h"
#include "particles/emission.h"
#include "solvers/contact_cache.h"
#include "solvers/state.h"

namespace dollop {

// What the nodes of one block did to a collider.
struct NodeImpact {
  std::size_t collider;
  Impact impact;
};

struct Nozzle {
  EmitterPlan plan;
  int group;
  double density;  // of the material [kg/m^3]
};

template <class S>
struct ExplicitMpm {
  BlockGrid<S> grid;
  std::vector<MaterialBinding<S>> materials;  // one for each group
  std::vector<Nozzle> emitters;
  std::vector<std::vector<NodeImpact>>
      impacts;  // on colliders in the current step, for each slot of the grid

  ContactCache contacts;

  // what the loops are called with in the current step
  TransferArgs<S> args{};
  std::vector<GroupView<S>> views;
};

// Advances the state by dt. A report that is not ok means that the state is as it was.
template <class S>
StepReport step(ExplicitMpm<S>& mpm, const Scene& scene, State<S>& state, double dt);

}  // namespace dollop
