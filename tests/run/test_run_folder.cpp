#include "run/run_folder.h"

#include <dollop/run.h>
#include <gtest/gtest.h>

#include "io/temporary_folder.h"

namespace dollop {
namespace {

// a process may be killed at any moment while it replaces a run, and the folder must still be known for one
TEST(run_folder, is_a_runs_while_another_replaces_it) {
  const TemporaryFolder temporary;
  const RunFolder folder{temporary.path()};
  write_text(folder.scene(), "title = \"old\"\n");
  write_text(folder.metrics(), "{}\n");
  std::filesystem::create_directory(folder.frames());
  write_text(folder.frame("particles", 0, ".bgeo"), "old");
  create(folder);
  EXPECT_TRUE(std::filesystem::is_empty(folder.frames()));
  EXPECT_TRUE(std::filesystem::exists(folder.metrics()));
  EXPECT_NO_THROW(require_free(folder, true));
  EXPECT_THROW(require_free(folder, false), RunError);
}

}  // namespace
}  // namespace dollop
