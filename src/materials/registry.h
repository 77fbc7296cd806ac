// The models of material_list.h as data: for scenes, documentation, benchmarks and the solvers' set-up.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "core/column.h"
#include "core/nearest_name.h"
#include "materials/parameter_info.h"

namespace dollop {

// Parameters that may be given instead of some of the model's own.
struct AlternativeInfo {
  std::vector<std::string> own;
  std::vector<ParameterInfo> others;  // as many
  void (*to_own)(const double* others, double* own);
  void (*from_own)(const double* own, double* others);
};

// Parameters that may be given as one list.
struct ParameterListInfo {
  std::string name, help;
  std::string angle_unit;  // of plain numbers that are angles
  std::vector<std::string> members;
};

// The material constants that limit the time step of an explicit method.                               (DT.1)
struct Stiffness {
  double density;    // [kg/m^3]
  double modulus;    // largest eigenvalue of the elastic tangent: 3 K or 2 mu, whichever is larger [Pa]
  double viscosity;  // of stresses that are explicit in the velocity gradient [Pa s]
  double shear = 0;  // eigenvalue of the elastic tangent on shear, 2 mu [Pa]
  double longest_step = std::numeric_limits<double>::infinity();  // that the law itself bears [s]
};

struct PresetInfo {
  std::string name, help, source;
  std::map<std::string, double> parameters;  // the model's own
};

// The rule by which torn particles are removed from the simulation.                                  (TEAR.8)
struct Removal {
  double ratio = 0;  // 0: no removal
  double size = 0;   // [cells^2]
};

struct ModelInfo {
  std::string name, help;
  std::string look;  // in pictures, one of looks.h
  std::vector<ParameterInfo> parameters;
  std::vector<AlternativeInfo> alternatives;
  std::vector<ParameterListInfo> lists;
  std::vector<PresetInfo> presets;
  std::vector<Column> columns;          // of the model's state
  std::vector<Column> tearing_columns;  // of a material that tears: the model's columns and those of tearing
  bool symmetric_tangent = false;  // of the stress after a step; implicit solvers may rely on the symmetry
  int branches = 0;                // of its stress, that ADMM solves for; 0: it does not fit ADMM
  bool has_potential = false;      // whether the forces of a step derive from a potential; not where it tears
  Stiffness (*stiffness)(const double* parameters);
  std::string (*fault)(const double* parameters);  // of parameters that are each in range; empty: none
  std::string (*implicit_fault)(
      const double* parameters);  // why they do not fit implicit solvers; empty: they do
  bool (*tears)(const double* parameters);
  Removal (*removal)(const double* parameters);

  const std::vector<Column>& columns_for(const double* values) const {
    return tears(values) ? tearing_columns : columns;
  }
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

// The parameters of a preset of a model, overridden by those given. Where some of an alternative set are given, the
// preset fills in the rest of that set.
std::map<std::string, double> with_preset(const ModelInfo& model, const PresetInfo& preset,
                                          const std::map<std::string, double>& given);

// Values of all parameters of a model, in its order: defaults overridden by name. Some may be given by an alternative
// set, such as shear_modulus and bulk_modulus instead of young_modulus and poisson_ratio. Throws SceneError for an
// unknown name, a value out of range, a mix of two sets or a set that is not complete; its `where` is then a parameter of
// that set.
std::vector<double> resolve_parameters(const ModelInfo& model, const std::map<std::string, double>& given);

}  // namespace dollop
