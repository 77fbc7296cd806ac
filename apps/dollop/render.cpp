// dollop render: path-traced pictures of a run, and a movie of them.
#include <dollop/run.h>
#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <optional>

#include "commands.h"
#include "io/atomic_file.h"
#include "render/image.h"
#include "render/movie.h"
#include "render/splat.h"
#include "render/tracer/color_bar.h"
#include "render/tracer/picture.h"
#include "render/tracer/quantity.h"
#include "run/run_cache.h"
#include "surface/material_looks.h"
#include "surface/surface.h"
#include "surface/surface_files.h"
#include "surface/visible_surface.h"
#include "terminal.h"

namespace dollop {
namespace {

namespace fs = std::filesystem;

struct RenderArguments {
  fs::path folder, out;
  std::string frames = "all", size = "640x360", surface = "fast", color, range;
  int samples = 16, threads = 0;
  double motion_blur = 0;
  bool no_denoise = false, movie = false, quick = false, quiet = false;
};

// Settings shared by all pictures.
struct Shot {
  const RenderArguments& arguments;
  RunCache cache;
  std::vector<int> frames = {};
  PreviewView view = {};
  std::array<float, 2> range{0, 1};
  SurfaceOptions surface = {};
  bool any_surface = false;
};

constexpr const char* color_attribute =
    "picture.value";  // the attribute that is interpolated to the surface for its colours

// reports invalid arguments as bad input of the user
template <class Function>
auto as_run_error(Function&& function) {
  try {
    return function();
  } catch (const std::invalid_argument& e) {
    throw RunError(e.what());
  }
}

std::array<int, 2> parse_size(const std::string& text) {
  constexpr int max_size = 8192;
  int width = 0, height = 0, used = 0;
  const int found = std::sscanf(text.c_str(), "%4dx%4d%n", &width, &height, &used);
  if (found != 2 || std::size_t(used) != text.size() || width < 16 || height < 16 || width > max_size ||
      height > max_size)
    throw RunError(
        fmt::format("'{}' is not a size: write width x height in pixels, from 16x16 to {}x{}, such as "
                    "640x360",
                    text, max_size, max_size));
  return {width, height};
}

// in lower case
std::string extension_of(const fs::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension) c = char(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

bool is_picture(const fs::path& out) {
  std::error_code ignored;
  return extension_of(out) == ".png" && !fs::is_directory(out, ignored);
}

// rejects names such as x.jpg, which would become folders
void check_output(const fs::path& out) {
  static const std::vector<std::string> others{".jpg", ".jpeg", ".exr", ".hdr",  ".tif", ".tiff", ".bmp",
                                               ".tga", ".ppm",  ".gif", ".webp", ".svg", ".avif", ".mp4",
                                               ".m4v", ".mov",  ".avi", ".mkv",  ".mpg", ".mpeg", ".webm"};
  std::error_code ignored;
  if (fs::is_directory(out, ignored)) return;
  if (std::find(others.begin(), others.end(), extension_of(out)) != others.end())
    throw RunError(
        fmt::format("-o {}: pictures are written as .png: name one .png, or a folder, to which --movie adds "
                    "render.mp4 and render.webp",
                    out.string()));
}

fs::path run_folder_of(const fs::path& given) {
  std::error_code ignored;
  return fs::is_regular_file(given, ignored) && given.filename() == "scene.toml" ? given.parent_path()
                                                                                 : given;
}

// one range for all drawn frames, so that a colour keeps its meaning
std::array<float, 2> choose_range(const RunCache& cache, const std::vector<int>& frames,
                                  const std::string& color) {
  constexpr std::size_t max_frames = 7;
  std::optional<std::array<float, 2>> all;
  for (const int frame : sample_of(frames, max_frames)) {
    const std::array<float, 2> one = range_of(values_of_quantity(cache.particles(frame), color));
    if (all) all = {std::min((*all)[0], one[0]), std::max((*all)[1], one[1])};
    if (!all) all = one;
  }
  return *all;
}

Shot prepare(const RenderArguments& a) {
  check_output(a.out);
  const std::array<int, 2> size = parse_size(a.size);
  const SurfaceMethod method = method_asked("--surface", a.surface);
  std::optional<std::array<float, 2>> range;
  if (!a.range.empty()) range = as_run_error([&] { return parse_range(a.range); });
  if (range && a.color.empty())
    throw RunError("--range is the range of colours: say what to colour by with --color");
  if (a.quick && (!a.color.empty() || a.motion_blur > 0))
    throw RunError("--quick draws looks only, at rest; leave out --color and --motion-blur, or --quick");
  if (a.movie && !movies_possible())
    throw RunError("--movie needs the program ffmpeg; install it, for example by 'apt install ffmpeg'");

  Shot shot{a, RunCache(run_folder_of(a.folder))};
  shot.frames = frames_asked(shot.cache, a.frames);
  if (is_picture(a.out) && shot.frames.size() > 1)
    throw RunError(
        fmt::format("'{}' is one picture, but {} frames were chosen: choose one by --frames, or name a "
                    "folder",
                    a.out.string(), shot.frames.size()));
  if (is_picture(a.out) && a.movie) throw RunError("--movie needs a folder of pictures, not a single .png");
  shot.surface.method = method;
  shot.surface.surfaced = surfaced_materials(shot.cache.scene());
  const std::vector<Material>& materials = shot.cache.scene().materials;
  for (std::size_t m = 0; m < materials.size() && a.color.empty(); ++m)
    if (shown_as_density(materials[m])) shot.surface.surfaced[m] = false;  // the tracer draws it itself
  for (const bool surfaced : shot.surface.surfaced) shot.any_surface = shot.any_surface || surfaced;
  if (!a.color.empty()) {
    shot.surface.value = color_attribute;
    shot.range = as_run_error([&] {  // also checks that the quantity exists
      const ParticleFrame first = shot.cache.particles(shot.frames.front());
      (void)values_of_quantity(first, a.color);
      return range ? *range : choose_range(shot.cache, shot.frames, a.color);
    });
  }
  // from all frames, so that the camera is the same whichever are drawn
  shot.view = frame_run(shot.cache.scene(), frames_to_frame(shot.cache), size[0], size[1]);
  if (a.quick) shot.view.meshes = std::make_shared<const MeshRays>(shot.cache.scene());
  return shot;
}

ByteImage draw_frame(const Shot& shot, int number) {
  const RenderArguments& a = shot.arguments;
  const Scene& scene = shot.cache.scene();
  ParticleFrame frame = shot.cache.particles(number);
  if (a.quick) return develop(render_preview(scene, shot.view, frame));

  Coloring coloring;
  if (!a.color.empty()) {
    Attribute value{color_attribute, 1, as_run_error([&] { return values_of_quantity(frame, a.color); })};
    coloring.particles = colors_of(value.values, shot.range);
    frame.attributes.push_back(std::move(value));
  }
  const SurfaceMesh surface = shot.any_surface ? visible_surface(scene, frame, shot.surface) : SurfaceMesh{};
  if (!a.color.empty()) {
    coloring.vertices = colors_of(surface.values, shot.range);
    coloring.vertices.resize(surface.positions.size(), {0.5f, 0.5f, 0.5f});
  }
  StageContents contents{scene, shot.view, frame, surface};
  if (!a.color.empty()) contents.coloring = &coloring;
  contents.shutter = a.motion_blur / scene.settings.frame_rate;
  TracerOptions options;
  options.samples = a.samples;
  options.denoise = !a.no_denoise;
  ByteImage picture = develop(trace_picture(contents, options));
  if (!a.color.empty()) draw_color_bar(picture, shot.range, quantity_label(a.color));
  return picture;
}

fs::path picture_path(const Shot& shot, int frame) {
  const fs::path& out = shot.arguments.out;
  if (is_picture(out)) return out;
  if (out.empty()) return shot.cache.folder().frame("render", frame, ".png");
  return out / fmt::format("render.{:04}.png", frame);
}

void show_progress(const Shot& shot, std::size_t done, double elapsed) {
  if (shot.arguments.quiet) return;
  const std::size_t count = shot.frames.size();
  const double remaining = elapsed / double(done) * double(count - done);
  const bool terminal = isatty(STDERR_FILENO) != 0;
  fmt::print(stderr, "{}frame {}  {}/{}  {:.1f} s a picture  ETA {}{}", terminal ? "\r\033[K" : "",
             shot.frames[done - 1], done, count, elapsed / double(done), duration_text(remaining),
             terminal ? "" : "\n");
  if (terminal && done == count) fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

void make_movies(const Shot& shot) {
  const fs::path folder = shot.arguments.out.empty() ? shot.cache.folder().path : shot.arguments.out;
  double rate = shot.cache.scene().settings.frame_rate;
  if (shot.frames.size() > 1)  // if frames are skipped, the movie keeps its speed
    rate *= double(shot.frames.size() - 1) / double(shot.frames.back() - shot.frames.front());
  std::vector<fs::path> pictures;
  for (const int frame : shot.frames) pictures.push_back(picture_path(shot, frame));
  const NumberedPictures links(pictures);
  make_movie(links.files(), rate, folder / "render.mp4");
  make_small_animation(links.files(), rate, folder / "render.webp");
  if (!shot.arguments.quiet)
    fmt::print("{}\n{}\n", (folder / "render.mp4").string(), (folder / "render.webp").string());
}

int render(const RenderArguments& a) {
  std::optional<tbb::global_control> limit;
  if (a.threads > 0) limit.emplace(tbb::global_control::max_allowed_parallelism, std::size_t(a.threads));
  const Shot shot = prepare(a);
  const fs::path folder = picture_path(shot, shot.frames[0]).parent_path();
  if (!folder.empty()) make_folder(folder);
  InterruptGuard guard;
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t k = 0; k < shot.frames.size(); ++k) {
    const ByteImage picture = draw_frame(shot, shot.frames[k]);
    write_png(picture_path(shot, shot.frames[k]), picture);
    show_progress(shot, k + 1,
                  std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    if (InterruptGuard::interrupted()) {
      fmt::print(stderr, "dollop: interrupted after frame {}; pictures that are there are whole\n",
                 shot.frames[k]);
      return exit_interrupted;
    }
  }
  if (!a.quiet)
    fmt::print("{} {} in {}\n", shot.frames.size(), shot.frames.size() == 1 ? "picture" : "pictures",
               is_picture(a.out) ? a.out.string() : folder.string());
  if (a.movie) make_movies(shot);
  return exit_fine;
}

}  // namespace

void add_render(Command app, int& status) {
  auto a = std::make_shared<RenderArguments>();
  Command command =
      app.add_command("render", "render path-traced pictures of a run; with --movie also a movie");
  command.add_option("DIR", a->folder, "folder of the run").required();
  command.add_option("--frames", a->frames, "all, 12, 0:30 or 0:30:2 (first, last, step)").show_default();
  command.add_option("--size", a->size, "width x height in pixels").show_default();
  command.add_option("--samples", a->samples, "paths traced per pixel: more take longer and have less noise")
      .range(1, 65536)
      .show_default();
  command.add_flag("--no-denoise", a->no_denoise, "do not denoise the pictures");
  command
      .add_option("--motion-blur", a->motion_blur,
                  "exposure time in frames, for motion blur; 0.5 as in films")
      .range(0.0, 4.0);
  command.add_option("--color", a->color,
                     "colour by speed, pressure, 'plastic strain', J, weak or any attribute");
  command.add_option("--range", a->range,
                     "values at the ends of the colour map, such as 0:2.5; default: from the frames");
  command.add_option("--surface", a->surface, "surface reconstruction: fast, smooth or sharp").show_default();
  command.add_flag("--quick", a->quick, "draw the fast pictures of preview = true instead");
  command.add_flag("--movie", a->movie, "also write render.mp4, and a small render.webp for web pages");
  command.add_option("-o,--output,--out", a->out,
                     "folder for the pictures, or one .png; default: DIR/frames");
  command.add_option("--threads", a->threads, "number of threads; 0: all").not_negative();
  command.add_flag("-q,--quiet", a->quiet, "show no progress");
  command.footer(
      "Examples:\n"
      "  dollop render runs/first --movie\n"
      "  dollop render runs/first --frames 40 --size 1920x1080 --samples 64 -o still.png\n"
      "  dollop render runs/first --color speed --range 0:2 --motion-blur 0.5\n"
      "Materials and colliders look as the scene says by look and color; [camera] places the camera, which\n"
      "otherwise frames all that happens.");
  command.callback([a, &status] {
    try {
      status = render(*a);
    } catch (const OutputError& error) {
      throw RunError(error.what());
    }
  });
}

}  // namespace dollop
