// Terminal output of a run, and its interruption.
#pragma once

#include <dollop/run.h>

#include <chrono>
#include <string>

namespace dollop {

// Ctrl-C, SIGTERM, SIGHUP (the terminal closes) and SIGPIPE ask the run to stop after its step; a second Ctrl-C or SIGTERM
// ends the program at once. A pipe that breaks while the run prints into it does not stop it.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  static bool interrupted();
};

// Shows progress: one line updated in place on a terminal; otherwise a line for each frame, and one every ten seconds
// of a frame that takes long.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine() { clear(); }
  void show(const Progress& progress);
  void say(const std::string& text);  // prints a permanent line
  void clear();

 private:
  bool quiet_, terminal_, shown_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();  // of the last line
};

std::string duration_text(double seconds);     // 1:02:03, 4:05 or 3.2 s
std::string with_separators(std::uint64_t n);  // 1,234,567

// Runs or resumes, prints how it ended, and returns the exit status.
struct RunView {
  bool quiet = false, json = false;
};
int watch(const RunView& view, RunOptions options, const std::function<RunResult(const RunOptions&)>& run);

}  // namespace dollop
