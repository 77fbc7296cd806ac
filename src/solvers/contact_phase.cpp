#include "solvers/contact_phase.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "boundary/rigid.h"
#include "core/parallel.h"
#include "core/profile.h"
#include "solvers/impacts.h"
#include "solvers/mpm_phases.h"
#include "solvers/wall_side.h"

namespace dollop {

using V3 = Vec3<double>;

namespace {

// The velocity that a node is left with by one collider. A node inside must not go deeper; one outside that would enter
// within the step may only come as far as the surface.                                              (BC.3, BC.5)
std::optional<V3> touched_velocity(const Collider& collider, ContactSample s, double dt, double skin,
                                   const V3& v) {
  if (collider.contact != ContactKind::separate) {
    if (s.phi > skin) return std::nullopt;
    s.phi = std::min(s.phi, 0.0);
    return resolve(collider.contact, to_contact<double>(s), v);
  }
  s.phi += dt * dot(to_vec(s.normal), to_vec(s.velocity));  // at the start of the step
  if (s.phi <= skin) s.phi = 0;
  const Contact<double> contact = to_contact<double>(s);
  if (normal_speed(contact, v) * dt >= -s.phi) return std::nullopt;
  return resolve_ahead(contact, v, dt);
}

// A collider near a block: seen before by all of its nodes, or to be asked by each.
struct Touch {
  std::size_t collider;
  const NearCollider* near;
  const std::vector<ContactSample>* samples;  // null: to be asked
};

ContactSample look(const MovingColliders& colliders, const Touch& touch, const Double3& x, int node) {
  if (!touch.samples) return colliders.sample(*touch.near, x);
  ContactSample s = (*touch.samples)[std::size_t(node)];
  s.velocity = colliders.surface_velocity(touch.collider, s.normal);
  return s;
}

// what may be touched near a block, in the order of the scene; what holds its nodes comes last and so decides
std::vector<Touch> touches_of(const MovingColliders& colliders, const std::vector<NearCollider>& moving,
                              const std::vector<SeenCollider>* still) {
  std::vector<Touch> touches;
  for (const NearCollider& near : moving) touches.push_back({near.collider, &near, nullptr});
  if (still)
    for (const SeenCollider& seen : *still)
      if (!seen.samples.empty()) touches.push_back({seen.near.collider, &seen.near, &seen.samples});
  std::sort(touches.begin(), touches.end(), [&](const Touch& a, const Touch& b) {
    return std::pair(holds_nodes(colliders[a.collider].contact), a.collider) <
           std::pair(holds_nodes(colliders[b.collider].contact), b.collider);
  });
  return touches;
}

// the colliders one after the other; twice where several may touch, so that corners hold. `still` is what was seen
// before of those that do not move; without it all are asked.
template <class S>
void contact_in_block(const MovingColliders& colliders, const std::vector<SeenCollider>* still, double dt,
                      BlockGrid<S>& grid, std::size_t slot, std::vector<NodeImpact>& impacts) {
  using Which = MovingColliders::Which;
  const BlockSpace& space = grid.space;
  const BlockCoord block = coord_of(grid.slots[slot]);
  const double h = space.cell_size, skin = contact_skin * h;
  const Double3 middle = node_place(space, block, 1.5, 1.5, 1.5);
  auto moving = colliders.near(middle, node_reach * h + skin, still ? Which::moving : Which::all);
  for (NearCollider& near : moving)
    if (has_cuts(near)) near = colliders.narrowed(near, middle, node_reach * h);
  const auto touches = touches_of(colliders, moving, still);
  if (touches.empty()) return;
  for (int n = 0; n < 64; ++n) {
    S* node = grid.velocity.data() + 256 * slot + 4 * std::size_t(n);
    const double mass = double(node[3]);
    if (!(mass > 0)) continue;
    const Double3 x = node_place(space, block, n / 16, n / 4 % 4, n % 4);
    V3 v{double(node[0]), double(node[1]), double(node[2])};
    bool touched = false;
    for (int sweep = 0; sweep < (touches.size() > 1 ? 2 : 1); ++sweep)
      for (const Touch& touch : touches) {
        ContactSample s = look(colliders, touch, x, n);
        if (s.phi < -skin && faces_away(grid, slot, n, s.normal)) s.normal = to_array(-to_vec(s.normal));
        const auto left = touched_velocity(colliders[touch.collider], s, dt, skin, v);
        if (!left) continue;
        touched = true;
        add_impact(impacts, touch.collider, mass * (v - *left), to_vec(x));
        v = *left;
      }
    if (touched) node[0] = S(v.x), node[1] = S(v.y), node[2] = S(v.z);
  }
}

}  // namespace

template <class S>
std::vector<Collider> pistons(double time, const ExplicitMpm<S>& mpm) {
  std::vector<Collider> found;
  for (const Nozzle& nozzle : mpm.emitters)
    if (const auto piston = nozzle.plan.piston(time, 2 * mpm.grid.space.cell_size)) found.push_back(*piston);
  return found;
}

template <class S>
void drive_nozzles(double time, double dt, ExplicitMpm<S>& mpm) {
  const ScopedPhase phase(Phase::emit);
  const std::vector<Collider> driving = pistons(time, mpm);
  if (driving.empty()) return;
  const MovingColliders moving(driving, time, dt, driving.size());
  BlockGrid<S>& grid = mpm.grid;
  parallel_for(grid.slots.size(), 16, [&](std::size_t i) {
    std::vector<NodeImpact> not_counted;
    contact_in_block(moving, nullptr, dt, grid, i, not_counted);
  });
}

namespace {

// What the grid holds at a point near a block, trilinear between those nodes that have mass and are not inside the
// collider. None if these are too few.
struct Outside {
  V3 velocity;
  double mass;
};
template <class S>
std::optional<Outside> seen_outside(const BlockGrid<S>& grid, std::size_t slot,
                                    const MovingColliders& colliders, const NearCollider& near,
                                    const Double3& point) {
  const BlockCoord block = coord_of(grid.slots[slot]);
  int base[3];
  double part[3];
  for (std::size_t d = 0; d < 3; ++d) {
    double x = grid.space.to_cells(point[d], d) - 4.0 * block[d];
    if (std::fabs(x - std::round(x)) < 1e-6) x = std::round(x);  // meant to be a node
    base[d] = int(std::floor(x)), part[d] = x - base[d];
  }
  double total = 0, mass = 0;
  V3 sum{0, 0, 0};
  for (int n = 0; n < 8; ++n) {
    const int up[3] = {n >> 2, n >> 1 & 1, n & 1};
    int at[3];
    double w = 1;
    for (int d = 0; d < 3; ++d) {
      at[d] = base[d] + up[d];
      if (at[d] < -4 || at[d] > 7) return std::nullopt;
      w *= up[d] ? part[d] : 1 - part[d];
    }
    const S* node = node_near(grid, slot, at);
    if (w == 0 || !node) continue;
    const Double3 x = node_place(grid.space, block, at[0], at[1], at[2]);
    if (!(node[3] > S(0)) || colliders.signed_distance(near, x) < -contact_skin * grid.space.cell_size)
      continue;
    total += w;
    mass += w * double(node[3]);
    sum = sum + w * V3{double(node[0]), double(node[1]), double(node[2])};
  }
  if (total < 0.5) return std::nullopt;
  return Outside{(1 / total) * sum, mass / total};
}

// A node inside a no-slip collider and its velocity.
template <class S>
struct MirrorNode {
  S* node;
  V3 velocity;
};

// what the nodes of a block see mirrored at no-slip surfaces                                             (BC.21)
template <class S>
std::vector<MirrorNode<S>> mirrored(const MovingColliders& colliders, BlockGrid<S>& grid, std::size_t slot,
                                    std::vector<NodeImpact>& impacts) {
  constexpr double depth =
      1.75;  // no particle outside has nodes that are deeper: a cell along each axis [cells]
  const double h = grid.space.cell_size;
  const BlockCoord block = coord_of(grid.slots[slot]);
  std::vector<MirrorNode<S>> found;
  // the mirror image of a node and the nodes around it
  auto near = colliders.near(node_place(grid.space, block, 1.5, 1.5, 1.5),
                             (1.5 * std::sqrt(3.0) + 2 * depth + 2) * h);
  std::erase_if(near,
                [&](const NearCollider& c) { return colliders[c.collider].contact != ContactKind::no_slip; });
  for (int n = 0; n < 64 && !near.empty(); ++n) {
    S* node = grid.velocity.data() + 256 * slot + 4 * std::size_t(n);
    if (!(node[3] > S(0))) continue;
    const Double3 x = node_place(grid.space, block, n / 16, n / 4 % 4, n % 4);
    for (const NearCollider& c : near) {
      const ContactSample s = colliders.sample(c, x);
      if (s.phi > -contact_skin * h || s.phi < -depth * h) continue;
      const V3 image = to_vec(x) - (2 * s.phi) * to_vec(s.normal), body = to_vec(s.velocity);
      const auto seen = seen_outside(grid, slot, colliders, c, to_array(image));
      // at edges the two sides are no images of each other
      if (!seen || seen->mass < 0.5 * double(node[3])) continue;
      const V3 normal = to_vec(s.normal);
      V3 mirror = -(seen->velocity - body);
      // what only touches would bounce off its image
      if (double(node[3]) < 0.5 * seen->mass) mirror = mirror - dot(mirror, normal) * normal;
      found.push_back({node, body + mirror});
      const V3 before{double(node[0]), double(node[1]), double(node[2])};
      add_impact(impacts, c.collider, double(node[3]) * (before - found.back().velocity), to_vec(x));
      break;
    }
  }
  return found;
}

// All images are taken before any is set, so that no order matters.
template <class S>
void mirror_velocity(const MovingColliders& colliders, ExplicitMpm<S>& mpm) {
  bool any = false;
  for (std::size_t c = 0; c < colliders.size(); ++c)
    any = any || colliders[c].contact == ContactKind::no_slip;
  if (!any) return;
  BlockGrid<S>& grid = mpm.grid;
  std::vector<std::vector<MirrorNode<S>>> images(grid.slots.size());
  parallel_for(grid.slots.size(), 16,
               [&](std::size_t i) { images[i] = mirrored(colliders, grid, i, mpm.impacts[i]); });
  for (const auto& block : images)
    for (const auto& [node, v] : block) node[0] = S(v.x), node[1] = S(v.y), node[2] = S(v.z);
}

}  // namespace

template <class S>
void apply_contacts(const MovingColliders& colliders, ExplicitMpm<S>& mpm) {
  const ScopedPhase phase(Phase::contact);
  if (colliders.size() == 0) return;
  BlockGrid<S>& grid = mpm.grid;
  mpm.contacts.update(colliders, grid);
  mpm.impacts.resize(grid.slots.size());
  parallel_for(grid.slots.size(), 16, [&](std::size_t i) {
    mpm.impacts[i].clear();
    contact_in_block(colliders, &mpm.contacts.of_slot(i), double(mpm.args.dt), grid, i, mpm.impacts[i]);
  });
  mirror_velocity(colliders, mpm);
}

namespace {

// A collider as a few particles see it, of which far fewer are ever pushed out.
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
  std::optional<NearCollider> narrow_;  // as seen from within the radius
};

// Moves the end of a path out of a collider, if it is inside and the start was not. False: it stays as it is.
bool push_out(const MovingColliders& colliders, const Vicinity& vicinity, const Double3& from, Double3& to,
              double skin) {
  const NearCollider& c = vicinity.whole();
  if (!(vicinity.signed_distance(to) < 0)) return false;
  // relative to the collider the path begins here
  const V3 start = to_vec(colliders.carried(c.collider, from)), end = to_vec(to);
  if (vicinity.signed_distance(to_array(start)) < -skin) return false;
  // the first point of the path inside has the normal of the side it came from, also in a thin wall
  constexpr int pieces = 4;  // of a path that is at most a cell long
  for (int k = 1; k <= pieces; ++k) {
    const V3 x = start + (double(k) / pieces) * (end - start);
    const ContactSample s = colliders.sample(c, to_array(x));
    if (s.phi > 0 || (s.phi == 0 && k < pieces)) continue;
    const V3 n = to_vec(s.normal);
    V3 out = end - (s.phi + dot(end - x, n)) * n;  // (BC.19)
    if (colliders.signed_distance(c, to_array(out)) < -skin)
      out = x - s.phi * n;  // a corner or a strong curve
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
  double offset;  // of the stencil

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
      left_margin = left_margin || home < -1 || home >= 5;  // the margin is one cell
    }
    return left_margin;
  }
  // FLIP's particles do not follow the grid exactly: at a surface the contact rule holds for them too  (BC.20)
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
  // a ball about the particles [i, end)
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

// the tile of a block, and how its particles move
template <class S>
struct KeptTile {
  const MovingColliders& colliders;
  const ExplicitMpm<S>& mpm;
  std::size_t slot;
  TileParticles<S> particles;
  double dt;
  bool flip, own_velocity;

  // whether it is certain that a ball is outside
  bool is_clear(const Gate& gate, const Double3& cells, const Double3& center, double radius) const {
    if (gate.still && mpm.contacts.clearance(mpm.grid, slot, gate.near->collider, cells) > radius)
      return true;
    return colliders.signed_distance(*gate.near, center) > radius;
  }

  // true if the particle has left the margin of its block
  bool keep_out(const Gate& gate, const Vicinity& vicinity, std::size_t i) {
    if (gate.still && mpm.contacts.clearance(mpm.grid, slot, gate.near->collider, particles.cells(i)) > 0)
      return false;
    const Double3 x = particles.position(i);
    Double3 from, to = x;
    double travel = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double step = dt * double(particles.group.reals(ParticleGroup<S>::velocity + int(d))[i]);
      from[d] = x[d] - step;
      travel += step * step;
    }
    // on the surface to rounding; particles that follow the grid came from a place known less well
    const double h = particles.space.cell_size,
                 skin = 1e-3 * h + (own_velocity ? 0 : std::min(0.5 * h, std::sqrt(travel)));
    if (!push_out(colliders, vicinity, from, to, skin)) return false;
    const bool left = particles.move_to(to, i);
    if (flip) particles.resolve_velocity(colliders, *gate.near, to, i);
    return left;
  }
};

// keeps the particles of one tile and group out; true if some has left the margin
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

// what particles of a block might enter, in the order of the scene
inline std::vector<Gate> gates_of(const std::vector<NearCollider>& moving,
                                  const std::vector<SeenCollider>& still) {
  std::vector<Gate> gates;
  for (const NearCollider& near : moving) gates.push_back({&near, false});
  for (const SeenCollider& seen : still) gates.push_back({&seen.near, true});
  std::sort(gates.begin(), gates.end(),
            [](const Gate& a, const Gate& b) { return a.near->collider < b.near->collider; });
  return gates;
}

}  // namespace

template <class S>
void keep_out(const MovingColliders& colliders, const ExplicitMpm<S>& mpm, State<S>& state,
              StepReport& report) {
  const ScopedPhase phase(Phase::contact);
  if (colliders.size() == 0) return;
  ParticleStore<S>& store = state.particles;
  const BlockSpace& space = store.space();
  const bool flip = mpm.grid.choice.transfer == Transfer::flip;
  const bool own_velocity = (!flip || mpm.args.advect_particle_velocity) && !mpm.grid.choice.strain_velocity;
  std::vector<char> left_margin(store.blocks().size(), 0);
  parallel_for(store.blocks().size(), 4, [&](std::size_t b) {
    const BlockCoord block = coord_of(store.blocks()[b]);
    // particles are up to two cells outside their block: one since the last sort, one in this step
    const double middle = store.stencil_offset() + 2, reach = 4 * std::sqrt(3.0) * space.cell_size;
    const auto moving = colliders.near(node_place(space, block, middle, middle, middle), reach,
                                       MovingColliders::Which::moving);
    const auto slot = std::size_t(mpm.grid.slot_of_tile[b]);
    const auto gates = gates_of(moving, mpm.contacts.of_slot(slot));
    if (gates.empty()) return;
    for (std::size_t g = 0; g < store.groups().size(); ++g) {
      const auto& begin = store.begin(int(g));
      const TileParticles<S> particles{store.groups()[g], block, space, store.stencil_offset()};
      if (keep_tile_out<S>(gates, {colliders, mpm, slot, particles, report.dt, flip, own_velocity}, begin[b],
                           begin[b + 1]))
        left_margin[b] = 1;
    }
  });
  report.left_margin = report.left_margin || std::count(left_margin.begin(), left_margin.end(), 1) > 0;
}

#define DOLLOP_INSTANTIATE(S)                                            \
  template std::vector<Collider> pistons(double, const ExplicitMpm<S>&); \
  template void drive_nozzles(double, double, ExplicitMpm<S>&);          \
  template void apply_contacts(const MovingColliders&, ExplicitMpm<S>&); \
  template void keep_out(const MovingColliders&, const ExplicitMpm<S>&, State<S>&, StepReport&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
