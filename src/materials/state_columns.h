// The columns of a model's state as numbers in memory.
#pragma once

#include <cstddef>

#include "math/vec.h"

namespace dollop::inline DOLLOP_ISA {

// visits the numbers of one column: a plain one, or the six of a symmetric matrix
template <class R, class Visit>
DOLLOP_INLINE void each_real(R& a, Visit&& visit) {
  visit(a);
}
template <class R, class Visit>
DOLLOP_INLINE void each_real(const SymMat3<R>& a, Visit&& visit) {
  visit(a.xx), visit(a.yy), visit(a.zz), visit(a.xy), visit(a.xz), visit(a.yz);
}
template <class R, class Visit>
DOLLOP_INLINE void each_real(SymMat3<R>& a, Visit&& visit) {
  visit(a.xx), visit(a.yy), visit(a.zz), visit(a.xy), visit(a.xz), visit(a.yz);
}

// a pack of states from particle i on, read as packs P
template <class State, class P, class S>
DOLLOP_INLINE State load_state(S* const* columns, std::size_t i) {
  State s;
  int k = 0;
  State::columns(s, [&](const char*, auto& column) {
    each_real(column, [&](auto& x) { x = P::load(columns[k++] + i); });
  });
  return s;
}

// the state whose numbers are f of those of another one, which are of type R
template <class State, class R, class From, class F>
DOLLOP_INLINE State convert_state(const From& from, F&& f) {
  constexpr std::size_t most = 32;  // numbers of a state
  const R* numbers[most];
  State s;
  int n = 0, k = 0;
  From::columns(from, [&](const char*, const auto& column) {
    each_real(column, [&](const R& x) { numbers[n++] = &x; });
  });
  State::columns(
      s, [&](const char*, auto& column) { each_real(column, [&](auto& x) { x = f(*numbers[k++]); }); });
  return s;
}

}  // namespace dollop::inline DOLLOP_ISA
