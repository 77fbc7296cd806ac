#include "solvers/phases/particle_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "boundary/rigid.h"
#include "core/parallel.h"
#include "core/profile.h"
#include "solvers/phases/node_access.h"

namespace dollop {

using V3 = Vec3<double>;

namespace {

// A collider near a few particles. Within a ball about them, signed distances are those of a narrowed shape; the few
// particles that are pushed out use the whole one.
class Vicinity {
 public:
  Vicinity(const MovingColliders& colliders, const NearCollider& whole, const Double3& center, double radius)
      : colliders_(colliders), whole_(whole), center_(to_vec(center)), radius_(radius) {
    if (has_cuts(whole)) narrow_ = colliders.narrowed(whole, center, radius);
  }
  const NearCollider& whole() const { return whole_; }
  double signed_distance(const Double3& x) const {
    const bool within = narrow_ && norm(to_vec(x) - center_) <= radius_;
    return colliders_.signed_distance(within ? *narrow_ : whole_, x);
  }

 private:
  const MovingColliders& colliders_;
  const NearCollider& whole_;
  V3 center_;
  double radius_;
  std::optional<NearCollider> narrow_;  // valid within the radius
};

// Moves the end of a path out of a collider, if it is inside and the start was not. False: it was not moved.
bool push_out(const MovingColliders& colliders, const Vicinity& vicinity, const Double3& from, Double3& to,
              double skin) {
  const NearCollider& c = vicinity.whole();
  if (!(vicinity.signed_distance(to) < 0)) return false;
  // the start of the path, carried with the collider
  const V3 start = to_vec(colliders.carried(c.collider, from)), end = to_vec(to);
  if (vicinity.signed_distance(to_array(start)) < -skin) return false;
  // the first point of the path inside the collider has the normal of the entry side, also in a thin wall
  constexpr int pieces = 4;  // of a path that is at most a cell long
  for (int k = 1; k <= pieces; ++k) {
    const V3 x = start + (double(k) / pieces) * (end - start);
    const ContactSample s = colliders.sample(c, to_array(x));
    if (s.phi > 0 || (s.phi == 0 && k < pieces)) continue;
    const V3 n = to_vec(s.normal);
    V3 out = end - (s.phi + dot(end - x, n)) * n;  // (BC.19)
    if (colliders.signed_distance(c, to_array(out)) < -skin)
      out = x - s.phi * n;  // at a corner or a strong curvature
    to = to_array(out);
    return true;
  }
  return false;
}

template <class S>
struct TileParticles {
  ParticleGroup<S>& group;
  BlockCoord block;
  const BlockSpace& space;
  double offset;             // of the stencil
  OccupiedCells home_cells;  // that the particles may leave by a cell until they are sorted

  Double3 cells(std::size_t i) const {
    return {double(group.reals(0)[i]), double(group.reals(1)[i]), double(group.reals(2)[i])};
  }
  Double3 position(std::size_t i) const {
    return node_place(space, block, group.reals(0)[i], group.reals(1)[i], group.reals(2)[i]);
  }
  // true if the particle has to be re-sorted before the next step
  bool move_to(const Double3& x, std::size_t i) {
    bool left_margin = false;
    for (std::size_t d = 0; d < 3; ++d) {
      S& cells = group.reals(int(d))[i];
      cells = S(space.to_cells(x[d], d) - 4.0 * block[d]);
      const double home = std::floor(double(cells) - offset);
      left_margin = left_margin || home < home_cells.low[d] - 1 || home > home_cells.high[d] + 1;
    }
    return left_margin;
  }
  // Particles with a velocity of their own do not follow the grid exactly: at a surface the contact rule holds for them too  (BC.20)
  void resolve_velocity(const MovingColliders& colliders, const NearCollider& c, const Double3& x,
                        std::size_t i) {
    S* v[3] = {group.reals(ParticleGroup<S>::velocity), group.reals(ParticleGroup<S>::velocity + 1),
               group.reals(ParticleGroup<S>::velocity + 2)};
    const V3 before{double(v[0][i]), double(v[1][i]), double(v[2][i])};
    ContactSample s = colliders.sample(c, x);
    s.phi = std::min(s.phi, 0.0);
    const V3 after = resolve(colliders[c.collider].contact, to_contact<double>(s), before);
    v[0][i] = S(after.x), v[1][i] = S(after.y), v[2][i] = S(after.z);
  }
  // a ball around the particles [i, end)
  struct Ball {
    Double3 center;
    double radius;
    Double3 cells;  // the centre relative to node 0 of the block
  };
  Ball ball(std::size_t i, std::size_t end) const {
    double radius2 = 0;
    std::array<double, 3> middle;
    for (std::size_t d = 0; d < 3; ++d) {
      const S* x = group.reals(int(d));
      S low = x[i], high = x[i];
      for (std::size_t k = i + 1; k < end; ++k) low = std::min(low, x[k]), high = std::max(high, x[k]);
      middle[d] = 0.5 * (double(low) + double(high));
      radius2 += 0.25 * (double(high) - double(low)) * (double(high) - double(low));
    }
    return {node_place(space, block, middle[0], middle[1], middle[2]), std::sqrt(radius2) * space.cell_size,
            middle};
  }
};

// A collider that particles of a tile may enter.
struct Gate {
  const NearCollider* near;
  bool still;
};

// the particles of a block, and how they move
template <class S>
struct KeptTile {
  const MovingColliders& colliders;
  const ParticleMotion& motion;
  const StillContacts<S>* still;
  std::size_t block;  // index into the list of the particle store
  TileParticles<S> particles;

  // a lower bound of the distance to a static collider; minus infinity if unknown
  double clearance(const Gate& gate, const Double3& cells) const {
    if (!gate.still) return -std::numeric_limits<double>::infinity();
    const auto slot =
        std::size_t(still->blocks.slot_of_tile[block]);  // not an island: those have no cached samples
    return still->cache.clearance(still->blocks, slot, gate.near->collider, cells);
  }

  // whether a ball is certainly outside the collider
  bool is_clear(const Gate& gate, const Double3& cells, const Double3& center, double radius) const {
    return clearance(gate, cells) > radius || colliders.signed_distance(*gate.near, center) > radius;
  }

  // true if the particle has left the margin of its block
  bool keep_out(const Gate& gate, const Vicinity& vicinity, std::size_t i) {
    if (gate.still && clearance(gate, particles.cells(i)) > 0) return false;
    const Double3 x = particles.position(i);
    Double3 from, to = x;
    double travel = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double step = motion.dt * double(particles.group.reals(ParticleGroup<S>::velocity + int(d))[i]);
      from[d] = x[d] - step;
      travel += step * step;
    }
    // tolerance for a start on the surface; the start of particles that follow the grid is known less well
    const double h = particles.space.cell_size,
                 skin = 1e-3 * h + (motion.own_velocity ? 0 : std::min(0.5 * h, std::sqrt(travel)));
    if (!push_out(colliders, vicinity, from, to, skin)) return false;
    const bool left = particles.move_to(to, i);
    if (motion.resolves_velocity) particles.resolve_velocity(colliders, *gate.near, to, i);
    return left;
  }
};

// keeps the particles of one tile and group out of colliders; true if a particle has left the margin
template <class S>
bool keep_tile_out(const std::vector<Gate>& gates, KeptTile<S> tile, std::size_t begin, std::size_t end) {
  constexpr std::size_t run = 16;
  bool left_margin = false;
  for (std::size_t first = begin; first < end; first += run) {
    const std::size_t last = std::min(end, first + run);
    const auto [center, radius, cells] = tile.particles.ball(first, last);
    for (const Gate& gate : gates) {
      if (tile.is_clear(gate, cells, center, radius)) continue;
      const Vicinity vicinity(tile.colliders, *gate.near, center,
                              radius + 0.5 * tile.particles.space.cell_size);
      for (std::size_t i = first; i < last; ++i) left_margin |= tile.keep_out(gate, vicinity, i);
    }
  }
  return left_margin;
}

// the colliders that particles of a block might enter, in the order of the scene
std::vector<Gate> gates_of(const std::vector<NearCollider>& asked, const std::vector<SeenCollider>* seen) {
  std::vector<Gate> gates;
  for (const NearCollider& near : asked) gates.push_back({&near, false});
  if (seen)
    for (const SeenCollider& one : *seen) gates.push_back({&one.near, true});
  std::sort(gates.begin(), gates.end(),
            [](const Gate& a, const Gate& b) { return a.near->collider < b.near->collider; });
  return gates;
}

}  // namespace

template <class S>
void keep_out(const MovingColliders& colliders, const ParticleMotion& motion, const StillContacts<S>* still,
              State<S>& state, StepReport& report) {
  using Which = MovingColliders::Which;
  const ScopedPhase phase(Phase::contact);
  if (colliders.size() == 0) return;
  ParticleStore<S>& store = state.particles;
  const BlockSpace& space = store.space();
  std::vector<char> left_margin(store.blocks().size(), 0);
  const auto keep_block = [&](std::size_t b) {
    if (still && still->blocks.is_lone(b)) return;  // far from all colliders
    const BlockCoord block = coord_of(store.blocks()[b]);
    // particles are up to two cells outside their block: one since the last sort, one in this step
    const double middle = store.stencil_offset() + 2, reach = 4 * std::sqrt(3.0) * space.cell_size;
    const std::int32_t slot = still ? still->blocks.slot_of_tile[b] : -1;
    const auto asked = colliders.near(node_place(space, block, middle, middle, middle), reach,
                                      slot >= 0 ? Which::moving : Which::all);
    const auto gates = gates_of(asked, slot >= 0 ? &still->cache.of_slot(std::size_t(slot)) : nullptr);
    if (gates.empty()) return;
    for (std::size_t g = 0; g < store.groups().size(); ++g) {
      const auto& begin = store.begin(int(g));
      const TileParticles<S> particles{store.groups()[g], block, space, store.stencil_offset(),
                                       store.occupied_cells()[b]};
      if (keep_tile_out<S>(gates, {colliders, motion, still, b, particles}, begin[b], begin[b + 1]))
        left_margin[b] = 1;
    }
  };
  if (still)
    parallel_for(store.blocks().size(), 1, still->affinity, keep_block);
  else
    parallel_for(store.blocks().size(), 4, keep_block);
  report.left_margin = report.left_margin || std::count(left_margin.begin(), left_margin.end(), 1) > 0;
}

template <class S>
void keep_out(const MovingColliders& colliders, StepGrid<S>& grid, State<S>& state, StepReport& report) {
  const TransferChoice& choice = grid.blocks.choice;
  const bool own = keeps_residual(choice.transfer);  // particles keep a velocity of their own
  const ParticleMotion motion{
      .dt = report.dt,
      .own_velocity = (!own || grid.args.advect_particle_velocity) && !choice.two_velocities,
      .resolves_velocity = own};
  if (colliders.size() > 0) grid.cache.update(colliders, grid.blocks);
  const StillContacts<S> still{grid.cache, grid.blocks, grid.affinity};
  keep_out(colliders, motion, &still, state, report);
}

#define DOLLOP_INSTANTIATE(S)                                                                               \
  template void keep_out(const MovingColliders&, const ParticleMotion&, const StillContacts<S>*, State<S>&, \
                         StepReport&);                                                                      \
  template void keep_out(const MovingColliders&, StepGrid<S>&, State<S>&, StepReport&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
