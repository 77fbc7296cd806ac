#include "run/expectations.h"

#include <gtest/gtest.h>

namespace dollop {
namespace {

using When = Expectation::When;

FrameRecord record_at(double time, double speed) {
  FrameRecord record;
  record.metrics.time = time;
  record.metrics.max_speed = speed;
  return record;
}

Expectation expect(const std::string& op, double value, When when, double time = 0) {
  return {.metric = "max_speed",
          .op = op,
          .value = value,
          .tolerance = 0.1,
          .when = when,
          .time = time,
          .text = "?"};
}

// the speed rises to 4 at 0.2 s and falls to 1
bool passes(const Expectation& expectation) {
  ExpectationTracker tracker({expectation}, 0.1);
  const double speeds[] = {0, 2, 4, 3, 1};
  for (int k = 0; k < 5; ++k) tracker.add(record_at(0.1 * k, speeds[k]));
  return tracker.results()[0].passed;
}

TEST(Expectations, AtTheEnd) {
  EXPECT_TRUE(passes(expect("<", 1.5, When::end)));
  EXPECT_FALSE(passes(expect(">", 1.5, When::end)));
  EXPECT_TRUE(passes(expect("==", 1, When::end)));
  EXPECT_FALSE(passes(expect("!=", 1, When::end)));
  EXPECT_TRUE(passes(expect("<=", 1, When::end)));
  EXPECT_TRUE(passes(expect(">=", 1, When::end)));
  EXPECT_TRUE(passes(expect("~", 1.09, When::end)));
  EXPECT_FALSE(passes(expect("~", 1.11, When::end)));
}

TEST(Expectations, AtATimeIsTheFirstFrameNotBeforeIt) {
  EXPECT_TRUE(passes(expect("==", 4, When::at, 0.2)));
  EXPECT_TRUE(passes(expect("==", 3, When::at, 0.21)));
  EXPECT_TRUE(passes(expect("==", 0, When::at, 0)));
  EXPECT_FALSE(passes(expect(">", -1, When::at, 0.5)));  // never reached
}

TEST(Expectations, OverTheRun) {
  EXPECT_TRUE(passes(expect("<", 4.5, When::always)));
  EXPECT_FALSE(passes(expect("<", 3.5, When::always)));
  EXPECT_TRUE(passes(expect(">", 3.5, When::sometime)));
  EXPECT_FALSE(passes(expect(">", 4.5, When::sometime)));
}

TEST(Expectations, ReportTheValueThatDecided) {
  ExpectationTracker tracker({expect("<", 3.5, When::always), expect("<", 9, When::always)}, 0.1);
  const double speeds[] = {0, 2, 4, 3, 5};
  for (int k = 0; k < 5; ++k) tracker.add(record_at(0.1 * k, speeds[k]));
  EXPECT_EQ(tracker.results()[0].found, "4 at 0.2 s");  // the first that broke it
  EXPECT_EQ(tracker.results()[1].found, "5 at 0.4 s");  // the one that came closest
}

TEST(Expectations, NotANumberNeverPasses) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* op : {"<", "<=", ">", ">=", "==", "!=", "~"}) {
    ExpectationTracker tracker({expect(op, 1, When::end)}, 0.1);
    tracker.add(record_at(0, nan));
    EXPECT_FALSE(tracker.results()[0].passed) << op;
  }
}

TEST(Expectations, NumbersAreReportedRatherThanNone) {
  ExpectationTracker tracker({expect(">", 5, When::sometime)}, 0.1);
  tracker.add(record_at(0, std::numeric_limits<double>::quiet_NaN()));
  tracker.add(record_at(0.1, 4));
  EXPECT_FALSE(tracker.results()[0].passed);
  EXPECT_EQ(tracker.results()[0].found, "4 at 0.1 s");
}

TEST(Expectations, SurviveACheckpoint) {
  const std::vector<Expectation> all{expect("<", 3.5, When::always), expect(">", 3.9, When::sometime),
                                     expect("==", 2, When::at, 0.1), expect("<", 2, When::end)};
  ExpectationTracker whole(all, 0.1), first(all, 0.1), second(all, 0.1);
  const double speeds[] = {0, 2, 4, 3, 1};
  for (int k = 0; k < 5; ++k) {
    whole.add(record_at(0.1 * k, speeds[k]));
    if (k < 3) first.add(record_at(0.1 * k, speeds[k]));
  }
  second.restore(first.save());
  for (int k = 3; k < 5; ++k) second.add(record_at(0.1 * k, speeds[k]));
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(second.results()[i].passed, whole.results()[i].passed) << i;
    EXPECT_EQ(second.results()[i].found, whole.results()[i].found) << i;
  }
  EXPECT_THROW(second.restore("1 0"), std::runtime_error);
}

}  // namespace
}  // namespace dollop
