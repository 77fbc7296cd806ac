// The text of a scene and its overrides, and how errors in them are shown.
#pragma once

#include <dollop/scene_file.h>

#include <string>
#include <vector>

#include "scene/node.h"

namespace dollop {

struct Document {
  std::string path;  // as shown in messages
  std::string text;
  std::vector<std::string> overrides = {};
  Node root = {};

  // Throws SceneError: file, line, column, what is wrong, the line itself and a caret.
  [[noreturn]] void fail(const Location& at, const std::string& message) const;
  // The location of a key such as "bodies[0].shape", or of the innermost table around it that exists.
  Location locate(const std::string& key, bool of_value) const;
};

// One error in the form that Document::fail throws.
std::string show_error(const std::string& path, const std::string& text, const Location& at,
                       const std::string& message);

// "; did you mean 'density'?" or nothing
std::string suggestion(const std::string& word, const std::vector<std::string>& known);

// "a, b or c"; of more than 40 words only the first 20
std::string listed(const std::vector<std::string>& words);

// Text from a user, made safe for a terminal: control characters are replaced and long text is cut.
std::string shown(const std::string& text);

// A step of a dotted key: a name, or the index of an item.
struct Step {
  std::string name;
  std::size_t index = 0;
  bool is_index = false;
};
// Splits keys such as a.b[0].c, a.0.c and a."b.c" into steps; returns false for text that is not a key.
bool split_key(const std::string& key, std::vector<Step>& steps);

// A key as parse_toml reads it back: bare where possible.
std::string quoted_key(const std::string& key);

}  // namespace dollop
