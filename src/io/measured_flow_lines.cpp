#include "io/measured_flow_lines.h"

#include <algorithm>

namespace dollop::measured_flow {
namespace {

bool is_continuation(char c) { return (c & 0xC0) == 0x80; }  // byte of a character in UTF-8

struct Character {
  char c;
  bool quoted;
  int line, column;
};
using Characters = std::vector<Character>;

bool is_blank(const Characters& line) {
  return std::all_of(line.begin(), line.end(), [](const Character& a) { return is_one_of(a.c, " \t"); });
}
bool begins_field(const Characters& before) {
  return before.empty() || (!before.back().quoted && is_one_of(before.back().c, " \t,;"));
}

// Lines without comments and quotation marks; quoted text may contain separators and line breaks (RFC 4180).
std::vector<Characters> characters_of(const std::string& text) {
  std::vector<Characters> lines(1);
  int line = 1, column = 1;
  bool quoted = false, comment = false;
  Field quotation{"\"", 1, 1};
  const std::size_t first = text.rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0;  // byte order mark
  for (std::size_t i = first; i < text.size(); ++i) {
    const char c = text[i], next = i + 1 < text.size() ? text[i + 1] : '\n';
    Characters& current = lines.back();
    if (c == '\n' && !quoted) {
      lines.emplace_back(), comment = false;
    } else if (!quoted && (c == '#' || (c == '/' && next == '/' && is_blank(current)))) {
      comment = true;
    } else if (c == '"' && !comment && (quoted ? next != '"' : begins_field(current))) {
      quoted = !quoted, quotation.line = line, quotation.column = column;
    } else if (!comment) {
      current.push_back({c == '\n' || c == '\r' ? ' ' : c, quoted, line, column});
      if (c == '"' && quoted) ++i, ++column;  // a doubled quotation mark is part of the text
    }
    if (c == '\n')
      ++line, column = 1;
    else if (!is_continuation(c))
      ++column;
  }
  if (quoted) quotation.fail("this quotation mark is not closed");
  return lines;
}

char separator_of(const Characters& line) {
  for (const char separator : {';', '\t', ','})
    for (const Character& a : line)
      if (a.c == separator && !a.quoted) return separator;
  return ' ';
}

Line split(const Characters& characters) {
  Line line{{}, separator_of(characters)};
  const auto ends = [&](std::size_t i) {
    return i == characters.size() || (characters[i].c == line.separator && !characters[i].quoted);
  };
  for (std::size_t i = 0, begin = 0; i <= characters.size(); ++i) {
    if (!ends(i)) continue;
    std::size_t end = i;
    while (begin < end && is_one_of(characters[begin].c, " \t")) ++begin;
    while (end > begin && is_one_of(characters[end - 1].c, " \t")) --end;
    const Character& at = characters[std::min(begin, characters.size() - 1)];
    Field field{"", at.line, at.column};
    for (; begin < end; ++begin) field.text += characters[begin].c;
    if (line.separator != ' ' || !field.text.empty()) line.fields.push_back(field);
    begin = i + 1;
  }
  return line;
}

}  // namespace

std::string Field::shown() const {
  std::size_t end = std::min<std::size_t>(text.size(), 40);
  while (end < text.size() && end > 0 && is_continuation(text[end])) --end;
  std::string out = text.substr(0, end);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = '?';
  return out;
}

std::vector<Line> lines_of(const std::string& text) {
  std::vector<Line> lines;
  for (const Characters& characters : characters_of(text))
    if (std::any_of(characters.begin(), characters.end(), [](auto& a) { return !is_one_of(a.c, " \t,;"); }))
      lines.push_back(split(characters));
  return lines;
}

}  // namespace dollop::measured_flow
