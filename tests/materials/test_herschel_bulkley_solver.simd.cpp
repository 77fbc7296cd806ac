// The scalar equation of Herschel-Bulkley flow: against bisection in extended precision over extreme materials, closed
// forms, published materials, order and bounds.
#include <gtest/gtest.h>

#include <random>

#include "creams.h"
#include "lanes.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

// F(z) = ln(c y^p + y) of z = ln y and l = ln c, and its slope                                            (HB.6)
template <class T>
struct LogSum {
  T value, slope;
  LogSum(T l, T p, T z) {
    const T d = l + (p - 1) * z, e = std::exp(-std::fabs(d));
    value = z + std::max(d, T(0)) + std::log1p(e);
    slope = 1 + (p - 1) * (d >= 0 ? 1 : e) / (1 + e);
  }
};

// c y^p + y = 1, solved for z = ln y by bisection of a bracket that holds the root whatever l and p, to 3e-6; steps of
// Newton in extended precision from so near give the last digits, relative ones too
long double reference_log(long double l, long double p) {
  double high = double(std::min(0.0L, -l / p)), low = high - 0.7 / std::min(1.0, double(p)) - 1e-12;
  for (int k = 0; k < 20; ++k) {
    const double middle = (low + high) / 2;
    (LogSum<double>(double(l), double(p), middle).value < 0 ? low : high) = middle;
  }
  long double z = (low + high) / 2;
  for (int k = 0; k < 3; ++k) {
    const LogSum<long double> f(l, p, z);
    z -= f.value / f.slope;
  }
  return z;
}

// what is left of the stress beyond yield, and what is gone
struct Relaxed {
  long double excess, drop;
};
template <class Law>
Relaxed reference(const Law& law, long double s_pre, long double mean) {
  const long double x = s_pre - law.yield_radius;
  if (law.perfect) return {0, x};
  const long double p = law.p;
  const long double l = std::log(law.two_mu_dt_by_eta * mean) + (p - 1) * std::log(x * law.inverse_eta);
  const long double z = reference_log(l, p);
  return {x * std::exp(z), -x * std::expm1(z)};
}

template <class R, class Law>
[[gnu::noinline]] R relaxed(const Law& law, const R& s_pre, const R& mean) {
  return law.relaxed(s_pre, mean);
}
template <class S, class Law>
[[gnu::noinline]] S log_left(const Law& law, const S& excess, const S& mean) {
  return law.log_left(excess, mean);
}

// Extreme materials, times and loads, far beyond what flows in any scene.
template <class S>
struct Extremes {
  static constexpr int loads = 16;
  HerschelBulkley model;
  double dt;
  std::array<S, loads> s_pre, mean;

  explicit Extremes(Random& random) {
    const auto often = [&](double value) { return random.bits() % 10 == 0 ? 0 : value; };
    model = cream(random.power_of_ten(0, 6), often(random.power_of_ten(-4, 4)),
                  often(random.power_of_ten(-8, 6)), 0.1 * std::pow(50.0, random.uniform(0, 1)));
    model.power = std::min(model.power, 5.0);
    dt = random.power_of_ten(-7, -2);
    const S yield = step_law<S>(model, dt).yield_radius;
    for (std::size_t k = 0; k < loads; ++k) {
      const double near = double(yield) * (1 + random.power_of_ten(-6, 0)) + 1e-9;
      const double load = random.bits() % 10 == 0 ? near : double(yield) + random.power_of_ten(-6, 6);
      s_pre[k] = S(load) > yield ? S(load) : std::nextafter(yield, S(1e30));
      mean[k] = S(1 + random.power_of_ten(-6, 1));
    }
  }
};
// a million cases
const int extreme_count = std::max(200, sample_count(1000000) / Extremes<double>::loads);

template <class S>
struct FlowSolver : testing::Test {
  static constexpr bool single = std::is_same_v<S, float>;
  static constexpr double epsilon = std::numeric_limits<S>::epsilon();
  // of what is left of the excess, and of what is gone: the rounding of ln c (docs/theory/foam.md)
  static constexpr double of_left = single ? 1.9e-5 : 4.2e-14, of_gone = single ? 9.1e-6 : 1.7e-14;
  static constexpr double tolerance = std::max(of_left, of_gone);
};
TYPED_TEST_SUITE(FlowSolver, Scalars);

// What is left and what is gone, each relative to itself. The stress is the sum of one of them, the smaller, and the
// yield or trial stress: relative to the smaller, beyond what the sum is rounded by.
TYPED_TEST(FlowSolver, extreme_materials_against_bisection) {
  using S = TypeParam;
  Random random{201};
  Worst left, gone, stress;
  for (int i = 0; i < extreme_count; ++i) {
    const Extremes<S> at(random);
    const auto law = step_law<S>(at.model, at.dt);
    for (std::size_t k = 0; k < at.loads; ++k) {
      const S s_pre = at.s_pre[k], x = s_pre - law.yield_radius, z = log_left(law, x, at.mean[k]);
      const Relaxed exact = reference(law, s_pre, at.mean[k]);
      const auto error = [](S found, long double known) {
        return known > 1e-30L ? double(std::fabs(found - known) / known) : 0;
      };
      left.see(error(x * exp(z), exact.excess), at.model);
      gone.see(error(-x * expm1(z), exact.drop), at.model);
      const S s = relaxed(law, s_pre, at.mean[k]);
      ASSERT_TRUE(s >= law.yield_radius && s <= s_pre) << describe(at.model) << " " << s;
      const long double off = std::fabs(s - (law.yield_radius + exact.excess));
      const long double smaller = std::min(exact.excess, exact.drop);
      stress.see(double((off - 1.01L * this->epsilon * s) / (smaller + 1e-30L)), at.model);
    }
  }
  expect_within("left", left, this->of_left);
  expect_within("gone", gone, this->of_gone);
  expect_within("stress", stress, this->tolerance);
}

// Draws from the same ranges, each with a material and a time step of its own.
class SingleExtremes {
 public:
  HerschelBulkley model;
  double dt = 0, s_pre = 0, mean = 0;

  void next() {
    const double power = std::exp(uniform(std::log(0.1), std::log(5.0)));
    const double viscosity = uniform(0, 1) < 0.1 ? 0 : power_of_ten(-8, 6);
    const double yield = uniform(0, 1) < 0.1 ? 0 : power_of_ten(-4, 4);
    dt = power_of_ten(-7, -2);
    model = cream(power_of_ten(0, 6), yield, viscosity, power);
    mean = 1 + power_of_ten(-6, 1);
    const double radius = std::sqrt(2.0 / 3) * yield;
    s_pre = radius + power_of_ten(-6, 6);
    if (uniform(0, 1) < 0.1) s_pre = radius * (1 + power_of_ten(-6, 0)) + 1e-9;  // near yield
  }

 private:
  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(generator_); }
  double power_of_ten(double a, double b) { return std::pow(10.0, uniform(a, b)); }
  std::mt19937_64 generator_{7};
};

// 400,000 of them: the drop is nearer than in the million above, where it is 1.61e-14 at worst
TEST(FlowSolverInDouble, single_extremes_against_bisection) {
  SingleExtremes at;
  Worst left, gone;
  for (int i = 0; i < sample_count(400000); ++i) {
    at.next();
    const auto law = step_law<double>(at.model, at.dt);
    const double x = at.s_pre - law.yield_radius, z = log_left(law, x, at.mean);
    ASSERT_GT(x, 0) << describe(at.model);
    const Relaxed exact = reference(law, at.s_pre, at.mean);
    if (exact.excess > 1e-30L)
      left.see(double(std::fabs(x * exp(z) - exact.excess) / exact.excess), at.model);
    if (exact.drop > 1e-30L) gone.see(double(std::fabs(-x * expm1(z) - exact.drop) / exact.drop), at.model);
  }
  expect_within("left", left, 4.2e-14);
  expect_within("gone", gone, 1.6e-14);
}

// without a yield stress the result is what is left
TYPED_TEST(FlowSolver, excess_is_relatively_exact) {
  using S = TypeParam;
  Random random{203};
  Worst error;
  for (int i = 0; i < extreme_count; ++i) {
    Extremes<S> at(random);
    at.model.yield_stress = 0;
    const auto law = step_law<S>(at.model, at.dt);
    for (std::size_t k = 0; k < at.loads; ++k) {
      const Relaxed exact = reference(law, at.s_pre[k], at.mean[k]);
      const S s = relaxed(law, at.s_pre[k], at.mean[k]);
      if (exact.excess > 1e-30L) error.see(double(std::fabs(s - exact.excess) / exact.excess), at.model);
    }
  }
  expect_within("error", error, this->of_left);
}

TYPED_TEST(FlowSolver, lanes_equal_scalar) {
  using S = TypeParam;
  using R = Pack<S>;
  Random random{205};
  for (int i = 0; i < extreme_count; ++i) {
    const Extremes<S> at(random);
    const auto law = step_law<S>(at.model, at.dt);
    for (std::size_t k = 0; k < at.loads; k += std::size_t(R::lanes)) {
      const R many = relaxed(law, R::load(at.s_pre.data() + k), R::load(at.mean.data() + k));
      const auto lane = lanes_in(many);
      for (std::size_t l = 0; l < lane.size(); ++l)
        ASSERT_TRUE(same_bits(lane[l], relaxed(law, at.s_pre[k + l], at.mean[k + l]))) << describe(at.model);
    }
  }
}

// More load, yield stress or viscosity leaves more stress; more time, stiffness or mean strain less. A higher power
// leaves more where the stress beyond yield is above the viscosity: there the flow is slower.
TYPED_TEST(FlowSolver, monotone_in_every_argument) {
  using S = TypeParam;
  Random random{207};
  for (int i = 0; i < extreme_count; ++i) {
    const Extremes<S> at(random);
    const S s_pre = at.s_pre[0], mean = at.mean[0];
    const double more = random.uniform(1.05, 2);
    const auto solve = [&](const HerschelBulkley& m, double dt, S load, S mean_strain) {
      return relaxed(step_law<S>(m, dt), load, mean_strain);
    };
    const S s = solve(at.model, at.dt, s_pre, mean);
    const double excess = double(s) - double(step_law<S>(at.model, at.dt).yield_radius);
    const double slack =
        2 * this->tolerance * std::min(excess, double(s_pre - s)) + 4 * this->epsilon * double(s);
    const auto changed = [&](double HerschelBulkley::*parameter) {
      HerschelBulkley m = at.model;
      m.*parameter *= more;
      return double(solve(m, at.dt, s_pre, mean));
    };
    ASSERT_GE(double(solve(at.model, at.dt, S(s_pre * S(more)), mean)), double(s) - slack)
        << describe(at.model);
    ASSERT_GE(changed(&HerschelBulkley::viscosity), double(s) - slack) << describe(at.model);
    ASSERT_LE(changed(&HerschelBulkley::young_modulus), double(s) + slack) << describe(at.model);
    ASSERT_LE(double(solve(at.model, at.dt * more, s_pre, mean)), double(s) + slack) << describe(at.model);
    ASSERT_LE(double(solve(at.model, at.dt, s_pre, S(mean * S(more)))), double(s) + slack)
        << describe(at.model);
    HerschelBulkley stronger = at.model;
    stronger.yield_stress = stronger.yield_stress * more + 1e-3;
    if (step_law<S>(stronger, at.dt).yield_radius < s_pre) {
      ASSERT_GE(double(solve(stronger, at.dt, s_pre, mean)), double(s) - slack) << describe(at.model);
    }
    HerschelBulkley slower = at.model;
    slower.power = std::min(5.0, slower.power * more);
    const double other = double(solve(slower, at.dt, s_pre, mean));
    const double rounding = 4 * this->epsilon * double(s_pre);
    if (excess > 1.01 * at.model.viscosity + rounding) {
      ASSERT_GE(other, double(s) - slack) << describe(at.model);
    } else if (excess < 0.99 * at.model.viscosity - rounding) {
      ASSERT_LE(other, double(s) + slack) << describe(at.model);
    }
  }
}

// without viscosity: onto the yield surface exactly, for every power and in one step of any length
TYPED_TEST(FlowSolver, no_viscosity_is_perfectly_plastic) {
  using S = TypeParam;
  for (const double power : {0.1, 0.22, 0.5, 1.0, 2.0, 2.8, 5.0})
    for (const double dt : {1e-7, 1e-5, 1e-2})
      for (const double shear : {1.0, 290.0, 1e6})
        for (const double yield : {0.0, 1e-4, 31.9})
          for (const double x : {1e-6, 1.0, 1e6}) {
            const auto law = step_law<S>(cream(shear, yield, 0, power), dt);
            const S s_pre = S(double(law.yield_radius) + x);
            EXPECT_EQ(relaxed(law, s_pre, S(1)), law.yield_radius) << power << " " << dt << " " << x;
          }
}

// what flows is at most what would flow at the full load, and next to nothing in a liquid of endless viscosity
TYPED_TEST(FlowSolver, endless_viscosity_is_elastic) {
  using S = TypeParam;
  const double shear = 290, dt = 1e-5, s_pre = 1000;
  for (const double power : {0.1, 0.22, 0.5, 1.0, 2.0, 2.8, 5.0}) {
    for (const double viscosity : {1.0, 1e5, 1e10, 1e25}) {
      const auto law = step_law<S>(cream(shear, 31.9, viscosity, power), dt);
      const double rate = std::pow((s_pre - double(law.yield_radius)) / viscosity, 1 / power);
      const double s = double(relaxed(law, S(s_pre), S(1)));
      EXPECT_GE(s, s_pre - 2 * shear * dt * rate * (1 + 2 * this->tolerance) - this->epsilon * s_pre);
      if (viscosity == 1e25) {
        EXPECT_NEAR(s, s_pre, 1e-6);
      }
    }
    EXPECT_EQ(relaxed(step_law<S>(cream(shear, 31.9, 27.2, power), 0), S(s_pre), S(1)),
              S(s_pre));  // in no time
  }
}

// h = 1: y = 1/(1 + c); h = 1/2: y = 2/(1 + sqrt(1 + 4 c)); h = 2: sqrt(y) = 2/(c + sqrt(c^2 + 4))
TYPED_TEST(FlowSolver, closed_forms) {
  using S = TypeParam;
  const double x = 50, eta = 20, mu = 290;
  for (const double power : {1.0, 0.5, 2.0})
    for (double dt = 1e-12; dt < 1e4; dt *= 3) {
      const auto law = step_law<S>(cream(mu, 31.9, eta, power), dt);
      const double s_pre = double(S(double(law.yield_radius) + x)), excess = s_pre - double(law.yield_radius);
      const double c = 2 * mu * dt / excess * std::pow(excess / eta, 1 / power);
      const double root = 2 / (c + std::sqrt(c * c + 4));
      const double y = power == 1 ? 1 / (1 + c) : power == 0.5 ? 2 / (1 + std::sqrt(1 + 4 * c)) : root * root;
      EXPECT_NEAR(relaxed(law, S(s_pre), S(1)), double(law.yield_radius) + excess * y,
                  8 * this->epsilon * s_pre)
          << power << " " << dt;
    }
}

// a Bingham material: s = s_pre - (s_pre - s_Y) / (1 + eta / (2 mu dt))
TYPED_TEST(FlowSolver, bingham) {
  using S = TypeParam;
  for (const double dt : {1e-6, 1e-4, 1e-2}) {
    const auto law = step_law<S>(cream(11200, 0.1, 10, 1), dt);
    const double radius = std::sqrt(2.0 / 3) * 0.1, mean = 1.25;
    const double exact = 1000 - (1000 - radius) / (1 + 10 / (2 * 11200 * mean * dt));
    EXPECT_NEAR(relaxed(law, S(1000), S(mean)), exact, 4 * this->epsilon * 1000);
  }
}

struct Golden {
  double shear, yield, viscosity, power, dt, s_pre, s, drop;
};
constexpr Golden golden[] = {
    {290, 31.9, 27.2, 0.22, 1e-5, 60, 59.9841394189, 0.0158605811},
    {290, 31.9, 27.2, 0.22, 1e-3, 60, 58.6738485737, 1.3261514263},
    {290, 31.9, 27.2, 0.22, 1e-5, 300, 236.5191340356, 63.4808659644},
    {1600, 120, 5, 0.27, 1e-5, 200, 136.7780000817, 63.2219999183},
    {80, 10, 16, 0.43, 1e-5, 40, 39.9920801253, 0.0079198747},
    {5e4, 1000, 0.1, 1, 1e-5, 1000, 833.1787099343, 166.8212900657},
    {11200, 0.1, 10, 2.8, 5e-6, 1000, 999.4200359375, 0.5799640625},
    {11200, 0.1, 10, 1, 5e-6, 1000, 988.9249549804, 11.0750450196},
    {290, 31.9, 0, 0.22, 1e-5, 60, 26.0462409316, 33.9537590684},
};
// the materials of Yue et al. (2015), Table I; solved apart from this program to ten digits
TYPED_TEST(FlowSolver, published_materials) {
  using S = TypeParam;
  for (const Golden& g : golden) {
    const auto law = step_law<S>(cream(g.shear, g.yield, g.viscosity, g.power), g.dt);
    const double s = double(relaxed(law, S(g.s_pre), S(1)));
    EXPECT_NEAR(s, g.s, std::max(1e-10, (this->single ? 2 * this->epsilon : 1e-12) * g.s));
    EXPECT_NEAR(g.s_pre - s, g.drop,
                this->single ? 4e-6 * g.drop + this->epsilon * g.s_pre : 1e-9 * g.drop + 1e-10);
  }
}

// ds/ds_pre = chi = y / (y + p (1 - y)), ds/dmean = -chi (s_pre - s) / mean; at the extremes too
TEST(FlowTangent, closed_form) {
  using D = Dual<double, 2>;
  Random random{209};
  Worst error;
  for (int i = 0; i < extreme_count; ++i) {
    const Extremes<double> at(random);
    const auto law = step_law<double>(at.model, at.dt);
    const double s_pre = at.s_pre[0], mean = at.mean[0];
    const D s = relaxed(law, D::variable(s_pre, 0), D::variable(mean, 1));
    const Relaxed exact = reference(law, s_pre, mean);
    const double y = double(exact.excess / (exact.excess + exact.drop)), p = 1 / at.model.power;
    const double chi = y / (y + p * (1 - y)), by_mean = chi * double(exact.drop) / mean;
    error.see(std::fabs(s.d[0] - chi) / (chi + 1e-300), at.model);
    error.see(std::fabs(s.d[1] + by_mean) / (by_mean + 1e-25), at.model);
    EXPECT_NEAR(s.value, relaxed(law, s_pre, mean), 4e-16 * s_pre);
  }
  expect_within("error", error, 1e-9);
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
