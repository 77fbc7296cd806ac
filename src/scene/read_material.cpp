// [materials.NAME]: a model or a preset of one, and parameters.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

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
  if (given) choice.model = &models()[std::size_t(find_model(reader.word(model, given->value)))];
  if (const Entry* named = entry.value.find("preset")) {
    Key preset;
    preset.name = "preset", preset.words = preset_names();
    const FoundPreset found = find_preset(reader.word(preset, named->value));
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

const ListKey* find_list(std::size_t model, const std::string& name) {
  for (const ListKey& list : material_lists(model))
    if (list.name == name) return &list;
  return nullptr;
}

std::vector<std::string> names_of(std::size_t model) {
  std::vector<std::string> names = material_section(model).names();
  for (const ListKey& list : material_lists(model)) names.push_back(list.name);
  return names;
}

[[noreturn]] void unknown_parameter(const Reader& reader, std::size_t model, const Entry& given) {
  std::string hint = suggestion(given.key, names_of(model));
  std::vector<std::string> owners;
  for (std::size_t i = 0; i < models().size(); ++i)
    if (material_section(i).find(given.key) || find_list(i, given.key)) owners.push_back(models()[i].name);
  if (hint.empty() && !owners.empty()) hint = fmt::format("; it is one of {}", fmt::join(owners, " and of "));
  if (hint.empty()) hint = fmt::format("; these are {}", listed(names_of(model)));
  reader.fail(given.at,
              fmt::format("'{}' is not a parameter of {}{}", shown(given.key), models()[model].name, hint));
}

// reads one item of a list: text with a unit as for the parameter's own key, or a plain number in the list's unit
double read_item(const Reader& reader, const ListKey& list, const ListItem& item, const Node& node) {
  if (item.unit.empty() || node.is(Node::Kind::text)) return reader.number(item.key, node);
  Key plain = item.key;
  plain.range = any_number;
  const double number = reader.number(plain, node), value = number * item.scale;
  if (!item.key.range.contains(value))
    reader.fail(node.at, fmt::format("'{}' of '{}' must be {} {}, it is {}", item.key.name, list.name,
                                     range_text(item.plain), item.unit, number));
  return value;
}

void read_list(const Reader& reader, const ListKey& list, const Entry& material, const Entry& given,
               std::map<std::string, double>& parameters) {
  const std::vector<std::string> members = list.members();
  for (const std::string& member : members)
    if (const Entry* other = material.value.find(member))
      reader.fail(other->at.override_number < 0 ? given.at : other->at,
                  fmt::format("give {} or {}, not both", list.name, member));
  const Node& node = given.value;
  if (!node.is(Node::Kind::array))
    reader.fail(node.at, fmt::format("'{}' must be a list of {}, got {}", list.name, fmt::join(members, ", "),
                                     name_of(node.kind)));
  if (node.items.size() != members.size())
    reader.fail(node.at, fmt::format("'{}' must have {} values, {}; it has {}", list.name, members.size(),
                                     fmt::join(members, ", "), node.items.size()));
  for (std::size_t i = 0; i < members.size(); ++i)
    parameters[members[i]] = read_item(reader, list, list.items[i], node.items[i]);
}

// The power n of a unit Pa s^n as text: flow_index or power, as given, of the preset, or the default of power.
std::string power_of_time(const Choice& choice, const std::map<std::string, double>& given,
                          const std::string& parameter) {
  const auto values = choice.preset ? with_preset(*choice.model, *choice.preset, given) : given;
  for (const char* name : {"flow_index", "power"})
    if (const auto it = values.find(name); it != values.end()) return fmt::format("{}", it->second);
  for (const ParameterInfo& p : choice.model->parameters)
    if (p.name == "power" && parameter == "viscosity") return fmt::format("{}", p.default_value);
  return "n";
}

// If a parameter belongs to an alternative set: the first key of that set that is given, preferably by the command line.
// Otherwise null.
const Entry* first_of_set(const Entry& material, const ModelInfo& model, const std::string& parameter) {
  for (const AlternativeInfo& set : model.alternatives) {
    const auto is_it = [&](const ParameterInfo& p) { return p.name == parameter; };
    if (std::none_of(set.others.begin(), set.others.end(), is_it)) continue;
    const Entry* first = nullptr;
    for (const ParameterInfo& p : set.others)
      if (const Entry* given = material.value.find(p.name))
        if (!first || (first->at.override_number < 0 && given->at.override_number >= 0)) first = given;
    if (first) return first;
  }
  return nullptr;
}

// The position at which a message names a parameter, with '_' or blanks between its words, and not within a longer name.
std::size_t find_name(const std::string& message, const std::string& name) {
  const auto same = [](char a, char b) { return a == b || (a == ' ' && b == '_'); };
  const auto is_of_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (auto from = message.begin();;) {
    const auto it = std::search(from, message.end(), name.begin(), name.end(), same);
    if (it == message.end()) return std::string::npos;
    const auto end = it + std::ptrdiff_t(name.size());
    if ((it == message.begin() || !is_of_name(it[-1])) && (end == message.end() || !is_of_name(*end)))
      return std::size_t(it - message.begin());
    from = it + 1;
  }
}

// The location for an error about several parameters: that of the given key which the message names first, directly or
// as a member of a list. A second colon, after that of the model's name, begins a reason: keys named there do not count.
Location place_of(const Entry& material, std::size_t model, const SceneError& error) {
  if (const Entry* given = first_of_set(material, models()[model], error.where)) return given->at;
  std::string message = error.what();
  message.resize(std::min(message.size(), message.find(": ", models()[model].name.size() + 2)));
  std::size_t first = std::string::npos;
  Location at = material.at;
  for (const Entry& given : material.value.entries) {
    const ListKey* list = find_list(model, given.key);
    for (const std::string& name : list ? list->members() : std::vector{given.key})
      if (const std::size_t place = find_name(message, name); place < first) first = place, at = given.at;
  }
  return at;
}

}  // namespace

Material read_material(const Reader& reader, const Entry& entry) {
  if (!entry.value.is(Node::Kind::table))
    reader.fail(entry.value.at, fmt::format("material '{}' must be a table, got {}", shown(entry.key),
                                            name_of(entry.value.kind)));
  const Choice choice = read_choice(reader, entry);
  const ModelInfo& model = *choice.model;
  const std::size_t index = std::size_t(find_model(model.name));
  const Section& section = material_section(index);
  Material given;
  std::vector<const Entry*> consistencies;  // read last: their unit depends on a power given beside them
  for (const Entry& parameter : entry.value.entries) {
    if (parameter.key == "model" || parameter.key == "preset") continue;
    if (const ListKey* list = find_list(index, parameter.key)) {
      read_list(reader, *list, entry, parameter, given.parameters);
      continue;
    }
    const Key* key = section.find(parameter.key);
    if (!key) unknown_parameter(reader, index, parameter);
    if (key->unit == "Pa s^n")
      consistencies.push_back(&parameter);
    else
      reader.read_key(*key, parameter, &given);
  }
  for (const Entry* parameter : consistencies) {
    Key key = *section.find(parameter->key);
    key.unit = "Pa s^" + power_of_time(choice, given.parameters, key.name);
    reader.read_key(key, *parameter, &given);
  }
  if (choice.preset) given.parameters = with_preset(model, *choice.preset, given.parameters);

  // each key is in range by now, so errors are about parameters together
  std::vector<double> values;
  try {
    values = resolve_parameters(model, given.parameters);
  } catch (const SceneError& error) {
    reader.fail(place_of(entry, index, error), error.what());
  }
  Material material{entry.key, model.name, {}, given.look, given.color, given.optical_depth};
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != model.parameters[i].default_value)
      material.parameters[model.parameters[i].name] = values[i];
  return material;
}

}  // namespace dollop
