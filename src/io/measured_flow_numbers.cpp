#include "io/measured_flow_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace dollop::measured_flow {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// characters of several bytes, or an apostrophe, that separate groups of digits
constexpr std::string_view group_signs[] = {"\u00A0", "\u202F", "\u2009", "\u2019", "'"};

// a number in parts: "+1.234,5e3" -> whole "1.234", fraction "5", exponent "e3"
struct Written {
  bool negative = false;
  std::string_view mantissa, exponent;
};

Written split(std::string_view text) {
  Written w;
  if (!text.empty() && is_one_of(text[0], "+-")) w.negative = text[0] == '-', text.remove_prefix(1);
  const std::size_t end = std::min(text.find_first_of("eE"), text.size());
  w.mantissa = text.substr(0, end), w.exponent = text.substr(end);
  return w;
}

// Removes the separators of groups from a whole number; false if its groups are not of three digits.
bool join_groups(std::string_view text, char sign, bool blanks, std::string& digits) {
  std::size_t since = 0, groups = 0;  // digits since the last separator
  while (!text.empty()) {
    if (is_digit(text[0])) {
      digits += text[0], ++since;
      text.remove_prefix(1);
      continue;
    }
    std::size_t length = text[0] == sign || (blanks && text[0] == ' ') ? 1 : 0;
    for (const std::string_view group : group_signs)
      if (text.starts_with(group)) length = group.size();
    const bool whole = groups == 0 ? since >= 1 && since <= 3 : since == 3;
    if (length == 0 || !whole) return false;
    text.remove_prefix(length);
    since = 0, ++groups;
  }
  return groups == 0 || since == 3;
}

}  // namespace

bool read_number(const Field& field, char separator, DecimalSign sign, double& value) {
  const Written w = split(field.text);
  const char decimal = sign == DecimalSign::point ? '.' : ',', other = sign == DecimalSign::point ? ',' : '.';
  const std::size_t at = w.mantissa.rfind(decimal);
  const bool has_fraction = at != std::string_view::npos;
  const std::string_view whole = w.mantissa.substr(0, at);
  const std::string_view fraction = has_fraction ? w.mantissa.substr(at + 1) : "";
  std::string plain = w.negative ? "-" : "";
  if (!join_groups(whole, other, is_one_of(separator, ";\t"), plain)) return false;
  if (!std::all_of(fraction.begin(), fraction.end(), is_digit) || (whole.empty() && fraction.empty()))
    return false;
  if (has_fraction) plain += ".", plain += fraction;
  std::string_view exponent = w.exponent;
  if (exponent.size() > 1) {
    plain += 'e', exponent.remove_prefix(1);
    if (exponent[0] == '+') exponent.remove_prefix(1);
    if (exponent.empty()) return false;
    plain += exponent;
  } else if (!exponent.empty()) {
    return false;
  }
  const auto [stop, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (error == std::errc::result_out_of_range) value = HUGE_VAL;
  return error != std::errc::invalid_argument && stop == plain.data() + plain.size();
}

bool is_number(const Field& field, char separator) {
  double ignored = 0;
  return read_number(field, separator, DecimalSign::point, ignored) ||
         read_number(field, separator, DecimalSign::comma, ignored);
}

bool has_number(const Line& line) {
  return std::any_of(line.fields.begin(), line.fields.end(),
                     [&](const Field& field) { return is_number(field, line.separator); });
}

void DecimalSigns::add(const Field& field, char separator) {
  const Written w = split(field.text);
  const auto count = [&](char c) { return std::count(w.mantissa.begin(), w.mantissa.end(), c); };
  const auto commas = count(','), points = count('.');
  const auto prove = [&](char decimal) {
    (decimal == ',' ? comma_ : point_) = true;
    if (comma_ && point_) field.fail("this table has both decimal commas and decimal points");
  };
  if (commas > 0 && points > 0)
    prove(w.mantissa.rfind(',') > w.mantissa.rfind('.') ? ',' : '.');
  else if (commas > 1 || points > 1)
    prove(commas > 1 ? '.' : ',');
  else if (commas + points == 1) {
    const char sign = commas == 1 ? ',' : '.';
    const std::size_t at = w.mantissa.find(sign);
    const bool three_digits = w.mantissa.size() - at == 4 && w.exponent.empty();
    if (!three_digits || at == 0 || at > 3 || w.mantissa[0] == '0')
      prove(sign);
    else if (sign == ',' && is_one_of(separator, ", ") && !ambiguous_comma_)
      ambiguous_comma_ = &field;
    else if (sign == ',')
      likely_comma_ = true;
  }
}

DecimalSign DecimalSigns::result() const {
  if (comma_) return DecimalSign::comma;
  if (point_) return DecimalSign::point;
  if (ambiguous_comma_)
    ambiguous_comma_->fail(
        fmt::format("'{}' can be read in two ways; write it without a comma", ambiguous_comma_->shown()));
  return likely_comma_ ? DecimalSign::comma : DecimalSign::point;
}

}  // namespace dollop::measured_flow
