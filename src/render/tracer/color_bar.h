// The colour bar of a picture that shows a quantity.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "render/image.h"

namespace dollop {

// Ticks at round numbers within a range: three to seven, spaced by 1, 2 or 5 times a power of ten.
std::vector<double> bar_ticks(double low, double high);
// the label of a tick, with as many digits as neighbouring ticks need to differ
std::string tick_text(double value, double spacing);

// Draws the bar with ticks and a label at the right edge of the picture.
void draw_color_bar(ByteImage& image, const std::array<float, 2>& range, const std::string& label);

// The rectangle of the bar's colours, with the low end at the bottom [pixels]. Empty for an empty picture.
struct BarPlace {
  int left, top, width, height;
};
BarPlace bar_place(int width, int height);

}  // namespace dollop
