// Each file of bad/ begins with "# expect: LINE:COLUMN: part of the message".
#include <gtest/gtest.h>

#include "scene/scene_files.h"

namespace dollop {
namespace {

class BadScenes : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(BadScenes, one_error_at_its_place) {
  const std::string text = text_of(GetParam());
  const std::string mark = "# expect: ";
  ASSERT_EQ(text.compare(0, mark.size(), mark), 0);
  const std::string expected = text.substr(mark.size(), text.find('\n') - mark.size());
  const std::size_t colon = expected.find(':', expected.find(':') + 1);
  const std::string place = expected.substr(0, colon), part = expected.substr(colon + 2);
  ASSERT_GE(part.size(), 3u);
  const std::string name = GetParam().filename().string();
  try {
    parse_scene(text, scene_tests / "bad" / name);
    FAIL() << "no error";
  } catch (const SceneError& error) {
    const std::string message = error.what();
    const std::string first = message.substr(0, message.find('\n'));
    EXPECT_TRUE(contains(first, name + ":" + place + ": error: ")) << message;
    EXPECT_TRUE(contains(first, part)) << message;
    EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 2) << message;
    EXPECT_EQ(message.back(), '^') << message;
  }
}

INSTANTIATE_TEST_SUITE_P(files, BadScenes, testing::ValuesIn(scenes_in("bad")),
                         [](const auto& file) { return file.param.stem().string(); });

TEST(BadSceneFiles, are_many) { EXPECT_GE(scenes_in("bad").size(), 70u); }

}  // namespace
}  // namespace dollop
