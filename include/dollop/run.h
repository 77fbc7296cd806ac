// Runs a scene into a folder: frames, metrics, checkpoints, pictures, and the checks of [expect]. Layout of the folder:
// docs/output.md.
#pragma once

#include <dollop/scene.h>
#include <dollop/scene_file.h>
#include <dollop/simulation.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace dollop {

// Progress of a run, for displays.
struct Progress {
  int frame = 0, frames = 0;      // finished frames, and their total number
  double time = 0, duration = 0;  // simulated [s]
  double dt = 0;                  // of the last step [s]
  std::int64_t steps = 0;
  std::uint64_t particles = 0;
  double elapsed = 0;     // since this process began to run [s]
  double remaining = -1;  // estimate; negative: unknown [s]
  double steps_per_second = 0;
  bool frame_finished = false;  // this report is the one at the end of a frame
};

// What a caller may ask of a run while it goes on.
enum class RunCommand {
  go_on,
  stop,  // as if interrupted
  save,  // write a checkpoint, then go on
};

struct RunOptions {
  std::filesystem::path folder;
  bool force = false;     // replace a run that is in the folder
  int frames = -1;        // number of frames to compute; negative: all
  double max_memory = 0;  // [bytes]; 0: what the machine has free
  int threads = -1;       // resume: number of threads instead of the scene's; negative: as in the scene
  // resume: continue with the scene of the checkpoint even though the scene in the folder was edited
  bool stored_scene = false;
  bool previous = false;  // resume: from the last checkpoint but one
  std::function<void(const Progress&)> progress = {};
  std::function<void(const std::string&)> say = {};  // notes for the user, one line each
  std::function<bool()> interrupted = {};            // called after every step; true: stop
  std::function<RunCommand()> command = {};  // called after every step; the run waits until it returns
};

struct ExpectationResult {
  std::string text;  // such as "center_of_mass.y > 0.05 at 0.5 s"
  bool passed = false;
  std::string found;  // the deciding value, such as "0.0712 at 0.5 s"
};

// The worst of a run, over all of its frames, also of those before it was resumed.
struct RunSummary {
  struct Worst {
    double value = 0, time = 0;  // and the end of the frame [s]
  };
  double seconds = 0;  // on the clock, in this process [s]
  std::int64_t steps = 0, rejected_steps = 0;
  Worst shortest_step = {};  // [s]; 0: no step was made
  Worst mass_error = {}, min_J{1, 0}, max_J{1, 0};
  std::map<std::string, Worst> volume_change = {};  // by material: mean of |J - 1|
  std::vector<std::string> warnings = {};           // what the user should look into, and what to do about it
};

// The pictures that a run drew.
struct PreviewReport {
  int pictures = 0, every = 1;  // one for each `every` frames
  int width = 0, height = 0;    // [pixels]
  bool reframed = false;  // all have a view that was chosen at the end, from where the material had gone
};

struct RunResult {
  enum class Status { finished, failed, interrupted };
  Status status = Status::finished;
  std::string message;                          // failed: why
  int frame = 0;                                // last complete frame; negative: none
  std::vector<ExpectationResult> expectations;  // of a finished run
  std::filesystem::path movie;                  // if one was made
  PreviewReport preview = {};                   // of a finished run
  std::uint64_t state_hash = 0;
  RunSummary summary = {};
};

// An output folder or checkpoint that cannot be used, or a file that cannot be written; the message says what to do.
struct RunError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What a scene needs, before anything is allocated.
struct RunEstimate {
  double particles = 0;  // at the end, emitted ones included
  double bytes = 0, bytes_available = 0;
  double disk_bytes = 0;  // of all frames, pictures and checkpoints, to some ten per cent
  double steps = 0;       // if all time steps are as long as the first
  double seconds = 0;     // on this machine, roughly
};
RunEstimate estimate_run(const Scene& scene, double stable_dt = 0);

// Throws SceneError if the scene needs more than `max_memory` bytes, or than the machine has free.
void check_memory(const Scene& scene, double max_memory = 0);

// A body that overlaps another at the start, or a collider that would push it out: allowed, but most likely a mistake.
struct Overlap {
  std::size_t body;
  std::string with;  // such as "the collider 'ground'" or "bodies[2]"
  double share;      // of the body's volume
};
std::vector<Overlap> find_overlaps(const Scene& scene);

// A collider with a part thinner than a cell: no grid node may lie inside that part, and material passes through it.
struct ThinCollider {
  std::string collider;  // such as "the collider 'plate'" or "colliders[1]"
  double thickness;      // of its thinnest part [m]
};
std::vector<ThinCollider> find_thin_colliders(const Scene& scene);

// A body that is too thin, wherever it is thickest, for the grid to show how it deforms.
struct ThinBody {
  std::size_t body;
  double thickness;  // diameter of the largest ball in it [m]
};
std::vector<ThinBody> find_thin_bodies(const Scene& scene);

// What emitters will add: the material that a run has to move, summed over the time from 0 on. For estimates.
class ParticleForecast {
 public:
  explicit ParticleForecast(const Scene& scene);
  double emitted(double time) const;   // particles until then, without those of bodies
  double emission(double time) const;  // integral of emitted() from 0 until then [s]

 private:
  double duration_;                         // [s]
  std::vector<double> emitted_, emission_;  // at equal intervals
};

int frame_count(const Settings& settings);               // without frame 0, the initial state
double frame_time(const Settings& settings, int frame);  // [s]

// Throw SceneError or RunError before anything is written; later faults are in the result.
RunResult run_scene(const SceneFile& file, const RunOptions& options);
RunResult resume_run(const RunOptions& options);

}  // namespace dollop
