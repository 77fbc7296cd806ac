// dollop surface: reconstructs meshes and level sets from the particles of a run.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>

#include "commands.h"
#include "io/atomic_file.h"
#include "io/frame_layout.h"
#include "run/run_cache.h"
#include "run/run_export.h"
#include "scene/units.h"
#include "surface/surface_files.h"
#include "surface/surface_points.h"
#include "surface/visible_surface.h"
#include "terminal.h"

namespace dollop {
namespace {

struct Arguments {
  std::string folder, out, frames = "all", method, cell, value;
  std::vector<std::string> formats{"ply"};
  bool quiet = false;
};

std::vector<const SurfaceFormat*> formats_of(const std::vector<std::string>& names) {
  std::vector<const SurfaceFormat*> formats;
  for (const std::string& name : names) {
    const SurfaceFormat* format = find_surface_format(name);
    if (!format) {
      std::vector<std::string> known;
      for (const SurfaceFormat& f : surface_formats()) known.emplace_back(f.name);
      throw RunError(
          fmt::format("--to: '{}' is not a format of surfaces; choose from {}", name, fmt::join(known, " ")));
    }
    formats.push_back(format);
  }
  return formats;
}

double cell_of(const std::string& written) {
  double cell = 0;
  const std::string wrong = parse_quantity(written, "m", cell);
  if (!wrong.empty()) throw RunError(fmt::format("--cell {}: {}", written, wrong));
  if (!(cell > 0) || !std::isfinite(cell))
    throw RunError(fmt::format("--cell {}: must be positive", written));
  return cell;
}

SurfaceOptions options_of(const Arguments& a, const Scene& scene) {
  SurfaceOptions options = surface_options(scene);
  if (!a.method.empty()) options.method = method_asked("--method", a.method);
  if (!a.cell.empty()) options.cell = cell_of(a.cell);
  options.value = a.value;
  for (const bool surfaced : options.surfaced)
    if (surfaced) return options;
  throw RunError(
      "no material of this run has a surface: all are shown as grains or hidden. Give one another look in "
      "the "
      "scene.toml of the folder, such as look = \"plain\" under [materials.NAME]");
}

// notes that --cell is below the resolution of the particles
void say_limit(const std::string& asked, double cell, const SurfacePoints& points) {
  fmt::print(stderr,
             "dollop: note: --cell {}: cells are {:.3g} mm wide instead, 1/{:.0f} of the distance between "
             "particles; narrower ones would show nothing more\n",
             asked, 1e3 * cell, points.spacing / cell);
}

// total volume of the surfaced particles [m^3]; 0: unknown
double volume_of(const ParticleFrame& frame, const SurfacePoints& points) {
  return find_attribute(frame, "volume", 1) ? points.total_volume : 0;
}

void say_frame(int number, const SurfaceMesh& mesh, double volume, double seconds) {
  const double enclosed = enclosed_volume(mesh);
  const std::string error =
      volume > 0 ? fmt::format(", {:+.2f} % against the particles", 100 * (enclosed / volume - 1)) : "";
  fmt::print("frame {:4d}  {} triangles  {:.4g} m^3{}  {:.2f} s\n", number,
             with_separators(mesh.triangles.size()), enclosed, error, seconds);
}

void make_surfaces(const Arguments& a) {
  const RunCache cache(a.folder);
  const std::vector<const SurfaceFormat*> formats = formats_of(a.formats);
  const SurfaceOptions options = options_of(a, cache.scene());
  const std::vector<int> frames = frames_asked(cache, a.frames);
  const std::filesystem::path folder = a.out.empty() ? cache.folder().frames() : std::filesystem::path(a.out);
  std::size_t files = 0;
  bool told = a.quiet;
  for (const int number : frames) {
    const auto start = std::chrono::steady_clock::now();
    const ParticleFrame frame = cache.particles(number);
    SurfaceOptions used = beside_meshes(cache.scene(), frame, options);
    if (!any_surfaced(used))
      throw RunError(
          "every material of this run has a surface mesh, frames/mesh.NNNN.ply, so that no surface is made "
          "from "
          "particles; `dollop export` writes the meshes in other formats");
    const SurfacePoints points = collect_points(frame, used);
    // voxels of level sets are as wide as the mesh's cells
    if (!a.cell.empty()) used.cell = std::max(options.cell, finest_cell(points, options.method));
    if (used.cell > options.cell && !std::exchange(told, true)) say_limit(a.cell, used.cell, points);
    const SurfaceMesh mesh = make_surface(frame, used);
    if (files == 0) make_folder(folder);
    for (const SurfaceFormat* format : formats) {
      write_surface(*format, folder / fmt::format("surface.{:04d}{}", number, format->extension), mesh, frame,
                    used, frame_notes(cache.scene(), number));
      ++files;
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (!a.quiet) say_frame(number, mesh, volume_of(frame, points), taken.count());
  }
  if (!a.quiet) fmt::print("{} file{} in {}\n", files, files == 1 ? "" : "s", folder.string());
}

}  // namespace

void add_surface(Command app, int& status) {
  auto a = std::make_shared<Arguments>();
  Command command =
      app.add_command("surface", "reconstruct meshes or level sets from the particles of a run");
  command.add_option("DIR", a->folder, "folder of the run").required();
  command.add_option("--to", a->formats, "formats, separated by commas: vdb ply obj usda; default: ply")
      .comma_separated();
  command.add_option("--method", a->method, "fast, smooth or sharp; default: the scene's surface_method");
  command.add_option("--cell", a->cell,
                     "width of the mesh's cells, such as \"2 mm\"; default: half the particle spacing");
  command.add_option("--value", a->value,
                     "attribute to interpolate to the mesh, for colouring, such as speed or J");
  command.add_option("--frames", a->frames, "all, 12, 0:30 or 0:30:2 (first, last, step)");
  command.add_option("-o,--output", a->out, "folder for the files; default: that of the run's frames");
  command.add_flag("-q,--quiet", a->quiet, "print nothing");
  command.footer(
      "Examples:\n"
      "  dollop surface runs/first                             runs/first/frames/surface.0000.ply ...\n"
      "  dollop surface runs/first --to vdb,usda --method sharp --frames 0:60:2 -o exports/first\n"
      "The mesh encloses the volume that the particles have. Methods and limits: docs/surfaces.md.");
  command.callback([a, &status] {
    try {
      make_surfaces(*a);
    } catch (const OutputError& error) {
      throw RunError(error.what());
    } catch (const std::invalid_argument& error) {
      throw RunError(fmt::format("--value: {}", error.what()));
    }
    status = exit_fine;
  });
}

}  // namespace dollop
