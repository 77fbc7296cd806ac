// docs/materials.md, from the registry of models.
#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "materials/registry.h"
#include "scene/describe.h"
#include "scene/writer.h"

namespace dollop {
namespace {

const char* const introduction = R"md(# Materials

<!-- This page is generated from the models of src/materials. -->

A material of a scene is a model with its parameters, or a preset with parameters that override it:

```toml
[materials.ball]
preset = "soft-rubber"

[materials.dough]
model = "von-mises"
density = "1100 kg/m^3"
young_modulus = "80 kPa"
yield_stress = "0.9 kPa"
```

Elastic moduli are given as `young_modulus` and `poisson_ratio`, or as `shear_modulus` and `bulk_modulus`, not as a
mixture. The stiffer and the lighter a material, the smaller the time step: it goes with the square root of density over
modulus, see [theory/time_step.md](theory/time_step.md). `dollop materials` prints this page's tables in the terminal.
How to add a model: [adding-a-material.md](adding-a-material.md).

Presets are starting points for pictures and first tests. Each says where its numbers come from, and an estimate is called
one: it has the right magnitude but stands on no cited measurement. Measure your own material where it matters.
)md";

std::string word_list(const ParameterInfo& p) {
  std::vector<std::string> words;
  for (const std::string& word : p.words) words.push_back("`" + word + "`");
  return fmt::format("{}", fmt::join(words, " "));
}

// angles are easier to read in degrees
constexpr double degrees = 180 / std::numbers::pi;
bool is_angle(const ParameterInfo& p) { return p.unit == "rad"; }

std::string range_of(const ParameterInfo& p) { return p.words.empty() ? shown_range(p) : word_list(p); }

// the table has a column for units of SI
std::string value_text(const ParameterInfo& p, double value) {
  const ShownValue shown = shown_value(p, value);
  return is_angle(p) && value != 0 ? shown.text + " " + shown.unit : shown.text;
}

std::string presets_text(const ModelInfo& model) {
  // a column for each parameter that some preset changes
  std::vector<std::vector<double>> values;
  for (const PresetInfo& preset : model.presets)
    values.push_back(resolve_parameters(model, preset.parameters));
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < model.parameters.size(); ++i)
    if (std::any_of(values.begin(), values.end(),
                    [&](const auto& v) { return v[i] != model.parameters[i].default_value; }))
      changed.push_back(i);
  std::string text = "\n| preset | what it is |";
  for (const std::size_t i : changed) text += fmt::format(" {} |", model.parameters[i].name);
  text += " source |\n|---|---|";
  for (std::size_t i = 0; i < changed.size(); ++i) text += "---|";
  text += "---|\n";
  for (std::size_t k = 0; k < values.size(); ++k) {
    const PresetInfo& preset = model.presets[k];
    text += fmt::format("| `{}` | {} |", preset.name, preset.help);
    for (const std::size_t i : changed)
      text += fmt::format(" {} |", value_text(model.parameters[i], values[k][i]));
    text += fmt::format(" {} |\n", preset.source);
  }
  return text;
}

std::string model_text(const ModelInfo& model) {
  std::string text = fmt::format("\n## `{}`\n\n{}\n\n", model.name, model.help);
  text += "| parameter | unit | range | default | meaning |\n|---|---|---|---|---|\n";
  for (const ParameterInfo& p : model.parameters)
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", p.name, p.unit, range_of(p),
                        value_text(p, p.default_value), p.help);
  for (const AlternativeInfo& a : model.alternatives) {
    text += fmt::format("\nInstead of `{}`:\n\n| parameter | unit | range | meaning |\n|---|---|---|---|\n",
                        fmt::join(a.own, "`, `"));
    for (const ParameterInfo& p : a.others)
      text += fmt::format("| `{}` | {} | {} | {} |\n", p.name, p.unit, range_of(p), p.help);
  }
  for (const ParameterListInfo& list : model.lists)
    text += fmt::format("\nInstead of `{}`, one list, `{}`: {}.\n", fmt::join(list.members, "`, `"),
                        list.name, list.help);
  return text + (model.presets.empty() ? "" : presets_text(model));
}

}  // namespace

// six digits are enough to read: moduli are converted from others
ShownValue shown_value(const ParameterInfo& p, double value) {
  if (!p.words.empty()) return {p.words.at(std::size_t(value)), ""};
  if (is_angle(p)) return {fmt::format("{:.6g}", value * degrees), "deg"};
  return {fmt::format("{:.6g}", value), p.unit};
}

std::string shown_range(const ParameterInfo& p) {
  const double unit = is_angle(p) ? degrees : 1;
  const std::string text = range_text({p.low * unit, p.high * unit, p.low_open, p.high_open});
  return is_angle(p) && p.high < enormous ? text + " deg" : text;
}

std::string materials_page() {
  std::string text = introduction;
  for (const ModelInfo& model : models()) text += model_text(model);
  return text;
}

}  // namespace dollop
