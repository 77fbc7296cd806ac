// A set of blocks, numbered in key order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "grid/key_table.h"

namespace dollop {

// The blocks are bits of groups of 4 x 4 x 4 blocks: the last six bits of a block's key are its place in the group. So the
// blocks around one are in few places of a small table.
class BlockSet {
 public:
  // `most_groups`: that the blocks are in
  explicit BlockSet(std::size_t most_groups) : groups_(most_groups) {}

  void add(BlockKey key) { groups_[key >> 6].bits |= bit_of(key); }
  // numbers the blocks from 0 on and lists them; none may be added after that
  std::vector<BlockKey> number() {
    std::vector<BlockKey> order, keys;
    groups_.each([&](BlockKey group, const Group&) { order.push_back(group); });
    std::sort(order.begin(), order.end());
    for (const BlockKey group : order) {
      Group& g = groups_[group];
      g.first = std::int32_t(keys.size());
      for (std::uint64_t bits = g.bits; bits; bits &= bits - 1)
        keys.push_back(group << 6 | BlockKey(std::countr_zero(bits)));
    }
    return keys;
  }
  // the number of a block, or `none` if it is not in the set
  std::int32_t find(BlockKey key, std::int32_t none) const {
    const Group g = groups_.find(key >> 6, {});
    return g.bits & bit_of(key) ? g.number_of(int(key & 63)) : none;
  }

  // calls visit(coordinates, number) for each block of the set within `reach` blocks of c, as long as that returns true
  template <class Visit>
  void each_near(const BlockCoord& c, int reach, Visit&& visit) const {
    BlockCoord first, last;  // groups
    for (std::size_t d = 0; d < 3; ++d) first[d] = (c[d] - reach) >> 2, last[d] = (c[d] + reach) >> 2;
    for (std::int32_t x = first[0]; x <= last[0]; ++x)
      for (std::int32_t y = first[1]; y <= last[1]; ++y)
        for (std::int32_t z = first[2]; z <= last[2]; ++z) {
          const BlockCoord corner{4 * x, 4 * y, 4 * z};
          const BlockKey group = key_of(corner) >> 6;
          const Group found = groups_.find(group, {});
          std::uint64_t bits = found.bits;
          for (std::size_t d = 0; d < 3 && bits; ++d)
            bits &= range(d, c[d] - reach - corner[d], c[d] + reach - corner[d]);
          for (; bits; bits &= bits - 1) {
            const int place = std::countr_zero(bits);
            if (!visit(coord_of(group << 6 | BlockKey(place)), found.number_of(place))) return;
          }
        }
  }

 private:
  struct Group {
    std::uint64_t bits = 0;
    std::int32_t first = 0;  // number of the first block
    std::int32_t number_of(int place) const {
      return first + std::popcount(bits & ((std::uint64_t(1) << place) - 1));
    }
  };
  static std::uint64_t bit_of(BlockKey key) { return std::uint64_t(1) << (key & 63); }
  // the bits of the blocks of a group whose place along an axis is from `low` to `high`
  static std::uint64_t range(std::size_t axis, int low, int high) {
    static constexpr auto masks = [] {
      std::array<std::array<std::uint64_t, 4>, 3> all{};
      for (std::uint64_t bit = 0; bit < 64; ++bit)
        for (std::uint64_t d = 0; d < 3; ++d) {
          const std::uint64_t place = (bit >> (2 - d) & 1) | (bit >> (5 - d) & 1) << 1;
          all[d][place] |= std::uint64_t(1) << bit;
        }
      return all;
    }();
    std::uint64_t bits = 0;
    for (int place = std::max(low, 0); place <= std::min(high, 3); ++place)
      bits |= masks[axis][std::size_t(place)];
    return bits;
  }
  KeyTable<Group> groups_;
};

// how many groups the blocks of a list in key order are in
inline std::size_t count_groups(const std::vector<BlockKey>& keys) {
  std::size_t groups = 0;
  for (std::size_t k = 0; k < keys.size(); ++k) groups += k == 0 || keys[k] >> 6 != keys[k - 1] >> 6;
  return groups;
}

}  // namespace dollop
