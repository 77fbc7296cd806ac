#include "io/json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace dollop {

// of fmt, since the library writes 1 as 1.0, and files must not change
std::string json_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

std::string json_string(std::string_view text) {
  constexpr int one_line = -1;
  return nlohmann::json(text).dump(one_line, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool is_json(std::string_view text) { return nlohmann::json::accept(text); }

}  // namespace dollop
