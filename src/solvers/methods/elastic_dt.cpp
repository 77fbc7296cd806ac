#include "solvers/methods/elastic_dt.h"

#include <algorithm>
#include <limits>

#include "solvers/setup/stability_bound.h"

namespace dollop {

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
  for (const Material* material : used_materials(scene)) {
    const int model = find_model(material->model);
    if (model < 0) continue;
    const ModelInfo& info = models()[std::size_t(model)];
    const auto values = resolve_parameters(info, material->parameters);
    dt = std::min(dt,
                  scene.settings.dt_safety * stability_bound(info.stiffness(values.data()), scene.settings));
  }
  return dt;
}

template double elastic_dt(const Setup<float>&, const State<float>&);
template double elastic_dt(const Setup<double>&, const State<double>&);

}  // namespace dollop
