#include "sweep.h"

#include <dollop/scene.h>
#include <fmt/core.h>

#include <set>

namespace dollop {
namespace {

std::vector<std::string> split_values(const std::string& text) {
  std::vector<std::string> values{""};
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '[' || c == '{')
      ++depth;
    else if (c == ']' || c == '}')
      --depth;
    if (c == ',' && depth == 0 && !quote)
      values.emplace_back();
    else
      values.back() += c;
  }
  return values;
}

// the name of a folder: the last word of the key and the value, without characters that file systems reject
std::string folder_name(const std::string& key, const std::string& value) {
  std::string name = key.substr(key.rfind('.') == std::string::npos ? 0 : key.rfind('.') + 1) + "=" + value;
  for (char& c : name)
    if (!(std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '+' || c == '=' ||
          c == '_'))
      c = '_';
  return name;
}

}  // namespace

std::vector<SweepPoint> sweep_points(const std::vector<std::string>& sweeps) {
  std::vector<SweepPoint> points{{}};
  std::set<std::string> keys;
  for (const std::string& sweep : sweeps) {
    const auto equals = sweep.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == sweep.size())
      throw SceneError(fmt::format("--sweep {}: error: write it as KEY=A,B,C", sweep));
    const std::string key = sweep.substr(0, equals);
    if (!keys.insert(key).second)
      throw SceneError(fmt::format("--sweep {}: error: {} is swept twice", sweep, key));
    std::vector<SweepPoint> next;
    for (const SweepPoint& point : points)
      for (const std::string& value : split_values(sweep.substr(equals + 1))) {
        if (value.empty()) throw SceneError(fmt::format("--sweep {}: error: there is an empty value", sweep));
        SweepPoint p = point;
        p.name += (p.name.empty() ? "" : ",") + folder_name(key, value);
        p.overrides.push_back(key + "=" + value);
        next.push_back(p);
      }
    points = std::move(next);
  }
  std::set<std::string> names;
  for (const SweepPoint& point : points)
    if (!names.insert(point.name).second)
      throw SceneError(fmt::format("--sweep: error: two runs would share the folder '{}'", point.name));
  return points;
}

}  // namespace dollop
