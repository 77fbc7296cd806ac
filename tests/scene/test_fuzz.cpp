// The fuzz target on all scenes of the tests, and on damaged copies of them.
#include <gtest/gtest.h>

#include <random>

#include "../../fuzz/fuzz_scene.cpp"
#include "scene/scene_files.h"

namespace dollop {
namespace {

std::vector<std::string> corpus() {
  std::vector<std::string> texts;
  for (const char* folder : {"good", "bad"})
    for (const auto& path : scenes_in(folder)) texts.push_back(text_of(path));
  return texts;
}

void run(const std::string& text) {
  try {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what() << "\n--- in\n" << text;
  }
}

// One to four changes: bytes, words of the grammar, pieces of another scene, cuts and copies.
std::string damaged(std::string text, const std::vector<std::string>& others, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : std::size_t(random()) % n; };
  static const std::vector<std::string> words{
      "[",     "]",     "{", "}",   "=",  "\"",   "'''",          "\n",         "nan",
      "-1",    "1e308", "0", "\0",  "[[", "keys", "union",        "mm",         ".",
      "#",     "\xff",  ",", "inf", "t",  "^",    "999999999999", "expression", "true",
      "minus", "\"\"\""};
  for (std::size_t change = 0, changes = 1 + below(4); change < changes; ++change) {
    const std::size_t at = below(text.size() + 1),
                      length = below(std::min<std::size_t>(30, text.size() - at) + 1);
    const std::string& other = others[below(others.size())];
    switch (below(6)) {
      case 0:
        text.insert(at, words[below(words.size())]);
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.replace(at, length, words[below(words.size())]);
        break;
      case 3:
        text.insert(at, text.substr(below(text.size() + 1), below(60)));
        break;
      case 4:
        text.insert(at, other.substr(below(other.size() + 1), below(80)));
        break;
      default:
        if (at < text.size()) text[at] = char(random());
    }
  }
  return text;
}

TEST(SceneFuzz, corpus) {
  for (const std::string& text : corpus()) run(text);
}

TEST(SceneFuzz, damaged_scenes) {
  const std::vector<std::string> texts = corpus();
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) run(damaged(texts[random() % texts.size()], texts, random));
}

}  // namespace
}  // namespace dollop
