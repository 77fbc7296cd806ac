// The table of transfers for the settings of a run, for one kernel.
// Included by transfers_*.simd.cpp only, once for each instruction set.
#pragma once

#include "grid/transfers.h"

namespace dollop::inline DOLLOP_ISA {

template <class S, int K, Carry C, bool TwoVelocities>
const TransferKernels<S>* choose_transfers(ForceForm forces) {
  return forces == ForceForm::mls ? &Transfers<S, K, C, ForceForm::mls, TwoVelocities>::table
                                  : &Transfers<S, K, C, ForceForm::gradient, TwoVelocities>::table;
}
template <class S, int K, Carry C>
const TransferKernels<S>* choose_transfers(const TransferChoice& c) {
  return c.two_velocities ? choose_transfers<S, K, C, true>(c.forces)
                          : choose_transfers<S, K, C, false>(c.forces);
}
template <class S, int K>
const TransferKernels<S>* choose_transfers(const TransferChoice& c) {
  if (c.transfer == Transfer::pic) return choose_transfers<S, K, Carry::plain>(c);
  if (c.transfer == Transfer::flip) return choose_transfers<S, K, Carry::flip>(c);
  // its loops gather a second velocity anyway
  if (c.transfer == Transfer::fading) return choose_transfers<S, K, Carry::fading, false>(c.forces);
  return choose_transfers<S, K, Carry::affine>(c);
}

}  // namespace dollop::inline DOLLOP_ISA
