// [materials.NAME]: a model or a preset of one, and parameters.
#include <fmt/format.h>

#include <algorithm>

#include "materials/registry.h"
#include "scene/read_scene.h"

namespace dollop {
namespace {

struct Choice {
  const ModelInfo* model = nullptr;
  const PresetInfo* preset = nullptr;
};

Choice read_choice(const Reader& reader, const Entry& entry) {
  Choice choice;
  Key model;
  model.name = "model", model.words = model_names();
  const Entry* given = entry.value.find("model");
  if (given) choice.model = &models()[reader.word(model, given->value)];
  if (const Entry* named = entry.value.find("preset")) {
    Key preset;
    preset.name = "preset", preset.words = preset_names();
    const FoundPreset found = find_preset(preset.words[reader.word(preset, named->value)]);
    if (choice.model && choice.model != found.model)
      reader.fail(named->value.at,
                  fmt::format("'{}' is a preset of {}, not of {}; change the model or the preset",
                              found.preset->name, found.model->name, choice.model->name));
    choice = {found.model, found.preset};
  }
  if (!choice.model) {
    for (const Entry& key : entry.value.entries)
      if (const std::string near = nearest_name(key.key, {"model", "preset"}); !near.empty())
        reader.fail(key.at,
                    fmt::format("'{}' is not a key of a material; did you mean '{}'?", shown(key.key), near));
    reader.fail(entry.at, fmt::format("material '{}' needs a model or a preset; models are {}",
                                      shown(entry.key), listed(model_names())));
  }
  return choice;
}

[[noreturn]] void unknown_parameter(const Reader& reader, const Section& section, const ModelInfo& model,
                                    const Entry& given) {
  std::string hint = suggestion(given.key, section.names());
  for (std::size_t i = 0; hint.empty() && i < models().size(); ++i)
    if (material_section(i).find(given.key)) hint = fmt::format("; it is one of {}", models()[i].name);
  if (hint.empty()) hint = fmt::format("; these are {}", listed(section.names()));
  reader.fail(given.at, fmt::format("'{}' is not a parameter of {}{}", shown(given.key), model.name, hint));
}

// the first key given of the alternative set that a parameter belongs to; else the material itself
Location place_of_set(const Entry& material, const ModelInfo& model, const std::string& parameter) {
  for (const AlternativeInfo& set : model.alternatives) {
    const auto is_it = [&](const ParameterInfo& p) { return p.name == parameter; };
    if (std::none_of(set.others.begin(), set.others.end(), is_it)) continue;
    for (const ParameterInfo& p : set.others)
      if (const Entry* given = material.value.find(p.name)) return given->at;
  }
  return material.at;
}

}  // namespace

Material read_material(const Reader& reader, const Entry& entry) {
  if (!entry.value.is(Node::Kind::table))
    reader.fail(entry.value.at, fmt::format("material '{}' must be a table, got {}", shown(entry.key),
                                            name_of(entry.value.kind)));
  const Choice choice = read_choice(reader, entry);
  const ModelInfo& model = *choice.model;
  const Section& section = material_section(std::size_t(find_model(model.name)));
  Material given;
  for (const Entry& parameter : entry.value.entries) {
    if (parameter.key == "model" || parameter.key == "preset") continue;
    const Key* key = section.find(parameter.key);
    if (!key) unknown_parameter(reader, section, model, parameter);
    reader.read_key(*key, parameter, &given);
  }
  if (choice.preset) given.parameters = with_preset(model, *choice.preset, given.parameters);

  // what is wrong here is about alternative sets: keys one by one are in range
  std::vector<double> values;
  try {
    values = resolve_parameters(model, given.parameters);
  } catch (const SceneError& error) {
    reader.fail(place_of_set(entry, model, error.where), error.what());
  }
  Material material{entry.key, model.name, {}, given.look, given.color};
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != model.parameters[i].default_value)
      material.parameters[model.parameters[i].name] = values[i];
  return material;
}

}  // namespace dollop
