// The methods of time integration as data: for scene files, documentation and checks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "materials/parameter_info.h"

namespace dollop {

struct Settings;

struct MethodInfo {
  std::string name;  // the value of `solver` in a scene
  std::string help;
  std::vector<ParameterInfo> settings;  // in the table [simulation.NAME]; empty: the method has none
  bool is_implicit = false;             // it evaluates forces at the end of the step
  bool needs_potential = false;         // of the forces of every material
  bool needs_branches = false;          // of every material, for local steps in principal stretches
};

// every method, in the order of the list in frame/method.h
const std::vector<MethodInfo>& methods();
const MethodInfo* find_method(const std::string& name);  // null: no such method
std::vector<std::string> method_names();

// Values of all settings of a method, in its order: defaults overridden by name. Throws SceneError, with the key in
// `where`, for an unknown name or a value out of range.
std::vector<double> resolve_settings(const MethodInfo& method, const std::map<std::string, double>& given);
std::vector<double> resolve_settings(const MethodInfo& method, const Settings& settings);

}  // namespace dollop
