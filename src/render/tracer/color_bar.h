// The bar beside a picture that tells which colour is which number.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "render/image.h"

namespace dollop {

// Round numbers within a range, in order: 1, 2 or 5 times a power of ten apart, three to seven of them.
std::vector<double> bar_ticks(double low, double high);
// digits enough to tell neighbouring ticks apart
std::string tick_text(double value, double spacing);

// Draws a bar with ticks and a label into the right edge of the picture.
void draw_color_bar(ByteImage& image, const std::array<float, 2>& range, const std::string& label);

// The rectangle of the bar's colours, low end at the bottom [pixels]. Empty pictures have none.
struct BarPlace {
  int left, top, width, height;
};
BarPlace bar_place(int width, int height);

}  // namespace dollop
