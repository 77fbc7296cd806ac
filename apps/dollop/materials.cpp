// dollop materials: the models and their parameters.
#include <dollop/scene.h>
#include <fmt/core.h>

#include "commands.h"
#include "materials/registry.h"

namespace dollop {
namespace {

std::string range_of(const ParameterInfo& p) {
  if (p.low == 0 && p.high >= 1e300) return p.low_open ? "> 0" : ">= 0";
  return fmt::format("{}{}, {}{}", p.low_open ? "(" : "[", p.low, p.high, p.high_open ? ")" : "]");
}

void show(const ModelInfo& model) {
  fmt::print("{}\n  {}\n", model.name, model.help);
  for (const ParameterInfo& p : model.parameters)
    fmt::print("  {:16} {:>8} {:8} {:10} {}\n", p.name, p.default_value, p.unit, range_of(p), p.help);
  fmt::print("\n");
}

}  // namespace

void add_materials(CLI::App& app, int& status) {
  auto* materials = app.add_subcommand("materials", "list models, parameters, units, ranges and defaults");
  auto name = std::make_shared<std::string>();
  materials->add_option("NAME", *name, "only this model");
  materials->callback([name, &status] {
    if (!name->empty() && find_model(*name) < 0) {
      std::vector<std::string> known;
      for (const ModelInfo& m : models()) known.push_back(m.name);
      const std::string near = nearest_name(*name, known);
      throw SceneError(
          fmt::format("'{}' is not a model{}", *name, near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
    for (const ModelInfo& model : models())
      if (name->empty() || *name == model.name) show(model);
    status = exit_fine;
  });
}

}  // namespace dollop
