// The fuzz target of meshes on its seeds, and on damaged copies of them.
#include "../../fuzz/fuzz_mesh.cpp"
#include "fuzz_seeds.h"

namespace dollop::fuzz {
namespace {

TEST(MeshFuzz, seeds_are_accepted) { expect_seeds_are_accepted(); }

TEST(MeshFuzz, damaged_seeds) { feed_damaged_seeds(500); }

}  // namespace
}  // namespace dollop::fuzz
