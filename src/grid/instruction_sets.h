// What users are told of instruction sets: those of the program, and those of the processor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dollop {

// Why no instruction set of this name can be used here, and which can; empty if it can be used.
std::string instruction_set_fault(std::string_view name);

// The instruction sets that this processor has and the program was built without, slowest first.
std::vector<std::string> instruction_sets_left_out();

}  // namespace dollop
