#include "materials/registry.h"

#include <dollop/scene.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "materials/branches.h"
#include "materials/looks.h"
#include "materials/material_list.h"
#include "materials/step_potential.h"
#include "materials/tearing.h"

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

AlternativeInfo info_of(const Alternative& a) {
  AlternativeInfo info{{}, {}, a.to_own, a.from_own};
  for (const char* own : a.own)
    if (own) info.own.emplace_back(own);
  for (const AlternativeParameter& p : a.others)
    if (p.name)
      info.others.push_back(
          {p.name, p.unit, p.help, 0, p.range.low, p.range.high, p.range.low_open, p.range.high_open});
  return info;
}

template <class State>
std::vector<Column> columns_of() {
  std::vector<Column> columns;
  State state{};
  int first = 0;
  State::columns(state, [&](const char* name, const auto& column) {
    columns.push_back({name, components_of(column), first});
    first += components_of(column);
  });
  return columns;
}

template <class Model>
TearRule tear_rule(const double* values) {
  return with_parameters<TearRule>(values + std::tuple_size_v<decltype(Model::parameters)>);
}

// a preset in the model's own parameters
template <class Model>
PresetInfo info_of(const Preset& preset, const ModelInfo& model) {
  PresetInfo info{preset.name, preset.help, preset.source, {}};
  for (const auto& [parameter, value] : preset.values)
    if (parameter) info.parameters[parameter] = value;
  for (const AlternativeInfo& a : model.alternatives) {
    if (!info.parameters.count(a.others[0].name)) continue;
    std::vector<double> others, own(a.own.size());
    for (const ParameterInfo& p : a.others) {
      others.push_back(info.parameters.at(p.name));
      info.parameters.erase(p.name);
    }
    a.to_own(others.data(), own.data());
    for (std::size_t i = 0; i < own.size(); ++i) info.parameters[a.own[i]] = own[i];
  }
  return info;
}

template <class Model>
ModelInfo describe() {
  ModelInfo info{};
  info.name = Model::name, info.help = Model::help, info.look = "plain";
  if constexpr (requires { Model::look; }) {
    static_assert(find_look(Model::look).has_value(), "looks.h has no such look");
    info.look = Model::look;
  }
  info.parameters = parameters_of<Model>();
  if constexpr (requires { &Model::young_modulus; }) info.alternatives.push_back(info_of(shear_and_bulk));
  if constexpr (requires { Model::alternatives; })
    for (const Alternative& a : Model::alternatives) info.alternatives.push_back(info_of(a));
  if constexpr (requires { Model::lists; })
    for (const ParameterList& list : Model::lists)
      info.lists.push_back(
          {list.name, list.help, list.angle_unit, {list.members.begin(), list.members.end()}});
  if constexpr (requires { Model::presets; })
    for (const Preset& preset : Model::presets) info.presets.push_back(info_of<Model>(preset, info));
  if constexpr (requires { Model::symmetric_tangent; }) info.symmetric_tangent = Model::symmetric_tangent;
  info.has_potential = HasPotential<Model>;
  info.branches = branches_of<Model>();
  info.columns = columns_of<typename Model::template State<double>>();
  info.stiffness = [](const double* values) {
    const Model m = with_parameters<Model>(values);
    double viscosity = 0;
    if constexpr (requires { m.explicit_viscosity(); }) viscosity = m.explicit_viscosity();
    const double bulk = 3 * m.moduli().bulk(), shear = 2 * m.moduli().shear;
    Stiffness stiffness{m.density, std::max(bulk, shear), viscosity, shear};
    if constexpr (requires { m.longest_step(); }) stiffness.longest_step = m.longest_step();
    return stiffness;
  };
  info.implicit_fault = [](const double* values) {
    std::string fault;
    if constexpr (requires(const Model& m) { m.implicit_fault(); })
      if (const char* reason = with_parameters<Model>(values).implicit_fault()) fault = reason;
    return fault;
  };
  info.fault = [](const double* values) {
    std::string fault;
    if constexpr (requires(const Model& m) { m.fault(); }) fault = with_parameters<Model>(values).fault();
    return fault;
  };
  info.tears = [](const double*) { return false; };
  info.removal = [](const double*) { return Removal{}; };
  if constexpr (CanTear<Model>) {
    for (ParameterInfo& p : parameters_of<TearRule>()) info.parameters.push_back(std::move(p));
    info.tearing_columns = columns_of<typename Tearing<Model>::template State<double>>();
    info.tears = [](const double* values) { return tear_rule<Model>(values).tears(); };
    info.removal = [](const double* values) {
      const TearRule rule = tear_rule<Model>(values);
      return Removal{rule.tears() ? rule.removal_ratio : 0, rule.removal_size};
    };
  }
  return info;
}

template <std::size_t... I>
std::vector<ModelInfo> describe_all(std::index_sequence<I...>) {
  return {describe<std::tuple_element_t<I, MaterialList>>()...};
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

std::map<std::string, double> with_preset(const ModelInfo& model, const PresetInfo& preset,
                                          const std::map<std::string, double>& given) {
  std::map<std::string, double> values = preset.parameters;
  for (const AlternativeInfo& a : model.alternatives) {
    const auto is_given = [&](const ParameterInfo& p) { return given.count(p.name) > 0; };
    if (std::none_of(a.others.begin(), a.others.end(), is_given)) continue;
    // a preset in the model's own parameters fills in the rest of the alternative set
    std::vector<double> own, others(a.others.size());
    for (const std::string& name : a.own)
      if (const auto it = values.find(name); it != values.end()) own.push_back(it->second), values.erase(it);
    if (own.size() < a.own.size()) continue;
    a.from_own(own.data(), others.data());
    for (std::size_t i = 0; i < others.size(); ++i) values[a.others[i].name] = others[i];
  }
  for (const auto& [name, value] : given) values[name] = value;
  return values;
}

bool is_allowed(const ParameterInfo& p, double v) {
  const bool low = p.low_open ? v > p.low : v >= p.low, high = p.high_open ? v < p.high : v <= p.high;
  const bool fits = (p.words.empty() && !p.whole) || v == std::floor(v);
  return (std::isfinite(v) && low && high && fits) || (p.infinite && v > unbounded);
}

namespace {

std::string in_words(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
  return text;
}

void check_value(const ModelInfo& model, const ParameterInfo& p, double v) {
  if (!is_allowed(p, v))
    throw SceneError(fmt::format("'{}' of {} is {}, which is out of range", p.name, model.name, v));
}

// converts values that are given in an alternative set to the model's own parameters
void convert(const ModelInfo& model, const AlternativeInfo& a, std::map<std::string, double>& values) {
  std::vector<std::string> names;
  std::vector<double> others, own(a.own.size());
  std::string given;  // the first of the set
  for (const ParameterInfo& p : a.others) {
    names.push_back(p.name);
    if (const auto it = values.find(p.name); it != values.end()) {
      if (others.empty()) given = p.name;
      others.push_back(it->second);
    }
  }
  if (others.empty()) return;
  for (const std::string& name : a.own)
    if (values.count(name))
      throw SceneError(fmt::format("give {} or {}, not both", in_words(a.own), in_words(names)), given);
  if (others.size() < names.size()) throw SceneError(in_words(names) + " must be given together", given);
  std::vector<std::string> written;
  for (std::size_t i = 0; i < others.size(); ++i) {
    check_value(model, a.others[i], others[i]);
    written.push_back(fmt::format("{} {:.6g}", names[i], others[i]));
    values.erase(names[i]);
  }
  a.to_own(others.data(), own.data());
  for (std::size_t i = 0; i < own.size(); ++i) {
    for (const ParameterInfo& p : model.parameters)
      if (p.name == a.own[i] && !is_allowed(p, own[i]))
        throw SceneError(
            fmt::format("{} mean a {} of {}, which is out of range", in_words(written), p.name, own[i]),
            given);
    values[a.own[i]] = own[i];
  }
}

}  // namespace

std::vector<double> resolve_parameters(const ModelInfo& model, const std::map<std::string, double>& given) {
  std::map<std::string, double> values = given;
  for (const AlternativeInfo& a : model.alternatives) convert(model, a, values);
  std::vector<double> result;
  for (const auto& p : model.parameters) {
    const auto it = values.find(p.name);
    result.push_back(it == values.end() ? p.default_value : it->second);
    check_value(model, p, result.back());
    if (it != values.end()) values.erase(it);
  }
  if (!values.empty()) {
    std::vector<std::string> known;
    for (const auto& p : model.parameters) known.push_back(p.name);
    for (const AlternativeInfo& a : model.alternatives)
      for (const auto& p : a.others) known.push_back(p.name);
    const std::string& name = values.begin()->first;
    const std::string near = nearest_name(name, known);
    throw SceneError(fmt::format("'{}' is not a parameter of {}{}", name, model.name,
                                 near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  if (const std::string fault = model.fault(result.data()); !fault.empty())
    throw SceneError(fmt::format("{}: {}", model.name, fault));
  return result;
}

}  // namespace dollop
