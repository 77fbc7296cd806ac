// The loops of implicit solvers in float precision.
#include "grid/implicit.h"

namespace dollop::inline DOLLOP_ISA {

template const ImplicitKernels<float>* choose_implicit(Kernel, ForceForm);

}  // namespace dollop::inline DOLLOP_ISA
