#include "solvers/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "boundary/collider.h"
#include "boundary/motion.h"
#include "boundary/shape_depth.h"
#include "core/parallel.h"
#include "math/bspline.h"
#include "particles/seeding.h"
#include "solvers/gauges.h"
#include "solvers/mpm_phases.h"
#include "solvers/scene_space.h"
#include "solvers/time_step.h"
#include "solvers/validate_values.h"
#include "solvers/volume_estimate.h"

namespace dollop {
namespace {

double stencil_offset(Kernel kernel) {
  return kernel == Kernel::cubic ? BSpline<4>::offset : BSpline<3>::offset;
}

Double3 cross_product(const Double3& a, const Double3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double length(const Double3& a) { return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

// A shape, and those of its periodic images that come nearer than `depth` to the places; no more of them than can
// matter, however deep that is.                                                                        (SEED.19)
Shape with_images(const Shape& shape, const BlockSpace& space, const std::vector<Double3>& places,
                  double depth) {
  const Bounds box = bounds(shape);
  Double3 periods;
  for (std::size_t d = 0; d < 3; ++d) periods[d] = 4 * space.cell_size * space.period[d];
  // no place is deeper than half of the way out on an open axis, or to the middle between its images
  double reach = depth;
  if (space.period[0] && space.period[1] && space.period[2]) reach = std::min(depth, 0.5 * length(periods));
  for (std::size_t d = 0; d < 3; ++d)
    if (!space.period[d]) reach = std::min(reach, 0.5 * (box.max[d] - box.min[d]));
  std::vector<Double3> moves{{0, 0, 0}};
  for (std::size_t d = 0; d < 3; ++d) {
    if (!space.period[d]) continue;
    const auto [low, high] = std::minmax_element(
        places.begin(), places.end(), [d](const Double3& a, const Double3& b) { return a[d] < b[d]; });
    std::vector<Double3> moved;
    for (double m = std::ceil(((*low)[d] - reach - box.max[d]) / periods[d]);
         m * periods[d] <= (*high)[d] + reach - box.min[d]; ++m)
      for (Double3 move : moves) {
        move[d] = m * periods[d];
        moved.push_back(move);
      }
    moves = std::move(moved);
  }
  if (moves == std::vector<Double3>{{0, 0, 0}}) return shape;
  Union all;
  const auto one = std::make_shared<const Shape>(shape);
  for (const Double3& move : moves) all.shapes.push_back(Placed{.shape = one, .translation = move});
  return all;
}

// the places in each layer of a body, and those below all of them
std::vector<std::vector<Double3>> places_by_layer(const Body& body, const BlockSpace& space,
                                                  const std::vector<Double3>& places) {
  std::vector<std::vector<Double3>> result(body.layers.size() + 1);
  const ShapeDepth below(with_images(body.shape, space, places, body.layers.back().depth));
  std::vector<std::size_t> layer(places.size(), 0);
  constexpr std::size_t grain = 256;  // a few thousand looks at the shape, at most some milliseconds
  parallel_for(places.size(), grain, [&](std::size_t n) {
    while (layer[n] < body.layers.size() && below.deeper_than(places[n], body.layers[layer[n]].depth))
      ++layer[n];
  });
  for (std::size_t n = 0; n < places.size(); ++n) result[layer[n]].push_back(places[n]);
  return result;
}

Animated scaled(Animated a, double factor) {
  a.value *= factor;
  for (Animated::Key& key : a.keys) key.value *= factor;
  if (a.kind == Animated::Kind::expression) a.expression = fmt::format("({})*({})", a.expression, factor);
  return a;
}

// the plates of a domain that is sheared: sticky, at both ends of y, moving along x
void add_shear_plates(const Domain& domain, std::vector<Collider>& colliders) {
  const double half = 0.5 * (domain.max[1] - domain.min[1]);
  const auto plate = [&](const char* name, double y, double up, double share) {
    Collider c{.name = name, .shape = Plane{{0, y, 0}, {0, up, 0}}, .contact = ContactKind::sticky};
    c.surface_velocity.x = scaled(*domain.shear_rate, share);
    colliders.push_back(c);
  };
  plate("shear-low", domain.min[1], 1, -half);
  plate("shear-high", domain.max[1], -1, half);
}

}  // namespace

template <class S>
Runner<S>::Runner(const Scene& scene) : scene_(scene), isa_(&best_instruction_set()) {
  validate_scene(scene_);
  const Settings& settings = scene_.settings;
  mpm_.grid.space = space_of(scene_);
  mpm_.grid.choice = {settings.kernel, settings.transfer, settings.forces, implicit()};
  mpm_.grid.kernels = &transfer_kernels<S>(*isa_, mpm_.grid.choice);
  state_.particles = ParticleStore<S>(mpm_.grid.space, stencil_offset(settings.kernel));
  newton_.kernels = &implicit_kernels<S>(*isa_, settings.kernel, settings.forces);
  newton_.symmetric = true;
  const bool affine = settings.transfer == Transfer::apic || settings.transfer == Transfer::rpic;
  for (std::size_t m = 0; m < scene_.materials.size(); ++m) {
    const int model = find_model(scene_.materials[m].model);
    const ModelInfo& info = models()[std::size_t(model)];
    MaterialBinding<S> binding;
    binding.parameters = resolve_parameters(info, scene_.materials[m].parameters);
    const double* values = binding.parameters.data();
    binding.removal = info.removal(values);
    stiffness_.push_back(info.stiffness(values));
    const int group = state_.particles.add_group(int(m), affine, info.columns_for(values));
    if (const Column* weak = state_.particles.groups()[std::size_t(group)].find("weak"))
      binding.weak_array = weak->first;
    binding.kernels = &material_kernels<S>(*isa_, model, binding.tears());
    newton_.materials.push_back(&implicit_material<S>(*isa_, model, binding.tears()));
    newton_.symmetric = newton_.symmetric && info.symmetric_tangent && !binding.tears();
    mpm_.materials.push_back(std::move(binding));
  }
  if (scene_.domain && scene_.domain->shear_rate) add_shear_plates(*scene_.domain, scene_.colliders);
  state_.tally.impacts.resize(scene_.colliders.size());
  for (std::size_t e = 0; e < scene_.emitters.size(); ++e) {
    const int group = group_of(scene_.emitters[e].material);
    mpm_.emitters.push_back({EmitterPlan(scene_.emitters[e], mpm_.grid.space, settings.seed, e), group,
                             stiffness_[std::size_t(group)].density});
    state_.emitters.emplace_back();
  }
  for (std::size_t b = 0; b < scene_.bodies.size(); ++b) add_body(b);
  if (sort_by_block(state_, mpm_.grid)) throw SceneError("a body lies farther away than the grid can count");
  if (settings.volume_init == VolumeInit::estimated) {
    estimate_volumes(mpm_.grid, state_.particles);
    lower_densities();
  }
  new_interval();
}

// The stability bound counts on the mass that a volume of material has at least.                        (DT.2)
template <class S>
void Runner<S>::lower_densities() {
  for (std::size_t g = 0; g < stiffness_.size(); ++g) {
    const ParticleGroup<S>& group = state_.particles.groups()[g];
    const S *mass = group.reals(ParticleGroup<S>::mass), *volume = group.reals(ParticleGroup<S>::volume);
    for (std::size_t i = 0; i < group.size(); ++i)
      stiffness_[g].density = std::min(stiffness_[g].density, double(mass[i]) / double(volume[i]));
  }
}

template <class S>
int Runner<S>::group_of(const std::string& material) const {
  for (std::size_t m = 0; m < scene_.materials.size(); ++m)
    if (scene_.materials[m].name == material) return int(m);
  throw SceneError("there is no material named '" + material + "'");
}

template <class S>
void Runner<S>::add_body(std::size_t index) {
  const Body& body = scene_.bodies[index];
  const int group = group_of(body.material);
  const std::string where = fmt::format("bodies[{}]", index);
  const Seeds seeds = seed(body.shape, state_.particles.space(), body.particles_per_cell, body.seeding,
                           scene_.settings.seed, index);
  if (seeds.places.empty())
    throw SceneError(
        fmt::format("this body of '{}' holds no particle: it is thinner than the spacing of particles, "
                    "{:.3g} m; make cell_size smaller or particles_per_cell larger",
                    body.material, scene_.settings.cell_size / std::cbrt(body.particles_per_cell)),
        where + ".shape");
  Double3 center{};
  for (const Double3& x : seeds.places)
    for (std::size_t d = 0; d < 3; ++d) center[d] += x[d] / double(seeds.places.size());
  const Double3& w = body.angular_velocity;
  const auto add = [&](int to, const std::vector<Double3>& places) {
    std::vector<Double3> velocities;
    velocities.reserve(places.size());
    for (const Double3& x : places) {
      const Double3 turn = cross_product(w, {x[0] - center[0], x[1] - center[1], x[2] - center[2]});
      velocities.push_back(
          {body.velocity[0] + turn[0], body.velocity[1] + turn[1], body.velocity[2] + turn[2]});
    }
    add_particles<S>({to,
                      stiffness_[std::size_t(to)].density,
                      seeds.volume,
                      places,
                      velocities,
                      {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0}},
                     state_);
  };
  if (body.layers.empty()) return add(group, seeds.places);
  const auto sorted = places_by_layer(body, state_.particles.space(), seeds.places);
  for (std::size_t k = 0; k < sorted.size(); ++k)
    add(k < body.layers.size() ? group_of(body.layers[k].material) : group, sorted[k]);
}

// the fastest that anything moves or is about to leave a nozzle
template <class S>
double Runner<S>::top_speed() const {
  double v = state_.max_speed;
  for (const Collider& collider : scene_.colliders) v = std::max(v, largest_speed(collider, state_.time));
  for (const Emitter& emitter : scene_.emitters)
    if (state_.time < emitter.until)
      v = std::max(v, std::fabs(value_at(emitter.speed, std::max(state_.time, emitter.from))));
  return v;
}

// the longest step that the stiffness of what is there allows; infinite if nothing is
template <class S>
double Runner<S>::elastic_dt() const {
  double dt = std::numeric_limits<double>::infinity();
  std::vector<bool> present(stiffness_.size(), false);
  for (std::size_t g = 0; g < present.size(); ++g) present[g] = state_.particles.groups()[g].size() > 0;
  for (const Nozzle& nozzle : mpm_.emitters) present[std::size_t(nozzle.group)] = true;
  for (std::size_t g = 0; g < present.size(); ++g)
    if (present[g])
      dt = std::min(dt, scene_.settings.dt_safety * stability_bound(stiffness_[g], scene_.settings));
  return dt;
}

template <class S>
double Runner<S>::stable_dt() const {
  const Settings& s = scene_.settings;
  double dt = std::min(s.max_dt, implicit() ? std::numeric_limits<double>::infinity() : elastic_dt());
  // gravity counts as if it had acted for the step already, so that a release from rest starts well    (DT.4)
  const double g = length(value_at(s.gravity, state_.time)), travel = s.cfl * s.cell_size, v = top_speed();
  if (v > 0 || g > 0) dt = std::min(dt, 2 * travel / (v + std::sqrt(v * v + 4 * g * travel)));
  // an implicit step from rest without gravity: a frame, so that there is something to shorten if it fails
  if (!std::isfinite(dt)) dt = 1 / s.frame_rate;
  // colliders that are about to start; what still goes farther than this in a thousandth of the step is a jump
  for (const Collider& collider : scene_.colliders)
    for (int k = 0; k < 10 && largest_travel(collider, state_.time, state_.time + dt) > 1.01 * travel; ++k)
      dt /= 2;
  return dt;
}

template <class S>
StepReport Runner<S>::step(double dt) {
  return implicit() ? dollop::step(newton_, mpm_, scene_, state_, dt)
                    : dollop::step(mpm_, scene_, state_, dt);
}

template <class S>
AdvanceReport Runner<S>::advance_to(double time, const std::function<bool(const StepReport&)>& keep_going) {
  AdvanceReport report;
  constexpr int max_halvings = 12;  // in a row, at one place
  int halvings = 0;
  // rounding of the sum of many steps must not leave a sliver at the end
  while (time - state_.time > 1e-12 * std::fabs(time)) {
    const double remaining = time - state_.time, allowed = stable_dt() * state_.caution;
    // a collider that runs away would make steps shorter and shorter for ever; and no run gets through 1e12 of them
    const double usual = std::min(elastic_dt(), scene_.settings.max_dt);
    if ((std::isfinite(usual) && allowed < 1e-6 * usual) || allowed < 1e-12 * remaining) {
      report.last = {.status = Status::stalled, .dt = allowed, .max_speed = state_.max_speed};
      return report;
    }
    const double dt = remaining / std::max(1.0, std::ceil(remaining / allowed * (1 - 1e-12)));
    report.last =
        has_values(scene_, state_.time + dt) ? step(dt) : StepReport{.status = Status::undefined, .dt = dt};
    // where no solution is found an explicit step will do, once it is stable
    if (report.last.status == Status::not_converged && dt <= elastic_dt())
      report.last = dollop::step(mpm_, scene_, state_, dt);
    if (report.last.ok()) {
      report.dt_min = report.steps ? std::min(report.dt_min, dt) : dt;
      report.dt_max = std::max(report.dt_max, dt);
      ++report.steps;
      halvings = 0;
      state_.caution = std::min(1.0, state_.caution * 1.25);
      if (keep_going && !keep_going(report.last)) {
        report.stopped = time - state_.time > 1e-12 * std::fabs(time);
        return report;
      }
      continue;
    }
    ++report.rejected;
    ++state_.tally.rejected;
    if (report.last.status == Status::lost_particle || report.last.status == Status::undefined ||
        ++halvings > max_halvings || dt / 2 < scene_.settings.min_dt)
      return report;
    state_.caution = std::min(state_.caution, dt / stable_dt()) / 2;
  }
  return report;
}

template <class S>
void Runner<S>::new_interval() {
  Tally& tally = state_.tally;
  tally.interval_start = state_.time;
  tally.dt_min = tally.dt_max = tally.newton_residual = tally.max_increment = 0;
  std::fill(tally.impacts.begin(), tally.impacts.end(), Impact{});
  tally.gauge_masses.clear();
  for (const GaugeReading& reading : read_gauges(scene_, state_)) tally.gauge_masses.push_back(reading.mass);
}

template class Runner<float>;
template class Runner<double>;

}  // namespace dollop
