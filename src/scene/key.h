// The keys of a scene file as data. Reader, writer, schema and reference all run over these tables, so that a new
// key is one line in keys.cpp.
#pragma once

#include <dollop/scene.h>

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "materials/parameter.h"

namespace dollop {

struct Section;

// A choice among words that stands for an enumeration.
struct WordSlot {
  void* value;
  int (*get)(const void*);
  void (*set)(void*, int);
};
// A table of its own inside a table.
struct TableSlot {
  void* object;
  const Section& (*section)();
};
// Three factors, or one for all axes.
struct ScaleSlot {
  Double3* value;
};

// Where a value goes; its alternative decides how the value is written in TOML.
using Slot =
    std::variant<double*, int*, std::uint64_t*, bool*, std::string*, Double3*, std::optional<Double3>*,
                 Animated*, std::optional<Animated>*, Animated3*, std::vector<std::string>*, Shape*,
                 std::optional<Shape>*, WordSlot, TableSlot, ScaleSlot, Rotation*, std::vector<Layer>*>;

// Numbers beyond this are mistakes, and would overflow when multiplied.
inline constexpr double enormous = 1e30;
inline constexpr Range any_number{-enormous, enormous, false, false};
inline constexpr Range above_zero{0, enormous, true, false};
inline constexpr Range from_zero{0, enormous, false, false};
inline constexpr Range fraction{0, 1, false, false};
inline constexpr Range positive_fraction{0, 1, true, false};
inline constexpr Range below_one{0, 1, true, true};

// A word that users may expect, and why it is not there.
struct Refusal {
  std::string word, reason;
};

struct Key {
  std::string name = {}, unit = {}, help = {};
  Range range = any_number;
  std::function<Slot(void* object)> slot = {};
  std::vector<std::string> words = {};  // that the value, or each item of a list, may be; empty: any
  std::vector<Refusal> refused = {};
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

  const Key* find(const std::string& key) const;
  std::vector<std::string> names() const;
};

template <class T>
Slot slot_of(T& value) {
  if constexpr (std::is_enum_v<T>)
    return WordSlot{&value, [](const void* p) { return int(*static_cast<const T*>(p)); },
                    [](void* p, int i) { *static_cast<T*>(p) = T(i); }};
  else
    return &value;
}

// Collects the keys of a table that is read into an Object.
template <class Object>
struct SectionOf : Section {
  SectionOf(const char* section_name, const char* section_help, const char* section_example = "") {
    name = section_name, help = section_help, example = section_example;
    make_default = [] { return std::make_shared<Object>(); };
  }
  template <class Member>
  Key& number(const char* key, Member member, const char* unit, Range range, const char* key_help) {
    keys.push_back({key, unit, key_help, range,
                    [member](void* object) { return slot_of(static_cast<Object*>(object)->*member); }});
    return keys.back();
  }
  // everything that has no unit
  template <class Member>
  Key& value(const char* key, Member member, const char* key_help) {
    return number(key, member, "", any_number, key_help);
  }
  template <class Member>
  Key& table(const char* key, Member member, const Section& (*section)(), const char* key_help) {
    keys.push_back({key, "", key_help, any_number, [member, section](void* object) {
                      return TableSlot{&(static_cast<Object*>(object)->*member), section};
                    }});
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
