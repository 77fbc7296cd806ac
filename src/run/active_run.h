// A run in progress: its simulation and its output.
#pragma once

#include <dollop/run.h>

#include <chrono>
#include <optional>

#include "io/checkpoint.h"
#include "io/frame_writer.h"
#include "io/metrics.h"
#include "run/expectations.h"
#include "run/frame_files.h"
#include "run/log.h"
#include "run/remaining_time.h"
#include "run/run_folder.h"
#include "run/summary.h"

namespace dollop {

class ActiveRun {
 public:
  ActiveRun(const SceneFile& file, const RunOptions& options);  // throws SceneError; writes nothing

  void start();                          // a new run: makes the folder and writes frame 0
  void restore(Checkpoint& checkpoint);  // resumes from the checkpoint
  RunResult finish();                    // computes the remaining frames; errors are in the result

 private:
  using Clock = std::chrono::steady_clock;
  // The last frame that is on the disk with all its files.
  struct Kept {
    int frame = -1;  // negative: none
    std::uint64_t hash = 0;
  };
  const Settings& settings() const { return file_.scene.settings; }
  const Output& output() const { return file_.scene.output; }
  void open(int frame);
  void say(const std::string& text);
  bool advance_frame(RunResult& result);
  void write_frame();
  void submit_files(const FrameRecord& record);
  void save_checkpoint();
  bool keep_going(const StepReport& step);
  void show_progress(double dt, bool frame_finished);
  void complete(RunResult& result);
  void complete_preview(RunResult& result);
  void give_up(const OutputError& error, RunResult& result);

  SceneFile file_;
  RunOptions options_;
  RunFolder folder_;
  Simulation simulation_;
  FrameFiles files_;
  ExpectationTracker tracker_;
  SummaryTracker summary_;
  RemainingTime remaining_;
  std::optional<FolderLock> lock_;
  std::optional<Log> log_;
  std::optional<MetricsFile> metrics_;
  int frame_ = 0, last_frame_ = 0;                  // the last complete frame; the last frame to compute
  std::int64_t first_steps_ = 0, frame_steps_ = 0;  // step counts when this process, and this frame, began
  double earlier_wall_ = 0;  // wall-clock time spent on this frame before an interruption [s]
  std::uint64_t hash_ = 0;   // of the last complete frame
  Kept kept_;                // set by the writer's thread: read after writer_.finish()
  Clock::time_point began_ = Clock::now(), frame_began_ = Clock::now(), shown_{};
  FrameWriter writer_;  // the last member, so that it is destroyed first: its jobs use the others
};

}  // namespace dollop
