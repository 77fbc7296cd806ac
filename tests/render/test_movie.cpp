#include "render/movie.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "render/image.h"

namespace dollop {
namespace {

namespace fs = std::filesystem;

// a folder with five small pictures of odd size; its name must not be taken for a pattern, an option or a command
class Movie : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / fmt::format("dollop 100%d '$(x)' {}", getpid());
    fs::create_directories(folder_);
    for (int k = 0; k < 5; ++k) {
      ByteImage image{65, 49, std::vector<std::uint8_t>(65 * 49 * 3)};
      for (std::size_t i = 0; i < image.rgb.size(); ++i)
        image.rgb[i] = std::uint8_t(i * 13 * (std::size_t(k) + 1));
      write_png(folder_ / fmt::format("preview.{:04}.png", k + 3), image);
    }
  }
  void TearDown() override { fs::remove_all(folder_); }

  PictureFiles pictures() const { return {folder_, "preview.%04d.png", 3}; }

  // what ffprobe says about the first stream
  std::string probe(const fs::path& file, const std::string& entries) const {
    const std::string copy = fmt::format("dollop_probe_{}", getpid());  // tests run side by side
    fs::copy_file(file, fs::path(testing::TempDir()) / copy, fs::copy_options::overwrite_existing);
    const std::string command = fmt::format(
        "cd '{}' && ffprobe -v error -count_frames -select_streams v:0 -show_entries stream={} "
        "-of csv=p=0 {}",
        testing::TempDir(), entries, copy);
    std::string text;
    FILE* pipe = popen(command.c_str(), "r");
    for (int c = 0; pipe && (c = std::fgetc(pipe)) != EOF;)
      if (c != '\n') text += char(c);
    if (pipe) pclose(pipe);
    fs::remove(fs::path(testing::TempDir()) / copy);
    return text;
  }

  fs::path folder_;
};

TEST_F(Movie, has_every_picture_at_the_right_rate) {
  if (!movies_possible()) GTEST_SKIP() << "ffmpeg is not installed";
  make_movie(pictures(), 24, folder_ / "preview.mp4");
  EXPECT_EQ(probe(folder_ / "preview.mp4", "width,height,pix_fmt,r_frame_rate,nb_read_frames"),
            "64,48,yuv420p,24/1,5");
  EXPECT_FALSE(fs::exists(folder_ / "preview.mp4.part"));
  EXPECT_TRUE(fs::exists(folder_ / "preview.0003.png"));
}

TEST_F(Movie, keeps_a_rate_that_is_not_whole) {
  if (!movies_possible()) GTEST_SKIP() << "ffmpeg is not installed";
  make_movie(pictures(), 12.5, folder_ / "preview.mp4");
  EXPECT_EQ(probe(folder_ / "preview.mp4", "r_frame_rate,nb_read_frames"), "25/2,5");
}

TEST_F(Movie, small_animation_stays_below_its_limit) {
  if (!movies_possible()) GTEST_SKIP() << "ffmpeg is not installed";
  make_small_animation(pictures(), 10, folder_ / "a.gif");
  EXPECT_EQ(probe(folder_ / "a.gif", "codec_name,width,nb_read_frames"), "gif,320,5");
  const auto size = fs::file_size(folder_ / "a.gif");
  make_small_animation(pictures(), 10, folder_ / "b.gif", size / 2);
  EXPECT_LE(fs::file_size(folder_ / "b.gif"), size / 2);
  EXPECT_THROW(make_small_animation(pictures(), 10, folder_ / "c.gif", 100), std::runtime_error);
  EXPECT_THROW(make_small_animation(pictures(), 10, folder_ / "c.avi"), std::runtime_error);
  EXPECT_FALSE(fs::exists(folder_ / "c.gif"));
  EXPECT_FALSE(fs::exists(folder_ / "c.gif.part"));
}

TEST_F(Movie, small_animation_may_be_webp) {
  if (!movies_possible()) GTEST_SKIP() << "ffmpeg is not installed";
  make_small_animation(pictures(), 10, folder_ / "a.webp");
  std::ifstream in(folder_ / "a.webp", std::ios::binary);
  std::string head(12, ' ');
  in.read(head.data(), 12);
  EXPECT_EQ(head.substr(0, 4) + head.substr(8), "RIFFWEBP");
}

TEST_F(Movie, says_what_ffmpeg_said) {
  if (!movies_possible()) GTEST_SKIP() << "ffmpeg is not installed";
  std::ofstream(folder_ / "preview.0003.png") << "this is no picture";
  try {
    make_movie(pictures(), 24, folder_ / "preview.mp4");
    FAIL() << "a movie was made of no picture";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("preview.mp4 was not made"), std::string::npos);
    EXPECT_GT(std::string(error.what()).size(), 80u);
  }
  EXPECT_FALSE(fs::exists(folder_ / "preview.mp4"));
  EXPECT_THROW(make_movie(pictures(), 0, folder_ / "preview.mp4"), std::runtime_error);
}

TEST_F(Movie, a_missing_ffmpeg_is_named) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  std::string message;
  try {
    make_movie(pictures(), 24, folder_ / "preview.mp4");
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  const bool possible = movies_possible();
  setenv("PATH", path.c_str(), 1);
  EXPECT_FALSE(possible);
  EXPECT_NE(message.find("ffmpeg is missing"), std::string::npos) << message;
  EXPECT_TRUE(fs::exists(folder_ / "preview.0003.png"));
}

}  // namespace
}  // namespace dollop
