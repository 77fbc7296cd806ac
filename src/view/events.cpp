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
    if (events_.size() > max_events) events_.pop_front();
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

std::string EventHub::wait(std::uint64_t& seen, std::chrono::milliseconds timeout) {
  std::unique_lock lock(guard_);
  changed_.wait_for(lock, timeout, [&] { return closed_ || count_ > seen; });
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

FolderWatch::FolderWatch(RunSource& source, EventHub& hub, std::function<void()> on_start)
    : source_(source), hub_(hub), on_start_(std::move(on_start)), thread_([this] { loop(); }) {}

FolderWatch::~FolderWatch() {
  {
    const std::lock_guard lock(guard_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void FolderWatch::subscribe() {
  {
    const std::lock_guard lock(guard_);
    poll(subscribers_ > 0);
    ++subscribers_;
  }
  changed_.notify_all();
}

void FolderWatch::unsubscribe() {
  const std::lock_guard lock(guard_);
  --subscribers_;
}

void FolderWatch::loop() {
  if (on_start_) on_start_();
  std::unique_lock lock(guard_);
  while (!stopping_) {
    if (subscribers_ > 0)
      changed_.wait_for(lock, 250ms, [&] { return stopping_; });
    else
      changed_.wait(lock, [&] { return stopping_ || subscribers_ > 0; });
    if (!stopping_ && subscribers_ > 0) poll(true);
  }
}

void FolderWatch::poll(bool publish) {
  try {
    const auto now = source_.stamp();
    if (!now) return;  // no run yet
    const auto reader = source_.open();
    const bool replaced = stamp_ && now != stamp_;
    stamp_ = now;
    if (replaced) {
      frames_.clear();
      rows_ = 0, metrics_bytes_ = 0;
      poll_reader(*reader, false);
      if (publish) hub_.publish("reset", "{}");
      return;
    }
    poll_reader(*reader, publish);
  } catch (const std::exception&) {
    // the folder is being created or removed; the next poll will show
  }
}

void FolderWatch::poll_reader(RunReader& reader, bool publish) {
  std::vector<int> present = reader.frames();
  std::vector<int> added;
  std::set_difference(present.begin(), present.end(), frames_.begin(), frames_.end(),
                      std::back_inserter(added));
  const bool removed = present.size() - added.size() != frames_.size();
  frames_ = std::move(present);
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(RunFolder{reader.folder()}.metrics(), error);
  const bool grown = !error && bytes != metrics_bytes_;
  if (grown) metrics_bytes_ = bytes;
  if (removed) rows_ = 0;
  const std::string rows = grown || removed ? reader.metrics_since(rows_) : "[]";
  if (!publish) return;
  if (removed) {
    hub_.publish("reset", "{}");
    return;
  }
  if (rows != "[]") hub_.publish("metrics", JsonObject().raw("rows", rows).str());
  if (!added.empty()) hub_.publish("frames", JsonObject().raw("added", json_numbers(added)).str());
}

}  // namespace dollop
