#include <dollop/run.h>
#include <fmt/format.h>

#include <cmath>

#include "io/read_file.h"
#include "run/active_run.h"

namespace dollop {
namespace {

std::string text_of(const std::filesystem::path& file) {
  try {
    return read_whole_file(file);
  } catch (const InputError& e) {
    throw RunError(e.what());
  }
}

// keys that may change between a checkpoint and its resumption: the state does not depend on them
bool harmless(const std::string& difference) {
  for (const char* key :
       {"simulation.duration", "simulation.threads", "camera", "output.", "expect", "title"})
    if (difference.rfind(key, 0) == 0) return true;
  for (const char* key : {".look:", ".color:", ".optical_depth:"})
    if (difference.find(key) != std::string::npos) return true;
  return false;
}

// the scene to resume with: that of the folder; throws if it was edited in keys that the state depends on
SceneFile scene_for(const RunFolder& folder, const CheckpointHeader& header, const RunOptions& options) {
  SceneFile stored = parse_scene(header.scene, folder.scene());
  if (options.stored_scene || text_of(folder.scene()) == header.scene) return stored;
  const SceneFile edited = read_scene(folder.scene());
  std::vector<std::string> fatal;
  for (const std::string& difference : differing_keys(stored.resolved, edited.resolved))
    if (!harmless(difference))
      fatal.push_back("  " + difference);
    else if (options.say)
      options.say("the scene was edited since the checkpoint: " + difference);
  constexpr std::size_t most_shown = 20;
  if (const std::size_t count = fatal.size(); count > most_shown) {
    fatal.resize(most_shown);
    fatal.push_back(fmt::format("  and {} more", count - most_shown));
  }
  if (!fatal.empty())
    throw RunError(
        fmt::format("{} was edited since the checkpoint, in keys that the state depends on:\n{}\nundo that, "
                    "go on as before with "
                    "--stored-scene, or start anew with `dollop run`",
                    folder.scene().string(), fmt::join(fatal, "\n")));
  return edited;
}

// writes the stored scene to scene.toml, which must be the scene as it was run; the edited one gets another name
void put_back(const RunFolder& folder, const std::string& stored, const RunOptions& options) {
  const std::string edited = text_of(folder.scene());
  if (edited == stored) return;
  int k = 1;  // earlier edits stay
  while (std::filesystem::exists(folder.edited_scene(k)) && text_of(folder.edited_scene(k)) != edited) ++k;
  write_file(folder.edited_scene(k), edited);
  write_file(folder.scene(), stored);
  if (options.say)
    options.say(fmt::format("{} is the scene of the checkpoint again; what was edited is in {}",
                            folder.scene().string(), folder.edited_scene(k).string()));
}

// A run whose duration is not a multiple of the frame duration ends with a short frame. If the duration was edited, the
// frame that the checkpoint completes, or is within, may now end at another time: it must be repeated, or time steps
// would differ.
bool ends_elsewhere(const CheckpointHeader& header, const Settings& now) {
  const Settings then = parse_scene(header.scene, "scene.toml").scene.settings;
  const auto moved = [&](int frame) {
    return std::fabs(frame_time(now, frame) - frame_time(then, frame)) > 1e-9 / now.frame_rate;
  };
  const int frame = int(header.frame);
  const auto time = header.notes.find("time");
  const bool on_the_way = time != header.notes.end() && std::stod(time->second) > frame_time(then, frame);
  return moved(frame) || (on_the_way && moved(frame + 1));
}

// the checkpoint to resume from; none if the run was stopped before its first one
std::optional<Checkpoint> last_checkpoint(const RunFolder& folder, bool previous) {
  const auto files = list_checkpoints(folder.checkpoints());
  if (files.empty()) return {};
  if (previous && files.size() < 2)
    throw RunError(fmt::format("there is only one checkpoint in '{}'", folder.checkpoints().string()));
  try {
    return read_checkpoint(files[previous ? 1 : 0]);
  } catch (const CheckpointError& e) {
    throw RunError(fmt::format(
        "{}{}", e.what(),
        e.previous && !previous
            ? fmt::format("; go on from it with `dollop resume {} --previous`", folder.path.string())
            : ""));
  }
}

}  // namespace

RunResult run_scene(const SceneFile& file, const RunOptions& options) {
  check_memory(file.scene, options.max_memory);
  require_free({options.folder}, options.force);
  ActiveRun run(file, options);
  try {
    run.start();
  } catch (const OutputError& e) {
    throw RunError(e.what());  // the folder cannot be used
  }
  return run.finish();
}

RunResult resume_run(const RunOptions& options) {
  const RunFolder folder{options.folder};
  require_run(folder);
  auto checkpoint = last_checkpoint(folder, options.previous);
  SceneFile file = checkpoint ? scene_for(folder, checkpoint->header(), options) : read_scene(folder.scene());
  if (checkpoint && ends_elsewhere(checkpoint->header(), file.scene.settings)) {
    if (options.previous || list_checkpoints(folder.checkpoints()).size() < 2)
      throw RunError(
          "the duration was changed in the middle of a frame, and there is no earlier checkpoint to go on "
          "from; "
          "start anew with `dollop run`");
    if (options.say) options.say("the last frame ends at another time now, and is done anew");
    checkpoint = last_checkpoint(folder, true);
  }
  if (options.threads >= 0) file.scene.settings.threads = options.threads;
  check_memory(file.scene, options.max_memory);
  RunOptions again = options;
  again.force = !checkpoint;
  ActiveRun run(file, again);
  try {
    if (checkpoint)
      run.restore(*checkpoint);
    else
      run.start();
    if (checkpoint && options.stored_scene) put_back(folder, file.text, options);
  } catch (const OutputError& e) {
    throw RunError(e.what());  // the folder cannot be used
  } catch (const InputError& e) {
    throw RunError(e.what());
  }
  return run.finish();
}

}  // namespace dollop
