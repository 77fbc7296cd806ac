// The fuzz target of metrics on its seeds, and on damaged copies of them.
#include "../../fuzz/fuzz_metrics.cpp"
#include "fuzz_seeds.h"

namespace dollop::fuzz {
namespace {

TEST(MetricsFuzz, seeds_are_accepted) { expect_seeds_are_accepted(); }

TEST(MetricsFuzz, damaged_seeds) { feed_damaged_seeds(500); }

}  // namespace
}  // namespace dollop::fuzz
