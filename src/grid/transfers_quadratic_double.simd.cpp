// Quadratic transfers in double precision.
#include "grid/choose_transfers.h"

namespace dollop::inline DOLLOP_ISA {

template const TransferKernels<double>* choose_transfers<double, 3>(const TransferChoice&);

}  // namespace dollop::inline DOLLOP_ISA
