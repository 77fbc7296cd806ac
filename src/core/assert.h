// DOLLOP_ASSERT: for bugs of this program. Active in every build: a wrong answer is worse than a stopped program.
#pragma once

namespace dollop {
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);
}

#define DOLLOP_ASSERT(condition) \
  ((condition) ? void(0) : ::dollop::assertion_failed(#condition, __FILE__, __LINE__))
