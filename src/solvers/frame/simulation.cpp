#include <dollop/simulation.h>
#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <variant>

#include "core/profile.h"
#include "particles/survey.h"
#include "solvers/frame/typed_simulation.h"

namespace dollop {

struct Simulation::Implementation {
  explicit Implementation(const Scene& scene)
      : arena(scene.settings.threads > 0 ? scene.settings.threads : tbb::task_arena::automatic) {
    if (scene.settings.threads > tbb::this_task_arena::max_concurrency())
      pool.emplace(tbb::global_control::max_allowed_parallelism, std::size_t(scene.settings.threads));
    const auto build = [&] {
      if (scene.settings.precision == Precision::double_precision)
        simulation.emplace<TypedSimulation<double>>(scene);
      else
        simulation.emplace<TypedSimulation<float>>(scene);
    };
    arena.execute(build);
  }

  // runs f on the simulation of the right precision, with the threads of this simulation
  template <class F>
  auto visit(F&& f) {
    using Result = decltype(f(std::get<TypedSimulation<float>>(simulation)));
    return arena.execute([&]() -> Result {
      Profile* outer = std::exchange(Profile::current(), &profile);
      struct Restore {
        Profile* outer;
        ~Restore() { Profile::current() = outer; }
      } restore{outer};
      if (auto* r = std::get_if<TypedSimulation<double>>(&simulation)) return f(*r);
      return f(std::get<TypedSimulation<float>>(simulation));
    });
  }

  std::optional<tbb::global_control> pool;  // allows more threads than cores, if the user asks for them
  tbb::task_arena arena;
  std::variant<std::monostate, TypedSimulation<float>, TypedSimulation<double>> simulation;
  Profile profile;
};

Simulation::Simulation(const Scene& scene) : implementation_(std::make_unique<Implementation>(scene)) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

AdvanceReport Simulation::advance_to(double time, const std::function<bool(const StepReport&)>& keep_going) {
  return implementation_->visit([&](auto& r) { return r.advance_to(time, keep_going); });
}
StepReport Simulation::step(double dt) {
  return implementation_->visit([&](auto& r) { return r.step(dt); });
}
double Simulation::stable_dt() const {
  return implementation_->visit([](auto& r) { return r.stable_dt(); });
}
double Simulation::time() const {
  return implementation_->visit([](auto& r) { return r.state().time; });
}
std::int64_t Simulation::steps() const {
  return implementation_->visit([](auto& r) { return r.state().steps; });
}
std::uint64_t Simulation::particle_count() const {
  return implementation_->visit([](auto& r) { return std::uint64_t(r.state().particles.size()); });
}
Metrics Simulation::metrics(bool with_survey) const {
  return implementation_->visit([&](auto& r) {
    Metrics m = r.metrics();
    if (with_survey) m.survey = survey(r.state().particles, r.scene().settings.kernel);
    return m;
  });
}
std::uint64_t Simulation::state_hash() const {
  return implementation_->visit([](auto& r) { return r.state_hash(); });
}
ParticleData Simulation::particles(const std::string& material) const {
  return implementation_->visit([&](auto& r) { return r.particles(material); });
}
void Simulation::new_interval() {
  implementation_->visit([](auto& r) { r.new_interval(); });
}
std::vector<std::string> Simulation::attribute_names() const {
  return implementation_->visit([](auto& r) { return r.attribute_names(); });
}
ParticleFrame Simulation::snapshot(const std::vector<std::string>& attributes) const {
  return implementation_->visit([&](auto& r) { return r.snapshot(attributes); });
}
void Simulation::save(std::ostream& out) const {
  implementation_->visit([&](auto& r) { r.save(out); });
}
void Simulation::restore(std::istream& in) {
  implementation_->visit([&](auto& r) { r.restore(in); });
}
std::size_t Simulation::particle_bytes() const {
  return implementation_->visit([](auto& r) { return r.state().particles.bytes(); });
}
std::size_t Simulation::grid_bytes() const {
  return implementation_->visit([](auto& r) { return r.solver_bytes(); });
}
std::vector<PhaseTime> Simulation::phase_times() const {
  std::vector<PhaseTime> times;
  for (std::size_t p = 0; p < phase_names.size(); ++p)
    times.push_back({phase_names[p], implementation_->profile.seconds[p]});
  return times;
}
void Simulation::reset_phase_times() { implementation_->profile = {}; }
std::string Simulation::instruction_set() const {
  return implementation_->visit([](auto& r) { return std::string(r.setup().isa->name); });
}

std::string describe(const StepReport& r) {
  switch (r.status) {
    case Status::ok:
      return fmt::format("step of {:.3g} s", r.dt);
    case Status::not_finite:
      return fmt::format("a step of {:.3g} s gave a velocity that is not finite", r.dt);
    case Status::strained:
      return fmt::format(
          "a step of {:.3g} s deforms a particle too much: dt |grad v| is {:.3g}, the limit is 0.5, and "
          "the least det(1 + dt grad v) is {:.3g}",
          r.dt, r.max_increment, r.min_det);
    case Status::too_fast:
      return fmt::format("in a step of {:.3g} s a particle moves {:.3g} cells, the limit is 1", r.dt,
                         r.max_travel);
    case Status::stalled:
      if (!(r.max_speed > 0))
        return fmt::format("steps would have to be as short as {:.3g} s: something is too stiff or too light",
                           r.dt);
      return fmt::format("something moves at {:.3g} m/s, so that steps would have to be as short as {:.3g} s",
                         r.max_speed, r.dt);
    case Status::not_converged:
      return fmt::format(
          "Newton's method left {:.3g} of the residual of an implicit step of {:.3g} s after {} iterations",
          r.residual, r.dt, r.outer_iterations);
    case Status::out_of_range:
      return fmt::format(
          "a step of {:.3g} s crushes, stretches or loads a particle beyond what numbers can hold", r.dt);
    case Status::undefined:
      return "an expression of the scene has no finite value: look at gravity, and at motions and speeds of "
             "colliders and "
             "emitters";
    case Status::lost_particle:
      return fmt::format("particle {} has no place: its position is not finite or out of the grid's reach",
                         r.particle);
  }
  return "";
}

}  // namespace dollop
