// Particles in the order of their ids, which does not depend on how memory is sorted.
#pragma once

#include <algorithm>
#include <vector>

#include "particles/particle_store.h"

namespace dollop {

// indices of a group's particles; ids are below `next_id`
template <class S>
std::vector<std::uint32_t> order_by_id(const ParticleGroup<S>& group, std::uint64_t next_id) {
  constexpr std::uint32_t none = ~std::uint32_t(0);
  std::vector<std::uint32_t> order;
  order.reserve(group.size());
  if (next_id <=
      64 * (group.size() + 64)) {  // a table of all ids is the fastest, while it is not mostly empty
    std::vector<std::uint32_t> index(next_id, none);
    for (std::size_t i = 0; i < group.size(); ++i) index[group.ids()[i]] = std::uint32_t(i);
    for (const std::uint32_t i : index)
      if (i != none) order.push_back(i);
    return order;
  }
  for (std::size_t i = 0; i < group.size(); ++i) order.push_back(std::uint32_t(i));
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return group.ids()[a] < group.ids()[b]; });
  return order;
}

// for each particle of each group, its row in the list of all particles in order of id
template <class S>
std::vector<std::vector<std::uint32_t>> rows_by_id(const ParticleStore<S>& store) {
  const auto& groups = store.groups();
  std::vector<std::vector<std::uint32_t>> order(groups.size()), rows(groups.size());
  if (store.size() == store.next_id()) {  // none was ever removed: a particle's row is its id
    for (std::size_t g = 0; g < groups.size(); ++g)
      rows[g].assign(groups[g].ids(), groups[g].ids() + groups[g].size());
    return rows;
  }
  std::vector<std::size_t> next(groups.size(), 0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    order[g] = order_by_id(groups[g], store.next_id());
    rows[g].resize(groups[g].size());
  }
  for (std::uint32_t row = 0; row < store.size(); ++row) {  // merge
    std::size_t first = groups.size();
    for (std::size_t g = 0; g < groups.size(); ++g)
      if (next[g] < order[g].size() &&
          (first == groups.size() ||
           groups[g].ids()[order[g][next[g]]] < groups[first].ids()[order[first][next[first]]]))
        first = g;
    rows[first][order[first][next[first]++]] = row;
  }
  return rows;
}

}  // namespace dollop
