// docs/scene-reference.md, from the tables of keys.
#include <dollop/scene_file.h>
#include <fmt/format.h>

#include "scene/describe.h"
#include "scene/document.h"
#include "scene/expectations.h"
#include "scene/writer.h"

namespace dollop {
namespace {

const char* const introduction = R"md(# Scene files

<!-- This page is generated from the tables of src/scene. -->

A scene is one TOML file. Numbers are in SI units; text may carry a unit instead. A first scene:

```toml
title = "A rubber ball on the floor"

[simulation]
duration = "1 s"
cell_size = "1 cm"

[materials.rubber]
preset = "soft-rubber"

[[bodies]]
material = "rubber"
shape = { sphere = { center = [0, 0.3, 0], radius = "10 cm" } }

[[colliders]]
name = "floor"
shape = { plane = { } }
```

`dollop check scene.toml` reads and checks a scene. Whatever is wrong is shown with its line and column. `dollop schema`
prints a JSON schema for editors. `--set key=value` changes a key for one run: `--set simulation.cell_size="5 mm"`,
`--set bodies[0].velocity=[0,-1,0]`; items of lists are counted from 0. The run's folder keeps the scene with all
defaults, presets and changes written out.

## Values

| type | written as |
|---|---|
| number | `0.003`, or text with a unit: `"3 mm"`. A unit is a product of `m g s min h N Pa bar J W Hz rad deg rev rpm l %` with the prefixes `n u m c k M G`, joined by blanks, `*` or `/`, with powers as in `"9.81 m/s^2"`. Its dimension must be that of the key |
| integer, boolean, text | `8`, `true`, `"foam"` |
| word | text, one of those listed |
| vector | `[0, "3 mm", 0]`: three numbers |
| list | `["bgeo", "vtp"]` |
| animated number | a number, `{ keys = [[0, 1], ["0.5 s", 2]] }` or `{ expression = "0.02*sin(2*pi*3*t)" }` |
| animated vector | a vector, `{ keys = [[0, [0, 0, 0]], [1, [0, 1, 0]]] }`, `{ expression = ["sin(t)", "0", "0"] }`, or three animated numbers |
| shape | a table with the word of the shape: see [Shapes](#shapes) |

Keys are pairs of time and value; times increase. Between keys values run straight, or with `interpolation = "smooth"`
from rest to rest; before the first and after the last key they stay. Expressions are of the time `t` in seconds and give
SI values. They know `+ - * / ^`, comparisons, `a ? b : c`, `sin cos tan exp log sqrt abs min max` and others of
muParser, `pi`, and `clamp(x, low, high)`, `step(edge, x)`, `smoothstep(a, b, x)`, `floor(x)`,
`frac(x)`.
)md";

const char* const variants_text = R"md(
## `[variants.NAME]`

Other values for some keys, used when `dollop run --variant NAME` asks for them: a small version of a shot, say. Tables
are merged; a quoted key may be a path.

```toml
[variants.small]
simulation.cell_size = "6 mm"
"bodies[0].particles_per_cell" = 4
expect."center_of_mass.y" = "> 0.02"
```
)md";

const char* const expect_text = R"md(
## `[expect]`

What the run must show. Each key is a metric, the value one comparison or a list of them:
`OP number [unit] [at TIME | always | sometime | at the end]`, where OP is one of `< <= > >= == !=`, or `~` with a
tolerance. Without a time, the end of the run is meant. `dollop run` prints pass or fail for each and exits with 4 if one fails.

```toml
[expect]
mass_error = "< 1e-6 always"
center_of_mass.y = ["> 2 cm at 0.5 s", "~ 0.1 +- 2 %"]
contact_forces.floor.y = "< 0 N sometime"      # of the collider named floor
contact_forces.floor.torque.z = "< 1 N m"      # about the origin
gauges.below.flow = "~ 0.2 kg/s +- 10 % at 1 s"  # of the gauge named below
```

| metric | unit |
|---|---|
)md";

// a cell of a table must not contain a bar
std::string cell(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

std::string key_row(const Section& section, const Key& key) {
  const ValueKind kind = kind_of(section, key);
  std::string type = kind_text(kind);
  if (!key.words.empty()) {
    std::vector<std::string> words;
    for (const std::string& word : key.words) words.push_back("`" + word + "`");
    type += fmt::format(": {}", fmt::join(words, " "));
  }
  const std::string value = default_text(section, key);
  const bool shown_default = !key.required && !value.empty() && kind != ValueKind::table && value != "\"\"";
  return fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", key.name, cell(type), key.unit,
                     range_text(key.range),
                     key.required    ? "required"
                     : shown_default ? "`" + value + "`"
                                     : "",
                     cell(key.help));
}

std::string key_table(const Section& section) {
  std::string text = "| key | type | unit | range | default | meaning |\n|---|---|---|---|---|---|\n";
  for (const Key& key : section.keys) text += key_row(section, key);
  return text;
}

std::string chapter(const std::string& heading, const Section& section) {
  return fmt::format("\n## {}\n\n{}\n\n{}\n```toml\n{}```\n", heading, section.help, key_table(section),
                     section.example);
}

std::string materials_chapter() {
  return R"md(
## `[materials.NAME]`

A material has a `model`, or a `preset` that implies its model, and parameters of the model that override the preset. Elastic
moduli are `young_modulus` and `poisson_ratio`, or `shear_modulus` and `bulk_modulus`. Some models take several parameters as
one list, in which angles without a unit are in degrees; elsewhere they are in radians, as all plain numbers are in SI. All
models, parameters and presets: [materials.md](materials.md).

```toml
[materials.foam]
preset = "stiff-cream"
yield_stress = "50 Pa"

[materials.sand]
model = "drucker-prager"
hardening = [35, 9, 0.2, 10]                   # or ["35 deg", "9 deg", 0.2, "10 deg"]
fast_friction_angle = "38 deg"
```
)md";
}

std::string shapes_chapter() {
  std::string text =
      "\n## Shapes\n\nA shape is a table with one of these words, and where it is placed. Lengths are in "
      "metres.\n";
  for (const ShapeKind& kind : shape_kinds()) {
    text += fmt::format("\n### `{}`\n\n{}. `{}`\n", kind.word, kind.help, kind.section.example);
    text += kind.form == ShapeKind::Form::set ? "\nIts value is a list of shapes.\n"
                                              : "\n" + key_table(kind.section);
  }
  const Section& placement = placement_section();
  return text + fmt::format("\n### Placement\n\n{}\n\n{}\n```toml\n{}```\n", placement.help,
                            key_table(placement), placement.example);
}

}  // namespace

ValueKind kind_of(const Section& section, const Key& key) {
  const std::shared_ptr<void> object = section.make_default();
  struct Visitor {
    const Key& key;
    ValueKind operator()(double*) const { return key.range.whole ? ValueKind::integer : ValueKind::number; }
    ValueKind operator()(int*) const { return ValueKind::integer; }
    ValueKind operator()(std::uint64_t*) const { return ValueKind::integer; }
    ValueKind operator()(bool*) const { return ValueKind::boolean; }
    ValueKind operator()(std::string*) const { return key.words.empty() ? ValueKind::text : ValueKind::word; }
    ValueKind operator()(Double3*) const { return ValueKind::vector; }
    ValueKind operator()(std::optional<Double3>*) const { return ValueKind::vector; }
    ValueKind operator()(Animated*) const { return ValueKind::animated; }
    ValueKind operator()(std::optional<Animated>*) const { return ValueKind::animated; }
    ValueKind operator()(Animated3*) const { return ValueKind::animated_vector; }
    ValueKind operator()(std::vector<std::string>*) const { return ValueKind::list; }
    ValueKind operator()(Shape*) const { return ValueKind::shape; }
    ValueKind operator()(std::optional<Shape>*) const { return ValueKind::shape; }
    ValueKind operator()(const WordSlot&) const { return ValueKind::word; }
    ValueKind operator()(const TableSlot&) const { return ValueKind::table; }
    ValueKind operator()(const ScaleSlot&) const { return ValueKind::scale; }
    ValueKind operator()(Rotation*) const { return ValueKind::rotation; }
    ValueKind operator()(std::vector<Layer>*) const { return ValueKind::layers; }
  };
  return std::visit(Visitor{key}, key.slot(object.get()));
}

std::string kind_text(ValueKind kind) {
  constexpr const char* names[] = {"number", "integer",          "boolean",          "text",          "word",
                                   "vector", "animated number",  "animated vector",  "list",          "shape",
                                   "table",  "number or vector", "vector or matrix", "list of tables"};
  return names[int(kind)];
}

std::string default_text(const Section& section, const Key& key) {
  if (key.required || kind_of(section, key) == ValueKind::shape) return "";
  if (kind_of(section, key) == ValueKind::rotation) return "[0, 0, 0]";
  const std::shared_ptr<void> object = section.make_default();
  return value_text(key.slot(object.get()), key);
}

std::string scene_reference() {
  std::string text = introduction;
  text += "\n## Top level\n\n`title` is text for reports. Everything else is in the tables below.\n";
  text += chapter("`[simulation]`", simulation_section());
  for (const Key& key : simulation_section().keys)
    if (key.has_header) text += chapter(fmt::format("`[{}]`", key.table->name), *key.table);
  text += chapter("`[domain]`", domain_section());
  text += materials_chapter();
  text += chapter("`[[bodies]]`", body_section());
  text += chapter("`[[emitters]]`", emitter_section());
  text += chapter("`[[colliders]]`", collider_section());
  text += chapter("Motion", motion_section());
  text += chapter("`[[gauges]]`", gauge_section());
  text += chapter("`[camera]`", camera_section());
  text += chapter("`[output]`", output_section());
  text += expect_text;
  const auto row = [](const std::string& owner, const MetricInfo& metric) {
    return fmt::format("| `{}{}`{} | {} |\n", owner, metric.name, metric.is_vector ? " `.x` `.y` `.z`" : "",
                       metric.unit);
  };
  for (const MetricInfo& metric : metrics_known()) text += row("", metric);
  for (const MetricInfo& metric : contact_metrics()) text += row("contact_forces.NAME", metric);
  for (const MetricInfo& metric : gauge_metrics()) text += row("gauges.NAME.", metric);
  return text + variants_text + shapes_chapter();
}

}  // namespace dollop
