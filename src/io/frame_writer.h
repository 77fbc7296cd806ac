// Writes frames on a thread of its own, in parallel with the simulation.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace dollop {

// Jobs run one after the other, in the order of submit(). If one throws, those queued behind it are dropped, so that
// the frames on the disk have no gaps.
class FrameWriter {
 public:
  explicit FrameWriter(std::size_t capacity = 2);  // length of the queue
  ~FrameWriter();  // runs the queued jobs; errors are lost: call finish() before
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;

  // Both rethrow the error of an earlier job, once; submit() then has not accepted its job.
  void submit(std::function<void()> job);  // waits while the queue is full
  void finish();                           // waits until all jobs are done

 private:
  void run();
  void throw_error(std::unique_lock<std::mutex>& lock);

  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::exception_ptr error_;
  bool busy_ = false, closing_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace dollop
