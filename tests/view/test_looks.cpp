// The viewer's table of looks, which is written in JavaScript.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "io/read_file.h"
#include "materials/looks.h"
#include "source_folder.h"

namespace dollop {
namespace {

TEST(ViewerLooks, every_look_is_in_the_table) {
  const std::string table = read_whole_file(source_folder() / "viewer/src/looks.js");
  for (const LookInfo& look : looks) {
    if (std::string_view(look.name) == "hidden") continue;  // not drawn
    EXPECT_NE(table.find(fmt::format("\n  {}: {{ color: ", look.name)), std::string::npos) << look.name;
  }
}

}  // namespace
}  // namespace dollop
