// The equations of an implicit step on the grid, for the methods that solve them. Theory: docs/theory/implicit.md.
#pragma once

#include <limits>

#include "boundary/moving_colliders.h"
#include "solvers/methods/implicit_mpm.h"
#include "solvers/phases/nozzle_contact.h"

namespace dollop {

// The colliders of a simulation and the pistons of its nozzles, over one step.
class Obstacles {
 public:
  template <class S>
  Obstacles(const Setup<S>& setup, double time, double dt)
      : Obstacles(setup.colliders, pistons(setup.nozzles, time, setup.settings().cell_size), time, dt) {}
  Obstacles(const Obstacles&) = delete;
  Obstacles& operator=(const Obstacles&) = delete;
  const MovingColliders& moving() const { return moving_; }

 private:
  Obstacles(const std::vector<Collider>& colliders, const std::vector<Collider>& driving, double time,
            double dt)
      : all_(joined(colliders, driving)), moving_(all_, time, dt, driving.size()) {}
  static std::vector<Collider> joined(std::vector<Collider> a, const std::vector<Collider>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  std::vector<Collider> all_;
  MovingColliders moving_;
};

// What a step of an implicit method is solved from.
template <class S>
struct SolveArgs {
  const Obstacles& obstacles;
  const Setup<S>& setup;
  const State<S>& state;
  StepGrid<S>& grid;
  StepReport& report;
};

// an energy, and the size of the terms that it is the sum of
struct Energy {
  double sum = 0, size = 0;
};

// R(v) = m (v - v^n - dt g) + dt sum V tau f^-T grad w = contact impulses                             (IMP.1)
template <class S>
class ImplicitSystem {
 public:
  ImplicitSystem(StepGrid<S>& grid, ImplicitMpm<S>& mpm);
  std::size_t size() const { return slot_reals * blocks_.slots.size(); }

  // v^n + dt g
  void start(S* v) const;
  // adds m (v - v^n - dt g) at the nodes with mass; sets r to 0 at the others
  void add_momentum(const S* v, S* r) const;
  void residual(const S* v, S* r);
  // the tangents at v, and the preconditioner                                                     (IMP.4, IMP.9)
  void linearise(const S* v);
  // replaces the tangents by their positive semidefinite parts                                          (IMP.14)
  void make_definite();
  // y = (m + K) z
  void multiply(const S* z, S* y);
  // y = L^-1 P (m + K) P L^-T x, with the preconditioner L and the projection P of contacts              (IMP.6)
  void apply(const S* x, S* y);
  // the scaled right-hand side -L^-1 P R, and the velocity change P L^-T x from the scaled unknowns
  void right_hand_side(const S* r, S* b);
  void unscale(const S* x, S* z);

  // Gives v the uniform velocity that makes the sum of R vanish, and R what follows: what a solve has left over must not
  // push a body that no contact holds. No strain changes.                                               (IMP.18)
  void balance(S* v, S* r) const;

  // sqrt(sum |P R|^2 / m): a velocity times the root of a mass                                           (IMP.6)
  double norm(const S* r);
  // the norm of the residual that rounding alone can cause                                              (IMP.10)
  double rounding(const S* v, double cell_size, double dt) const;
  // sum of R . z over the nodes
  double product(const S* r, const S* z) const;
  // sum ½ m |v - v^n - dt g|^2 + sum V potential, infinite where that is not defined                     (IMP.11)
  Energy energy(const S* v);
  // that, and R, for little more than R alone
  Energy energy(const S* v, S* r);
  // the first sum of the energy: potentials are not negative, so the energy is no less
  double kinetic_energy(const S* v) const;

 private:
  void precondition();
  Energy total_energy(const S* v) const;
  std::size_t tiles() const { return blocks_.slot_of_tile.size(); }
  template <class Body>
  void each_node(Body&& body) const;
  template <class Term>
  double sum_over_nodes(Term&& term) const;
  template <class Loop>
  void run(Loop&& loop, const S* field, S* sum);
  void number_chunks();

  StepGrid<S>& grid_;
  BlockGrid<S>& blocks_;
  ImplicitMpm<S>& mpm_;
};

// Decides from the norms of the residual when an iteration has converged.
class Convergence {
 public:
  // relative to the first residual; and absolute: the residual of gravity over 1e-4 of the step
  Convergence(double relative, double absolute) : relative_(relative), absolute_(absolute) {}
  // The residual of iteration k is `now`. `settled`: the contacts have not changed. `rounding()` is asked for if two
  // iterations in a row have not halved the residual.                                                   (IMP.10)
  template <class Rounding>
  bool reached(int k, double now, bool settled, Rounding&& rounding, StepReport& report) {
    if (k == 0) first_ = now;
    report.outer_iterations = k;
    report.residual = first_ > 0 && now > absolute_ ? now / first_ : 0;
    if (settled && now <= std::max(relative_ * first_, absolute_)) return true;
    idle_ = k > 0 && now > 0.5 * before_ ? idle_ + 1 : 0;
    before_ = now;
    if (!settled || idle_ < 2) return false;
    const double least = rounding();
    if (!(now <= least)) return false;
    if (first_ <= least) report.residual = 0;
    return true;
  }
  // whether a residual that has not converged may be accepted at the end
  bool is_tolerable(double now) const { return now <= std::max(worst_residual * first_, absolute_); }
  double first() const { return first_; }

 private:
  static constexpr double worst_residual = 0.1;  // largest one of an accepted step, relative to the first
  double relative_, absolute_, first_ = 0, before_ = 0;
  int idle_ = 0;  // iterations in a row that reduced the residual by less than half
};

// the absolute tolerance of the residual, whatever the first one was
template <class S>
double least_residual(const SolveArgs<S>& args);

// Coulomb friction at the nodes in contact. The grid then holds the velocity that particles take; v^{n+1} of the solve
// strains and moves them.                                                                             (IMP.8)
template <class S>
void apply_friction(const MovingColliders& colliders, const ImplicitMpm<S>& mpm, StepGrid<S>& grid);

}  // namespace dollop
