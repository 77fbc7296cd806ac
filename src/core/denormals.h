// How a thread treats denormal numbers, those closer to zero than 1.2e-38 in float. Many processors need a hundred cycles
// for an operation on one, so the hot loops run with flush-to-zero and denormals-are-zero: such numbers count as zero.
// Everything else keeps the mode of its caller.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace dollop {

// The mode of a thread, as bits of its control register; on processors without SSE the mode never changes.
struct DenormalMode {
  unsigned bits = 0;
  bool operator==(const DenormalMode&) const = default;

#if defined(__SSE2__)
  static constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
  static constexpr unsigned both = flush_to_zero | denormals_are_zero;
  static DenormalMode current() { return {_mm_getcsr() & both}; }
  static constexpr DenormalMode flushing() { return {both}; }
  void set() const {
    const unsigned control = _mm_getcsr(), wanted = (control & ~both) | bits;
    if (wanted != control) _mm_setcsr(wanted);
  }
#else
  static DenormalMode current() { return {}; }
  static constexpr DenormalMode flushing() { return {}; }
  void set() const {}
#endif
};

// Sets the mode of this thread, and restores the mode before at its end.
class ScopedDenormalMode {
 public:
  explicit ScopedDenormalMode(DenormalMode mode) : before_(DenormalMode::current()) { mode.set(); }
  ScopedDenormalMode(const ScopedDenormalMode&) = delete;
  ScopedDenormalMode& operator=(const ScopedDenormalMode&) = delete;
  ~ScopedDenormalMode() { before_.set(); }

 private:
  DenormalMode before_;
};

// Denormal numbers count as zero on this thread, and in the parallel loops that it starts, as long as this lives.
class FlushDenormals : ScopedDenormalMode {
 public:
  FlushDenormals() : ScopedDenormalMode(DenormalMode::flushing()) {}
};

}  // namespace dollop
