// Quadratic transfers in float precision.
#include "grid/transfers.h"

namespace dollop::inline DOLLOP_ISA {

const TransferKernels<float>* quadratic_transfers_float(const TransferChoice& choice) {
  return choose_transfers<float, 3>(choice);
}

}  // namespace dollop::inline DOLLOP_ISA
