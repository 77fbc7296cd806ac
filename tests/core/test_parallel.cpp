// Parallel loops visit every index once, whatever the sizes.
#include "core/parallel.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <vector>

namespace dollop {
namespace {

constexpr std::size_t sizes[] = {0, 1, 2, 15, 16, 17, 1000, 4097};

void expect_once(const std::vector<std::atomic<int>>& visits) {
  for (std::size_t i = 0; i < visits.size(); ++i) ASSERT_EQ(visits[i], 1) << i << " of " << visits.size();
}

TEST(Parallel, for_visits_each_index_once) {
  for (const std::size_t n : sizes)
    for (const std::size_t grain : {1, 7, 64, 100000}) {
      std::vector<std::atomic<int>> visits(n);
      parallel_for(n, grain, [&](std::size_t i) { ++visits.at(i); });
      expect_once(visits);
    }
}

TEST(Parallel, loops_with_affinity_visit_each_index_once) {
  for (const int threads : {1, 2, 5}) {
    tbb::task_arena arena(threads);
    arena.execute([] {
      LoopAffinity affinity;  // one for loops of many lengths
      for (const std::size_t n : sizes)
        for (const std::size_t grain : {1, 7, 64, 100000}) {
          std::vector<std::atomic<int>> visits(n), again(n);
          parallel_for(n, grain, affinity, [&](std::size_t i) { ++visits.at(i); });
          expect_once(visits);
          const auto shares = LoopAffinity::shares_by_work(n, [](std::size_t i) { return double(i % 13); });
          parallel_for(shares, grain, affinity, [&](std::size_t i) { ++again.at(i); });
          expect_once(again);
        }
    });
  }
}

TEST(Parallel, shares_have_about_the_same_work) {
  tbb::task_arena arena(4);
  arena.execute([] {
    const auto work = [](std::size_t i) { return i < 500 ? 7.0 : 1.0; };
    const auto begin = LoopAffinity::shares_by_work(1000, work);
    ASSERT_EQ(begin.size(), 5u);
    EXPECT_EQ(begin.front(), 0u);
    EXPECT_EQ(begin.back(), 1000u);
    for (std::size_t k = 0; k < 4; ++k) {
      double sum = 0;
      for (std::size_t i = begin[k]; i < begin[k + 1]; ++i) sum += work(i);
      EXPECT_NEAR(sum, 1000, 7) << k;
    }
  });
}

TEST(Parallel, ranges_cover_each_index_once) {
  for (const std::size_t n : sizes)
    for (const std::size_t piece : {1, 7, 16, 64, 100000}) {
      std::vector<std::atomic<int>> visits(n);
      std::atomic<int> calls = 0;
      parallel_ranges(n, piece, [&](std::size_t begin, std::size_t end) {
        ++calls;
        // the pieces are the same for every number of threads: fixed size, only the last is shorter
        EXPECT_EQ(begin % piece, 0u);
        EXPECT_TRUE(begin < end && end <= n && (end == begin + piece || end == n));
        for (std::size_t i = begin; i < end; ++i) ++visits.at(i);
      });
      expect_once(visits);
      EXPECT_EQ(std::size_t(calls), (n + piece - 1) / piece);
    }
}

TEST(Parallel, result_does_not_depend_on_the_number_of_threads) {
  const auto run = [](std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    std::vector<double> sums(100);
    parallel_ranges(9999, 100, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) sums[begin / 100] += 1.0 / double(i + 1);
    });
    double total = 0;
    for (const double s : sums) total += s;
    return total;
  };
  const double one = run(1);
  EXPECT_NEAR(one, 9.787506, 1e-5);  // the harmonic number of 9999
  for (const std::size_t threads : {2, 4}) EXPECT_EQ(run(threads), one);
}

TEST(Parallel, errors_reach_the_caller) {
  EXPECT_THROW(parallel_for(100, 1,
                            [](std::size_t i) {
                              if (i == 50) throw 7;
                            }),
               int);
}

}  // namespace
}  // namespace dollop
