// The loops of ADMM over particles and nodes, as tables of functions. Theory: docs/theory/admm.md.
//
// Shared by code of every instruction set, so plain structs and pointers only.
#pragma once

#include "grid/kernels.h"
#include "materials/admm_material.h"
#include "materials/implicit_material.h"

namespace dollop {

// The data of one material's particles that these loops need beside their GroupView.
template <class S>
struct AdmmGroup {
  const AdmmMaterial<S>* material;
  const ImplicitMaterial<S>* forces;  // of the state after a step
  const std::uint32_t* first_batch;   // first batch of each tile; batches are numbered through all tiles
  S* data;                            // admm_reals(branches) * advance_size numbers for each batch
  S* tangents;                        // tangent_reals * advance_size, of materials that tear
  S* acceleration[3];  // column of the method: beside that of gravity, in the last step [m/s^2]
};

// Fields hold four numbers per node, of which the fourth is not used, and a block of zeros at the end.
template <class S>
struct AdmmArgs {
  const TransferArgs<S>* transfer;
  const AdmmGroup<S>* groups;
  AdmmOptions<S> options;
  const S* field;  // a velocity, or a direction in which it changes
  S* sum;          // the sum over all tiles
};

template <class S>
struct AdmmKernels {
  // dt sum V tau f^-T grad w at the velocity `field`, in the stress form of the options                 (ADMM.9)
  void (*forces)(const AdmmArgs<S>&, int tile);
  // weights and multipliers at the velocity `field`; dt sum V Lambda grad w                            (ADMM.11)
  void (*start)(const AdmmArgs<S>&, int tile);
  // local step and multipliers at the velocity `field`; dt sum V (z - k f b) grad w                   (ADMM.2-4)
  AdmmSums (*iterate)(const AdmmArgs<S>&, int tile);
  // the scalar matrix without the masses, times `field`, and its diagonal                                (ADMM.4)
  void (*product)(const AdmmArgs<S>&, int tile);
  void (*diagonal)(const AdmmArgs<S>&, int tile);
  // sum of w m a over the particles, and a of the particles from `field`                               (ADMM.13)
  void (*scatter_acceleration)(const AdmmArgs<S>&, int tile);
  void (*gather_acceleration)(const AdmmArgs<S>&, int tile);
  void (*sum_tiles)(const AdmmArgs<S>&, int slot);
};

}  // namespace dollop
