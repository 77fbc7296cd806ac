#include "scene/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "materials/registry.h"

namespace dollop {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }  // inside a UTF-8 character

// Splits a line into UTF-8 characters, so that columns can be counted.
std::vector<std::string> characters_of(const std::string& line) {
  std::vector<std::string> result;
  for (const char c : line) {
    if (continues(c) && !result.empty() && result.back().size() < 4)
      result.back() += c;
    else
      result.emplace_back(1, c);
  }
  return result;
}

bool is_whole_utf8(const std::string& c) {
  const auto first = static_cast<unsigned char>(c[0]);
  const std::size_t length = first < 0x80 ? 1 : first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  return c.size() == length && first < 0xF8;
}

std::string line_of(const std::string& text, int number) {
  std::size_t begin = 0;
  for (int i = 1; i < number; ++i) {
    begin = text.find('\n', begin);
    if (begin == std::string::npos) return "";
    ++begin;
  }
  std::string line = text.substr(begin, text.find('\n', begin) - begin);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

// a character as a terminal may show it: control characters and broken UTF-8 become '?'
std::string harmless(const std::string& c) {
  if (c == "\t") return " ";
  if (c.size() == 1) return (c[0] >= ' ' && c[0] < 0x7f) ? c : "?";
  // C1 control characters are two bytes beginning with C2
  const bool control = static_cast<unsigned char>(c[0]) == 0xC2 && static_cast<unsigned char>(c[1]) < 0xA0;
  return is_whole_utf8(c) && !control ? c : "?";
}

// the start of a message that repeats long text
std::string bounded(const std::string& message) {
  constexpr std::size_t most = 1000;
  std::size_t end = std::min(message.size(), most);
  while (end > 0 && end < message.size() && continues(message[end])) --end;
  return end < message.size() ? message.substr(0, end) + "..." : message;
}

const Node* child(const Node& node, const Step& step) {
  if (step.is_index && node.is(Node::Kind::array))
    return step.index < node.items.size() ? &node.items[step.index] : nullptr;
  if (!node.is(Node::Kind::table)) return nullptr;
  const Entry* entry = node.find(step.name);
  return entry ? &entry->value : nullptr;
}

}  // namespace

std::string shown(const std::string& text) {
  std::string result;
  std::size_t count = 0;
  for (const std::string& c : characters_of(text.substr(0, 400))) {
    if (++count > 60) return result + "...";
    result += harmless(c);
  }
  return result;
}

std::string show_error(const std::string& path, const std::string& text, const Location& at,
                       const std::string& message) {
  constexpr std::size_t width = 100;  // of the part of the line that is shown
  const auto line = characters_of(line_of(text, at.line));
  const std::size_t column = std::min<std::size_t>(std::size_t(std::max(at.column, 1)) - 1, line.size());
  const std::size_t first = column < width - 20 ? 0 : column - 40;
  const std::size_t last = std::min(line.size(), first + width);
  std::string part;
  for (std::size_t i = first; i < last; ++i) part += harmless(line[i]);
  const std::size_t carets = std::clamp<std::size_t>(std::size_t(std::max(at.length, 1)), 1,
                                                     std::max<std::size_t>(last - column, 1));
  return fmt::format("{}:{}:{}: error: {}\n{:>5} | {}\n{:>5} | {}{}", path, at.line, at.column,
                     bounded(message), at.line, part, "", std::string(column - first, ' '),
                     std::string(carets, '^'));
}

void Document::fail(const Location& at, const std::string& message) const {
  if (at.override_number >= 0)
    throw SceneError(
        fmt::format("--set {}: error: {}", shown(overrides[std::size_t(at.override_number)]), message));
  throw SceneError(show_error(path, text, at, message));
}

Location Document::locate(const std::string& key, bool of_value) const {
  std::vector<Step> steps;
  split_key(key, steps);
  const Node* node = &root;
  Location at{};
  for (const Step& step : steps) {
    const Node* next = child(*node, step);
    if (!next) break;
    const bool inside_table = node->is(Node::Kind::table);
    at = inside_table && !(of_value && !next->is(Node::Kind::table)) ? node->find(step.name)->at : next->at;
    node = next;
  }
  return at;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  return did_you_mean(word, known);
}

std::string listed(const std::vector<std::string>& words) {
  constexpr std::size_t most = 40;
  std::string result;
  const std::size_t count = words.size() > most ? most / 2 : words.size();
  for (std::size_t i = 0; i < count; ++i)
    result += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return count < words.size() ? fmt::format("{} or one of {} more", result, words.size() - count) : result;
}

bool split_key(const std::string& key, std::vector<Step>& steps) {
  const auto number = [](const std::string& digits, Step& step) {
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, step.index);
    return step.is_index = error == std::errc() && stop == end && !digits.empty() && digits.size() < 10;
  };
  std::size_t i = 0;
  while (i < key.size()) {
    Step step;
    if (key[i] == '"' || key[i] == '\'') {
      const std::size_t end = key.find(key[i], i + 1);
      if (end == std::string::npos) return false;
      step.name = key.substr(i + 1, end - i - 1);
      i = end + 1;
    } else {
      const std::size_t end = std::min(key.find_first_of(".[", i), key.size());
      step.name = key.substr(i, end - i);
      number(step.name, step);
      i = end;
    }
    if (step.name.empty()) return false;
    steps.push_back(step);
    while (i < key.size() && key[i] == '[') {
      const std::size_t end = key.find(']', i);
      Step item;
      if (end == std::string::npos || !number(key.substr(i + 1, end - i - 1), item)) return false;
      steps.push_back(item);
      i = end + 1;
    }
    if (i < key.size() && (key[i] != '.' || ++i == key.size())) return false;
  }
  return !steps.empty();
}

std::string quoted_key(const std::string& key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? key : "\"" + key + "\"";
}

}  // namespace dollop
