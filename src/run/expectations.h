// Tests the expectations of a scene against the metrics of a run, frame by frame. A resumed run replays the earlier
// frames from metrics.jsonl, so that [expect] may be edited in between.
#pragma once

#include <dollop/run.h>

#include <map>
#include <optional>

#include "io/metrics.h"

namespace dollop {

class ExpectationTracker {
 public:
  using Line = std::map<std::string, double>;  // as from read_metrics()

  ExpectationTracker(const std::vector<Expectation>& expectations, double frame_duration);

  void add(const FrameRecord& record);
  // Replays frames 0 to `last_frame`. An expectation whose metric is missing in a frame that counts does not pass.
  void replay(const std::vector<Line>& lines, int last_frame);
  // The results; of a run that has not finished, only those that later frames cannot change.
  std::vector<ExpectationResult> results(bool finished = true) const;

 private:
  struct Entry {
    Expectation expectation;
    bool decided = false, passed = false;
    double value = 0, time = 0;  // those that decided, or the last ones
    bool seen = false;
    std::optional<double> unknown = {};  // time of a frame that counts but lacks the metric [s]
  };
  void consider(Entry& entry, double value, double time) const;
  void consider_unknown(Entry& entry, double time) const;
  bool is_before(double time, const Expectation& expectation) const;

  std::vector<Entry> entries_;
  double frame_duration_;  // [s]
};

}  // namespace dollop
