#include "view/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "view/json_object.h"

namespace dollop {

using namespace std::chrono_literals;

// --- EventHub ---------------------------------------------------------------------------------------------

void EventHub::publish(const std::string& name, const std::string& json) {
  {
    const std::lock_guard lock(guard_);
    events_.push_back(fmt::format("event: {}\ndata: {}\n\n", name, json));
    if (events_.size() > kept) events_.pop_front();
    ++count_;
  }
  changed_.notify_all();
}

void EventHub::close() {
  {
    const std::lock_guard lock(guard_);
    closed_ = true;
  }
  changed_.notify_all();
}

bool EventHub::closed() const {
  const std::lock_guard lock(guard_);
  return closed_;
}

std::uint64_t EventHub::latest() const {
  const std::lock_guard lock(guard_);
  return count_;
}

std::string EventHub::wait(std::uint64_t& seen, std::chrono::milliseconds longest) {
  std::unique_lock lock(guard_);
  changed_.wait_for(lock, longest, [&] { return closed_ || count_ > seen; });
  if (count_ <= seen) return {};
  std::string text;
  const std::uint64_t missed = count_ - seen;
  if (missed > events_.size()) text = "event: reset\ndata: {}\n\n";
  for (std::size_t k = events_.size() - std::size_t(std::min<std::uint64_t>(missed, events_.size()));
       k < events_.size(); ++k)
    text += events_[k];
  seen = count_;
  return text;
}

// --- RunSource --------------------------------------------------------------------------------------------

RunSource::RunSource(std::filesystem::path folder, std::function<bool()> busy)
    : folder_(std::move(folder)), busy_(std::move(busy)) {}

std::optional<std::int64_t> RunSource::stamp() const {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(RunFolder{folder_}.scene(), error);
  if (error) return {};
  return std::int64_t(written.time_since_epoch().count());
}

std::shared_ptr<RunReader> RunSource::open() {
  const auto now = stamp();
  const std::lock_guard lock(guard_);
  if (!reader_ || opened_ != now) {
    reader_ = std::make_shared<RunReader>(folder_, busy_);
    opened_ = now;
  }
  return reader_;
}

// --- FolderWatch ------------------------------------------------------------------------------------------

FolderWatch::FolderWatch(RunSource& source, EventHub& hub, std::function<void()> at_start)
    : source_(source), hub_(hub), at_start_(std::move(at_start)), thread_([this] { loop(); }) {}

FolderWatch::~FolderWatch() {
  {
    const std::lock_guard lock(guard_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void FolderWatch::enter() {
  {
    const std::lock_guard lock(guard_);
    look(watchers_ > 0);
    ++watchers_;
  }
  changed_.notify_all();
}

void FolderWatch::leave() {
  const std::lock_guard lock(guard_);
  --watchers_;
}

void FolderWatch::loop() {
  if (at_start_) at_start_();
  std::unique_lock lock(guard_);
  while (!ended_) {
    if (watchers_ > 0)
      changed_.wait_for(lock, 250ms, [&] { return ended_; });
    else
      changed_.wait(lock, [&] { return ended_ || watchers_ > 0; });
    if (!ended_ && watchers_ > 0) look(true);
  }
}

void FolderWatch::look(bool publish) {
  try {
    const auto now = source_.stamp();
    if (!now) return;  // no run yet
    const auto reader = source_.open();
    const bool another = stamp_ && now != stamp_;
    stamp_ = now;
    if (another) {
      frames_.clear();
      rows_ = 0, metrics_bytes_ = 0;
      look_at(*reader, false);
      if (publish) hub_.publish("reset", "{}");
      return;
    }
    look_at(*reader, publish);
  } catch (const std::exception&) {
    // a folder that is being made or removed; the next look will tell
  }
}

void FolderWatch::look_at(RunReader& reader, bool publish) {
  std::vector<int> there = reader.frames();
  std::vector<int> added;
  std::set_difference(there.begin(), there.end(), frames_.begin(), frames_.end(), std::back_inserter(added));
  const bool lost = there.size() - added.size() != frames_.size();
  frames_ = std::move(there);
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(RunFolder{reader.folder()}.metrics(), error);
  const bool more = !error && bytes != metrics_bytes_;
  if (more) metrics_bytes_ = bytes;
  if (lost) rows_ = 0;
  const std::string rows = more || lost ? reader.metrics_since(rows_) : "[]";
  if (!publish) return;
  if (lost) {
    hub_.publish("reset", "{}");
    return;
  }
  if (rows != "[]") hub_.publish("metrics", JsonObject().raw("rows", rows).str());
  if (!added.empty()) hub_.publish("frames", JsonObject().raw("added", json_numbers(added)).str());
}

}  // namespace dollop
