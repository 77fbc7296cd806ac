// Events of a run for subscribers (server-sent events): each event is a name and a JSON object.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "view/run_reader.h"

namespace dollop {

// A queue of the last events, for any number of subscribers. A subscriber that missed events gets an event "reset"
// first; the page then requests everything again.
class EventHub {
 public:
  void publish(const std::string& name, const std::string& json);
  void close();  // wakes all waiting threads

  std::uint64_t latest() const;
  // Waits for events after number `seen`, returns their text as server-sent events and advances `seen`. Returns an
  // empty text on timeout or if the hub is closed.
  std::string wait(std::uint64_t& seen, std::chrono::milliseconds timeout);
  bool closed() const;

 private:
  static constexpr std::size_t max_events = 256;
  mutable std::mutex guard_;
  std::condition_variable changed_;
  std::deque<std::string> events_ = {};
  std::uint64_t count_ = 0;  // of all events published so far
  bool closed_ = false;
};

// Opens a run's folder as soon as it contains a run, and reopens it if another run replaces that.
class RunSource {
 public:
  RunSource(std::filesystem::path folder, std::function<bool()> busy);  // busy: see RunReader
  // Throws what RunReader throws.
  std::shared_ptr<RunReader> open();
  std::optional<std::int64_t> stamp() const;  // time of the scene file's last change; none: there is no run

 private:
  std::filesystem::path folder_;
  std::function<bool()> busy_;
  std::mutex guard_;
  std::optional<std::int64_t> opened_ = {};
  std::shared_ptr<RunReader> reader_ = {};
};

// Polls the folder for new frames and new lines of metrics while there are subscribers.
class FolderWatch {
 public:
  FolderWatch(RunSource& source, EventHub& hub, std::function<void()> on_start);
  ~FolderWatch();

  // A subscriber knows what exists now; all later changes become events.
  void subscribe();
  void unsubscribe();

 private:
  void loop();
  void poll(bool publish);
  void poll_reader(RunReader& reader, bool publish);

  RunSource& source_;
  EventHub& hub_;
  std::function<void()> on_start_;  // called by the thread when it starts
  std::mutex guard_;                // of all members below
  std::condition_variable changed_;
  int subscribers_ = 0;
  bool stopping_ = false;
  std::optional<std::int64_t> stamp_ = {};
  std::vector<int> frames_ = {};
  std::size_t rows_ = 0;
  std::uintmax_t metrics_bytes_ = 0;
  std::thread thread_;
};

}  // namespace dollop
