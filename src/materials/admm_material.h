// The interface of the models to ADMM: the local step of particles. Theory: docs/theory/admm.md.
//
// Shared by code of every instruction set, so plain structs and pointers only.
#pragma once

#include <cstddef>

#include "materials/material_kernels.h"

namespace dollop {

// What ADMM keeps of a particle, per volume at rest: the sum B of k b over its branches, and for each branch z - k b, the
// principal logarithmic strains that the local step has found, and the weight k. Batches of advance_size particles hold
// one quantity after the other.                                                                        (ADMM.5)
inline constexpr int admm_shared = 6, admm_strains = 9, admm_weight = 12, admm_branch = 13;
constexpr int admm_reals(int branches) { return admm_shared + admm_branch * branches; }

enum class AdmmWeights { unit, bulk, stiffness };

template <class S>
struct AdmmOptions {
  S penalty, relaxation;
  S rescale;  // factor of all weights, of `iterate`
  AdmmWeights weights;
  bool paper;  // the stress form of the paper
};

// What the local steps of some particles found.
struct AdmmSums {
  double primal = 0;  // sum of V k |(f - f_v) b^1/2|^2                                            (ADMM.14)
  long unsolved = 0;  // branches of particles whose local problem was not solved
};

// The particles that a function works on, up to advance_size of them, and what ADMM keeps of them.
template <class S>
struct AdmmBatch {
  S* const* state;  // columns of the material
  std::size_t first;
  int count;
  const S* volume;  // at rest
  const S* du;      // dt grad v: du[9][advance_size]
  S* data;          // admm_reals(branches) quantities
  S* tangent;       // of materials that tear, for torn particles: by chunks, as in implicit_material.h
};

// `force` is a sum over the branches of matrices that act on the nodes, force[9][advance_size].
template <class S>
struct AdmmMaterial {
  int branches;
  // weights, multipliers and strains of a velocity; force: the multipliers                        (ADMM.6, ADMM.11)
  void (*start)(const AdmmOptions<S>&, const void* step_law, const AdmmBatch<S>&, S* force);
  // local step and multipliers at a velocity; force: z - k f b, the right-hand side minus the product  (ADMM.2-4)
  void (*iterate)(const AdmmOptions<S>&, const void* step_law, const AdmmBatch<S>&, S* force, AdmmSums&);
  // tau f^-T at a velocity, with the stress form of the options                                        (ADMM.9)
  void (*trial)(const AdmmOptions<S>&, const void* step_law, const AdmmBatch<S>&, S* force);
};

}  // namespace dollop
