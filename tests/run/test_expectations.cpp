#include "run/expectations.h"

#include <gtest/gtest.h>

#include "io/read_metrics.h"

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

// what a run that goes on reads of the frames before
std::vector<ExpectationTracker::Line> lines_of(const std::vector<FrameRecord>& records) {
  std::vector<ExpectationTracker::Line> lines(records.size());
  for (std::size_t k = 0; k < records.size(); ++k)
    EXPECT_TRUE(parse_metrics_line(to_json(records[k]), lines[k]));
  return lines;
}

std::vector<FrameRecord> five_frames() {
  const double speeds[] = {0, 2, 4.1, 3, 1 / 3.0};
  std::vector<FrameRecord> records;
  for (int k = 0; k < 5; ++k) {
    records.push_back(record_at(0.1 * k, speeds[k]));
    records.back().frame = k;
  }
  return records;
}

TEST(Expectations, GoOnFromTheMetrics) {
  const std::vector<Expectation> all{expect("<", 3.5, When::always), expect("<", 9, When::always),
                                     expect(">", 3.9, When::sometime), expect("==", 2, When::at, 0.1),
                                     expect("<", 2, When::end)};
  const std::vector<FrameRecord> records = five_frames();
  ExpectationTracker whole(all, 0.1), second(all, 0.1);
  for (const FrameRecord& record : records) whole.add(record);
  second.replay(lines_of({records.begin(), records.begin() + 3}), 2);
  for (int k = 3; k < 5; ++k) second.add(records[std::size_t(k)]);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(second.results()[i].passed, whole.results()[i].passed) << i;
    EXPECT_EQ(second.results()[i].found, whole.results()[i].found) << i;
  }
}

TEST(Expectations, NothingPassesOnFramesThatAreLost) {
  const std::vector<Expectation> all{expect("<", 9, When::always),      // judged by all frames
                                     expect("<", 4, When::always),      // broken by one that is there
                                     expect(">", 9, When::sometime),    // may have been in the lost one
                                     expect(">", 3, When::sometime),    // found in one that is there
                                     expect("==", 2, When::at, 0.1),    // the lost one itself
                                     expect("==", 4.1, When::at, 0.2),  // another
                                     expect("<", 2, When::end)};
  std::vector<FrameRecord> records = five_frames();
  records.erase(records.begin() + 1);
  ExpectationTracker tracker(all, 0.1);
  tracker.replay(lines_of(records), 4);
  const std::vector<ExpectationResult> results = tracker.results();
  const std::string lost = "no value at 0.1 s in metrics.jsonl: not judged";
  const std::string found[] = {lost,           "4.1 at 0.2 s",     lost, "4.1 at 0.2 s", lost,
                               "4.1 at 0.2 s", "0.333333 at 0.4 s"};
  const bool passed[] = {false, false, false, true, false, true, true};
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(results[i].passed, passed[i]) << i;
    EXPECT_EQ(results[i].found, found[i]) << i;
  }
}

// a survey that only [expect] asks for is not in the lines from before it was edited
TEST(Expectations, NothingPassesOnFramesWithoutASurvey) {
  std::vector<Expectation> all{expect("==", 1, When::always), expect("==", 1, When::end)};
  for (Expectation& e : all) e.metric = "pieces";
  ExpectationTracker tracker(all, 0.1);
  tracker.replay(lines_of({record_at(0, 0)}), 0);
  for (const ExpectationResult& result : tracker.results()) {
    EXPECT_FALSE(result.passed);
    EXPECT_EQ(result.found, "no value at 0 s in metrics.jsonl: not judged");
  }
  FrameRecord surveyed = record_at(0.1, 0);
  surveyed.metrics.survey.emplace().pieces = 1;
  tracker.add(surveyed);
  EXPECT_FALSE(tracker.results()[0].passed);
  EXPECT_TRUE(tracker.results()[1].passed);
}

// a run that an earlier version began, and whose lines end before the fields that were added since
TEST(Expectations, LinesOfEarlierVersionsAreNotJudgedByWhatTheyLack) {
  Expectation mean = expect("~", 1, When::always), largest = expect("<", 0.5, When::end);
  Expectation noise = expect("<", 0.01, When::always);
  mean.metric = "mean_J", largest.metric = "max_increment", noise.metric = "velocity_noise";
  FrameRecord record = record_at(0, 3);
  ExpectationTracker known({mean, largest, noise}, 0.1);
  known.replay(lines_of({record}), 0);
  EXPECT_TRUE(known.results()[0].passed && known.results()[1].passed && known.results()[2].passed);

  const std::string line = to_json(record);
  std::string older = line;
  for (const std::string added : {",\"mean_J\":1,\"max_increment\":0", ",\"velocity_noise\":0"}) {
    ASSERT_NE(older.find(added), std::string::npos) << line;
    older.erase(older.find(added), added.size());
  }
  ExpectationTracker::Line numbers;
  ASSERT_TRUE(parse_metrics_line(older, numbers));
  ExpectationTracker tracker({mean, largest, expect("==", 3, When::always), noise}, 0.1);
  tracker.replay({numbers}, 0);
  EXPECT_EQ(tracker.results()[0].found, "no value at 0 s in metrics.jsonl: not judged");
  EXPECT_FALSE(tracker.results()[0].passed || tracker.results()[1].passed);
  EXPECT_TRUE(tracker.results()[2].passed);
  EXPECT_EQ(tracker.results()[3].found, "no value at 0 s in metrics.jsonl: not judged");
  record.metrics.time = 0.1;
  tracker.add(record);
  EXPECT_FALSE(tracker.results()[0].passed);
  EXPECT_TRUE(tracker.results()[1].passed);  // at the end there is one
}

TEST(Expectations, NullInTheMetricsIsNotANumber) {
  ExpectationTracker tracker({expect("<", 9, When::always)}, 0.1);
  tracker.replay(lines_of({record_at(0, std::numeric_limits<double>::quiet_NaN())}), 0);
  EXPECT_EQ(tracker.results()[0].found, "nan at 0 s");
}

TEST(Expectations, BeforeTheEndOnlyWhatIsDecided) {
  ExpectationTracker tracker(
      {expect("<", 1, When::always), expect("<", 9, When::always), expect(">", 1, When::sometime),
       expect(">", 9, When::sometime), expect("==", 0, When::at, 0.1), expect("==", 0, When::at, 0.4),
       expect(">", 9, When::end)},
      0.1);
  tracker.add(record_at(0, 0));
  tracker.add(record_at(0.1, 2));
  const std::vector<ExpectationResult> decided = tracker.results(false);
  ASSERT_EQ(decided.size(), 3u);
  EXPECT_FALSE(decided[0].passed);
  EXPECT_TRUE(decided[1].passed);
  EXPECT_FALSE(decided[2].passed);
  EXPECT_EQ(tracker.results().size(), 7u);
}

}  // namespace
}  // namespace dollop
