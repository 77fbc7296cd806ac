// Every model in double: lanes of a pack equal scalar.
#include <gtest/gtest.h>

#include "lanes.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

template <class Case>
struct ModelLanes : testing::Test {};
TYPED_TEST_SUITE(ModelLanes, WholeDoubleCases, CaseName);

TYPED_TEST(ModelLanes, equal_scalar) { expect_lanes_equal_scalar<TypeParam, Pack<double>>(); }

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
