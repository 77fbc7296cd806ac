// Volume-preserving Oldroyd-B against numbers that were computed by other means, and against closed forms.
#include "materials/oldroyd_b.h"

#include <gtest/gtest.h>

#include <limits>

#include "histories.h"
#include "known_answers.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
using Doubles = OldroydB::State<double>;

OldroydB fluid(double mu = 5, double lambda = 50, double time = 0.5, double viscosity = 0) {
  OldroydB model;
  model.density = 1000, model.shear_modulus = mu, model.lambda = lambda;
  model.relaxation_time = time, model.solvent_viscosity = viscosity;
  return model;
}

SymMat3<double> conformation(double xx, double yy, double zz, double xy, double xz, double yz) {
  return {xx - 1, yy - 1, zz - 1, xy, xz, yz};
}
Mat3<double> shear(double amount) {
  Mat3<double> du{};
  du(0, 1) = amount;
  return du;
}

// --- the step from a given state that an independent script has computed ------------------------------------

// b_OB, J and the increment A of one step of 0.01 s
struct KnownStep {
  Doubles before{};
  Mat3<double> du{{{.02, -.03, .01}, {.04, -.05, .02}, {0, .03, .01}}};
  OldroydB model = fluid(5, 50, 0.5, 0.05);
  KnownStep() {
    before.volume_change = det(Mat3<double>{{{1.05, .10, 0}, {-.05, .95, .02}, {.03, 0, 1.02}}}) - 1;
    before.conformation = conformation(1.30, .90, 1.10, .20, -.10, .05);
  }
};

TEST(OldroydB, potential_and_its_stress_are_those_of_an_independent_computation) {
  const KnownStep k;
  const auto law = k.model.step_law<double>(0.01);
  EXPECT_NEAR(k.before.volume_change, 0.02261, 1e-12);
  Doubles s = k.before;
  law.predict(k.du, s);
  law.return_map(s);
  EXPECT_NEAR(s.volume_change, 0.00144401822, 1e-10);
  EXPECT_NEAR(trace(s.conformation) + 3, 3.29097058823529, 1e-13);
  EXPECT_NEAR(volume_change_squared(s.conformation) + 1, 1.17753502416201, 1e-13);
  EXPECT_NEAR(law.amplification(k.before), 1.02, 1e-12);
  // the viscous part of the reference is c_v (A : A + A^T : A)/2, which does not vanish for rotations, so it is left out
  const OldroydB dry = fluid(5, 50, 0.5, 0);
  const auto dry_law = dry.step_law<double>(0.01);
  Doubles d = k.before;
  dry_law.predict(k.du, d);
  dry_law.return_map(d);
  const double c_v = 0.05 * (1 + k.before.volume_change) / 0.01;
  const Mat3<double> f = Mat3<double>::identity() + k.du, a = k.du + transpose(k.du);
  double viscous = 0;
  for (int i = 0; i < 9; ++i) viscous += 0.25 * c_v * a(i / 3, i % 3) * a(i / 3, i % 3);
  EXPECT_NEAR(dry_law.potential(k.du, k.before, d), 0.319638602117205 - viscous, 1e-13);
  const Mat3<double> reference{{{1.6124763767188, 1.0730624393014, -0.3846327480216},
                                {1.0141556641635, -1.5659741341337, 0.7069035973839},
                                {-0.3407035473061, 0.7104854548188, 0.4875404574056}}};
  const Mat3<double> expected = (reference - c_v * a) * transpose(f);
  const Mat3<double> found = to_mat3(dry_law.step_stress(k.before, d));
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(found(i / 3, i % 3), expected(i / 3, i % 3), 2e-12) << i;
}

// the published update: S = (1 - theta) b + theta + A b + b A^T
TEST(OldroydB, published_update_is_the_printed_formula) {
  KnownStep k;
  k.model.update = 1;
  const auto law = k.model.step_law<double>(0.01);
  Doubles s = k.before;
  law.predict(k.du, s);
  law.return_map(s);
  EXPECT_NEAR(trace(s.conformation) + 3, 3.285, 1e-13);
  EXPECT_NEAR(volume_change_squared(s.conformation) + 1, 1.16965467575, 1e-11);
}

// the solvent: (2 eta J_0/dt) E (1 + 2 E) with E = (f f^T - 1)/2, so nothing for a rotation
TEST(OldroydB, solvent_resists_stretch_and_not_rotation) {
  const KnownStep k;
  const auto law = k.model.step_law<double>(0.01);
  Doubles s = k.before, turned = k.before;
  law.predict(k.du, s);
  const Mat3<double> f = Mat3<double>::identity() + k.du;
  const SymMat3<double> e = 0.5 * (rotated(f, SymMat3<double>::diagonal(1)) - SymMat3<double>::diagonal(1));
  const double c = 2 * 0.05 * (1 + k.before.volume_change) / 0.01;
  const Mat3<double> expected = c * (to_mat3(e) * (Mat3<double>::identity() + 2.0 * to_mat3(e)));
  for (int i = 0; i < 9; ++i)
    EXPECT_NEAR(to_mat3(s.solvent)(i / 3, i % 3), expected(i / 3, i % 3), 1e-13) << i;
  Random random{3};
  law.predict(sample_turn(2.0, random), turned);
  EXPECT_LT(largest(turned.solvent), 1e-14);
}

// --- flows of one point -----------------------------------------------------------------------------------

// sheared at a constant rate for a time, in so many steps
Doubles sheared(const OldroydB& model, double rate, double time, int steps) {
  const auto law = model.step_law<double>(time / steps);
  Doubles s{};
  for (int k = 0; k < steps; ++k) law.predict(shear(rate * time / steps), s), law.return_map(s);
  return s;
}

struct SteadyShear {
  double rate, stress, normal;
};

// tau = mu W (1 + W^2)^(-1/3), N1 = 2 W tau, W = rate Wi: the stress thins and has no limit
TEST(OldroydB, steady_shear_thins_as_the_closed_form_says) {
  for (const SteadyShear& known : {SteadyShear{0.2, 0.498344, 0.099669}, SteadyShear{1, 2.320794, 2.320794},
                                   SteadyShear{2, 3.968503, 7.937005}, SteadyShear{4, 5.848035, 23.39214}}) {
    const SymMat3<double> tau = fluid().law<double>().stress(sheared(fluid(), known.rate, 10, 100000));
    EXPECT_NEAR(tau.xy, known.stress, 3e-4 * known.stress) << known.rate;
    EXPECT_NEAR(tau.xx - tau.yy, known.normal, 5e-4 * known.normal) << known.rate;
    EXPECT_NEAR(tau.yy, tau.zz, 1e-12) << known.rate;
  }
}

// the stress overshoots: 6.166003 at t = 2.1175 Wi where it is 5.848035 at last
TEST(OldroydB, start_up_overshoots) {
  const auto stress = [](double time) {
    return fluid().law<double>().stress(sheared(fluid(), 4, time, 20000)).xy;
  };
  EXPECT_NEAR(stress(0.25), 3.808931, 1e-3);
  EXPECT_NEAR(stress(0.5), 5.503042, 1e-3);
  EXPECT_NEAR(stress(2.1175 * 0.5), 6.166003, 1e-3);
}

// mu gamma e^-s (1 + gamma^2 e^-s (1 - e^-s))^(-1/3) after a step of shear, s = t/Wi
TEST(OldroydB, relaxes_after_a_step_of_shear) {
  struct Known {
    double time, stress;
  };
  for (const Known& known : {Known{0.25, 2.823838}, Known{0.5, 1.715568}, Known{1, 0.652170}}) {
    const auto sudden = fluid().step_law<double>(1e-12), held = fluid().step_law<double>(known.time / 20000);
    Doubles s{};
    for (int k = 0; k < 100; ++k) sudden.predict(shear(0.01), s), sudden.return_map(s);
    for (int k = 0; k < 20000; ++k) held.predict(Mat3<double>{}, s), held.return_map(s);
    EXPECT_NEAR(fluid().law<double>().stress(s).xy, known.stress, 1e-4 * known.stress) << known.time;
  }
}

// The volume does not relax: -0.967830 at J = 0.9, mu 1, lambda 10, for any relaxation time and at any time.
TEST(OldroydB, pressure_does_not_relax) {
  const double squeeze = std::cbrt(0.9) - 1;
  for (const double time : {1e-4, 0.5, infinite}) {
    const OldroydB model = fluid(1, 10, time);
    const auto law = model.step_law<double>(1e-3);
    Doubles s{};
    law.predict(Mat3<double>::diagonal(squeeze, squeeze, squeeze), s), law.return_map(s);
    for (int k = 0; k < 100; ++k) law.predict(Mat3<double>{}, s), law.return_map(s);
    const SymMat3<double> tau = law.stress(s);
    for (const double x : {tau.xx, tau.yy, tau.zz}) EXPECT_NEAR(x, -0.967830, 1e-6) << time;
    EXPECT_LT(std::fabs(tau.xy), 1e-15);
  }
}

// without relaxation it is a neo-Hookean solid: mu (b - 1) + lambda (J - 1) J
TEST(OldroydB, is_elastic_without_relaxation) {
  const OldroydB model = fluid(5, 50, infinite);
  const auto law = model.step_law<double>(1e-3);
  Random random{7};
  Doubles s{};
  Mat3<double> f = Mat3<double>::identity();
  for (int k = 0; k < 50; ++k) {
    const Mat3<double> du = make_mat3<double>([&](int, int) { return random.uniform(-0.1, 0.1); });
    law.predict(du, s), law.return_map(s);
    f = f + du * f;
    const SymMat3<double> one = SymMat3<double>::diagonal(1);
    const double j = det(f), pressure = 50 * (j - 1) * j;
    const SymMat3<double> expected = 5.0 * (rotated(f, one) - one) + SymMat3<double>::diagonal(pressure);
    ASSERT_LT(distance(law.stress(s), expected), 1e-11 * (1 + largest(expected))) << k;
    ASSERT_LT(distance(law.step_stress(s, s), law.stress(s)), 1e-11 * (1 + largest(expected))) << k;
  }
}

// The spin A of one step: congruence turns the conformation and keeps the ratio of its eigenvalues, the published update
// stretches it.
TEST(OldroydB, spin_keeps_the_ratio_of_stretches_with_congruence_alone) {
  const double a = 0.01;
  Mat3<double> spin{};
  spin(0, 1) = -a, spin(1, 0) = a;
  OldroydB model = fluid(1, 10, infinite);
  Doubles turned{}, stretched{};
  turned.conformation = stretched.conformation = conformation(2, 0.5, 1, 0, 0, 0);
  const auto congruence = model.step_law<double>(1e-3);
  model.update = 1;
  const auto published = model.step_law<double>(1e-3);
  const int turn = int(std::lround(2 * 3.14159265358979 / std::atan(a)));
  for (int k = 0; k < turn; ++k) congruence.predict(spin, turned), published.predict(spin, stretched);
  const auto stretches = [](const Doubles& s) {
    const SymMat3<double>& c = s.conformation;
    const double mean = 1 + (c.xx + c.yy) / 2, apart = std::hypot((c.xx - c.yy) / 2, c.xy);
    return std::pair{mean + apart, mean - apart};
  };
  const auto [p, q] = stretches(turned);
  EXPECT_NEAR(p / q, 4, 1e-9);
  EXPECT_NEAR(p, 2 * std::pow(1 + a * a, turn), 1e-9);
  const auto [more, less] = stretches(stretched);
  EXPECT_NEAR((more - less) / 1.5, std::pow(1 + 4 * a * a, turn / 2.0), 1e-9);
  EXPECT_GT(more / less, 4.5);
}

// --- the factor of the potential --------------------------------------------------------------------------

// What the forces carry in steady shear, over the closed form: 1 within the first order of dt/Wi.
TEST(OldroydB, forces_carry_the_stress_of_steady_shear) {
  struct Known {
    double w, theta, ratio;
  };
  for (const Known& known :
       {Known{0.1, 0.1, 1.0001}, Known{1, 0.1, 1.0026}, Known{3, 0.1, 1.0038}, Known{0.01, 20, 1.0266}}) {
    const double wi = 0.5, dt = known.theta * wi, rate = known.w / wi;
    const OldroydB model = fluid(5, 50, wi);
    const auto law = model.step_law<double>(dt);
    Doubles s{}, before{};
    for (int k = 0; k < 4000; ++k) before = s, law.predict(shear(rate * dt), s), law.return_map(s);
    const double closed = 5 * known.w / std::cbrt(1 + known.w * known.w);
    EXPECT_NEAR(law.step_stress(before, s).xy / closed, known.ratio, 2e-4) << known.w << " " << known.theta;
  }
}

// A step without motion never has a potential above the stored energy, and never leaves more than its potential.
TEST(OldroydB, relaxation_injects_no_energy) {
  Random random{11};
  for (int k = 0; k < 20000; ++k) {
    const OldroydB model = fluid(5, 50, random.power_of_ten(-4, 1));
    const auto law = model.step_law<double>(1e-2);
    Doubles before{};
    const Mat3<double> g = make_mat3<double>([&](int, int) { return random.uniform(-1, 1); });
    before.conformation =
        rotated(g + Mat3<double>::identity(), SymMat3<double>::diagonal(1)) - SymMat3<double>::diagonal(1);
    if (volume_change_squared(before.conformation) < -0.99) continue;
    Doubles after = before;
    law.predict(Mat3<double>{}, after), law.return_map(after);
    const double stored = law.energy(before), potential = law.potential(Mat3<double>{}, before, after);
    EXPECT_GE(law.amplification(before), 1 - 1e-9);
    EXPECT_LE(potential, stored * (1 + 1e-9) + 1e-9);
    EXPECT_LE(law.energy(after), potential * (1 + 1e-9) + 1e-9);
  }
}

// --- the tangent ------------------------------------------------------------------------------------------

// derivatives of the stress of a step by the strain increments of step_tangent()
using Derivatives = std::array<SymMat3<double>, 6>;
constexpr int directions[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

Derivatives by_dual_numbers(const OldroydB::StepLaw<double>& law, const Mat3<double>& du,
                            const Doubles& before) {
  using D = Dual<double, 6>;
  const Mat3<double> f = Mat3<double>::identity() + du;
  const auto constant = [](const SymMat3<double>& m) {
    return SymMat3<D>{D(m.xx), D(m.yy), D(m.zz), D(m.xy), D(m.xz), D(m.yz)};
  };
  OldroydB::State<D> s{D(before.volume_change), constant(before.conformation), constant(before.solvent)};
  const Mat3<D> seeded = make_mat3<D>([&](int i, int j) {
    D entry(du(i, j));
    for (int k = 0; k < 6; ++k) {
      const int p = directions[k][0], q = directions[k][1];
      entry.d[k] = (i == p ? f(q, j) : 0) + (i == q && p != q ? f(p, j) : 0);
    }
    return entry;
  });
  law.predict(seeded, s), law.return_map(s);
  const SymMat3<D> tau = law.step_stress(before, s);
  Derivatives all;
  for (std::size_t k = 0; k < 6; ++k)
    all[k] = {tau.xx.d[k], tau.yy.d[k], tau.zz.d[k], tau.xy.d[k], tau.xz.d[k], tau.yz.d[k]};
  return all;
}

template <class S>
Derivatives own_derivatives(const OldroydB& model, double dt, const Mat3<double>& du, const Doubles& before) {
  const auto law = model.step_law<S>(dt);
  const OldroydB::State<S> start{S(before.volume_change), cast<S>(before.conformation), {}};
  OldroydB::State<S> s = start;
  law.predict(cast<S>(du), s), law.return_map(s);
  const auto tangent = law.step_tangent(cast<S>(du), start, s);
  Derivatives all;
  for (std::size_t k = 0; k < 6; ++k)
    all[k] = cast<double>(tangent.along(directions[k][0], directions[k][1]));
  return all;
}

// for relaxation that is slow, fast or absent beside a step, with and without a solvent; in float without loss of digits   (OB.18)
TEST(OldroydB, tangent_is_that_of_dual_numbers) {
  Random random{23};
  for (const double time : {infinite, 1e3, 1e-2, 1e-4, 1e-8})
    for (const double viscosity : {0.0, 3.0}) {
      const double dt = 1e-3;
      const OldroydB model = fluid(5, 50, time, viscosity);
      double worst = 0, worst_in_float = 0;
      for (int n = 0; n < 300; ++n) {
        const double size = n % 3 ? random.power_of_ten(-6, -0.5) : 0;
        const Mat3<double> f =
            make_mat3<double>([&](int i, int j) { return (i == j) + random.uniform(-0.4, 0.4); });
        const Mat3<double> du = make_mat3<double>([&](int, int) { return size * random.uniform(-0.5, 0.5); });
        Doubles before{};
        before.volume_change = random.uniform(-0.3, 0.4);
        before.conformation =
            (n % 2 ? 1 : 1e-3) * (rotated(f, SymMat3<double>::diagonal(1)) - SymMat3<double>::diagonal(1));
        const Derivatives expected = by_dual_numbers(model.step_law<double>(dt), du, before);
        const Derivatives found = own_derivatives<double>(model, dt, du, before);
        const Derivatives rough = own_derivatives<float>(model, dt, du, before);
        double whole = 0;
        for (const SymMat3<double>& d : expected) whole = std::max(whole, largest(d));
        for (std::size_t k = 0; k < 6; ++k) {
          worst = std::max(worst, largest(found[k] - expected[k]) / whole);
          worst_in_float = std::max(worst_in_float, largest(rough[k] - expected[k]) / whole);
        }
      }
      EXPECT_LT(worst, 1e-12) << time << " " << viscosity;
      EXPECT_LT(worst_in_float, 1e-4) << time << " " << viscosity;
    }
}

// three numbers decide without eigenvalues: trace and determinant alone would let diag(5, -1, -1) pass
TEST(OldroydB, feasibility_needs_all_invariants) {
  const auto law = fluid().step_law<double>(0.01);
  Doubles rest{}, after{};
  EXPECT_TRUE(law.is_feasible(rest, after));
  after.conformation = conformation(5, -1, -1, 0, 0, 0);
  EXPECT_FALSE(law.is_feasible(rest, after));
  after.conformation = conformation(1, 1, -1, 0, 0, 0);
  EXPECT_FALSE(law.is_feasible(rest, after));
  after.conformation = conformation(-0.1, -0.1, -0.1, 0, 0, 0);
  EXPECT_FALSE(law.is_feasible(rest, after));
  after = {};
  after.volume_change = -1.2;
  EXPECT_FALSE(law.is_feasible(rest, after));
  after.volume_change = 0, after.conformation = conformation(2, 0.6, 0.9, 0.1, 0, 0);
  EXPECT_TRUE(law.is_feasible(rest, after));
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
