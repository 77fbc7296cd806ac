#include "io/frame_writer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <vector>

namespace dollop {
namespace {

TEST(frame_writer, jobs_run_in_order_on_another_thread) {
  std::vector<int> done;
  std::thread::id thread;
  FrameWriter writer;
  for (int i = 0; i < 100; ++i)
    writer.submit([&, i] {
      done.push_back(i);
      thread = std::this_thread::get_id();
    });
  writer.finish();
  ASSERT_EQ(done.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[std::size_t(i)], i);
  EXPECT_NE(thread, std::this_thread::get_id());
  writer.finish();  // nothing left to do
}

TEST(frame_writer, takes_two_jobs_beside_the_one_that_runs_then_waits) {
  std::promise<void> gate, running;
  std::shared_future<void> open(gate.get_future());
  std::atomic<int> submitted = 0;
  FrameWriter writer;
  writer.submit([&] {
    running.set_value();
    open.wait();
  });
  running.get_future().wait();
  std::thread simulation([&] {
    for (int i = 0; i < 3; ++i) {
      writer.submit([] {});
      ++submitted;
    }
  });
  while (submitted < 2) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(submitted, 2);  // the third waits for the gate
  gate.set_value();
  simulation.join();
  EXPECT_EQ(submitted, 3);
  writer.finish();
}

TEST(frame_writer, error_comes_back_once_and_drops_what_waits) {
  std::atomic<int> later = 0;
  std::promise<void> gate;
  std::shared_future<void> open(gate.get_future());
  FrameWriter writer;
  writer.submit([open] {
    open.wait();
    throw std::runtime_error("disk full");
  });
  writer.submit([&] { ++later; });
  gate.set_value();
  try {
    writer.finish();
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()), "disk full");
  }
  EXPECT_EQ(later, 0);
  writer.finish();
  writer.submit([&] { ++later; });
  writer.finish();
  EXPECT_EQ(later, 1);
}

TEST(frame_writer, submit_reports_the_error_of_an_earlier_job) {
  FrameWriter writer;
  writer.submit([] { throw std::runtime_error("disk full"); });
  int taken = 0;
  const auto flood = [&] {
    for (;; ++taken) writer.submit([] {});
  };
  EXPECT_THROW(flood(), std::runtime_error);
  writer.finish();
}

TEST(frame_writer, submit_that_waits_wakes_up_for_an_error) {
  std::promise<void> gate;
  std::shared_future<void> open(gate.get_future());
  FrameWriter writer(1);
  writer.submit([open] {
    open.wait();
    throw std::runtime_error("disk full");
  });
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gate.set_value();
  });
  EXPECT_THROW(
      {
        writer.submit([] {});
        writer.submit([] {});
      },
      std::runtime_error);
  opener.join();
}

TEST(frame_writer, destructor_finishes_jobs_and_swallows_errors) {
  int done = 0;
  {
    FrameWriter writer;
    for (int i = 0; i < 3; ++i)
      writer.submit([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        ++done;
      });
  }
  EXPECT_EQ(done, 3);
  {
    FrameWriter writer;
    writer.submit([] { throw std::runtime_error("disk full"); });
  }
}

}  // namespace
}  // namespace dollop
