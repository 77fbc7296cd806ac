// The tables of loops of one instruction set. A new table is a member of LoopTables and its function here.
#include "grid/admm_kernels.h"
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
// admm_*.simd.cpp
template <class S>
const AdmmKernels<S>* choose_admm(Kernel kernel, ForceForm forces);
template <class S>
const AdmmMaterial<S>* choose_admm_material(int index, bool tears);

namespace {

template <class S>
const TransferKernels<S>* transfers_of(const TransferChoice& choice) {
  return choice.kernel == Kernel::cubic ? choose_transfers<S, 4>(choice) : choose_transfers<S, 3>(choice);
}

template <class S>
constexpr LoopTables<S> loops = {.transfers = transfers_of<S>,
                                 .material = choose_material<S>,
                                 .implicit = choose_implicit<S>,
                                 .implicit_material = choose_implicit_material<S>,
                                 .admm = choose_admm<S>,
                                 .admm_material = choose_admm_material<S>};

}  // namespace

extern const LoopTables<float> float_loops;
extern const LoopTables<double> double_loops;
constinit const LoopTables<float> float_loops = loops<float>;
constinit const LoopTables<double> double_loops = loops<double>;

}  // namespace dollop::inline DOLLOP_ISA
