#include "summary.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "io/json.h"
#include "terminal.h"

namespace dollop {
namespace {

std::string volume_text(const RunSummary& s) {
  const auto worst =
      std::max_element(s.volume_change.begin(), s.volume_change.end(),
                       [](const auto& a, const auto& b) { return a.second.value < b.second.value; });
  const std::string particles =
      fmt::format("J of a particle from {:.3g} to {:.3g}", s.min_J.value, s.max_J.value);
  if (worst == s.volume_change.end() || worst->second.value == 0) return particles;
  return fmt::format("changed by up to {:.2g} % on average ('{}', at {:.4g} s); {}",
                     100 * worst->second.value, worst->first, worst->second.time, particles);
}

// as one word of a shell
std::string shell_word(const std::string& text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/:@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string worst_json(const RunSummary::Worst& worst) {
  return fmt::format("{{\"value\":{},\"time\":{}}}", json_number(worst.value), json_number(worst.time));
}

}  // namespace

void print_summary(const RunResult& result) {
  const RunSummary& s = result.summary;
  fmt::print("volume  {}\n", volume_text(s));
  fmt::print("mass    changed by up to {:.2g} of what came in\n", s.mass_error.value);
  fmt::print("steps   {}", with_separators(std::uint64_t(s.steps)));
  if (s.shortest_step.value > 0)
    fmt::print(", the shortest {:.3g} s, at {:.4g} s", s.shortest_step.value, s.shortest_step.time);
  fmt::print("; {} rejected\n", with_separators(std::uint64_t(s.rejected_steps)));
}

void print_next_commands(const RunOptions& options) {
  const std::string folder = shell_word(options.folder.string());
  fmt::print("next    dollop view {0}\n        dollop render {0} --movie\n        dollop plot {0}\n", folder);
}

std::string summary_json(const RunSummary& s) {
  std::string volumes, warnings;
  for (const auto& [material, worst] : s.volume_change)
    volumes += fmt::format("{}{}:{}", volumes.empty() ? "" : ",", json_string(material), worst_json(worst));
  for (const std::string& warning : s.warnings)
    warnings += fmt::format("{}{}", warnings.empty() ? "" : ",", json_string(warning));
  return fmt::format(
      "\"seconds\":{},\"steps\":{},\"rejected_steps\":{},\"shortest_step\":{},\"mass_error\":{},\"min_J\":{},"
      "\"max_J\":{},\"volume_change\":{{{}}},\"warnings\":[{}]",
      json_number(s.seconds), s.steps, s.rejected_steps, worst_json(s.shortest_step),
      worst_json(s.mass_error), worst_json(s.min_J), worst_json(s.max_J), volumes, warnings);
}

}  // namespace dollop
