// Compares explicit and implicit time integration: a column of sand collapses in plane strain, at several stiffnesses
// and step sizes.
#include <dollop/dollop.h>
#include <fmt/core.h>

#include <chrono>
#include <vector>

namespace dollop {
namespace {

Scene column(double young_modulus, const std::string& solver) {
  const double h = 0.01;
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = h, s.kernel = Kernel::quadratic, s.solver = solver, s.threads = 1;
  s.methods["newton"]["linear_iterations"] = 60;
  scene.domain = Domain{{0, 0, 0}, {2, 2, 4 * h}, {false, false, true}};
  scene.materials = {{"sand", "drucker-prager", {{"young_modulus", young_modulus}}}};
  scene.bodies = {
      {.material = "sand", .shape = Box{.center = {0.05, 0.05, 2 * h}, .size = {0.1, 0.1, 4 * h}}}};
  scene.colliders = {{.name = "floor",
                      .shape = Plane{.point = {0, 0, 0}, .normal = {0, 1, 0}},
                      .contact = ContactKind::sticky},
                     {.name = "wall",
                      .shape = Plane{.point = {0, 0, 0}, .normal = {1, 0, 0}},
                      .contact = ContactKind::slip}};
  return scene;
}

// factor: largest implicit step over the stable explicit step; 0: explicit
void run(double young_modulus, double factor) {
  Scene scene = column(young_modulus, factor > 0 ? "newton" : "explicit");
  if (factor > 0) scene.settings.max_dt = factor * Simulation(column(young_modulus, "explicit")).stable_dt();
  Simulation simulation(scene);
  const auto start = std::chrono::steady_clock::now();
  const AdvanceReport report = simulation.advance_to(0.3);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Metrics m = simulation.metrics();
  fmt::print(
      "E {:.0e} Pa, {:9}: {:6.2f} s, {:5} steps, {} rejected, {:4.1f} Newton and {:5.1f} linear iterations a "
      "step, front {:.3f} m{}\n",
      young_modulus, factor > 0 ? fmt::format("{:.0f} dt", factor) : "explicit", seconds, report.steps,
      report.rejected, double(m.outer_iterations) / double(report.steps),
      double(m.inner_iterations) / double(report.steps), m.bounds_max[0],
      report.ok() ? "" : ", " + describe(report.last));
  std::fflush(stdout);
}

}  // namespace
}  // namespace dollop

int main() {
  for (const double young_modulus : {1e5, 1e6, 1e7, 1e8})
    for (const double factor : {0.0, 5.0, 20.0, 50.0}) dollop::run(young_modulus, factor);
}
