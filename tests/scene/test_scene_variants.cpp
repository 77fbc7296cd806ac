// The scenes of the project with each of their variants: every one is read.
#include <gtest/gtest.h>

#include <regex>

#include "scene/scene_files.h"
#include "source_folder.h"

namespace dollop {
namespace {

TEST(SceneVariants, are_read) {
  int variants = 0;
  const std::regex name("(^|\n)\\[variants\\.([^\\]]+)\\]");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_folder() / "scenes")) {
    if (entry.path().extension() != ".toml") continue;
    EXPECT_NO_THROW(read_scene(entry.path())) << entry.path();
    const std::string text = text_of(entry.path());
    for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it, ++variants) {
      const std::string variant = (*it)[2];
      EXPECT_NO_THROW(read_scene(entry.path(), {"variant=" + variant})) << entry.path() << " " << variant;
    }
  }
  EXPECT_GT(variants, 40);
}

}  // namespace
}  // namespace dollop
