// Whether a run shows what its scene expects: fed with one frame after the other, so that nothing is read back.
#pragma once

#include <dollop/run.h>

#include <map>

#include "io/metrics.h"

namespace dollop {

class ExpectationTracker {
 public:
  ExpectationTracker(const std::vector<Expectation>& expectations, double frame_duration);

  void add(const FrameRecord& record);
  std::vector<ExpectationResult> results() const;

  // for checkpoints
  std::string save() const;
  void restore(const std::string& text);  // throws std::runtime_error

 private:
  struct Entry {
    Expectation expectation;
    bool decided = false, passed = false;
    double value = 0, time = 0;  // that decided, or the last seen
    bool seen = false;
  };
  void consider(Entry& entry, double value, double time) const;

  std::vector<Entry> entries_;
  double frame_duration_;  // [s]
};

}  // namespace dollop
