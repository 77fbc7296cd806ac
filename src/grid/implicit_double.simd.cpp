#include "grid/implicit.h"

namespace dollop::inline DOLLOP_ISA {

const ImplicitKernels<double>* implicit_kernels_double(Kernel kernel, ForceForm forces) {
  return choose_implicit<double>(kernel, forces);
}

}  // namespace dollop::inline DOLLOP_ISA
