// Every model in float: lanes of a pack equal scalar.
#include <gtest/gtest.h>

#include "lanes.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

template <class Case>
struct ModelLanes : testing::Test {};
TYPED_TEST_SUITE(ModelLanes, WholeFloatCases, CaseName);

TYPED_TEST(ModelLanes, equal_scalar) { expect_lanes_equal_scalar<TypeParam, Pack<float>>(); }

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
