// A model whose own moduli are Lame's, given by name: oldroyd-b.
#include <dollop/scene.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>

#include "materials/registry.h"

namespace dollop {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

const ModelInfo& fluid() { return models()[std::size_t(find_model("oldroyd-b"))]; }

std::string fault_of(const std::map<std::string, double>& given) {
  try {
    resolve_parameters(fluid(), given);
  } catch (const SceneError& error) {
    return error.what();
  }
  return "";
}

TEST(LameModuli, equal_young_and_poisson) {
  ASSERT_EQ(fluid().parameters.at(1).name, "shear_modulus");
  ASSERT_EQ(fluid().parameters.at(2).name, "lambda");
  for (const double nu : {0.0, 0.3, 0.49}) {
    const Moduli m = moduli_of(1e5, nu);
    const auto values = resolve_parameters(fluid(), {{"young_modulus", 1e5}, {"poisson_ratio", nu}});
    EXPECT_NEAR(values.at(1), m.shear, 1e-9 * m.shear);
    EXPECT_NEAR(values.at(2), m.lambda, 1e-6);
    const double own[2] = {m.shear, m.lambda};
    double others[2];
    fluid().alternatives.at(0).from_own(own, others);
    EXPECT_NEAR(others[0], 1e5, 1e-6);
    EXPECT_NEAR(others[1], nu, 1e-12);
  }
  EXPECT_EQ(fault_of({{"young_modulus", 1e5}, {"poisson_ratio", 0.3}, {"lambda", 1e5}}),
            "give shear_modulus and lambda or young_modulus and poisson_ratio, not both");
}

TEST(LameModuli, only_relaxation_times_may_be_infinite) {
  EXPECT_EQ(fault_of({{"relaxation_time", infinite}}), "");
  for (const char* name : {"density", "shear_modulus", "lambda", "solvent_viscosity"})
    EXPECT_NE(fault_of({{name, infinite}}), "") << name;
  EXPECT_NE(fault_of({{"relaxation_time", -infinite}}), "");
}

// the law itself bounds the steps of the published update, and of no other
TEST(LameModuli, published_update_bounds_the_step) {
  const auto longest = [](double update) {
    const auto values = resolve_parameters(fluid(), {{"relaxation_time", 0.02}, {"update", update}});
    return fluid().stiffness(values.data()).longest_step;
  };
  EXPECT_EQ(longest(0), infinite);
  EXPECT_EQ(longest(1), 0.01);
}

}  // namespace
}  // namespace dollop
