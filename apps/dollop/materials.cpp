// dollop materials: lists the models, their parameters and presets.
#include <dollop/scene.h>
#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "io/json.h"
#include "materials/registry.h"
#include "scene/describe.h"
#include "scene/writer.h"

namespace dollop {
namespace {

std::string range_of(const ParameterInfo& p) {
  return p.words.empty() ? shown_range(p) : fmt::format("{}", fmt::join(p.words, "|"));
}

// widths of the columns of a model's table
struct Widths {
  std::size_t name = 16, range = 10;
};

Widths widths_of(const ModelInfo& model) {
  Widths w;
  for (const ParameterInfo& p : model.parameters) {
    w.name = std::max(w.name, p.name.size());
    if (p.words.empty()) w.range = std::max(w.range, shown_range(p).size());
  }
  return w;
}

void show_parameter(const ParameterInfo& p, const ShownValue& value, const Widths& w) {
  fmt::print("  {:{}} {:>8} {:8} {:{}} {}\n", p.name, w.name, value.text, value.unit, range_of(p), w.range,
             p.help);
}

std::string with_unit(const ShownValue& value) {
  return value.text + (value.unit.empty() ? "" : " ") + value.unit;
}

// a value as written in a scene: numbers without a unit are in SI
std::string toml_of(const ParameterInfo& p, double value) {
  const ShownValue shown = shown_value(p, value);
  return p.words.empty() && shown.unit == p.unit ? shown.text : quoted(with_unit(shown));
}

std::string values_of(const ModelInfo& model, const PresetInfo& preset) {
  std::string text;
  for (const ParameterInfo& p : model.parameters)
    if (const auto given = preset.parameters.find(p.name); given != preset.parameters.end())
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", p.name, toml_of(p, given->second));
  return text;
}

// the equivalent parameters of the alternative set
std::string same_as(const ModelInfo& model, const AlternativeInfo& a, const std::vector<double>& values) {
  std::vector<double> own, others(a.others.size());
  for (const std::string& name : a.own)
    for (std::size_t i = 0; i < values.size(); ++i)
      if (model.parameters[i].name == name) own.push_back(values[i]);
  a.from_own(own.data(), others.data());
  std::string text;
  for (std::size_t i = 0; i < others.size(); ++i)
    text += fmt::format("{}{} {}", i ? ", " : "", a.others[i].name,
                        with_unit(shown_value(a.others[i], others[i])));
  return "the same as " + text;
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
  const Widths widths = widths_of(model);
  for (const ParameterInfo& p : model.parameters) show_parameter(p, shown_value(p, p.default_value), widths);
  for (const AlternativeInfo& a : model.alternatives) {
    fmt::print("  instead of {}:\n", fmt::join(a.own, ", "));
    for (const ParameterInfo& p : a.others) show_parameter(p, {"", p.unit}, widths);
  }
  for (const ParameterListInfo& list : model.lists)
    fmt::print("  instead of {}:\n  {:{}} {}\n", fmt::join(list.members, ", "), list.name, widths.name,
               list.help);
  fmt::print("  columns for output.attributes: {}", names_of(model.columns));
  if (model.tearing_columns.size() > model.columns.size())
    fmt::print("; if it tears: {}", names_of(model.tearing_columns, model.columns.size()));
  fmt::print("\n");
  for (const PresetInfo& p : model.presets) {
    fmt::print("  preset {:16} {}: {}\n", p.name, p.help, values_of(model, p));
    const std::vector<double> values = resolve_parameters(model, p.parameters);
    for (const AlternativeInfo& a : model.alternatives)
      fmt::print("  {:23} {}\n", "", same_as(model, a, values));
  }
  fmt::print("\n");
}

void show_preset(const FoundPreset& found) {
  fmt::print("{}, a preset of {}\n  {}\n", found.preset->name, found.model->name, found.preset->help);
  const std::vector<double> values = resolve_parameters(*found.model, found.preset->parameters);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const ParameterInfo& p = found.model->parameters[i]; found.preset->parameters.count(p.name))
      fmt::print("  {:16} {}\n", p.name, with_unit(shown_value(p, values[i])));
  for (const AlternativeInfo& a : found.model->alternatives)
    fmt::print("  {}\n", same_as(*found.model, a, values));
  fmt::print("  source: {}\n", found.preset->source);
}

std::string json_list(const std::vector<std::string>& words) {
  std::string items;
  for (const std::string& word : words) items += (items.empty() ? "" : ",") + json_string(word);
  return "[" + items + "]";
}

// numbers are in SI
std::string json_of(const ParameterInfo& p, double value) {
  return p.words.empty() ? json_number(value) : json_string(shown_value(p, value).text);
}

std::string json_range(const ParameterInfo& p) {
  if (!p.words.empty()) return "\"words\":" + json_list(p.words);
  return fmt::format("\"low\":{},\"high\":{}", json_number(p.low),
                     p.high >= 1e300 ? "null" : json_number(p.high));
}

std::string json_of(const ModelInfo& model) {
  std::string parameters, lists, presets;
  for (const ParameterInfo& p : model.parameters)
    parameters += fmt::format("{}{{\"name\":{},\"unit\":{},\"default\":{},{},\"help\":{}}}",
                              parameters.empty() ? "" : ",", json_string(p.name), json_string(p.unit),
                              json_of(p, p.default_value), json_range(p), json_string(p.help));
  for (const ParameterListInfo& list : model.lists) {
    lists += fmt::format("{}{{\"name\":{},\"members\":{},\"angle_unit\":{},\"help\":{}}}",
                         lists.empty() ? "" : ",", json_string(list.name), json_list(list.members),
                         json_string(list.angle_unit), json_string(list.help));
  }
  for (const PresetInfo& p : model.presets) {
    std::string values;
    for (const ParameterInfo& own : model.parameters)
      if (const auto given = p.parameters.find(own.name); given != p.parameters.end())
        values += fmt::format("{}{}:{}", values.empty() ? "" : ",", json_string(own.name),
                              json_of(own, given->second));
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
    const std::string hint = did_you_mean(name, known);
    throw SceneError(fmt::format("dollop: '{}' is neither a model nor a preset{}", name,
                                 hint.empty() ? "; see `dollop materials`" : hint));
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

void add_materials(Command app, int& status) {
  Command materials =
      app.add_command("materials", "list models, parameters with units and ranges, and presets");
  auto name = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  materials.add_option("NAME", *name, "show only this model or preset");
  materials.add_flag("--json", *json, "print one JSON object");
  materials.footer("Examples:\n  dollop materials\n  dollop materials von-mises");
  materials.callback([name, json, &status] {
    list(*name, *json);
    status = exit_fine;
  });
}

}  // namespace dollop
