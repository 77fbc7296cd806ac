#include "particles/particle_store.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "core/parallel.h"

namespace dollop {

template <class S>
struct ParticleStore<S>::Entry {
  BlockKey key;
  std::uint32_t count;  // particles that go there
  std::uint32_t block;  // index into the list of blocks
  std::uint32_t next;   // place of the next one in the new order
};

template <class S>
struct ParticleStore<S>::Source {
  std::uint32_t begin, end;
  BlockCoord block;  // of the particles, unless they are newcomers
  bool newcomers;
  std::vector<Entry> entries;
};

template <class S>
std::size_t ParticleStore<S>::size() const {
  std::size_t n = 0;
  for (const auto& group : groups_) n += group.size();
  return n;
}

template <class S>
int ParticleStore<S>::add_group(int material, const std::vector<Column>& method,
                                const std::vector<Column>& state) {
  groups_.emplace_back(material, method, state);
  books_.emplace_back();
  books_.back().begin.assign(blocks_.size() + 1, 0);
  return int(groups_.size()) - 1;
}

template <class S>
std::size_t ParticleStore<S>::append(int group, const Double3* places, std::size_t count) {
  auto& particles = groups_[std::size_t(group)];
  auto& book = books_[std::size_t(group)];
  const std::size_t first = particles.size();
  DOLLOP_ASSERT(first + count < (std::size_t(1) << 32));  // indices are 32 bits
  particles.resize(first + count);
  for (std::size_t k = 0; k < count; ++k) {
    particles.ids()[first + k] = next_id_++;
    BlockCoord block;
    for (std::size_t d = 0; d < 3; ++d) {
      const double x = space_.to_cells(places[k][d], d), b = std::floor((x - offset_) / 4);
      const bool known = std::fabs(b) < block_limit;  // false for NaN; sort() finds it
      block[d] = known ? std::int32_t(b) : 0;
      particles.reals(ParticleGroup<S>::position + int(d))[first + k] = S(x - 4.0 * block[d]);
    }
    book.newcomers.push_back(block);
  }
  return first;
}

template <class S>
auto ParticleStore<S>::make_sources(int group) const -> std::vector<Source> {
  constexpr std::size_t piece = 1024;
  const auto& book = books_[std::size_t(group)];
  std::vector<Source> sources;
  for (std::size_t b = 0; b + 1 < book.begin.size(); ++b)
    if (book.begin[b] != book.begin[b + 1])
      sources.push_back({book.begin[b], book.begin[b + 1], coord_of(blocks_[b]), false, {}});
  const std::size_t n = groups_[std::size_t(group)].size();
  for (std::size_t i = book.begin.back(); i < n; i += piece)
    sources.push_back({std::uint32_t(i), std::uint32_t(std::min(n, i + piece)), {}, true, {}});
  return sources;
}

// finds the block and cell of every particle of a source; false, and the id, if one has none
template <class S>
bool ParticleStore<S>::locate(int group, Source& source, std::uint64_t& lost) {
  auto& particles = groups_[std::size_t(group)];
  auto& book = books_[std::size_t(group)];
  const S* x[3] = {particles.reals(0), particles.reals(1), particles.reals(2)};
  const std::size_t settled = book.begin.back();
  const S offset = S(offset_), far = S(1 << 20);
  source.entries.reserve(std::min<std::size_t>(neighbour_count, source.end - source.begin));
  std::size_t last = 0;
  BlockCoord last_block{};
  for (std::size_t i = source.begin; i < source.end; ++i) {
    BlockCoord block = source.newcomers ? book.newcomers[i - settled] : source.block;
    std::uint32_t cell = 0;
    bool found = true;
    for (std::size_t d = 0; d < 3; ++d) {
      const S home = std::floor(x[d][i] - offset);
      found = found && std::fabs(home) < far;
      const std::int32_t node = found ? std::int32_t(home) : 0;
      block[d] += node >> 2;
      cell = cell * 4 + std::uint32_t(node & 3);
    }
    if (!found || !BlockSpace::in_range(block)) {
      lost = particles.ids()[i];
      return false;
    }
    // neighbours in memory mostly go to the same block
    if (i == source.begin || block != last_block) {
      const BlockKey key = key_of(space_.wrap(block));
      const auto same = [&](const Entry& e) { return e.key == key; };
      last = std::size_t(std::find_if(source.entries.begin(), source.entries.end(), same) -
                         source.entries.begin());
      if (last == source.entries.size()) source.entries.push_back({key, 0, 0, 0});
      last_block = block;
    }
    ++source.entries[last].count;
    book.where[i] = std::uint32_t(last) * block_nodes + cell;
  }
  return true;
}

// puts the particles of a group into the order of blocks_ and of cells within a block
template <class S>
void ParticleStore<S>::arrange(int group, std::vector<Source>& sources) {
  auto& particles = groups_[std::size_t(group)];
  auto& book = books_[std::size_t(group)];
  // where each block begins, and where in it the particles of each source begin: in order of memory, so
  // stable
  std::vector<std::uint32_t> next(blocks_.size() + 1, 0);
  parallel_for(sources.size(), 16, [&](std::size_t k) {
    for (Entry& e : sources[k].entries) e.block = find_block(e.key);
  });
  for (const Source& source : sources)
    for (const Entry& e : source.entries) next[e.block] += e.count;
  book.begin.resize(blocks_.size() + 1);
  std::uint32_t total = 0;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    book.begin[b] = total;
    total += std::exchange(next[b], total);
  }
  book.begin.back() = total;
  DOLLOP_ASSERT(total == particles.size());
  for (Source& source : sources)
    for (Entry& e : source.entries) {
      e.next = next[e.block];
      next[e.block] += e.count;
    }

  // a position just below the border of its block may round up to the border when it is counted from another block
  const S offset = S(offset_), highest = std::nextafter(offset + S(4), S(0));
  parallel_for(sources.size(), 4, [&](std::size_t k) {
    for (std::size_t i = sources[k].begin; i < sources[k].end; ++i) {
      book.order[sources[k].entries[book.where[i] / block_nodes].next++] = std::uint32_t(i);
      for (int d = 0; d < 3; ++d) {
        S& x = particles.reals(d)[i];
        if (const std::int32_t moved = std::int32_t(std::floor(x - offset)) >> 2)
          x = std::min(x - S(4 * moved), highest);
      }
    }
  });
  sort_cells(book);
  book.newcomers.clear();
  particles.reorder(book.order.data(), scratch_, id_scratch_);
}

// a stable counting sort of each block by cell
template <class S>
void ParticleStore<S>::sort_cells(Book& book) {
  parallel_for(blocks_.size(), 4, [&](std::size_t b) {
    const std::uint32_t begin = book.begin[b], end = book.begin[b + 1];
    std::array<std::uint32_t, block_nodes + 1> first{};
    for (std::uint32_t k = begin; k < end; ++k) ++first[book.where[book.order[k]] % block_nodes + 1];
    for (std::size_t c = 0; c < block_nodes; ++c) first[c + 1] += first[c];
    thread_local std::vector<std::uint32_t> sorted;
    sorted.resize(end - begin);
    for (std::uint32_t k = begin; k < end; ++k)
      sorted[first[book.where[book.order[k]] % block_nodes]++] = book.order[k];
    std::copy(sorted.begin(), sorted.end(), book.order.data() + begin);
  });
}

template <class S>
std::uint32_t ParticleStore<S>::find_block(BlockKey key) const {
  return std::uint32_t(std::lower_bound(blocks_.begin(), blocks_.end(), key) - blocks_.begin());
}

// Nearly all particles go to blocks that are in the list already, so few keys have to be sorted.
template <class S>
auto ParticleStore<S>::next_blocks(const std::vector<std::vector<Source>>& sources) const
    -> std::vector<BlockKey> {
  std::vector<std::atomic<bool>> stays(blocks_.size());
  std::vector<BlockKey> fresh;
  for (const auto& group : sources) {
    std::vector<char> some_fresh(group.size());
    const auto is_fresh = [&](const Entry& e, std::uint32_t b) {
      return b == blocks_.size() || blocks_[b] != e.key;
    };
    parallel_for(group.size(), 16, [&](std::size_t k) {
      for (const Entry& e : group[k].entries)
        if (const std::uint32_t b = find_block(e.key); is_fresh(e, b))
          some_fresh[k] = 1;
        else if (!stays[b].load(std::memory_order_relaxed))
          stays[b].store(true, std::memory_order_relaxed);
    });
    for (std::size_t k = 0; k < group.size(); ++k)
      for (std::size_t e = 0; some_fresh[k] && e < group[k].entries.size(); ++e)
        if (const Entry& entry = group[k].entries[e]; is_fresh(entry, find_block(entry.key)))
          fresh.push_back(entry.key);
  }
  std::sort(fresh.begin(), fresh.end());
  fresh.erase(std::unique(fresh.begin(), fresh.end()), fresh.end());
  std::vector<BlockKey> kept, keys;
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    if (stays[b]) kept.push_back(blocks_[b]);
  keys.reserve(kept.size() + fresh.size());
  std::merge(kept.begin(), kept.end(), fresh.begin(), fresh.end(), std::back_inserter(keys));
  return keys;
}

template <class S>
std::optional<LostParticle> ParticleStore<S>::sort() {
  std::vector<std::vector<Source>> sources(groups_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    sources[g] = make_sources(int(g));
    books_[g].where.resize(groups_[g].size());
    books_[g].order.resize(groups_[g].size());
    std::vector<std::uint64_t> lost(sources[g].size());
    std::vector<char> found(sources[g].size());
    parallel_for(sources[g].size(), 4,
                 [&](std::size_t k) { found[k] = locate(int(g), sources[g][k], lost[k]); });
    for (std::size_t k = 0; k < found.size(); ++k)
      if (!found[k]) return LostParticle{int(g), lost[k]};
  }
  std::vector<BlockKey> keys = next_blocks(sources);
  const bool other_blocks = keys != blocks_;
  if (other_blocks) blocks_.swap(keys);
  for (std::size_t g = 0; g < groups_.size(); ++g) arrange(int(g), sources[g]);
  std::vector<OccupiedCells> cells = find_cells();
  if (other_blocks || cells != cells_) ++layout_;
  cells_.swap(cells);
  ++order_;
  return {};
}

template <class S>
std::vector<OccupiedCells> ParticleStore<S>::find_cells() const {
  std::vector<OccupiedCells> cells(blocks_.size());
  parallel_for(blocks_.size(), 64, [&](std::size_t b) {
    std::uint32_t count = 0;
    for (const Book& book : books_) count += book.begin[b + 1] - book.begin[b];
    if (count > most_in_sparse_block) return;
    OccupiedCells& found = cells[b];
    found = {1, {block_edge - 1, block_edge - 1, block_edge - 1}, {0, 0, 0}};
    for (std::size_t g = 0; g < groups_.size(); ++g)
      for (std::size_t i = books_[g].begin[b]; i < books_[g].begin[b + 1]; ++i)
        for (std::size_t d = 0; d < 3; ++d) {
          const auto cell = std::int8_t(std::floor(groups_[g].reals(int(d))[i] - S(offset_)));
          found.low[d] = std::min(found.low[d], cell), found.high[d] = std::max(found.high[d], cell);
        }
  });
  return cells;
}

template <class S>
void ParticleStore<S>::remove(int group, const std::vector<char>& gone) {
  auto& particles = groups_[std::size_t(group)];
  auto& book = books_[std::size_t(group)];
  DOLLOP_ASSERT(gone.size() == particles.size());
  DOLLOP_ASSERT(book.newcomers.empty() && book.begin.back() == particles.size());
  if (std::find_if(gone.begin(), gone.end(), [](char mark) { return mark != 0; }) == gone.end()) return;

  // those that stay, in order of memory, and where each block begins among them
  book.order.resize(particles.size());
  std::uint32_t kept = 0;
  for (std::size_t b = 0, i = 0; b < blocks_.size(); ++b) {
    const std::uint32_t end = book.begin[b + 1];
    book.begin[b] = kept;
    for (; i < end; ++i)
      if (!gone[i]) book.order[kept++] = std::uint32_t(i);
  }
  book.begin.back() = kept;
  particles.select(book.order.data(), kept, scratch_, id_scratch_);
}

template <class S>
Double3 ParticleStore<S>::position(int group, std::size_t block, std::size_t i) const {
  const BlockCoord c = coord_of(blocks_[block]);
  Double3 x;
  for (std::size_t d = 0; d < 3; ++d)
    x[d] = space_.to_world(c[d], groups_[std::size_t(group)].reals(int(d))[i], d);
  return x;
}

template <class S>
void ParticleStore<S>::save(BinaryWriter& out) const {
  out.value(next_id_);
  out.array(blocks_);
  out.array(cells_);
  out.value(std::uint32_t(groups_.size()));
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const auto& group = groups_[g];
    out.value(std::uint32_t(group.array_count()));
    out.array(books_[g].begin);
    out.array(books_[g].newcomers);
    out.array(group.ids(), group.size());
    for (int k = 0; k < group.array_count(); ++k) out.array(group.reals(k), group.size());
  }
}

template <class S>
void ParticleStore<S>::restore(BinaryReader& in) {
  const auto require = [](bool holds) {
    if (!holds) throw std::runtime_error("the stored particles do not belong to this scene");
  };
  next_id_ = in.value<std::uint64_t>();
  blocks_ = in.array<BlockKey>();
  require(std::adjacent_find(blocks_.begin(), blocks_.end(), std::greater_equal<>()) == blocks_.end());
  cells_ = in.array<OccupiedCells>();
  require(cells_.size() == blocks_.size());
  for (const OccupiedCells& cells : cells_)
    for (std::size_t d = 0; d < 3; ++d)
      require(0 <= cells.low[d] && cells.low[d] <= cells.high[d] && cells.high[d] < block_edge);
  require(in.value<std::uint32_t>() == groups_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    auto& group = groups_[g];
    Book& book = books_[g];
    require(in.value<std::uint32_t>() == std::uint32_t(group.array_count()));
    book.begin = in.array<std::uint32_t>();
    book.newcomers = in.array<BlockCoord>();
    const std::size_t n = in.array_size<std::uint64_t>();
    require(n < (std::size_t(1) << 32) && book.begin.size() == blocks_.size() + 1 && book.begin[0] == 0);
    require(std::is_sorted(book.begin.begin(), book.begin.end()) &&
            book.begin.back() + book.newcomers.size() == n);
    group.resize(n);
    in.elements(group.ids(), n);
    require(std::all_of(group.ids(), group.ids() + n, [&](std::uint64_t id) { return id < next_id_; }));
    for (int k = 0; k < group.array_count(); ++k) {
      require(in.array_size<S>() == n);
      in.elements(group.reals(k), n);
    }
  }
  for (std::size_t b = 0; b < cells_.size(); ++b) {
    std::uint32_t count = 0;
    for (const Book& book : books_) count += book.begin[b + 1] - book.begin[b];
    require(cells_[b].sparse == 0 || (cells_[b].sparse == 1 && count <= most_in_sparse_block));
  }
  ++layout_, ++order_;
}

template <class S>
std::size_t ParticleStore<S>::bytes() const {
  std::size_t total = scratch_.bytes() + id_scratch_.bytes();
  for (const auto& group : groups_) total += group.bytes();
  for (const auto& book : books_) total += book.where.bytes() + book.order.bytes();
  return total;
}

template class ParticleStore<float>;
template class ParticleStore<double>;

}  // namespace dollop
