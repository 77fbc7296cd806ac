#include "io/frame_writer.h"

#include <utility>

#include "core/assert.h"

namespace dollop {

FrameWriter::FrameWriter(std::size_t capacity) : capacity_(capacity), thread_([this] { run(); }) {
  DOLLOP_ASSERT(capacity > 0);
}

FrameWriter::~FrameWriter() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void FrameWriter::submit(std::function<void()> job) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return error_ || waiting_.size() < capacity_; });
  throw_error(lock);
  waiting_.push_back(std::move(job));
  changed_.notify_all();
}

void FrameWriter::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.empty() && !busy_; });
  throw_error(lock);
}

void FrameWriter::throw_error(std::unique_lock<std::mutex>& lock) {
  if (!error_) return;
  const std::exception_ptr error = std::exchange(error_, nullptr);
  lock.unlock();
  std::rethrow_exception(error);
}

void FrameWriter::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return closing_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::function<void()> job = std::move(waiting_.front());
    waiting_.pop_front();
    busy_ = true;
    changed_.notify_all();
    lock.unlock();

    std::exception_ptr error;
    try {
      job();
    } catch (...) {
      error = std::current_exception();
    }
    job = nullptr;  // frees the frame before the next job starts

    lock.lock();
    busy_ = false;
    if (error) {
      error_ = error;
      waiting_.clear();
    }
    changed_.notify_all();
  }
}

}  // namespace dollop
