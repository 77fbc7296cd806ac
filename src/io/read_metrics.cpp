#include "io/read_metrics.h"

#include <charconv>
#include <string_view>

#include "io/json.h"

namespace dollop {

namespace {

// Collects the numbers of a text that is_json() has found to be whole JSON, so that nothing needs to be checked twice.
class NumberCollector {
 public:
  NumberCollector(std::string_view text, std::map<std::string, double>& numbers)
      : rest_(text), numbers_(numbers) {}

  void value(const std::string& name) {
    skip_blanks();
    if (take('{')) return object(name);
    if (take('[')) return list(name);
    if (rest_[0] == '"') {
      string();
      return;
    }
    const std::size_t end = std::min(rest_.find_first_of(",]} \t\r\n"), rest_.size());
    double number = 0;
    if (std::from_chars(rest_.data(), rest_.data() + end, number).ec == std::errc()) numbers_[name] = number;
    rest_.remove_prefix(end);
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && std::string_view(" \t\r\n").find(rest_[0]) != std::string_view::npos)
      rest_.remove_prefix(1);
  }
  bool take(char c) {
    skip_blanks();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // the text between quotes; of escapes those that json_string() writes for bytes below a blank are undone
  std::string string() {
    std::string text;
    take('"');
    while (rest_[0] != '"') {
      if (rest_[0] != '\\') {
        text += rest_[0];
        rest_.remove_prefix(1);
        continue;
      }
      const char c = rest_[1];
      int code = 0;
      if (c == 'u') std::from_chars(rest_.data() + 2, rest_.data() + 6, code, 16);
      text += c == 'u' ? code < 0x80 ? char(code) : '?' : c == 'n' ? '\n' : c == 't' ? '\t' : c;
      rest_.remove_prefix(c == 'u' ? 6 : 2);
    }
    rest_.remove_prefix(1);
    return text;
  }
  void object(const std::string& name) {
    if (take('}')) return;
    do {
      skip_blanks();
      const std::string key = string();
      take(':');
      // a force is named by its collider alone
      const bool force = key == "force" && name.starts_with("contact_forces.");
      value(name.empty() ? key : force ? name : name + "." + key);
    } while (take(','));
    take('}');
  }
  void list(const std::string& name) {
    if (take(']')) return;
    for (std::size_t k = 0; k == 0 || take(','); ++k)
      value(name + "." + (k < 3 ? std::string(1, "xyz"[k]) : std::to_string(k)));
    take(']');
  }

  std::string_view rest_;
  std::map<std::string, double>& numbers_;
};

}  // namespace

bool parse_metrics_line(std::string_view line, std::map<std::string, double>& numbers) {
  if (!line.starts_with('{') || !is_json(line)) return false;
  NumberCollector(line, numbers).value("");
  return true;
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
