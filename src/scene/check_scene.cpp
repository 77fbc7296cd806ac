// Checks of keys in relation to each other. Each names the key to blame.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "boundary/shape_validate.h"
#include "materials/registry.h"
#include "particles/space_limits.h"
#include "scene/expectations.h"
#include "scene/read_scene.h"

namespace dollop {
namespace {

class SceneCheck {
 public:
  SceneCheck(const Document& document, const Scene& scene) : document_(document), scene_(scene) {}

  void run() {
    check_materials();
    check_domain();
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) check_body(i);
    std::set<std::string> names;
    for (std::size_t i = 0; i < scene_.emitters.size(); ++i)
      check_name(scene_.emitters[i].name, fmt::format("emitters[{}].name", i), "emitter", names),
          check_emitter(i);
    names.clear();
    for (std::size_t i = 0; i < scene_.colliders.size(); ++i)
      check_name(scene_.colliders[i].name, fmt::format("colliders[{}].name", i), "collider", names),
          check_collider(i);
    names.clear();
    for (std::size_t i = 0; i < scene_.gauges.size(); ++i)
      check_name(scene_.gauges[i].name, fmt::format("gauges[{}].name", i), "gauge", names), check_gauge(i);
    check_camera();
    check_attributes();
  }

 private:
  void require(bool holds, const std::string& key, const std::string& message) const {
    if (!holds) document_.fail(document_.locate(key, true), message);
  }

  static bool is_plain_name(const std::string& name) { return quoted_key(name) == name && name.size() <= 64; }

  void check_materials() const {
    for (const Material& material : scene_.materials)
      if (!is_plain_name(material.name)) {
        const Node& table = document_.root.find("materials")->value;
        document_.fail(
            table.find(material.name)->at,
            fmt::format("the name '{}' must be letters, digits, '_' and '-'", shown(material.name)));
      }
  }

  // `names`: those given so far
  void check_name(const std::string& name, const std::string& key, const char* what,
                  std::set<std::string>& names) const {
    if (name.empty()) return;
    require(is_plain_name(name), key,
            fmt::format("the name '{}' must be letters, digits, '_' and '-'", shown(name)));
    require(names.insert(name).second, key, fmt::format("there are two {}s named '{}'", what, name));
  }

  void check_material_of(const std::string& material, const std::string& key) const {
    std::vector<std::string> known;
    for (const Material& m : scene_.materials) known.push_back(m.name);
    if (std::find(known.begin(), known.end(), material) != known.end()) return;
    std::string hint = suggestion(material, known);
    if (hint.empty())
      hint = known.empty() ? fmt::format("; add [materials.{}]", is_plain_name(material) ? material : "NAME")
                           : fmt::format("; there is {}", listed(known));
    require(false, key, fmt::format("there is no material '{}'{}", shown(material), hint));
  }

  void check_domain() const {
    if (!scene_.domain) return;
    const Domain& domain = *scene_.domain;
    for (std::size_t d = 0; d < 3; ++d) {
      const char axis = "xyz"[d];
      require(domain.max[d] > domain.min[d], "domain.max",
              fmt::format("the domain must have max above min on every axis; {} is from {} to {}", axis,
                          domain.min[d], domain.max[d]));
      const double cells = (domain.max[d] - domain.min[d]) / scene_.settings.cell_size;
      require(cells <= max_domain_cells, "domain.max",
              fmt::format(
                  "the domain is {:.3g} cells long along {}, and the grid holds {:.3g}; make it smaller or "
                  "cell_size larger; space needs no [domain] but for periodic axes and shear",
                  cells, axis, max_domain_cells));
      const double nearest = 4 * std::max(1.0, std::round(cells / 4));
      require(
          !domain.periodic[d] || std::fabs(cells - nearest) < 1e-6 * cells, "domain.max",
          fmt::format(
              "the periodic axis {} must be a multiple of 4 cells long, it has {:.6g} cells; make it {} m "
              "long, or change cell_size",
              axis, cells, nearest * scene_.settings.cell_size));
    }
  }

  void check_body(std::size_t i) const {
    const std::string key = fmt::format("bodies[{}]", i);
    check_material_of(scene_.bodies[i].material, key + ".material");
    for (std::size_t k = 0; k < scene_.bodies[i].layers.size(); ++k)
      check_material_of(scene_.bodies[i].layers[k].material, fmt::format("{}.layers[{}].material", key, k));
    const std::string fault = validate_body_shape(scene_.bodies[i].shape);
    require(fault.empty(), key + ".shape", "the shape of a body: " + fault);
  }

  void check_emitter(std::size_t i) const {
    const Emitter& emitter = scene_.emitters[i];
    const std::string key = fmt::format("emitters[{}]", i);
    check_material_of(emitter.material, key + ".material");
    const std::string fault = validate_emitter_shape(emitter.shape);
    require(fault.empty(), key + ".shape", "the shape of an emitter: " + fault);
    const Placed* placed = std::get_if<Placed>(&emitter.shape.form);
    const bool disc = std::holds_alternative<Disc>(placed ? placed->shape->form : emitter.shape.form);
    const Double3& v = emitter.direction;
    require(disc || v[0] * v[0] + v[1] * v[1] + v[2] * v[2] > 1e-60, key + ".direction",
            "this emitter needs a direction, such as direction = [0, -1, 0]; only a disc has one of its own");
    check_times(emitter, key);
  }

  template <class T>
  void check_times(const T& object, const std::string& key) const {
    require(object.until > object.from, key + ".until",
            fmt::format("'until' must be after 'from', which is {} s", object.from));
  }

  void check_collider(std::size_t i) const {
    if (scene_.domain && scene_.domain->shear_rate)
      for (const char* plate : shear_plates)
        require(scene_.colliders[i].name != plate, fmt::format("colliders[{}].name", i),
                fmt::format("'{}' is the name of a plate of [domain], which has a shear_rate; choose another",
                            plate));
    const std::string key = fmt::format("colliders[{}]", i);
    check_times(scene_.colliders[i], key);
    const std::string fault = validate(scene_.colliders[i]);
    if (fault.empty()) return;
    // blame the key that the message names, otherwise the shape: plain numbers were checked when they were read
    for (const char* name : {"position", "rotation", "velocity", "friction"})
      require(fault.find(name) == std::string::npos, key + (name[0] == 'f' ? "." : ".motion.") + name, fault);
    require(false, key + ".shape", fault);
  }

  void check_gauge(std::size_t i) const {
    const Gauge& gauge = scene_.gauges[i];
    const std::string key = fmt::format("gauges[{}]", i);
    require(!gauge.name.empty(), key + ".name", "a gauge needs a name");
    if (!gauge.material.empty()) check_material_of(gauge.material, key + ".material");
    const std::string fault = gauge.shape ? validate_solid(*gauge.shape) : "";
    require(fault.empty(), key + ".shape", "the shape of a gauge: " + fault);
  }

  void check_camera() const {
    if (!scene_.camera) return;
    double square = 0;  // of the distance
    for (std::size_t d = 0; d < 3; ++d)
      square += std::pow(scene_.camera->target[d] - scene_.camera->eye[d], 2);
    require(square > 1e-60, "camera.target",
            "the camera looks nowhere: 'target' is the place of 'eye'; move one of them");
  }

  void check_attributes() const {
    std::vector<std::string> known{"velocity", "id", "mass", "volume", "J", "stress", "stretch", "material"};
    for (const Material& material : scene_.materials) {
      const ModelInfo& model = models()[std::size_t(find_model(material.model))];
      for (const Column& column : model.columns_for(resolve_parameters(model, material.parameters).data()))
        if (std::find(known.begin(), known.end(), column.name) == known.end())
          known.emplace_back(column.name);
    }
    for (std::size_t i = 0; i < scene_.output.attributes.size(); ++i) {
      const std::string& name = scene_.output.attributes[i];
      const std::string hint = suggestion(name, known);
      require(std::find(known.begin(), known.end(), name) != known.end(),
              fmt::format("output.attributes[{}]", i),
              fmt::format("'{}' is not an attribute of these materials{}", shown(name),
                          hint.empty() ? "; there are " + listed(known) : hint));
    }
  }

  const Document& document_;
  const Scene& scene_;
};

}  // namespace

void check_scene(const Document& document, const Scene& scene) { SceneCheck(document, scene).run(); }

}  // namespace dollop
