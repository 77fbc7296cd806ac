// Cubic transfers in float precision.
#include "grid/choose_transfers.h"

namespace dollop::inline DOLLOP_ISA {

template const TransferKernels<float>* choose_transfers<float, 4>(const TransferChoice&);

}  // namespace dollop::inline DOLLOP_ISA
