// dollop export: converts the frames of a run to files for other programs.
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <memory>

#include "commands.h"
#include "run/run_export.h"

namespace dollop {

namespace {

struct Arguments {
  std::string folder, out, frames = "all";
  ExportOptions options;
  bool quiet = false;
};

std::string size_text(std::uintmax_t bytes) {
  const auto size = double(bytes);
  return size < 1e6   ? fmt::format("{:.0f} kB", std::max(1.0, size / 1e3))
         : size < 1e9 ? fmt::format("{:.1f} MB", size / 1e6)
                      : fmt::format("{:.2f} GB", size / 1e9);
}

void run_export(Arguments& a) {
  const RunCache cache(a.folder);
  a.options.frames = frames_asked(cache, a.frames);
  a.options.folder = a.out.empty() ? cache.folder().path / "export" : std::filesystem::path(a.out);
  const bool show = !a.quiet && isatty(STDERR_FILENO) != 0;
  if (show)
    a.options.progress = [](int done, int frames) { fmt::print(stderr, "\rframe {} of {}", done, frames); };
  const ExportReport report = export_run(cache, a.options);
  if (show) fmt::print(stderr, "\r\033[K");
  if (a.quiet) return;
  fmt::print("{} frame{} in {} files, {}, in {}\n", report.frames, report.frames == 1 ? "" : "s",
             report.files, size_text(report.bytes), a.options.folder.string());
  fmt::print("attributes: position, {}\n", fmt::join(report.attributes, ", "));
  for (const std::filesystem::path& file : report.open) fmt::print("open {}\n", file.string());
}

}  // namespace

void add_export(Command app, int&) {
  auto a = std::make_shared<Arguments>();
  Command command = app.add_command("export", "write a run's frames for other programs");
  command.add_option("DIR", a->folder, "folder of the run").required();
  command
      .add_option("--to", a->options.formats,
                  fmt::format("formats, separated by commas: {}", fmt::join(export_formats(), " ")))
      .required()
      .comma_separated();
  command.add_flag("--surface", a->options.surface,
                   "also export the surface: as meshes (ply obj usda) or level sets (vdb)");
  command.add_flag("--colliders", a->options.colliders,
                   "also export the colliders (usda ply obj vtp), the camera and the looks");
  command.add_option("--frames", a->frames, "all, 12, 0:30 or 0:30:2 (first, last, step)");
  command
      .add_option("--attributes", a->options.attributes,
                  "attributes to export, separated by commas; default: all of the frames")
      .comma_separated();
  command.add_option("-o,--output", a->out, "folder for the files; default: DIR/export");
  command.add_flag("-q,--quiet", a->quiet, "print nothing");
  command.footer(
      "Examples:\n"
      "  dollop export runs/first --to usda --surface       runs/first/export/run.usda, for usdview and "
      "Omniverse\n"
      "  dollop export runs/first --to vtp,vdb --frames 0:60:2 -o exports/first\n"
      "Only what the frames hold can be exported: choose attributes by output.attributes of the scene.");
  command.callback([a] { run_export(*a); });
}

}  // namespace dollop
