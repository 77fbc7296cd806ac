// Who gives mass to new particles and how much, and which particles are merged. Theory: docs/theory/resampling.md.
#pragma once

#include <cstdint>
#include <vector>

#include "particles/dart_throwing.h"
#include "particles/particle_cells.h"

namespace dollop {

// Particles are named by their number in the cells.

// What a particle gives to a newcomer: a part of all that it gives.
struct Gift {
  std::uint32_t donor;
  double part;  // a_p / sum of a over the newcomers that it gives to
  Float3 d;     // from the newcomer to the donor [r]
};

struct Newcomer {
  Dart place;
  int group;          // of the nearest particle
  std::size_t gifts;  // where its gifts begin
};

struct Donor {
  std::uint32_t particle;
  double kept;  // R: the part of its mass that stays with it
};

struct MassShares {
  std::vector<Newcomer> newcomers;  // in the order of the darts; those without a donor are left out
  std::vector<Gift> gifts;          // of each newcomer, in the order of the donors' ids
  std::vector<Donor> donors;        // rising

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

// Pairs of one group nearer than merge_distance, each the nearest of the other, ties by the smaller id. Rising. (RES.9)
template <class S>
std::vector<ClosePair> find_close_pairs(const ParticleCells& cells, const ParticleStore<S>& store);

}  // namespace dollop
