// The standard test set, lanes: those of a pack, and of a pair of packs, equal scalar.
#pragma once

#include <gtest/gtest.h>

#include "lanes.h"
#include "tested_model.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

template <class Case>
struct ModelLanes : testing::Test {};
TYPED_TEST_SUITE(ModelLanes, WholeCases, CaseName);

TYPED_TEST(ModelLanes, equal_scalar) { expect_lanes_equal_scalar<TypeParam, Pack<typename TypeParam::S>>(); }

template <class Case>
struct ModelPairs : testing::Test {};
TYPED_TEST_SUITE(ModelPairs, WholeCases, CaseName);

TYPED_TEST(ModelPairs, equal_scalar) {
  if constexpr (runs_on_pairs<typename TypeParam::Model>)
    expect_lanes_equal_scalar<TypeParam, PackPair<typename TypeParam::S>>();
  else
    GTEST_SKIP() << "runs on single packs only";
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
