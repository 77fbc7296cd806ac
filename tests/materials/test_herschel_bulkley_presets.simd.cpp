// The published materials against closed forms: where each yields, and the stress of steady extension.
#include <gtest/gtest.h>

#include "creams.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

// a row of Table I of Yue et al. (2015)
HerschelBulkley published(const char* name) {
  for (const Preset& preset : HerschelBulkley::presets) {
    if (std::string(preset.name) != name) continue;
    const auto value = [&](const char* parameter) {
      for (const PresetValue& v : preset.values)
        if (v.parameter && std::string(v.parameter) == parameter) return v.value;
      return double(NAN);
    };
    return cream(value("shear_modulus"), value("yield_stress"), value("viscosity"), value("power"),
                 value("bulk_modulus"));
  }
  ADD_FAILURE() << name;
  return {};
}

// where f, negative on the left, becomes positive
template <class F>
double root_between(double low, double high, F&& f) {
  for (int k = 0; k < 200; ++k) (f((low + high) / 2) < 0 ? low : high) = (low + high) / 2;
  return low;
}

// the increment of a stretch by l at constant volume
Mat3<double> stretch(double log_l) {
  const double side = std::expm1(-log_l / 2);
  return Mat3<double>::diagonal(std::expm1(log_l), side, side);
}

// --- yield ------------------------------------------------------------------------------------------------

// l^2 - 1/l = sigma_Y / mu: a millionth less of the stretch is elastic, a millionth more flows
TEST(PublishedFoam, yields_at_its_stretch) {
  const struct {
    const char* name;
    double stretch;
  } known[] = {{"shaving-cream", 1.036650836},  {"smore-interior", 1.041643557},
               {"smore-exterior", 1.006666569}, {"pie", 1.024994922},
               {"oobleck", 1.000002976},        {"viscoplastic", 1.000002976}};
  ASSERT_EQ(std::size(known), HerschelBulkley::presets.size());
  for (const auto& k : known) {
    HerschelBulkley model = published(k.name);
    const double ratio = model.yield_stress / model.moduli().shear;
    // with x = l - 1, which keeps its digits: l^2 - 1/l = x (3 + 3 x + x^2)/(1 + x)
    const double x = root_between(0, 1, [&](double a) { return a * (3 + 3 * a + a * a) / (1 + a) - ratio; });
    EXPECT_NEAR(1 + x, k.stretch, 5.1e-10) << k.name;
    for (const double off : {-1e-6, 1e-6}) {
      model.viscosity = 0;  // else what flows so near to yield is below rounding
      const auto law = step_law<double>(model, 1e-5);
      HerschelBulkley::State<double> s{};
      predict(law, stretch(std::log1p(x * (1 + off))), s);
      const auto trial = s.strain;
      EXPECT_NEAR(deviator_norm(stress_of(law, s)) / law.yield_radius - 1, off, 1e-7) << k.name;
      return_map(law, s);
      EXPECT_EQ(distance(s.strain, trial) > 0, off > 0) << k.name;
      if (off < 0) continue;
      EXPECT_NEAR(deviator_norm(stress_of(law, s)) / law.yield_radius, 1, 1e-8) << k.name;
    }
  }
}

// --- steady extension -------------------------------------------------------------------------------------

// tau_xx - tau_yy after a strain of 4, in steps
double steady_difference(const HerschelBulkley& model, double rate, double dt) {
  const auto law = step_law<double>(model, dt);
  HerschelBulkley::State<double> s{};
  const Mat3<double> du = stretch(rate * dt);
  for (int n = 0; n < int(4 / (rate * dt)); ++n) advance(law, du, s);
  const auto tau = stress_of(law, s);
  return tau.xx - tau.yy;
}

// The error is of first order in dt, so twice the finer of two less the coarser is near to the limit of short steps, which
// is known in closed form.                                                                              (HB.12)
TEST(PublishedFoam, extrapolates_to_steady_extension) {
  const struct {
    const char* name;
    double rate, limit;
  } cases[] = {{"shaving-cream", 0.5, 62.198238}, {"shaving-cream", 5, 82.340317},
               {"pie", 0.5, 125.399780},          {"pie", 5, 130.057152},
               {"viscoplastic", 0.5, 7.601696},   {"viscoplastic", 5, 75.267254}};
  for (const auto& known : cases) {
    const HerschelBulkley model = published(known.name);
    const double fine = steady_difference(model, known.rate, 2e-4),
                 coarse = steady_difference(model, known.rate, 4e-4);
    EXPECT_NEAR((2 * fine - coarse) / known.limit, 1, 3.1e-6) << known.name << ' ' << known.rate;
    EXPECT_GT(std::fabs(fine / known.limit - 1), 1e-6) << known.name;  // it has something to extrapolate
  }
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
