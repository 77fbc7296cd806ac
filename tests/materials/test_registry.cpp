// The list of models as data, and how parameters given by name become values.
#include "materials/registry.h"

#include <dollop/scene.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "materials/material_list.h"

namespace dollop {
namespace {

const ModelInfo& von_mises() { return models()[std::size_t(find_model("von-mises"))]; }

std::string message_of(const ModelInfo& model, const std::map<std::string, double>& given) {
  try {
    resolve_parameters(model, given);
  } catch (const SceneError& error) {
    return error.what();
  }
  return "";
}
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// the value of a parameter in a resolved list
double value_of(const ModelInfo& model, const std::vector<double>& values, const std::string& name) {
  for (std::size_t i = 0; i < model.parameters.size(); ++i)
    if (model.parameters[i].name == name) return values.at(i);
  ADD_FAILURE() << "no parameter " << name;
  return NAN;
}

// --- models -----------------------------------------------------------------------------------------------

template <class Model>
void expect_described(const ModelInfo& info) {
  EXPECT_EQ(info.name, Model::name);
  EXPECT_EQ(info.help, Model::help);
  EXPECT_EQ(info.parameters.size(), std::tuple_size_v<decltype(Model::parameters)>);
  const Model model;
  std::size_t i = 0;
  std::apply(
      [&](const auto&... p) {
        const auto same = [&](const auto& parameter) {
          const ParameterInfo& found = info.parameters.at(i++);
          EXPECT_EQ(found.name, parameter.name);
          EXPECT_EQ(found.unit, parameter.unit);
          EXPECT_EQ(found.help, parameter.help);
          EXPECT_EQ(found.default_value, model.*(parameter.value));
          EXPECT_EQ(found.low, parameter.range.low);
          EXPECT_EQ(found.high, parameter.range.high);
          EXPECT_EQ(found.low_open, parameter.range.low_open);
          EXPECT_EQ(found.high_open, parameter.range.high_open);
        };
        (same(p), ...);
      },
      Model::parameters);
}

TEST(Registry, lists_every_model_in_order) {
  ASSERT_EQ(int(models().size()), material_count);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (expect_described<std::tuple_element_t<I, MaterialList>>(models()[I]), ...);
  }
  (std::make_index_sequence<std::size_t(material_count)>{});
}

TEST(Registry, finds_models_by_name) {
  for (int i = 0; i < material_count; ++i) EXPECT_EQ(find_model(models()[std::size_t(i)].name), i);
  EXPECT_EQ(find_model("steel"), -1);
  EXPECT_EQ(find_model(""), -1);
}

// columns follow each other without gaps, and the strain is among them
TEST(Registry, columns) {
  for (const ModelInfo& model : models()) {
    int next = 0;
    bool strain = false;
    for (const Column& column : model.columns) {
      EXPECT_EQ(column.first, next) << model.name << " " << column.name;
      EXPECT_TRUE(column.components == 1 || column.components == 6) << model.name << " " << column.name;
      next += column.components;
      strain = strain || (column.name == "strain" && column.components == 6);
    }
    EXPECT_TRUE(strain) << model.name;
  }
  ASSERT_EQ(von_mises().columns.size(), 3u);
  EXPECT_EQ(von_mises().columns[1].name, "kirchhoff");
  EXPECT_EQ(von_mises().columns[2].name, "plastic_strain");
  EXPECT_EQ(von_mises().columns[2].first, 12);
}

// --- parameters -------------------------------------------------------------------------------------------

TEST(Registry, defaults) {
  for (const ModelInfo& model : models()) {
    const std::vector<double> values = resolve_parameters(model, {});
    ASSERT_EQ(values.size(), model.parameters.size());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], model.parameters[i].default_value);
  }
}

TEST(Registry, given_values_override_defaults) {
  const std::vector<double> values =
      resolve_parameters(von_mises(), {{"yield_stress", 77}, {"density", 2200}, {"hardening", 0}});
  EXPECT_EQ(value_of(von_mises(), values, "yield_stress"), 77);
  EXPECT_EQ(value_of(von_mises(), values, "density"), 2200);
  EXPECT_EQ(value_of(von_mises(), values, "hardening"), 0);
  EXPECT_EQ(value_of(von_mises(), values, "young_modulus"), VonMises{}.young_modulus);
  EXPECT_EQ(value_of(von_mises(), values, "poisson_ratio"), VonMises{}.poisson_ratio);
}

TEST(Registry, shear_and_bulk_modulus_equal_young_and_poisson) {
  for (const ModelInfo& model : models())
    for (const double nu : {-0.9, -0.5, 0.0, 0.3, 0.49}) {
      const double young = 3.537e5;
      const Moduli m = moduli_of(young, nu);
      const std::vector<double> values =
          resolve_parameters(model, {{"shear_modulus", m.shear}, {"bulk_modulus", m.bulk()}});
      EXPECT_NEAR(value_of(model, values, "young_modulus"), young, 1e-9 * young) << model.name << nu;
      EXPECT_NEAR(value_of(model, values, "poisson_ratio"), nu, 1e-12) << model.name << nu;
    }
  const Moduli sand = moduli_of(3.537e5, 0.3);
  EXPECT_NEAR(sand.shear, 136038.461538, 1e-6);
  EXPECT_NEAR(sand.lambda, 204057.692308, 1e-6);
}

TEST(Registry, moduli_come_in_whole_pairs) {
  for (const ModelInfo& model : models()) {
    const std::map<std::string, double> pair{{"shear_modulus", 1e5}, {"bulk_modulus", 2e5}};
    EXPECT_EQ(message_of(model, pair), "");
    for (const char* other : {"young_modulus", "poisson_ratio"}) {
      auto both = pair;
      both[other] = 0.3;
      EXPECT_TRUE(contains(message_of(model, both), "not both")) << model.name;
      EXPECT_TRUE(contains(message_of(model, {{"shear_modulus", 1e5}, {other, 0.3}}), "not both"))
          << model.name;
    }
    for (const char* half : {"shear_modulus", "bulk_modulus"}) {
      EXPECT_TRUE(contains(message_of(model, {{half, 1e5}}), "together")) << model.name;
      for (const double bad : {0.0, -1.0, double(NAN)}) {
        auto wrong = pair;
        wrong[half] = bad;
        EXPECT_TRUE(contains(message_of(model, wrong), "positive")) << model.name << bad;
      }
    }
  }
}

TEST(Registry, unknown_names_are_errors_that_help) {
  const std::string misspelt = message_of(von_mises(), {{"yeild_stress", 1e3}});
  EXPECT_TRUE(contains(misspelt, "'yeild_stress'") && contains(misspelt, "did you mean 'yield_stress'"))
      << misspelt;
  EXPECT_TRUE(contains(misspelt, "von-mises")) << misspelt;
  EXPECT_TRUE(contains(message_of(von_mises(), {{"shear_modulos", 1}}), "'shear_modulus'"));
  EXPECT_TRUE(contains(message_of(von_mises(), {{"young", 1}}), "'young'"));
  const std::string strange = message_of(von_mises(), {{"colour", 1}});
  EXPECT_TRUE(contains(strange, "'colour'") && !contains(strange, "did you mean")) << strange;
  // a parameter of another model is unknown here
  const ModelInfo& hencky = models()[std::size_t(find_model("hencky"))];
  EXPECT_TRUE(contains(message_of(hencky, {{"yield_stress", 1e3}}), "'yield_stress'"));
}

TEST(Registry, values_out_of_range_are_errors) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const ModelInfo& model : models())
    for (const ParameterInfo& p : model.parameters) {
      for (const double bad : {double(NAN), inf, -inf, p.low - 1, p.high < 1e200 ? p.high + 1 : inf}) {
        const std::string message = message_of(model, {{p.name, bad}});
        EXPECT_TRUE(contains(message, "'" + p.name + "'")) << model.name << " " << p.name << " " << bad;
      }
      EXPECT_EQ(message_of(model, {{p.name, p.low}}).empty(), !p.low_open) << model.name << " " << p.name;
      EXPECT_EQ(message_of(model, {{p.name, p.high}}).empty(), !p.high_open) << model.name << " " << p.name;
    }
}

TEST(Registry, nearest_name) {
  const std::vector<std::string> known{"density", "young_modulus", "yield_stress"};
  EXPECT_EQ(nearest_name("density", known), "density");
  EXPECT_EQ(nearest_name("densty", known), "density");
  EXPECT_EQ(nearest_name("yuong_modulus", known), "young_modulus");
  EXPECT_EQ(nearest_name("yield_strss", known), "yield_stress");
  EXPECT_EQ(nearest_name("viscosity", known), "");
  // the nearest of several that are near, wherever it stands
  EXPECT_EQ(nearest_name("yield_stres", {"yield_stress", "yield_strain"}), "yield_stress");
  EXPECT_EQ(nearest_name("yield_stres", {"yield_strain", "yield_stress"}), "yield_stress");
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_name("density", {}), "");
}

// --- presets ----------------------------------------------------------------------------------------------

TEST(Registry, presets_have_names_of_their_own_help_and_a_source) {
  const std::vector<std::string> names = preset_names();
  EXPECT_GE(names.size(), 3 * models().size());
  for (const std::string& name : names) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
    EXPECT_EQ(find_model(name), -1) << name;
  }
  for (const ModelInfo& model : models())
    for (const PresetInfo& preset : model.presets) {
      EXPECT_FALSE(preset.help.empty()) << preset.name;
      EXPECT_FALSE(preset.source.empty()) << preset.name;
      EXPECT_EQ(find_preset(preset.name).model, &model);
      EXPECT_EQ(find_preset(preset.name).preset, &preset);
    }
  EXPECT_EQ(find_preset("unobtainium").preset, nullptr);
}

// in range, and with the pair of moduli that overriding relies on
TEST(Registry, presets_are_admissible) {
  for (const ModelInfo& model : models())
    for (const PresetInfo& preset : model.presets) {
      EXPECT_EQ(message_of(model, preset.parameters), "") << preset.name;
      for (const char* name : {"density", "young_modulus", "poisson_ratio"})
        EXPECT_EQ(preset.parameters.count(name), 1u) << preset.name << " " << name;
    }
}

TEST(Registry, given_values_override_a_preset) {
  const FoundPreset lead = find_preset("lead");
  ASSERT_NE(lead.preset, nullptr);
  auto values = with_preset(*lead.preset, {{"yield_stress", 5}});
  EXPECT_EQ(values.at("yield_stress"), 5);
  EXPECT_EQ(values.at("density"), lead.preset->parameters.at("density"));
  values = with_preset(*lead.preset, {{"shear_modulus", 5}, {"bulk_modulus", 7}});
  EXPECT_EQ(values.count("young_modulus"), 0u);
  EXPECT_EQ(values.count("poisson_ratio"), 0u);
  EXPECT_EQ(message_of(*lead.model, values), "");
  EXPECT_TRUE(
      contains(message_of(*lead.model, with_preset(*lead.preset, {{"shear_modulus", 5}})), "together"));
}

TEST(Registry, lists_names_of_models) {
  ASSERT_EQ(model_names().size(), models().size());
  EXPECT_EQ(model_names().front(), models().front().name);
}

// --- stiffness --------------------------------------------------------------------------------------------

TEST(Registry, stiffness_is_the_largest_elastic_eigenvalue) {
  for (const ModelInfo& model : models())
    for (const double nu : {-0.9, -0.5, -0.01, 0.0, 0.3, 0.49}) {
      const std::map<std::string, double> given{
          {"density", 2200}, {"young_modulus", 1e6}, {"poisson_ratio", nu}};
      const Stiffness s = model.stiffness(resolve_parameters(model, given).data());
      const double bulk = 1e6 / (3 * (1 - 2 * nu)), shear = 1e6 / (2 * (1 + nu));
      EXPECT_EQ(s.density, 2200) << model.name;
      EXPECT_NEAR(s.modulus, nu < 0 ? 2 * shear : 3 * bulk, 1e-6 * s.modulus) << model.name << " " << nu;
      EXPECT_GE(s.viscosity, 0) << model.name;
    }
  const Stiffness rubber = models()[0].stiffness(resolve_parameters(models()[0], {}).data());
  EXPECT_EQ(rubber.viscosity, 0);
}

}  // namespace
}  // namespace dollop
