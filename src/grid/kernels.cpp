#include "grid/kernels.h"

#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "core/assert.h"

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

// the features of the levels x86-64-v3 and -v4 that compilers and operating systems query in the same way
#ifdef DOLLOP_HAVE_AVX2
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
}
#endif
#ifdef DOLLOP_HAVE_AVX512
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#endif

const InstructionSet sets[] = {
    {"baseline", [] { return true; }, &baseline::float_loops, &baseline::double_loops},
#ifdef DOLLOP_HAVE_AVX2
    {"avx2", has_avx2, &avx2::float_loops, &avx2::double_loops},
#endif
#ifdef DOLLOP_HAVE_AVX512
    {"avx512", has_avx512, &avx512::float_loops, &avx512::double_loops},
#endif
};

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
  if (const char* wanted = std::getenv("DOLLOP_ISA"))
    if (const InstructionSet* set = find_instruction_set(wanted)) return *set;
  const InstructionSet* best = &sets[0];
  for (const InstructionSet& set : sets)
    if (set.supported()) best = &set;
  return *best;
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
