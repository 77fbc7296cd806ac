// The generated pages and the schema. DOLLOP_UPDATE_DOCS=1 writes the pages anew.
#include <gtest/gtest.h>

#include <cstdlib>

#include "io/json.h"
#include "materials/registry.h"
#include "scene/describe.h"
#include "scene/scene_files.h"
#include "source_folder.h"

namespace dollop {
namespace {

void expect_current(const std::string& name, const std::string& text) {
  const std::filesystem::path path = source_folder() / "docs" / name;
  if (std::getenv("DOLLOP_UPDATE_DOCS")) std::ofstream(path, std::ios::binary) << text;
  EXPECT_TRUE(text_of(path) == text)
      << name << " is not what the tables say; run this test with DOLLOP_UPDATE_DOCS=1 to write it anew";
}

TEST(Documents, scene_reference_is_current) { expect_current("scene-reference.md", scene_reference()); }
TEST(Documents, scene_schema_is_current) { expect_current("scene-schema.json", scene_schema()); }
TEST(Documents, materials_page_is_current) { expect_current("materials.md", materials_page()); }

TEST(Documents, reference_names_every_key) {
  const std::string text = scene_reference();
  const auto expect_keys = [&](const Section& section) {
    for (const Key& key : section.keys)
      EXPECT_TRUE(contains(text, "| `" + key.name + "` | ")) << section.name << " " << key.name;
  };
  for (const Part& part : parts()) expect_keys(part.section());
  for (const Key& key : simulation_section().keys)
    if (key.has_header) {
      EXPECT_TRUE(contains(text, "## `[simulation." + key.name + "]`")) << key.name;
      expect_keys(*key.table);
    }
  for (const ShapeKind& kind : shape_kinds()) {
    EXPECT_TRUE(contains(text, "### `" + kind.word + "`")) << kind.word;
    expect_keys(kind.section);
  }
}

// what counts something is an integer, in the page and in the schema
TEST(Documents, settings_of_methods) {
  const std::string text = scene_reference(), schema = scene_schema();
  EXPECT_TRUE(contains(text, "| `iterations` | integer |  | 1 to 1000 | `20` | "));
  EXPECT_TRUE(contains(text, "| `tolerance` | number |  | above 0 to below 1 | `0.001` | "));
  const std::size_t table = schema.find("\"newton\": {");
  ASSERT_NE(table, std::string::npos);
  const std::size_t iterations = schema.find("\"iterations\": {", table);
  ASSERT_NE(iterations, std::string::npos);
  EXPECT_LT(iterations, schema.find("\"domain\": {"));
  EXPECT_TRUE(contains(schema.substr(iterations, 80), "\"type\": \"integer\""));
}

TEST(Documents, every_key_has_a_help_that_begins_with_a_verb) {
  const auto expect_verbs = [](const Section& section) {
    for (const Key& key : section.keys) {
      const std::string first = key.help.substr(0, key.help.find(' '));
      EXPECT_TRUE(first.size() > 2 && first.back() == 's') << section.name << "." << key.name;
    }
  };
  for (const Part& part : parts()) expect_verbs(part.section());
  for (const ShapeKind& kind : shape_kinds()) expect_verbs(kind.section);
  expect_verbs(motion_section());
  expect_verbs(layer_section());
  expect_verbs(placement_section());
}

TEST(Documents, reference_says_what_does_not_repeat) {
  const std::string text = scene_reference();
  EXPECT_TRUE(contains(
      text, "Colliders do not repeat: one that crosses the domain should reach across both borders."));
  EXPECT_TRUE(contains(text, "Nor do the shapes of gauges"));
}

// the examples of the reference are scenes that can be read
TEST(Documents, examples_are_read) {
  const std::string frame = "[materials.foam]\nmodel = \"hencky\"\n";
  for (const Part& part : parts()) {
    const Section& section = part.section();
    const bool whole = section.name == "simulation";
    const std::string text = (whole ? "" : simulation_text) + section.example + frame;
    EXPECT_NO_THROW(parse_scene(text, "scene.toml")) << text;
  }
  for (const Key& key : simulation_section().keys) {
    if (!key.has_header) continue;
    EXPECT_NO_THROW(scene_of(key.table->example + frame)) << key.table->example;
  }
  for (const ShapeKind& kind : shape_kinds()) {
    const auto load = [](const std::string& file, double size) { return Mesh{file, size, {}}; };
    if (kind.form == ShapeKind::Form::mesh || kind.form == ShapeKind::Form::mesh_sequence) continue;
    // a disc without thickness is for emitters
    const std::string table = kind.word == "disc" ? "[[emitters]]\nmaterial = \"foam\"\n" : "[[colliders]]\n";
    const std::string text = simulation_text + frame + table + "shape = " + kind.section.example + "\n";
    EXPECT_NO_THROW(parse_scene(text, "scene.toml", {}, load)) << text;
  }
}

// draft 07 has no prefixItems, and later drafts read its items otherwise
TEST(Documents, drafts_of_the_schema_have_words_of_their_own) {
  const std::string old = scene_schema(), now = scene_schema(SchemaDraft::draft_2020_12);
  EXPECT_TRUE(is_json(now));
  EXPECT_TRUE(contains(now, "https://json-schema.org/draft/2020-12/schema"));
  for (const char* word : {"\"prefixItems\"", "\"$defs\"", "#/$defs/"}) {
    EXPECT_TRUE(contains(now, word)) << word;
    EXPECT_FALSE(contains(old, word)) << word;
  }
  for (const char* word : {"\"additionalItems\"", "\"definitions\"", "#/definitions/"}) {
    EXPECT_TRUE(contains(old, word)) << word;
    EXPECT_FALSE(contains(now, word)) << word;
  }
}

TEST(Documents, schema_is_json_and_names_everything) {
  const std::string schema = scene_schema();
  EXPECT_TRUE(is_json(schema));
  EXPECT_TRUE(contains(schema, "http://json-schema.org/draft-07/schema#"));
  const auto has = [&](const std::string& word) {
    EXPECT_TRUE(contains(schema, "\"" + word + "\"")) << word;
  };
  for (const Part& part : parts()) {
    has(part.name);
    for (const std::string& key : part.section().names()) has(key);
  }
  for (const ShapeKind& kind : shape_kinds()) has(kind.word);
  for (const ModelInfo& model : models()) {
    has(model.name);
    for (const ParameterInfo& parameter : model.parameters) has(parameter.name);
    for (const PresetInfo& preset : model.presets) has(preset.name);
  }
  for (const std::string& metric : metric_names()) has(metric);
}

}  // namespace
}  // namespace dollop
