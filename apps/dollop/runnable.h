// Scenes for `dollop run` and `dollop check`.
#pragma once

#include <dollop/run.h>
#include <dollop/scene_file.h>

#include <filesystem>
#include <string>

namespace dollop {

// read_scene() of a scene with something to simulate: one without bodies and emitters is a scene too, but nothing to
// run. Throws SceneError.
SceneFile read_runnable(const std::string& path, const std::vector<std::string>& overrides);

// Prints notes to standard error on settings that are valid but most likely unintended.
void print_notes(const SceneFile& file);

// Prints a note if a run takes very many steps of this length: which material is to blame, and what would take fewer.
void note_steps(const Scene& scene, double dt, double steps);

// the disk space that a run takes, and what there is of it
std::string disk_text(const RunEstimate& need, const std::filesystem::path& folder);

// Prints a note if the disk of this folder, which need not exist yet, has not enough space.
void note_disk(const RunEstimate& need, const std::filesystem::path& folder);

double free_disk(const std::filesystem::path& folder);  // [bytes]; negative: not known

std::filesystem::path default_folder(const std::string& scene);  // of its run

}  // namespace dollop
