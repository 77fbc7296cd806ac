// A small font for words in pictures: digits, letters and signs, five by seven dots.
#pragma once

#include <string_view>

#include "render/image.h"

namespace dollop {

inline constexpr int glyph_width = 5, glyph_height = 7;

// Rows from the top, the left dot is the highest of five bits. Unknown characters are a box; lower case has its own
// forms.
const unsigned char* glyph_of(char c);

// Draws with the top left dot of the first letter at (x, y), each dot `scale` pixels wide; what is outside is left out.
void draw_text(ByteImage& image, int x, int y, std::string_view text, int scale);
int text_width(std::string_view text, int scale);  // [pixels]

}  // namespace dollop
