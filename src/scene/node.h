// A scene file as a tree of values with their locations in the text.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dollop {

// Where a key or a value was written: in the text, or in an override of the command line.
struct Location {
  int line = 1, column = 1;  // counted from 1
  int length = 1;            // characters to underline, on one line
  int override_number = -1;  // index of the override; -1: in the text
};

struct Entry;

struct Node {
  enum class Kind { boolean, integer, number, text, date, array, table };
  Kind kind = Kind::table;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;
  std::string text = {};
  std::vector<Node> items;     // of an array
  std::vector<Entry> entries;  // of a table, in the order of the file
  Location at = {};

  Entry* find(const std::string& key);
  const Entry* find(const std::string& key) const;
  bool is(Kind other) const { return kind == other; }
};

struct Entry {
  std::string key;
  Location at = {};
  Node value = {};
};

inline const Entry* Node::find(const std::string& key) const {
  for (const Entry& entry : entries)
    if (entry.key == key) return &entry;
  return nullptr;
}
inline Entry* Node::find(const std::string& key) {
  return const_cast<Entry*>(std::as_const(*this).find(key));
}

// "a table", "text" and so on, for messages
inline const char* name_of(Node::Kind kind) {
  constexpr const char* names[] = {"true or false", "an integer", "a number", "text",
                                   "a date",        "an array",   "a table"};
  return names[int(kind)];
}

// A syntax error and its location.
struct Fault {
  Location at;
  std::string message;
};

// Parses TOML. Throws Fault for syntax errors and for nesting deeper than `max_depth`.
Node parse_toml(const std::string& text);

inline constexpr int max_depth = 32;  // of nested tables and arrays; scenes need less than 20

}  // namespace dollop
