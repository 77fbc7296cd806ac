// Which particles give mass to new ones and how much, and which are merged. Theory: docs/theory/resampling.md.
#pragma once

#include <cstdint>
#include <vector>

#include "particles/dart_throwing.h"
#include "particles/particle_cells.h"

namespace dollop {

// Particles are identified by their index in ParticleCells.

// The contribution of a donor to a new particle, as a fraction of all that the donor gives.
struct Gift {
  std::uint32_t donor;
  double part;  // a_p / sum of a over the newcomers that it gives to
  Float3 d;     // from the newcomer to the donor [r]
};

struct Newcomer {
  Dart place;
  int group;          // of the nearest particle
  std::size_t gifts;  // index of its first gift
};

struct Donor {
  std::uint32_t particle;
  double kept;  // R: the fraction of its mass that the donor keeps
};

struct MassShares {
  std::vector<Newcomer> newcomers;  // in the order of the darts; those without a donor are left out
  std::vector<Gift> gifts;          // of each newcomer, in the order of the donors' ids
  std::vector<Donor> donors;        // in ascending order

  std::size_t gifts_end(std::size_t newcomer) const {
    return newcomer + 1 < newcomers.size() ? newcomers[newcomer + 1].gifts : gifts.size();
  }
};

// Donors are the particles of the newcomer's group nearer than r, or, if there is none, nearer than 2 r.   (RES.7)
template <class S>
MassShares share_mass(const ParticleCells& cells, const ParticleStore<S>& store,
                      const std::vector<Dart>& darts);

// Two particles that become one: `stays` has the smaller id.
struct ClosePair {
  std::uint32_t stays, goes;
  Float3 d;  // from stays to goes [r]
};

inline constexpr float merge_distance = 0.03f;  // [r]

// Pairs of particles of one group nearer than merge_distance that are mutual nearest neighbours, in ascending order; of
// equally near ones that with the smaller id counts. (RES.9)
template <class S>
std::vector<ClosePair> find_close_pairs(const ParticleCells& cells, const ParticleStore<S>& store);

}  // namespace dollop
