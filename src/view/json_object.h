// Builders of JSON objects and lists.
#pragma once

#include <string>
#include <string_view>

#include "io/json.h"

namespace dollop {

class JsonList {
 public:
  JsonList& raw(std::string_view json) {
    if (text_.size() > 1) text_ += ',';
    text_ += json;
    return *this;
  }
  JsonList& number(double value) { return raw(json_number(value)); }
  JsonList& text(std::string_view value) { return raw(json_string(value)); }
  std::string str() const { return text_ + ']'; }

 private:
  std::string text_ = "[";
};

class JsonObject {
 public:
  JsonObject& raw(std::string_view name, std::string_view json) {
    if (text_.size() > 1) text_ += ',';
    text_ += json_string(name);
    text_ += ':';
    text_ += json;
    return *this;
  }
  JsonObject& number(std::string_view name, double value) { return raw(name, json_number(value)); }
  JsonObject& text(std::string_view name, std::string_view value) { return raw(name, json_string(value)); }
  JsonObject& flag(std::string_view name, bool value) { return raw(name, value ? "true" : "false"); }
  std::string str() const { return text_ + '}'; }

 private:
  std::string text_ = "{";
};

// Any sequence of numbers as a list.
template <class Numbers>
std::string json_numbers(const Numbers& numbers) {
  JsonList list;
  for (const auto& value : numbers) list.number(double(value));
  return list.str();
}

}  // namespace dollop
