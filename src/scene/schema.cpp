// The JSON schema of scene files, from the tables of keys.
#include <dollop/scene_file.h>
#include <fmt/format.h>

#include <algorithm>

#include "materials/registry.h"
#include "scene/describe.h"
#include "scene/expectations.h"
#include "scene/writer.h"

namespace dollop {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;  // names and JSON values

// TOML's basic strings, with their \uXXXX escapes, are JSON strings too
std::string json(const std::string& text) { return quoted(text); }
std::string array(const std::vector<std::string>& items) {
  return fmt::format("[{}]", fmt::join(items, ","));
}
std::string object(const Members& members) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : members) parts.push_back(json(name) + ":" + value);
  return fmt::format("{{{}}}", fmt::join(parts, ","));
}
std::string words(const std::vector<std::string>& all) {
  std::vector<std::string> items;
  for (const std::string& word : all) items.push_back(json(word));
  return array(items);
}
std::string three(const std::string& item) {
  return object({{"type", json("array")}, {"items", item}, {"minItems", "3"}, {"maxItems", "3"}});
}

Members range_members(const Range& range) {
  Members members;
  if (range.low > -enormous)
    members.emplace_back(range.low_open ? "exclusiveMinimum" : "minimum", number_text(range.low));
  if (range.high < enormous)
    members.emplace_back(range.high_open ? "exclusiveMaximum" : "maximum", number_text(range.high));
  return members;
}

// Writes the parts of the schema in the words of a draft.
class SchemaWriter {
 public:
  explicit SchemaWriter(SchemaDraft draft) : draft_(draft) {}

  std::string scene() const {
    Members properties{{"title", object({{"type", json("string")}, {"description", json("for reports")}})}};
    for (const Part& part : parts()) {
      const std::string table = table_schema(part.section());
      properties.emplace_back(part.name,
                              part.is_list ? object({{"type", json("array")}, {"items", table}}) : table);
    }
    properties.emplace_back("materials", materials_schema());
    properties.emplace_back("expect", expect_schema());
    properties.emplace_back(
        "variants",
        object({{"type", json("object")},
                {"description", json("values that replace others when --variant NAME asks for them")},
                {"additionalProperties", object({{"type", json("object")}})}}));
    const std::string quantity = object(
        {{"type", json("string")},
         {"description", json("a number with a unit, such as \"3 mm\"")},
         {"pattern",
          json("^\\s*[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?\\s*(\\s1/.*|[^,0-9.\\s].*)?$")}});
    const std::string number =
        object({{"anyOf", array({object({{"type", json("number")}}), reference_to("quantity")})}});
    const std::string definitions = object({{"quantity", quantity},
                                            {"number", number},
                                            {"shape", shape_schema()},
                                            {"motion", table_schema(motion_section())}});
    return object({{"$schema", json(is_07() ? "http://json-schema.org/draft-07/schema#"
                                            : "https://json-schema.org/draft/2020-12/schema")},
                   {"title", json("Dollop scene")},
                   {"type", json("object")},
                   {"properties", object(properties)},
                   {"required", words({"simulation"})},
                   {"additionalProperties", "false"},
                   {definitions_key(), definitions}});
  }

 private:
  bool is_07() const { return draft_ == SchemaDraft::draft_07; }
  std::string definitions_key() const { return is_07() ? "definitions" : "$defs"; }
  std::string reference_to(const std::string& definition) const {
    return object({{"$ref", json("#/" + definitions_key() + "/" + definition)}});
  }
  // an array of exactly these items
  Members tuple(const std::vector<std::string>& items) const {
    return {{"type", json("array")},
            {is_07() ? "items" : "prefixItems", array(items)},
            {is_07() ? "additionalItems" : "items", "false"},
            {"minItems", fmt::format("{}", items.size())}};
  }

  std::string number_schema(const Key& key) const {
    Members number{{"type", json("number")}};
    for (const auto& member : range_members(key.range)) number.push_back(member);
    std::vector<std::string> forms{object(number), reference_to("quantity")};
    if (key.range.infinite) forms.push_back(object({{"const", json("inf")}}));
    return object({{"anyOf", array(forms)}});
  }

  // A value that may change in time. `item`: the value of one key.
  std::string animated_schema(const std::string& constant, const std::string& item,
                              const std::string& expression) const {
    const std::string pair = object(tuple({reference_to("number"), item}));
    const std::string keys = object({{"type", json("array")}, {"items", pair}, {"minItems", "1"}});
    const std::string by_keys = object(
        {{"type", json("object")},
         {"properties",
          object({{"keys", keys}, {"interpolation", object({{"enum", words({"linear", "smooth"})}})}})},
         {"required", words({"keys"})},
         {"additionalProperties", "false"}});
    const std::string by_expression = object({{"type", json("object")},
                                              {"properties", object({{"expression", expression}})},
                                              {"required", words({"expression"})},
                                              {"additionalProperties", "false"}});
    return object({{"anyOf", array({constant, by_keys, by_expression})}});
  }

  std::string value_schema(const Section& section, const Key& key) const {
    const std::string text = object({{"type", json("string")}}), number = number_schema(key);
    const std::string text_or_number = object({{"type", array({json("string"), json("number")})}});
    const std::string animated = animated_schema(number, number, text_or_number);
    switch (kind_of(section, key)) {
      case ValueKind::number:
        return number;
      case ValueKind::integer: {
        Members members{{"type", json("integer")}};
        for (const auto& member : range_members(key.range)) members.push_back(member);
        return object(members);
      }
      case ValueKind::boolean:
        return object({{"type", json("boolean")}});
      case ValueKind::text:
        return text;
      case ValueKind::word:
        return object({{"enum", words(key.words)}});
      case ValueKind::vector:
        return three(number);
      case ValueKind::animated:
        return animated;
      case ValueKind::animated_vector:
        return animated_schema(three(animated), three(number), three(text_or_number));
      case ValueKind::list:
        return object({{"type", json("array")},
                       {"items", key.words.empty() ? text : object({{"enum", words(key.words)}})}});
      case ValueKind::shape:
        return reference_to("shape");
      case ValueKind::table:
        return key.has_header ? table_schema(*key.table) : reference_to(key.table->name);
      case ValueKind::scale:
        return object({{"anyOf", array({number, three(number)})}});
      case ValueKind::rotation:
        return object({{"anyOf", array({three(number), three(three(number))})}});
      case ValueKind::layers:
        return object({{"type", json("array")}, {"items", table_schema(layer_section())}});
    }
    return "true";
  }

  // The schema of a value with what an editor shows about it.
  std::string key_schema(const Section& section, const Key& key) const {
    std::string schema = value_schema(section, key);
    if (key.has_header) return schema;  // the table has a description of its own
    const std::string help = key.help + (key.unit.empty() ? "" : " [" + key.unit + "]");
    if (help.empty()) return schema;
    schema.pop_back();
    return schema + fmt::format(",\"description\":{}}}", json(help));
  }

  Members key_members(const Section& section) const {
    Members members;
    for (const Key& key : section.keys) members.emplace_back(key.name, key_schema(section, key));
    return members;
  }

  std::string table_schema(const Section& section) const {
    std::vector<std::string> required;
    for (const Key& key : section.keys)
      if (key.required) required.push_back(key.name);
    return object({{"type", json("object")},
                   {"description", json(section.help)},
                   {"properties", object(key_members(section))},
                   {"required", words(required)},
                   {"additionalProperties", "false"}});
  }

  std::string shape_schema() const {
    Members properties = key_members(placement_section());
    std::vector<std::string> one_word;
    for (const ShapeKind& kind : shape_kinds()) {
      const std::string set = object({{"type", json("array")},
                                      {"description", json(kind.help)},
                                      {"items", reference_to("shape")},
                                      {"minItems", "1"}});
      properties.emplace_back(kind.word,
                              kind.form == ShapeKind::Form::set ? set : table_schema(kind.section));
      one_word.push_back(object({{"required", words({kind.word})}}));
    }
    return object({{"type", json("object")},
                   {"properties", object(properties)},
                   {"oneOf", array(one_word)},
                   {"additionalProperties", "false"}});
  }

  std::string list_schema(const ListKey& list) const {
    std::vector<std::string> items;
    for (const ListItem& item : list.items) {
      Key plain = item.key;
      plain.range = item.plain;
      items.push_back(number_schema(plain));
    }
    Members members = tuple(items);
    members.emplace_back("description", json(list.help));
    return object(members);
  }

  // A material is one of the models: by its name, or by one of its presets.
  std::string materials_schema() const {
    std::vector<std::string> variants;
    for (std::size_t i = 0; i < models().size(); ++i) {
      Members properties = key_members(material_section(i));
      for (const ListKey& list : material_lists(i)) properties.emplace_back(list.name, list_schema(list));
      if (models()[i].presets.empty())
        std::erase_if(properties, [](const auto& p) { return p.first == "preset"; });
      for (auto& [name, value] : properties)
        if (name == "model") value = object({{"const", json(models()[i].name)}});
      std::vector<std::string> named{object({{"required", words({"model"})}})};
      if (!models()[i].presets.empty()) named.push_back(object({{"required", words({"preset"})}}));
      variants.push_back(object({{"type", json("object")},
                                 {"description", json(models()[i].help)},
                                 {"properties", object(properties)},
                                 {"anyOf", array(named)},
                                 {"additionalProperties", "false"}}));
    }
    return object({{"type", json("object")}, {"additionalProperties", object({{"anyOf", array(variants)}})}});
  }

  std::string expect_schema() const {
    const std::string comparison =
        object({{"type", json("string")}, {"pattern", json("^ *(<=?|>=?|==|!=|~)")}});
    const std::string value = object(
        {{"anyOf",
          array({comparison, object({{"type", json("array")}, {"items", comparison}, {"minItems", "1"}})})}});
    Members properties, axes;
    for (const char* axis : {"x", "y", "z"}) axes.emplace_back(axis, value);
    const std::string components =
        object({{"type", json("object")}, {"properties", object(axes)}, {"additionalProperties", "false"}});
    for (const std::string& name : metric_names()) properties.emplace_back(name, value);
    for (const MetricInfo& metric : metrics_known())
      if (metric.is_vector) properties.emplace_back(metric.name, components);
    Members forces = axes;  // contact_forces.NAME.x, .torque.x and ."torque.x"
    forces.emplace_back("torque", components);
    for (const char* axis : {"x", "y", "z"}) forces.emplace_back(std::string("torque.") + axis, value);
    const std::string contact =
        object({{"type", json("object")}, {"properties", object(forces)}, {"additionalProperties", "false"}});
    properties.emplace_back("contact_forces",
                            object({{"type", json("object")},
                                    {"additionalProperties", object({{"anyOf", array({contact, value})}})}}));
    Members readings;
    for (const MetricInfo& metric : gauge_metrics())
      readings.emplace_back(metric.name, metric.is_vector ? components : value);
    const std::string reading = object(
        {{"type", json("object")}, {"properties", object(readings)}, {"additionalProperties", "false"}});
    properties.emplace_back("gauges", object({{"type", json("object")}, {"additionalProperties", reading}}));
    for (const char* of_each : {"volume_change", "mesh_gaps"})
      properties.emplace_back(of_each, object({{"type", json("object")}, {"additionalProperties", value}}));
    return object(
        {{"type", json("object")},
         {"properties", object(properties)},
         {"patternProperties", object({{"^(contact_forces|gauges|volume_change|mesh_gaps)\\.", value}})},
         {"additionalProperties", "false"}});
  }

  SchemaDraft draft_;
};

// Compact JSON with line breaks and indentation.
std::string indented(const std::string& compact) {
  std::string result;
  int depth = 0;
  bool in_text = false;
  const auto new_line = [&] { result += "\n" + std::string(std::size_t(2 * depth), ' '); };
  for (std::size_t i = 0; i < compact.size(); ++i) {
    const char c = compact[i];
    if (in_text) {
      result += c;
      if (c == '\\') result += compact[++i];
      if (c == '"') in_text = false;
      continue;
    }
    const bool opens = c == '{' || c == '[', closes = c == '}' || c == ']';
    const bool empty = opens && (compact[i + 1] == '}' || compact[i + 1] == ']');
    if (closes) --depth, new_line();
    result += c;
    in_text = c == '"';
    if (c == ':') result += ' ';
    if (c == ',') new_line();
    if (empty)
      result += compact[++i];
    else if (opens)
      ++depth, new_line();
  }
  return result + "\n";
}

}  // namespace

std::string scene_schema(SchemaDraft draft) { return indented(SchemaWriter(draft).scene()); }

}  // namespace dollop
