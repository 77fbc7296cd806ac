// The list of models as data, and how parameters given by name become values.
#include "materials/registry.h"

#include <dollop/scene.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "materials/material_list.h"
#include "materials/tearing.h"

namespace dollop {
namespace {

const ModelInfo& von_mises() { return models()[std::size_t(find_model("von-mises"))]; }
const ModelInfo& herschel_bulkley() { return models()[std::size_t(find_model("herschel-bulkley"))]; }

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

// the parameters of a model or of tearing, from the place `i` of the list on
template <class Described>
void expect_parameters(const ModelInfo& info, std::size_t& i) {
  const Described described;
  const auto same = [&](const auto& parameter) {
    const ParameterInfo& found = info.parameters.at(i++);
    EXPECT_EQ(found.name, parameter.name);
    EXPECT_EQ(found.unit, parameter.unit);
    EXPECT_EQ(found.help, parameter.help);
    EXPECT_EQ(found.default_value, described.*(parameter.value));
    EXPECT_EQ(found.low, parameter.range.low);
    EXPECT_EQ(found.high, parameter.range.high);
    EXPECT_EQ(found.low_open, parameter.range.low_open);
    EXPECT_EQ(found.high_open, parameter.range.high_open);
    for (std::size_t word = 0; word < parameter.words.size(); ++word)
      if (parameter.words[word]) {
        EXPECT_EQ(found.words.at(word), parameter.words[word]);
        EXPECT_EQ(parameter.range.high + 1, double(found.words.size()));
      } else {
        EXPECT_GE(word, found.words.size());
      }
  };
  std::apply([&](const auto&... p) { (same(p), ...); }, Described::parameters);
}
template <class Model>
void expect_described(const ModelInfo& info) {
  EXPECT_EQ(info.name, Model::name);
  EXPECT_EQ(info.help, Model::help);
  std::size_t i = 0;
  expect_parameters<Model>(info, i);
  if (CanTear<Model>) expect_parameters<TearRule>(info, i);
  EXPECT_EQ(info.parameters.size(), i);
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
      const bool named = column.name == "strain" || column.name == "conformation";
      strain = strain || (named && column.components == 6);
    }
    EXPECT_TRUE(strain) << model.name;
  }
  ASSERT_EQ(von_mises().columns.size(), 3u);
  EXPECT_EQ(von_mises().columns[1].name, "kirchhoff");
  EXPECT_EQ(von_mises().columns[2].name, "plastic_strain");
  EXPECT_EQ(von_mises().columns[2].first, 12);
  ASSERT_EQ(herschel_bulkley().columns.size(), 2u);
  EXPECT_EQ(herschel_bulkley().columns[0].name, "volume_change");
  EXPECT_EQ(herschel_bulkley().columns[0].components, 1);
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

// whether its own moduli are Young's modulus and Poisson's ratio
bool has_young(const ModelInfo& model) {
  return std::any_of(model.parameters.begin(), model.parameters.end(),
                     [](const ParameterInfo& p) { return p.name == "young_modulus"; });
}

TEST(Registry, shear_and_bulk_modulus_equal_young_and_poisson) {
  for (const ModelInfo& model : models())
    for (const double nu : {-0.9, -0.5, 0.0, 0.3, 0.49}) {
      if (!has_young(model)) continue;
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
    if (!has_young(model)) continue;
    const std::map<std::string, double> pair{{"shear_modulus", 1e5}, {"bulk_modulus", 2e5}};
    EXPECT_EQ(message_of(model, pair), "");
    for (const char* other : {"young_modulus", "poisson_ratio"}) {
      auto both = pair;
      both[other] = 0.3;
      EXPECT_EQ(message_of(model, both),
                "give young_modulus and poisson_ratio or shear_modulus and bulk_modulus, not both");
      EXPECT_TRUE(contains(message_of(model, {{"shear_modulus", 1e5}, {other, 0.3}}), "not both"))
          << model.name;
    }
    for (const char* half : {"shear_modulus", "bulk_modulus"}) {
      EXPECT_TRUE(contains(message_of(model, {{half, 1e5}}), "together")) << model.name;
      for (const double bad : {0.0, -1.0, double(NAN)}) {
        auto wrong = pair;
        wrong[half] = bad;
        EXPECT_TRUE(contains(message_of(model, wrong), "'" + std::string(half) + "' of " + model.name))
            << message_of(model, wrong);
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
        if (p.infinite && bad == inf) continue;
        const std::string message = message_of(model, {{p.name, bad}});
        EXPECT_TRUE(contains(message, "'" + p.name + "'")) << model.name << " " << p.name << " " << bad;
      }
      EXPECT_EQ(message_of(model, {{p.name, p.low}}).empty(), !p.low_open) << model.name << " " << p.name;
      EXPECT_EQ(message_of(model, {{p.name, p.high}}).empty(), !p.high_open) << model.name << " " << p.name;
    }
}

// --- flow curves ------------------------------------------------------------------------------------------

// tau_y + K rate^n of simple shear: sigma_Y = sqrt3 tau_y, eta = K 2^((1+n)/2), h = n                   (HB.9)
TEST(Registry, flow_curve_instead_of_yield_stress_viscosity_and_power) {
  for (const double n : {0.1, 0.22, 1.0, 2.8, 5.0}) {
    const auto values = resolve_parameters(
        herschel_bulkley(), {{"tau_y", 18.4}, {"consistency", 17.8}, {"flow_index", n}, {"density", 80}});
    EXPECT_NEAR(value_of(herschel_bulkley(), values, "yield_stress"), std::sqrt(3.0) * 18.4, 1e-12);
    EXPECT_NEAR(value_of(herschel_bulkley(), values, "viscosity"), 17.8 * std::pow(2, (1 + n) / 2), 1e-12);
    EXPECT_EQ(value_of(herschel_bulkley(), values, "power"), n);
    EXPECT_EQ(value_of(herschel_bulkley(), values, "density"), 80);
  }
  // twice the plastic viscosity of a Bingham material
  const auto bingham =
      resolve_parameters(herschel_bulkley(), {{"tau_y", 0}, {"consistency", 5}, {"flow_index", 1}});
  EXPECT_NEAR(value_of(herschel_bulkley(), bingham, "viscosity"), 10, 1e-12);
}

TEST(Registry, flow_curve_comes_whole) {
  const std::map<std::string, double> curve{{"tau_y", 18.4}, {"consistency", 17.8}, {"flow_index", 0.22}};
  for (const auto& [missing, value] : curve) {
    auto part = curve;
    part.erase(missing);
    EXPECT_EQ(message_of(herschel_bulkley(), part),
              "tau_y, consistency and flow_index must be given together");
  }
  for (const char* own : {"yield_stress", "viscosity", "power"}) {
    auto both = curve;
    both[own] = 1;
    EXPECT_EQ(message_of(herschel_bulkley(), both),
              "give yield_stress, viscosity and power or tau_y, consistency and flow_index, not both");
  }
  const std::pair<const char*, double> wrong[] = {
      {"tau_y", -1}, {"consistency", -1}, {"flow_index", 0.05}, {"flow_index", 6}, {"consistency", NAN}};
  for (const auto& [name, bad] : wrong) {
    auto given = curve;
    given[name] = bad;
    EXPECT_TRUE(contains(message_of(herschel_bulkley(), given), "'" + std::string(name) + "'")) << bad;
  }
  // both sets of moduli and of the flow are independent
  auto all = curve;
  all["shear_modulus"] = 290, all["bulk_modulus"] = 109e3;
  EXPECT_EQ(message_of(herschel_bulkley(), all), "");
}

// every alternative set, there and back
TEST(Registry, alternatives_convert_both_ways) {
  EXPECT_EQ(von_mises().alternatives.size(), 1u);
  ASSERT_EQ(herschel_bulkley().alternatives.size(), 2u);
  EXPECT_EQ(herschel_bulkley().alternatives[1].others[1].unit, "Pa s^n");
  for (const ModelInfo& model : models())
    for (const AlternativeInfo& a : model.alternatives) {
      ASSERT_EQ(a.own.size(), a.others.size()) << model.name;
      const auto find = [&](const std::string& name) {
        return std::find_if(model.parameters.begin(), model.parameters.end(),
                            [&](const ParameterInfo& p) { return p.name == name; });
      };
      std::vector<double> own, others(a.own.size()), back(a.own.size());
      for (const std::string& name : a.own) {
        ASSERT_NE(find(name), model.parameters.end()) << name;
        own.push_back(find(name)->default_value);
      }
      for (const ParameterInfo& p : a.others) {
        EXPECT_EQ(find(p.name), model.parameters.end()) << p.name << " is the model's own too";
        EXPECT_FALSE(p.help.empty());
      }
      a.from_own(own.data(), others.data());
      a.to_own(others.data(), back.data());
      for (std::size_t i = 0; i < own.size(); ++i)
        EXPECT_NEAR(back[i], own[i], 1e-12 * std::max(1.0, std::fabs(own[i]))) << a.own[i];
    }
}

// --- words ------------------------------------------------------------------------------------------------

TEST(Registry, words_are_values_by_their_place) {
  const auto find = [](const ModelInfo& model, const std::string& name) -> const ParameterInfo& {
    return *std::find_if(model.parameters.begin(), model.parameters.end(),
                         [&](const ParameterInfo& p) { return p.name == name; });
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(find(herschel_bulkley(), "renormalise").words, (Words{"paper", "stress"}));
  for (const ModelInfo* model : {&herschel_bulkley(), &von_mises()}) {
    EXPECT_EQ(find(*model, "weak_stress").words, (Words{"clamped", "kept"}));
    EXPECT_EQ(find(*model, "weak_strain").words, (Words{"limited", "free", "balanced"}));
    EXPECT_EQ(find(*model, "weak_volume").words, (Words{"clamped", "published", "text", "free"}));
    EXPECT_TRUE(find(*model, "density").words.empty());
    for (const double place : {0.0, 1.0, 2.0, 3.0})
      EXPECT_EQ(message_of(*model, {{"weak_volume", place}}), "");
    for (const double wrong : {-1.0, 0.5, 4.0})
      EXPECT_TRUE(contains(message_of(*model, {{"weak_volume", wrong}}), "'weak_volume'")) << wrong;
  }
}

// --- tearing ----------------------------------------------------------------------------------------------

// after the parameters and the columns of the model, for the models with plasticity only
TEST(Registry, tearing_of_plastic_models) {
  for (const ModelInfo& model : models()) {
    const bool plastic = model.name == "von-mises" || model.name == "herschel-bulkley" ||
                         model.name == "oldroyd-b" || model.name == "viscoelastic";
    const auto values = resolve_parameters(model, {});
    EXPECT_EQ(&model.columns_for(values.data()), &model.columns);
    EXPECT_FALSE(model.tears(values.data())) << model.name;
    EXPECT_EQ(model.removal(values.data()).ratio, 0) << model.name;
    if (!plastic) {
      EXPECT_TRUE(model.tearing_columns.empty()) << model.name;
      EXPECT_TRUE(contains(message_of(model, {{"tear_threshold", 1}}), "'tear_threshold'")) << model.name;
      continue;
    }
    const auto torn = resolve_parameters(model, {{"tear_threshold", 0.3}});
    EXPECT_TRUE(model.tears(torn.data()));
    const std::vector<Column>& columns = model.columns_for(torn.data());
    EXPECT_EQ(&columns, &model.tearing_columns);
    ASSERT_EQ(columns.size(), model.columns.size() + 2);
    for (std::size_t i = 0; i < model.columns.size(); ++i) {
      EXPECT_EQ(columns[i].name, model.columns[i].name);
      EXPECT_EQ(columns[i].first, model.columns[i].first);
    }
    const Column &last = model.columns.back(), &total = columns[columns.size() - 2], &weak = columns.back();
    EXPECT_EQ(total.name, "total");
    EXPECT_EQ(total.components, 6);
    EXPECT_EQ(total.first, last.first + last.components);
    EXPECT_EQ(weak.name, "weak");
    EXPECT_EQ(weak.components, 1);
    EXPECT_EQ(weak.first, total.first + 6);
  }
}

// only what tears is removed, and only if asked for
TEST(Registry, removal) {
  const auto removal = [](const std::map<std::string, double>& given) {
    return herschel_bulkley().removal(resolve_parameters(herschel_bulkley(), given).data());
  };
  EXPECT_EQ(removal({{"tear_threshold", 1}}).ratio, 0);
  EXPECT_EQ(removal({{"removal_ratio", 1e-5}}).ratio, 0);
  EXPECT_EQ(removal({{"tear_threshold", 1}, {"removal_ratio", 1e-5}}).ratio, 1e-5);
  EXPECT_EQ(removal({{"tear_threshold", 1}}).size, 1e-4);
  EXPECT_EQ(removal({{"tear_threshold", 1}, {"removal_size", 0.01}}).size, 0.01);
}

// Yue et al. (2015), Table I, and the flow curves that are the same
TEST(Registry, published_foams) {
  const struct {
    const char* name;
    double density, shear, yield, viscosity, power, threshold, recovery, tau_y, consistency;
  } table[] = {{"shaving-cream", 77.7, 290, 31.9, 27.2, 0.22, 217.5, 0.35, 18.42, 17.82},
               {"smore-interior", 50, 80, 10, 16, 0.43, 15, 0.25, 5.774, 9.747},
               {"smore-exterior", 50, 5e4, 1000, 0.1, 1, 0.3, 0.5, 577.4, 0.0500},
               {"pie", 275, 1600, 120, 5, 0.27, 10, 0.3, 69.28, 3.220},
               {"oobleck", 1000, 11200, 0.1, 10, 2.8, 1, 0.3, 0.05774, 2.679},
               {"viscoplastic", 1000, 11200, 0.1, 10, 1, 1, 0.3, 0.05774, 5.000}};
  for (const auto& row : table) {
    const FoundPreset found = find_preset(row.name);
    ASSERT_NE(found.preset, nullptr) << row.name;
    ASSERT_EQ(found.model, &herschel_bulkley());
    const auto values = resolve_parameters(*found.model, with_preset(*found.model, *found.preset, {}));
    const auto value = [&](const char* name) { return value_of(*found.model, values, name); };
    const Moduli m = moduli_of(value("young_modulus"), value("poisson_ratio"));
    EXPECT_EQ(value("density"), row.density);
    EXPECT_NEAR(m.shear, row.shear, 1e-9 * row.shear);
    EXPECT_NEAR(m.bulk(), 109e3, 1e-4);
    EXPECT_EQ(value("yield_stress"), row.yield);
    EXPECT_EQ(value("viscosity"), row.viscosity);
    EXPECT_EQ(value("power"), row.power);
    EXPECT_EQ(value("tear_threshold"), row.threshold);
    EXPECT_EQ(value("recovery_time"), row.recovery);
    EXPECT_TRUE(found.model->tears(values.data()));
    // one number of the flow curve given: the rest of the curve is the preset's
    const auto curve = with_preset(*found.model, *found.preset, {{"flow_index", row.power}});
    EXPECT_NEAR(curve.at("tau_y"), row.tau_y, 6e-4 * row.tau_y);
    EXPECT_NEAR(curve.at("consistency"), row.consistency, 6e-4 * row.consistency);
    const auto again = resolve_parameters(*found.model, curve);
    EXPECT_NEAR(value_of(*found.model, again, "yield_stress"), row.yield, 1e-12 * row.yield);
    EXPECT_NEAR(value_of(*found.model, again, "viscosity"), row.viscosity, 1e-12 * row.viscosity);
  }
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
      const bool young = has_young(model);
      for (const char* name :
           {"density", young ? "young_modulus" : "shear_modulus", young ? "poisson_ratio" : "lambda"})
        EXPECT_EQ(preset.parameters.count(name), 1u) << preset.name << " " << name;
    }
}

TEST(Registry, given_values_override_a_preset) {
  const FoundPreset lead = find_preset("lead");
  ASSERT_NE(lead.preset, nullptr);
  auto values = with_preset(*lead.model, *lead.preset, {{"yield_stress", 5}});
  EXPECT_EQ(values.at("yield_stress"), 5);
  EXPECT_EQ(values.at("density"), lead.preset->parameters.at("density"));
  values = with_preset(*lead.model, *lead.preset, {{"shear_modulus", 5}, {"bulk_modulus", 7}});
  EXPECT_EQ(values.count("young_modulus"), 0u);
  EXPECT_EQ(values.count("poisson_ratio"), 0u);
  EXPECT_EQ(message_of(*lead.model, values), "");
}

// what is not given of an alternative set is the preset's: the bulk modulus here
TEST(Registry, preset_completes_an_alternative_set) {
  const FoundPreset lead = find_preset("lead");
  ASSERT_NE(lead.preset, nullptr);
  const Moduli before =
      moduli_of(lead.preset->parameters.at("young_modulus"), lead.preset->parameters.at("poisson_ratio"));
  const auto given = with_preset(*lead.model, *lead.preset, {{"shear_modulus", before.shear / 2}});
  EXPECT_NEAR(given.at("bulk_modulus"), before.bulk(), 1e-9 * before.bulk());
  const auto values = resolve_parameters(*lead.model, given);
  const Moduli after = moduli_of(value_of(*lead.model, values, "young_modulus"),
                                 value_of(*lead.model, values, "poisson_ratio"));
  EXPECT_NEAR(after.shear, before.shear / 2, 1e-9 * before.shear);
  EXPECT_NEAR(after.bulk(), before.bulk(), 1e-9 * before.bulk());
  // a mix of both sets is still an error
  EXPECT_TRUE(contains(message_of(*lead.model, with_preset(*lead.model, *lead.preset,
                                                           {{"shear_modulus", 1e9}, {"young_modulus", 1e9}})),
                       "not both"));
}

TEST(Registry, lists_names_of_models) {
  ASSERT_EQ(model_names().size(), models().size());
  EXPECT_EQ(model_names().front(), models().front().name);
}

// --- stiffness --------------------------------------------------------------------------------------------

TEST(Registry, parameters_that_may_be_a_list) {
  for (const ModelInfo& model : models())
    for (const ParameterListInfo& list : model.lists)
      for (const std::string& member : list.members)
        EXPECT_TRUE(std::any_of(model.parameters.begin(), model.parameters.end(),
                                [&](const ParameterInfo& p) { return p.name == member; }))
            << member;
  EXPECT_EQ(models()[std::size_t(find_model("drucker-prager"))].lists.at(0).members.size(), 4u);
}

// values that are each in range, but not together
TEST(Registry, faults_of_parameters_together) {
  const ModelInfo& sand = models()[std::size_t(find_model("drucker-prager"))];
  EXPECT_THROW(resolve_parameters(sand, {{"friction_angle", 0.2}, {"hardening_drop", 0.3}}), SceneError);
  EXPECT_THROW(resolve_parameters(sand, {{"friction_angle", 0}, {"cohesion", 1}}), SceneError);
  EXPECT_NO_THROW(resolve_parameters(sand, {{"friction_angle", 0.2}, {"hardening_drop", 0.2}}));
  EXPECT_THROW(resolve_parameters(sand, {{"friction_angle", 0.6}, {"grain_size", 1e-3}}), SceneError);
  EXPECT_NO_THROW(resolve_parameters(
      sand, {{"friction_angle", 0.6}, {"grain_size", 1e-3}, {"fast_friction_angle", 0.7}}));
}

TEST(Registry, stiffness_is_the_largest_elastic_eigenvalue) {
  for (const ModelInfo& model : models())
    for (const double nu : {-0.9, -0.5, -0.01, 0.0, 0.3, 0.49}) {
      if (nu < 0 && !has_young(model)) continue;  // its lambda is not negative
      std::map<std::string, double> given{{"density", 2200}, {"young_modulus", 1e6}, {"poisson_ratio", nu}};
      if (model.name == "viscoelastic") given["shear_modulus_neq"] = given["lambda_neq"] = 0;  // one branch
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
