// [materials.NAME]: the keys of each model.
#include <algorithm>

#include "materials/looks.h"
#include "materials/registry.h"
#include "scene/keys.h"
#include "scene/units.h"

namespace dollop {
namespace {

std::vector<std::string> look_names() {
  std::vector<std::string> names;
  for (const LookInfo& look : looks) names.emplace_back(look.name);
  return names;
}

Key parameter_key(const ParameterInfo& p) {
  Key key{p.name, p.unit, p.help, key_range(p)};
  key.words = p.words;
  key.slot = [&p](void* material) -> Slot {
    double& value = static_cast<Material*>(material)->parameters[p.name];
    if (p.words.empty()) return &value;
    return word_slot(value, p.words);
  };
  return key;
}

// `model` must be one of models(), whose parameters the keys refer to
SectionOf<Material> make_material(const ModelInfo& model) {
  SectionOf<Material> s("materials", model.help);
  std::vector<std::string> presets;
  for (const PresetInfo& p : model.presets) presets.push_back(p.name);
  s.value("model", &Material::model, "chooses the constitutive model; a preset implies its model")
      .one_of(model_names());
  s.value("preset", &Material::model, "sets parameters to values of a known material; keys beside it win")
      .one_of(presets);
  for (const ParameterInfo& p : model.parameters) s.keys.push_back(parameter_key(p));
  for (const AlternativeInfo& a : model.alternatives)
    for (const ParameterInfo& p : a.others) s.keys.push_back(parameter_key(p));
  for (const Key& key : appearance_keys<Material>()) s.keys.push_back(key);
  return s;
}

std::vector<ListKey> make_lists(const ModelInfo& model, const Section& section) {
  std::vector<ListKey> result;
  for (const ParameterListInfo& list : model.lists) {
    result.push_back({list.name, list.help, {}});
    Unit angle;
    parse_unit(list.angle_unit, angle);
    for (const std::string& member : list.members) {
      const Key& key = *section.find(member);
      const bool is_angle = key.unit == "rad";
      const double scale = is_angle ? angle.scale : 1;
      const Range plain{key.range.low / scale, std::min(key.range.high / scale, enormous), key.range.low_open,
                        key.range.high_open};
      result.back().items.push_back({key, scale, is_angle ? list.angle_unit : "", plain});
    }
  }
  return result;
}

}  // namespace

Range key_range(const ParameterInfo& p) {
  return {p.low,     std::min(p.high, enormous), p.low_open, p.high < enormous && p.high_open, p.whole,
          p.infinite};
}

Slot word_slot(double& value, const std::vector<std::string>& words) {
  return WordSlot{[&] { return words.at(std::size_t(value)); },
                  [&](const std::string& word) {
                    value = double(std::find(words.begin(), words.end(), word) - words.begin());
                  }};
}

std::vector<std::string> ListKey::members() const {
  std::vector<std::string> result;
  for (const ListItem& item : items) result.push_back(item.key.name);
  return result;
}

template <class T>
std::vector<Key> appearance_keys() {
  SectionOf<T> s("", "");
  s.value("look", &T::look,
          "chooses the appearance in pictures, and with it whether a material has a surface or is shown as "
          "grains")
      .one_of(look_names());
  s.number("color", &T::color, "", fraction,
           "sets red, green and blue in pictures (sRGB); without it the look decides");
  if constexpr (std::is_same_v<T, Material>)
    s.number("optical_depth", &T::optical_depth, "", above_zero,
             "sets the optical depth of one particle spacing with the look density; less shows more of the "
             "inside, more makes the surface sharper");
  return s.keys;
}
template std::vector<Key> appearance_keys<Material>();
template std::vector<Key> appearance_keys<Collider>();

const Section& material_section(std::size_t model) {
  static const std::vector<Section> sections = [] {
    std::vector<Section> result;
    for (const ModelInfo& info : models()) result.push_back(make_material(info));
    return result;
  }();
  return sections.at(model);
}

const std::vector<ListKey>& material_lists(std::size_t model) {
  static const std::vector<std::vector<ListKey>> lists = [] {
    std::vector<std::vector<ListKey>> result;
    for (std::size_t i = 0; i < models().size(); ++i)
      result.push_back(make_lists(models()[i], material_section(i)));
    return result;
  }();
  return lists.at(model);
}

}  // namespace dollop
