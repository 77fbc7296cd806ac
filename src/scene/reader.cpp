#include "scene/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "boundary/motion.h"
#include "scene/units.h"

namespace dollop {
namespace {

using Kind = Node::Kind;

constexpr std::size_t longest_text = 4096;  // of names, titles and expressions

// the table at the top level that has a key, such as "[output]"; empty if none has
std::string home_of(const std::string& key) {
  for (const Part& part : parts())
    if (part.section().find(key)) return label_of(part);
  return "";
}

// the table inside a section that has a key, such as "[simulation.newton]"; empty if none has
std::string inner_home_of(const Section& section, const std::string& key) {
  for (const Key& inner : section.keys)
    if (inner.has_header && inner.table->find(key)) return fmt::format("[{}]", inner.table->name);
  return "";
}

}  // namespace

// --- tables

void Reader::unknown_key(const Section& section, const std::string& label, const Entry& entry) const {
  for (const Refusal& refusal : section.refused)
    if (refusal.word == entry.key) fail(entry.at, refusal.reason);
  std::string home = inner_home_of(section, entry.key);
  std::string hint = home.empty() ? suggestion(entry.key, section.names()) : "";
  if (home.empty()) home = home_of(entry.key);
  if (hint.empty() && !home.empty()) hint = fmt::format("; it belongs in {}", home);
  if (hint.empty() && section.keys.size() <= 8) hint = fmt::format("; there are {}", listed(section.names()));
  fail(entry.at, fmt::format("'{}' is not a key of {}{}", shown(entry.key), label, hint));
}

void Reader::require_keys(const Section& section, const std::string& label, const Entry& entry) const {
  for (const Key& key : section.keys)
    if (key.required && !entry.value.find(key.name))
      fail(entry.at,
           fmt::format("{} needs the key '{}'{}", label, key.name, key.help.empty() ? "" : ": " + key.help));
}

void Reader::read_table(const Section& section, const std::string& label, const Entry& entry,
                        void* object) const {
  if (!entry.value.is(Kind::table))
    fail(entry.value.at, fmt::format("{} must be a table, got {}", label, name_of(entry.value.kind)));
  for (const Entry& given : entry.value.entries) {
    const Key* key = section.find(given.key);
    if (!key) unknown_key(section, label, given);
    read_key(*key, given, object);
  }
  require_keys(section, label, entry);
}

// --- single values

void Reader::need(Kind kind, const Key& key, const Node& node, const char* expected) const {
  if (!node.is(kind))
    fail(node.at, fmt::format("'{}' must be {}, got {}", key.name, expected, name_of(node.kind)));
}

// angles are shown in degrees, whatever they were written in
void Reader::fail_angle(const Key& key, const Node& node, double value) const {
  constexpr double degree = std::numbers::pi / 180;
  double ignored = 0;
  const bool is_plain = !node.is(Kind::text) || parse_quantity(node.text, "", ignored).empty();
  const bool meant_degrees = is_plain && key.range.contains(value * degree);
  const Range range{key.range.low / degree, key.range.high / degree, key.range.low_open, key.range.high_open};
  fail(node.at,
       fmt::format(
           "'{}' must be {} deg, it is {:.10g} deg{}", key.name, range_text(range), value / degree,
           meant_degrees ? fmt::format("; plain angles are in radians, write \"{} deg\"", value) : ""));
}

void Reader::check_range(const Key& key, const Node& node, double value) const {
  if (key.range.infinite && value == std::numeric_limits<double>::infinity()) return;
  if (std::isnan(value) || std::isinf(value)) fail(node.at, fmt::format("'{}' must be finite", key.name));
  if (key.range.contains(value)) return;
  if (std::fabs(value) > enormous) fail(node.at, fmt::format("'{}' is too large: {}", key.name, value));
  if (key.unit == "rad") fail_angle(key, node, value);
  fail(node.at, fmt::format("'{}' must be {}, it is {}", key.name, range_text(key.range), value));
}

double Reader::number(const Key& key, const Node& node) const {
  double value = 0;
  if (key.range.infinite && node.is(Kind::text) && node.text == "inf") {
    value = std::numeric_limits<double>::infinity();
  } else if (node.is(Kind::text)) {
    const std::string fault = parse_quantity(node.text, key.unit, value);
    if (!fault.empty()) fail(node.at, fmt::format("'{}': {}", key.name, fault));
  } else if (node.is(Kind::number) || node.is(Kind::integer)) {
    value = node.number;
  } else {
    Unit unit;
    parse_unit(key.unit, unit);
    const std::string example =
        unit.dimension.is_pure() ? "a number" : "a number or " + dimension_example(unit.dimension);
    fail(node.at, fmt::format("'{}' must be {}, got {}", key.name, example, name_of(node.kind)));
  }
  check_range(key, node, value);
  return value;
}

std::int64_t Reader::integer(const Key& key, const Node& node) const {
  need(Kind::integer, key, node, "an integer");
  return node.integer;
}

std::string Reader::text(const Key& key, const Node& node) const {
  need(Kind::text, key, node, "text in quotation marks");
  if (node.text.size() > longest_text) fail(node.at, fmt::format("'{}' is too long", key.name));
  return node.text;
}

std::string Reader::word(const Key& key, const Node& node) const {
  need(Kind::text, key, node, fmt::format("one of the words {}", listed(key.words)).c_str());
  for (const Refusal& refusal : key.refused)
    if (refusal.word == node.text) fail(node.at, fmt::format("'{}': {}", refusal.word, refusal.reason));
  if (std::find(key.words.begin(), key.words.end(), node.text) != key.words.end()) return node.text;
  constexpr std::size_t many = 12;  // words that hide a suggestion behind them
  const std::string hint = suggestion(node.text, key.words);
  if (key.words.size() > many)
    fail(node.at, fmt::format("there is no {} \"{}\"{}", key.name, shown(node.text),
                              hint.empty() ? "; there are " + listed(key.words) : hint));
  fail(node.at,
       fmt::format("'{}' must be {}, got \"{}\"{}", key.name, listed(key.words), shown(node.text), hint));
}

Double3 Reader::vector(const Key& key, const Node& node) const {
  need(Kind::array, key, node, "a vector of three numbers such as [0, 1, 0]");
  if (node.items.size() != 3)
    fail(node.at, fmt::format("'{}' must have three numbers, it has {}", key.name, node.items.size()));
  const Double3 v{number(key, node.items[0]), number(key, node.items[1]), number(key, node.items[2])};
  // the squared length must not underflow
  if (key.is_direction && !(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] > 1e-60))
    fail(node.at, fmt::format("'{}' is a direction and must not be zero", key.name));
  return v;
}

std::vector<std::string> Reader::list(const Key& key, const Node& node) const {
  need(Kind::array, key, node, "a list such as [\"a\", \"b\"]");
  std::vector<std::string> result;
  for (const Node& item : node.items) {
    if (!key.words.empty()) word(key, item);
    const std::string value = text(key, item);
    if (std::find(result.begin(), result.end(), value) != result.end() && key.name != "files")
      fail(item.at, fmt::format("'{}' has \"{}\" twice", key.name, shown(value)));
    result.push_back(value);
  }
  return result;
}

// --- values that change in time

Animated::Kind Reader::animation_kind(const Key& key, const Node& table) const {
  static const std::vector<std::string> names{"keys", "expression", "interpolation"};
  for (const Entry& entry : table.entries)
    if (std::find(names.begin(), names.end(), entry.key) == names.end())
      fail(entry.at,
           fmt::format("'{}' is not a key of an animated value{}; write {{ keys = [[0, ...], [1, ...]] }} or "
                       "{{ expression = ... }}",
                       shown(entry.key), suggestion(entry.key, names)));
  const Entry *keys = table.find("keys"), *expression = table.find("expression"),
              *interpolation = table.find("interpolation");
  if (keys && expression) fail(expression->at, "give keys or an expression, not both");
  if (!keys && !expression)
    fail(table.at, fmt::format("'{}' needs keys or an expression: {{ keys = [[0, ...], [1, ...]] }} or "
                               "{{ expression = ... }}",
                               key.name));
  if (expression && interpolation)
    fail(interpolation->at, "an expression has no interpolation; leave the key out");
  if (expression) return Animated::Kind::expression;
  if (keys->value.is(Kind::array) && keys->value.items.empty())
    fail(keys->value.at, "keys must not be empty");
  if (!interpolation) return Animated::Kind::linear;
  Key how;
  how.name = "interpolation", how.words = {"linear", "smooth"};
  return word(how, interpolation->value) == "linear" ? Animated::Kind::linear : Animated::Kind::smooth;
}

double Reader::key_time(const Key& key, const Node& pair, double after) const {
  if (!pair.is(Kind::array) || pair.items.size() != 2)
    fail(pair.at, fmt::format("a key of '{}' must be a pair [time, value]", key.name));
  Key time;
  time.name = "time", time.unit = "s", time.range = any_number;
  const double t = number(time, pair.items[0]);
  if (!(t > after)) fail(pair.items[0].at, "times of keys must increase");
  return t;
}

Animated Reader::expression(const Key& key, const Node& node) const {
  if (node.is(Kind::number) || node.is(Kind::integer)) return number(key, node);
  Key e;
  e.name = "expression";
  const Animated result(text(e, node));
  if (const std::string fault = validate(result); !fault.empty())
    fail(node.at, fmt::format("'{}': {}", key.name, fault));
  return result;
}

Animated Reader::animated(const Key& key, const Node& node) const {
  if (!node.is(Kind::table)) return number(key, node);
  const Animated::Kind kind = animation_kind(key, node);
  if (kind == Animated::Kind::expression) return expression(key, node.find("expression")->value);
  const Node& keys = node.find("keys")->value;
  need(Kind::array, key, keys, "given by keys [[time, value], ...]");
  std::vector<Animated::Key> values;
  double after = -std::numeric_limits<double>::infinity();
  for (const Node& pair : keys.items) {
    after = key_time(key, pair, after);
    values.push_back({after, number(key, pair.items[1])});
  }
  return Animated(kind, values);
}

Animated3 Reader::animated_vector(const Key& key, const Node& node) const {
  if (node.is(Kind::array)) {
    if (node.items.size() != 3)
      fail(node.at, fmt::format("'{}' must have three components, it has {}", key.name, node.items.size()));
    return {animated(key, node.items[0]), animated(key, node.items[1]), animated(key, node.items[2])};
  }
  need(Kind::table, key, node, "a vector such as [0, 1, 0] or an animated one");
  const Animated::Kind kind = animation_kind(key, node);
  if (kind == Animated::Kind::expression) {
    const Node& three = node.find("expression")->value;
    if (!three.is(Kind::array) || three.items.size() != 3)
      fail(three.at,
           fmt::format("the expression of '{}' must be three, such as [\"sin(t)\", \"0\", \"0\"]", key.name));
    return {expression(key, three.items[0]), expression(key, three.items[1]),
            expression(key, three.items[2])};
  }
  const Node& keys = node.find("keys")->value;
  need(Kind::array, key, keys, "given by keys [[time, [x, y, z]], ...]");
  std::array<std::vector<Animated::Key>, 3> values;
  double after = -std::numeric_limits<double>::infinity();
  for (const Node& pair : keys.items) {
    after = key_time(key, pair, after);
    const Double3 v = vector(key, pair.items[1]);
    for (std::size_t d = 0; d < 3; ++d) values[d].push_back({after, v[d]});
  }
  return {Animated(kind, values[0]), Animated(kind, values[1]), Animated(kind, values[2])};
}

Rotation Reader::rotation(const Key& key, const Node& node) const {
  const bool rows = node.is(Kind::array) && !node.items.empty() && node.items[0].is(Kind::array);
  if (!rows) return rotation_of_angles(vector(key, node));
  if (node.items.size() != 3) fail(node.at, fmt::format("'{}' must have three rows", key.name));
  Key row = key;
  row.unit = "";
  return {vector(row, node.items[0]), vector(row, node.items[1]), vector(row, node.items[2])};
}

// --- the value of any key

struct Reader::Value {
  const Reader& reader;
  const Key& key;
  const Entry& entry;
  const Node& node = entry.value;

  std::int64_t integer_in_range() const {
    const std::int64_t value = reader.integer(key, node);
    reader.check_range(key, node, double(value));
    return value;
  }

  void operator()(double* to) const {
    *to = key.range.whole ? double(integer_in_range()) : reader.number(key, node);
  }
  void operator()(int* to) const {
    const std::int64_t value = integer_in_range();
    *to = int(
        std::clamp<std::int64_t>(value, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
  }
  void operator()(std::uint64_t* to) const {
    const std::int64_t value = reader.integer(key, node);
    if (value < 0) reader.fail(node.at, fmt::format("'{}' must be >= 0, it is {}", key.name, value));
    *to = std::uint64_t(value);
  }
  void operator()(bool* to) const {
    reader.need(Kind::boolean, key, node, "true or false");
    *to = node.boolean;
  }
  void operator()(std::string* to) const {
    if (!key.words.empty()) reader.word(key, node);
    *to = reader.text(key, node);
  }
  void operator()(Double3* to) const { *to = reader.vector(key, node); }
  void operator()(std::optional<Double3>* to) const { *to = reader.vector(key, node); }
  void operator()(Animated* to) const { *to = reader.animated(key, node); }
  void operator()(std::optional<Animated>* to) const { *to = reader.animated(key, node); }
  void operator()(Animated3* to) const { *to = reader.animated_vector(key, node); }
  void operator()(std::vector<std::string>* to) const { *to = reader.list(key, node); }
  void operator()(Shape* to) const { *to = reader.shape(entry); }
  void operator()(std::optional<Shape>* to) const { *to = reader.shape(entry); }
  void operator()(Rotation* to) const { *to = reader.rotation(key, node); }
  void operator()(std::vector<Layer>* to) const {
    reader.need(Kind::array, key, node,
                "a list of tables such as [{ material = \"crust\", depth = \"2 mm\" }]");
    for (const Node& item : node.items) {
      to->emplace_back();
      reader.read_table(layer_section(), "layers", {key.name, item.at, item}, &to->back());
    }
  }
  void operator()(const WordSlot& to) const { to.set(reader.word(key, node)); }
  void operator()(const TableSlot& to) const {
    const std::string& name = key.table->name;
    reader.read_table(*key.table, key.has_header ? "[" + name + "]" : name, entry, to.object);
  }
  void operator()(const ScaleSlot& to) const {
    if (node.is(Kind::array))
      *to.value = reader.vector(key, node);
    else
      to.value->fill(reader.number(key, node));
  }
};

void Reader::read_key(const Key& key, const Entry& entry, void* object) const {
  std::visit(Value{*this, key, entry}, key.slot(object));
}

}  // namespace dollop
