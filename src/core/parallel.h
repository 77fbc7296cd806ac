// Parallel loops. Every iteration writes memory of its own and treats denormal numbers as the caller does, so results
// never depend on the number of threads.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cstddef>

#include "core/denormals.h"

namespace dollop {

// calls body(i) for i in [0, n), in tasks of about `grain` consecutive i or more
template <class Body>
void parallel_for(std::size_t n, std::size_t grain, Body&& body) {
  // threads that join bring a mode of their own, and TBB may change that of this one
  const DenormalMode mode = DenormalMode::current();
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, grain), [&](const auto& range) {
    const ScopedDenormalMode as_in_caller(mode);
    for (std::size_t i = range.begin(); i != range.end(); ++i) body(i);
  });
}

// calls body(begin, end) on pieces of [0, n) of a fixed size
template <class Body>
void parallel_ranges(std::size_t n, std::size_t piece, Body&& body) {
  const std::size_t pieces = (n + piece - 1) / piece;
  parallel_for(pieces, 1, [&](std::size_t k) { body(k * piece, (k + 1) * piece < n ? (k + 1) * piece : n); });
}

}  // namespace dollop
