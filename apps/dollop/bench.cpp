// dollop bench: measures the speed of a complete time step, as in a run but without output.
#include <dollop/dollop.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <compare>
#include <cstdlib>
#include <map>
#include <optional>

#include "commands.h"
#include "grid/instruction_sets.h"
#include "materials/registry.h"
#include "scene/words.h"
#include "solvers/frame/method_info.h"

namespace dollop {
namespace {

struct Options {
  std::vector<std::string> kernels{"cubic"}, materials{"neo-hookean"}, transfers{"apic"}, forces{"mls"};
  std::vector<std::string> precisions{"float"}, isas{""}, bodies{"block"};
  std::vector<int> threads{0};
  std::vector<double> particles{1e6};
  int steps = 20, repeat = 3;
  double particles_per_cell = 8, yield_stress = 1e3;
  int resample_every = 0;
  bool tearing = false, json = false;
  double relaxation_time = 0.5;
  std::string preconditioner;       // of the methods that have one; empty: their default
  std::vector<double> factors{10};  // implicit: time steps in units of the largest stable explicit one
};

// One configuration to measure.
struct Case {
  std::string kernel, material, transfer, forces, precision, isa;
  int threads;
  double particles;
  double factor = 0;  // time step over the explicit one; 0: explicit
  std::string body = "block", solver = "explicit";
  auto operator<=>(const Case&) const = default;
};

// What a case is made of: a block; crumbs of eight particles or single particles, so far apart that they do not meet; or a
// block so slow that its velocities and strains are denormal numbers.
const std::vector<std::string> body_names{"block", "crumbs", "singles", "denormal"};

template <class T>
T parse(const std::string& word) {
  if (const std::optional<T> value = value_of<T>(word)) return *value;
  throw SceneError(fmt::format("'{}' is not one of: {}", word, fmt::join(words_of<T>(), ", ")));
}

// crumbs or single particles on a cubic lattice, each in a cell of its own
std::vector<Body> scattered(const Case& c, double particles_per_cell, double cell_size) {
  constexpr double apart = 13;  // [cells]: no block holds particles of two
  const auto edge = int(std::max(1.0, std::round(std::cbrt(c.particles / particles_per_cell))));
  std::vector<Body> bodies;
  for (int n = 0; n < edge * edge * edge; ++n) {
    const auto at = [&](int k) { return cell_size * (apart * k + 0.5); };
    bodies.push_back({.material = "block",
                      .shape = Box{.center = {at(n / edge / edge), at(n / edge % edge), at(n % edge)},
                                   .size = {cell_size, cell_size, cell_size}},
                      .particles_per_cell = particles_per_cell,
                      .velocity = {0.3, -1, 0.2}});
  }
  return bodies;
}

void set_preconditioner(const std::string& word, Settings& s) {
  if (word.empty()) return;
  for (const ParameterInfo& p : find_method(s.solver)->settings)
    if (p.name == "preconditioner") {
      const auto found = std::find(p.words.begin(), p.words.end(), word);
      if (found == p.words.end())
        throw SceneError(fmt::format("'{}' is not one of: {}", word, fmt::join(p.words, ", ")));
      s.methods[s.solver][p.name] = double(found - p.words.begin());
    }
}

// A falling, slowly rotating block: a cube of cells whose number of particles is closest to the wanted one.
Scene falling_block(const Case& c, const Options& o) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = 0.01;
  s.kernel = parse<Kernel>(c.kernel);
  s.transfer = parse<Transfer>(c.transfer);
  s.forces = parse<ForceForm>(c.forces);
  s.precision = parse<Precision>(c.precision);
  s.threads = c.threads;
  s.resample_every = o.resample_every;
  s.solver = c.solver;
  set_preconditioner(o.preconditioner, s);
  const double particles_per_cell = o.particles_per_cell;
  const double side = s.cell_size * std::max(1.0, std::round(std::cbrt(c.particles / particles_per_cell)));
  scene.materials = {
      {"block", c.material, {{"density", 1000}, {"young_modulus", 1e5}, {"poisson_ratio", 0.3}}}};
  std::map<std::string, double> others{{"yield_stress", o.yield_stress},
                                       {"relaxation_time", o.relaxation_time}};
  if (o.tearing) others["tear_threshold"] = 1, others["recovery_time"] = 0.3;
  // sets those of these parameters that the model has
  if (const int model = find_model(c.material); model >= 0)
    for (const ParameterInfo& p : models()[std::size_t(model)].parameters)
      if (const auto it = others.find(p.name); it != others.end()) scene.materials[0].parameters.insert(*it);
  scene.bodies = {{.material = "block",
                   .shape = Box{.center = {0, side / 2, 0}, .size = {side, side, side}},
                   .particles_per_cell = particles_per_cell,
                   .velocity = {0.3, -1, 0.2},
                   .angular_velocity = {0.2, 0.1, 0.3}}};
  if (c.body == "crumbs") scene.bodies = scattered(c, 8, s.cell_size);
  if (c.body == "singles") scene.bodies = scattered(c, 1, s.cell_size);
  if (c.body == "denormal") {
    s.gravity = {0, 0, 0};
    for (double& v : scene.bodies[0].velocity) v *= 1e-41;
    for (double& w : scene.bodies[0].angular_velocity) w *= 1e-41;
  }
  if (c.factor > 0)  // a block in free fall has nothing to solve
    scene.colliders = {{.name = "floor", .shape = Plane{.point = {0, 0, 0}, .normal = {0, 1, 0}}}};
  return scene;
}

struct Result {
  double best = 1e300;  // seconds per step
  std::int64_t steps = 0;
  std::uint64_t particles = 0;
  double particle_bytes = 0, grid_bytes = 0;
  std::string isa;
  std::vector<PhaseTime> phases;
  double dt = 0;
  std::int64_t outer_iterations = 0, inner_iterations = 0;

  double seconds(const std::string& phase) const {
    for (const PhaseTime& p : phases)
      if (p.name == phase) return p.seconds;
    return 0;
  }
  // particles per second in products with the tangent
  double products_per_s() const {
    return double(particles) * double(inner_iterations) / std::max(seconds("product"), 1e-300);
  }
};

// `block`: the result of the same case for a block; null if that was not measured
void print(const Case& c, const Result& r, const Result* block, bool json) {
  const double rate = double(r.particles) / r.best, n = double(r.particles);
  const double ratio = block ? r.best / n * double(block->particles) / block->best : 0;
  double total = 0;
  for (const auto& p : r.phases) total += p.seconds;
  if (!json) {
    fmt::print(
        "{:9} {:5} {:8} {:12} {:6} {:8} {:2} threads {:9} particles: {:6.2f} M/s, {:.0f} + {:.0f} "
        "B/particle;",
        c.kernel, c.transfer, c.forces, c.material, c.precision, r.isa, c.threads, r.particles, rate * 1e-6,
        r.particle_bytes / n, r.grid_bytes / n);
    for (const auto& p : r.phases)
      if (p.seconds > 0) fmt::print(" {} {:.1f}%", p.name, 100 * p.seconds / total);
    if (c.factor > 0)
      fmt::print(
          "; dt {:.3g} s ({} explicit), {:.1f} outer and {:.1f} linear iterations a step, products {:.2f} "
          "M/s",
          r.dt, c.factor, double(r.outer_iterations) / double(r.steps),
          double(r.inner_iterations) / double(r.steps), 1e-6 * r.products_per_s());
    if (c.body != "block") fmt::print("; {}", c.body);
    if (block) fmt::print(", {:.2f} times the time of a particle of the block", ratio);
    fmt::print("\n");
    return;
  }
  fmt::print(
      R"({{"name": "{}", "kernel": "{}", "transfer": "{}", "forces": "{}", "material": "{}", )"
      R"("precision": "{}", "threads": {}, "particles": {}, "steps": {}, "particle_steps_per_s": {:.6g}, )"
      R"("bytes_per_particle": {:.4g}, "grid_bytes_per_particle": {:.4g}, "isa": "{}", "stages": {{)",
      c.solver, c.kernel, c.transfer, c.forces, c.material, c.precision, c.threads, r.particles, r.steps,
      rate, r.particle_bytes / n, r.grid_bytes / n, r.isa);
  for (std::size_t k = 0; k < r.phases.size(); ++k)
    fmt::print(R"({}"{}": {:.6g})", k ? ", " : "", r.phases[k].name, r.phases[k].seconds / double(r.steps));
  fmt::print("}}");
  if (c.factor > 0)
    fmt::print(R"(, "dt": {:.6g}, "dt_factor": {}, "outer_iterations": {}, "inner_iterations": {}, )"
               R"("product_particles_per_s": {:.6g})",
               r.dt, c.factor, r.outer_iterations, r.inner_iterations, r.products_per_s());
  if (c.body != "block") fmt::print(R"(, "body": "{}")", c.body);
  if (block) fmt::print(R"(, "time_over_block": {:.4g})", ratio);
  fmt::print("}}\n");
  std::fflush(stdout);
}

// Measures `repeat` batches of `steps` steps; the fastest batch counts, times of stages are summed over all batches.
Result measure(const Case& c, const Options& o) {
  if (!c.isa.empty()) setenv("DOLLOP_ISA", c.isa.c_str(), 1);
  Simulation simulation(falling_block(c, o));
  if (!c.isa.empty()) unsetenv("DOLLOP_ISA");
  Result r;
  r.isa = simulation.instruction_set();
  r.particles = simulation.particle_count();
  Case explicit_case = c;
  explicit_case.factor = 0, explicit_case.particles = 8,
  explicit_case.solver = "explicit";  // the bound depends on material and cells alone
  const double dt = c.factor > 0 ? c.factor * Simulation(falling_block(explicit_case, o)).stable_dt()
                                 : simulation.stable_dt();
  r.dt = dt;
  const auto run = [&](int steps) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < steps; ++k)
      if (const StepReport report = simulation.step(dt); !report.ok())
        throw SceneError(describe(report));
      else
        r.outer_iterations += report.outer_iterations, r.inner_iterations += report.inner_iterations;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / steps;
  };
  run(2);  // first touch of memory
  simulation.reset_phase_times();
  r.outer_iterations = r.inner_iterations = 0;
  for (int k = 0; k < o.repeat; ++k) r.best = std::min(r.best, run(o.steps));
  r.steps = std::int64_t(o.steps) * o.repeat;
  r.phases = simulation.phase_times();
  r.particle_bytes = double(simulation.particle_bytes());
  r.grid_bytes = double(simulation.grid_bytes());
  return r;
}

std::vector<Case> all_cases(const Options& o, const MethodInfo& method) {
  std::vector<Case> cases;
  for (const double factor : method.is_implicit ? o.factors : std::vector<double>{0})
    for (const auto& isa : o.isas)
      for (const double n : o.particles)
        for (const int t : o.threads)
          for (const auto& p : o.precisions)
            for (const auto& m : o.materials)
              for (const auto& f : o.forces)
                for (const auto& tr : o.transfers)
                  for (const auto& k : o.kernels)
                    for (const auto& b : o.bodies)
                      cases.push_back({k, m, tr, f, p, isa, t, n, factor, b, method.name});
  return cases;
}

// before the first measurement
void check_instruction_sets(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (const std::string fault = name.empty() ? "" : instruction_set_fault(name); !fault.empty())
      throw SceneError("--isa: " + fault);
}

void add_options(Command run, Options& o) {
  run.add_option("--kernel", o.kernels, "quadratic, cubic").comma_separated();
  run.add_option("--material", o.materials, "models; see `dollop materials`").comma_separated();
  run.add_option("--transfer", o.transfers, "pic, flip, apic, rpic, fading").comma_separated();
  run.add_option("--forces", o.forces, "mls, gradient").comma_separated();
  run.add_option("--precision", o.precisions, "float, double").comma_separated();
  run.add_option("--threads", o.threads, "number of threads; 0: all").comma_separated();
  run.add_option("--particles", o.particles, "approximate number of particles")
      .comma_separated()
      .range(1.0, 4e9);
  run.add_option("--isa", o.isas, "instruction sets: baseline, avx2, avx512; default: the best")
      .comma_separated();
  run.add_option("--particles-per-cell", o.particles_per_cell).range(0.1, 1000.0);
  run.add_option("--yield-stress", o.yield_stress, "of plastic models [Pa]; at 0.01 all of the block flows")
      .range(1e-9, 1e12);
  run.add_option("--relaxation-time", o.relaxation_time, "of materials that relax [s]").range(1e-9, 1e12);
  run.add_flag("--tearing", o.tearing, "enable tearing and recovery of plastic models");
  run.add_option("--resample-every", o.resample_every, "resample after so many steps; 0: never")
      .range(0, 1000000);
  run.add_option("--steps", o.steps, "steps in a batch").range(1, 1000000);
  run.add_option("--repeat", o.repeat, "number of batches; the fastest counts").range(1, 1000);
  run.add_flag("--json", o.json, "print one JSON object per line");
}

}  // namespace

void add_bench(Command app, int& status) {
  Command bench = app.add_command("bench", "measure speed and memory of a step");
  bench.require_command();
  bench.footer(
      "Example:\n  dollop bench explicit --kernel cubic,quadratic --material von-mises --threads 1,2 --json");
  for (const MethodInfo& method : methods()) {
    const bool implicit = method.is_implicit;
    Command run = bench.add_command(
        method.name,
        fmt::format("the {} solver on a {}", method.name, implicit ? "block that lands" : "falling block"));
    auto o = std::make_shared<Options>();
    if (implicit) o->steps = 2;
    add_options(run, *o);
    if (!implicit)
      run.add_option("--body", o->bodies,
                     "block; crumbs of eight particles, singles: 13 cells apart; denormal: a block of "
                     "denormal numbers")
          .comma_separated()
          .one_of(body_names);
    if (implicit)
      run.add_option("--factor", o->factors, "time step over the largest stable explicit one")
          .comma_separated()
          .range(1e-3, 1e4);
    for (const ParameterInfo& p : method.settings)
      if (p.name == "preconditioner")
        run.add_option("--preconditioner", o->preconditioner, fmt::format("{}", fmt::join(p.words, ", ")))
            .one_of(p.words);
    run.footer(
        implicit ? fmt::format("Example:\n  dollop bench {} --material neo-hookean --factor 5,20 --threads 1",
                               method.name)
                 : "Example:\n  dollop bench explicit --material herschel-bulkley --transfer flip "
                   "--tearing --threads 1");
    run.callback([o, &method, &status] {
      check_instruction_sets(o->isas);
      std::map<Case, Result> blocks;
      for (const Case& c : all_cases(*o, method)) {
        const Result result = measure(c, *o);
        Case as_block = c;
        as_block.body = "block";
        const auto block = blocks.find(as_block);
        print(c, result, block != blocks.end() ? &block->second : nullptr, o->json);
        if (c.body == "block") blocks.emplace(c, result);
      }
      status = exit_fine;
    });
  }
}

}  // namespace dollop
