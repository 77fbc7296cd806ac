// Watching and controlling a run in progress from a browser.
#pragma once

#include <dollop/run.h>

#include <condition_variable>
#include <mutex>
#include <string>

#include "view/server.h"

namespace dollop {

// Passes commands of the web page to the run: requests send them, the run's thread fetches them.
class RunControl {
 public:
  enum class State { starting, running, paused, stepping, stopping, finished, failed, interrupted };

  explicit RunControl(std::function<bool()> interrupted) : interrupted_(std::move(interrupted)) {}

  // For the run's thread. next_command() blocks while the run is paused, unless it is interrupted.
  RunCommand next_command();
  void frame_finished();
  void end(State state, const std::string& message);

  // For any other thread: pause, resume, step (to the end of the next frame), stop or save; false: unknown command.
  bool send(const std::string& name);
  State state() const;
  std::string message() const;
  bool ended() const;

  std::function<void()> changed = {};  // called after the state has changed

 private:
  void set(State state);
  std::function<bool()> interrupted_;
  mutable std::mutex guard_;
  std::condition_variable command_sent_;
  State state_ = State::starting;
  bool save_ = false;
  std::string message_ = {};
};

// A server for a run in this process. attach() connects it to the run, finish() reports how the run ended.
class LiveView {
 public:
  // Throws HttpError.
  LiveView(const std::filesystem::path& folder, HttpOptions options, std::function<bool()> interrupted);

  std::string url() const { return server_->url(); }
  int port() const { return server_->port(); }

  // Sets `command`, and extends the existing `progress`.
  void attach(RunOptions& options);
  void finish(const RunResult& result);
  // Keeps serving the page until then.
  void wait_until_interrupted() const;

 private:
  std::string state_json() const;
  void publish(const char* event);
  void show(const Progress& progress);

  std::function<bool()> interrupted_;
  RunControl control_;
  mutable std::mutex guard_;
  std::mutex publishing_;  // keeps states in order
  Progress progress_ = {};
  std::chrono::steady_clock::time_point published_ = {};
  std::unique_ptr<ViewServer> server_;  // last: it uses the other members
};

}  // namespace dollop
