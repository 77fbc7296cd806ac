// The stresses of branches in principal stretches and their derivatives, which the local step of ADMM takes.
#include "materials/branches.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <type_traits>

#include "core/random.h"
#include "materials/branch_step.h"
#include "materials/material_list.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

struct Random {
  std::uint64_t seed, count = 0;
  double uniform(double low, double high) { return low + (high - low) * random_uniform(seed, 0, count++); }
};

template <class Model>
Model model_for_tests() {
  Model model;
  if constexpr (requires { model.young_modulus; }) model.young_modulus = 1e5, model.poisson_ratio = 0.3;
  if constexpr (requires { model.solvent_viscosity; }) model.solvent_viscosity = 20;
  if constexpr (requires { model.hardening_rate; }) model.hardening_rate = 0.4;
  return model;
}

template <class Model>
class Branches : public testing::Test {};
template <class List>
struct AsTypes;
template <class... Models>
struct AsTypes<std::tuple<Models...>> {
  using type = testing::Types<Models...>;
};
TYPED_TEST_SUITE(Branches, typename AsTypes<MaterialList>::type);

// calls visit for every branch of a law
template <class Law, class Visit>
void each_branch(Visit&& visit) {
  [&]<int... B>(std::integer_sequence<int, B...>) { (visit(std::integral_constant<int, B>{}), ...); }
  (std::make_integer_sequence<int, Law::branches>{});
}

// dtau_i/d ln sigma_j against central differences, in both stress forms and as if nothing flowed; at a kink, where the two
// sides differ, there is nothing to compare
TYPED_TEST(Branches, slopes_are_those_of_the_stress) {
  using Model = TypeParam;
  using Law = StepLawOf<Model, double>;
  using State = typename Model::template State<double>;
  if constexpr (!HasBranches<Law>) {
    GTEST_SKIP() << "no branches";
  } else {
    constexpr bool is_hencky = requires(const Law& l) { l.template branch_elasticity<0>(); };
    const Law law = step_law<double>(model_for_tests<Model>(), 1e-3);
    Random random{7};
    int compared = 0, kinks = 0;
    double worst = 0;
    for (int sample = 0; sample < 300; ++sample) {
      State before{};
      const double size = std::exp(random.uniform(-6, -1));
      for (int k = 0; k < 3; ++k) {
        const auto increment = make_mat3<double>([&](int, int) { return random.uniform(-size, size); });
        law.predict(increment, before), law.return_map(before);
      }
      if constexpr (requires { law.begin_step(before); }) law.begin_step(before);
      each_branch<Law>([&]<int B>(std::integral_constant<int, B>) {
        for (const int form : {0, 1, 2}) {  // kirchhoff, paper, elastic
          const SymMat3<double> e = law.template branch_strain<B>(before);
          const BranchStress<B, is_hencky, Law, State, double> stress{law, before, log_volume_ratio(e),
                                                                      form == 1};
          const auto at = [&](const Vec3<double>& eps) {
            return form == 2 ? stress.elastic(eps) : stress(eps);
          };
          const Vec3<double> eps{random.uniform(-size, size), random.uniform(-size, size),
                                 random.uniform(-size, size)};
          const auto here = at(eps);
          for (int j = 0; j < 3; ++j) {
            const double h = 1e-5 * size;
            const auto moved = [&](double by) {
              Vec3<double> other = eps;
              other[j] += by;
              return at(other).tau;
            };
            const auto up = moved(h), down = moved(-h), up2 = moved(2 * h), down2 = moved(-2 * h);
            for (int i = 0; i < 3; ++i) {
              const double slope = (8 * (up[i] - down[i]) - (up2[i] - down2[i])) / (12 * h);
              const double ahead = (up[i] - here.tau[i]) / h, behind = (here.tau[i] - down[i]) / h;
              const bool at_kink = std::fabs(ahead - behind) > 1e-3 * 1e5;
              ++(at_kink ? kinks : compared);
              if (!at_kink) worst = std::max(worst, std::fabs(here.slope(i, j) - slope) / 1e5);
              EXPECT_TRUE(std::isfinite(here.slope(i, j)));
            }
          }
        }
      });
    }
    std::printf("%s: off by %.1e of E, %d compared, %d at kinks\n", Model::name, worst, compared, kinks);
    EXPECT_LT(worst, 2e-7);
    EXPECT_GT(compared, 20 * kinks);
  }
}

// published numbers of the specification: s_Y = 1 in the norm of dev tau
TEST(VonMisesBranch, returns_to_the_yield_surface) {
  VonMises model;
  model.young_modulus = 2000, model.poisson_ratio = 0.4, model.yield_stress = std::sqrt(1.5);
  const auto law = model.law<double>();
  EXPECT_NEAR(law.elastic.two_mu, 2 * 714.2857143, 1e-6);
  const VonMises::State<double> before{};
  const auto map = law.branch_map<0>(before, Vec3<double>{.01, -.004, .001}, 0.007);
  EXPECT_NEAR(map.eps.x, .00286822, 1e-8);
  EXPECT_NEAR(map.eps.y, .00189147, 1e-8);
  EXPECT_NEAR(map.eps.z, .00224031, 1e-8);
}

// of a Hencky material with E = 50 and nu = 0.4
TEST(HenckyBranch, norm_of_the_hessian) {
  Hencky model;
  model.young_modulus = 50, model.poisson_ratio = 0.4;
  const auto law = model.law<double>();
  const Hencky::State<double> before{};
  const BranchStress<0, true, Hencky::Law<double>, Hencky::State<double>, double> stress{law, before, 0,
                                                                                         false};
  const Vec3<double> eps{std::log(1.3), std::log(0.9), std::log(0.7)};
  EXPECT_NEAR(hessian_norm(eps, stress.elastic(eps)), 405.25105, 1e-5);
  // equal stretches, from both sides of the limit
  const auto norm_at = [&](double apart) {
    const Vec3<double> two{0.1 + apart, 0.1, -0.2};
    return hessian_norm(two, stress.elastic(two));
  };
  EXPECT_NEAR(norm_at(0), norm_at(3e-5), 0.02);
  EXPECT_NEAR(norm_at(0.9e-5), norm_at(1.1e-5), 1e-3);
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
