#include "terminal.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <iterator>

#include "commands.h"
#include "io/json.h"
#include "summary.h"

namespace dollop {
namespace {

std::atomic<bool> asked{false};
std::atomic<int> insisted{0};
static_assert(std::atomic<int>::is_always_lock_free);  // usable in a signal handler

constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
struct sigaction previous[std::size(signals)];

void on_signal(int number, siginfo_t* info, void*) {
  // of a pipe that we write to and nobody reads: the run goes on
  if (number == SIGPIPE && info->si_pid == getpid()) return;
  asked = true;
  // a terminal that closes may hang up several times
  if ((number == SIGINT || number == SIGTERM) && insisted.fetch_add(1) > 0) _exit(exit_interrupted);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  asked = false, insisted = 0;
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  for (std::size_t k = 0; k < std::size(signals); ++k) {
    sigaction(signals[k], &action, &previous[k]);
    // nohup asks to survive the terminal
    if (signals[k] == SIGHUP && previous[k].sa_handler == SIG_IGN) sigaction(SIGHUP, &previous[k], nullptr);
  }
}
InterruptGuard::~InterruptGuard() {
  for (std::size_t k = 0; k < std::size(signals); ++k) sigaction(signals[k], &previous[k], nullptr);
}
bool InterruptGuard::interrupted() { return asked; }

std::string duration_text(double seconds) {
  if (!(seconds >= 0) || seconds > 1e9) return "?";
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  const long s = std::lround(seconds);
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string with_separators(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (int i = int(digits.size()) - 3; i > 0; i -= 3) digits.insert(std::size_t(i), ",");
  return digits;
}

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO)) {}

void ProgressLine::show(const Progress& p) {
  constexpr std::chrono::seconds patience(10);
  const auto now = std::chrono::steady_clock::now();
  if (quiet_ || (!terminal_ && !p.frame_finished && now - last_ < patience)) return;
  last_ = now;
  const double percent = p.duration > 0 ? 100 * p.time / p.duration : 100;
  const std::string line =
      fmt::format("frame {}/{}  {:.0f} %  ETA {}  {:.0f} steps/s  dt {:.2g} s  {} particles", p.frame,
                  p.frames, percent, p.remaining >= 0 ? duration_text(p.remaining) : "?", p.steps_per_second,
                  p.dt, with_separators(p.particles));
  if (terminal_)
    fmt::print(stderr, "\r\033[K{}", line);
  else
    fmt::print(stderr, "{}\n", line);
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::say(const std::string& text) {
  clear();
  fmt::print(stderr, "dollop: {}\n", text);
}

void ProgressLine::clear() {
  if (terminal_ && shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

namespace {

int status_of(const RunResult& result) {
  if (result.status == RunResult::Status::failed) return exit_simulation_failed;
  if (result.status == RunResult::Status::interrupted) return exit_interrupted;
  for (const ExpectationResult& e : result.expectations)
    if (!e.passed) return exit_expectation_failed;
  return exit_fine;
}

void print_json(const RunResult& result, const RunOptions& options) {
  static const char* const names[] = {"finished", "failed", "interrupted"};
  std::string list;
  for (const ExpectationResult& e : result.expectations)
    list += fmt::format("{}{{\"expectation\":{},\"passed\":{},\"found\":{}}}", list.empty() ? "" : ",",
                        json_string(e.text), e.passed, json_string(e.found));
  fmt::print(
      "{{\"status\":\"{}\",\"message\":{},\"folder\":{},\"frame\":{},\"state_hash\":\"{:016x}\",\"movie\":{},"
      "\"expectations\":[{}],{}}}\n",
      names[int(result.status)], json_string(result.message), json_string(options.folder.string()),
      result.frame, result.state_hash, json_string(result.movie.string()), list,
      summary_json(result.summary));
}

void print_expectations(const std::vector<ExpectationResult>& expectations) {
  std::size_t width = 0;
  for (const ExpectationResult& e : expectations) width = std::max(width, e.text.size());
  for (const ExpectationResult& e : expectations)
    fmt::print("{}  {:{}}  found {}\n", e.passed ? "pass" : "FAIL", e.text, width, e.found);
}

std::string pictures_text(const PreviewReport& p) {
  const bool whole = p.every == 1 && p.width == 640;
  return fmt::format("{} of {} x {}, one for {}{}{}", p.pictures, p.width, p.height,
                     p.every == 1 ? std::string("each frame") : fmt::format("every {} frames", p.every),
                     p.reframed ? ", with a view chosen at the end" : "",
                     whole ? "" : "; output.preview_share allows more and larger ones");
}

}  // namespace

int watch(const RunView& view, RunOptions options, const std::function<RunResult(const RunOptions&)>& run) {
  ProgressLine line(view.quiet);
  InterruptGuard guard;
  options.progress = [&](const Progress& p) { line.show(p); };
  options.say = [&](const std::string& text) { line.say(text); };
  options.interrupted = InterruptGuard::interrupted;
  const RunResult result = run(options);
  line.clear();
  const std::string folder = options.folder.string();
  for (const std::string& warning : result.summary.warnings) line.say("warning: " + warning);
  if (view.json) {
    print_json(result, options);
    return status_of(result);
  }
  if (result.status != RunResult::Status::finished && result.frame >= 0 && !view.quiet) print_summary(result);
  switch (result.status) {
    case RunResult::Status::failed:
      fmt::print(stderr, "dollop: {}\ndollop: {} {}; {} with `dollop resume {}` when the cause is mended\n",
                 result.message,
                 result.frame < 0 ? "no frame was kept in"
                                  : fmt::format("everything up to frame {} is in", result.frame),
                 folder, result.frame < 0 ? "begin anew" : "go on", folder);
      break;
    case RunResult::Status::interrupted:
      fmt::print(stderr, "dollop: interrupted after frame {}; go on with `dollop resume {}`\n", result.frame,
                 folder);
      break;
    case RunResult::Status::finished:
      if (view.quiet && status_of(result) == exit_fine) break;
      print_expectations(result.expectations);
      if (view.quiet) break;
      fmt::print("{} frames in {}, in {}\n", result.frame, folder, duration_text(result.summary.seconds));
      print_summary(result);
      if (!result.movie.empty()) fmt::print("movie: {}\n", result.movie.string());
      if (result.preview.pictures > 0) fmt::print("pictures: {}\n", pictures_text(result.preview));
      print_next_commands(options);
  }
  return status_of(result);
}

}  // namespace dollop
