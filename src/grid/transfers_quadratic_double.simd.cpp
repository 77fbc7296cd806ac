// Quadratic transfers in double precision.
#include "grid/transfers.h"

namespace dollop::inline DOLLOP_ISA {

const TransferKernels<double>* quadratic_transfers_double(const TransferChoice& choice) {
  return choose_transfers<double, 3>(choice);
}

}  // namespace dollop::inline DOLLOP_ISA
