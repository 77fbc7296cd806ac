#include "core/assert.h"

#include <cstdio>
#include <cstdlib>

namespace dollop {

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "dollop: internal error: %s:%d: %s\n", file, line, condition);
  std::fflush(stderr);
  std::abort();
}

}  // namespace dollop
