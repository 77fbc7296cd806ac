// Answers the page's queries about a run from its folder, with caches. Thread safe.
#pragma once

#include <tbb/task_arena.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "boundary/shape_distance.h"
#include "render/splat.h"
#include "run/run_cache.h"
#include "view/byte_cache.h"

namespace dollop {

// Thrown if there is no such frame, particle or collider.
struct NotFound : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class RunReader {
 public:
  using Bytes = std::shared_ptr<const std::string>;

  // `busy` returns whether a run is in progress in this process, which must not lose computing time; empty: never.
  // Throws RunError and SceneError.
  explicit RunReader(const std::filesystem::path& folder, std::function<bool()> busy = {});

  std::string description();  // JSON
  std::vector<int> frames() const { return cache_.frames(); }
  std::string metrics() const;  // JSON: columns
  std::string metrics_since(
      std::size_t& rows) const;  // JSON: the rows after the first `rows`, which it updates
  Bytes particles(int frame, const std::string& quantity, bool ids);
  Bytes surface(int frame, const std::string& quantity);
  Bytes collider_mesh(std::size_t collider, int frame);
  std::string collider_poses(int frame) const;                        // JSON: all colliders
  std::string particle(int frame, std::uint64_t number, bool by_id);  // JSON
  const std::filesystem::path& folder() const { return cache_.folder().path; }

 private:
  using Frame = std::shared_ptr<const ParticleFrame>;
  using Stamp = std::pair<int, std::int64_t>;               // a frame, and the time its file was written
  using Key = std::tuple<std::string, Stamp, std::string>;  // kind, frame, quantity

  Stamp stamp_of(int frame) const;
  Frame frame(int number);
  template <class Make>
  Bytes cached(const Key& key, Make&& make);
  void throttle();
  Bounds shot_bounds();
  PreviewView view();
  std::string camera_json(const Bounds& shot, std::vector<bool>& see_through);
  std::string colliders_json(const std::vector<bool>& see_through) const;
  std::string materials_json() const;
  Frame first_frame();  // null: none exists yet

  RunCache cache_;
  std::function<bool()> busy_;
  std::chrono::steady_clock::time_point next_computation_ = {};  // the earliest time, while a run is busy
  // two arenas: a computation may wait for the reading of a frame, never the other way round
  tbb::task_arena reading_arena_, computing_arena_;
  std::mutex reading_;    // one frame is read at a time, to limit memory
  std::mutex computing_;  // the same for computations from frames
  std::mutex guard_;      // of the caches
  ByteCache<Stamp, ParticleFrame> frames_;
  ByteCache<Key, std::string> results_;
};

}  // namespace dollop
