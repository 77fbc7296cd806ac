#include "particles/particle_group.h"

#include "core/parallel.h"

namespace dollop {

template <class S>
ParticleGroup<S>::ParticleGroup(int material, const std::vector<Column>& method,
                                const std::vector<Column>& state)
    : material_(material) {
  int next = 0;
  const auto add = [&](const std::string& name, int components) {
    columns_.push_back({name, components, next});
    next += components;
  };
  const auto add_all = [&](const std::vector<Column>& columns) {
    const int begin = next;
    for (const Column& column : columns) add(column.name, column.components);
    return ArrayRange{begin, next};
  };
  add("position", 3), add("velocity", 3), add("mass", 1), add("volume", 1);
  DOLLOP_ASSERT(next == common_arrays);
  method_ = add_all(method);
  state_ = add_all(state);
  for (const Column& column : columns_)
    if (column.name == "affine" && column.first < method_.end) affine_ = column.first;
  reals_.resize(std::size_t(next));
}

template <class S>
const Column* ParticleGroup<S>::find(const std::string& name) const {
  for (const Column& column : columns_)
    if (column.name == name) return &column;
  return nullptr;
}

template <class S>
S* const* ParticleGroup<S>::state_pointers() {
  state_pointers_.clear();
  for (int k = state_.begin; k < state_.end; ++k) state_pointers_.push_back(reals(k));
  return state_pointers_.data();
}

template <class S>
void ParticleGroup<S>::resize(std::size_t n) {
  ++generation_;
  for (auto& array : reals_) array.resize(n);
  id_.resize(n);
}

template <class S>
void ParticleGroup<S>::reserve(std::size_t n) {
  ++generation_;
  for (auto& array : reals_) array.reserve(n);
  id_.reserve(n);
}

template <class S>
void ParticleGroup<S>::reorder(const std::uint32_t* order, AlignedArray<S>& scratch,
                               AlignedArray<std::uint64_t>& id_scratch) {
  select(order, size(), scratch, id_scratch);
}

template <class S>
void ParticleGroup<S>::select(const std::uint32_t* order, std::size_t count, AlignedArray<S>& scratch,
                              AlignedArray<std::uint64_t>& id_scratch) {
  ++generation_;
  const auto permute = [&](auto& values, auto& moved) {
    moved.resize(count);
    parallel_ranges(count, 1 << 12, [&](std::size_t begin, std::size_t end) {
      const auto* from = values.data();
      auto* to = moved.data();
      for (std::size_t i = begin; i < end; ++i) to[i] = from[order[i]];
    });
    values.swap(moved);
  };
  for (auto& array : reals_) permute(array, scratch);
  permute(id_, id_scratch);
}

template <class S>
std::size_t ParticleGroup<S>::bytes() const {
  std::size_t total = id_.bytes();
  for (const auto& array : reals_) total += array.bytes();
  return total;
}

template class ParticleGroup<float>;
template class ParticleGroup<double>;

}  // namespace dollop
