// Columns of sand that fall over in plane strain, against the run-out and the height that experiments found (Lube et
// al. 2005, Lajeunesse et al. 2005) and against an independent implementation of the same equations.
#include <gtest/gtest.h>

#include <limits>

#include "solvers/flow_cases.h"
#include "solvers/sand_cases.h"

namespace dollop {
namespace {

using namespace tests;

Deposit fall(const Column& column) {
  Simulation simulation(column_scene(column));
  const AdvanceReport report = simulation.advance_to(column.duration());
  EXPECT_TRUE(report.ok()) << describe(report.last);
  const Deposit deposit = deposit_of(column, simulation);
  std::printf("aspect %g, %d cells, %s, volume correction %s: runs %.3f, height %.3f, still %.4f m/s\n",
              column.aspect, column.cells, name_of(column.sand.cone),
              column.sand.volume_correction ? "on" : "off", deposit.runout, deposit.height, deposit.speed);
  return deposit;
}

// --- against an independent program: quadratic splines, APIC, the same cone, seeding, time step and measure ---

struct Reference {
  double aspect;
  int cells;
  ConeKind cone;
  double runout, height;
};

const std::vector<Reference> references = {{1, 10, ConeKind::triaxial, 0.579, 0.927},
                                           {1, 10, ConeKind::plane_strain, 0.736, 0.885},
                                           {1, 10, ConeKind::sin, 0.890, 0.842},
                                           {0.5, 20, ConeKind::triaxial, 0.269, 0.485},
                                           {0.5, 20, ConeKind::plane_strain, 0.338, 0.485},
                                           {0.5, 20, ConeKind::sin, 0.405, 0.486},
                                           {1, 20, ConeKind::triaxial, 0.750, 0.933},
                                           {1, 20, ConeKind::plane_strain, 0.969, 0.891},
                                           {1, 20, ConeKind::sin, 1.224, 0.837},
                                           {2, 10, ConeKind::triaxial, 1.559, 1.232},
                                           {2, 10, ConeKind::plane_strain, 1.962, 1.154},
                                           {2, 10, ConeKind::sin, 2.415, 1.073},
                                           {2, 20, ConeKind::triaxial, 1.888, 1.259},
                                           {2, 20, ConeKind::plane_strain, 2.551, 1.154}};

void expect_reference(const Reference& r) {
  const Deposit deposit = fall({.sand = {.angle = 30, .cone = r.cone, .volume_correction = false},
                                .aspect = r.aspect,
                                .cells = r.cells});
  EXPECT_NEAR(deposit.runout / r.runout, 1, 0.10);
  EXPECT_NEAR(deposit.height / r.height, 1, 0.10);
  EXPECT_LT(deposit.speed, 0.02);
}

TEST(HeavySandCollapse, ten_cells_agree_with_an_independent_program) {
  for (std::size_t k = 0; k < 3; ++k) expect_reference(references[k]);
}

TEST(LongSandCollapse, all_agree_with_an_independent_program) {
  for (const Reference& r : references) expect_reference(r);
}

// --- against experiments, 0.2 m long whatever the resolution ---

double measured_runout(double a) { return a < 2.3 ? 1.2 * a : 1.9 * std::pow(a, 2.0 / 3.0); }
double lube_height(double a) { return std::min(a, 0.65 * std::pow(a, 0.4)); }
double lajeunesse_height(double a) { return a < 0.7 ? a : std::cbrt(a); }

Column column_of(ConeKind cone, double aspect, int cells) {
  return {.sand = {.angle = 30, .cone = cone},
          .aspect = aspect,
          .cells = cells,
          .cell_size = 0.2 / cells,
          .max_dt = std::numeric_limits<double>::infinity()};
}

// How far results may lie from the experiments, as a factor: 35 %. The cone of triaxial compression is rougher in plane
// strain, 20 % by its friction, and stops shorter.
std::pair<double, double> band_of(ConeKind cone) {
  return cone == ConeKind::triaxial ? std::pair{0.45, 1.1} : std::pair{0.65, 1.35};
}

const std::vector<double> aspects = {0.5, 1, 2, 4};

Comparison expect_runouts(ConeKind cone, int cells) {
  Comparison curve{.label = name_of(cone)};
  for (const double a : aspects) {
    const Deposit deposit = fall(column_of(cone, a, cells));
    const auto [least, most] = band_of(cone);
    const double ratio = deposit.runout / measured_runout(a);
    std::printf(
        "  run-out %.2f of the experiments (%.3f), height %.2f of Lube's (%.3f), %.2f of Lajeunesse's "
        "(%.3f)\n",
        ratio, measured_runout(a), deposit.height / lube_height(a), lube_height(a),
        deposit.height / lajeunesse_height(a), lajeunesse_height(a));
    EXPECT_GT(ratio, least);
    EXPECT_LT(ratio, most);
    EXPECT_GT(deposit.height, 0.75 * lube_height(a));
    EXPECT_LT(deposit.height, 1.4 * lajeunesse_height(a));
    curve.measured_x.push_back(a), curve.measured.push_back(deposit.runout);
  }
  return curve;
}

// all cones and aspects at a resolution, and a figure of them
void expect_all_runouts(int cells, const std::string& figure) {
  std::vector<Comparison> curves(1);
  curves[0].label = "1.2 a, 1.9 a^(2/3)";
  for (double a = 0.4; a < 5; a *= 1.02)
    curves[0].x.push_back(a), curves[0].formula.push_back(measured_runout(a));
  for (const ConeKind cone : {ConeKind::triaxial, ConeKind::tan, ConeKind::sin})
    curves.push_back(expect_runouts(cone, cells));
  LinePlot plot{.title = "Run-out of columns of " + std::to_string(cells) +
                         " cells, 30 degrees: line experiments, points simulated",
                .x_label = "height over length",
                .y_label = "run-out over length",
                .log_x = true,
                .log_y = true};
  plot_comparisons(figure, plot, curves);
}

TEST(LongSandCollapse, run_out_and_height_against_experiments_at_20_cells) {
  expect_all_runouts(20, "sand-collapse-20.svg");
}

TEST(LongSandCollapse, run_out_and_height_against_experiments_at_40_cells) {
  expect_all_runouts(40, "sand-collapse-40.svg");
}

TEST(LongSandCollapse, run_out_grows_less_with_every_refinement) {
  std::vector<double> runout;
  for (const int cells : {10, 20, 40, 80}) runout.push_back(fall(column_of(ConeKind::tan, 1, cells)).runout);
  for (std::size_t k = 1; k < runout.size(); ++k) EXPECT_GT(runout[k], 0.98 * runout[k - 1]);
  EXPECT_LT(runout[3] - runout[2], runout[1] - runout[0]);
}

}  // namespace
}  // namespace dollop
