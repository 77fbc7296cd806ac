// Scatter (particles to tile) and gather (tile to particles) for one combination of kernel, transfer and force form.
// Included by transfers_*.simd.cpp only, once for each instruction set.
#pragma once

#include <limits>

#include "grid/kernels.h"
#include "grid/stencil.h"
#include "math/vec.h"

namespace dollop::inline DOLLOP_ISA {

// The velocity transfer, as far as the loops differ.
enum class Carry { plain, flip, affine };

// --- the grid: from tiles to velocities --------------------------------------------------------------------

// Fields: momentum with mass and, for FLIP, the impulse in a separate field
template <class S, int K, int Fields>
struct GridLoops {
  using R = Pack<S>;
  using TileType = Tile<K, Fields>;
  static constexpr bool flip = Fields == 2;

  // Adds the rows of this block that the tile of neighbour O holds. Node l of this block is node l - 4 o of the
  // neighbour, which its tile holds at l - 4 o + 1; along z these are nodes 0..3, 4..7 or only -1 of the neighbour.
  template <int O>
  static DOLLOP_INLINE void add_tile(const TransferArgs<S>& a, int field, int slot,
                                     Row<S> (&sum)[block_rows]) {
    const int neighbour = a.neighbours[neighbour_count * slot + O];
    const int source = neighbour == a.slot_count ? -1 : a.tile_of_slot[neighbour];
    if (source < 0) return;
    constexpr auto offset = neighbour_offset(O);
    constexpr int ox = block_edge * offset[0], oy = block_edge * offset[1], oz = offset[2];
    const S* tile = a.tiles + std::size_t(source) * TileType::reals + field * TileType::field_stride;
    DOLLOP_UNROLL
    for (int n = 0; n < block_rows; ++n) {
      const int tx = n / block_edge - ox + 1, ty = n % block_edge - oy + 1;
      if (tx < 0 || tx >= TileType::nx || ty < 0 || ty >= TileType::ny) continue;
      const S* row = tile + tx * TileType::slab_stride + ty * TileType::row_stride;
      if constexpr (oz <= 0)
        sum[n] = sum[n] + Row<S>::load(row + node_reals + (oz == 0 ? 0 : row_reals));
      else
        sum[n] = sum[n] + Row<S>::only_last(row);
    }
  }
  // sums the tiles around a slot, always in the same order
  template <int... O>
  static DOLLOP_INLINE void sum_tiles(const TransferArgs<S>& a, int field, int slot, S* out,
                                      std::integer_sequence<int, O...>) {
    Row<S> sum[block_rows];
    DOLLOP_UNROLL
    for (int n = 0; n < block_rows; ++n) sum[n] = Row<S>::zero();
    (add_tile<O>(a, field, slot, sum), ...);
    DOLLOP_UNROLL
    for (int n = 0; n < block_rows; ++n) sum[n].store(out + row_reals * n);
  }

  // v_i = ((m v)_i + dt f_i) / m_i + dt g (MPM.7)
  static void tiles_to_slot(const TransferArgs<S>& a, int slot) {
    using Around = std::make_integer_sequence<int, neighbour_count>;
    alignas(64) S momentum[slot_reals], impulse[flip ? slot_reals : 1];
    sum_tiles(a, 0, slot, momentum, Around{});
    if constexpr (flip) sum_tiles(a, 1, slot, impulse, Around{});
    S* velocity = a.velocity + std::size_t(slot) * slot_reals;
    S* old_velocity = flip ? a.old_velocity + std::size_t(slot) * slot_reals : nullptr;
    alignas(64)
        const S kick4[node_reals] = {a.dt * a.gravity[0], a.dt * a.gravity[1], a.dt * a.gravity[2], S(0)};
    const Row<S> kick = Row<S>::repeat4(kick4);
    alignas(64) S only_mass4[node_reals] = {S(0), S(0), S(0), S(1)};
    const Row<S> only_mass = Row<S>::repeat4(only_mass4);
    for (int n = 0; n < slot_reals; n += row_reals) {
      const Row<S> p = Row<S>::load(momentum + n), m = fourth_of_node(p);
      Row<S> v, old;
      for (int k = 0; k < Row<S>::parts; ++k) {
        const R zero = R(S(0)), one = R(S(1)), mass = m.part[k];
        const auto empty = mass <= R(a.mass_floor);  // false for NaN, which must not count as empty
        const R inverse = one / select(empty, one, mass);
        const R velocity_before = p.part[k] * inverse * (one - only_mass.part[k]);
        R after = velocity_before + kick.part[k];
        if constexpr (flip) {
          old.part[k] = select(empty, zero, velocity_before);
          after = fma(R::load(impulse + n + k * R::lanes), inverse, after);
        }
        v.part[k] = select(empty, zero, fma(only_mass.part[k], mass, after));
      }
      v.store(velocity + n);
      if constexpr (flip) old.store(old_velocity + n);
    }
  }

  static void velocity_bounds(const TransferArgs<S>& a, const S* moving, int slot) {
    const S* v = moving + std::size_t(slot) * slot_reals;
    const S* mass = a.velocity + std::size_t(slot) * slot_reals;
    const R inf = R(std::numeric_limits<S>::infinity());
    Row<S> least, most, poison;
    for (int k = 0; k < Row<S>::parts; ++k)
      least.part[k] = inf, most.part[k] = -inf, poison.part[k] = R(S(0));
    for (int n = 0; n < slot_reals; n += row_reals) {
      const Row<S> value = Row<S>::load(v + n), m = fourth_of_node(Row<S>::load(mass + n));
      for (int k = 0; k < Row<S>::parts; ++k) {
        const auto full = m.part[k] > R(S(0));
        poison.part[k] += value.part[k] - value.part[k];  // NaN if any node is not finite
        least.part[k] = min(select(full, value.part[k], inf), least.part[k]);
        most.part[k] = max(select(full, value.part[k], -inf), most.part[k]);
      }
    }
    alignas(64) S low[row_reals], high[row_reals], bad[row_reals];
    least.store(low), most.store(high), poison.store(bad);
    S* out = a.bounds + bounds_reals * std::size_t(slot);
    for (int c = 0; c < node_reals; ++c) {
      out[c] = min(min(low[c], low[4 + c]), min(low[8 + c], low[12 + c]));
      out[node_reals + c] = max(max(high[c], high[4 + c]), max(high[8 + c], high[12 + c]));
    }
    out[3] = S(0);
    for (const S b : bad) out[3] += b;
  }
};

template <class S, int K, Carry C, ForceForm F, bool TwoVelocities>
struct Transfers {
  using R = Pack<S>;
  static constexpr bool affine = C == Carry::affine, flip = C == Carry::flip, mls = F == ForceForm::mls;
  // the terms scattered to the main field, and to the field of impulses (FLIP keeps the two separate)
  static constexpr Terms momentum_terms = {true, !flip && (affine || mls), !flip && !mls};
  static constexpr Terms force_terms = {mls, mls, !mls};
  using OutTile = Tile<K, flip ? 2 : 1>;
  static constexpr Weights out_weights = {!mls, !mls, mls || flip, false};
  // the terms gathered: velocity and C from one field, the velocity gradient from the same or a second one
  static constexpr Terms strain_terms = {true, mls, !mls};
  static constexpr Terms velocity_terms = {true, affine || mls, !mls && !(TwoVelocities && affine)};
  static constexpr int strain_field = 1, pair_field = flip ? 1 + TwoVelocities : -1;
  using BackTile = Tile<K, 1 + TwoVelocities + flip>;
  static constexpr Weights back_weights = {true, !mls, false, flip};
  using OutStencil = Stencil<S, OutTile, out_weights>;
  using BackStencil = Stencil<S, BackTile, back_weights>;

  // --- particles to grid (MPM.4-6) -------------------------------------------------------------------------

  // m, m v, and the matrices of APIC and stress of a chunk (MPM.5, MPM.6)
  static DOLLOP_INLINE void make_records(const TransferArgs<S>& a, const GroupView<S>& g, std::size_t i,
                                         const S* tau, const OutStencil& st, ScatterRecords<S>& records) {
    static constexpr bool moments = affine || mls;
    Row<S> q[record_reals], t[record_reals];
    const R h = R(a.cell_size), zero = R(S(0)),
            impulse = R(-a.dt / a.cell_size * (mls ? S(BSpline<K>::inverse_inertia) : S(1)));
    for (int s = 0; s < Row<S>::parts; ++s) {
      const int first = s * R::lanes;
      const std::size_t l = i + std::size_t(first);
      const R m = R::load(g.mass + l), scale = impulse * R::load(g.volume + l);
      const R p[4] = {m * R::load(g.v[0] + l), m * R::load(g.v[1] + l), m * R::load(g.v[2] + l), m};
      if constexpr (!momentum_terms.moments) four_to_particles(p[0], p[1], p[2], p[3], records.value[first]);
      for (int k = 0; k < 4; ++k) q[k].part[s] = flip ? zero : p[k];
      static constexpr int packed[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
      for (int col = 0; col < 3; ++col) {
        const R to_first = R(S(-1)) - R::load(st.u[col] + first);  // from the particle to the first node
        for (int row = 0; row < 3; ++row) {
          const R stress = scale * R::load(tau + chunk_size * packed[row][col] + first);
          R moment = mls ? stress : zero;
          if constexpr (affine) moment = fma(m * h, R::load(g.c[3 * row + col] + l), moment);
          if constexpr (moments) {
            q[4 + 4 * col + row].part[s] = moment;
            q[row].part[s] = fma(to_first, moment, q[row].part[s]);
          }
          if constexpr (!mls) t[4 * col + row].part[s] = stress;
        }
        q[7 + 4 * col].part[s] = t[3 + 4 * col].part[s] = zero;
      }
      for (int k = 12; k < record_reals; ++k) t[k].part[s] = zero;
    }
    if constexpr (moments) to_particles(q, records.affine[0]);
    if constexpr (!mls) to_particles(t, records.gradients[0]);
  }

  static void particles_to_tile(const TransferArgs<S>& a, bool with_stresses, int tile_index) {
    S* tile = a.tiles + std::size_t(tile_index) * OutTile::reals;
    clear(tile);
    OutStencil st;
    ScatterRecords<S> records;
    alignas(64) S tau[6 * chunk_size] = {};
    for (int k = 0; k < a.group_count; ++k) {
      const GroupView<S>& g = a.groups[k];
      const std::size_t end = g.begin[tile_index + 1];
      for (std::size_t i = g.begin[tile_index]; i < end; i += chunk_size) {
        const int count = int(end - i < chunk_size ? end - i : chunk_size);
        if (with_stresses) g.material->stress(g.law, g.state, i, tau);
        st.set(g.x[0] + i, g.x[1] + i, g.x[2] + i);
        make_records(a, g, i, tau, st, records);
        each_group(st.key, count, [&](std::int32_t key, unsigned group) DOLLOP_INLINE_LAMBDA {
          scatter<momentum_terms>(records, st, key, group, tile);
          if constexpr (flip) scatter<force_terms>(records, st, key, group, tile + OutTile::field_stride);
        });
      }
    }
  }

  static DOLLOP_INLINE void clear(S* tile) {
    constexpr int n = OutTile::reals;
    for (int i = 0; i + R::lanes <= n; i += R::lanes) R(S(0)).store(tile + i);
    for (int i = n / R::lanes * R::lanes; i < n; ++i) tile[i] = S(0);
  }

  // --- grid to particles -----------------------------------------------------------------------------------

  // The velocity of the nodes that the particles of a block can reach. FLIP needs v - r v^old as well: its x
  // is the fourth number of the velocity, y and z are a field of pairs (gather_pairs).
  static DOLLOP_INLINE void load_tile(const TransferArgs<S>& a, [[maybe_unused]] const S* moving, int slot,
                                      S* tile) {
    for (int i = 0; i < BackTile::nx; ++i) {
      const int x = i - 1, bx = (x + block_edge) / block_edge, lx = x + block_edge * (1 - bx);
      Row<S> before[3];
      for (auto& row : before) row = Row<S>::zero();
      for (int j = BackTile::ny - 1; j >= 0; --j) {
        const int y = j - 1, by = (y + block_edge) / block_edge, ly = y + block_edge * (1 - by);
        const std::int32_t* z = a.neighbours + neighbour_count * std::size_t(slot) + 9 * bx + 3 * by;
        S* to = tile + i * BackTile::slab_stride + j * BackTile::row_stride;
        for (int k = 0; k < 3; ++k) {
          const std::size_t at =
              std::size_t(z[k]) * slot_reals + std::size_t(row_reals * (block_edge * lx + ly));
          Row<S> v = Row<S>::load(a.velocity + at);
          if constexpr (flip) {
            const Row<S> change = fma(-a.flip_ratio, Row<S>::load(a.old_velocity + at), v);
            v = shuffle_nodes<0, 1, 2, 4>(v, change);
            put(shuffle_nodes<1, 5, 2, 6>(change, before[k]), k, to + pair_field * BackTile::field_stride);
            before[k] = change;
          }
          put(v, k, to);
          if constexpr (TwoVelocities)
            put(Row<S>::load(moving + at), k, to + strain_field * BackTile::field_stride);
        }
      }
    }
  }
  // nodes 4 k - 4 .. 4 k - 1 of a block, into a row of its tile, which begins with node -1
  static DOLLOP_INLINE void put(const Row<S>& nodes, int k, S* row) {
    if (k == 0)
      nodes.store_last(row);
    else
      nodes.store(row + row_reals * (k - 1) + node_reals);
  }

  // a chunk of particles in the gather
  struct Chunk {
    BackStencil st;
    GatherRecords<S> velocity, strain;
  };
  // moments about node 1 of the stencil become moments about the particle
  static DOLLOP_INLINE void center(const BackStencil& st, Row<S>* q) {
    for (int s = 0; s < Row<S>::parts; ++s)
      for (int d = 0; d < 3; ++d) {
        const R from_node = -R::load(st.u[d] + s * R::lanes);
        for (int c = 0; c < 3; ++c) {
          R& moment = q[4 + 4 * d + c].part[s];
          moment = fma(from_node, q[c].part[s], moment);
        }
      }
  }

  // the gathered sums by quantity: velocity in q; the gradient in t, where it comes from separate sums
  static DOLLOP_INLINE void unpack(const Chunk& chunk, Row<S>* q, Row<S>* t) {
    to_quantities((velocity_terms.moments ? chunk.velocity.moments : chunk.velocity.gradients)[0], q);
    if constexpr (velocity_terms.moments) center(chunk.st, q);
    if constexpr (TwoVelocities) {
      to_quantities((mls ? chunk.strain.moments : chunk.strain.gradients)[0], t);
      if constexpr (mls) center(chunk.st, t);
    } else if constexpr (!mls && velocity_terms.moments) {
      to_quantities(chunk.velocity.gradients[0], t);
    }
  }

  struct LaneReport {
    R speed, travel, norm, det, poison, margin;
  };

  // velocity of the particles after a step and, in du, dt grad v (MPM.8-10)
  static DOLLOP_INLINE void finish_chunk(const TransferArgs<S>& a, const GroupView<S>& g, std::size_t i,
                                         int count, const Chunk& chunk, bool commit, S* du,
                                         LaneReport& report) {
    Row<S> q[record_reals], t[record_reals];
    unpack(chunk, q, t);
    constexpr bool second = TwoVelocities || (!mls && velocity_terms.moments);
    const S to_c = S(BSpline<K>::inverse_inertia) / a.cell_size;
    const R to_du = R(a.dt * (mls ? to_c : S(1) / a.cell_size)), to_cells = R(a.dt / a.cell_size);

    for (int s = 0; s < Row<S>::parts; ++s) {
      const int first = s * R::lanes, live = count - first;
      if (live <= 0) break;
      const std::size_t l = i + std::size_t(first);
      const Row<S>* moved = TwoVelocities ? t : q;  // the field that moves and strains the particles
      Mat3<R> grad;
      for (int row = 0; row < 3; ++row)
        for (int col = 0; col < 3; ++col) {
          grad(row, col) = to_du * (second ? t : q)[4 + 4 * col + row].part[s];
          grad(row, col).store(du + advance_size * (3 * row + col) + first);
        }
      R speed = R(S(0)), travel = R(S(0)), outside = R(S(0));
      for (int d = 0; d < 3; ++d) {
        R v = q[d].part[s];
        if constexpr (flip) v = fma(R(a.flip_ratio), R::load(g.v[d] + l), q[3 + 4 * d].part[s]);
        const R dx = to_cells * (flip && a.advect_particle_velocity ? v : moved[d].part[s]);
        const R x = R::load(g.x[d] + l) + dx;
        const R home = x - R(S(BSpline<K>::offset));
        const auto left = either(home < R(S(-BackTile::margin)), home >= R(S(block_edge + BackTile::margin)));
        outside = select(left, R(S(1)), outside);
        speed = fma(v, v, speed);
        travel = fma(dx, dx, travel);
        if (commit) {
          v.store(g.v[d] + l, live);
          x.store(g.x[d] + l, live);
        }
      }
      if constexpr (affine)
        if (commit) {
          const R keep = R(S(0.5) * (S(1) + a.symmetric_kept) * to_c),
                  swap = R(S(0.5) * (a.symmetric_kept - S(1)) * to_c);
          for (int row = 0; row < 3; ++row)
            for (int col = 0; col < 3; ++col)
              fma(keep, q[4 + 4 * col + row].part[s], swap * q[4 + 4 * row + col].part[s])
                  .store(g.c[3 * row + col] + l, live);
        }
      const R norm = norm_squared(grad), det_f = det(Mat3<R>::identity() + grad);
      // SIMD lanes past the end belong to another tile and must not count
      R index;
      for (int k = 0; k < R::lanes; ++k) index.set(k, S(k));
      const auto mine = index < R(S(live));
      report.speed = max(report.speed, select(mine, speed, R(S(0))));
      report.travel = max(report.travel, select(mine, travel, R(S(0))));
      report.norm = max(report.norm, select(mine, norm, R(S(0))));
      report.det = min(report.det, select(mine, det_f, R(S(1))));
      report.margin = max(report.margin, select(mine, outside, R(S(0))));
      report.poison += select(mine, (speed - speed) + (norm - norm) + (travel - travel), R(S(0)));
    }
  }

  template <bool Commit>
  static void visit_tile(const TransferArgs<S>& a, const S* moving, int tile_index) {
    const int slot = a.slot_of_tile[tile_index];
    alignas(64) S tile[BackTile::reals];
    load_tile(a, moving, slot, tile);

    Chunk chunk;
    alignas(64) S du[9 * advance_size];
    LaneReport report{R(S(0)), R(S(0)), R(S(0)), R(S(1)), R(S(0)), R(S(0))};
    for (int k = 0; k < a.group_count; ++k) {
      const GroupView<S>& g = a.groups[k];
      const std::size_t end = g.begin[tile_index + 1];
      // `advance` takes two chunks at a time
      for (std::size_t batch = g.begin[tile_index]; batch < end; batch += advance_size) {
        const int total = int(end - batch < advance_size ? end - batch : advance_size);
        for (int k0 = 0; k0 < total; k0 += chunk_size) {
          const std::size_t i = batch + std::size_t(k0);
          const int count = total - k0 < chunk_size ? total - k0 : chunk_size;
          chunk.st.set(g.x[0] + i, g.x[1] + i, g.x[2] + i);
          gather<velocity_terms, 0, pair_field>(tile, chunk.st, count, chunk.velocity);
          if constexpr (TwoVelocities)
            gather<strain_terms, strain_field, -1>(tile, chunk.st, count, chunk.strain);
          finish_chunk(a, g, i, count, chunk, Commit, du + k0, report);
        }
        if constexpr (Commit) g.material->advance(g.step_law, du, g.state, batch, total);
      }
    }
    write_report(report, a.reports[tile_index]);
  }

  static DOLLOP_INLINE void write_report(const LaneReport& lanes, TileReport<S>& out) {
    S speed = 0, travel = 0, norm = 0, det_f = 1, margin = 0, poison = 0;
    for (int k = 0; k < R::lanes; ++k) {
      speed = max(speed, lanes.speed[k]);
      travel = max(travel, lanes.travel[k]);
      norm = max(norm, lanes.norm[k]);
      det_f = min(det_f, lanes.det[k]);
      margin = max(margin, lanes.margin[k]);
      poison += lanes.poison[k];
    }
    out = {speed, sqrt(travel), sqrt(norm), det_f, poison == S(0), margin > S(0)};
  }

  using Grid = GridLoops<S, K, OutTile::fields>;
  static constexpr TransferKernels<S> table = {OutTile::reals,        particles_to_tile, Grid::tiles_to_slot,
                                               Grid::velocity_bounds, visit_tile<true>,  visit_tile<false>};
};

template <class S, int K, Carry C, bool TwoVelocities>
const TransferKernels<S>* choose_transfers(ForceForm forces) {
  return forces == ForceForm::mls ? &Transfers<S, K, C, ForceForm::mls, TwoVelocities>::table
                                  : &Transfers<S, K, C, ForceForm::gradient, TwoVelocities>::table;
}
template <class S, int K, Carry C>
const TransferKernels<S>* choose_transfers(const TransferChoice& c) {
  return c.two_velocities ? choose_transfers<S, K, C, true>(c.forces)
                          : choose_transfers<S, K, C, false>(c.forces);
}
template <class S, int K>
const TransferKernels<S>* choose_transfers(const TransferChoice& c) {
  if (c.transfer == Transfer::pic) return choose_transfers<S, K, Carry::plain>(c);
  if (c.transfer == Transfer::flip) return choose_transfers<S, K, Carry::flip>(c);
  return choose_transfers<S, K, Carry::affine>(c);
}

}  // namespace dollop::inline DOLLOP_ISA
