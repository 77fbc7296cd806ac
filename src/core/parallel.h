// Parallel loops. Every iteration writes memory of its own and treats denormal numbers as the caller does, so results
// never depend on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace dollop {

std::size_t loop_threads();  // how many threads run the parallel loops of this one

namespace detail {

// The body of a loop without its type, so that TBB's templates are compiled once. It lives as long as the loop.
struct LoopBody {
  void* body;
  void (*call)(void* body, std::size_t begin, std::size_t end);
};
template <class Body>
LoopBody loop_body(Body& body) {
  return {const_cast<void*>(static_cast<const void*>(&body)),
          [](void* erased, std::size_t begin, std::size_t end) {
            Body& of_loop = *static_cast<Body*>(erased);
            for (std::size_t i = begin; i != end; ++i) of_loop(i);
          }};
}
void run_loop(std::size_t n, std::size_t grain, const LoopBody& body);

}  // namespace detail

// Divides loops over things in the same order among threads in the same way each time, so that each thread finds what it
// had before in its cache. A thread that is done with its share helps others. It never changes what is computed.
class LoopAffinity {
 public:
  // the begins of the shares of n things, one share for each thread, and their end
  static std::vector<std::size_t> equal_shares(std::size_t n);
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

  // runs the loop over these shares in pieces of up to `grain` iterations, several threads at a time
  void run(const std::vector<std::size_t>& begin, std::size_t grain, const detail::LoopBody& body);

 private:
  struct alignas(64) Share {
    std::atomic<std::size_t> next;
    std::size_t end;
  };
  std::unique_ptr<Share[]> shares_;
  std::size_t count_ = 0;
};

// calls body(i) for i in [0, n), in tasks of about `grain` consecutive i or more
template <class Body>
void parallel_for(std::size_t n, std::size_t grain, Body&& body) {
  detail::run_loop(n, grain, detail::loop_body(body));
}
// the same, divided among threads as other loops with this affinity
template <class Body>
void parallel_for(std::size_t n, std::size_t grain, LoopAffinity& affinity, Body&& body) {
  affinity.run(LoopAffinity::equal_shares(n), grain, detail::loop_body(body));
}
template <class Body>
void parallel_for(const std::vector<std::size_t>& shares, std::size_t grain, LoopAffinity& affinity,
                  Body&& body) {
  affinity.run(shares, grain, detail::loop_body(body));
}

// calls body(begin, end) on pieces of [0, n) of a fixed size
template <class Body>
void parallel_ranges(std::size_t n, std::size_t piece, Body&& body) {
  const std::size_t pieces = (n + piece - 1) / piece;
  parallel_for(pieces, 1, [&](std::size_t k) { body(k * piece, (k + 1) * piece < n ? (k + 1) * piece : n); });
}

}  // namespace dollop
