// A bitmap font of 5 by 7 dots for text in pictures.
#pragma once

#include <string_view>

#include "render/image.h"

namespace dollop {

inline constexpr int glyph_width = 5, glyph_height = 7;

// The rows of a character from the top; the left dot is the highest of five bits. Unknown characters are a box.
const unsigned char* glyph_of(char c);

// Draws text with its top left corner at (x, y), each dot `scale` pixels wide, clipped to the image.
void draw_text(ByteImage& image, int x, int y, std::string_view text, int scale);
int text_width(std::string_view text, int scale);  // [pixels]

}  // namespace dollop
