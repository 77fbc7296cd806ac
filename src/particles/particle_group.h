// All particles of one material: a structure of arrays in three parts. The common columns are position, velocity, mass
// and volume; then come those that the method of time integration carries, and those of the material's state.
//
// The columns are listed once, in `columns()`; whatever handles all of them walks that list or the arrays
// behind it. Every change that may move memory or reorder particles raises `generation()`; whoever keeps a
// pointer or an index across such a change compares the number first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/aligned_array.h"
#include "core/column.h"
#include "particles/block_space.h"

namespace dollop {

// Some arrays of a group that follow each other.
struct ArrayRange {
  int begin = 0, end = 0;
  int size() const { return end - begin; }
};

// the column of a method that carries an affine velocity, as APIC and RPIC do
inline std::vector<Column> affine_column() { return {{"affine", 9, 0}}; }

template <class S>
class ParticleGroup {
 public:
  static constexpr int position = 0, velocity = 3, mass = 6, volume = 7, common_arrays = 8;

  // `method` lists the columns that the method of time integration carries, `state` those of the material
  ParticleGroup(int material, const std::vector<Column>& method, const std::vector<Column>& state);

  int material() const { return material_; }  // index into the scene's materials
  std::size_t size() const { return id_.size(); }
  std::uint64_t generation() const { return generation_; }
  const std::vector<Column>& columns() const { return columns_; }
  const Column* find(const std::string& name) const;

  S* reals(int array) { return reals_[std::size_t(array)].data(); }
  const S* reals(int array) const { return reals_[std::size_t(array)].data(); }
  int array_count() const { return int(reals_.size()); }
  std::uint64_t* ids() { return id_.data(); }
  const std::uint64_t* ids() const { return id_.data(); }
  int affine_array() const {
    return affine_;
  }  // first of the nine of the affine velocity; -1: none is carried
  ArrayRange method_arrays() const { return method_; }
  ArrayRange state_arrays() const { return state_; }
  S* const* state_pointers();  // the arrays of the state; valid for this generation

  void resize(std::size_t n);
  void reserve(std::size_t n);
  // particle i becomes what order[i] was; the scratch arrays are swapped in, and may be shared by all groups
  void reorder(const std::uint32_t* order, AlignedArray<S>& scratch, AlignedArray<std::uint64_t>& id_scratch);
  // the same, and only the first `count` of the new order stay
  void select(const std::uint32_t* order, std::size_t count, AlignedArray<S>& scratch,
              AlignedArray<std::uint64_t>& id_scratch);
  std::size_t bytes() const;

 private:
  int material_, affine_ = -1;
  ArrayRange method_, state_;
  std::uint64_t generation_ = 0;
  std::vector<Column> columns_;
  std::vector<AlignedArray<S>> reals_;
  AlignedArray<std::uint64_t> id_;
  std::vector<S*> state_pointers_;
};

}  // namespace dollop
