// docs/materials.md, from the registry of models.
#include <fmt/format.h>

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

// six digits are enough to read: moduli are converted from others
std::string value_text(const ParameterInfo& p, double value) {
  return p.words.empty() ? fmt::format("{:.6g}", value) : p.words.at(std::size_t(value));
}

std::string model_text(const ModelInfo& model) {
  std::string text = fmt::format("\n## `{}`\n\n{}\n\n", model.name, model.help);
  text += "| parameter | unit | range | default | meaning |\n|---|---|---|---|---|\n";
  for (const ParameterInfo& p : model.parameters)
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", p.name, p.unit,
                        p.words.empty() ? range_text({p.low, p.high, p.low_open, p.high_open}) : word_list(p),
                        value_text(p, p.default_value), p.help);
  for (const AlternativeInfo& a : model.alternatives) {
    text += fmt::format("\nInstead of `{}`:\n\n| parameter | unit | range | meaning |\n|---|---|---|---|\n",
                        fmt::join(a.own, "`, `"));
    for (const ParameterInfo& p : a.others)
      text += fmt::format("| `{}` | {} | {} | {} |\n", p.name, p.unit,
                          range_text({p.low, p.high, p.low_open, p.high_open}), p.help);
  }
  if (model.presets.empty()) return text;
  text += "\n| preset | what it is |";
  for (const ParameterInfo& p : model.parameters) text += fmt::format(" {} |", p.name);
  text += " source |\n|---|---|";
  for (std::size_t i = 0; i < model.parameters.size(); ++i) text += "---|";
  text += "---|\n";
  for (const PresetInfo& preset : model.presets) {
    text += fmt::format("| `{}` | {} |", preset.name, preset.help);
    const std::vector<double> values = resolve_parameters(model, preset.parameters);
    for (std::size_t i = 0; i < values.size(); ++i)
      text += fmt::format(" {} |", value_text(model.parameters[i], values[i]));
    text += fmt::format(" {} |\n", preset.source);
  }
  return text;
}

}  // namespace

std::string materials_page() {
  std::string text = introduction;
  for (const ModelInfo& model : models()) text += model_text(model);
  return text;
}

}  // namespace dollop
