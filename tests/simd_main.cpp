// The main program of tests that are compiled for one instruction set. This file itself is compiled for the
// baseline, and asks the processor before any other code of the program runs, static constructors included.
#include <gtest/gtest.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/processor.h"

namespace {

#if defined(DOLLOP_NEEDS_avx512)
const char* const isa = "avx512";
bool cpu_has_isa() { return dollop::processor_has_avx512(); }
#elif defined(DOLLOP_NEEDS_avx2)
const char* const isa = "avx2";
bool cpu_has_isa() { return dollop::processor_has_avx2(); }
#else
const char* const isa = "baseline";
bool cpu_has_isa() { return true; }
#endif

// Runs first: 101 is the earliest priority that is open to programs. Where the instruction set is missing, the
// program lists one test, and ctest takes the words it prints for "skipped".
__attribute__((constructor(101))) void skip_without_isa(int argc, char** argv) {
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
