// Scene files: reads TOML into a Scene and words the errors in one. Keys: docs/scene-reference.md.
#pragma once

#include <dollop/scene.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace dollop {

// A place in a text; lines and columns count from 1.
struct SourcePosition {
  int line = 1, column = 1;
};

struct SceneFile {
  std::string path;  // as given
  std::string text;  // as read
  Scene scene;
  // TOML that reads back to the same scene: defaults, presets and overrides written out
  std::string resolved;
  // position of each key that the file gives, such as "bodies[0].shape"
  std::map<std::string, SourcePosition> positions;
};

// Overrides are "key=value" with a dotted key and a TOML value, such as "materials.foam.yield_stress=31.9" or
// "bodies[0].velocity=[0,-1,0]"; a bare word is taken for a string. Mesh files are relative to the scene's folder.
// Throws SceneError whose message starts with file:line:column, shows the line with a caret, and says what to do.
SceneFile read_scene(const std::filesystem::path& path, const std::vector<std::string>& overrides = {});
SceneFile parse_scene(const std::string& text, const std::filesystem::path& path,
                      const std::vector<std::string>& overrides = {});

// Names of the tables [variants.NAME] in the text of a scene that was read.
std::vector<std::string> variant_names(const std::string& text);

// The message of an error that was found after reading, in the same form: with file, line, column and caret.
std::string explain(const SceneFile& file, const SceneError& error);

// Keys whose values differ between two resolved scenes, as "simulation.cell_size: 0.003 -> 0.002"; long values are cut.
std::vector<std::string> differing_keys(const std::string& resolved_before, const std::string& resolved_now);

enum class SchemaDraft { draft_07, draft_2020_12 };                   // editors of TOML know draft 07
std::string scene_schema(SchemaDraft draft = SchemaDraft::draft_07);  // JSON schema: docs/scene-schema.json
std::string scene_reference();                                        // Markdown: docs/scene-reference.md

// Metric names that [expect] accepts, such as "kinetic_energy" and "center_of_mass.y".
std::vector<std::string> metric_names();

}  // namespace dollop
