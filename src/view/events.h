// What happens to a run, for those who watch it: each event is a name and a JSON object.
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

// The last events, for any number of watchers. One who comes back too late for some of them is told so by an event
// "reset", upon which the page asks for everything again.
class EventHub {
 public:
  void publish(const std::string& name, const std::string& json);
  void close();  // wakes all who wait

  std::uint64_t latest() const;
  // The text of all events after `seen` as server-sent events, once there are some; empty when the time is over or the
  // hub is closed. Moves `seen` on.
  std::string wait(std::uint64_t& seen, std::chrono::milliseconds longest);
  bool closed() const;

 private:
  static constexpr std::size_t kept = 256;
  mutable std::mutex guard_;
  std::condition_variable changed_;
  std::deque<std::string> events_ = {};
  std::uint64_t count_ = 0;  // of all events ever
  bool closed_ = false;
};

// A run's folder, opened when there is something in it and anew when another run takes its place.
class RunSource {
 public:
  RunSource(std::filesystem::path folder, std::function<bool()> busy);  // as that of RunReader
  // Throws what RunReader throws.
  std::shared_ptr<RunReader> open();
  std::optional<std::int64_t> stamp()
      const;  // changes when the scene is written anew; none: nor is there a run

 private:
  std::filesystem::path folder_;
  std::function<bool()> busy_;
  std::mutex guard_;
  std::optional<std::int64_t> opened_ = {};
  std::shared_ptr<RunReader> reader_ = {};
};

// Looks at the folder while someone watches: new frames, new lines of metrics.
class FolderWatch {
 public:
  FolderWatch(RunSource& source, EventHub& hub, std::function<void()> at_start);
  ~FolderWatch();

  // Someone watches from now on: what is there now is known, all later changes become events.
  void enter();
  void leave();

 private:
  void loop();
  void look(bool publish);
  void look_at(RunReader& reader, bool publish);

  RunSource& source_;
  EventHub& hub_;
  std::function<void()> at_start_;  // of the thread
  std::mutex guard_;                // of all below
  std::condition_variable changed_;
  int watchers_ = 0;
  bool ended_ = false;
  std::optional<std::int64_t> stamp_ = {};
  std::vector<int> frames_ = {};
  std::size_t rows_ = 0;
  std::uintmax_t metrics_bytes_ = 0;
  std::thread thread_;
};

}  // namespace dollop
