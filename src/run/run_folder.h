// The folder of a run: the paths of its files, and checks whether it may be used. Layout: docs/output.md.
#pragma once

#include <filesystem>
#include <string>

namespace dollop {

struct RunFolder {
  std::filesystem::path path;

  std::filesystem::path scene() const { return path / "scene.toml"; }
  std::filesystem::path metrics() const { return path / "metrics.jsonl"; }
  std::filesystem::path log() const { return path / "log.txt"; }
  std::filesystem::path movie() const { return path / "preview.mp4"; }
  std::filesystem::path collection() const { return path / "particles.pvd"; }
  std::filesystem::path stage() const { return path / "run.usda"; }
  std::filesystem::path stage_manifest() const { return path / "run_manifest.usda"; }
  std::filesystem::path frames() const { return path / "frames"; }
  std::filesystem::path checkpoints() const { return path / "checkpoints"; }
  // scene.edited.toml, then scene.edited-2.toml and on
  std::filesystem::path edited_scene(int number) const;
  // frames/STEM.0012EXTENSION
  std::filesystem::path frame(const std::string& stem, int frame, const std::string& extension) const;
};

// Throws RunError if a new run must not use the folder: it is not empty, and `force` does not allow to replace a run.
void require_free(const RunFolder& folder, bool force);

// Makes the folders of a new run; what an earlier run left is removed, other files are not touched.
void create(const RunFolder& folder);

// Throws RunError if no run was ever started there.
void require_run(const RunFolder& folder);

// Removes the frames after `frame`, which a resumed run writes anew, and temporary files of a process that was killed.
void drop_frames_after(const RunFolder& folder, int frame);

// Only one process may write to the folder of a run; the lock is released when the process ends, however it ends.
class FolderLock {
 public:
  explicit FolderLock(const RunFolder& folder);  // throws RunError if another process has it
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace dollop
