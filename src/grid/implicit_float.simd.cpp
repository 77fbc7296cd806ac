#include "grid/implicit.h"

namespace dollop::inline DOLLOP_ISA {

const ImplicitKernels<float>* implicit_kernels_float(Kernel kernel, ForceForm forces) {
  return choose_implicit<float>(kernel, forces);
}

}  // namespace dollop::inline DOLLOP_ISA
