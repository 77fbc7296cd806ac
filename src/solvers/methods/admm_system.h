// The two halves of an ADMM iteration on the grid: local steps of all particles, and the linear solve for the velocity.
// Theory: docs/theory/admm.md.
#pragma once

#include "solvers/methods/admm_mpm.h"
#include "solvers/methods/implicit_system.h"

namespace dollop {

template <class S>
class AdmmSystem {
 public:
  AdmmSystem(StepGrid<S>& grid, State<S>& state, AdmmMpm<S>& admm);

  // The start of the iteration at v: weights, multipliers, the diagonal of the matrix; and the residual R(v) of the step,
  // with which the first velocity step begins.                                                    (ADMM.6, ADMM.11)
  void start(const S* v, S* residual);
  // Local steps and multipliers at v; the residual of the next velocity step, S v - rhs.               (ADMM.2-4)
  AdmmSums iterate(const S* v, S* residual);
  // Velocity step: x such that residual + S x vanishes in the directions that contacts leave free, which the residual
  // then is. Returns the number of products.                                                             (ADMM.4)
  int solve(const KrylovOptions& options, S* residual, S* x);
  // R(v) of the step in its stress form                                                                  (ADMM.9)
  void true_residual(const S* v, S* residual);

  // v^n + dt (g + a) for the accelerations a that the particles keep; false if they keep none          (ADMM.13)
  bool expected_velocity(S* v);
  // what that leads to in the next step: kept in `trial` until the particles take it
  void note_accelerations(const S* v);

 private:
  std::size_t size() const { return slot_reals * blocks_.slots.size(); }
  std::size_t tiles() const { return blocks_.slot_of_tile.size(); }
  void number_batches(State<S>& state);
  template <class Loop>
  void run(Loop&& loop, const S* field, S* sum);
  void residual_from(const S* forces, const S* v, S* residual) const;
  void multiply(const S* z, S* y);

  StepGrid<S>& grid_;
  BlockGrid<S>& blocks_;
  AdmmMpm<S>& admm_;
};

// the particles take the accelerations of the last solve
template <class S>
void keep_accelerations(AdmmMpm<S>& admm);

}  // namespace dollop
