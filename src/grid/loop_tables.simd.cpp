// The tables of loops of one instruction set. A new table is a member of LoopTables and its function here.
#include "grid/implicit_kernels.h"

namespace dollop::inline DOLLOP_ISA {

// transfers_*.simd.cpp: K nodes wide, 3 for quadratic kernels and 4 for cubic ones
template <class S, int K>
const TransferKernels<S>* choose_transfers(const TransferChoice& choice);
// implicit_*.simd.cpp
template <class S>
const ImplicitKernels<S>* choose_implicit(Kernel kernel, ForceForm forces);
// material_tables.simd.cpp
template <class S>
const MaterialKernels<S>* choose_material(int index, bool tears);
template <class S>
const ImplicitMaterial<S>* choose_implicit_material(int index, bool tears, StepForces forces);

namespace {

template <class S>
const TransferKernels<S>* transfers_of(const TransferChoice& choice) {
  return choice.kernel == Kernel::cubic ? choose_transfers<S, 4>(choice) : choose_transfers<S, 3>(choice);
}

template <class S>
constexpr LoopTables<S> loops = {.transfers = transfers_of<S>,
                                 .material = choose_material<S>,
                                 .implicit = choose_implicit<S>,
                                 .implicit_material = choose_implicit_material<S>};

}  // namespace

extern const LoopTables<float> float_loops;
extern const LoopTables<double> double_loops;
constinit const LoopTables<float> float_loops = loops<float>;
constinit const LoopTables<double> double_loops = loops<double>;

}  // namespace dollop::inline DOLLOP_ISA
