// Movies from numbered pictures, encoded by ffmpeg.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dollop {

// The files folder/pattern, numbered without gaps; `pattern` contains one %d or %0Nd, such as "preview.%04d.png".
struct PictureFiles {
  std::filesystem::path folder;
  std::string pattern;
  int first = 0;  // number of the first picture
};

// Symbolic links to pictures in any places, numbered without gaps, in a temporary folder that is removed with them.
class NumberedPictures {
 public:
  explicit NumberedPictures(const std::vector<std::filesystem::path>& pictures);
  ~NumberedPictures();
  NumberedPictures(const NumberedPictures&) = delete;
  NumberedPictures& operator=(const NumberedPictures&) = delete;
  PictureFiles files() const { return {folder_, "%06d.png", 0}; }

 private:
  std::filesystem::path folder_;
};

bool movies_possible();  // whether ffmpeg is installed

// These functions write to a temporary file and rename it at the end; they keep the pictures. They throw
// std::runtime_error with ffmpeg's last lines of output if it fails, or with a hint if it is not installed.

// Encodes H.264, or MPEG-4 if ffmpeg lacks H.264; width and height are rounded down to even numbers.
// Encoding quickly makes the file a little larger.
enum class MovieEffort { thorough, quick };
void make_movie(const PictureFiles& pictures, double frame_rate, const std::filesystem::path& out,
                MovieEffort effort = MovieEffort::thorough);

// A small looping animation for a web page, 320 pixels wide: GIF or WebP by the suffix of `out`. Colours, frame rate
// and at last the width are reduced until the file has at most `max_bytes`.
void make_small_animation(const PictureFiles& pictures, double frame_rate, const std::filesystem::path& out,
                          std::uintmax_t max_bytes = 2'000'000);

}  // namespace dollop
