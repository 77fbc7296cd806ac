#include "solvers/setup/setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "math/bspline.h"
#include "solvers/setup/bodies.h"
#include "solvers/setup/body_surfaces.h"
#include "solvers/setup/scene_space.h"
#include "solvers/setup/stability_bound.h"
#include "solvers/setup/volume_estimate.h"

namespace dollop {
namespace {

double stencil_offset(Kernel kernel) {
  return kernel == Kernel::cubic ? BSpline<4>::offset : BSpline<3>::offset;
}

Animated scaled(Animated a, double factor) {
  a.value *= factor;
  for (Animated::Key& key : a.keys) key.value *= factor;
  if (a.kind == Animated::Kind::expression) a.expression = fmt::format("({})*({})", a.expression, factor);
  return a;
}

// the plates of a sheared domain: sticky, at both ends of y, moving along x
std::vector<Collider> shear_plates(const Domain& domain) {
  const double half = 0.5 * (domain.max[1] - domain.min[1]);
  const auto plate = [&](const char* name, double y, double up, double share) {
    Collider c{.name = name, .shape = Plane{{0, y, 0}, {0, up, 0}}, .contact = ContactKind::sticky};
    c.surface_velocity.x = scaled(*domain.shear_rate, share);
    return c;
  };
  return {plate("shear-low", domain.min[1], 1, -half), plate("shear-high", domain.max[1], -1, half)};
}

template <class S>
MaterialBinding<S> bind(const Material& material, const InstructionSet& isa) {
  MaterialBinding<S> binding;
  binding.model = find_model(material.model);
  const ModelInfo& info = models()[std::size_t(binding.model)];
  binding.parameters = resolve_parameters(info, material.parameters);
  const double* values = binding.parameters.data();
  binding.stiffness = info.stiffness(values);
  binding.removal = info.removal(values);
  binding.kernels = isa.loops<S>().material(binding.model, info.tears(values));
  binding.make_law();
  return binding;
}

// The stability bound needs the least density among the particles of each material.                    (DT.2)
template <class S>
void lower_densities(const State<S>& state, std::vector<MaterialBinding<S>>& materials) {
  for (std::size_t g = 0; g < materials.size(); ++g) {
    const ParticleGroup<S>& group = state.particles.groups()[g];
    const S *mass = group.reals(ParticleGroup<S>::mass), *volume = group.reals(ParticleGroup<S>::volume);
    double& density = materials[g].stiffness.density;
    for (std::size_t i = 0; i < group.size(); ++i)
      density = std::min(density, double(mass[i]) / double(volume[i]));
  }
}

}  // namespace

std::vector<const Material*> used_materials(const Scene& scene) {
  std::vector<char> used(scene.materials.size(), 0);
  const auto mark = [&](const std::string& name) { used[std::size_t(group_of(scene, name))] = 1; };
  for (const Body& body : scene.bodies) {
    mark(body.material);
    for (const Layer& layer : body.layers) mark(layer.material);
  }
  for (const Emitter& emitter : scene.emitters) mark(emitter.material);
  std::vector<const Material*> found;
  for (std::size_t m = 0; m < used.size(); ++m)
    if (used[m]) found.push_back(&scene.materials[m]);
  return found;
}

int group_of(const Scene& scene, const std::string& material) {
  for (std::size_t m = 0; m < scene.materials.size(); ++m)
    if (scene.materials[m].name == material) return int(m);
  throw SceneError("there is no material named '" + material + "'");
}

// A few steps of the longest stable length; where a material resists a change of volume far more than shear, and steps are
// as short as that, a part of the longest step that its shear modulus alone would allow.               (FADE.9)
double fading_time(const Scene& scene) {
  constexpr double steps = 4, part = 0.25;
  if (scene.settings.fading_time > 0) return scene.settings.fading_time;
  double time = std::numeric_limits<double>::infinity();
  Settings undamped = scene.settings;
  undamped.damping_trips = 0, undamped.damping_viscosity = 0;
  for (const Material* material : used_materials(scene)) {
    const ModelInfo& info = models()[std::size_t(find_model(material->model))];
    const auto values = resolve_parameters(info, material->parameters);
    const Stiffness whole = info.stiffness(values.data());
    Stiffness shear = whole;
    shear.modulus = whole.shear;
    time = std::min(
        time, std::max(steps * stability_bound(whole, undamped), part * stability_bound(shear, undamped)));
  }
  return Settings{}.dt_safety * time;
}

template <class S>
Setup<S> set_up(const Scene& scene, const std::vector<Column>& method_columns, State<S>& state) {
  Setup<S> setup{scene, scene.colliders, &best_instruction_set(), {}, {}, fading_time(scene)};
  if (scene.domain && scene.domain->shear_rate)
    for (const Collider& plate : shear_plates(*scene.domain)) setup.colliders.push_back(plate);
  const Settings& settings = scene.settings;
  const BlockSpace space = space_of(scene);
  state.particles = ParticleStore<S>(space, stencil_offset(settings.kernel));
  state.tally.impacts.resize(setup.colliders.size());
  for (std::size_t m = 0; m < scene.materials.size(); ++m) {
    MaterialBinding<S> binding = bind<S>(scene.materials[m], *setup.isa);
    const ModelInfo& info = models()[std::size_t(binding.model)];
    const int g =
        state.particles.add_group(int(m), method_columns, info.columns_for(binding.parameters.data()));
    if (const Column* weak = state.particles.groups()[std::size_t(g)].find("weak"))
      binding.weak_array = weak->first;
    setup.materials.push_back(std::move(binding));
  }
  for (std::size_t e = 0; e < scene.emitters.size(); ++e) {
    const int group = group_of(scene, scene.emitters[e].material);
    setup.nozzles.push_back({EmitterPlan(scene.emitters[e], space, settings.seed, e), group,
                             setup.materials[std::size_t(group)].stiffness.density});
    state.emitters.emplace_back();
  }
  setup.meshes = body_surfaces(scene);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) add_body(setup, b, state);
  if (state.particles.sort()) throw SceneError("a body lies farther away than the grid can count");
  state.needs_sort = false;
  if (settings.volume_init == VolumeInit::estimated) {
    estimate_volumes(settings.kernel, state.particles);
    lower_densities(state, setup.materials);
  }
  return setup;
}

template Setup<float> set_up(const Scene&, const std::vector<Column>&, State<float>&);
template Setup<double> set_up(const Scene&, const std::vector<Column>&, State<double>&);

}  // namespace dollop
