#include "solvers/frame/method_info.h"

#include <dollop/scene.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "materials/registry.h"
#include "solvers/frame/method.h"

namespace dollop {

namespace {

template <class Listed>
MethodInfo describe() {
  MethodInfo info{Listed::name, Listed::help, parameters_of<typename Listed::Options>()};
  if constexpr (requires { Listed::is_implicit; }) info.is_implicit = Listed::is_implicit;
  if constexpr (requires { Listed::needs_potential; }) info.needs_potential = Listed::needs_potential;
  if constexpr (requires { Listed::needs_branches; }) info.needs_branches = Listed::needs_branches;
  return info;
}

template <std::size_t... I>
std::vector<MethodInfo> describe_all(std::index_sequence<I...>) {
  return {describe<std::variant_alternative_t<I, Method<double>>>()...};
}

}  // namespace

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> all =
      describe_all(std::make_index_sequence<std::variant_size_v<Method<double>>>{});
  return all;
}

const MethodInfo* find_method(const std::string& name) {
  for (const MethodInfo& method : methods())
    if (method.name == name) return &method;
  return nullptr;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods()) names.push_back(method.name);
  return names;
}

std::vector<double> resolve_settings(const MethodInfo& method, const std::map<std::string, double>& given) {
  const std::string table = "simulation." + method.name;
  std::vector<std::string> known;
  for (const ParameterInfo& p : method.settings) known.push_back(p.name);
  for (const auto& [name, value] : given)
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string near = nearest_name(name, known);
      throw SceneError(fmt::format("'{}' is not a setting of the solver '{}'{}", name, method.name,
                                   near.empty() ? "" : "; did you mean '" + near + "'?"),
                       table + "." + name);
    }
  std::vector<double> values;
  for (const ParameterInfo& p : method.settings) {
    const auto it = given.find(p.name);
    values.push_back(it == given.end() ? p.default_value : it->second);
    if (!is_allowed(p, values.back()))
      throw SceneError(fmt::format("'{}' of [{}] is {}, which is out of range", p.name, table, values.back()),
                       table + "." + p.name);
  }
  return values;
}

std::vector<double> resolve_settings(const MethodInfo& method, const Settings& settings) {
  const auto it = settings.methods.find(method.name);
  return resolve_settings(method,
                          it == settings.methods.end() ? std::map<std::string, double>{} : it->second);
}

}  // namespace dollop
