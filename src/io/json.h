// Writing and checking of JSON.
#pragma once

#include <string>
#include <string_view>

namespace dollop {

std::string json_number(double value);           // the shortest exact representation; null if not finite
std::string json_string(std::string_view text);  // quoted; bytes that are not UTF-8 become U+FFFD
bool is_json(std::string_view text);             // whether it is exactly one value of strict JSON

}  // namespace dollop
