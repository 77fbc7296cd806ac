// The main program of tests that are compiled for one instruction set. This file itself is compiled for the
// baseline, and asks the processor before any other code of the program runs, static constructors included.
#include <gtest/gtest.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

namespace {

#if defined(DOLLOP_NEEDS_avx512)
const char* const isa = "avx512";
bool cpu_has_isa() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#elif defined(DOLLOP_NEEDS_avx2)
const char* const isa = "avx2";
bool cpu_has_isa() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
}
#else
const char* const isa = "baseline";
bool cpu_has_isa() { return true; }
#endif

// Runs first: 101 is the earliest priority that is open to programs. Where the instruction set is missing, the
// program lists one test, and ctest takes the words it prints for "skipped".
__attribute__((constructor(101))) void skip_without_isa(int argc, char** argv) {
#if defined(__x86_64__)
  __builtin_cpu_init();
#endif
  if (cpu_has_isa()) return;
  if (argc > 1 && strcmp(argv[1], "--gtest_list_tests") == 0)
    printf("Machine.\n  has_%s\n", isa);
  else
    printf("[  SKIPPED ] skipped: no %s here\n", isa);
  fflush(stdout);
  _exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
