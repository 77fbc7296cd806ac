// dollop materials: the models, their parameters and presets.
#include <dollop/scene.h>
#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "io/json.h"
#include "materials/registry.h"

namespace dollop {
namespace {

std::string range_of(const ParameterInfo& p) {
  if (!p.words.empty()) return fmt::format("{}", fmt::join(p.words, "|"));
  if (p.low == 0 && p.high >= 1e300) return p.low_open ? "> 0" : ">= 0";
  return fmt::format("{}{:.6g}, {:.6g}{}", p.low_open ? "(" : "[", p.low, p.high, p.high_open ? ")" : "]");
}

std::string default_of(const ParameterInfo& p) {
  return p.words.empty() ? fmt::format("{:.6g}", p.default_value) : p.words.at(std::size_t(p.default_value));
}

void show_parameter(const ParameterInfo& p, const std::string& value, std::size_t width) {
  fmt::print("  {:{}} {:>8} {:8} {:10} {}\n", p.name, width, value, p.unit, range_of(p), p.help);
}

std::string values_of(const PresetInfo& preset) {
  std::string text;
  for (const auto& [name, value] : preset.parameters)
    text += fmt::format("{}{} = {:.6g}", text.empty() ? "" : ", ", name, value);
  return text;
}

std::string names_of(const std::vector<Column>& columns, std::size_t first = 0) {
  std::string text;
  for (std::size_t i = first; i < columns.size(); ++i)
    text += fmt::format("{}{}{}", i > first ? ", " : "", columns[i].name,
                        columns[i].components > 1 ? fmt::format(" ({})", columns[i].components) : "");
  return text;
}

void show(const ModelInfo& model) {
  fmt::print("{}\n  {}\n", model.name, model.help);
  std::size_t width = 16;
  for (const ParameterInfo& p : model.parameters) width = std::max(width, p.name.size());
  for (const ParameterInfo& p : model.parameters) show_parameter(p, default_of(p), width);
  for (const AlternativeInfo& a : model.alternatives) {
    fmt::print("  instead of {}:\n", fmt::join(a.own, ", "));
    for (const ParameterInfo& p : a.others) show_parameter(p, "", width);
  }
  for (const ParameterListInfo& list : model.lists)
    fmt::print("  instead of {}:\n  {:{}} {}\n", fmt::join(list.members, ", "), list.name, width, list.help);
  fmt::print("  columns for output.attributes: {}", names_of(model.columns));
  if (model.tearing_columns.size() > model.columns.size())
    fmt::print("; if it tears: {}", names_of(model.tearing_columns, model.columns.size()));
  fmt::print("\n");
  for (const PresetInfo& p : model.presets)
    fmt::print("  preset {:16} {}: {}\n", p.name, p.help, values_of(p));
  fmt::print("\n");
}

void show_preset(const FoundPreset& found) {
  fmt::print("{}, a preset of {}\n  {}\n", found.preset->name, found.model->name, found.preset->help);
  const std::vector<double> values = resolve_parameters(*found.model, found.preset->parameters);
  const auto& parameters = found.model->parameters;
  const auto value_of = [&](const std::string& name) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (parameters[i].name == name) return values[i];
    return 0.0;
  };
  for (const ParameterInfo& p : parameters)
    if (found.preset->parameters.count(p.name))
      fmt::print("  {:16} {:.6g} {}\n", p.name, value_of(p.name), p.unit);
  for (const AlternativeInfo& a : found.model->alternatives) {
    std::vector<double> own, others(a.others.size());
    for (const std::string& name : a.own) own.push_back(value_of(name));
    a.from_own(own.data(), others.data());
    std::string text;
    for (std::size_t i = 0; i < others.size(); ++i)
      text += fmt::format("{}{} {:.6g} {}", i ? ", " : "", a.others[i].name, others[i], a.others[i].unit);
    fmt::print("  the same as {}\n", text);
  }
  fmt::print("  source: {}\n", found.preset->source);
}

std::string json_of(const ModelInfo& model) {
  std::string parameters, lists, presets;
  for (const ParameterInfo& p : model.parameters)
    parameters +=
        fmt::format("{}{{\"name\":{},\"unit\":{},\"default\":{},\"low\":{},\"high\":{},\"help\":{}}}",
                    parameters.empty() ? "" : ",", json_string(p.name), json_string(p.unit),
                    p.words.empty() ? json_number(p.default_value) : json_string(default_of(p)),
                    json_number(p.low), p.high >= 1e300 ? "null" : json_number(p.high), json_string(p.help));
  for (const ParameterListInfo& list : model.lists) {
    std::string members;
    for (const std::string& member : list.members)
      members += (members.empty() ? "" : ",") + json_string(member);
    lists += fmt::format("{}{{\"name\":{},\"members\":[{}],\"angle_unit\":{},\"help\":{}}}",
                         lists.empty() ? "" : ",", json_string(list.name), members,
                         json_string(list.angle_unit), json_string(list.help));
  }
  for (const PresetInfo& p : model.presets) {
    std::string values;
    for (const auto& [name, value] : p.parameters)
      values += fmt::format("{}{}:{}", values.empty() ? "" : ",", json_string(name), json_number(value));
    presets += fmt::format("{}{{\"name\":{},\"help\":{},\"source\":{},\"parameters\":{{{}}}}}",
                           presets.empty() ? "" : ",", json_string(p.name), json_string(p.help),
                           json_string(p.source), values);
  }
  return fmt::format("{{\"name\":{},\"help\":{},\"parameters\":[{}],\"lists\":[{}],\"presets\":[{}]}}",
                     json_string(model.name), json_string(model.help), parameters, lists, presets);
}

void list(const std::string& name, bool json) {
  const FoundPreset preset = find_preset(name);
  if (!name.empty() && find_model(name) < 0 && !preset.preset) {
    std::vector<std::string> known = model_names();
    for (const std::string& p : preset_names()) known.push_back(p);
    const std::string near = nearest_name(name, known);
    throw SceneError(
        fmt::format("dollop: '{}' is neither a model nor a preset{}", name,
                    near.empty() ? "; see `dollop materials`" : "; did you mean '" + near + "'?"));
  }
  if (preset.preset && !json) return show_preset(preset);
  std::string objects;
  for (const ModelInfo& model : models())
    if (name.empty() || name == model.name || preset.model == &model) {
      if (!json) show(model);
      objects += (objects.empty() ? "" : ",") + json_of(model);
    }
  if (json) fmt::print("{{\"models\":[{}]}}\n", objects);
}

}  // namespace

void add_materials(CLI::App& app, int& status) {
  auto* materials =
      app.add_subcommand("materials", "list models, parameters with units and ranges, and presets");
  auto name = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  materials->add_option("NAME", *name, "only this model or preset");
  materials->add_flag("--json", *json, "one JSON object");
  materials->footer("Examples:\n  dollop materials\n  dollop materials von-mises");
  materials->callback([name, json, &status] {
    list(*name, *json);
    status = exit_fine;
  });
}

}  // namespace dollop
