// Parallel loops. Every iteration writes memory of its own and treats denormal numbers as the caller does, so results
// never depend on the number of threads.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "core/denormals.h"

namespace dollop {

// Divides loops over things in the same order among threads in the same way each time, so that each thread finds what it
// had before in its cache. A thread that is done with its share helps others. It never changes what is computed.
class LoopAffinity {
 public:
  // the begins of the shares of n things, one share for each thread, and their end
  static std::vector<std::size_t> equal_shares(std::size_t n) {
    const auto shares = std::size_t(tbb::this_task_arena::max_concurrency());
    std::vector<std::size_t> begin(shares + 1);
    for (std::size_t k = 0; k <= shares; ++k) begin[k] = n * k / shares;
    return begin;
  }
  // shares of about the same work, of which each thing has work(i)
  template <class Work>
  static std::vector<std::size_t> shares_by_work(std::size_t n, Work&& work) {
    std::vector<double> before(n + 1, 0.0);
    for (std::size_t i = 0; i < n; ++i) before[i + 1] = before[i] + work(i);
    std::vector<std::size_t> begin = equal_shares(n);
    const double share = before[n] / double(begin.size() - 1);
    for (std::size_t k = 1, i = 0; k + 1 < begin.size(); ++k) {
      while (i < n && before[i] < share * double(k)) ++i;
      begin[k] = i;
    }
    return begin;
  }

  // calls some(begin, end) for pieces of up to `grain` things, several threads at a time
  template <class Some>
  void run(const std::vector<std::size_t>& begin, std::size_t grain, Some&& some) {
    const std::size_t count = begin.size() - 1;
    if (begin.back() <= grain || count == 1) return some(std::size_t(0), begin.back());
    if (count != count_) shares_ = std::make_unique<Share[]>(count_ = count);
    for (std::size_t k = 0; k < count; ++k) {
      shares_[k].next.store(begin[k], std::memory_order_relaxed);
      shares_[k].end = begin[k + 1];
    }
    tbb::parallel_for(
        std::size_t(0), count,
        [&](std::size_t) {
          const auto own = std::size_t(std::max(0, tbb::this_task_arena::current_thread_index()));
          for (std::size_t k = 0; k < count; ++k) {
            Share& share = shares_[(own + k) % count];
            while (share.next.load(std::memory_order_relaxed) < share.end) {
              const std::size_t i = share.next.fetch_add(grain, std::memory_order_relaxed);
              if (i < share.end) some(i, std::min(i + grain, share.end));
            }
          }
        },
        tbb::static_partitioner());
  }

 private:
  struct alignas(64) Share {
    std::atomic<std::size_t> next;
    std::size_t end;
  };
  std::unique_ptr<Share[]> shares_;
  std::size_t count_ = 0;
};

namespace detail {

// threads that join a loop bring a mode of their own, and TBB may change that of this one
template <class Body>
auto in_mode_of_caller(Body& body) {
  return [&body, mode = DenormalMode::current()](std::size_t begin, std::size_t end) {
    const ScopedDenormalMode as_in_caller(mode);
    for (std::size_t i = begin; i != end; ++i) body(i);
  };
}

}  // namespace detail

// calls body(i) for i in [0, n), in tasks of about `grain` consecutive i or more
template <class Body>
void parallel_for(std::size_t n, std::size_t grain, Body&& body) {
  const auto some = detail::in_mode_of_caller(body);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, grain),
                    [&](const auto& range) { some(range.begin(), range.end()); });
}
// the same, divided among threads as other loops with this affinity
template <class Body>
void parallel_for(std::size_t n, std::size_t grain, LoopAffinity& affinity, Body&& body) {
  affinity.run(LoopAffinity::equal_shares(n), grain, detail::in_mode_of_caller(body));
}
template <class Body>
void parallel_for(const std::vector<std::size_t>& shares, std::size_t grain, LoopAffinity& affinity,
                  Body&& body) {
  affinity.run(shares, grain, detail::in_mode_of_caller(body));
}

// calls body(begin, end) on pieces of [0, n) of a fixed size
template <class Body>
void parallel_ranges(std::size_t n, std::size_t piece, Body&& body) {
  const std::size_t pieces = (n + piece - 1) / piece;
  parallel_for(pieces, 1, [&](std::size_t k) { body(k * piece, (k + 1) * piece < n ? (k + 1) * piece : n); });
}

}  // namespace dollop
