// Every particle of a simulation: one group for each material, and the blocks they are sorted into.
#pragma once

#include <optional>

#include "core/binary.h"
#include "particles/particle_group.h"

namespace dollop {

// A particle that no longer has a place: its position is not a number, or farther away than the grid can
// count.
struct LostParticle {
  int group;
  std::uint64_t id;
};

template <class S>
class ParticleStore {
 public:
  ParticleStore() = default;
  // stencil_offset: a particle belongs to the block of node floor(x - offset), the first node of its stencil
  ParticleStore(const BlockSpace& space, double stencil_offset) : space_(space), offset_(stencil_offset) {}

  const BlockSpace& space() const { return space_; }
  double stencil_offset() const { return offset_; }
  std::vector<ParticleGroup<S>>& groups() { return groups_; }
  const std::vector<ParticleGroup<S>>& groups() const { return groups_; }
  std::size_t size() const;
  std::uint64_t next_id() const { return next_id_; }

  int add_group(int material, const std::vector<Column>& method, const std::vector<Column>& state);

  // Adds `count` particles to the end of a group, at the given places [m]; every other column is zero but the
  // id. Returns the index of the first. They take part in a step after the next sort().
  std::size_t append(int group, const Double3* places, std::size_t count);

  // Sorts by block and cell, stably; particles that left their block change block. If one cannot be placed it
  // is returned, and nothing was changed.
  std::optional<LostParticle> sort();

  // Drops the particles of a sorted group that are marked, one mark for each; the others keep their order and ids.
  // There may be no newcomers in the group. Blocks that become empty stay in the list until the next sort().
  void remove(int group, const std::vector<char>& gone);

  // the blocks that hold particles, in key order, and where each begins in a group; valid after sort()
  const std::vector<BlockKey>& blocks() const { return blocks_; }
  const std::vector<std::uint32_t>& begin(int group) const { return books_[std::size_t(group)].begin; }
  const std::vector<OccupiedCells>& occupied_cells() const { return cells_; }  // of each block
  std::uint64_t layout() const { return layout_; }  // raised whenever blocks or their occupied cells change
  std::uint64_t order() const { return order_; }    // raised whenever particles are sorted

  // where a particle is, in a group that is sorted [m]
  Double3 position(int group, std::size_t block, std::size_t i) const;
  // calls visit(block, i) for every particle of a sorted group
  template <class Visit>
  void each(int group, Visit&& visit) const {
    const auto& first = begin(group);
    for (std::size_t b = 0; b + 1 < first.size(); ++b)
      for (std::size_t i = first[b]; i < first[b + 1]; ++i) visit(b, i);
  }

  std::size_t bytes() const;  // particles and sort buffers

  // Everything, in the order of memory, so that what follows is bitwise the same. restore() needs a store with the
  // same groups; it throws std::runtime_error, and the store is of no use then, if the stream holds something else.
  void save(BinaryWriter& out) const;
  void restore(BinaryReader& in);

 private:
  struct Entry;   // one block that particles of a source go to
  struct Source;  // neighbours in memory that are sorted together: one old block, or newcomers
  struct Book {   // what sorting keeps of a group
    std::vector<std::uint32_t> begin{0};
    std::vector<BlockCoord> newcomers;         // blocks of the particles behind the sorted ones
    AlignedArray<std::uint32_t> where, order;  // entry of its source * block_nodes + cell; new order
  };
  std::vector<Source> make_sources(int group) const;
  std::uint32_t find_block(BlockKey key) const;  // the first one in the list that does not come before it
  std::vector<BlockKey> next_blocks(const std::vector<std::vector<Source>>& sources) const;
  bool locate(int group, Source& source, std::uint64_t& lost);
  void arrange(int group, std::vector<Source>& sources);
  void sort_cells(Book& book);
  std::vector<OccupiedCells> find_cells() const;

  BlockSpace space_;
  double offset_ = 1;
  std::vector<ParticleGroup<S>> groups_;
  std::vector<Book> books_;
  std::vector<BlockKey> blocks_;
  std::vector<OccupiedCells> cells_;
  std::uint64_t next_id_ = 0, layout_ = 0, order_ = 0;
  AlignedArray<S> scratch_;
  AlignedArray<std::uint64_t> id_scratch_;
};

}  // namespace dollop
