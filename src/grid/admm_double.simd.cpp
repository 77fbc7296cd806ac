// The loops of ADMM in double precision.
#include "grid/admm.h"

namespace dollop::inline DOLLOP_ISA {

template const AdmmKernels<double>* choose_admm(Kernel, ForceForm);

}  // namespace dollop::inline DOLLOP_ISA
