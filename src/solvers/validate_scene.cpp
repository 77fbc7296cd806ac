#include <fmt/format.h>

#include <cmath>
#include <set>

#include "boundary/shape_distance.h"
#include "boundary/shape_validate.h"
#include "solvers/runner.h"

namespace dollop {
namespace {

void check(bool holds, const std::string& message) {
  if (!holds) throw SceneError(message);
}

bool finite(const Double3& a) { return std::isfinite(a[0]) && std::isfinite(a[1]) && std::isfinite(a[2]); }

void validate_settings(const Settings& s) {
  const auto in = [](double a, double low, double high) { return a >= low && a <= high; };
  check(std::isfinite(s.cell_size) && s.cell_size > 0,
        fmt::format("cell_size must be positive, it is {}", s.cell_size));
  check(in(s.flip_ratio, 0, 1), fmt::format("flip_ratio must be in [0, 1], it is {}", s.flip_ratio));
  check(in(s.rpic_damping, 0, 1), fmt::format("rpic_damping must be in [0, 1], it is {}", s.rpic_damping));
  check(s.dt_safety > 0 && s.dt_safety <= 1,
        fmt::format("dt_safety must be in (0, 1], it is {}", s.dt_safety));
  check(s.cfl > 0 && s.cfl <= 1, fmt::format("cfl must be in (0, 1], it is {}", s.cfl));
  check(s.max_dt > 0, fmt::format("max_dt must be positive, it is {}", s.max_dt));
  check(s.min_dt >= 0 && s.min_dt < s.max_dt,
        fmt::format("min_dt must be in [0, max_dt), it is {}", s.min_dt));
  check(finite(s.gravity), "gravity must be finite");
  check(s.threads >= 0, fmt::format("threads must not be negative, it is {}", s.threads));
}

void validate_domain(const Domain& domain, double cell_size) {
  for (std::size_t d = 0; d < 3; ++d) {
    const double cells = (domain.max[d] - domain.min[d]) / cell_size;
    check(cells > 0, "domain.max must be larger than domain.min on every axis");
    if (!domain.periodic[d]) continue;
    check(std::fabs(cells / 4 - std::round(cells / 4)) < 1e-6 * cells && cells >= 4 - 1e-6,
          fmt::format("a periodic axis must be a multiple of 4 cells long; axis {} has {} cells", "xyz"[d],
                      cells));
  }
}

}  // namespace

void validate_scene(const Scene& scene) {
  validate_settings(scene.settings);
  if (scene.domain) validate_domain(*scene.domain, scene.settings.cell_size);
  std::set<std::string> names;
  for (const Material& m : scene.materials) {
    check(names.insert(m.name).second, fmt::format("there are two materials named '{}'", m.name));
    const int model = find_model(m.model);
    std::vector<std::string> known;
    for (const ModelInfo& info : models()) known.push_back(info.name);
    const std::string near = nearest_name(m.model, known);
    check(model >= 0, fmt::format("material '{}': '{}' is not a model{}", m.name, m.model,
                                  near.empty() ? "" : "; did you mean '" + near + "'?"));
    resolve_parameters(models()[std::size_t(model)], m.parameters);
  }
  for (const Body& b : scene.bodies) {
    check(names.count(b.material),
          fmt::format("a body is made of '{}', which is not a material of the scene", b.material));
    const std::string fault = validate(b.shape);
    check(fault.empty(), "body: " + fault);
    const Bounds box = bounds(b.shape);
    check(finite(box.min) && finite(box.max), "body: its shape is not bounded");
    check(b.particles_per_cell > 0 && b.particles_per_cell <= 1000,
          fmt::format("particles_per_cell must be in (0, 1000], it is {}", b.particles_per_cell));
    check(finite(b.velocity) && finite(b.angular_velocity), "body: velocity must be finite");
  }
  for (const Collider& c : scene.colliders) {
    const std::string fault = validate(c);
    check(fault.empty(), fmt::format("collider '{}': {}", c.name, fault));
  }
}

}  // namespace dollop
