#include "materials/registry.h"

#include <dollop/scene.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "materials/material_list.h"

namespace dollop {
namespace {

template <class R>
int components_of(const R&) {
  return 1;
}
template <class R>
int components_of(const SymMat3<R>&) {
  return 6;
}

template <class Model>
ModelInfo describe() {
  ModelInfo info{Model::name, Model::help, {}, {}, {}, nullptr};
  const Model model;
  const auto add = [&](const Parameter<Model>& p) {
    info.parameters.push_back({p.name, p.unit, p.help, model.*(p.value), p.range.low, p.range.high,
                               p.range.low_open, p.range.high_open});
  };
  std::apply([&](const auto&... p) { (add(p), ...); }, Model::parameters);
  if constexpr (requires { Model::presets; })
    for (const Preset& preset : Model::presets) {
      info.presets.push_back({preset.name, preset.help, preset.source, {}});
      for (const auto& [parameter, value] : preset.values)
        if (parameter) info.presets.back().parameters[parameter] = value;
    }
  typename Model::template State<double> state{};
  int first = 0;
  Model::template State<double>::columns(state, [&](const char* name, const auto& column) {
    info.columns.push_back({name, components_of(column), first});
    first += components_of(column);
  });
  info.stiffness = [](const double* values) {
    Model m;
    std::apply([&](const auto&... p) { ((void)(m.*(p.value) = *values++), ...); }, Model::parameters);
    double viscosity = 0;
    if constexpr (requires { m.explicit_viscosity(); }) viscosity = m.explicit_viscosity();
    return Stiffness{m.density, std::max(3 * m.moduli().bulk(), 2 * m.moduli().shear), viscosity};
  };
  return info;
}

template <std::size_t... I>
std::vector<ModelInfo> describe_all(std::index_sequence<I...>) {
  return {describe<std::tuple_element_t<I, MaterialList>>()...};
}

int edit_distance(const std::string& a, const std::string& b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = std::exchange(row[0], int(i));
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int cost = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = std::exchange(row[j], cost);
    }
  }
  return row.back();
}

}  // namespace

const std::vector<ModelInfo>& models() {
  static const std::vector<ModelInfo> all =
      describe_all(std::make_index_sequence<std::size_t(material_count)>{});
  return all;
}

int find_model(const std::string& name) {
  for (std::size_t i = 0; i < models().size(); ++i)
    if (models()[i].name == name) return int(i);
  return -1;
}

FoundPreset find_preset(const std::string& name) {
  for (const ModelInfo& model : models())
    for (const PresetInfo& preset : model.presets)
      if (preset.name == name) return {&model, &preset};
  return {};
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const ModelInfo& model : models()) names.push_back(model.name);
  return names;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const ModelInfo& model : models())
    for (const PresetInfo& preset : model.presets) names.push_back(preset.name);
  return names;
}

std::map<std::string, double> with_preset(const PresetInfo& preset,
                                          const std::map<std::string, double>& given) {
  std::map<std::string, double> values = preset.parameters;
  if (given.count("shear_modulus") || given.count("bulk_modulus"))
    values.erase("young_modulus"), values.erase("poisson_ratio");
  for (const auto& [name, value] : given) values[name] = value;
  return values;
}

std::string nearest_name(const std::string& word, const std::vector<std::string>& known) {
  std::string best;
  int least = 1 + int(word.size()) / 3;  // farther than this is another word
  for (const auto& candidate : known)
    if (const int d = edit_distance(word, candidate); d <= least) least = d - 1, best = candidate;
  return best;
}

std::vector<double> resolve_parameters(const ModelInfo& model, const std::map<std::string, double>& given) {
  std::map<std::string, double> values = given;
  std::vector<std::string> known;
  for (const auto& p : model.parameters) known.push_back(p.name);
  const auto knows = [&](const char* name) { return std::count(known.begin(), known.end(), name) > 0; };

  // the second way to give the elastic moduli                                                         (EL.2)
  if (knows("young_modulus") && (values.count("shear_modulus") || values.count("bulk_modulus"))) {
    if (values.count("young_modulus") || values.count("poisson_ratio"))
      throw SceneError(
          "give young_modulus and poisson_ratio or shear_modulus and bulk_modulus, not both pairs");
    if (!values.count("shear_modulus") || !values.count("bulk_modulus"))
      throw SceneError("shear_modulus and bulk_modulus must be given together");
    const double g = values["shear_modulus"], k = values["bulk_modulus"];
    if (!(g > 0) || !(k > 0)) throw SceneError("shear_modulus and bulk_modulus must be positive");
    values.erase("shear_modulus"), values.erase("bulk_modulus");
    values["young_modulus"] = 9 * k * g / (3 * k + g);
    values["poisson_ratio"] = (3 * k - 2 * g) / (2 * (3 * k + g));
  }
  std::vector<double> result;
  for (const auto& p : model.parameters) {
    const auto it = values.find(p.name);
    const double v = it == values.end() ? p.default_value : it->second;
    const bool low = p.low_open ? v > p.low : v >= p.low, high = p.high_open ? v < p.high : v <= p.high;
    if (!std::isfinite(v) || !low || !high)
      throw SceneError(fmt::format("'{}' of {} is {}, which is out of range", p.name, model.name, v));
    result.push_back(v);
    if (it != values.end()) values.erase(it);
  }
  if (!values.empty()) {
    const std::string& name = values.begin()->first;
    known.insert(known.end(), {"shear_modulus", "bulk_modulus"});
    const std::string near = nearest_name(name, known);
    throw SceneError(fmt::format("'{}' is not a parameter of {}{}", name, model.name,
                                 near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  return result;
}

}  // namespace dollop
