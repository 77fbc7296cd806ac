// Movies from numbered pictures, by ffmpeg.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace dollop {

// Pictures folder/pattern, numbered without gaps; `pattern` holds one %d or %0Nd, such as "preview.%04d.png".
struct PictureFiles {
  std::filesystem::path folder;
  std::string pattern;
  int first = 0;  // number of the first
};

bool movies_possible();  // whether ffmpeg is there

// All of these write under a temporary name and rename at the end, and leave the pictures alone. They throw
// std::runtime_error with ffmpeg's last lines if it fails, or with a hint if it is missing.

// H.264, or MPEG-4 where ffmpeg lacks that; sizes are made even.
void make_movie(const PictureFiles& pictures, double frame_rate, const std::filesystem::path& out);

// A small looping animation for a web page, 320 pixels wide: GIF or WebP by the suffix of `out`. Colours, rate and at
// last the width are lowered until it is not larger than `max_bytes`.
void make_small_animation(const PictureFiles& pictures, double frame_rate, const std::filesystem::path& out,
                          std::uintmax_t max_bytes = 2'000'000);

}  // namespace dollop
