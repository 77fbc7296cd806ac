// Parallel loops. Every iteration writes memory of its own and treats denormal numbers as the caller does, so results
// never depend on the number of threads.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <cstddef>
#include <memory>

#include "core/denormals.h"

namespace dollop {

// Remembers which thread took which part of loops over things in the same order, so that it takes them again: they are
// in its cache. It never changes what is computed.
class LoopAffinity {
 public:
  tbb::affinity_partitioner& partitioner() { return *partitioner_; }

 private:
  std::unique_ptr<tbb::affinity_partitioner> partitioner_ = std::make_unique<tbb::affinity_partitioner>();
};

namespace detail {

template <class Body, class... Partitioner>
void run_parallel(std::size_t n, std::size_t grain, Body&& body, Partitioner&... partitioner) {
  // threads that join bring a mode of their own, and TBB may change that of this one
  const DenormalMode mode = DenormalMode::current();
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, n, grain),
      [&](const auto& range) {
        const ScopedDenormalMode as_in_caller(mode);
        for (std::size_t i = range.begin(); i != range.end(); ++i) body(i);
      },
      partitioner...);
}

}  // namespace detail

// calls body(i) for i in [0, n), in tasks of about `grain` consecutive i or more
template <class Body>
void parallel_for(std::size_t n, std::size_t grain, Body&& body) {
  detail::run_parallel(n, grain, body);
}
template <class Body>
void parallel_for(std::size_t n, std::size_t grain, LoopAffinity& affinity, Body&& body) {
  detail::run_parallel(n, grain, body, affinity.partitioner());
}

// calls body(begin, end) on pieces of [0, n) of a fixed size
template <class Body>
void parallel_ranges(std::size_t n, std::size_t piece, Body&& body) {
  const std::size_t pieces = (n + piece - 1) / piece;
  parallel_for(pieces, 1, [&](std::size_t k) { body(k * piece, (k + 1) * piece < n ? (k + 1) * piece : n); });
}

}  // namespace dollop
