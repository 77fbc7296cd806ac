#include "scene/read_scene.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/input_file.h"
#include "scene/expectations.h"
#include "scene/overrides.h"
#include "scene/writer.h"
#include "solvers/frame/method_info.h"

namespace dollop {
namespace {

using Kind = Node::Kind;

constexpr std::size_t largest_text = 16 << 20;  // bytes, far more than anyone writes by hand

// Whether [simulation] exists only because overrides set some of its keys, while required ones are missing: then the
// error is that the file has no [simulation], not the override.
bool only_overrides_begin(const Entry& simulation) {
  if (simulation.at.override_number < 0 || !simulation.value.is(Kind::table)) return false;
  for (const Key& key : simulation_section().keys)
    if (key.required && !simulation.value.find(key.name)) return true;
  return false;
}

void check_top_level(const Document& document) {
  std::vector<std::string> known{"title", "materials", "expect", "variants"};
  for (const Part& part : parts()) known.emplace_back(part.name);
  for (const Entry& entry : document.root.entries)
    if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
      std::string hint = suggestion(entry.key, known);
      for (const Part& part : parts())
        if (hint.empty() && part.section().find(entry.key))
          hint = fmt::format("; '{}' belongs in {}", entry.key, label_of(part));
      if (hint.empty()) hint = fmt::format("; these are {}", listed(known));
      document.fail(entry.at, fmt::format("'{}' is not a part of a scene{}", shown(entry.key), hint));
    }
  const Entry* simulation = document.root.find("simulation");
  if (simulation && !only_overrides_begin(*simulation)) return;
  document.fail({}, document.root.entries.empty()
                        ? "the scene is empty; it needs [simulation] with duration and cell_size"
                        : "[simulation] is missing; it needs duration and cell_size");
}

// Reads one table, such as [simulation]; without it the object stays as it is.
void read_single(const Reader& reader, const Document& document, const Part& part, void* object) {
  if (const Entry* entry = document.root.find(part.name))
    reader.read_table(part.section(), label_of(part), *entry, object);
}

// Reads a list of tables, such as [[bodies]].
template <class T>
std::vector<T> read_list(const Reader& reader, const Document& document, const Part& part) {
  std::vector<T> result;
  const Entry* entry = document.root.find(part.name);
  if (!entry) return result;
  if (!entry->value.is(Kind::array))
    reader.fail(entry->at, fmt::format("write {} with two brackets: there may be several", label_of(part)));
  for (const Node& item : entry->value.items) {
    result.emplace_back();
    reader.read_table(part.section(), label_of(part), {part.name, item.at, item}, &result.back());
  }
  return result;
}

void read_materials(const Reader& reader, const Document& document, Scene& scene) {
  const Entry* entry = document.root.find("materials");
  if (!entry) return;
  if (!entry->value.is(Kind::table))
    reader.fail(entry->at, "write [materials.NAME], one table for each material");
  for (const Entry& material : entry->value.entries)
    scene.materials.push_back(read_material(reader, material));
}

void read_domain(const Reader& reader, const Document& document, const SimulationTable& simulation,
                 Scene& scene) {
  if (document.root.find("domain")) {
    scene.domain.emplace();
    read_single(reader, document, parts()[1], &*scene.domain);
  } else if (!simulation.periodic.empty()) {
    reader.fail(document.locate("simulation.periodic", true),
                "'periodic' needs a [domain] with min and max: the box that repeats");
  }
  for (const std::string& axis : simulation.periodic)
    scene.domain->periodic[std::size_t(axis[0] - 'x')] = true;
}

std::string read_title(const Reader& reader, const Document& document) {
  const Entry* title = document.root.find("title");
  if (!title) return "";
  Key key;
  key.name = "title";
  return reader.text(key, title->value);
}

// removes settings of methods that equal their defaults
void drop_defaults(Settings& settings) {
  for (const MethodInfo& method : methods()) {
    const auto given = settings.methods.find(method.name);
    if (given == settings.methods.end()) continue;
    for (const ParameterInfo& p : method.settings)
      std::erase_if(given->second, [&](const auto& setting) {
        return setting.first == p.name && setting.second == p.default_value;
      });
    if (given->second.empty()) settings.methods.erase(given);
  }
}

// Names of files are relative to the folder of the scene.
void find_files(const Document& document, std::vector<Body>& bodies) {
  const std::filesystem::path folder = std::filesystem::path(document.path).parent_path();
  for (Body& body : bodies)
    if (!body.surface_mesh.empty() && body.surface_mesh != "shape")
      body.surface_mesh = std::filesystem::absolute(folder / body.surface_mesh).lexically_normal().string();
}

Scene read_parts(Reader& reader, const Document& document) {
  Scene scene;
  scene.title = read_title(reader, document);
  check_top_level(document);
  SimulationTable simulation;
  read_single(reader, document, parts()[0], &simulation);
  drop_defaults(simulation);
  scene.settings = simulation;
  reader.default_voxel_size = simulation.cell_size / 2;
  read_domain(reader, document, simulation, scene);
  read_materials(reader, document, scene);
  scene.bodies = read_list<Body>(reader, document, parts()[2]);
  find_files(document, scene.bodies);
  scene.emitters = read_list<Emitter>(reader, document, parts()[3]);
  scene.colliders = read_list<Collider>(reader, document, parts()[4]);
  scene.gauges = read_list<Gauge>(reader, document, parts()[5]);
  if (document.root.find("camera")) {
    scene.camera.emplace();
    read_single(reader, document, parts()[6], &*scene.camera);
  }
  read_single(reader, document, parts()[7], &scene.output);
  check_scene(document, scene);
  if (const Entry* expect = document.root.find("expect")) {
    if (!expect->value.is(Kind::table)) reader.fail(expect->at, "write [expect], a table of metrics");
    scene.expectations = read_expectations(reader, expect->value, scene);
    for (const Expectation& e : scene.expectations)
      scene.output.survey = scene.output.survey || needs_survey(e.metric);
  }
  return scene;
}

void collect_positions(const Node& node, const std::string& path,
                       std::map<std::string, SourcePosition>& positions) {
  const auto add = [&](const std::string& key, const Location& at) {
    if (at.override_number < 0) positions[key] = {at.line, at.column};
  };
  for (const Entry& entry : node.entries) {
    const std::string key = path + (path.empty() ? "" : ".") + quoted_key(entry.key);
    add(key, entry.at);
    collect_positions(entry.value, key, positions);
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string key = fmt::format("{}[{}]", path, i);
    add(key, node.items[i].at);
    collect_positions(node.items[i], key, positions);
  }
}

bool has_only_materials(const Document& document) {
  for (const Entry& entry : document.root.entries)
    if (entry.key != "materials" && entry.key != "title") return false;
  return document.root.find("materials") != nullptr;
}

std::string read_text(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw SceneError(fmt::format("{}: error: this is a folder; name a scene file", path.string()));
  try {
    return read_input_file(path, largest_text);
  } catch (const UnreadableFile& e) {
    throw SceneError(fmt::format("{}: error: the scene file {}", path.string(), e.what()));
  }
}

void parse_document(Document& document) {
  if (document.text.size() > largest_text)
    throw SceneError(fmt::format("{}: error: the file is too large", document.path));
  try {
    document.root = parse_toml(document.text);
  } catch (const Fault& fault) {
    document.fail(fault.at, fault.message);
  }
  apply_variant(document);
  for (std::size_t i = 0; i < document.overrides.size(); ++i) apply_override(document, int(i));
}

}  // namespace

SceneFile parse_scene(const std::string& text, const std::filesystem::path& path,
                      const std::vector<std::string>& overrides, const MeshLoader& load) {
  Document document{path.string(), text, overrides, {}};
  parse_document(document);
  Reader reader(document, path.parent_path(), load);
  SceneFile file{path.string(), text, read_parts(reader, document), {}, {}};
  collect_positions(document.root, "", file.positions);
  // the checks that scenes made in memory go through too, with the position of the key to blame
  try {
    validate_scene(file.scene);
  } catch (const SceneError& error) {
    document.fail(document.locate(error.where, false), error.what());
  }
  file.resolved = write_scene(file.scene);
  return file;
}

SceneFile parse_scene(const std::string& text, const std::filesystem::path& path,
                      const std::vector<std::string>& overrides) {
  return parse_scene(text, path, overrides, load_mesh);
}

SceneFile read_scene(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  return parse_scene(read_text(path), path, overrides);
}

std::vector<Material> read_materials(const std::filesystem::path& path,
                                     const std::vector<std::string>& overrides) {
  Document document{path.string(), read_text(path), overrides, {}};
  parse_document(document);
  if (!has_only_materials(document)) return parse_scene(document.text, path, overrides).scene.materials;
  const Reader reader(document, path.parent_path(), load_mesh);
  Scene scene;
  scene.title = read_title(reader, document);
  read_materials(reader, document, scene);
  check_scene(document, scene);
  return scene.materials;
}

}  // namespace dollop
