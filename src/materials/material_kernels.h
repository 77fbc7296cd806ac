// The models as the solvers see them: a table of functions for each model, precision and instruction set.
//
// Shared by code of every instruction set, so plain structs and pointers only.
#pragma once

#include <cstddef>

namespace dollop {

inline constexpr int advance_size = 32;  // particles that `advance` takes at a time

// A constitutive model in one precision. `state` points to the columns of the model, `i` is the first of up
// to 16 particles, of up to 32 in `advance`. Those past `count` may be read (columns are padded) but are
// never written.
template <class S>
struct MaterialKernels {
  const char* name;
  void (*make_law)(const double* parameters, double dt, void* law);
  void (*stress)(const void* law, S* const* state, std::size_t i, S* tau);                   // tau[6][16]
  void (*advance)(const void* law, const S* du, S* const* state, std::size_t i, int count);  // du[9][32]
  void (*energy)(const void* law, S* const* state, std::size_t i, S* density);               // density[16]
  void (*volume_ratio)(const void* law, S* const* state, std::size_t i, S* j);               // j[16]
  // The columns of up to 16 particles are averages over others of the material: makes them a state of the model, with
  // the given volume ratios.
  void (*rebuild)(const void* law, const S* j, S* const* state, std::size_t i, int count);  // j[16]
};

inline constexpr std::size_t max_law_bytes = 256;

}  // namespace dollop
