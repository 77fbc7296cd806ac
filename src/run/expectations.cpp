#include "run/expectations.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "scene/expectations.h"

namespace dollop {
namespace {

bool holds(const Expectation& e, double value) {
  if (std::isnan(value)) return false;  // there is nothing to compare
  if (e.op == "<") return value < e.value;
  if (e.op == "<=") return value <= e.value;
  if (e.op == ">") return value > e.value;
  if (e.op == ">=") return value >= e.value;
  if (e.op == "==") return value == e.value;
  if (e.op == "!=") return value != e.value;
  return std::fabs(value - e.value) <= e.tolerance;  // ~
}

// the margin by which a value meets the expectation; negative if the value violates it
double margin(const Expectation& e, double value) {
  if (e.op[0] == '<') return e.value - value;
  if (e.op[0] == '>') return value - e.value;
  if (e.op == "!=") return std::fabs(value - e.value);
  return e.tolerance - std::fabs(value - e.value);
}

double number(const ExpectationTracker::Line& line, const std::string& name, double otherwise) {
  const auto found = line.find(name);
  return found == line.end() ? otherwise : found->second;
}

// Whether a line has no value of the metric. Null does not count as missing: the value was not a number in the run
// either. A survey is written as a whole or not at all. Lines of earlier versions may end before mean_J
// and the fields after it, which are numbers in every run.
bool lacks(const ExpectationTracker::Line& line, const std::string& metric) {
  const bool added_later = metric == "mean_J" || metric == "max_increment" || metric == "affine_energy" ||
                           metric == "velocity_noise" || metric.starts_with("volume_change.") ||
                           metric.starts_with("mesh_gaps.");
  return line.empty() || (needs_survey(metric) && !line.contains("pieces")) ||
         (added_later && !line.contains(metric));
}

}  // namespace

ExpectationTracker::ExpectationTracker(const std::vector<Expectation>& expectations, double frame_duration)
    : frame_duration_(frame_duration) {
  for (const Expectation& e : expectations) entries_.push_back({e});
}

bool ExpectationTracker::is_before(double time, const Expectation& expectation) const {
  return time < expectation.time - 1e-6 * frame_duration_;  // to rounding
}

void ExpectationTracker::consider(Entry& entry, double value, double time) const {
  const Expectation& e = entry.expectation;
  const bool good = holds(e, value);
  const auto keep = [&] { entry.passed = good, entry.value = value, entry.time = time, entry.seen = true; };
  switch (e.when) {
    case Expectation::When::end:
      keep();
      break;
    case Expectation::When::at:  // the first frame that is not before the time
      if (entry.decided || is_before(time, e)) return;
      keep();
      entry.decided = true;
      break;
    case Expectation::When::always:  // the first frame that violates it, or the one that came closest to that
      if (entry.decided) return;
      if (!good || !entry.seen || margin(e, value) < margin(e, entry.value)) keep();
      entry.decided = !good;
      break;
    case Expectation::When::sometime:  // the first frame that meets it, or the one that came closest to that
      if (entry.decided) return;
      if (good || !entry.seen || std::isnan(entry.value) || margin(e, value) > margin(e, entry.value)) keep();
      entry.decided = good;
      break;
  }
  // earlier frames without a value do not matter any more
  if (entry.decided || e.when == Expectation::When::end) entry.unknown.reset();
}

void ExpectationTracker::consider_unknown(Entry& entry, double time) const {
  const bool at = entry.expectation.when == Expectation::When::at;
  if (entry.decided || (at && is_before(time, entry.expectation))) return;
  entry.unknown = time;
  entry.decided = at;
}

void ExpectationTracker::add(const FrameRecord& record) {
  for (Entry& entry : entries_)
    consider(entry, metric_value(record, entry.expectation.metric), record.metrics.time);
}

void ExpectationTracker::replay(const std::vector<Line>& lines, int last_frame) {
  const Line none;
  std::size_t next = 0;
  for (int frame = 0; frame <= last_frame; ++frame) {
    const bool there = next < lines.size() && number(lines[next], "frame", -1) == frame;
    const Line& line = there ? lines[next++] : none;
    const double time = number(line, "time", frame * frame_duration_);
    for (Entry& entry : entries_) {
      const std::string& metric = entry.expectation.metric;
      if (lacks(line, metric))
        consider_unknown(entry, time);
      else
        consider(entry, number(line, metric, std::numeric_limits<double>::quiet_NaN()), time);
    }
  }
}

std::vector<ExpectationResult> ExpectationTracker::results(bool finished) const {
  std::vector<ExpectationResult> results;
  for (const Entry& entry : entries_) {
    if (!finished && !entry.decided) continue;
    const std::string text = entry.expectation.metric + " " + entry.expectation.text;
    if (entry.unknown)
      results.push_back(
          {text, false, fmt::format("no value at {:.4g} s in metrics.jsonl: not judged", *entry.unknown)});
    else if (!entry.seen)
      results.push_back({text, false, "never reached"});
    else
      results.push_back({text, entry.passed, fmt::format("{:.6g} at {:.4g} s", entry.value, entry.time)});
  }
  return results;
}

}  // namespace dollop
