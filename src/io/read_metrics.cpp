#include "io/read_metrics.h"

#include <nlohmann/json.hpp>
#include <string_view>

namespace dollop {

namespace {

constexpr int max_depth = 64;  // guards the stack

// Adds the numbers in a value of this name, with those of its members; false: it is nested too deeply.
bool collect(const nlohmann::json& value, const std::string& name, int depth,
             std::map<std::string, double>& numbers) {
  if (depth > max_depth) return false;
  if (value.is_number()) numbers[name] = value.get<double>();
  if (value.is_array())
    for (std::size_t k = 0; k < value.size(); ++k) {
      const std::string index = k < 3 ? std::string(1, "xyz"[k]) : std::to_string(k);
      if (!collect(value[k], name + "." + index, depth + 1, numbers)) return false;
    }
  if (value.is_object())
    for (const auto& [key, member] : value.items()) {
      // a force is named by its collider alone
      const bool force = key == "force" && name.starts_with("contact_forces.");
      const std::string full = name.empty() ? key : force ? name : name + "." + key;
      if (!collect(member, full, depth + 1, numbers)) return false;
    }
  return true;
}

}  // namespace

bool parse_metrics_line(std::string_view line, std::map<std::string, double>& numbers) {
  const nlohmann::json value = nlohmann::json::parse(line, nullptr, false);  // without exceptions
  return value.is_object() && collect(value, "", 0, numbers);
}

std::vector<std::map<std::string, double>> read_metrics(const std::filesystem::path& file) {
  std::vector<std::map<std::string, double>> lines;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return lines;
  const std::string bytes = read_whole_file(file);
  std::string_view text = bytes;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    std::map<std::string, double> numbers;
    if (parse_metrics_line(text.substr(0, end), numbers)) lines.push_back(std::move(numbers));
    text.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace dollop
