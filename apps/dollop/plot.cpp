// dollop plot: plots the metrics of a run.
#include <fmt/core.h>

#include <memory>

#include "commands.h"
#include "io/atomic_file.h"
#include "io/run_plots.h"
#include "run/run_cache.h"

namespace dollop {

namespace {

void make_plots(const std::string& run, const std::string& out) {
  const RunCache cache(run);
  const auto lines = cache.metrics();
  if (lines.empty())
    throw RunError(fmt::format("'{}' holds no metrics yet: metrics.jsonl is empty or missing", run));
  const std::filesystem::path folder =
      out.empty() ? cache.folder().path / "plots" : std::filesystem::path(out);
  const std::string title =
      !cache.scene().title.empty()
          ? cache.scene().title
          : std::filesystem::absolute(cache.folder().path / ".").parent_path().filename().string();
  const std::vector<RunPlot> plots = make_run_plots(lines);
  try {
    make_folder(folder);
    for (const RunPlot& plot : make_run_plots(lines, title))
      write_file(folder / (plot.name + ".svg"), svg_of(plot.plot));
    write_file(folder / "overview.svg", overview_svg(plots, title));
  } catch (const OutputError& error) {
    throw RunError(error.what());
  }
  fmt::print("{} plots of {} frames in {}\nopen {}\n", plots.size(), lines.size(), folder.string(),
             (folder / "overview.svg").string());
}

}  // namespace

void add_plot(Command app, int&) {
  struct Arguments {
    std::string run, out;
  };
  auto a = std::make_shared<Arguments>();
  Command command = app.add_command("plot", "plot the metrics of a run: energies, momentum, time steps ...");
  command.add_option("DIR", a->run, "folder of the run").required();
  command.add_option("-o,--output", a->out, "folder for the plots; default: DIR/plots");
  command.footer(
      "Example:\n"
      "  dollop plot runs/first                  runs/first/plots/overview.svg, and one SVG for each plot\n"
      "The run may still be going on.");
  command.callback([a] { make_plots(a->run, a->out); });
}

}  // namespace dollop
