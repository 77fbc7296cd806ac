// The loops of ADMM in float precision.
#include "grid/admm.h"

namespace dollop::inline DOLLOP_ISA {

template const AdmmKernels<float>* choose_admm(Kernel, ForceForm);

}  // namespace dollop::inline DOLLOP_ISA
