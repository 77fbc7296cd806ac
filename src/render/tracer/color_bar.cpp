#include "render/tracer/color_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/tracer/color_map.h"
#include "render/tracer/font.h"

namespace dollop {
namespace {

int text_scale(int height) { return std::max(1, height / 300); }

void set_pixel(ByteImage& image, int x, int y, const std::array<std::uint8_t, 3>& color) {
  if (x < 0 || y < 0 || x >= image.width || y >= image.height) return;
  std::uint8_t* p = &image.rgb[3 * (std::size_t(y) * std::size_t(image.width) + std::size_t(x))];
  std::copy(color.begin(), color.end(), p);
}

// darkens the area behind the bar, so that its text is legible on any picture
void darken(ByteImage& image, int left, int top, int right, int bottom) {
  for (int y = std::max(0, top); y < std::min(bottom, image.height); ++y)
    for (int x = std::max(0, left); x < std::min(right, image.width); ++x) {
      std::uint8_t* p = &image.rgb[3 * (std::size_t(y) * std::size_t(image.width) + std::size_t(x))];
      for (int c = 0; c < 3; ++c) p[c] = std::uint8_t(p[c] * 9 / 20);
    }
}

// 1, 2 or 5 times a power of ten that gives three to seven ticks
double tick_spacing(double low, double high) {
  const double wanted = (high - low) / 5;
  const double power = std::pow(10.0, std::floor(std::log10(wanted)));
  const double digit = wanted / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

}  // namespace

std::vector<double> bar_ticks(double low, double high) {
  std::vector<double> ticks;
  if (!(high > low) || !std::isfinite(high - low)) return ticks;
  const double spacing = tick_spacing(low, high);
  const double slack = 1e-6 * (high - low);  // so that rounding errors do not drop ticks at the ends
  for (double k = std::ceil((low - slack) / spacing); k * spacing <= high + slack; ++k)
    ticks.push_back(k * spacing + 0.0);
  return ticks;
}

std::string tick_text(double value, double spacing) {
  const double largest = std::max(std::abs(value), spacing);
  if (largest >= 1e5 || spacing < 1e-4) {
    const int digits =
        std::max(0, int(std::floor(std::log10(largest) + 1e-9) - std::floor(std::log10(spacing) + 1e-9)));
    return value == 0 ? "0" : fmt::format("{:.{}e}", value, digits);
  }
  const int decimals = std::max(0, -int(std::floor(std::log10(spacing) + 1e-9)));
  return fmt::format("{:.{}f}", value == 0 ? 0.0 : value, decimals);
}

BarPlace bar_place(int width, int height) {
  const int scale = text_scale(height);
  const int bar_height = height * 6 / 10, bar_width = 12 * scale;
  return {width - bar_width - 58 * scale, (height - bar_height) / 2 + 8 * scale, bar_width, bar_height};
}

void draw_color_bar(ByteImage& image, const std::array<float, 2>& range, const std::string& label) {
  const int scale = text_scale(image.height);
  const BarPlace place = bar_place(image.width, image.height);
  const int label_width = text_width(label, scale);
  const int label_left = std::min(place.left, image.width - label_width - 8 * scale);
  darken(image, std::min(place.left, label_left) - 8 * scale, place.top - 26 * scale, image.width,
         place.top + place.height + 14 * scale);
  for (int y = 0; y < place.height; ++y) {
    const Vec3<float> c = color_of((float(place.height - y) - 0.5f) / float(place.height));
    for (int x = 0; x < place.width; ++x)
      set_pixel(image, place.left + x, place.top + y,
                {std::uint8_t(std::lround(255 * c.x)), std::uint8_t(std::lround(255 * c.y)),
                 std::uint8_t(std::lround(255 * c.z))});
  }
  const double low = range[0], high = range[1];
  if (!(high > low)) return;
  const double spacing = tick_spacing(low, high);
  for (const double tick : bar_ticks(low, high)) {
    const double s = std::clamp((tick - low) / (high - low), 0.0, 1.0);
    const int y = place.top + int(std::lround((1 - s) * (place.height - 1)));
    for (int x = 0; x < 4 * scale; ++x) set_pixel(image, place.left + place.width + x, y, {235, 235, 235});
    draw_text(image, place.left + place.width + 7 * scale, y - 3 * scale, tick_text(tick, spacing), scale);
  }
  draw_text(image, label_left, place.top - 18 * scale, label, scale);
}

}  // namespace dollop
