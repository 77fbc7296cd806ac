#include "run/active_run.h"

#include <algorithm>

#include "io/read_metrics.h"
#include "solvers/observation/snapshot.h"

namespace dollop {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

ActiveRun::ActiveRun(const SceneFile& file, const RunOptions& options)
    : file_(file),
      options_(options),
      folder_{options.folder},
      simulation_(file_.scene),
      files_(file_.scene, folder_, simulation_.snapshot({"volume"}), simulation_.stable_dt()),
      tracker_(file_.scene.expectations, 1 / file_.scene.settings.frame_rate),
      remaining_(file_.scene) {
  check_attributes(output().attributes, simulation_.attribute_names());
  last_frame_ = frame_count(settings());
  if (options.frames >= 0) last_frame_ = std::min(options.frames, last_frame_);
}

void ActiveRun::say(const std::string& text) {
  if (log_) log_->line(text);
  if (options_.say) options_.say(text);
}

// the part of starting that new and resumed runs share
void ActiveRun::open(int frame) {
  log_.emplace(folder_.log());
  files_.go_on_after(frame);
  first_steps_ = simulation_.steps();
  began_ = frame_began_ = Clock::now();
}

void ActiveRun::start() {
  require_free(folder_, options_.force);
  make_folder(folder_.path);
  lock_.emplace(folder_);
  create(folder_);
  write_file(folder_.scene(), file_.resolved);
  metrics_.emplace(MetricsFile::create(folder_.metrics()));
  open(-1);
  log_->line(fmt::format("dollop {} starts '{}': {} particles, {} frames", DOLLOP_VERSION, file_.path,
                         simulation_.particle_count(), last_frame_));
  write_frame();
}

void ActiveRun::restore(Checkpoint& checkpoint) {
  lock_.emplace(folder_);
  const auto& notes = checkpoint.header().notes;
  try {
    simulation_.restore(checkpoint.payload());
    earlier_wall_ = std::stod(notes.at("wall"));
    frame_steps_ = std::stoll(notes.at("frame_steps"));
    hash_ = std::stoull(notes.at("hash"), nullptr, 16);
  } catch (const std::exception& e) {
    throw RunError(fmt::format("the checkpoint in '{}' cannot be used: {}", folder_.path.string(), e.what()));
  }
  frame_ = int(checkpoint.header().frame);
  kept_ = {frame_, hash_};
  drop_frames_after(folder_, frame_);
  metrics_.emplace(MetricsFile::resume(folder_.metrics(), frame_));
  const auto lines = read_metrics(folder_.metrics());
  tracker_.replay(lines, frame_);
  summary_.replay(lines, frame_);
  open(frame_);
  log_->line(
      fmt::format("dollop {} goes on after frame {}, at {} s", DOLLOP_VERSION, frame_, simulation_.time()));
}

bool ActiveRun::keep_going(const StepReport& step) {
  remaining_.add(step.dt, double(simulation_.particle_count()));
  if (seconds_since(shown_) > 0.1) show_progress(step.dt, false);
  if (options_.command) switch (options_.command()) {
      case RunCommand::go_on:
        break;
      case RunCommand::stop:
        return false;
      case RunCommand::save:
        save_checkpoint();
    }
  return !(options_.interrupted && options_.interrupted());
}

void ActiveRun::show_progress(double dt, bool frame_finished) {
  shown_ = Clock::now();
  if (!options_.progress) return;
  Progress p;
  p.frame = frame_, p.frames = last_frame_;
  p.time = simulation_.time(), p.duration = frame_time(settings(), last_frame_);
  p.dt = dt;
  p.steps = simulation_.steps();
  p.particles = simulation_.particle_count();
  p.elapsed = seconds_since(began_);
  p.steps_per_second = p.elapsed > 0 ? double(p.steps - first_steps_) / p.elapsed : 0;
  p.remaining = remaining_.estimate(p.elapsed, p.time, p.duration, double(p.particles));
  p.frame_finished = frame_finished;
  options_.progress(p);
}

// queues the files of the frame that is complete now: they are written in the background, while the simulation goes on
void ActiveRun::submit_files(const FrameRecord& record) {
  const Kept kept{int(record.frame), record.state_hash};
  if (!files_.any()) {
    kept_ = kept;
    return;
  }
  auto frame = std::make_shared<const ParticleFrame>(simulation_.snapshot(files_.attributes()));
  writer_.submit([this, frame, kept] {
    files_.write(*frame, kept.frame);
    kept_ = kept;
  });
}

void ActiveRun::write_frame() {
  FrameRecord record;
  record.frame = frame_;
  record.metrics = simulation_.metrics(output().survey);
  record.wall_s = earlier_wall_ + seconds_since(frame_began_);
  const double done = double(simulation_.steps() - frame_steps_) * double(simulation_.particle_count());
  record.particle_steps_per_s = record.wall_s > 0 ? done / record.wall_s : 0;
  record.peak_memory_bytes = peak_memory_bytes();
  record.state_hash = hash_ = simulation_.state_hash();
  metrics_->append(record);
  submit_files(record);  // after the metrics: a frame without them is not kept
  tracker_.add(record);
  summary_.add(record);
  log_->line(fmt::format("frame {}: {:.6g} s, {} steps, {} particles, {:.2f} s of work", frame_,
                         record.metrics.time, record.metrics.steps, record.metrics.particles, record.wall_s));
  simulation_.new_interval();
  frame_steps_ = simulation_.steps();
  frame_began_ = Clock::now();
  earlier_wall_ = 0;
}

void ActiveRun::save_checkpoint() {
  writer_.finish();  // a resumed run does not repeat frames before the checkpoint: they must be on disk
  CheckpointHeader header;
  header.frame = frame_;
  header.scene = file_.resolved;
  header.notes = {{"wall", fmt::format("{}", earlier_wall_ + seconds_since(frame_began_))},
                  {"frame_steps", fmt::format("{}", frame_steps_)},
                  {"time", fmt::format("{}", simulation_.time())},
                  {"hash", fmt::format("{:016x}", hash_)}};
  write_checkpoint(folder_.checkpoints(), header, [this](std::ostream& out) { simulation_.save(out); });
}

// returns false if the run ends here, for the reason in the result
bool ActiveRun::advance_frame(RunResult& result) {
  const AdvanceReport report = simulation_.advance_to(
      frame_time(settings(), frame_ + 1), [this](const StepReport& step) { return keep_going(step); });
  if (!report.ok()) {
    result.status = RunResult::Status::failed;
    result.message = fmt::format("the simulation cannot go on after {:.6g} s: {}", simulation_.time(),
                                 describe(report.last));
    return false;
  }
  if (report.stopped) {
    result.status = RunResult::Status::interrupted;
    return false;
  }
  ++frame_;
  write_frame();
  show_progress(report.last.dt, true);
  return true;
}

// draws pictures again whose view does not show the run well, and makes the movie
void ActiveRun::complete_preview(RunResult& result) {
  Preview* preview = files_.preview();
  if (!preview) return;
  try {
    if (!preview->finish(RunCache(folder_, file_), frame_, options_.interrupted))
      throw std::runtime_error(
          fmt::format("interrupted while pictures were drawn again; `dollop resume {}` draws the others",
                      folder_.path.string()));
    preview->make_movie(frame_);
    result.movie = folder_.movie();
  } catch (const OutputError&) {
    throw;
  } catch (const std::exception& e) {
    say(fmt::format("no movie: {}", e.what()));
  }
  result.preview = preview->report();
}

void ActiveRun::complete(RunResult& result) {
  complete_preview(result);
  // of a run that was cut short by --frames, only expectations that later frames cannot change are reported
  result.expectations = tracker_.results(frame_ == frame_count(settings()));
  log_->line(fmt::format("finished: {} steps, state {:016x}", simulation_.steps(), hash_));
}

// files that were queued before the error may still be written
void ActiveRun::give_up(const OutputError& error, RunResult& result) {
  result.status = RunResult::Status::failed;
  result.message = error.what();
  try {
    writer_.finish();
  } catch (const std::exception&) {  // the first error is the one to report
  }
}

RunResult ActiveRun::finish() {
  RunResult result;
  try {
    const int every = output().checkpoint_every;
    // also due before a short last frame, so that a run with a longer duration can repeat it in full
    const auto is_due = [&] {
      const double rate = settings().frame_rate;
      return (every > 0 && frame_ % every == 0) ||
             frame_time(settings(), frame_ + 1) < (frame_ + 1 - 1e-6) / rate;
    };
    while (frame_ < last_frame_ && advance_frame(result))
      if (frame_ < last_frame_ && is_due()) save_checkpoint();
    save_checkpoint();
    if (result.status == RunResult::Status::finished) complete(result);
  } catch (const OutputError& e) {
    give_up(e, result);
  }
  if (result.status == RunResult::Status::failed) log_->line(result.message);
  if (result.status == RunResult::Status::interrupted) log_->line("interrupted");
  result.frame = kept_.frame;
  result.state_hash = kept_.hash;
  result.summary = summary_.result(file_, seconds_since(began_));
  for (const std::string& warning : result.summary.warnings) log_->line("warning: " + warning);
  return result;
}

}  // namespace dollop
