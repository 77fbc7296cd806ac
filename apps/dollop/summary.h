// The last lines of a run.
#pragma once

#include <dollop/run.h>

#include <string>

namespace dollop {

// what the run took, its worst change of volume and of mass, its worst step
void print_summary(const RunResult& result);

// the commands to try next, with the folder as a shell takes it
void print_next_commands(const RunOptions& options);

// members of a JSON object, without braces
std::string summary_json(const RunSummary& summary);

}  // namespace dollop
