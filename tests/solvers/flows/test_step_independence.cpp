// With the fading transfer results must not depend on the time step; with APIC they do. Each run prints a row. Figures
// and causes: docs/validation-steps.md.
#include <gtest/gtest.h>

#include <map>

#include "solvers/spinning_block.h"
#include "solvers/step_cases.h"
#include "worse_of.h"

namespace dollop {
namespace {

using namespace tests;

// --- rows of a table ------------------------------------------------------------------------------------------

struct Range {
  double low, high;
};
constexpr Range within(double x) { return {-x, x}; }
constexpr Range lost(double least) { return {-1, -least}; }
constexpr Range gained(double least) { return {least, 1e3}; }

struct Case {
  const char* name;
  Outcome (*run)(const Way&);
};

// A run, and by how much each of its figures may, or must, differ from that of another run, relative to that one.
struct Row {
  Case scene;
  Way way, base;
  std::vector<Range> change;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.scene.name << ' ' << name_of(row.way); }

// the outcome of a run, which is done once in a process
const Outcome& outcome_of(const Case& scene, const Way& way) {
  static std::map<std::pair<std::string, Way>, Outcome> known;
  const auto [found, is_new] = known.try_emplace({scene.name, way});
  if (is_new) found->second = scene.run(way);
  return found->second;
}

void expect_change(const Row& row) {
  const Outcome &base = outcome_of(row.scene, row.base), &now = outcome_of(row.scene, row.way);
  std::printf("%s %s: dt %.3g s, %lld steps", row.scene.name, name_of(row.way).c_str(), now.dt,
              static_cast<long long>(now.steps));
  ASSERT_EQ(now.figures.size(), row.change.size());
  for (std::size_t i = 0; i < now.figures.size(); ++i) {
    const double change = now.figures[i].value / base.figures[i].value - 1;
    std::printf(", %s %.5g (%+.2f %%)", now.figures[i].name, now.figures[i].value, 100 * change);
    EXPECT_GE(change, row.change[i].low) << now.figures[i].name;
    EXPECT_LE(change, row.change[i].high) << now.figures[i].name;
  }
  std::printf("\n");
}

std::string row_name(const testing::TestParamInfo<Row>& info) {
  return std::string(info.param.scene.name) + "_" + name_of(info.param.way);
}

// Rows of one way for several divisors of the step, each against that in default steps.
void add_steps(const Case& scene, Way way, const std::vector<double>& divisors,
               const std::vector<Range>& change, std::vector<Row>& rows) {
  way.divisor = 1;
  const Way base = way;
  for (const double d : divisors) {
    way.divisor = d;
    rows.push_back({scene, way, base, change});
  }
}

constexpr Way apic{.transfer = Transfer::apic}, fading{};
constexpr Way subcycled{.transfer = Transfer::apic, .subcycled = true};

// --- small problems -------------------------------------------------------------------------------------------

std::vector<Row> small_rows() {
  std::vector<Row> rows;
  const Case heap{"slump", [](const Way& way) { return slump(way, 10); }};
  add_steps(heap, fading, {1, 4}, {within(0.03), within(0.03), within(0.05)}, rows);
  add_steps(heap, apic, {4}, {lost(0.05), lost(0.05), lost(0.05)}, rows);
  const Case block{"rebound", [](const Way& way) { return rebound(way, 10); }};
  add_steps(block, fading, {1, 4}, {within(0.02)}, rows);
  add_steps(block, apic, {4}, {lost(0.03)}, rows);
  const Case channel{"poiseuille", [](const Way& way) { return poiseuille(way, 8); }};
  add_steps(channel, fading, {1, 4, 16}, {within(0.005)}, rows);
  add_steps(channel, apic, {16}, {lost(0.05)}, rows);
  const Case wave{"shear_wave", [](const Way& way) { return shear_wave(way, 16); }};
  add_steps(wave, fading, {1, 2, 4, 8, 16}, {within(0.02)}, rows);
  add_steps(wave, apic, {16}, {gained(1)}, rows);
  const Case rod{"bar", [](const Way& way) { return bar(way, 10); }};
  add_steps(rod, fading, {1, 4}, {within(0.02), within(0.02)}, rows);
  add_steps(rod, apic, {4}, {within(0.02), lost(0.02)}, rows);
  // sub-steps leave less to see: 0.1 % at most
  const std::vector<double> some{1, 4, 16};
  for (const Case& c : {block, channel, wave}) add_steps(c, subcycled, some, {within(0.001)}, rows);
  add_steps(heap, subcycled, {4}, {within(0.001), within(0.001), within(0.001)}, rows);
  add_steps(rod, subcycled, {4}, {within(0.001), within(0.001)}, rows);
  for (Way way : {Way{.kernel = Kernel::quadratic}, Way{.precision = Precision::double_precision}}) {
    add_steps(block, way, {4}, {within(0.02)}, rows);
    add_steps(channel, way, {4}, {within(0.005)}, rows);
    add_steps(wave, way, {16}, {within(0.02)}, rows);
  }
  return rows;
}

struct StepIndependence : testing::TestWithParam<Row> {};
TEST_P(StepIndependence, of_results) { expect_change(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Rows, StepIndependence, testing::ValuesIn(small_rows()), row_name);

// --- full size ------------------------------------------------------------------------------------------------

const std::vector<double> all_divisors = {1, 2, 4, 8, 16};

const Case yogurt{"yogurt", [](const Way&way) { return slump(way, 15); }},
    fine_yogurt{"fine_yogurt", [](const Way&way) { return slump(way, 20); }},
    rubber{"rubber", [](const Way&way) { return rebound(way, 10); }},
    channel{"channel", [](const Way&way) { return poiseuille(way, 16); }},
    sticky_channel{"sticky_channel", [](const Way&way) { return poiseuille(way, 16, ContactKind::sticky); }},
    wave{"wave", [](const Way&way) { return shear_wave(way, 16); }},
    rod{"rod", [](const Way&way) { return bar(way, 15); }};

std::vector<Row> long_rows() {
  std::vector<Row> rows;
  add_steps(yogurt, fading, all_divisors, {within(0.03), within(0.03), within(0.05)}, rows);
  add_steps(yogurt, apic, {4, 16}, {lost(0.05), lost(0.05), lost(0.05)}, rows);
  add_steps(rubber, fading, all_divisors, {within(0.02)}, rows);
  add_steps(rubber, apic, {4, 16}, {lost(0.04)}, rows);
  add_steps(channel, fading, all_divisors, {within(0.005)}, rows);
  add_steps(channel, apic, {4, 16}, {lost(0.02)}, rows);
  add_steps(sticky_channel, fading, all_divisors, {within(0.04)}, rows);
  add_steps(sticky_channel, apic, {4, 16}, {lost(0.1)}, rows);
  add_steps(wave, fading, all_divisors, {within(0.02)}, rows);
  add_steps(wave, apic, {4, 16}, {gained(0.3)}, rows);
  add_steps(rod, fading, all_divisors, {within(0.02), within(0.02)}, rows);
  add_steps(rod, apic, {4, 16}, {within(0.02), lost(0.03)}, rows);
  // nearly incompressible fluids that are stiffer, so that their default steps are shorter
  for (const double stiffer : {4.0, 16.0}) {
    const Way stiff{.stiffer = stiffer}, stiff_apic{.transfer = Transfer::apic, .stiffer = stiffer};
    // volumetric locking shows at the largest bulk modulus
    const bool locks = stiffer > 4;
    const Range front = locks ? Range{-0.045, -0.03} : within(0.03),
                layer = locks ? Range{-0.065, 0} : within(0.05);
    rows.push_back({yogurt, stiff, fading, {front, front, layer}});
    rows.push_back({channel, stiff, fading, {within(0.005)}});
    rows.push_back({wave, stiff, fading, {within(0.02)}});
    rows.push_back({wave, stiff_apic, apic, {gained(0.05)}});
    rows.push_back({yogurt, stiff_apic, apic, {lost(0.03), lost(0.03), lost(0.03)}});
  }
  for (const Case& c : {rubber, channel, sticky_channel, wave})
    add_steps(c, subcycled, {1, 4, 16}, {within(0.002)}, rows);
  add_steps(yogurt, subcycled, {1, 4, 16}, {within(0.002), within(0.002), within(0.002)}, rows);
  add_steps(rod, subcycled, {1, 4, 16}, {within(0.002), within(0.002)}, rows);
  for (const double stiffer : {4.0, 16.0}) {
    const Way stiff{.transfer = Transfer::apic, .stiffer = stiffer, .subcycled = true};
    const Range front = stiffer > 4 ? Range{-0.06, -0.04} : within(0.03);  // locking, as above
    rows.push_back({yogurt, stiff, subcycled, {front, front, within(0.07)}});
    rows.push_back({channel, stiff, subcycled, {within(0.005)}});
    rows.push_back({wave, stiff, subcycled, {within(0.02)}});
  }
  rows.push_back({fine_yogurt, {.stiffer = 16}, fading, {within(0.03), within(0.03), within(0.05)}});
  return rows;
}

struct LongStepIndependence : testing::TestWithParam<Row> {};
TEST_P(LongStepIndependence, of_results) { expect_change(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Rows, LongStepIndependence, testing::ValuesIn(long_rows()), row_name);

// --- implicit steps -------------------------------------------------------------------------------------------

// Steps of Newton's method, longer by a factor, are closer to explicit ones than with APIC, as the first figure shows.
void expect_closer_implicit_steps(const Case& scene, double longer) {
  const auto difference = [&](Transfer transfer) {
    const Outcome &explicit_run = outcome_of(scene, {.transfer = transfer}),
                  &implicit_run =
                      outcome_of(scene, {.transfer = transfer, .divisor = 1 / longer, .implicit = true});
    std::printf("%s %s: %lld explicit steps, %lld implicit ones", scene.name,
                tests::name_of(transfer).c_str(), static_cast<long long>(explicit_run.steps),
                static_cast<long long>(implicit_run.steps));
    EXPECT_LT(0.9 * longer * double(implicit_run.steps), double(explicit_run.steps));
    const auto change = [&](std::size_t i) {
      return implicit_run.figures[i].value / explicit_run.figures[i].value - 1;
    };
    for (std::size_t i = 0; i < explicit_run.figures.size(); ++i)
      std::printf(", %s %.5g, %.5g (%+.2f %%)", explicit_run.figures[i].name, explicit_run.figures[i].value,
                  implicit_run.figures[i].value, 100 * change(i));
    std::printf("\n");
    return change(0);
  };
  EXPECT_LT(std::fabs(difference(Transfer::fading)), std::fabs(difference(Transfer::apic)));
}

TEST(StepIndependenceOfSolvers, shear_wave) { expect_closer_implicit_steps(wave, 10); }
TEST(LongStepIndependenceOfSolvers, yogurt) {
  expect_closer_implicit_steps({"yogurt in 8 cells", [](const Way& way) { return slump(way, 8); }}, 5);
}

// Implicit steps, and subcycled ones whose interval is as long: the damping of both is the same, and what is left is that of
// backward Euler.
void expect_close_intervals(const Case& scene, const Scene& made, double longer) {
  const Way apic_steps{.transfer = Transfer::apic},
      long_steps{.transfer = Transfer::apic, .divisor = 1 / longer, .implicit = true},
      long_intervals{.transfer = Transfer::apic,
                     .longer = longer * elastic_dt(made) / fading_time(made),
                     .subcycled = true};
  const Outcome &plain = outcome_of(scene, apic_steps), &implicit_run = outcome_of(scene, long_steps),
                &divided = outcome_of(scene, long_intervals);
  std::printf("%s: %lld explicit, %lld implicit, %lld subcycled steps", scene.name,
              static_cast<long long>(plain.steps), static_cast<long long>(implicit_run.steps),
              static_cast<long long>(divided.steps));
  for (std::size_t i = 0; i < plain.figures.size(); ++i)
    std::printf(", %s %.5g, %.5g, %.5g", plain.figures[i].name, plain.figures[i].value,
                implicit_run.figures[i].value, divided.figures[i].value);
  std::printf("\n");
  const double implicit_value = implicit_run.figures[0].value;
  EXPECT_LT(std::fabs(divided.figures[0].value / implicit_value - 1),
            std::fabs(plain.figures[0].value / implicit_value - 1));
}

TEST(StepIndependenceOfSolvers, subcycled_shear_wave) {
  expect_close_intervals(wave, shear_wave_scene(16), 10);
}
// --- spin -----------------------------------------------------------------------------------------------------

struct SpinErrors {
  double angular_momentum = 0;  // largest change, relative
  double gain = 0;              // of energy above that at the start, at most, relative
  double growth = 0;            // of the energy between two frames, at most, relative
};

// a block that turns at 10 rad/s, in default steps
template <class S>
SpinErrors spin(Transfer transfer, bool in_parts, double young, Kernel kernel, ForceForm forces,
                double turns) {
  Scene scene = spinning_block(young, 10, kernel, precision_of<S>);
  scene.settings.transfer = transfer, scene.settings.forces = forces;
  if (in_parts) scene.settings.solver = "subcycled";
  Simulation run(scene);
  const auto energy = [](const Metrics& m) { return m.kinetic_energy + m.affine_energy + m.elastic_energy; };
  const Metrics start = run.metrics();
  double last = energy(start);
  SpinErrors e;
  const int frames = int(std::lround(turns * 2 * std::numbers::pi / 10 * 30));
  for (int k = 1; k <= frames; ++k) {
    const AdvanceReport report = run.advance_to(k / 30.0);
    EXPECT_TRUE(report.ok()) << describe(report.last);
    const Metrics now = run.metrics();
    e.angular_momentum =
        worse_of(e.angular_momentum, length(minus(now.angular_momentum, start.angular_momentum)) /
                                         length(start.angular_momentum));
    e.gain = worse_of(e.gain, energy(now) / energy(start) - 1);
    e.growth = worse_of(e.growth, energy(now) / last - 1);
    last = energy(now);
  }
  std::printf(
      "%s%s, E %g Pa, %s, %s, %s, %lld steps: angular momentum %.1e, gain of energy %.1e, growth %.1e\n",
      tests::name_of(transfer).c_str(), in_parts ? " subcycled" : "", young, tests::name_of(kernel).c_str(),
      tests::name_of(forces).c_str(), sizeof(S) == 8 ? "double" : "float",
      static_cast<long long>(run.steps()), e.angular_momentum, e.gain, e.growth);
  return e;
}

template <class S>
void expect_spin_is_kept(double turns) {
  for (const double young : {2e5, 2e4})
    for (const Kernel kernel : all_kernels)
      for (const ForceForm forces : all_forces) {
        const SpinErrors now = spin<S>(Transfer::fading, false, young, kernel, forces, turns),
                         divided = spin<S>(Transfer::apic, true, young, kernel, forces, turns),
                         before = spin<S>(Transfer::apic, false, young, kernel, forces, turns);
        EXPECT_LT(now.angular_momentum, either<S>(1e-4, 1e-9));
        // with `gradient` C_p and the strain come from different gradients                       (SUB.6)
        EXPECT_LT(divided.angular_momentum, forces == ForceForm::mls ? 1e-4 : 5e-4);
        for (const SpinErrors& e : {now, divided}) {
          EXPECT_LT(e.gain, 1e-6);
          EXPECT_LE(e.growth, before.growth + 1e-6);
        }
      }
}

template <class S>
struct StepIndependenceOfSpin : testing::Test {};
template <class S>
struct LongStepIndependenceOfSpin : testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(StepIndependenceOfSpin, Scalars);
TYPED_TEST_SUITE(LongStepIndependenceOfSpin, Scalars);

TYPED_TEST(StepIndependenceOfSpin, is_kept_for_half_a_turn) {
  expect_spin_is_kept<TypeParam>(sanitized ? 0.02 : 0.5);
}
TYPED_TEST(LongStepIndependenceOfSpin, is_kept_for_ten_turns) { expect_spin_is_kept<TypeParam>(10); }

}  // namespace
}  // namespace dollop
