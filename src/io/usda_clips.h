// The USD stage that combines files of single frames into one animation, by value clips. Layout: docs/exports.md.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/usda_text.h"

namespace dollop {

// Frames of one prim. `declaration` comes from usda_declaration() of any of its frames that has every attribute.
struct UsdaClipSet {
  std::string type, name;                            // of the prim, as in the files of the frames
  std::string declaration = {};                      // the text inside its braces
  std::map<int, std::filesystem::path> frames = {};  // the file of each frame
};

// Writes NAME.usda, the stage to open, and NAME_manifest.usda, which lists the attributes of the clips so that USD need
// not open them all. Both are AtomicFiles; throws OutputError.
class UsdaStage {
 public:
  UsdaStage(std::filesystem::path file, double frame_rate) : file_(std::move(file)), rate_(frame_rate) {}

  // Adds a frame of a prim, which is stored in a file.
  void add(const UsdaPrim& prim, int frame, const std::filesystem::path& frame_file);
  // Adds text of further prims within /dollop to the stage, indented by four.
  void add_text(const std::string& prims) { more_ += prims; }
  void write() const;
  std::filesystem::path manifest() const;

 private:
  std::filesystem::path file_;
  double rate_;
  std::vector<UsdaClipSet> sets_;
  std::string more_ = {};
};

}  // namespace dollop
