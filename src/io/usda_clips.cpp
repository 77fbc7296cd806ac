#include "io/usda_clips.h"

#include <fmt/format.h>

#include <algorithm>

namespace dollop {

namespace {

const std::string inner = "        ";

// the clips dictionary of a prim, which refers to the files of its frames
std::string clips_of(const UsdaClipSet& set, const std::filesystem::path& folder,
                     const std::string& manifest) {
  std::string paths, active, times;
  int index = 0;
  for (const auto& [frame, file] : set.frames) {
    const auto name = std::filesystem::absolute(file).lexically_normal().lexically_relative(folder);
    const char* comma = index > 0 ? ", " : "";
    paths += fmt::format("{}@./{}@", comma, name.generic_string());
    active += fmt::format("{}({}, {})", comma, frame, index++);
    times += fmt::format("{0}({1}, {1})", comma, frame);
  }
  return fmt::format(
      "        clips = {{\n            dictionary default = {{\n"
      "                double2[] active = [{}]\n                asset[] assetPaths = [{}]\n"
      "                asset manifestAssetPath = @./{}@\n                string primPath = \"/{}\"\n"
      "                double2[] times = [{}]\n            }}\n        }}\n",
      active, paths, manifest, set.name, times);
}

}  // namespace

void UsdaStage::add(const UsdaPrim& prim, int frame, const std::filesystem::path& frame_file) {
  auto set =
      std::find_if(sets_.begin(), sets_.end(), [&](const UsdaClipSet& s) { return s.name == prim.name; });
  if (set == sets_.end()) set = sets_.insert(set, {prim.type, prim.name});
  // keep the longest: a frame without particles may lack columns that others have
  if (const std::string text = usda_declaration(prim, inner); text.size() > set->declaration.size())
    set->declaration = text;
  set->frames[frame] = frame_file;
}

std::filesystem::path UsdaStage::manifest() const {
  return file_.parent_path() / (file_.stem().string() + "_manifest.usda");
}

void UsdaStage::write() const {
  UsdaTimes times{0, 0, rate_};
  bool any = false;
  for (const UsdaClipSet& set : sets_)
    if (!set.frames.empty()) {
      const double first = set.frames.begin()->first, last = set.frames.rbegin()->first;
      times.first = any ? std::min(times.first, first) : first;
      times.last = any ? std::max(times.last, last) : last;
      any = true;
    }

  std::string layer = usda_header(sets_.empty() ? "" : sets_[0].name, "what the clips hold", times);
  std::string stage = usda_header("dollop", "written by dollop: open this file", times);
  stage += "\ndef Xform \"dollop\"\n{\n";
  const std::filesystem::path folder = std::filesystem::absolute(file_).lexically_normal().parent_path();
  for (const UsdaClipSet& set : sets_) {
    layer += fmt::format("\ndef {} \"{}\"\n{{\n{}}}\n", set.type, set.name, set.declaration);
    stage += fmt::format("    def {} \"{}\" (\n{}    )\n    {{\n{}    }}\n", set.type, set.name,
                         clips_of(set, folder, manifest().filename().string()), set.declaration);
  }
  write_file(manifest(), layer);
  write_file(file_, stage + more_ + "}\n");
}

}  // namespace dollop
