#include "core/denormals.h"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <limits>
#include <thread>
#include <vector>

#include "core/parallel.h"

namespace dollop {
namespace {

// whether this thread computes with denormal numbers, in float and in double
bool keeps_denormals() {
  volatile float f = std::numeric_limits<float>::min();
  volatile double d = std::numeric_limits<double>::min();
  const volatile float half_f = f / 2;  // flush-to-zero acts on the result
  const volatile double half_d = d / 2;
  volatile float tiny = std::numeric_limits<float>::denorm_min();
  const volatile float sum = tiny + tiny;  // denormals-are-zero acts on the operands
  return half_f != 0 && half_d != 0 && sum != 0;
}
bool flushes_denormals() {
  volatile float f = std::numeric_limits<float>::min(), tiny = std::numeric_limits<float>::denorm_min();
  volatile double d = std::numeric_limits<double>::min();
  return f / 2 == 0 && d / 2 == 0 && tiny * 0x1p30f == 0;
}

#if defined(__SSE2__)

TEST(Denormals, count_as_zero_within_the_scope_only) {
  ASSERT_TRUE(keeps_denormals());
  {
    const FlushDenormals flush;
    EXPECT_TRUE(flushes_denormals());
    {
      const FlushDenormals again;
      EXPECT_TRUE(flushes_denormals());
    }
    EXPECT_TRUE(flushes_denormals());
  }
  EXPECT_TRUE(keeps_denormals());
}

TEST(Denormals, scope_leaves_rounding_and_exception_flags_alone) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr((before & ~0x6000u) | 0x2000u);  // round down
  {
    const FlushDenormals flush;
    EXPECT_EQ(_mm_getcsr() & 0x6000u, 0x2000u);
    volatile double zero = 0, one = 1;
    [[maybe_unused]] volatile double infinite = one / zero;  // raises a flag, which stays
  }
  EXPECT_EQ(_mm_getcsr() & 0x6000u, 0x2000u);
  EXPECT_NE(_mm_getcsr() & 0x0004u, 0u);
  _mm_setcsr(before);
}

// Counts the iterations of a parallel loop that flush, and those that do not, on many threads.
struct Counts {
  std::atomic<int> flush{0}, keep{0};
};
void count_modes(Counts& counts) {
  parallel_for(2000, 1, [&](std::size_t) {
    ++(flushes_denormals() ? counts.flush : counts.keep);
    std::this_thread::yield();  // gives other threads a share of the loop
  });
}

TEST(Denormals, parallel_loops_take_the_mode_of_their_caller) {
  tbb::task_arena arena(4);
  arena.execute([] {
    Counts plain, flushing;
    count_modes(plain);
    {
      const FlushDenormals flush;
      count_modes(flushing);
      EXPECT_TRUE(flushes_denormals());
    }
    EXPECT_EQ(plain.keep, 2000);
    EXPECT_EQ(flushing.flush, 2000);
    EXPECT_TRUE(keeps_denormals());
    count_modes(plain);  // the threads that joined are as they were
    EXPECT_EQ(plain.keep, 4000);
  });
}

TEST(Denormals, threads_that_flush_already_do_not_change_a_loop) {
  // another library may have left its mode in a thread that joins, or in the one that calls
  tbb::task_arena arena(4);
  arena.execute([] {
    DenormalMode::flushing().set();
    Counts counts;
    {
      const ScopedDenormalMode keep{DenormalMode{}};
      count_modes(counts);
    }
    EXPECT_EQ(counts.keep, 2000);
    EXPECT_TRUE(flushes_denormals());
    DenormalMode{}.set();
  });
}

#endif

}  // namespace
}  // namespace dollop
