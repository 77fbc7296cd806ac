// The interface of the models to the solvers: a table of functions for each model, precision and instruction set.
//
// Shared by code of every instruction set, so plain structs and pointers only.
#pragma once

#include <cstddef>

namespace dollop {

inline constexpr int chunk_size = 16;                // particles handled together
inline constexpr int advance_size = 2 * chunk_size;  // particles that `advance` takes at a time

// Memory for the law or the step law of any model.
inline constexpr std::size_t max_law_bytes = 256, law_alignment = 64;
struct alignas(law_alignment) LawBytes {
  std::byte bytes[max_law_bytes];
  void* data() { return bytes; }
  const void* data() const { return bytes; }
};

// A constitutive model in one precision. `state` points to the columns of the model, `i` is the first of up to
// chunk_size particles, of up to advance_size in `advance`. Those past `count` may be read (columns are padded) but are
// never written.
template <class S>
struct MaterialKernels {
  const char* name;

  // functions of a state, without a time step
  void (*make_law)(const double* parameters, void* law);
  void (*stress)(const void* law, S* const* state, std::size_t i, S* tau);      // tau[6][chunk_size]
  void (*strain)(const void* law, S* const* state, std::size_t i, S* e);        // F F^T - 1: e[6][chunk_size]
  void (*energy)(const void* law, S* const* state, std::size_t i, S* density);  // density[chunk_size]
  void (*volume_ratio)(const void* law, S* const* state, std::size_t i, S* j);  // j[chunk_size]
  // Turns the columns of up to chunk_size particles, which are averages over other particles of the material, into a
  // state of the model with the volume ratios j[chunk_size].
  void (*rebuild)(const void* law, const S* j, S* const* state, std::size_t i, int count);

  // a step of dt: du[9][advance_size] holds dt grad v
  void (*make_step_law)(const double* parameters, double dt, void* step_law);
  void (*advance)(const void* step_law, const S* du, S* const* state, std::size_t i, int count);
};

}  // namespace dollop
