// Cubic transfers in double precision.
#include "grid/transfers.h"

namespace dollop::inline DOLLOP_ISA {

const TransferKernels<double>* cubic_transfers_double(const TransferChoice& choice) {
  return choose_transfers<double, 4>(choice);
}

}  // namespace dollop::inline DOLLOP_ISA
