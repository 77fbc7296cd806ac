#include "grid/kernels.h"

#include <cstdlib>
#include <cstring>

#include "core/assert.h"
#include "grid/implicit_kernels.h"

// the functions that each instruction set defines; see the *.simd.cpp files
#define DOLLOP_DECLARE_ISA(isa)                                                     \
  namespace isa {                                                                   \
  const TransferKernels<float>* quadratic_transfers_float(const TransferChoice&);   \
  const TransferKernels<float>* cubic_transfers_float(const TransferChoice&);       \
  const TransferKernels<double>* quadratic_transfers_double(const TransferChoice&); \
  const TransferKernels<double>* cubic_transfers_double(const TransferChoice&);     \
  const MaterialKernels<float>* material_kernels_float(int index, bool tears);      \
  const MaterialKernels<double>* material_kernels_double(int index, bool tears);    \
  const ImplicitKernels<float>* implicit_kernels_float(Kernel, ForceForm);          \
  const ImplicitKernels<double>* implicit_kernels_double(Kernel, ForceForm);        \
  const ImplicitMaterial<float>* implicit_material_float(int index, bool tears);    \
  const ImplicitMaterial<double>* implicit_material_double(int index, bool tears);  \
  }

#define DOLLOP_ISA_ENTRY(isa, is_supported)                                                     \
  InstructionSet {                                                                              \
#isa, [] { return bool(is_supported); },                                                      \
        [](const TransferChoice& c) {                                                             \
          return c.kernel == Kernel::cubic ? isa::cubic_transfers_float(c) : isa::quadratic_transfers_float(c);   \
        },                                                                                        \
        [](const TransferChoice& c) {                                                             \
          return c.kernel == Kernel::cubic ? isa::cubic_transfers_double(c) : isa::quadratic_transfers_double(c); \
        },                                                                                        \
        isa::material_kernels_float, isa::material_kernels_double, isa::implicit_kernels_float, \
        isa::implicit_kernels_double, isa::implicit_material_float, isa::implicit_material_double \
  }

namespace dollop {
inline DOLLOP_DECLARE_ISA(baseline)
#ifdef DOLLOP_HAVE_AVX2
    DOLLOP_DECLARE_ISA(avx2)
#endif
#ifdef DOLLOP_HAVE_AVX512
        DOLLOP_DECLARE_ISA(avx512)
#endif

            namespace {

// the features of the levels x86-64-v3 and -v4 that compilers and kernels agree on how to ask for
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
      DOLLOP_ISA_ENTRY(baseline, true),
#ifdef DOLLOP_HAVE_AVX2
      DOLLOP_ISA_ENTRY(avx2, has_avx2()),
#endif
#ifdef DOLLOP_HAVE_AVX512
      DOLLOP_ISA_ENTRY(avx512, has_avx512()),
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

template <>
const TransferKernels<float>& transfer_kernels(const InstructionSet& isa, const TransferChoice& choice) {
  return *isa.transfers_float(choice);
}
template <>
const TransferKernels<double>& transfer_kernels(const InstructionSet& isa, const TransferChoice& choice) {
  return *isa.transfers_double(choice);
}
template <>
const MaterialKernels<float>& material_kernels(const InstructionSet& isa, int index, bool tears) {
  return *isa.material_float(index, tears);
}
template <>
const MaterialKernels<double>& material_kernels(const InstructionSet& isa, int index, bool tears) {
  return *isa.material_double(index, tears);
}

template <>
const ImplicitKernels<float>& implicit_kernels(const InstructionSet& isa, Kernel kernel, ForceForm forces) {
  return *isa.implicit_float(kernel, forces);
}
template <>
const ImplicitKernels<double>& implicit_kernels(const InstructionSet& isa, Kernel kernel, ForceForm forces) {
  return *isa.implicit_double(kernel, forces);
}
template <>
const ImplicitMaterial<float>& implicit_material(const InstructionSet& isa, int index, bool tears) {
  return *isa.implicit_material_float(index, tears);
}
template <>
const ImplicitMaterial<double>& implicit_material(const InstructionSet& isa, int index, bool tears) {
  return *isa.implicit_material_double(index, tears);
}

}  // namespace dollop
