#include "scene/writer.h"

#include <dollop/scene_file.h>
#include <fmt/format.h>

#include <cmath>

#include "materials/registry.h"
#include "scene/document.h"
#include "scene/keys.h"
#include "solvers/frame/method_info.h"

namespace dollop {
namespace {

std::string joined(const std::vector<std::string>& parts, const char* open, const char* close) {
  return fmt::format("{}{}{}", open, fmt::join(parts, ", "), close);
}

std::string text_of(const Double3& v) {
  return joined({number_text(v[0]), number_text(v[1]), number_text(v[2])}, "[", "]");
}

std::string text_of(const Animated& a) {
  if (a.kind == Animated::Kind::constant) return number_text(a.value);
  if (a.kind == Animated::Kind::expression) return fmt::format("{{ expression = {} }}", quoted(a.expression));
  std::vector<std::string> pairs;
  for (const auto& [time, value] : a.keys)
    pairs.push_back(fmt::format("[{}, {}]", number_text(time), number_text(value)));
  return fmt::format("{{ keys = {}, interpolation = \"{}\" }}", joined(pairs, "[", "]"),
                     a.kind == Animated::Kind::smooth ? "smooth" : "linear");
}

// "key = value" for every key that has a value; not for tables with a header of their own
std::vector<std::string> lines_of(const Section& section, void* object) {
  std::vector<std::string> lines;
  for (const Key& key : section.keys) {
    if (key.has_header) continue;
    const std::string value = value_text(key.slot(object), key);
    if (!value.empty()) lines.push_back(fmt::format("{} = {}", key.name, value));
  }
  return lines;
}

struct ValueText {
  const Key& key;
  std::string operator()(const double* v) const { return std::isfinite(*v) ? number_text(*v) : ""; }
  std::string operator()(const int* v) const { return fmt::format("{}", *v); }
  std::string operator()(const std::uint64_t* v) const { return fmt::format("{}", *v); }
  std::string operator()(const bool* v) const { return *v ? "true" : "false"; }
  std::string operator()(const std::string* v) const {
    return v->empty() && !key.words.empty() ? "" : quoted(*v);  // an empty word means that none was given
  }
  std::string operator()(const Double3* v) const { return text_of(*v); }
  std::string operator()(const std::optional<Double3>* v) const { return *v ? text_of(**v) : ""; }
  std::string operator()(const Animated* v) const { return text_of(*v); }
  std::string operator()(const std::optional<Animated>* v) const { return *v ? text_of(**v) : ""; }
  std::string operator()(const Animated3* v) const {
    return joined({text_of(v->x), text_of(v->y), text_of(v->z)}, "[", "]");
  }
  std::string operator()(const std::vector<std::string>* v) const {
    std::vector<std::string> items;
    for (const std::string& item : *v) items.push_back(quoted(item));
    return joined(items, "[", "]");
  }
  std::string operator()(const Shape* v) const { return shape_text(*v); }
  std::string operator()(const std::optional<Shape>* v) const { return *v ? shape_text(**v) : ""; }
  std::string operator()(const Rotation* v) const {
    return joined({text_of((*v)[0]), text_of((*v)[1]), text_of((*v)[2])}, "[", "]");
  }
  std::string operator()(const WordSlot& v) const { return quoted(v.get()); }
  std::string operator()(const TableSlot& v) const {
    return joined(lines_of(*key.table, v.object), "{ ", " }");
  }
  std::string operator()(const ScaleSlot& v) const { return text_of(*v.value); }
  std::string operator()(std::vector<Layer>* v) const {
    std::vector<std::string> items;
    for (Layer& layer : *v) items.push_back(joined(lines_of(layer_section(), &layer), "{ ", " }"));
    return joined(items, "[", "]");
  }
};

// The part of a shape without its placement: sphere = { ... }
std::string definition_text(const Shape& shape) {
  for (const ShapeKind& kind : shape_kinds()) {
    const void* found = kind.object_of(shape);
    if (!found) continue;
    if (kind.form == ShapeKind::Form::set) {
      std::vector<std::string> items;
      for (const Shape& item : *static_cast<const std::vector<Shape>*>(found))
        items.push_back(shape_text(item));
      return fmt::format("{} = {}", kind.word, joined(items, "[", "]"));
    }
    // slots refer to mutable objects, so that meshes need a table of their own
    MeshTable mesh;
    MeshSequenceTable sequence;
    void* object = const_cast<void*>(found);
    if (kind.form == ShapeKind::Form::mesh) {
      const auto& from = *static_cast<const Mesh*>(found);
      mesh = {from.file, from.voxel_size};
      object = &mesh;
    } else if (kind.form == ShapeKind::Form::mesh_sequence) {
      const auto& from = *static_cast<const MeshSequence*>(found);
      sequence.frame_rate = from.frame_rate, sequence.start = from.start;
      for (const Mesh& frame : from.frames) {
        sequence.files.push_back(frame.file);
        sequence.voxel_size = frame.voxel_size;
      }
      object = &sequence;
    }
    return fmt::format("{} = {}", kind.word, joined(lines_of(kind.section, object), "{ ", " }"));
  }
  // a placed shape inside a placed shape
  return fmt::format("union = [{}]", shape_text(shape));
}

// whether the optical depth is the default of a look that does not use it
bool is_idle(const Material& material) {
  return material.look != "density" && material.optical_depth == Material{}.optical_depth;
}

std::string material_text(const Material& material) {
  const int model = find_model(material.model);
  std::string text =
      fmt::format("\n[materials.{}]\nmodel = {}\n", quoted_key(material.name), quoted(material.model));
  if (model < 0) return text;
  const ModelInfo& info = models()[std::size_t(model)];
  const std::vector<double> values = resolve_parameters(info, material.parameters);
  for (std::size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{} = {}\n", info.parameters[i].name,
                        std::isinf(values[i]) ? quoted("inf")
                        : info.parameters[i].words.empty()
                            ? number_text(values[i])
                            : quoted(info.parameters[i].words.at(std::size_t(values[i]))));
  Material shown = material;
  for (const Key& key : appearance_keys<Material>()) {
    if (key.name == "optical_depth" && is_idle(material)) continue;
    if (const std::string value = value_text(key.slot(&shown), key); !value.empty())
      text += fmt::format("{} = {}\n", key.name, value);
  }
  return text;
}

template <class T>
std::string table_text(const std::string& label, const Section& section, T object) {
  std::string text = fmt::format("\n{}\n{}\n", label, fmt::join(lines_of(section, &object), "\n"));
  for (const Key& key : section.keys)
    if (key.has_header) {
      const TableSlot inner = std::get<TableSlot>(key.slot(&object));
      text +=
          fmt::format("\n[{}]\n{}\n", key.table->name, fmt::join(lines_of(*key.table, inner.object), "\n"));
    }
  return text;
}

// all settings of a method, with their defaults where the scene gives none
std::map<std::string, double> settings_of(const MethodInfo& method, const Settings& settings) {
  const std::vector<double> values = resolve_settings(method, settings);
  std::map<std::string, double> result;
  for (std::size_t i = 0; i < values.size(); ++i) result[method.settings[i].name] = values[i];
  return result;
}

SimulationTable simulation_of(const Scene& scene) {
  SimulationTable table;
  static_cast<Settings&>(table) = scene.settings;
  for (const MethodInfo& method : methods()) table.methods[method.name] = settings_of(method, scene.settings);
  for (std::size_t d = 0; d < 3; ++d)
    if (scene.domain && scene.domain->periodic[d]) table.periodic.emplace_back(1, "xyz"[d]);
  return table;
}

std::string expectations_text(const std::vector<Expectation>& expectations) {
  if (expectations.empty()) return "";
  std::string text = "\n[expect]\n";
  for (std::size_t i = 0; i < expectations.size();) {
    const std::string& metric = expectations[i].metric;
    std::vector<std::string> items;
    for (; i < expectations.size() && expectations[i].metric == metric; ++i)
      items.push_back(quoted(expectations[i].text));
    text += fmt::format("{} = {}\n", quoted_key(metric), joined(items, "[", "]"));
  }
  return text;
}

}  // namespace

std::string number_text(double value) {
  if (value == 0 && std::signbit(value)) return "-0.0";
  return fmt::format("{}", value);
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (byte < 0x20 || byte == 0x7f)
      result += fmt::format("\\u{:04X}", int(byte));
    else
      result += c;
  }
  return result + "\"";
}

std::string value_text(const Slot& slot, const Key& key) { return std::visit(ValueText{key}, slot); }

std::string shape_text(const Shape& shape) {
  const Placed* placed = std::get_if<Placed>(&shape.form);
  if (!placed) return fmt::format("{{ {} }}", definition_text(shape));
  PlacementTable table{placed->translation, placed->scale, placed->rotation};
  return fmt::format("{{ {}, {} }}", placed->shape ? definition_text(*placed->shape) : "union = []",
                     fmt::join(lines_of(placement_section(), &table), ", "));
}

std::string write_scene(const Scene& scene) {
  std::string text = fmt::format("# dollop {}\n", DOLLOP_VERSION);
  text += fmt::format("title = {}\n", quoted(scene.title));
  text += table_text("[simulation]", simulation_section(), simulation_of(scene));
  if (scene.domain) text += table_text("[domain]", domain_section(), *scene.domain);
  for (const Material& material : scene.materials) text += material_text(material);
  for (const Body& body : scene.bodies) text += table_text("[[bodies]]", body_section(), body);
  for (const Emitter& emitter : scene.emitters)
    text += table_text("[[emitters]]", emitter_section(), emitter);
  for (const Collider& collider : scene.colliders)
    text += table_text("[[colliders]]", collider_section(), collider);
  for (const Gauge& gauge : scene.gauges) text += table_text("[[gauges]]", gauge_section(), gauge);
  if (scene.camera) text += table_text("[camera]", camera_section(), *scene.camera);
  text += table_text("[output]", output_section(), scene.output);
  return text + expectations_text(scene.expectations);
}

}  // namespace dollop
