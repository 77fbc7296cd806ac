// Scenes for `dollop run` and `dollop check`.
#pragma once

#include <dollop/scene_file.h>

namespace dollop {

// read_scene() of a scene with something to simulate: one without bodies and emitters is a scene too, but nothing to
// run. Throws SceneError.
SceneFile read_runnable(const std::string& path, const std::vector<std::string>& overrides);

// Prints notes to standard error on settings that are valid but most likely unintended.
void print_notes(const SceneFile& file);

}  // namespace dollop
