// dollop run: simulates a scene and writes its frames.
#include <dollop/run.h>
#include <fmt/core.h>

#include "commands.h"
#include "grid/kernels.h"
#include "runnable.h"
#include "sweep.h"
#include "terminal.h"
#include "view.h"
#include "view/live.h"

namespace dollop {
namespace {

struct Arguments {
  std::string scene, precision;
  std::filesystem::path folder;
  std::vector<std::string> set, sweep, variants;
  int frames = -1, threads = -1;
  double max_memory = 0;  // [bytes]
  bool force = false, show = false;
  RunView view;
  ViewArguments viewer;
};

// An override and the option that gave it.
struct Override {
  std::string text, option;
};

SceneFile read_with(const std::string& scene, const std::vector<Override>& overrides) {
  std::vector<std::string> texts;
  for (const Override& o : overrides) texts.push_back(o.text);
  try {
    return read_runnable(scene, texts);
  } catch (const SceneError& e) {
    const std::string message = e.what();
    for (const Override& o : overrides) {
      const std::string blamed = "--set " + o.text + ":";
      if (message.rfind(blamed, 0) == 0) throw SceneError(o.option + ":" + message.substr(blamed.size()));
    }
    throw;
  }
}

int run_one(const Arguments& a, const SceneFile& file, const std::filesystem::path& folder) {
  RunOptions options;
  options.folder = folder;
  options.force = a.force;
  options.frames = a.frames;
  options.max_memory = a.max_memory;
  if (!a.view.quiet && !a.view.json)
    fmt::print(stderr, "dollop: {} -> {}\n", file.scene.title.empty() ? a.scene : file.scene.title,
               folder.string());
  const auto run = [&](const RunOptions& o) {
    try {
      return run_scene(file, o);
    } catch (const SceneError& e) {
      throw SceneError(explain(file, e));
    }
  };
  if (!a.show) return watch(a.view, options, run);
  return watch(a.view, options, [&](RunOptions o) {
    const auto live = with_port(a.viewer, [&](const HttpOptions& http) {
      return std::make_unique<LiveView>(folder, http, InterruptGuard::interrupted);
    });
    announce(live->url(), a.viewer.http);
    if (!a.viewer.no_browser) open_browser(live->url());
    live->attach(o);
    const RunResult result = run(o);
    live->finish(result);
    if (result.status != RunResult::Status::interrupted) {
      fmt::print(stderr, "dollop: the run has ended; the viewer stays until Ctrl-C\n");
      live->wait_until_interrupted();
    }
    return result;
  });
}

using Runs = std::vector<std::pair<SceneFile, std::filesystem::path>>;

// notes if all runs together write more than the disk holds
void note_disk_of(const Runs& runs, const std::filesystem::path& folder) {
  RunEstimate all;
  for (const auto& [file, place] : runs) try {
      all.disk_bytes += estimate_run(file.scene).disk_bytes;
    } catch (const SceneError& e) {
      throw SceneError(explain(file, e));
    }
  note_disk(all, folder);
}

int run(const Arguments& a) {
  best_instruction_set();  // complains of DOLLOP_ISA before anything is written
  if (a.show) require_page();
  if (a.show && !a.sweep.empty())
    throw RunError("--view shows one run; leave out --sweep, or view its folders later");
  std::vector<Override> overrides;
  for (const std::string& name : a.variants) overrides.push_back({"variant=" + name, "--variant " + name});
  for (const std::string& text : a.set) overrides.push_back({text, "--set " + text});
  if (!a.precision.empty())
    overrides.push_back({"simulation.precision=" + a.precision, "--precision " + a.precision});
  if (a.threads >= 0)
    overrides.push_back(
        {fmt::format("simulation.threads={}", a.threads), fmt::format("--threads {}", a.threads)});
  const std::filesystem::path folder = a.folder.empty() ? default_folder(a.scene) : a.folder;
  // read all scenes before the first one runs: an error in one of them is bad input, and nothing is written
  Runs runs;
  for (const SweepPoint& point : sweep_points(a.sweep)) {
    std::vector<Override> all = overrides;
    for (const std::string& text : point.overrides) all.push_back({text, "--sweep " + text});
    runs.emplace_back(read_with(a.scene, all), point.name.empty() ? folder : folder / point.name);
  }
  if (!a.view.quiet && !a.view.json) print_notes(runs[0].first);
  if (!a.view.quiet && !a.view.json) note_disk_of(runs, folder);
  int status = exit_fine;
  for (const auto& [file, place] : runs) {
    const int one = run_one(a, file, place);
    if (one != exit_fine && one != exit_expectation_failed)
      return one;  // the other runs would most likely fail too
    status = std::max(status, one);
  }
  return status;
}

}  // namespace

void add_run(Command app, int& status) {
  auto a = std::make_shared<Arguments>();
  Command run_command = app.add_command("run", "run a scene into a folder of frames");
  run_command.add_option("SCENE", a->scene, "scene file (TOML)").required();
  run_command.add_option("-o,--output", a->folder, "folder of the run [runs/SCENE]");
  run_command.add_option("--frames", a->frames, "stop after this number of frames").range(0, 1000000000);
  run_command.add_option("--threads", a->threads, "number of threads; 0: all").range(0, 1024);
  run_command.add_option("--set", a->set, "KEY=VALUE: override a key of the scene; may be repeated")
      .one_value_a_time();
  run_command.add_option("--variant", a->variants, "NAME: use the values of [variants.NAME] of the scene")
      .one_value_a_time();
  run_command.add_option("--sweep", a->sweep, "KEY=A,B,C: run the scene for each value, in separate folders")
      .one_value_a_time();
  run_command.add_option("--precision", a->precision, "float or double").one_of({"float", "double"});
  run_command.add_option("--max-memory", a->max_memory, "fail if the run needs more memory, such as 8GB")
      .bytes();
  run_command.add_flag("--force", a->force, "replace an existing run in the folder");
  run_command.add_flag("--view", a->show, "watch and control the run in the browser");
  add_view_options(run_command, a->viewer);
  run_command.add_flag("-q,--quiet", a->view.quiet, "show no progress");
  run_command.add_flag("--json", a->view.json, "print one JSON object to standard output at the end");
  run_command.footer(
      "Examples:\n"
      "  dollop run scenes/start/first.toml\n"
      "  dollop run scenes/start/first.toml -o runs/soft --set materials.rubber.young_modulus=2e4 --frames "
      "20\n"
      "  dollop run scenes/start/first.toml -o runs/yield --sweep materials.clay.yield_stress=1e3,4e3,16e3\n"
      "Exit status: 0 fine, 2 bad input, 3 the simulation failed, 4 an expectation failed,\n"
      "5 standard output could not be written, 130 interrupted.");
  run_command.callback([a, &status] { status = run(*a); });
}

}  // namespace dollop
