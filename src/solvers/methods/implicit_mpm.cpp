#include "solvers/methods/implicit_mpm.h"

#include <algorithm>
#include <limits>

#include "solvers/methods/elastic_dt.h"

namespace dollop {
namespace {

// whether the material's forces derive from a potential if they may, and whether its tangent is then symmetric
struct Forces {
  bool derived, symmetric;
};
Forces forces_of(const ModelInfo& model, bool tears, bool derived) {
  const bool has_potential = derived && model.has_potential && !tears;
  return {has_potential, has_potential || (model.symmetric_tangent && !tears)};
}

}  // namespace

template <class S>
std::vector<Column> columns(const ImplicitMpm<S>&, const Settings& settings) {
  return carried_columns(settings);
}

template <class S>
void make_loops_ready(const Setup<S>& setup, const State<S>& state, StepForces forces, ImplicitMpm<S>& mpm) {
  const Settings& settings = setup.settings();
  choose_loops(setup, true, mpm.explicit_mpm.grid);
  update_lists(state, mpm.explicit_mpm.grid);
  mpm.kernels = setup.loops().implicit(settings.kernel, settings.forces);
  mpm.symmetric = mpm.has_potential = true;
  for (const MaterialBinding<S>& material : setup.materials) {
    const Forces chosen = forces_of(models()[std::size_t(material.model)], material.tears(),
                                    forces == StepForces::of_potential);
    mpm.materials.push_back(setup.loops().implicit_material(
        material.model, material.tears(), chosen.derived ? StepForces::of_potential : StepForces::of_state));
    mpm.symmetric = mpm.symmetric && chosen.symmetric;
    mpm.has_potential = mpm.has_potential && chosen.derived;
  }
}

template <class S>
StepLimits step_limits(const ImplicitMpm<S>&, const Setup<S>& setup, const State<S>& state) {
  return {std::numeric_limits<double>::infinity(), elastic_dt(setup, state)};
}

template <class S>
std::size_t bytes(const ImplicitMpm<S>& mpm) {
  std::size_t sum = bytes(mpm.explicit_mpm) + mpm.krylov.bytes() + mpm.preconditioner.bytes();
  for (const AlignedArray<S>* a :
       {&mpm.velocity, &mpm.residual, &mpm.change, &mpm.trial, &mpm.trial_residual, &mpm.work})
    sum += a->bytes();
  for (const AlignedArray<S>& a : mpm.tangents) sum += a.bytes();
  return sum;
}

bool symmetric_tangents(const Scene& scene, bool derived) {
  return std::all_of(scene.materials.begin(), scene.materials.end(), [&](const Material& material) {
    const int model = find_model(material.model);
    if (model < 0) return true;
    const ModelInfo& info = models()[std::size_t(model)];
    return forces_of(info, info.tears(resolve_parameters(info, material.parameters).data()), derived)
        .symmetric;
  });
}

// Tangents, fields and the vectors of the linear solver. The estimate assumes 0.3 nodes per particle at eight particles
// per cell: large blocks have 0.2, flat or scattered bodies have more.
template <class S>
double expected_bytes(const ImplicitMpm<S>& mpm, const Scene& scene, double particles_per_cell,
                      double krylov_vectors) {
  const double nodes = 0.3 * (8 / particles_per_cell);
  return expected_bytes(mpm.explicit_mpm, scene, particles_per_cell) +
         double(sizeof(S)) * (1.05 * tangent_reals + 4 * nodes * (7 + krylov_vectors));
}

template <class S>
void after_restore(const State<S>& state, ImplicitMpm<S>& mpm) {
  after_restore(state, mpm.explicit_mpm);
}

#define DOLLOP_INSTANTIATE(S)                                                                    \
  template std::vector<Column> columns(const ImplicitMpm<S>&, const Settings&);                  \
  template void make_loops_ready(const Setup<S>&, const State<S>&, StepForces, ImplicitMpm<S>&); \
  template StepLimits step_limits(const ImplicitMpm<S>&, const Setup<S>&, const State<S>&);      \
  template std::size_t bytes(const ImplicitMpm<S>&);                                             \
  template double expected_bytes(const ImplicitMpm<S>&, const Scene&, double, double);           \
  template void after_restore(const State<S>&, ImplicitMpm<S>&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
