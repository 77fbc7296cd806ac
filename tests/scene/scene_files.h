// Scenes for tests: files of this folder, and small scenes from text.
#pragma once

#include <dollop/scene_file.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "scene/read_scene.h"
#include "source_folder.h"

namespace dollop {

inline const std::filesystem::path scene_tests = source_folder() / "tests" / "scene";

inline std::vector<std::filesystem::path> scenes_in(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(scene_tests / folder))
    if (entry.path().extension() == ".toml") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline const std::string simulation_text = "[simulation]\nduration = 1\ncell_size = 0.01\n";

// A scene from [simulation] and the given text, as if read from a file.
inline SceneFile scene_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_scene(simulation_text + text, "scene.toml", overrides);
}

inline std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    scene_of(text, overrides);
  } catch (const SceneError& error) {
    return error.what();
  }
  return "";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace dollop
