// dollop resume: goes on from the last checkpoint.
#include <dollop/run.h>

#include "commands.h"
#include "terminal.h"

namespace dollop {

void add_resume(CLI::App& app, int& status) {
  struct Arguments {
    RunOptions options;
    RunView view;
  };
  auto a = std::make_shared<Arguments>();
  auto* resume = app.add_subcommand("resume", "go on with a run from its last checkpoint");
  resume->add_option("DIR", a->options.folder, "folder of the run")->required();
  resume->add_option("--frames", a->options.frames, "stop after so many frames in all")
      ->check(CLI::Range(0, 1000000000));
  resume->add_option("--threads", a->options.threads, "threads; 0: all")->check(CLI::Range(0, 1024));
  resume->add_option("--max-memory", a->options.max_memory, "refuse to start what needs more, such as 8GB")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(1.0, 1e18));
  resume->add_flag("--previous", a->options.previous, "use the last checkpoint but one");
  resume->add_flag("--stored-scene", a->options.stored_scene,
                   "go on with the scene of the checkpoint although scene.toml was edited");
  resume->add_flag("-q,--quiet", a->view.quiet, "no progress");
  resume->add_flag("--json", a->view.json, "end with one JSON object on standard output");
  resume->footer(
      "Example:\n"
      "  dollop resume runs/first\n"
      "The result is bitwise that of a run that was never stopped. Before you go on you may edit, in the\n"
      "folder's scene.toml, what the state does not depend on: simulation.duration, simulation.threads, "
      "title,\n"
      "[camera], [output], [expect], and look and color of materials and colliders.");
  resume->callback([a, &status] { status = watch(a->view, a->options, resume_run); });
}

}  // namespace dollop
