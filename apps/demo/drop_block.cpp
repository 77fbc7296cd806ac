// Drops an elastic block onto a floor and prints its energies, through the public interface alone.
#include <dollop/dollop.h>
#include <fmt/core.h>

#include <chrono>

int main() {
  using namespace dollop;
  Scene scene;
  scene.title = "An elastic block falls, bounces and wobbles";
  scene.settings.cell_size = 0.01;
  scene.materials = {
      {"jelly", "neo-hookean", {{"density", 1000}, {"young_modulus", 2e4}, {"poisson_ratio", 0.4}}}};
  scene.bodies = {{.material = "jelly",
                   .shape = Box{.center = {0, 0.25, 0}, .size = {0.2, 0.1, 0.2}},
                   .angular_velocity = {0, 0, 2}}};
  scene.colliders = {{.name = "floor", .shape = Plane{}, .contact = ContactKind::separate, .friction = 0.3}};

  Simulation simulation(scene);
  fmt::print("{}: {} particles, {}\n\n", scene.title, simulation.particle_count(),
             simulation.instruction_set());
  fmt::print("{:>7} {:>7} {:>10} {:>12} {:>12} {:>12} {:>12}\n", "time", "steps", "height", "kinetic",
             "elastic", "potential", "total");
  fmt::print("{:>7} {:>7} {:>10} {:>12} {:>12} {:>12} {:>12}\n", "s", "", "m", "J", "J", "J", "J");
  const auto start = std::chrono::steady_clock::now();
  for (int frame = 0; frame <= 20; ++frame) {
    if (const AdvanceReport report = simulation.advance_to(0.03 * frame); !report.ok()) {
      fmt::print(stderr, "drop_block: {}\n", describe(report.last));
      return 3;
    }
    const Metrics m = simulation.metrics();
    const double potential = 9.81 * m.mass * m.center_of_mass[1];
    fmt::print("{:7.2f} {:7} {:10.4f} {:12.5f} {:12.5f} {:12.5f} {:12.5f}\n", m.time, m.steps,
               m.center_of_mass[1], m.kinetic_energy, m.elastic_energy, potential,
               m.kinetic_energy + m.elastic_energy + potential);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double rate = double(simulation.steps()) * double(simulation.particle_count()) / seconds;
  fmt::print("\n{:.1f} s, {:.1f} million particle-steps a second\n", seconds, rate * 1e-6);
  return 0;
}
