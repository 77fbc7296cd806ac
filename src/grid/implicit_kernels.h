// The loops of implicit solvers over particles and nodes, as tables of functions. Theory: docs/theory/implicit.md.
//
// Shared by code of every instruction set, so plain structs and pointers only.
#pragma once

#include "grid/kernels.h"
#include "materials/implicit_material.h"

namespace dollop {

// The data of one material's particles that these loops need beside their GroupView.
template <class S>
struct ImplicitGroup {
  const ImplicitMaterial<S>* material;
  const std::uint32_t* first_chunk;  // first chunk of each tile; chunks are numbered through all tiles
  S* tangents;                       // tangent_reals * chunk_size numbers for each chunk
};

// Fields hold four numbers per node, of which the fourth is not used, and a block of zeros at the end.
template <class S>
struct ImplicitArgs {
  const TransferArgs<S>* transfer;
  const ImplicitGroup<S>* groups;
  const S* field;  // a velocity, or a direction in which it changes
  S* sum;          // the sum over all tiles
};

template <class S>
struct ImplicitKernels {
  void (*forces)(const ImplicitArgs<S>&,
                 int tile);  // dt sum V tau f^-T grad w at the velocity `field`  (IMP.2)
  void (*linearise)(const ImplicitArgs<S>&,
                    int tile);  // tangents at the velocity `field`                  (IMP.4)
  void (*product)(const ImplicitArgs<S>&,
                  int tile);  // change of the forces in the direction `field`     (IMP.5)
  void (*diagonal)(const ImplicitArgs<S>&,
                   int tile);  // diagonal of that map without mixed terms         (IMP.9)
  // diagonal blocks of that map: components xx yy zz of part 0, xy xz yz of part 1                      (IMP.13)
  void (*node_blocks)(const ImplicitArgs<S>&, int tile, int part);
  void (*make_definite)(const ImplicitArgs<S>&,
                        int tile);  // the stored tangents                       (IMP.14)
  double (*potential)(const ImplicitArgs<S>&,
                      int tile);  // at the velocity `field`; of materials that have one  (IMP.11)
  double (*forces_and_potential)(const ImplicitArgs<S>&,
                                 int tile);  // both at once
  void (*sum_tiles)(const ImplicitArgs<S>&, int slot);
};

}  // namespace dollop
