// Parallel loops, run by TBB.
#include "core/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include "core/denormals.h"

namespace dollop {
namespace {

// threads that join a loop bring a mode of their own, and TBB may change that of this one
auto in_mode_of_caller(const detail::LoopBody& loop) {
  return [loop, mode = DenormalMode::current()](std::size_t begin, std::size_t end) {
    const ScopedDenormalMode as_in_caller(mode);
    loop.call(loop.body, begin, end);
  };
}

}  // namespace

std::size_t loop_threads() { return std::size_t(tbb::this_task_arena::max_concurrency()); }

void detail::run_loop(std::size_t n, std::size_t grain, const LoopBody& body) {
  const auto some = in_mode_of_caller(body);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, grain),
                    [&](const auto& range) { some(range.begin(), range.end()); });
}

std::vector<std::size_t> LoopAffinity::equal_shares(std::size_t n) {
  const std::size_t shares = loop_threads();
  std::vector<std::size_t> begin(shares + 1);
  for (std::size_t k = 0; k <= shares; ++k) begin[k] = n * k / shares;
  return begin;
}

void LoopAffinity::run(const std::vector<std::size_t>& begin, std::size_t grain,
                       const detail::LoopBody& body) {
  const auto some = in_mode_of_caller(body);
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

}  // namespace dollop
