#include "run/run_folder.h"

#include <dollop/run.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <regex>

#include "io/atomic_file.h"

namespace dollop {
namespace fs = std::filesystem;

namespace {

// the number in "preview.0012.png"; -1 if this is not a file of a frame
int frame_of(const fs::path& file) {
  static const std::regex pattern(R"((particles|surface|preview|render)\.(\d{4,9})\.[a-z]+)");
  const std::string name = file.filename().string();
  std::smatch match;
  return std::regex_match(name, match, pattern) ? std::stoi(match[2]) : -1;
}

bool empty_or_missing(const fs::path& folder) {
  std::error_code error;
  return !fs::exists(folder, error) || (fs::is_directory(folder, error) && fs::is_empty(folder, error));
}

// Whether the folder holds only files that a run makes before its scene.toml: the run was killed right at its start.
bool hardly_begun(const RunFolder& folder) {
  std::error_code error;
  if (!fs::is_directory(folder.path, error)) return false;
  for (const auto& entry : fs::directory_iterator(folder.path, error)) {
    const bool room = entry.path() == folder.frames() || entry.path() == folder.checkpoints();
    const bool draft = entry.path().filename().string().rfind(".scene.toml.partial-", 0) == 0;
    if (!(room && empty_or_missing(entry.path())) && !draft) return false;
  }
  return !error;
}

// Whether a run has written its scene.toml there. One that was killed right after has nothing else but empty folders.
bool holds_run(const RunFolder& folder) {
  std::error_code error;
  if (!fs::exists(folder.scene(), error)) return false;
  const auto is_empty_room = [&](const fs::path& room) {
    return fs::is_directory(room, error) && fs::is_empty(room, error);
  };
  return fs::exists(folder.metrics(), error) || fs::exists(folder.log(), error) ||
         (is_empty_room(folder.frames()) && is_empty_room(folder.checkpoints()));
}

}  // namespace

fs::path RunFolder::edited_scene(int number) const {
  return path / (number == 1 ? "scene.edited.toml" : fmt::format("scene.edited-{}.toml", number));
}

fs::path RunFolder::frame(const std::string& stem, int frame, const std::string& extension) const {
  return frames() / fmt::format("{}.{:04d}{}", stem, frame, extension);
}

void require_free(const RunFolder& folder, bool force) {
  const std::string name = folder.path.string();
  if (empty_or_missing(folder.path) || hardly_begun(folder)) return;
  if (!fs::is_directory(folder.path)) throw RunError(fmt::format("'{}' exists and is not a folder", name));
  if (!holds_run(folder))
    throw RunError(
        fmt::format("the folder '{}' exists and holds other files than a run's; give another with -o", name));
  if (!force)
    throw RunError(
        fmt::format("'{}' holds a run already: go on with it by `dollop resume {}`, replace it with --force, "
                    "or give another folder with -o",
                    name, name));
  // what a link leads to may belong to something else
  if (fs::is_symlink(folder.frames()))
    throw RunError(fmt::format(
        "'{}' is a symbolic link, and a new run would remove the frames that it leads to; remove the "
        "link, or give another folder with -o",
        folder.frames().string()));
}

void create(const RunFolder& folder) {
  make_folder(folder.path);
  // not the metrics, which the run empties: by them the folder is known for one if this process is killed here
  for (const auto& file :
       {folder.log(), folder.movie(), folder.collection(), folder.stage(), folder.stage_manifest()})
    fs::remove(file);
  for (int k = 1; fs::remove(folder.edited_scene(k));) ++k;
  fs::remove_all(folder.checkpoints());
  if (fs::is_directory(folder.frames())) drop_frames_after(folder, -1);
  make_folder(folder.frames());
  make_folder(folder.checkpoints());
}

void require_run(const RunFolder& folder) {
  if (!fs::is_directory(folder.path))
    throw RunError(fmt::format("there is no folder '{}'", folder.path.string()));
  if (!fs::exists(folder.scene()))
    throw RunError(
        fmt::format("'{}' holds no run: scene.toml is missing; start one with `dollop run SCENE -o {}`",
                    folder.path.string(), folder.path.string()));
}

void drop_frames_after(const RunFolder& folder, int frame) {
  make_folder(folder.frames());
  make_folder(folder.checkpoints());
  for (const auto& part : {folder.path, folder.frames(), folder.checkpoints()}) remove_partial_files(part);
  for (const auto& entry : fs::directory_iterator(folder.frames()))
    if (frame_of(entry.path()) > frame) fs::remove(entry.path());
}

FolderLock::FolderLock(const RunFolder& folder) {
  descriptor_ = open(folder.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0)
    throw RunError(
        fmt::format("cannot open the folder '{}': {}", folder.path.string(), std::strerror(errno)));
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(descriptor_);
    throw RunError(
        fmt::format("another process is running in '{}'; wait for it or stop it", folder.path.string()));
  }
}

FolderLock::~FolderLock() { close(descriptor_); }

}  // namespace dollop
