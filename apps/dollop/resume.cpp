// dollop resume: continues a run from its last checkpoint.
#include <dollop/run.h>

#include "commands.h"
#include "grid/kernels.h"
#include "terminal.h"

namespace dollop {

void add_resume(Command app, int& status) {
  struct Arguments {
    RunOptions options;
    RunView view;
  };
  auto a = std::make_shared<Arguments>();
  Command resume = app.add_command("resume", "continue a run from its last checkpoint");
  resume.add_option("DIR", a->options.folder, "folder of the run").required();
  resume.add_option("--frames", a->options.frames, "stop after this number of frames in total")
      .range(0, 1000000000);
  resume.add_option("--threads", a->options.threads, "number of threads; 0: all").range(0, 1024);
  resume.add_option("--max-memory", a->options.max_memory, "fail if the run needs more memory, such as 8GB")
      .bytes();
  resume.add_flag("--previous", a->options.previous, "use the checkpoint before the last one");
  resume.add_flag("--stored-scene", a->options.stored_scene,
                  "use the scene of the checkpoint although scene.toml was edited");
  resume.add_flag("-q,--quiet", a->view.quiet, "show no progress");
  resume.add_flag("--json", a->view.json, "print one JSON object to standard output at the end");
  resume.footer(
      "Example:\n"
      "  dollop resume runs/first\n"
      "The result is bitwise that of a run that was never stopped. Before you go on you may edit, in the\n"
      "folder's scene.toml, what the state does not depend on: simulation.duration, simulation.threads, "
      "title,\n"
      "[camera], [output], [expect], and look and color of materials and colliders.");
  resume.callback([a, &status] {
    best_instruction_set();  // complains of DOLLOP_ISA before anything is written
    status = watch(a->view, a->options, resume_run);
  });
}

}  // namespace dollop
