#include <fmt/format.h>

#include <cmath>
#include <set>

#include "boundary/motion.h"
#include "boundary/rigid.h"
#include "boundary/shape_validate.h"
#include "materials/registry.h"
#include "particles/emission.h"
#include "particles/seeding_bricks.h"
#include "particles/space_limits.h"
#include "solvers/frame/method_info.h"
#include "solvers/frame/validate_meshes.h"
#include "solvers/frame/validate_values.h"
#include "solvers/setup/scene_space.h"
#include "solvers/setup/setup.h"

namespace dollop {
namespace {

void check(bool holds, const std::string& message, const std::string& where = {}) {
  if (!holds) throw SceneError(message, where);
}

// rejects unknown methods, and settings of a method that are not allowed
void validate_methods(const Settings& s) {
  const auto check_name = [](const std::string& name, const std::string& where) {
    const std::string near = nearest_name(name, method_names());
    check(find_method(name),
          fmt::format("'{}' is not a method of time integration{}", name,
                      near.empty() ? "" : "; did you mean '" + near + "'?"),
          where);
  };
  check_name(s.solver, "simulation.solver");
  for (const auto& [name, given] : s.methods) {
    check_name(name, "simulation." + name);
    resolve_settings(*find_method(name), given);
  }
}

// damping by round trips needs an affine velocity, and one of its two keys at most
void validate_damping(const Settings& s) {
  const bool by_viscosity = s.damping_viscosity != 0;
  const std::string key = by_viscosity ? "damping_viscosity" : "damping_trips", where = "simulation." + key;
  check(s.damping_trips >= 0 && s.damping_trips <= 1000,
        fmt::format("damping_trips must be from 0 to 1000, it is {}", s.damping_trips),
        "simulation.damping_trips");
  check(std::isfinite(s.damping_viscosity) && s.damping_viscosity >= 0,
        fmt::format("damping_viscosity must be positive, or 0, it is {}", s.damping_viscosity), where);
  if (s.damping_trips == 0 && !by_viscosity) return;
  check(s.damping_trips == 0 || !by_viscosity,
        "damping_trips and damping_viscosity are two ways to say how strong the damping is; leave one of "
        "them out",
        where);
  check(
      carries_affine_velocity(s.transfer),
      fmt::format(
          "{} needs a transfer whose particles carry an affine velocity; write transfer = \"apic\", \"rpic\" "
          "or \"fading\"",
          key),
      where);
}

void validate_settings(const Settings& s) {
  validate_methods(s);
  const auto require = [](bool holds, const char* key, const char* rule, double value) {
    check(holds, fmt::format("{} must be {}, it is {}", key, rule, value), fmt::format("simulation.{}", key));
  };
  const auto positive = [&](const char* key, double value) {
    require(std::isfinite(value) && value > 0, key, "positive", value);
  };
  const auto in = [](double a, double low, double high) { return a >= low && a <= high; };
  positive("cell_size", s.cell_size);
  positive("duration", s.duration);
  positive("frame_rate", s.frame_rate);
  // name the key that is farther from its usual value
  const bool long_run = s.duration / 100 > s.frame_rate / 1e3;
  require(s.duration * s.frame_rate <= 1e7, long_run ? "duration" : "frame_rate",
          "such that there are at most 10 million frames", long_run ? s.duration : s.frame_rate);
  require(in(s.flip_ratio, 0, 1), "flip_ratio", "in [0, 1]", s.flip_ratio);
  require(std::isfinite(s.flip_dt) && s.flip_dt >= 0, "flip_dt", "positive, or 0", s.flip_dt);
  require(std::isfinite(s.fading_time) && s.fading_time >= 0, "fading_time", "positive, or 0", s.fading_time);
  require(s.resample_every >= 0, "resample_every", "at least 0", s.resample_every);
  require(std::isfinite(s.resample_strain) && s.resample_strain >= 0, "resample_strain", "at least 0",
          s.resample_strain);
  require(s.resample_depth >= 0 && s.resample_depth <= 6, "resample_depth", "from 0 to 6", s.resample_depth);
  require(in(s.rpic_damping, 0, 1), "rpic_damping", "in [0, 1]", s.rpic_damping);
  validate_damping(s);
  require(s.dt_safety > 0 && s.dt_safety <= 1, "dt_safety", "in (0, 1]", s.dt_safety);
  require(s.cfl > 0 && s.cfl <= 1, "cfl", "in (0, 1]", s.cfl);
  require(s.max_dt > 0, "max_dt", "positive", s.max_dt);
  require(s.min_dt >= 0 && s.min_dt < s.max_dt, "min_dt", "in [0, max_dt)", s.min_dt);
  require(s.threads >= 0 && s.threads <= 1024, "threads", "from 0 to 1024", s.threads);
  const std::string fault = validate(s.gravity);
  check(fault.empty(), "gravity: " + fault, "simulation.gravity");
}

void validate_domain(const Domain& domain, double cell_size) {
  check(is_finite(domain.min) && is_finite(domain.max), "the domain must be finite", "domain");
  for (std::size_t d = 0; d < 3; ++d) {
    const double cells = (domain.max[d] - domain.min[d]) / cell_size;
    check(cells > 0, "domain.max must be larger than domain.min on every axis", "domain.max");
    check(
        cells <= max_domain_cells,
        fmt::format("the domain is {:.3g} cells long along {}, and the grid holds {:.3g}; make it smaller or "
                    "cell_size larger",
                    cells, "xyz"[d], max_domain_cells),
        "domain.max");
    if (!domain.periodic[d]) continue;
    check(std::fabs(cells / 4 - std::round(cells / 4)) < 1e-6 * cells && cells >= 4 - 1e-6,
          fmt::format(
              "a periodic axis must be a multiple of 4 cells long; axis {} has {} cells: change the domain "
              "or cell_size",
              "xyz"[d], cells),
          "domain.max");
  }
  if (!domain.shear_rate) return;
  const std::string fault = validate(*domain.shear_rate);
  check(fault.empty(), "shear_rate: " + fault, "domain.shear_rate");
}

std::set<std::string> validate_materials(const std::vector<Material>& materials) {
  std::set<std::string> names;
  std::vector<std::string> known;
  for (const ModelInfo& info : models()) known.push_back(info.name);
  for (const Material& m : materials) {
    const std::string where = "materials." + m.name;
    check(names.insert(m.name).second, fmt::format("there are two materials named '{}'", m.name), where);
    const int model = find_model(m.model);
    const std::string near = nearest_name(m.model, known);
    check(model >= 0,
          fmt::format("material '{}': '{}' is not a model{}", m.name, m.model,
                      near.empty() ? "" : "; did you mean '" + near + "'?"),
          where + ".model");
    resolve_parameters(models()[std::size_t(model)], m.parameters);
  }
  return names;
}

// whether the method of the scene can step the materials that are used
void validate_method_of_materials(const Scene& scene) {
  const MethodInfo& method = *find_method(scene.settings.solver);
  for (const Material* material : used_materials(scene)) {
    const ModelInfo& model = models()[std::size_t(find_model(material->model))];
    const std::vector<double> values = resolve_parameters(model, material->parameters);
    const std::string fault = method.is_implicit ? model.implicit_fault(values.data()) : "";
    check(fault.empty(), fmt::format("material '{}': {}", material->name, fault),
          "materials." + material->name);
    check(
        !method.needs_branches || model.branches > 0,
        fmt::format("solver = \"{}\" needs a stress that is a function of principal stretches, and the model "
                    "'{}' of material '{}' does not give one; write solver = \"newton\"",
                    method.name, model.name, material->name),
        "simulation.solver");
    if (!method.needs_potential) continue;
    const bool tears = model.tears(values.data());
    check(model.has_potential && !tears,
          fmt::format(
              "solver = \"{}\" needs forces that derive from a potential, and those of material '{}' ({}) do "
              "not; write solver = \"newton\"",
              method.name, material->name, tears ? model.name + " that tears" : model.name),
          "simulation.solver");
  }
}

void check_density(double particles_per_cell, const std::string& where) {
  check(particles_per_cell > 0 && particles_per_cell <= 1000,
        fmt::format("particles_per_cell must be in (0, 1000], it is {}", particles_per_cell),
        where + ".particles_per_cell");
}

void validate_body(const Body& b, const BlockSpace& space, const std::set<std::string>& materials,
                   const std::string& where) {
  check(materials.count(b.material),
        fmt::format("a body is made of '{}', which is not a material of the scene", b.material),
        where + ".material");
  std::string fault = validate_body_shape(b.shape);
  if (fault.empty()) fault = extent_fault(b.shape, space);
  check(fault.empty(), "body: " + fault, where + ".shape");
  check_density(b.particles_per_cell, where);
  for (std::size_t k = 0; k < b.layers.size(); ++k) {
    const std::string layer = fmt::format("{}.layers[{}]", where, k);
    check(materials.count(b.layers[k].material),
          fmt::format("a layer is made of '{}', which is not a material of the scene", b.layers[k].material),
          layer + ".material");
    check(std::isfinite(b.layers[k].depth) && b.layers[k].depth > (k > 0 ? b.layers[k - 1].depth : 0),
          "depths of layers must increase from the surface inwards", layer + ".depth");
  }
  check(is_finite(b.velocity), "body: velocity must be finite", where + ".velocity");
  check(is_finite(b.angular_velocity), "body: angular_velocity must be finite", where + ".angular_velocity");
}

void validate_emitter(const Emitter& e, const std::set<std::string>& materials, const std::string& where) {
  check(materials.count(e.material),
        fmt::format("an emitter lets out '{}', which is not a material of the scene", e.material),
        where + ".material");
  const std::string shape_fault = validate_emitter_shape(e.shape);
  check(shape_fault.empty(), "emitter: " + shape_fault, where + ".shape");
  check_density(e.particles_per_cell, where);
  const std::string fault = validate(e);
  check(fault.empty(), "emitter: " + fault, where);
}

void validate_gauge(const Gauge& g, const std::set<std::string>& materials, const std::string& where) {
  check(!g.name.empty(), "a gauge needs a name", where);
  check(g.material.empty() || materials.count(g.material),
        fmt::format("a gauge looks at '{}', which is not a material of the scene", g.material),
        where + ".material");
  const std::string fault = g.shape ? validate_solid(*g.shape) : "";
  check(fault.empty(), fmt::format("gauge '{}': {}", g.name, fault), where + ".shape");
  const std::string motion = validate(g.motion);
  check(motion.empty(), fmt::format("gauge '{}': {}", g.name, motion), where + ".motion");
  check(g.shape || is_constant(g.motion), fmt::format("gauge '{}': a motion needs a shape", g.name),
        where + ".motion");
}

}  // namespace

void validate_scene(const Scene& scene) {
  validate_settings(scene.settings);
  if (scene.domain) validate_domain(*scene.domain, scene.settings.cell_size);
  const std::set<std::string> materials = validate_materials(scene.materials);
  const BlockSpace space = space_of(scene);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    validate_body(scene.bodies[i], space, materials, fmt::format("bodies[{}]", i));
  for (std::size_t i = 0; i < scene.emitters.size(); ++i)
    validate_emitter(scene.emitters[i], materials, fmt::format("emitters[{}]", i));
  for (std::size_t i = 0; i < scene.colliders.size(); ++i) {
    const std::string fault = validate(scene.colliders[i]);
    check(fault.empty(), fmt::format("collider '{}': {}", scene.colliders[i].name, fault),
          fmt::format("colliders[{}]", i));
  }
  validate_method_of_materials(scene);
  std::set<std::string> gauges;
  for (std::size_t i = 0; i < scene.gauges.size(); ++i) {
    const std::string where = fmt::format("gauges[{}]", i);
    validate_gauge(scene.gauges[i], materials, where);
    check(gauges.insert(scene.gauges[i].name).second,
          fmt::format("there are two gauges named '{}'", scene.gauges[i].name), where + ".name");
  }
  validate_meshes(scene);
  validate_values(scene);
}

}  // namespace dollop
