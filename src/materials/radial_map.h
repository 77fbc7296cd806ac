// A return map in principal logarithmic strains that scales the mean and the deviator of the trial strain, with its
// derivative: what a model on Hencky strain offers to ADMM. Theory: docs/theory/admm.md.
#pragma once

#include "math/vec.h"

namespace dollop::inline DOLLOP_ISA {

// d eps/d trial = volumetric/3 1 1^T + kept (1 - 1 1^T/3 - n n^T) + along n n^T + by_volume n 1^T       (ADMM.8)
template <class R>
struct RadialMap {
  Vec3<R> eps;        // after the return map
  Vec3<R> direction;  // n: unit deviator of the trial strain; finite where that is 0
  R volumetric;       // d tr(eps) / d tr(trial)
  R kept;             // |dev eps| / |dev trial|
  R along;            // d |dev eps| / d |dev trial|
  R by_volume;        // d |dev eps| / d tr(trial)
};

// nothing flows
template <class R>
DOLLOP_INLINE RadialMap<R> elastic_map(const Vec3<R>& trial) {
  using S = ScalarOf<R>;
  const R zero = R(S(0)), one = R(S(1));
  return {trial, {zero, zero, zero}, one, one, one, zero};
}

}  // namespace dollop::inline DOLLOP_ISA
