#include "run/expectations.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <sstream>
#include <stdexcept>

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

// how far a value is from breaking the expectation; negative: it breaks it
double margin(const Expectation& e, double value) {
  if (e.op[0] == '<') return e.value - value;
  if (e.op[0] == '>') return value - e.value;
  if (e.op == "!=") return std::fabs(value - e.value);
  return e.tolerance - std::fabs(value - e.value);
}

}  // namespace

ExpectationTracker::ExpectationTracker(const std::vector<Expectation>& expectations, double frame_duration)
    : frame_duration_(frame_duration) {
  for (const Expectation& e : expectations) entries_.push_back({e});
}

void ExpectationTracker::consider(Entry& entry, double value, double time) const {
  const Expectation& e = entry.expectation;
  const bool good = holds(e, value);
  const auto keep = [&] { entry.passed = good, entry.value = value, entry.time = time, entry.seen = true; };
  switch (e.when) {
    case Expectation::When::end:
      keep();
      break;
    case Expectation::When::at:  // the first frame that is not before the time, to rounding
      if (entry.decided || time < e.time - 1e-6 * frame_duration_) return;
      keep();
      entry.decided = true;
      break;
    case Expectation::When::always:  // the first that breaks it, or the one that came closest to
      if (entry.decided) return;
      if (!good || !entry.seen || margin(e, value) < margin(e, entry.value)) keep();
      entry.decided = !good;
      break;
    case Expectation::When::sometime:  // the first that fulfils it, or the one that came closest to
      if (entry.decided) return;
      if (good || !entry.seen || std::isnan(entry.value) || margin(e, value) > margin(e, entry.value)) keep();
      entry.decided = good;
      break;
  }
}

void ExpectationTracker::add(const FrameRecord& record) {
  for (Entry& entry : entries_)
    consider(entry, metric_value(record, entry.expectation.metric), record.metrics.time);
}

std::vector<ExpectationResult> ExpectationTracker::results() const {
  std::vector<ExpectationResult> results;
  for (const Entry& entry : entries_)
    results.push_back(
        {entry.expectation.metric + " " + entry.expectation.text, entry.seen && entry.passed,
         entry.seen ? fmt::format("{:.6g} at {:.4g} s", entry.value, entry.time) : "never reached"});
  return results;
}

std::string ExpectationTracker::save() const {
  std::string text;
  for (const Entry& e : entries_)
    text += fmt::format("{:d} {:d} {:d} {:x} {:x}\n", e.decided, e.passed, e.seen,
                        std::bit_cast<std::uint64_t>(e.value), std::bit_cast<std::uint64_t>(e.time));
  return text;
}

void ExpectationTracker::restore(const std::string& text) {
  std::istringstream in(text);
  for (Entry& e : entries_) {
    std::uint64_t value, time;
    if (!(in >> std::dec >> e.decided >> e.passed >> e.seen >> std::hex >> value >> time))
      throw std::runtime_error("the checkpoint does not belong to the expectations of this scene");
    e.value = std::bit_cast<double>(value), e.time = std::bit_cast<double>(time);
  }
}

}  // namespace dollop
