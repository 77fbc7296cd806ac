// The keys of a scene file as data. Reader, writer, schema and reference page all run over these tables, so that adding
// a key takes one line.
#pragma once

#include <dollop/scene.h>

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "materials/parameter.h"
#include "scene/words.h"

namespace dollop {

struct Section;

// A value that is written as one of the words of its key.
struct WordSlot {
  std::function<std::string()> get;
  std::function<void(const std::string& word)> set;
};
// A table inside a table: the object that it is read into.
struct TableSlot {
  void* object;
};
// Three factors, or one for all axes.
struct ScaleSlot {
  Double3* value;
};

// Where the value of a key is stored. The alternative decides how the value is written in TOML.
using Slot =
    std::variant<double*, int*, std::uint64_t*, bool*, std::string*, Double3*, std::optional<Double3>*,
                 Animated*, std::optional<Animated>*, Animated3*, std::vector<std::string>*, Shape*,
                 std::optional<Shape>*, WordSlot, TableSlot, ScaleSlot, Rotation*, std::vector<Layer>*>;

// Numbers beyond this are mistakes, and their products would overflow.
inline constexpr double enormous = 1e30;
inline constexpr Range any_number{-enormous, enormous, false, false};
inline constexpr Range above_zero{0, enormous, true, false};
inline constexpr Range from_zero{0, enormous, false, false};
inline constexpr Range fraction{0, 1, false, false};
inline constexpr Range positive_fraction{0, 1, true, false};

// A word or a key that users may expect, and the message that says why it is not there.
struct Refusal {
  std::string word, reason;
};

struct Key {
  std::string name = {}, unit = {}, help = {};
  Range range = any_number;
  std::function<Slot(void* object)> slot = {};
  std::vector<std::string> words = {};  // allowed for the value, or for each item of a list; empty: any text
  std::vector<Refusal> refused = {};    // words that get a message of their own
  const Section* table = nullptr;       // of a TableSlot: the keys of that table
  bool has_header = false;              // the table is written below a header, as [simulation.newton]
  bool required = false;
  bool is_direction = false;  // a vector that must not be zero

  Key& must() { return required = true, *this; }
  Key& direction() { return is_direction = true, *this; }
  Key& one_of(std::vector<std::string> allowed, std::vector<Refusal> not_allowed = {}) {
    words = std::move(allowed), refused = std::move(not_allowed);
    return *this;
  }
};

std::string range_text(const Range& range);  // "> 0", "0 to 1"; empty if every number is allowed

struct Section {
  std::string name, help, example;
  std::vector<Key> keys;
  std::function<std::shared_ptr<void>()> make_default;
  std::vector<Refusal> refused = {};  // names of keys that get a message of their own

  const Key* find(const std::string& key) const;
  std::vector<std::string> names() const;
};

template <class T>
Slot slot_of(T& value) {
  if constexpr (std::is_enum_v<T>)
    return WordSlot{[&value] { return word_of(value); },
                    [&value](const std::string& word) { value = value_of<T>(word).value(); }};
  else
    return &value;
}

// Collects the keys of a table that is read into an Object.
template <class Object>
struct SectionOf : Section {
  SectionOf(std::string section_name, std::string section_help, std::string section_example = "") {
    name = std::move(section_name), help = std::move(section_help), example = std::move(section_example);
    make_default = [] { return std::make_shared<Object>(); };
  }
  template <class Member>
  Key& number(const char* key, Member member, const char* unit, Range range, std::string key_help) {
    using Value = std::remove_reference_t<decltype(std::declval<Object&>().*member)>;
    keys.push_back({key, unit, std::move(key_help), range,
                    [member](void* object) { return slot_of(static_cast<Object*>(object)->*member); }});
    if constexpr (std::is_enum_v<Value>) keys.back().words = words_of<Value>();
    return keys.back();
  }
  // everything that has no unit
  template <class Member>
  Key& value(const char* key, Member member, std::string key_help) {
    return number(key, member, "", any_number, std::move(key_help));
  }
  template <class Member>
  Key& table(const char* key, Member member, const Section& section, const char* key_help) {
    keys.push_back({key, "", key_help, any_number,
                    [member](void* object) { return TableSlot{&(static_cast<Object*>(object)->*member)}; }});
    keys.back().table = &section;
    return keys.back();
  }
  template <class Member>
  Key& scale(const char* key, Member member, const char* key_help) {
    keys.push_back({key, "", key_help, above_zero,
                    [member](void* object) { return ScaleSlot{&(static_cast<Object*>(object)->*member)}; }});
    return keys.back();
  }
};

}  // namespace dollop
