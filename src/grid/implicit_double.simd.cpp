// The loops of implicit solvers in double precision.
#include "grid/implicit.h"

namespace dollop::inline DOLLOP_ISA {

template const ImplicitKernels<double>* choose_implicit(Kernel, ForceForm);

}  // namespace dollop::inline DOLLOP_ISA
