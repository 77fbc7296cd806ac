#include "solvers/runner.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/bspline.h"
#include "particles/seeding.h"
#include "solvers/time_step.h"

namespace dollop {
namespace {

BlockSpace make_space(const Scene& scene) {
  BlockSpace space;
  space.cell_size = scene.settings.cell_size;
  if (scene.domain) {
    space.origin = scene.domain->min;
    for (std::size_t d = 0; d < 3; ++d)
      if (scene.domain->periodic[d])
        space.period[d] =
            std::int32_t(std::lround((scene.domain->max[d] - scene.domain->min[d]) / (4 * space.cell_size)));
  }
  return space;
}

double stencil_offset(Kernel kernel) {
  return kernel == Kernel::cubic ? BSpline<4>::offset : BSpline<3>::offset;
}

Double3 cross_product(const Double3& a, const Double3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace

template <class S>
Runner<S>::Runner(const Scene& scene) : scene_(scene), isa_(&best_instruction_set()) {
  validate_scene(scene_);
  const Settings& settings = scene_.settings;
  mpm_.grid.space = make_space(scene_);
  mpm_.grid.choice = {settings.kernel, settings.transfer, settings.forces};
  mpm_.grid.kernels = &transfer_kernels<S>(*isa_, mpm_.grid.choice);
  state_.particles = ParticleStore<S>(mpm_.grid.space, stencil_offset(settings.kernel));
  const bool affine = settings.transfer == Transfer::apic || settings.transfer == Transfer::rpic;
  for (std::size_t m = 0; m < scene_.materials.size(); ++m) {
    const int model = find_model(scene_.materials[m].model);
    const ModelInfo& info = models()[std::size_t(model)];
    MaterialBinding<S> binding{&material_kernels<S>(*isa_, model), {}, {}};
    binding.parameters = resolve_parameters(info, scene_.materials[m].parameters);
    stiffness_.push_back(info.stiffness(binding.parameters.data()));
    mpm_.materials.push_back(std::move(binding));
    state_.particles.add_group(int(m), affine, info.columns);
  }
  add_bodies();
}

template <class S>
int Runner<S>::group_of(const std::string& material) const {
  for (std::size_t m = 0; m < scene_.materials.size(); ++m)
    if (scene_.materials[m].name == material) return int(m);
  throw SceneError("there is no material named '" + material + "'");
}

template <class S>
void Runner<S>::add_bodies() {
  double lightest = std::numeric_limits<double>::infinity();
  for (const Body& body : scene_.bodies) {
    add_body(body, group_of(body.material));
    const auto& group = state_.particles.groups()[std::size_t(group_of(body.material))];
    lightest = std::min(lightest, double(group.reals(ParticleGroup<S>::mass)[group.size() - 1]));
  }
  mpm_.mass_floor = scene_.bodies.empty() ? 0 : 1e-12 * lightest;  // spline tails below this are rounding
}

template <class S>
void Runner<S>::add_body(const Body& body, int group_index) {
  const LatticeSeeds seeds = seed_lattice(body.shape, state_.particles.space(), body.particles_per_cell);
  if (seeds.places.empty())
    throw SceneError("a body of '" + body.material + "' holds no particle: it is too small for cell_size");
  const std::size_t first = state_.particles.append(group_index, seeds.places.data(), seeds.places.size());
  ParticleGroup<S>& group = state_.particles.groups()[std::size_t(group_index)];
  Double3 center{};
  for (const Double3& x : seeds.places)
    for (std::size_t d = 0; d < 3; ++d) center[d] += x[d] / double(seeds.places.size());
  const Double3& w = body.angular_velocity;
  const double spin[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
  for (std::size_t k = 0; k < seeds.places.size(); ++k) {
    const std::size_t i = first + k;
    const Double3& x = seeds.places[k];
    const Double3 turn = cross_product(w, {x[0] - center[0], x[1] - center[1], x[2] - center[2]});
    double speed2 = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double v = body.velocity[d] + turn[d];
      group.reals(ParticleGroup<S>::velocity + int(d))[i] = S(v);
      speed2 += v * v;
    }
    group.reals(ParticleGroup<S>::mass)[i] = S(stiffness_[std::size_t(group_index)].density * seeds.volume);
    group.reals(ParticleGroup<S>::volume)[i] = S(seeds.volume);
    if (group.affine_array() >= 0)
      for (int c = 0; c < 9; ++c) group.reals(group.affine_array() + c)[i] = S(spin[c]);
    state_.max_speed = std::max(state_.max_speed, std::sqrt(speed2));
  }
}

template <class S>
double Runner<S>::stable_dt() const {
  const Settings& s = scene_.settings;
  double dt = s.max_dt;
  for (std::size_t g = 0; g < stiffness_.size(); ++g)
    if (state_.particles.groups()[g].size())
      dt = std::min(dt, s.dt_safety * stability_bound(stiffness_[g], s));
  // gravity counts as if it had acted for the step already, so that a release from rest starts well    (DT.4)
  const double g = std::sqrt(std::inner_product(s.gravity.begin(), s.gravity.end(), s.gravity.begin(), 0.0));
  const double travel = s.cfl * s.cell_size, v = state_.max_speed;
  if (v > 0 || g > 0) dt = std::min(dt, 2 * travel / (v + std::sqrt(v * v + 4 * g * travel)));
  return dt;
}

template <class S>
AdvanceReport Runner<S>::advance_to(double time) {
  AdvanceReport report;
  constexpr int max_halvings = 12;  // in a row, at one place
  int halvings = 0;
  const double start = state_.time;
  // rounding of the sum of many steps must not leave a sliver at the end
  while (time - state_.time > 1e-12 * std::max(std::fabs(time), time - start)) {
    const double remaining = time - state_.time, allowed = stable_dt() * state_.caution;
    const double dt = remaining / std::ceil(remaining / allowed * (1 - 1e-12));
    report.last = step(dt);
    if (report.last.ok()) {
      report.dt_min = report.steps ? std::min(report.dt_min, dt) : dt;
      report.dt_max = std::max(report.dt_max, dt);
      ++report.steps;
      halvings = 0;
      state_.caution = std::min(1.0, state_.caution * 1.25);
      continue;
    }
    ++report.rejected;
    if (report.last.status == Status::lost_particle || ++halvings > max_halvings ||
        dt / 2 < scene_.settings.min_dt)
      return report;
    state_.caution = std::min(state_.caution, dt / stable_dt()) / 2;
  }
  return report;
}

template class Runner<float>;
template class Runner<double>;

}  // namespace dollop
