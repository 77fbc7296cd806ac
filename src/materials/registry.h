// The models of material_list.h as data: for scenes, documentation, benchmarks and the solvers' set-up.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/column.h"

namespace dollop {

struct ParameterInfo {
  std::string name, unit, help;
  double default_value, low, high;
  bool low_open, high_open;
};

// What the time step of an explicit method has to respect.                                            (DT.1)
struct Stiffness {
  double density;    // [kg/m^3]
  double modulus;    // largest eigenvalue of the elastic tangent: 3 K or 2 mu, whichever is larger [Pa]
  double viscosity;  // of stresses that are explicit in the velocity gradient [Pa s]
};

struct PresetInfo {
  std::string name, help, source;
  std::map<std::string, double> parameters;
};

struct ModelInfo {
  std::string name, help;
  std::vector<ParameterInfo> parameters;
  std::vector<PresetInfo> presets;
  std::vector<Column> columns;  // of the model's state
  Stiffness (*stiffness)(const double* parameters);
};

const std::vector<ModelInfo>& models();
int find_model(const std::string& name);  // -1: no such model

// A preset by its name, which no two models share; null: there is none.
struct FoundPreset {
  const ModelInfo* model = nullptr;
  const PresetInfo* preset = nullptr;
};
FoundPreset find_preset(const std::string& name);
std::vector<std::string> model_names();
std::vector<std::string> preset_names();

// The parameters of a preset, overridden by those given. Presets have
// young_modulus and poisson_ratio; the other pair, where given, replaces these.
std::map<std::string, double> with_preset(const PresetInfo& preset,
                                          const std::map<std::string, double>& given);

// Values of all parameters of a model, in its order: defaults overridden by name. Elastic moduli may be given
// as young_modulus and poisson_ratio or as shear_modulus and bulk_modulus. Throws SceneError for an unknown
// name, a value out of range or a mix of the two pairs.
std::vector<double> resolve_parameters(const ModelInfo& model, const std::map<std::string, double>& given);

// the known word that is nearest to a misspelt one; empty if none is near
std::string nearest_name(const std::string& word, const std::vector<std::string>& known);

}  // namespace dollop
