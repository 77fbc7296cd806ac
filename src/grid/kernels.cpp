#include "grid/kernels.h"

#include <dollop/scene.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <type_traits>

#include "core/assert.h"
#include "core/processor.h"
#include "grid/instruction_sets.h"

namespace dollop {

// the functions that each instruction set defines in loop_tables.simd.cpp
inline namespace baseline {
extern const LoopTables<float> float_loops;
extern const LoopTables<double> double_loops;
}  // namespace baseline
#ifdef DOLLOP_HAVE_AVX2
namespace avx2 {
extern const LoopTables<float> float_loops;
extern const LoopTables<double> double_loops;
}  // namespace avx2
#endif
#ifdef DOLLOP_HAVE_AVX512
namespace avx512 {
extern const LoopTables<float> float_loops;
extern const LoopTables<double> double_loops;
}  // namespace avx512
#endif

namespace {

const InstructionSet sets[] = {
    {"baseline", [] { return true; }, &baseline::float_loops, &baseline::double_loops},
#ifdef DOLLOP_HAVE_AVX2
    {"avx2", processor_has_avx2, &avx2::float_loops, &avx2::double_loops},
#endif
#ifdef DOLLOP_HAVE_AVX512
    {"avx512", processor_has_avx512, &avx512::float_loops, &avx512::double_loops},
#endif
};

// every instruction set that a program can have, slowest first
constexpr struct {
  const char* name;
  bool (*supported)();
} known_sets[] = {
    {"baseline", [] { return true; }}, {"avx2", processor_has_avx2}, {"avx512", processor_has_avx512}};

bool built_in(std::string_view name) {
  return std::any_of(std::begin(sets), std::end(sets),
                     [&](const InstructionSet& set) { return set.name == name; });
}

}  // namespace

int instruction_set_count() { return int(sizeof sets / sizeof *sets); }

const InstructionSet& instruction_set(int index) {
  DOLLOP_ASSERT(index >= 0 && index < instruction_set_count());
  return sets[index];
}

const InstructionSet* find_instruction_set(const char* name) {
  for (const InstructionSet& set : sets)
    if (!std::strcmp(set.name, name) && set.supported()) return &set;
  return nullptr;
}

const InstructionSet& best_instruction_set() {
  if (const char* wanted = std::getenv("DOLLOP_ISA")) {
    if (const InstructionSet* set = find_instruction_set(wanted)) return *set;
    throw SceneError("DOLLOP_ISA: " + instruction_set_fault(wanted));
  }
  const InstructionSet* best = &sets[0];
  for (const InstructionSet& set : sets)
    if (set.supported()) best = &set;
  return *best;
}

std::string instruction_set_fault(std::string_view name) {
  std::string usable, reason = "there is no instruction set '" + std::string(name) + "'";
  for (const InstructionSet& set : sets)
    if (set.supported()) usable += (usable.empty() ? "" : ", ") + std::string(set.name);
  for (const auto& known : known_sets) {
    if (known.name != name) continue;
    if (built_in(name) && known.supported()) return {};
    reason = known.supported() ? "the program was built without " : "this processor has no ";
    reason += name;
  }
  return reason + "; here there are: " + usable;
}

std::vector<std::string> instruction_sets_left_out() {
  std::vector<std::string> names;
  for (const auto& known : known_sets)
    if (known.supported() && !built_in(known.name)) names.push_back(known.name);
  return names;
}

template <class S>
const LoopTables<S>& InstructionSet::loops() const {
  if constexpr (std::is_same_v<S, float>)
    return *in_float;
  else
    return *in_double;
}
template const LoopTables<float>& InstructionSet::loops() const;
template const LoopTables<double>& InstructionSet::loops() const;

}  // namespace dollop
