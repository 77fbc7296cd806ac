// Watching and steering a run from a browser while it goes on.
#pragma once

#include <dollop/run.h>

#include <condition_variable>
#include <mutex>
#include <string>

#include "view/server.h"

namespace dollop {

// What someone who watches wants of the run. The run asks; requests tell.
class RunControl {
 public:
  enum class State { starting, running, paused, stepping, stopping, finished, failed, interrupted };

  explicit RunControl(std::function<bool()> interrupted) : interrupted_(std::move(interrupted)) {}

  // Of the run's thread. ask() waits while the run is paused, but not once it is interrupted.
  RunCommand ask();
  void frame_finished();
  void end(State state, const std::string& message);

  // Of any other thread: pause, resume, step (to the end of the next frame), stop or save; false: no such order.
  bool order(const std::string& name);
  State state() const;
  std::string message() const;
  bool ended() const;

  std::function<void()> changed = {};  // called after the state has changed

 private:
  void set(State state);
  std::function<bool()> interrupted_;
  mutable std::mutex guard_;
  std::condition_variable ordered_;
  State state_ = State::starting;
  bool save_ = false;
  std::string message_ = {};
};

// A server for a run that this process makes. Give it to the run by attach(), say how the run ended by finish().
class LiveView {
 public:
  // Throws HttpError.
  LiveView(const std::filesystem::path& folder, HttpOptions options, std::function<bool()> interrupted);

  std::string url() const { return server_->url(); }
  int port() const { return server_->port(); }

  // Sets `command`, and `progress` beside the one that is there.
  void attach(RunOptions& options);
  void finish(const RunResult& result);
  // The page stays until then.
  void wait_until_interrupted() const;

 private:
  std::string state_json() const;
  void publish(const char* event);
  void show(const Progress& progress);

  std::function<bool()> interrupted_;
  RunControl control_;
  mutable std::mutex guard_;
  std::mutex publishing_;  // an older state must not come after a newer one
  Progress progress_ = {};
  std::chrono::steady_clock::time_point published_ = {};
  std::unique_ptr<ViewServer> server_;  // last: it uses the rest
};

}  // namespace dollop
