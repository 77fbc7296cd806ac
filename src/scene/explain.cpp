// Errors that are found after a scene was read, and differences between two scenes.
#include <dollop/scene_file.h>
#include <fmt/format.h>

#include <algorithm>

#include "scene/document.h"
#include "scene/writer.h"

namespace dollop {
namespace {

// a.b[0].c -> a.b[0] -> a.b -> a
std::string parent_of(const std::string& key) {
  const std::size_t end = key.find_last_of(".[");
  return end == std::string::npos ? "" : key.substr(0, end);
}

// "materials[1].density" is written [materials.NAME] in the file
std::string as_written(const SceneFile& file, const std::string& where) {
  for (std::size_t i = 0; i < file.scene.materials.size(); ++i) {
    const std::string index = fmt::format("materials[{}]", i);
    if (where.compare(0, index.size(), index) == 0)
      return "materials." + file.scene.materials[i].name + where.substr(index.size());
  }
  return where;
}

// length of the key at a position, for the underline
int length_at(const std::string& text, const SourcePosition& at) {
  std::size_t begin = 0;
  for (int line = 1; line < at.line && begin != std::string::npos; ++line) begin = text.find('\n', begin) + 1;
  int length = 0;
  for (std::size_t i = begin + std::size_t(at.column) - 1; i < text.size(); ++i, ++length)
    if (std::string(" \t\r\n=.]}").find(text[i]) != std::string::npos) break;
  return std::max(1, length);
}

std::string text_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::boolean:
      return node.boolean ? "true" : "false";
    case Node::Kind::integer:
      return fmt::format("{}", node.integer);
    case Node::Kind::number:
      return number_text(node.number);
    case Node::Kind::text:
      return quoted(node.text);
    case Node::Kind::date:
      return "a date";
    default:
      break;
  }
  std::vector<std::string> parts;
  for (const Node& item : node.items) parts.push_back(text_of(item));
  for (const Entry& entry : node.entries)
    parts.push_back(fmt::format("{} = {}", quoted_key(entry.key), text_of(entry.value)));
  const bool table = node.is(Node::Kind::table);
  return fmt::format("{}{}{}", table ? "{ " : "[", fmt::join(parts, ", "), table ? " }" : "]");
}

// Lists every value with its key. Vectors and other lists of plain values count as one value.
void flatten(const Node& node, const std::string& path,
             std::vector<std::pair<std::string, std::string>>& values) {
  const bool tables = node.is(Node::Kind::array) && !node.items.empty() &&
                      std::all_of(node.items.begin(), node.items.end(),
                                  [](const Node& item) { return item.is(Node::Kind::table); });
  if (tables)
    for (std::size_t i = 0; i < node.items.size(); ++i)
      flatten(node.items[i], fmt::format("{}[{}]", path, i), values);
  else if (node.is(Node::Kind::table))
    for (const Entry& entry : node.entries)
      flatten(entry.value, path + (path.empty() ? "" : ".") + quoted_key(entry.key), values);
  else
    values.emplace_back(path, text_of(node));
}

std::vector<std::pair<std::string, std::string>> values_of(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> values;
  try {
    flatten(parse_toml(text), "", values);
  } catch (const Fault& fault) {
    throw SceneError(show_error("scene.toml", text, fault.at, fault.message));
  }
  return values;
}

}  // namespace

std::string explain(const SceneFile& file, const SceneError& error) {
  for (std::string key = as_written(file, error.where); !key.empty(); key = parent_of(key)) {
    const auto it = file.positions.find(key);
    if (it == file.positions.end()) continue;
    const Location at{it->second.line, it->second.column, length_at(file.text, it->second), -1};
    return show_error(file.path, file.text, at, error.what());
  }
  return fmt::format("{}: error: {}", file.path, error.what());
}

std::vector<std::string> differing_keys(const std::string& resolved_before, const std::string& resolved_now) {
  const auto before = values_of(resolved_before), now = values_of(resolved_now);
  const std::map<std::string, std::string> old_values(before.begin(), before.end()),
      new_values(now.begin(), now.end());
  std::vector<std::string> result;
  for (const auto& [key, value] : before) {
    const auto it = new_values.find(key);
    if (it == new_values.end())
      result.push_back(fmt::format("{}: {} -> absent", shown(key), shown(value)));
    else if (it->second != value)
      result.push_back(fmt::format("{}: {} -> {}", shown(key), shown(value), shown(it->second)));
  }
  for (const auto& [key, value] : now)
    if (!old_values.count(key)) result.push_back(fmt::format("{}: absent -> {}", shown(key), shown(value)));
  return result;
}

}  // namespace dollop
