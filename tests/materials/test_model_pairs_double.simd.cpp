// Every model in double: lanes of a pair of packs equal scalar.
#include <gtest/gtest.h>

#include "lanes.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

template <class Case>
struct ModelPairs : testing::Test {};
TYPED_TEST_SUITE(ModelPairs, WholeDoubleCases, CaseName);

TYPED_TEST(ModelPairs, equal_scalar) {
  if constexpr (runs_on_pairs<typename TypeParam::Model>)
    expect_lanes_equal_scalar<TypeParam, PackPair<double>>();
  else
    GTEST_SKIP() << "runs on single packs only";
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
