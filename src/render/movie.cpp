#include "render/movie.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <vector>

extern char** environ;

namespace dollop {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

struct Outcome {
  bool found = true;  // ffmpeg is installed
  int status = 0;
  std::string errors = {};  // what it wrote to stderr
};

// Reads a pipe to its end; keeps only the last part of a long output.
std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t n = read(descriptor, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer.data(), std::size_t(n));
    if (text.size() > 100'000) text.erase(0, text.size() - 50'000);
  }
}

// Runs ffmpeg with these arguments, without a shell.
Outcome run_ffmpeg(const Arguments& arguments) {
  std::vector<char*> pointers;
  for (const std::string& a : arguments) pointers.push_back(const_cast<char*>(a.c_str()));
  pointers.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error(fmt::format("ffmpeg cannot be started: {}", std::strerror(errno)));

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, "ffmpeg", &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  Outcome outcome;
  if (failure != 0) {
    close(ends[0]);
    if (failure != ENOENT)
      throw std::runtime_error(fmt::format("ffmpeg cannot be started: {}", std::strerror(failure)));
    outcome.found = false;
    return outcome;
  }
  outcome.errors = read_all(ends[0]);
  close(ends[0]);
  while (waitpid(child, &outcome.status, 0) < 0 && errno == EINTR) {
  }
  return outcome;
}

std::string last_lines(const std::string& text, int lines) {
  std::size_t end = text.find_last_not_of(" \n\r");
  if (end == std::string::npos) return "(it said nothing)";
  std::size_t begin = end;
  while (begin > 0 && (text[begin - 1] != '\n' || --lines > 0)) --begin;
  return text.substr(begin, end + 1 - begin);
}

// escapes percent signs in the folder's name, which are no pattern
std::string input_pattern(const PictureFiles& pictures) {
  std::string pattern;
  for (const char c : pictures.folder.string()) pattern += c == '%' ? std::string("%%") : std::string(1, c);
  return pattern + "/" + pictures.pattern;
}

Arguments with_input(const PictureFiles& pictures, double frame_rate) {
  return {"ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-xerror", "-y", "-f", "image2",
          "-framerate", fmt::format("{}", frame_rate), "-start_number", fmt::format("{}", pictures.first),
          "-i",
          // a name that begins with a dash would be taken for an option, one with a colon for a protocol
          "file:" + input_pattern(pictures)};
}

fs::path temporary_name(const fs::path& out) {
  fs::path temporary = out;
  temporary += ".part";
  return temporary;
}

Outcome run(Arguments arguments, const Arguments& more, const fs::path& file) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  arguments.push_back("file:" + file.string());
  return run_ffmpeg(arguments);
}

void check(const Outcome& outcome, const PictureFiles& pictures, const fs::path& temporary,
           const fs::path& out) {
  if (outcome.found && outcome.status == 0 && fs::exists(temporary)) return;
  std::error_code ignored;
  fs::remove(temporary, ignored);
  const std::string kept = fmt::format("The pictures are in {}.", pictures.folder.string());
  if (!outcome.found)
    throw std::runtime_error(fmt::format(
        "{} was not made: the program ffmpeg is missing. Install it, for example by 'apt install ffmpeg'. {}",
        out.string(), kept));
  throw std::runtime_error(fmt::format("{} was not made: ffmpeg failed. {}\nIts last words:\n{}",
                                       out.string(), kept, last_lines(outcome.errors, 6)));
}

void check_rate(double frame_rate) {
  if (!(frame_rate > 0 && std::isfinite(frame_rate)))
    throw std::runtime_error(fmt::format("a movie needs a frame rate above zero, not {}", frame_rate));
}

// The quality settings of a small animation, from high to low.
struct Detail {
  int width;
  double frame_rate;
  int colours;  // GIF
  int quality;  // WebP
};
constexpr std::array<Detail, 4> details{
    {{320, 15, 128, 75}, {320, 10, 48, 50}, {240, 8, 32, 30}, {160, 5, 16, 15}}};

Arguments animation_arguments(const Detail& detail, double frame_rate, bool gif) {
  const std::string scaled =
      fmt::format("fps={},scale={}:-2:flags=lanczos", std::min(frame_rate, detail.frame_rate), detail.width);
  if (!gif)
    return {"-vf",   scaled, "-c:v", "libwebp_anim", "-q:v", fmt::format("{}", detail.quality),
            "-loop", "0",    "-f",   "webp"};
  return {"-filter_complex",
          fmt::format("{},split[a][b];[a]palettegen=max_colors={}:stats_mode=diff[p];"
                      "[b][p]paletteuse=dither=bayer:bayer_scale=4:diff_mode=rectangle",
                      scaled, detail.colours),
          "-loop",
          "0",
          "-f",
          "gif"};
}

}  // namespace

bool movies_possible() {
  const Outcome outcome = run_ffmpeg({"ffmpeg", "-hide_banner", "-version"});
  return outcome.found && outcome.status == 0;
}

NumberedPictures::NumberedPictures(const std::vector<fs::path>& pictures) {
  std::string pattern = (fs::temp_directory_path() / "dollop-movie-XXXXXX").string();
  if (!mkdtemp(pattern.data()))
    throw std::runtime_error("no folder can be made for the pictures of the movie");
  folder_ = pattern;
  for (std::size_t k = 0; k < pictures.size(); ++k)
    fs::create_symlink(fs::absolute(pictures[k]), folder_ / fmt::format("{:06}.png", k));
}

NumberedPictures::~NumberedPictures() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void make_movie(const PictureFiles& pictures, double frame_rate, const fs::path& out, MovieEffort effort) {
  check_rate(frame_rate);
  const fs::path temporary = temporary_name(out);
  const Arguments input = with_input(pictures, frame_rate);
  const auto encode = [&](const Arguments& codec) {
    Arguments more{"-vf", "scale=trunc(iw/2)*2:trunc(ih/2)*2", "-pix_fmt", "yuv420p"};
    more.insert(more.end(), codec.begin(), codec.end());
    for (const char* a : {"-movflags", "+faststart", "-f", "mp4"}) more.push_back(a);
    return run(input, more, temporary);
  };
  Outcome outcome = encode(
      {"-c:v", "libx264", "-crf", "18", "-preset", effort == MovieEffort::quick ? "veryfast" : "medium"});
  if (outcome.found && outcome.status != 0 && outcome.errors.find("Unknown encoder") != std::string::npos)
    outcome = encode({"-c:v", "mpeg4", "-q:v", "3"});
  check(outcome, pictures, temporary, out);
  fs::rename(temporary, out);
}

void make_small_animation(const PictureFiles& pictures, double frame_rate, const fs::path& out,
                          std::uintmax_t max_bytes) {
  check_rate(frame_rate);
  const std::string suffix = out.extension().string();
  if (suffix != ".gif" && suffix != ".webp")
    throw std::runtime_error(
        fmt::format("{}: a small animation is a .gif or a .webp file; change the suffix", out.string()));
  const fs::path temporary = temporary_name(out);
  for (const Detail& detail : details) {
    const Outcome outcome = run(with_input(pictures, frame_rate),
                                animation_arguments(detail, frame_rate, suffix == ".gif"), temporary);
    check(outcome, pictures, temporary, out);
    if (fs::file_size(temporary) > max_bytes) continue;
    fs::rename(temporary, out);
    return;
  }
  fs::remove(temporary);
  throw std::runtime_error(
      fmt::format("{} was not made: even at its smallest it exceeds {} bytes. Use fewer pictures.",
                  out.string(), max_bytes));
}

}  // namespace dollop
