#include "particles/mass_shares.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "core/parallel.h"

namespace dollop {
namespace {

template <class S>
std::uint64_t id_of(const ParticleCells& cells, const ParticleStore<S>& store, std::uint32_t n) {
  return store.groups()[std::size_t(cells.group(n))].ids()[cells.index(n)];
}

struct Near {
  std::uint32_t particle;
  std::uint64_t id;
  float square;
  Float3 d;
};

// the donors of a dart in order of id, all of the group of the nearest particle; empty if no particle is near
template <class S>
std::vector<Near> find_donors(const ParticleCells& cells, const ParticleStore<S>& store, const Dart& dart) {
  std::vector<Near> near;
  cells.each_near(dart.brick, dart.x, 2, [&](std::uint32_t n, const Float3& d, float square) {
    near.push_back({n, id_of(cells, store, n), square, d});
  });
  if (near.empty()) return near;
  const auto nearest = std::min_element(near.begin(), near.end(), [](const Near& a, const Near& b) {
    return std::tie(a.square, a.id) < std::tie(b.square, b.id);
  });
  const int group = cells.group(nearest->particle);
  const float reach = nearest->square < 1 ? 1 : 4;
  near.erase(
      std::remove_if(near.begin(), near.end(),
                     [&](const Near& n) { return n.square >= reach || cells.group(n.particle) != group; }),
      near.end());
  std::sort(near.begin(), near.end(), [](const Near& a, const Near& b) { return a.id < b.id; });
  return near;
}

// a gift, to be sorted by donor
struct Demand {
  std::uint32_t donor;
  std::size_t gift;
  double share;  // a_p = 1 / (N_p + 1)
};

}  // namespace

template <class S>
MassShares share_mass(const ParticleCells& cells, const ParticleStore<S>& store,
                      const std::vector<Dart>& darts) {
  std::vector<std::vector<Near>> donors(darts.size());
  parallel_for(darts.size(), 16, [&](std::size_t p) { donors[p] = find_donors(cells, store, darts[p]); });
  MassShares shares;
  std::vector<Demand> demands;
  for (std::size_t p = 0; p < darts.size(); ++p) {
    if (donors[p].empty()) continue;
    shares.newcomers.push_back({darts[p], cells.group(donors[p][0].particle), shares.gifts.size()});
    for (const Near& q : donors[p]) {
      demands.push_back({q.particle, shares.gifts.size(), 1 / (double(donors[p].size()) + 1)});
      shares.gifts.push_back({q.particle, 0, q.d});
    }
  }
  // the gifts of each donor, in the order of the newcomers
  tbb::parallel_sort(demands.begin(), demands.end(), [](const Demand& a, const Demand& b) {
    return std::tie(a.donor, a.gift) < std::tie(b.donor, b.gift);
  });
  for (std::size_t begin = 0, end; begin < demands.size(); begin = end) {
    double kept = 1, sum = 0;
    for (end = begin; end < demands.size() && demands[end].donor == demands[begin].donor; ++end) {
      kept *= 1 - demands[end].share;
      sum += demands[end].share;
    }
    for (std::size_t k = begin; k < end; ++k) shares.gifts[demands[k].gift].part = demands[k].share / sum;
    shares.donors.push_back({demands[begin].donor, kept});
  }
  return shares;
}

namespace {

// the nearest particle of the same group within the merge distance; n itself if there is none
template <class S>
Near find_partner(const ParticleCells& cells, const ParticleStore<S>& store, std::size_t brick,
                  std::uint32_t n) {
  Near best{n, 0, std::numeric_limits<float>::infinity(), {}};
  cells.each_near(brick, cells.place(n), merge_distance, [&](std::uint32_t q, const Float3& d, float square) {
    if (q == n || cells.group(q) != cells.group(n)) return;
    const std::uint64_t id = id_of(cells, store, q);
    if (std::tie(square, id) < std::tie(best.square, best.id)) best = {q, id, square, d};
  });
  return best;
}

// whether another particle may be within the merge distance: it shares the cell, or the cell's border is near
bool may_have_partner(const ParticleCells& cells, const std::uint32_t* begin, std::size_t cell,
                      std::uint32_t n) {
  if (begin[cell + 1] - begin[cell] > 1) return true;
  for (int d = 0; d < 3; ++d) {
    const float inside = cells.x(d)[n] - float(cell >> (6 - 3 * d) & 7);
    if (inside < merge_distance || inside > 1 - merge_distance) return true;
  }
  return false;
}

}  // namespace

template <class S>
std::vector<ClosePair> find_close_pairs(const ParticleCells& cells, const ParticleStore<S>& store) {
  const std::vector<std::uint32_t>& bricks = cells.occupied();
  std::vector<std::vector<ClosePair>> found(bricks.size());
  parallel_for(bricks.size(), 8, [&](std::size_t b) {
    const std::uint32_t* begin = cells.begin(bricks[b]);
    for (std::size_t cell = 0; cell < brick_size; ++cell)
      for (std::uint32_t n = begin[cell]; n < begin[cell + 1]; ++n) {
        if (!may_have_partner(cells, begin, cell, n)) continue;
        const Near partner = find_partner(cells, store, bricks[b], n);
        if (partner.particle != n) found[b].push_back({n, partner.particle, partner.d});
      }
  });
  std::vector<ClosePair> all, mutual;
  for (const auto& some : found) all.insert(all.end(), some.begin(), some.end());  // ascending in `stays`
  for (const ClosePair& pair : all) {
    const auto back = std::lower_bound(all.begin(), all.end(), pair.goes,
                                       [](const ClosePair& a, std::uint32_t n) { return a.stays < n; });
    if (back != all.end() && back->stays == pair.goes && back->goes == pair.stays &&
        id_of(cells, store, pair.stays) < id_of(cells, store, pair.goes))
      mutual.push_back(pair);
  }
  return mutual;
}

#define DOLLOP_INSTANTIATE(S)                                                                              \
  template MassShares share_mass(const ParticleCells&, const ParticleStore<S>&, const std::vector<Dart>&); \
  template std::vector<ClosePair> find_close_pairs(const ParticleCells&, const ParticleStore<S>&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
