#include "scene/overrides.h"

#include <fmt/format.h>

namespace dollop {
namespace {

using Kind = Node::Kind;

void mark(Node& node, const Location& at) {
  node.at = at;
  for (Node& item : node.items) mark(item, at);
  for (Entry& entry : node.entries) entry.at = at, mark(entry.value, at);
}

// Parses a TOML value. Anything else counts as text without quotation marks, unless it looks like broken TOML.
Node value_of(const Document& document, const Location& at, const std::string& written) {
  const std::size_t first = written.find_first_not_of(" \t");
  if (first == std::string::npos) document.fail(at, "the value is missing; write key=value");
  Node node;
  try {
    const Node table = parse_toml("value = " + written);
    if (table.entries.size() != 1) document.fail(at, "only one value may be given");
    node = table.entries[0].value;
  } catch (const Fault& fault) {
    if (std::string("[{\"'").find(written[first]) != std::string::npos)
      document.fail(at, fmt::format("the value is not TOML: {}", fault.message));
    node.kind = Kind::text;
    node.text = written.substr(first, written.find_last_not_of(" \t") + 1 - first);
  }
  mark(node, at);
  return node;
}

// The child that a step leads to; missing tables are created.
Node& enter(const Document& document, const Location& at, Node& node, const Step& step) {
  if (node.is(Kind::array)) {
    if (!step.is_index)
      document.fail(at, fmt::format("'{}' is inside a list; write its number", shown(step.name)));
    if (step.index >= node.items.size())
      document.fail(at, fmt::format("there is no item [{}]; the list has {}, counted from 0", step.index,
                                    node.items.size()));
    return node.items[step.index];
  }
  if (!node.is(Kind::table))
    document.fail(at, fmt::format("the key before '{}' is not a table", shown(step.name)));
  if (step.name.empty()) document.fail(at, fmt::format("there is no list with an item [{}]", step.index));
  if (Entry* entry = node.find(step.name)) return entry->value;
  Node table;
  table.at = at;
  node.entries.push_back({step.name, at, table});
  return node.entries.back().value;
}

// merges the keys of a variant into the scene; a key may be a path such as "bodies[0].velocity"
void merge(const Document& document, const Node& from, Node& into) {
  for (const Entry& entry : from.entries) {
    Node* node = &into;
    if (Entry* same = into.find(entry.key)) {
      node = &same->value;
    } else {
      std::vector<Step> steps;
      if (!split_key(entry.key, steps))
        document.fail(entry.at, fmt::format("'{}' is not a key", shown(entry.key)));
      for (const Step& step : steps) node = &enter(document, entry.at, *node, step);
    }
    if (entry.value.is(Kind::table) && node->is(Kind::table))
      merge(document, entry.value, *node);
    else
      *node = entry.value;
    if (Entry* changed = into.find(entry.key)) changed->at = entry.at;
  }
}

// The entry of [expect] for a path such as expect.bounds_max.y, or null. The file may spell the metric as one quoted key,
// "bounds_max.y", or as a dotted one.
Entry* find_metric(Node& table, const std::string& name, const std::string& prefix = "") {
  for (Entry& entry : table.entries) {
    if (!entry.value.is(Kind::table) && prefix + entry.key == name) return &entry;
    if (Entry* inner = find_metric(entry.value, name, prefix + entry.key + ".")) return inner;
  }
  return nullptr;
}
Entry* find_metric(Document& document, const std::vector<Step>& steps) {
  Entry* expect = steps[0].name == "expect" ? document.root.find("expect") : nullptr;
  std::string name;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    if (steps[i].name.empty()) return nullptr;  // the path is to one comparison of a list
    name += (i > 1 ? "." : "") + steps[i].name;
  }
  return expect ? find_metric(expect->value, name) : nullptr;
}

const std::string variant_key = "variant=";

}  // namespace

std::vector<std::string> variant_names(const std::string& text) {
  std::vector<std::string> names;
  const Node root = parse_toml(text);
  if (const Entry* variants = root.find("variants"))
    for (const Entry& variant : variants->value.entries) names.push_back(variant.key);
  return names;
}

void apply_variant(Document& document) {
  Node variants;
  if (const Entry* entry = document.root.find("variants")) {
    variants = entry->value;
    if (!variants.is(Kind::table))
      document.fail(entry->at, "write [variants.NAME], one table for each variant");
    for (const Entry& variant : variants.entries)
      if (!variant.value.is(Kind::table))
        document.fail(variant.at,
                      fmt::format("'{}' must be a table: write [variants.{}] and the keys it changes",
                                  shown(variant.key), shown(variant.key)));
  }
  std::erase_if(document.root.entries, [](const Entry& entry) { return entry.key == "variants"; });
  for (std::size_t i = 0; i < document.overrides.size(); ++i) {
    if (document.overrides[i].rfind(variant_key, 0) != 0) continue;
    const std::string name = document.overrides[i].substr(variant_key.size());
    std::vector<std::string> known;
    for (const Entry& variant : variants.entries) known.push_back(variant.key);
    const Entry* chosen = variants.find(name);
    if (!chosen)
      throw SceneError(fmt::format("--variant {0}: error: the scene has no variant '{0}'{1}", shown(name),
                                   known.empty() ? "" : "; there are " + listed(known)));
    merge(document, chosen->value, document.root);
  }
}

void apply_override(Document& document, int number) {
  const std::string& written = document.overrides[std::size_t(number)];
  if (written.rfind(variant_key, 0) == 0) return;  // applied before all others
  Location at;
  at.override_number = number;
  const std::size_t equals = written.find('=');
  std::vector<Step> steps;
  if (equals == std::string::npos) document.fail(at, "write key=value, such as simulation.cell_size=0.01");
  std::string key = written.substr(0, equals);
  key.erase(key.find_last_not_of(" \t") + 1);
  if (!split_key(key, steps) || steps.size() > std::size_t(max_depth))
    document.fail(at, fmt::format("'{}' is not a key; write one such as bodies[0].velocity", shown(key)));
  const Node value = value_of(document, at, written.substr(equals + 1));
  if (Entry* metric = find_metric(document, steps)) {
    metric->at = at, metric->value = value;
    return;
  }
  Node* node = &document.root;
  for (const Step& step : steps) node = &enter(document, at, *node, step);
  *node = value;
  // errors about the key itself must name the override too
  if (!steps.back().is_index || !steps.back().name.empty()) {
    Node* table = &document.root;
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) table = &enter(document, at, *table, steps[i]);
    if (Entry* entry = table->find(steps.back().name)) entry->at = at;
  }
}

}  // namespace dollop
