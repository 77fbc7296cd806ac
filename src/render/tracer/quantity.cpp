#include "render/tracer/quantity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/parallel.h"
#include "io/quantities.h"
#include "render/tracer/color_map.h"

namespace dollop {

std::vector<float> values_of_quantity(const ParticleFrame& frame, const std::string& name) {
  if (auto values = quantity(frame, name)) return *std::move(values);
  throw std::invalid_argument(
      fmt::format("these frames have no '{}' to colour by; they have: {}. A scene lists what is written "
                  "under output.attributes",
                  name, fmt::join(quantity_names(frame), ", ")));
}

std::string quantity_label(const std::string& name) {
  static constexpr std::array<std::pair<const char*, const char*>, 6> units{{{"speed", "m/s"},
                                                                             {"velocity", "m/s"},
                                                                             {"pressure", "Pa"},
                                                                             {"stress", "Pa"},
                                                                             {"mass", "kg"},
                                                                             {"volume", "m^3"}}};
  for (const auto& [quantity, unit_name] : units)
    if (name == quantity) return fmt::format("{} [{}]", name, unit_name);
  return name;
}

std::array<float, 2> range_of(std::vector<float> values) {
  values.erase(std::remove_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); }),
               values.end());
  if (values.empty()) return {0, 1};
  const std::size_t outliers = values.size() / 500;
  const auto at = [&](std::size_t k) {
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(k), values.end());
    return values[k];
  };
  const float low = at(outliers), high = at(values.size() - 1 - outliers);
  if (high > low) return {low, high};
  const float margin = low == 0 ? 1 : std::abs(0.1f * low);
  return {low - (low == 0 ? 0 : margin), low + margin};
}

std::array<float, 2> parse_range(const std::string& text) {
  const auto bad = [&] {
    return std::invalid_argument(
        fmt::format("'{}' is not a range: write two numbers, the lower one first, such as 0:2.5", text));
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) throw bad();
  const auto number = [&](const std::string& part) {
    std::size_t used = 0;
    float value = 0;
    try {
      value = std::stof(part, &used);
    } catch (const std::exception&) {
      throw bad();
    }
    if (used != part.size() || !std::isfinite(value)) throw bad();
    return value;
  };
  const std::array<float, 2> range{number(text.substr(0, colon)), number(text.substr(colon + 1))};
  if (!(range[0] < range[1])) throw bad();
  return range;
}

std::vector<Vec3<float>> colors_of(const std::vector<float>& values, const std::array<float, 2>& range) {
  std::vector<Vec3<float>> colors(values.size());
  const float scale = 1 / (range[1] - range[0]);
  parallel_for(values.size(), 8192,
               [&](std::size_t i) { colors[i] = linear_color_of(scale * (values[i] - range[0])); });
  return colors;
}

}  // namespace dollop
