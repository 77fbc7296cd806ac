// Drucker-Prager sand against closed forms: projection, cones, hardening, shear, confined compression, tangents.
// Volume gain, cohesion and mu(I): test_drucker_prager_2.
#include "materials/drucker_prager.h"

#include <gtest/gtest.h>

#include <array>

#include "sand_states.h"
#include "worse_of.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

using State = DruckerPrager::State<double>;
using tests::worse_of;

template <class S>
struct SandTest : testing::Test {
  static constexpr bool single = std::is_same_v<S, float>;
};
TYPED_TEST_SUITE(SandTest, Scalars);

// --- projection -------------------------------------------------------------------------------------------

// beside the cone: the deviator is shortened, the volume stays                                         (DP.4)
TYPED_TEST(SandTest, shortens_the_deviator) {
  const DruckerPrager model = plain_sand(25);
  EXPECT_NEAR(step_law<double>(model, test_dt).alpha, 0.2677650428, 1e-10);
  const Vec3<double> l{0.02, -0.03, -0.01};
  DruckerPrager::State<TypeParam> trial{};
  predict(step_law<TypeParam>(model, test_dt), cast<TypeParam>(stretch(l)), trial);
  EXPECT_NEAR(norm(deviator(elastic_strain(trial))), 0.0355902608, this->single ? 2e-8 : 5e-11);
  auto s = stretched<TypeParam>(model, l);
  const double tolerance = this->single ? 2e-8 : 1e-8;
  expect_strain(s, {0.00637415, -0.01807738, -0.00829677}, tolerance);
  EXPECT_NEAR(s.plastic_strain, 0.0181855331, this->single ? 2e-8 : 1e-10);
  EXPECT_EQ(s.volume_gain, 0);
  const Vec3<double> h = elastic_strain(s);
  EXPECT_NEAR(h.x + h.y + h.z, -0.02, this->single ? 1e-8 : 1e-14);
  const double tr = sand_lambda * -0.02;
  expect_stress(s.kirchhoff,
                {2 * sand_mu * h.x + tr, 2 * sand_mu * h.y + tr, 2 * sand_mu * h.z + tr, 0, 0, 0},
                this->single ? 1e-2 : 1e-4);
  const TypeParam q = s.plastic_strain;
  return_map(step_law<TypeParam>(model, test_dt), s);
  expect_strain(s, h, this->single ? 1e-8 : 1e-16);
  EXPECT_NEAR(s.plastic_strain, q, this->single ? 1e-8 : 1e-16);
}

// beyond the tip nothing is left, and all of the strain was plastic                                    (DP.5)
TYPED_TEST(SandTest, what_expands_has_no_stress) {
  for (const double corrected : {0.0, 1.0}) {
    DruckerPrager model = plain_sand(25);
    model.volume_correction = corrected;
    const auto s = stretched<TypeParam>(model, {0.05, 0.04, 0.03});
    EXPECT_EQ(largest(s.strain), 0);
    EXPECT_EQ(largest(s.kirchhoff), 0);
    EXPECT_NEAR(s.plastic_strain, 0.0707107, 1e-7);
    EXPECT_NEAR(s.volume_gain, 0.12, this->single ? 3e-8 : 1e-15);
  }
}

TYPED_TEST(SandTest, pressure_alone_is_elastic) {
  const DruckerPrager model = plain_sand(25);
  const auto s = stretched<TypeParam>(model, {-0.01, -0.01, -0.01});
  expect_strain(s, {-0.01, -0.01, -0.01}, this->single ? 1e-9 : 1e-16);
  EXPECT_EQ(s.plastic_strain, 0);
  EXPECT_NEAR(pressure(s), 0.03 * (sand_lambda + 2 * sand_mu / 3), this->single ? 2e-3 : 1e-6);
}

// a fluid: no shear stress at all, and pure expansion opens it as well
TYPED_TEST(SandTest, without_friction_it_is_a_fluid) {
  const DruckerPrager model = plain_sand(0);
  auto s = stretched<TypeParam>(model, {0.02, -0.05, 0});
  expect_strain(s, {-0.01, -0.01, -0.01}, this->single ? 1e-9 : 1e-16);
  EXPECT_NEAR(s.plastic_strain, std::sqrt(0.03 * 0.03 + 0.04 * 0.04 + 0.01 * 0.01), 1e-8);
  s = stretched<TypeParam>(model, {0.01, 0.01, 0.01});
  EXPECT_EQ(largest(s.kirchhoff), 0);
  EXPECT_NEAR(s.volume_gain, 0.03, 1e-8);
  EXPECT_NEAR(s.plastic_strain, 0.01 * std::sqrt(3.0), 1e-8);
}

// The flow neither loses nor makes volume: what the strain loses, the gain has. Floats round relative to 1.
TYPED_TEST(SandTest, flow_keeps_the_volume) {
  double worst = 0;
  std::array<int, 3> seen{};
  each_history<ModelCase<DruckerPrager, TypeParam>>(
      history_count, 14, [&](const DruckerPrager&, const auto& law, History& history) {
        DruckerPrager::State<TypeParam> s{};
        for (int step = 0; step < History::length; ++step) {
          predict(law, cast<TypeParam>(history.next()), s);
          const double before = double(volume_of(law, s));
          const TypeParam gain = s.volume_gain, q = s.plastic_strain;
          return_map(law, s);
          worst = worse_of(worst, std::fabs(double(volume_of(law, s)) / before - 1));
          ++seen[s.volume_gain > gain ? 2 : s.plastic_strain > q ? 1 : 0];
        }
      });
  EXPECT_LE(worst, this->single ? 1e-5 : 1e-13);
  for (const int count : seen) EXPECT_GT(count, history_count / 2);
}

// --- cones ------------------------------------------------------------------------------------------------

struct ConeRow {
  double angle, slope, ratio;  // alpha, and tau/p in simple shear
};
constexpr ConeRow triaxial_rows[] = {{20, 0.21012821, 0.445749}, {25, 0.26776504, 0.568015},
                                     {30, 0.32659863, 0.692820}, {35, 0.38601933, 0.818871},
                                     {40, 0.44530046, 0.944625}, {45, 0.50359979, 1.068296}};

// Stress ratio of steady simple shear under constant pressure, which the deviator reaches from any start. Elastic
// strains are small, else they turn with the shear and the normal stresses differ.
template <class S>
double shear_ratio(const DruckerPrager& model) {
  auto s = stretched<S>(model, {-1.2e-4, -0.9e-4, -0.9e-4});
  shear_by(model, 1e-3, 300, s);
  EXPECT_NEAR(s.kirchhoff.xx, s.kirchhoff.yy, 3e-3 * pressure(s));
  return double(s.kirchhoff.xy) / pressure(s);
}

TEST(SandCones, triaxial_as_published) {  // (DP.3)
  for (const ConeRow& row : triaxial_rows) {
    EXPECT_NEAR(cone_slope(Cone::triaxial, row.angle * degree), row.slope, 5e-9);
    EXPECT_NEAR(3 / std::sqrt(2.0) * row.slope, row.ratio, 1e-6);
    // M = q/p of triaxial compression
    const double sine = std::sin(row.angle * degree);
    EXPECT_NEAR(std::sqrt(1.5) * 3 * row.slope, 6 * sine / (3 - sine), 1e-7);
  }
}

TEST(SandCones, others_by_the_slope_that_just_stands) {
  for (const double angle : {20.0, 25.0, 30.0, 35.0, 40.0, 45.0}) {
    const double to_ratio = 3 / std::sqrt(2.0);
    EXPECT_NEAR(to_ratio * cone_slope(Cone::plane_strain, angle * degree), std::tan(angle * degree), 1e-14);
    EXPECT_EQ(cone_slope(Cone::tan, angle * degree), cone_slope(Cone::plane_strain, angle * degree));
    EXPECT_NEAR(to_ratio * cone_slope(Cone::sin, angle * degree), std::sin(angle * degree), 1e-14);
  }
  EXPECT_NEAR(cone_slope(Cone::plane_strain, 30 * degree), 0.27216553, 5e-9);
  EXPECT_NEAR(cone_slope(Cone::sin, 30 * degree), 0.23570226, 5e-9);
}

TYPED_TEST(SandTest, driven_shear_reaches_the_ratio_of_the_cone) {
  const double tolerance = 6e-6;
  EXPECT_NEAR(shear_ratio<TypeParam>(plain_sand(20)), 0.44575, tolerance);
  EXPECT_NEAR(shear_ratio<TypeParam>(plain_sand(30)), 0.69282, tolerance);
  EXPECT_NEAR(shear_ratio<TypeParam>(plain_sand(40)), 0.94462, tolerance);
  EXPECT_NEAR(shear_ratio<TypeParam>(plain_sand(30, Cone::plane_strain)), 0.57735, tolerance);
  EXPECT_NEAR(shear_ratio<TypeParam>(plain_sand(40, Cone::tan)), 0.83910, tolerance);
  EXPECT_NEAR(shear_ratio<TypeParam>(plain_sand(30, Cone::sin)), 0.50000, tolerance);
}

// lateral over vertical stress, elastic or, where friction is small, on the cone
TYPED_TEST(SandTest, confined_compression) {
  const double tolerance = 2e-6;
  for (const auto& [angle, ratio] :
       {std::pair{20.0, 0.490291}, std::pair{25.0, 0.428571}, std::pair{30.0, 0.428571}}) {
    const DruckerPrager model = plain_sand(angle);
    DruckerPrager::State<TypeParam> s{};
    for (int n = 0; n < 20; ++n) stretch_by(model, {0, -0.001, 0}, s);
    EXPECT_NEAR(s.kirchhoff.xx / s.kirchhoff.yy, ratio, tolerance) << angle;
    EXPECT_EQ(s.kirchhoff.xx, s.kirchhoff.zz);
    EXPECT_EQ(s.plastic_strain > 0, angle < 21) << angle;
  }
}

// --- hardening --------------------------------------------------------------------------------------------

DruckerPrager hardening_sand(Cone cone = Cone::triaxial) {
  DruckerPrager model = plain_sand(35, cone);
  model.hardening_rate = 9 * degree, model.hardening_decay = 0.2, model.hardening_drop = 10 * degree;
  return model;
}

double triaxial_angle(double slope) {
  const double a = slope / (2 * std::sqrt(2.0 / 3.0));
  return std::asin(3 * a / (1 + a)) / degree;
}

TYPED_TEST(SandTest, friction_angle_after_flow) {  // (DP.6)
  const auto law = step_law<TypeParam>(hardening_sand(), test_dt);
  EXPECT_NEAR(triaxial_angle(law.alpha), 25, 1e-5);
  const auto angle = [&](double q) { return triaxial_angle(law.slope_after(TypeParam(q))); };
  EXPECT_NEAR(angle(0), 25, 1e-5);
  EXPECT_NEAR(angle(1), 34.1813, 6e-5);
  EXPECT_NEAR(angle(5), 47.8758, 6e-5);
  const double most = 1 / 0.2 + 10.0 / 9;
  EXPECT_NEAR(angle(most), 48.2559, 6e-5);
  for (const double q : {0.9 * most, 1.1 * most, 2 * most}) EXPECT_LT(angle(q), angle(most));
  EXPECT_NEAR(angle(50), 35.020, 6e-4);
  EXPECT_NEAR(angle(1000), 35, 1e-5);
}

// the cone of any angle, as a law computes it on packs, is that of cone_slope
TYPED_TEST(SandTest, slopes_of_laws) {
  for (const Cone cone : {Cone::triaxial, Cone::plane_strain, Cone::tan, Cone::sin})
    for (const double angle : {0.0, 0.1, 10.0, 30.0, 45.0, 60.0, 80.0, 89.0}) {
      const auto law = step_law<TypeParam>(plain_sand(angle, cone), test_dt);
      const double exact = cone_slope(cone, angle * degree);
      EXPECT_NEAR(law.alpha, exact, (this->single ? 1e-7 : 1e-16) * exact);
      EXPECT_NEAR(law.slope_after(TypeParam(0)), exact, (this->single ? 2e-5 : 2e-14) * exact) << angle;
    }
}

TYPED_TEST(SandTest, angle_stays_below_a_right_one) {
  DruckerPrager model = hardening_sand(Cone::tan);
  model.hardening_rate = 10, model.hardening_decay = 0;
  const auto law = step_law<TypeParam>(model, test_dt);
  const double most = cone_slope(Cone::tan, 89 * degree);
  EXPECT_NEAR(law.slope_after(TypeParam(7)), most, (this->single ? 2e-5 : 1e-13) * most);
}

// a step sees the cone of the flow before it                                                           (DP.7)
TYPED_TEST(SandTest, cone_is_that_of_the_steps_before) {
  const DruckerPrager model = hardening_sand();
  const auto law = step_law<TypeParam>(model, test_dt);
  auto s = stretched<TypeParam>(model, {-0.01, -0.01, -0.01});
  Mat3<TypeParam> du{};
  du(0, 1) = TypeParam(0.05);
  for (int step = 0; step < 40; ++step) {
    const TypeParam q = s.plastic_strain;
    predict(law, du, s);
    const TypeParam growth = s.cone_growth;
    EXPECT_EQ(growth, q > 0 ? law.slope_after(q) - law.alpha : 0);
    return_map(law, s);
    EXPECT_EQ(s.cone_growth, growth);
    EXPECT_GE(s.plastic_strain, q);
    EXPECT_NEAR(law.yield_excess(s), 0, this->single ? 2e-5 : 1e-13);
  }
  EXPECT_GT(s.plastic_strain, 1);
  EXPECT_NEAR(triaxial_angle(double(law.alpha) + double(s.cone_growth)),
              35 + (9 * double(s.plastic_strain) - 10) * std::exp(-0.2 * double(s.plastic_strain)), 0.3);
}

// --- tangent and continuity -------------------------------------------------------------------------------

using Tangent = std::array<SymMat3<double>, 9>;

Tangent dual_tangent(const DruckerPrager::StepLaw<double>& law, const State& before, const Mat3<double>& du) {
  using D = Dual<double, 9>;
  using DualState = DruckerPrager::State<D>;
  const auto reals = reals_of(before);
  DualState s = state_from<DualState>([&](int k) { return D(reals[std::size_t(k)]); });
  advance(law, make_mat3<D>([&](int i, int j) { return D::variable(du(i, j), 3 * i + j); }), s);
  Tangent r;
  for (std::size_t k = 0; k < 9; ++k) {
    const SymMat3<D>& tau = s.kirchhoff;
    r[k] = {tau.xx.d[k], tau.yy.d[k], tau.zz.d[k], tau.xy.d[k], tau.xz.d[k], tau.yz.d[k]};
  }
  return r;
}

// the largest difference to central differences, relative to 2 mu
double tangent_error(const DruckerPrager& model, const State& before, const Mat3<double>& du) {
  const auto law = step_law<double>(model, test_dt);
  const Tangent found = dual_tangent(law, before, du);
  double worst = 0;
  for (int k = 0; k < 9; ++k) {
    const auto tau = [&](double d) {
      Mat3<double> moved = du;
      moved(k / 3, k % 3) += d;
      State s = before;
      advance(law, moved, s);
      return s.kirchhoff;
    };
    const double h = 1e-5;
    const SymMat3<double> slope = (1 / (12 * h)) * (8.0 * (tau(h) - tau(-h)) - (tau(2 * h) - tau(-2 * h)));
    worst = worse_of(worst, largest(found[std::size_t(k)] - slope) / (2 * sand_mu));
  }
  return worst;
}

// inside, beside and beyond the cone, and at equal stretches; with a gap, cohesion and rate dependence as well
TEST(SandTangents, dual_numbers_equal_differences) {
  Random random{5};
  DruckerPrager cohesive = plain_sand(25), corrected = plain_sand(25), rated = plain_sand(25);
  cohesive.cohesion = 2e3, corrected.volume_correction = 1, rated.grain_size = 1e-3;
  const Vec3<double> cases[] = {{-0.1, -0.11, -0.12}, {0.05, 0.04, 0.03},      {0.02, -0.03, -0.01},
                                {0.1, 0.1, -0.5},     {0.1, -0.3, -0.3},       {-0.2, -0.2, -0.2},
                                {0.1, 0.1, 0.1},      {-0.3, -0.3 + 1e-9, 0.1}};
  for (const Vec3<double>& l : cases)
    for (const DruckerPrager& model : {plain_sand(25), cohesive, corrected, rated}) {
      const Mat3<double> q = random.rotation();
      State before{};
      if (model.volume_correction > 0) before.volume_gain = 0.01;
      EXPECT_LE(tangent_error(model, before, q * stretch(l) * transpose(q)), 1e-6) << describe(model) << l.x;
    }
}

// beyond the tip there is no stiffness at all; inside it is the elastic one, also with a gap that has closed
TEST(SandTangents, of_the_outer_cases) {
  DruckerPrager model = plain_sand(25);
  model.volume_correction = 1;
  for (const double gain : {0.0, 0.015}) {
    State before{};
    before.volume_gain = gain;
    const auto law = step_law<double>(model, test_dt);
    for (const SymMat3<double>& d : dual_tangent(law, before, stretch({0.05, 0.04, 0.03})))
      EXPECT_EQ(largest(d), 0);
    const Mat3<double> pressed = stretch({-0.02, -0.02, -0.02});
    const Tangent inside = dual_tangent(law, before, pressed);
    EXPECT_NEAR(inside[0].xx * (1 + pressed(0, 0)), 2 * sand_mu + sand_lambda, 1);
    EXPECT_NEAR(inside[0].yy * (1 + pressed(0, 0)), sand_lambda, 1);
  }
}

// Without a deviator: beyond the tip there is no stiffness, under pressure the elastic one, and rest counts as inside,
// else implicit steps from rest would see none. In float too the guards against 0/0 do no harm.           (SPEC.5)
TYPED_TEST(SandTest, tangents_at_rest_and_without_a_deviator) {
  using D = Dual<TypeParam, 9>;
  DruckerPrager corrected = plain_sand(25), cohesive = plain_sand(25);
  corrected.volume_correction = 1, cohesive.cohesion = 2e3;
  for (const DruckerPrager& model : {plain_sand(25), corrected, cohesive, plain_sand(45, Cone::tan)})
    for (const double l : {0.0, -1e-3, 1e-3}) {
      if (l > 0 && model.cohesion > 0) continue;  // it holds
      auto s = state_from<DruckerPrager::State<D>>([](int) { return D(TypeParam(0)); });
      advance(step_law<TypeParam>(model, test_dt), make_mat3<D>([&](int i, int j) {
                return D::variable(i == j ? TypeParam(l) : TypeParam(0), 3 * i + j);
              }),
              s);
      const SymMat3<D>& tau = s.kirchhoff;
      // tau = 2 mu e + lambda tr(e) 1 with d e = sym du/(1 + l)
      const double lambda = l > 0 ? 0 : sand_lambda / (1 + l), mu = l > 0 ? 0 : sand_mu / (1 + l);
      const double tolerance = (this->single ? l == 0 ? 1e-6 : 4e-4 : 1e-7) * sand_young;
      for (std::size_t k = 0; k < 9; ++k) {
        const std::size_t i = k / 3, j = k % 3;
        const double volume = i == j ? lambda : 0;
        const auto exact = [&](std::size_t a, std::size_t b) {
          return (a == b ? volume : 0) + mu * ((a == i && b == j) + (a == j && b == i));
        };
        const SymMat3<double> error{tau.xx.d[k] - exact(0, 0), tau.yy.d[k] - exact(1, 1),
                                    tau.zz.d[k] - exact(2, 2), tau.xy.d[k] - exact(0, 1),
                                    tau.xz.d[k] - exact(0, 2), tau.yz.d[k] - exact(1, 2)};
        EXPECT_LE(largest(error), tolerance) << describe(model) << " strain " << l << " direction " << k;
      }
    }
}

// Across I/III and III/II: along any path of trial strains the stress changes by no more than its largest slope,
// (2 mu + 3 lambda)(1 + sqrt(3) alpha (3 lambda + 2 mu)/(2 mu)), allows.
TEST(SandProjection, is_continuous) {
  Random random{17};
  std::array<int, 9> crossed{};
  for (int path = 0; path < std::max(60, sample_count(200)); ++path) {
    DruckerPrager model = plain_sand(std::array{0.0, 20.0, 30.0, 45.0}[std::size_t(path % 4)]);
    if (path % 3 == 1) model.volume_correction = 1;
    if (path % 3 == 2 && path % 4) model.cohesion = 3e3;
    const auto law = step_law<double>(model, test_dt);
    const auto place = [&] {
      const double shift = random.uniform(-0.03, 0.03);
      const auto one = [&] { return shift + random.uniform(-0.04, 0.04); };
      return Vec3<double>{one(), one(), one()};
    };
    const Vec3<double> from = place(), to = place();
    const double gain = model.volume_correction * random.uniform(0, 0.03), steps = 400;
    const double slope = (2 * sand_mu + 3 * sand_lambda) * (1 + std::sqrt(3.0) * law.alpha * law.to_deviator);
    SymMat3<double> last{};
    std::size_t last_case = 0;
    for (int n = 0; n <= steps; ++n) {
      State s{};
      s.volume_gain = gain;
      advance(law, stretch(from + (n / steps) * (to - from)), s);
      const std::size_t now = largest(s.kirchhoff) == 0 || s.volume_gain > gain ? 2 : s.plastic_strain > 0;
      if (n > 0) {
        ASSERT_LE(largest(s.kirchhoff - last), 1.01 * slope * norm(to - from) / steps) << describe(model);
        ++crossed[3 * last_case + now];
      }
      last = s.kirchhoff, last_case = now;
    }
  }
  EXPECT_GT(crossed[1] + crossed[3], 10);  // I and III
  EXPECT_GT(crossed[5] + crossed[7], 10);  // III and II
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
