#include "solvers/methods/stability_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dollop {

double stability_bound(const Stiffness& material, double cell_size, Kernel kernel, ForceForm forces,
                       double affine_kept) {
  // stiffness of a lone particle, in 1/cell^2: the part that acts through its affine velocity, D^-1, and the part that
  // kernel gradients add to it at the worst position, max sum w'^2/w - D^-1                            (DT.6)
  const bool cubic = kernel == Kernel::cubic;
  const double affine = cubic ? 3 : 4, sharpest = cubic ? 3.1371 : 6;
  const double rest = forces == ForceForm::mls ? 0 : sharpest - affine;
  const double spread = (2 * rest + 2 * affine / (1 + affine_kept)) / (cell_size * cell_size);
  const double omega2 = spread * material.modulus / material.density;      // elastic frequency squared
  const double rate = spread * 2 * material.viscosity / material.density;  // viscous decay rate
  return 4 / (rate + std::sqrt(rate * rate + 4 * omega2));                 // (DT.3)
}

double stability_bound(const Stiffness& material, const Settings& s) {
  const double kept = s.transfer == Transfer::apic   ? 1
                      : s.transfer == Transfer::rpic ? 1 - s.rpic_damping
                                                     : 0;
  return stability_bound(material, s.cell_size, s.kernel, s.forces, kept);
}

template <class S>
double elastic_dt(const Setup<S>& setup, const State<S>& state) {
  double dt = std::numeric_limits<double>::infinity();
  std::vector<bool> present(setup.materials.size(), false);
  for (std::size_t g = 0; g < present.size(); ++g) present[g] = state.particles.groups()[g].size() > 0;
  for (const Nozzle& nozzle : setup.nozzles) present[std::size_t(nozzle.group)] = true;
  const Settings& s = setup.settings();
  for (std::size_t g = 0; g < present.size(); ++g)
    if (present[g]) dt = std::min(dt, s.dt_safety * stability_bound(setup.materials[g].stiffness, s));
  return dt;
}

double elastic_dt(const Scene& scene) {
  double dt = std::numeric_limits<double>::infinity();
  const auto add = [&](const std::string& name) {
    const Material& material = scene.materials[std::size_t(group_of(scene, name))];
    const int model = find_model(material.model);
    if (model < 0) return;
    const ModelInfo& info = models()[std::size_t(model)];
    const auto values = resolve_parameters(info, material.parameters);
    const double bound = stability_bound(info.stiffness(values.data()), scene.settings);
    dt = std::min(dt, scene.settings.dt_safety * bound);
  };
  for (const Body& body : scene.bodies) {
    add(body.material);
    for (const Layer& layer : body.layers) add(layer.material);
  }
  for (const Emitter& emitter : scene.emitters) add(emitter.material);
  return dt;
}

template double elastic_dt(const Setup<float>&, const State<float>&);
template double elastic_dt(const Setup<double>&, const State<double>&);

}  // namespace dollop
