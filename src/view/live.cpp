#include "view/live.h"

#include <thread>

#include "view/json_object.h"

namespace dollop {

using namespace std::chrono_literals;

// --- RunControl -------------------------------------------------------------------------------------------

void RunControl::set(State state) {
  {
    const std::lock_guard lock(guard_);
    if (state_ == state) return;
    state_ = state;
  }
  command_sent_.notify_all();
  if (changed) changed();
}

RunCommand RunControl::next_command() {
  bool started = false;
  std::unique_lock lock(guard_);
  if (state_ == State::starting) {
    state_ = State::running;
    started = true;
  }
  const auto may_continue = [&] { return state_ != State::paused || save_; };
  while (!may_continue() && !(interrupted_ && interrupted_()))
    command_sent_.wait_for(lock, 50ms, may_continue);
  RunCommand command = RunCommand::go_on;
  if (state_ == State::stopping)
    command = RunCommand::stop;
  else if (save_)
    command = RunCommand::save;
  save_ = false;
  lock.unlock();
  if (started && changed) changed();
  return command;
}

void RunControl::frame_finished() {
  if (state() == State::stepping) set(State::paused);
}

void RunControl::end(State state, const std::string& message) {
  {
    const std::lock_guard lock(guard_);
    message_ = message;
  }
  set(state);
}

bool RunControl::send(const std::string& name) {
  if (ended())
    return name == "pause" || name == "resume" || name == "step" || name == "stop" || name == "save";
  const State now = state();
  if (name == "save") {
    {
      const std::lock_guard lock(guard_);
      save_ = true;
    }
    command_sent_.notify_all();
    return true;
  }
  if (now == State::stopping) return name == "pause" || name == "resume" || name == "step" || name == "stop";
  if (name == "pause")
    set(State::paused);
  else if (name == "resume")
    set(State::running);
  else if (name == "step")
    set(State::stepping);
  else if (name == "stop")
    set(State::stopping);
  else
    return false;
  return true;
}

RunControl::State RunControl::state() const {
  const std::lock_guard lock(guard_);
  return state_;
}

std::string RunControl::message() const {
  const std::lock_guard lock(guard_);
  return message_;
}

bool RunControl::ended() const {
  const State now = state();
  return now == State::finished || now == State::failed || now == State::interrupted;
}

// --- LiveView ---------------------------------------------------------------------------------------------

LiveView::LiveView(const std::filesystem::path& folder, HttpOptions options,
                   std::function<bool()> interrupted)
    : interrupted_(interrupted), control_(interrupted) {
  options.background = true;
  LiveHooks hooks;
  hooks.ready = [this] { return control_.state() != RunControl::State::starting; };
  hooks.busy = [this] {
    const auto now = control_.state();
    return now == RunControl::State::running || now == RunControl::State::stepping;
  };
  hooks.state = [this] { return state_json(); };
  hooks.control = [this](const std::string& command) { return control_.send(command); };
  server_ = std::make_unique<ViewServer>(folder, options, hooks);
  control_.changed = [this] { publish("state"); };
}

std::string LiveView::state_json() const {
  static constexpr const char* names[] = {"starting", "running",  "paused", "stepping",
                                          "stopping", "finished", "failed", "interrupted"};
  JsonObject object;
  object.text("state", names[int(control_.state())]).text("message", control_.message());
  const std::lock_guard lock(guard_);
  object.number("frame", progress_.frame).number("frames", progress_.frames);
  object.number("time", progress_.time).number("duration", progress_.duration);
  object.number("dt", progress_.dt).number("steps", double(progress_.steps));
  object.number("particles", double(progress_.particles));
  object.number("elapsed", progress_.elapsed).number("remaining", progress_.remaining);
  return object.number("steps_per_second", progress_.steps_per_second).str();
}

void LiveView::publish(const char* event) {
  const std::lock_guard lock(publishing_);
  server_->events().publish(event, state_json());
}

void LiveView::show(const Progress& progress) {
  const auto now = std::chrono::steady_clock::now();
  {
    const std::lock_guard lock(guard_);
    progress_ = progress;
    if (!progress.frame_finished && now - published_ < 250ms) return;
    published_ = now;
  }
  if (progress.frame_finished) control_.frame_finished();
  publish("progress");
}

void LiveView::attach(RunOptions& options) {
  const auto before = options.progress;
  options.progress = [this, before](const Progress& progress) {
    if (before) before(progress);
    show(progress);
  };
  options.command = [this] { return control_.next_command(); };
}

void LiveView::finish(const RunResult& result) {
  using State = RunControl::State;
  const State ends[] = {State::finished, State::failed, State::interrupted};  // in the order of the statuses
  control_.end(ends[int(result.status)], result.message);
}

void LiveView::wait_until_interrupted() const {
  while (!(interrupted_ && interrupted_())) std::this_thread::sleep_for(50ms);
}

}  // namespace dollop
