// Cubic transfers in double precision.
#include "grid/choose_transfers.h"

namespace dollop::inline DOLLOP_ISA {

template const TransferKernels<double>* choose_transfers<double, 4>(const TransferChoice&);

}  // namespace dollop::inline DOLLOP_ISA
