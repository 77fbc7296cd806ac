#include "view/live.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "client.h"
#include "view/byte_cache.h"

namespace dollop {
namespace {

using namespace std::chrono_literals;

// waits until something holds; false after ten seconds
template <class Condition>
bool soon(Condition&& holds) {
  for (int k = 0; k < 1000; ++k) {
    if (holds()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

TEST(ByteCache, forgets_what_was_not_used_for_longest) {
  ByteCache<int, int> cache(10);
  const auto add = [&](int key, std::size_t bytes) {
    cache.add(key, std::make_shared<const int>(key), bytes);
  };
  add(1, 4), add(2, 4);
  EXPECT_TRUE(cache.find(1));
  add(3, 4);
  EXPECT_TRUE(cache.find(1));
  EXPECT_FALSE(cache.find(2));
  EXPECT_EQ(cache.bytes(), 8u);
  add(1, 2);  // instead of the one before
  EXPECT_EQ(cache.bytes(), 6u);
  add(4, 100);  // too large, but just asked for
  EXPECT_TRUE(cache.find(4));
  EXPECT_FALSE(cache.find(1));
}

TEST(EventHub, gives_each_watcher_all_events_once) {
  EventHub hub;
  std::uint64_t one = hub.latest(), two = one;
  hub.publish("a", "{}");
  EXPECT_EQ(hub.wait(one, 0ms), "event: a\ndata: {}\n\n");
  hub.publish("b", "1");
  EXPECT_EQ(hub.wait(one, 0ms), "event: b\ndata: 1\n\n");
  EXPECT_EQ(hub.wait(one, 0ms), "");
  EXPECT_EQ(hub.wait(two, 0ms), "event: a\ndata: {}\n\nevent: b\ndata: 1\n\n");
  for (int k = 0; k < 1000; ++k) hub.publish("c", "2");
  const std::string late = hub.wait(two, 0ms);
  EXPECT_EQ(late.rfind("event: reset", 0), 0u);
  EXPECT_LT(late.size(), 20000u);
}

TEST(EventHub, wakes_those_who_wait) {
  EventHub hub;
  auto waiting = std::async(std::launch::async, [&] {
    std::uint64_t seen = 0;
    return hub.wait(seen, 10s);
  });
  hub.publish("now", "{}");
  EXPECT_EQ(waiting.get(), "event: now\ndata: {}\n\n");
  hub.close();
  std::uint64_t seen = hub.latest();
  EXPECT_EQ(hub.wait(seen, 10s), "");
}

TEST(RunControl, orders_reach_the_run) {
  RunControl control([] { return false; });
  EXPECT_EQ(control.next_command(), RunCommand::go_on);
  EXPECT_TRUE(control.send("save"));
  EXPECT_EQ(control.next_command(), RunCommand::save);
  EXPECT_EQ(control.next_command(), RunCommand::go_on);
  EXPECT_FALSE(control.send("explode"));
  EXPECT_TRUE(control.send("stop"));
  EXPECT_EQ(control.next_command(), RunCommand::stop);
  EXPECT_TRUE(control.send("resume"));  // too late
  EXPECT_EQ(control.next_command(), RunCommand::stop);
}

TEST(RunControl, pauses_until_it_is_told) {
  RunControl control([] { return false; });
  control.next_command();
  control.send("pause");
  auto asked = std::async(std::launch::async, [&] { return control.next_command(); });
  EXPECT_EQ(asked.wait_for(150ms), std::future_status::timeout);
  control.send("step");
  EXPECT_EQ(asked.get(), RunCommand::go_on);
  EXPECT_EQ(control.next_command(), RunCommand::go_on);  // the frame is not complete
  control.frame_finished();
  EXPECT_EQ(control.state(), RunControl::State::paused);
  auto again = std::async(std::launch::async, [&] { return control.next_command(); });
  EXPECT_EQ(again.wait_for(150ms), std::future_status::timeout);
  control.send("save");  // also while it is paused
  EXPECT_EQ(again.get(), RunCommand::save);
  EXPECT_EQ(control.state(), RunControl::State::paused);
  control.send("resume");
  EXPECT_EQ(control.next_command(), RunCommand::go_on);
}

TEST(RunControl, an_interrupt_ends_the_pause) {
  std::atomic<bool> interrupted{false};
  RunControl control([&] { return interrupted.load(); });
  control.next_command();
  control.send("pause");
  auto asked = std::async(std::launch::async, [&] { return control.next_command(); });
  interrupted = true;
  EXPECT_EQ(asked.get(), RunCommand::go_on);
}

struct LiveRun {
  TemporaryFolder folder;
  std::atomic<bool> interrupted{false};
  LiveView view{folder.path / "run", {}, [this] { return interrupted.load(); }};
  std::future<RunResult> result;

  // With an order that is given when the first frame is complete.
  void start(const std::string& first_order = {}) {
    result = std::async(std::launch::async, [this, first_order] {
      RunOptions options;
      options.interrupted = [this] { return interrupted.load(); };
      options.progress = [this, first_order](const Progress& progress) {
        if (progress.frame_finished && progress.frame == 1 && !first_order.empty()) {
          EXPECT_EQ(order(first_order), 200);
        }
      };
      view.attach(options);
      const RunResult ended = make_small_run(folder.path / "run", options);
      view.finish(ended);
      return ended;
    });
  }
  std::string state() const { return ask(view.port(), "/api/run").body; }
  bool is(const std::string& name) const {
    return state().find("\"state\":\"" + name + "\"") != std::string::npos;
  }
  int order(const std::string& name) const {
    return ask(view.port(), "/api/control/" + name, "POST", "X-Dollop: view\r\n").status;
  }
};

TEST(LiveView, shows_a_run_from_before_its_start_to_its_end) {
  LiveRun run;
  EXPECT_EQ(ask(run.view.port(), "/api/run").status, 503);
  EXPECT_EQ(run.order("pause"), 503);
  std::string heard;
  std::atomic<bool> watching{false};
  std::thread watcher([&] {
    heard = talk(run.view.port(), "GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n", 10, "\"finished\"",
                 &watching);
  });
  EXPECT_TRUE(soon([&] { return watching.load(); }));
  run.start();
  EXPECT_EQ(run.result.get().status, RunResult::Status::finished);
  watcher.join();
  EXPECT_NE(heard.find("\"state\":\"starting\""), std::string::npos) << heard;
  EXPECT_NE(heard.find("event: progress"), std::string::npos) << heard;
  EXPECT_TRUE(run.is("finished"));
  EXPECT_EQ(ask(run.view.port(), "/api/frames/4/particles").status, 200);
  EXPECT_EQ(run.order("pause"), 200);  // nothing is left to pause
  EXPECT_TRUE(run.is("finished"));
}

TEST(LiveView, steps_and_stops) {
  LiveRun run;
  run.start("pause");
  const auto frames = [&] {
    const std::string text = run.state();
    const std::size_t at = text.find("\"frame\":", text.find("\"live\""));
    return std::stoi(text.substr(at + 8));
  };
  ASSERT_TRUE(soon([&] { return run.is("paused") && frames() == 1; }));
  EXPECT_EQ(run.order("step"), 200);
  EXPECT_TRUE(soon([&] { return frames() == 2 && run.is("paused"); }));
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(frames(), 2);
  EXPECT_EQ(run.order("save"), 200);
  EXPECT_EQ(run.order("stop"), 200);
  const RunResult result = run.result.get();
  EXPECT_EQ(result.status, RunResult::Status::interrupted);
  EXPECT_EQ(result.frame, 2);
  EXPECT_TRUE(run.is("interrupted"));
}

}  // namespace
}  // namespace dollop
