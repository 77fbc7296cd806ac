// The sub-commands: each adds itself to the command line and runs when chosen.
#pragma once

#include "command_line.h"

namespace dollop {

// Exit status of the program.
enum Exit {
  exit_fine = 0,
  exit_bad_input = 2,
  exit_simulation_failed = 3,
  exit_expectation_failed = 4,
  exit_output_lost = 5,  // all went well, but standard output could not be written
  exit_interrupted = 130
};

void add_bench(Command app, int& status);
void add_check(Command app, int& status);
void add_completion(Command app, int& status);
void add_doctor(Command app, int& status);
void add_export(Command app, int& status);
void add_materials(Command app, int& status);
void add_plot(Command app, int& status);
void add_render(Command app, int& status);
void add_resume(Command app, int& status);
void add_rheometer(Command app, int& status);
void add_run(Command app, int& status);
void add_schema(Command app, int& status);
void add_surface(Command app, int& status);
void add_view(Command app, int& status);

}  // namespace dollop
