#include "solvers/phases/resampling.h"

#include <algorithm>
#include <cmath>

#include "core/denormals.h"
#include "core/parallel.h"
#include "particles/dart_throwing.h"
#include "particles/mass_shares.h"
#include "particles/node_fields.h"
#include "particles/particle_cells.h"
#include "particles/sphere_distance.h"
#include "solvers/setup/particle_sums.h"

namespace dollop {
namespace {

// Sums over particles that resampling changes, and should change little: energies and angular momentum.
struct Sums {
  double kinetic = 0, elastic = 0;
  Double3 angular{};

  void add(const Sums& other, double sign) {
    kinetic += sign * other.kinetic, elastic += sign * other.elastic;
    for (std::size_t d = 0; d < 3; ++d) angular[d] += sign * other.angular[d];
  }
};

template <class S>
class Resampling {
 public:
  Resampling(const std::vector<MaterialBinding<S>>& materials, double affine_inertia, State<S>& state)
      : materials_(materials),
        inertia_(affine_inertia),
        state_(state),
        store_(state.particles),
        cells_(store_) {
    find_columns();
  }

  ResampleChange run(const std::function<bool(const Double3&)>& blocked, const ResampleOptions& options) {
    const SphereDistance distance(cells_, DistanceUse::depth);
    const auto darts = throw_darts(cells_, distance, blocked, {options.seed, options.call, options.depth});
    shares_ = share_mass(cells_, store_, darts);
    receive();
    if (options.fields == ResampleFields::grid) take_from_grid();
    give();
    if (options.merge) merge(find_close_pairs(cells_, store_));
    append();
    change_.inserted = shares_.newcomers.size();
    if (change_.inserted + change_.merged > 0) state_.needs_sort = true;
    return change_;
  }

 private:
  using Group = ParticleGroup<S>;

  void find_columns() {  // after every change that may move memory
    columns_.resize(store_.groups().size());
    for (std::size_t g = 0; g < columns_.size(); ++g) {
      Group& group = store_.groups()[g];
      columns_[g].clear();
      for (int c = group.state_arrays().begin; c < group.state_arrays().end; ++c)
        columns_[g].push_back(group.reals(c));
    }
  }
  Group& group_of(std::uint32_t n) { return store_.groups()[std::size_t(cells_.group(n))]; }

  double volume_ratio(std::size_t g, std::size_t i) {
    S j[chunk_size];
    materials_[g].kernels->volume_ratio(materials_[g].law.data(), columns_[g].data(), i, j);
    return double(j[0]);
  }
  double energy_density(std::size_t g, std::size_t i) {
    S density[chunk_size];
    materials_[g].kernels->energy(materials_[g].law.data(), columns_[g].data(), i, density);
    return double(density[0]);
  }

  // The sums of a mass and a volume at x that have the velocity and state of particle i.
  Sums sums_of(std::size_t g, std::size_t i, const Double3& x, double mass, double volume) {
    const Group& group = store_.groups()[g];
    Double3 v;
    for (std::size_t d = 0; d < 3; ++d) v[d] = group.reals(Group::velocity + int(d))[i];
    Sums s;
    s.kinetic = 0.5 * mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    s.elastic = volume * energy_density(g, i);
    s.angular = angular_momentum(group, i, x, mass, inertia_);
    return s;
  }

  // The exact position of particle n relative to `from` [r]; the positions in the cells are rounded to float. The two
  // positions are relative to different bricks, so `near` must approximate the result.
  Double3 apart(const Double3& from, std::uint32_t n, const Float3& near) {
    Double3 exact;
    for (std::size_t d = 0; d < 3; ++d) {
      exact[d] = 2 * double(group_of(n).reals(int(d))[cells_.index(n)]) - from[d];
      exact[d] += brick_width * std::round((double(near[d]) - exact[d]) / brick_width);
    }
    return exact;
  }
  Double3 moved(const Double3& x, const Double3& d) const {  // d in r
    return {x[0] + cells_.radius() * d[0], x[1] + cells_.radius() * d[1], x[2] + cells_.radius() * d[2]};
  }

  // mass and volume that each donor gives: the kept part is rounded as stored, so that the sum is exact
  void find_given() {
    given_.resize(shares_.donors.size());
    parallel_for(given_.size(), 256, [&](std::size_t k) {
      const Donor& donor = shares_.donors[k];
      const std::uint32_t i = cells_.index(donor.particle);
      const double mass = group_of(donor.particle).reals(Group::mass)[i];
      const double volume = group_of(donor.particle).reals(Group::volume)[i];
      given_[k] = {mass - double(S(donor.kept * mass)), volume - double(S(donor.kept * volume))};
    });
  }
  struct Given {
    double mass, volume;
  };
  Given given_by(const Gift& gift) const {
    const auto donor = std::lower_bound(shares_.donors.begin(), shares_.donors.end(), gift.donor,
                                        [](const Donor& a, std::uint32_t n) { return a.particle < n; });
    const Given& all = given_[std::size_t(donor - shares_.donors.begin())];
    return {gift.part * all.mass, gift.part * all.volume};
  }

  // Means over the donors, weighted by the mass that each gives: all columns of the newcomers but the position.  (RES.8)
  void receive() {
    find_given();
    const std::size_t n = shares_.newcomers.size();
    rows_.resize(n);
    ratios_.resize(n);
    places_.resize(n);
    losses_.resize(n);
    parallel_for(n, 16, [&](std::size_t p) {
      const Newcomer& newcomer = shares_.newcomers[p];
      const std::size_t g = std::size_t(newcomer.group);
      const Group& group = store_.groups()[g];
      const Dart& dart = newcomer.place;
      places_[p] = to_place(cells_.space(), cells_.bricks().coord(dart.brick), dart.x);
      std::vector<double> sum(std::size_t(group.array_count()), 0.0);
      double mass = 0, volume = 0, current_volume = 0;
      for (std::size_t k = newcomer.gifts; k < shares_.gifts_end(p); ++k) {
        const Gift& gift = shares_.gifts[k];
        const Given given = given_by(gift);
        const std::size_t i = cells_.index(gift.donor);
        for (std::size_t c = Group::velocity; c < sum.size(); ++c)
          sum[c] += given.mass * double(group.reals(int(c))[i]);
        mass += given.mass, volume += given.volume;
        current_volume += given.volume * volume_ratio(g, i);
        const Double3 x = moved(places_[p], apart({dart.x[0], dart.x[1], dart.x[2]}, gift.donor, gift.d));
        losses_[p].add(sums_of(g, i, x, given.mass, given.volume), -1);
      }
      for (const double s : sum) rows_[p].push_back(S(s / mass));
      rows_[p][Group::mass] = S(mass), rows_[p][Group::volume] = S(volume);
      ratios_[p] = S(current_volume / volume);
    });
    for (const Sums& loss : losses_) count(loss);
  }

  // Replaces the means over the donors by fields that the grid interpolates. Mass and volume are kept.     (RES.12)
  void take_from_grid() {
    for (std::size_t g = 0; g < store_.groups().size(); ++g) {
      const std::vector<std::size_t> own = newcomers_of(g);
      if (own.empty()) continue;
      std::vector<Dart> places;
      for (const std::size_t p : own) places.push_back(shares_.newcomers[p].place);
      const Group& group = store_.groups()[g];
      const std::vector<S> ratios = volume_ratios(g);
      std::vector<int> carried;  // columns
      std::vector<const S*> fields{ratios.data()};
      for (int c = Group::velocity; c < group.array_count(); ++c)
        if (c != Group::mass && c != Group::volume) carried.push_back(c), fields.push_back(group.reals(c));
      const NodeFields<S> nodes(cells_, int(g), group.reals(Group::mass), fields, places);
      parallel_for(own.size(), 16, [&](std::size_t k) {
        std::vector<double> values;
        if (!nodes.interpolate(places[k], values)) return;
        ratios_[own[k]] = S(values[0]);
        for (std::size_t c = 0; c < carried.size(); ++c)
          rows_[own[k]][std::size_t(carried[c])] = S(values[c + 1]);
      });
    }
  }

  std::vector<std::size_t> newcomers_of(std::size_t g) const {
    std::vector<std::size_t> own;
    for (std::size_t p = 0; p < shares_.newcomers.size(); ++p)
      if (std::size_t(shares_.newcomers[p].group) == g) own.push_back(p);
    return own;
  }

  std::vector<S> volume_ratios(std::size_t g) {  // of all particles of a group
    const std::size_t n = store_.groups()[g].size();
    std::vector<S> ratios(n + chunk_size);  // the kernel writes whole packs
    parallel_for((n + chunk_size - 1) / chunk_size, 64, [&](std::size_t k) {
      materials_[g].kernels->volume_ratio(materials_[g].law.data(), columns_[g].data(), chunk_size * k,
                                          &ratios[chunk_size * k]);
    });
    return ratios;
  }

  void count(const Sums& s) {
    change_.kinetic_energy += s.kinetic, change_.elastic_energy += s.elastic;
    for (std::size_t d = 0; d < 3; ++d) change_.angular_momentum[d] += s.angular[d];
  }

  // leaves the donors the mass and volume that they keep                                              (RES.7)
  void give() {
    for (const Donor& donor : shares_.donors) {
      const std::uint32_t i = cells_.index(donor.particle);
      S &mass = group_of(donor.particle).reals(Group::mass)[i],
        &volume = group_of(donor.particle).reals(Group::volume)[i];
      mass = S(donor.kept * double(mass)), volume = S(donor.kept * double(volume));
      state_.lightest = std::min(state_.lightest, double(mass));
    }
  }

  // merges each pair of particles at its centre of mass                                               (RES.9)
  void merge(const std::vector<ClosePair>& pairs) {
    std::vector<std::vector<char>> gone(store_.groups().size());
    for (const ClosePair& pair : pairs) {
      merge_pair(pair);
      auto& marks = gone[std::size_t(cells_.group(pair.goes))];
      marks.resize(group_of(pair.goes).size(), 0);
      marks[cells_.index(pair.goes)] = 1;
    }
    for (std::size_t g = 0; g < gone.size(); ++g)
      if (!gone[g].empty()) store_.remove(int(g), gone[g]);
    change_.merged = pairs.size();
  }

  void merge_pair(const ClosePair& pair) {
    const std::size_t g = std::size_t(cells_.group(pair.stays)), a = cells_.index(pair.stays),
                      b = cells_.index(pair.goes);
    Group& group = store_.groups()[g];
    const double mass[2] = {double(group.reals(Group::mass)[a]), double(group.reals(Group::mass)[b])};
    const double volume[2] = {double(group.reals(Group::volume)[a]), double(group.reals(Group::volume)[b])};
    const double m = mass[0] + mass[1], v = volume[0] + volume[1], other = mass[1] / m;
    const S ratio = S((volume[0] * volume_ratio(g, a) + volume[1] * volume_ratio(g, b)) / v);
    const Double3 here = place_of(pair.stays);
    const Double3 from{2 * double(group.reals(0)[a]), 2 * double(group.reals(1)[a]),
                       2 * double(group.reals(2)[a])};
    const Double3 d = apart(from, pair.goes, pair.d);
    Sums after;
    after.add(sums_of(g, a, here, mass[0], volume[0]), -1);
    after.add(sums_of(g, b, moved(here, d), mass[1], volume[1]), -1);
    Double3 middle = here;
    for (int k = 0; k < 3; ++k) {
      S& x = group.reals(k)[a];
      const S before = x;
      x = S(double(x) + 0.5 * other * d[std::size_t(k)]);
      middle[std::size_t(k)] += 2 * cells_.radius() * (double(x) - double(before));
    }
    for (int c = Group::velocity; c < group.array_count(); ++c) {
      S& x = group.reals(c)[a];
      x = S((mass[0] * double(x) + mass[1] * double(group.reals(c)[b])) / m);
    }
    group.reals(Group::mass)[a] = S(m), group.reals(Group::volume)[a] = S(v);
    rebuild(g, a, &ratio, 1);
    after.add(sums_of(g, a, middle, double(S(m)), double(S(v))), 1);
    count(after);
  }

  Double3 place_of(std::uint32_t n) {  // [m]
    const auto& bricks = cells_.occupied();
    const auto above =
        std::upper_bound(bricks.begin(), bricks.end(), n,
                         [&](std::uint32_t k, std::uint32_t b) { return k < cells_.begin(b)[0]; });
    const BlockCoord brick = cells_.bricks().coord(*(above - 1));
    return moved(to_place(cells_.space(), brick, {}), apart({}, n, cells_.place(n)));
  }

  void rebuild(std::size_t g, std::size_t first, const S* ratios, std::size_t count) {
    S j[chunk_size];
    for (std::size_t k = 0; k < count; k += chunk_size) {
      const std::size_t n = std::min<std::size_t>(chunk_size, count - k);
      std::fill(std::copy_n(ratios + k, n, j), j + chunk_size, S(1));
      materials_[g].kernels->rebuild(materials_[g].law.data(), j, columns_[g].data(), first + k, int(n));
    }
  }

  // appends the newcomers to their groups                                                             (RES.8)
  void append() {
    for (std::size_t g = 0; g < store_.groups().size(); ++g) {
      const std::vector<std::size_t> own = newcomers_of(g);
      if (own.empty()) continue;
      std::vector<Double3> places;
      std::vector<S> ratios;
      for (const std::size_t p : own) places.push_back(places_[p]), ratios.push_back(ratios_[p]);
      const std::size_t first = store_.append(int(g), places.data(), places.size());
      find_columns();
      Group& group = store_.groups()[g];
      for (std::size_t k = 0; k < own.size(); ++k) {
        for (int c = Group::velocity; c < group.array_count(); ++c)
          group.reals(c)[first + k] = rows_[own[k]][std::size_t(c)];
        state_.lightest = std::min(state_.lightest, double(group.reals(Group::mass)[first + k]));
      }
      rebuild(g, first, ratios.data(), ratios.size());
      for (std::size_t k = 0; k < own.size(); ++k) {
        const std::size_t i = first + k;
        count(sums_of(g, i, places[k], group.reals(Group::mass)[i], group.reals(Group::volume)[i]));
      }
    }
  }

  const std::vector<MaterialBinding<S>>& materials_;
  const double inertia_;
  State<S>& state_;
  ParticleStore<S>& store_;
  const ParticleCells cells_;
  std::vector<std::vector<S*>> columns_;  // of the models
  MassShares shares_;
  std::vector<Given> given_;  // by each donor
  // of each newcomer: all columns, volume ratio, position [m], the sums that its donors lose
  std::vector<std::vector<S>> rows_;
  std::vector<S> ratios_;
  std::vector<Double3> places_;
  std::vector<Sums> losses_;
  ResampleChange change_;
};

}  // namespace

template <class S>
ResampleChange resample(const std::vector<MaterialBinding<S>>& materials,
                        const std::function<bool(const Double3&)>& blocked, const ResampleOptions& options,
                        double affine_inertia, State<S>& state) {
  DOLLOP_ASSERT(!state.needs_sort && materials.size() == state.particles.groups().size());
  const FlushDenormals flush;
  return Resampling<S>(materials, affine_inertia, state).run(blocked, options);
}

#define DOLLOP_INSTANTIATE(S)                                                                          \
  template ResampleChange resample(const std::vector<MaterialBinding<S>>&,                             \
                                   const std::function<bool(const Double3&)>&, const ResampleOptions&, \
                                   double, State<S>&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
