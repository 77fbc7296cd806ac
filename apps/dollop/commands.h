// The sub-commands: each adds itself to the command line and runs when chosen.
#pragma once

#include <CLI/CLI.hpp>

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

void add_bench(CLI::App& app, int& status);
void add_check(CLI::App& app, int& status);
void add_completion(CLI::App& app, int& status);
void add_doctor(CLI::App& app, int& status);
void add_export(CLI::App& app, int& status);
void add_materials(CLI::App& app, int& status);
void add_plot(CLI::App& app, int& status);
void add_render(CLI::App& app, int& status);
void add_resume(CLI::App& app, int& status);
void add_rheometer(CLI::App& app, int& status);
void add_run(CLI::App& app, int& status);
void add_schema(CLI::App& app, int& status);
void add_surface(CLI::App& app, int& status);
void add_view(CLI::App& app, int& status);

}  // namespace dollop
