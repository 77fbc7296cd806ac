// The fuzz target of frames on its seeds, and on damaged copies of them.
#include "../../fuzz/fuzz_frame.cpp"
#include "fuzz_seeds.h"

namespace dollop::fuzz {
namespace {

TEST(FrameFuzz, seeds_are_accepted) { expect_seeds_are_accepted(); }

TEST(FrameFuzz, damaged_seeds) { feed_damaged_seeds(500); }

}  // namespace
}  // namespace dollop::fuzz
