// Particles, grid and arguments of the transfer loops, put together by hand for one instruction set.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/hash.h"
#include "core/random.h"
#include "grid/block_grid.h"
#include "grid/inspect.h"
#include "materials/registry.h"
#include "mpm_reference.h"

namespace dollop {

using reference::Method;
using reference::Node;

// fewer particles in debug builds, where every operation is checked
constexpr std::size_t cloud_size(std::size_t n) {
#ifdef DOLLOP_DEBUG
  return n / 5;
#else
  return n;
#endif
}

inline std::vector<const InstructionSet*> machine_instruction_sets() {
  std::vector<const InstructionSet*> sets;
  for (int i = 0; i < instruction_set_count(); ++i)
    if (const auto* set = find_instruction_set(instruction_set(i).name)) sets.push_back(set);
  return sets;
}

// every transfer scheme with both kernels, both force forms, and one or two velocities
inline std::vector<Method> all_methods() {
  struct Way {
    Transfer transfer;
    double symmetric_kept;
    bool advect_particle_velocity;
  };
  const Way ways[] = {{Transfer::pic, 1, true},    {Transfer::flip, 1, true},   {Transfer::flip, 1, false},
                      {Transfer::apic, 1, true},   {Transfer::rpic, 0, true},   {Transfer::rpic, 0.6, true},
                      {Transfer::fading, 1, true}, {Transfer::fading, 1, false}};
  std::vector<Method> methods;
  for (const Kernel kernel : {Kernel::quadratic, Kernel::cubic})
    for (const Way& way : ways)
      for (const ForceForm forces : {ForceForm::mls, ForceForm::gradient})
        for (const bool two_velocities : {false, true})
          methods.push_back({{kernel, way.transfer, forces, two_velocities},
                             0.95,
                             way.symmetric_kept,
                             way.advect_particle_velocity});
  return methods;
}
inline std::vector<Method> methods_with(bool two_velocities) {
  std::vector<Method> methods;
  for (const Method& m : all_methods())
    if (m.choice.two_velocities == two_velocities) methods.push_back(m);
  return methods;
}
inline std::string describe(const InstructionSet& isa, const Method& m) {
  const char* const transfers[] = {"pic", "flip", "apic", "rpic", "fading"};
  return std::string(isa.name) + (m.choice.kernel == Kernel::cubic ? " cubic " : " quadratic ") +
         transfers[int(m.choice.transfer)] + " kept " + std::to_string(m.symmetric_kept) +
         (m.choice.forces == ForceForm::mls ? " mls" : " gradient") +
         (m.choice.two_velocities ? " two velocities" : "") +
         (m.advect_particle_velocity ? "" : " moved by grid");
}

inline BlockSpace cell_space(double cell_size = 0.1, BlockCoord period = {0, 0, 0}) {
  BlockSpace space;
  space.cell_size = cell_size;
  space.period = period;
  return space;
}

// a pseudo-random number for each node and component, between -1 and 1
inline double node_noise(const Node& i, std::size_t component) {
  std::uint64_t h = combine(77, component);
  for (const int a : i) h = combine(h, std::uint64_t(std::int64_t(a)));
  return double(h >> 11) * 0x1p-52 - 1;
}

template <class S>
struct TransferCase {
  static constexpr double eps = std::numeric_limits<S>::epsilon();
  struct Material {
    const MaterialKernels<S>* kernels;
    std::vector<double> parameters;
    LawBytes law_bytes, step_law_bytes;
    reference::Law law;
  };

  Method method;
  ParticleStore<S> store;
  BlockGrid<S> grid;
  std::vector<std::unique_ptr<Material>> materials;
  std::vector<GroupView<S>> views;
  bool islands_are_touched = false;  // then all have nodes
  AlignedArray<S> second_velocity;   // that moves and strains the particles, where there are two
  TransferArgs<S> args{};
  double dt = 5e-3, mass_floor = 0;
  Double3 gravity{0, 0, 0};
  Node origin{0, 0, 0};  // positions that are read back are relative to this node: exact, however far it is

  // one group of neo-hookean and one of hencky material
  TransferCase(const InstructionSet& isa, const Method& m, const BlockSpace& space = cell_space())
      : method(m), store(space, m.choice.kernel == Kernel::cubic ? 1 : 0.5) {
    grid.space = space;
    grid.choice = m.choice;
    grid.kernels = isa.loops<S>().transfers(m.choice);
    grid.whole_blocks = m.choice.two_velocities;
    grid.no_islands = true;  // each_node() visits the nodes of slots
    for (const char* name : {"neo-hookean", "hencky"}) {
      const int model = find_model(name);
      const ModelInfo& info = models()[std::size_t(model)];
      auto material = std::make_unique<Material>();
      material->kernels = isa.loops<S>().material(model, false);
      material->parameters = resolve_parameters(info, {{"shear_modulus", 4e4}, {"bulk_modulus", 7e4}});
      material->law = {name, 4e4, 7e4 - 2 * 4e4 / 3};
      materials.push_back(std::move(material));
      store.add_group(int(store.groups().size()), m.affine() ? affine_column() : std::vector<Column>{},
                      info.columns);
    }
  }

  // particles with random velocity, mass, volume and state; the next call draws others
  void add_random(int group, const std::vector<Double3>& places) {
    ParticleGroup<S>& g = store.groups()[std::size_t(group)];
    const auto random = [&](std::uint64_t stream, std::size_t i, double low, double high) {
      return S(low + (high - low) * random_uniform(31, stream, g.ids()[i]));
    };
    const double volume = std::pow(store.space().cell_size, 3) / 8;
    for (std::size_t i = store.append(group, places.data(), places.size()); i < g.size(); ++i) {
      for (int d = 0; d < 3; ++d) g.reals(g.velocity + d)[i] = random(std::uint64_t(d), i, -1, 1);
      g.reals(g.mass)[i] = random(3, i, 0.5, 1.5) * S(1000 * volume);
      g.reals(g.volume)[i] = random(4, i, 0.7, 1.2) * S(volume);
      if (method.affine())
        for (int k = 0; k < 9; ++k)
          g.reals(g.affine_array() + k)[i] = random(std::uint64_t(10 + k), i, -4, 4);
      for (int k = 0; k < 6; ++k)
        g.reals(g.state_arrays().begin + k)[i] = random(std::uint64_t(20 + k), i, -0.1, 0.1);
      if (group == 1)
        for (int k = 6; k < 12; ++k)
          g.reals(g.state_arrays().begin + k)[i] = random(std::uint64_t(20 + k), i, -1e4, 1e4);
    }
  }

  void sort() {
    ASSERT_FALSE(store.sort());
    grid.update_layout(store);
    grid.update_runs(store, std::vector<char>(islands_are_touched ? grid.island_count() : 0, 1));
    if (!method.choice.two_velocities) return;
    second_velocity = AlignedArray<S>((grid.slots.size() + 1) * slot_reals);
  }

  // sets the arguments of the transfers, as prepare() of the solvers does
  void bind() {
    views.clear();
    for (std::size_t k = 0; k < materials.size(); ++k) {
      ParticleGroup<S>& g = store.groups()[k];
      Material& material = *materials[k];
      material.kernels->make_law(material.parameters.data(), material.law_bytes.data());
      material.kernels->make_step_law(material.parameters.data(), dt, material.step_law_bytes.data());
      GroupView<S> view{};
      for (int d = 0; d < 3; ++d) view.x[d] = g.reals(g.position + d), view.v[d] = g.reals(g.velocity + d);
      if (method.affine())
        for (int c = 0; c < 9; ++c) view.c[c] = g.reals(g.affine_array() + c);
      view.mass = g.reals(g.mass), view.volume = g.reals(g.volume);
      view.state = g.state_pointers();
      view.begin = store.begin(int(k)).data();
      view.material = material.kernels;
      view.law = material.law_bytes.data();
      view.step_law = material.step_law_bytes.data();
      views.push_back(view);
    }
    args.cell_size = S(grid.space.cell_size), args.dt = S(dt), args.mass_floor = S(mass_floor);
    for (std::size_t d = 0; d < 3; ++d) args.gravity[d] = S(gravity[d]);
    args.residual_kept = S(method.residual_kept), args.symmetric_kept = S(method.symmetric_kept);
    args.carry_limit = S(method.carry_limit);
    args.advect_particle_velocity = method.advect_particle_velocity;
    args.groups = views.data(), args.group_count = int(views.size());
    grid.set_loops(args);
  }
  S* moving() { return method.choice.two_velocities ? second_velocity.data() : grid.velocity.data(); }
  int runs() const { return int(grid.runs.size()); }
  int slots() const { return int(grid.slots.size()); }

  void to_grid() {
    bind();
    grid.open_boxes(args);
    for (int r = 0; r < int(grid.first_lone_run); ++r) grid.kernels->particles_to_tiles(args, true, r);
    for (int i = 0; i < slots(); ++i) grid.kernels->tiles_to_slot(args, i);
    for (const std::int32_t island : grid.stored_islands) grid.kernels->box_velocity(args, island);
  }
  void to_particles() {
    bind();
    for (int r = 0; r < runs(); ++r)
      for (int part = 0; part < grid.parts; ++part) grid.kernels->grid_to_particles(args, moving(), r, part);
  }

  void inspect() {
    for (int r = 0; r < runs(); ++r)
      for (int part = 0; part < grid.parts; ++part) dollop::inspect(*grid.kernels, args, moving(), r, part);
  }
  // visit(report) for each part of a run
  template <class Visit>
  void each_report(int run, Visit&& visit) const {
    for (int part = 0; part < grid.parts; ++part) visit(grid.reports[std::size_t(run * grid.parts + part)]);
  }

  // visit(group, particle, axis, low, high) with the range that the cell of a particle, as a number of any size, may be in
  // until it must be sorted
  template <class Visit>
  void each_margin(Visit&& visit) {
    for (std::size_t g = 0; g < store.groups().size(); ++g)
      store.each(int(g), [&](std::size_t block, std::size_t i) {
        const OccupiedCells& cells = grid.cells[block];
        for (std::size_t d = 0; d < 3; ++d)
          visit(store.groups()[g], i, int(d), cells.low[d] - 1, cells.high[d] + 2);
      });
  }

  // visit(node, offset of its four numbers in the arrays of the grid)
  template <class Visit>
  void each_node(Visit&& visit) const {
    for (std::size_t s = 0; s < grid.slots.size(); ++s) {
      const BlockCoord b = coord_of(grid.slots[s]);
      for (int n = 0; n < 64; ++n)
        visit(Node{4 * b[0] + n / 16, 4 * b[1] + n / 4 % 4, 4 * b[2] + n % 4}, 256 * s + 4 * std::size_t(n));
    }
  }
  // writes velocity(node) to every active node, mass 1
  template <class Velocity>
  void set_field(S* field, Velocity&& velocity) {
    each_node([&](const Node& i, std::size_t at) {
      const Double3 v = velocity(i);
      for (std::size_t d = 0; d < 3; ++d) field[at + d] = S(v[d]);
      field[at + 3] = 1;
    });
  }

  reference::Setting setting() const {
    reference::Setting s{method, double(S(grid.space.cell_size)), double(S(dt)),
                         {},     double(S(mass_floor)),           {}};
    s.method.residual_kept = double(S(method.residual_kept));
    s.method.symmetric_kept = double(S(method.symmetric_kept));
    for (std::size_t d = 0; d < 3; ++d) {
      s.gravity[d] = double(S(gravity[d]));
      s.period[d] = 4 * grid.space.period[d];
    }
    return s;
  }
  // the particles as they are stored, in order of id
  std::vector<reference::Particle> particles() const {
    std::vector<reference::Particle> all;
    for (std::size_t k = 0; k < materials.size(); ++k) {
      const ParticleGroup<S>& g = store.groups()[k];
      store.each(int(k), [&](std::size_t block, std::size_t i) {
        const BlockCoord b = coord_of(store.blocks()[block]);
        reference::Particle p{g.ids()[i], &materials[k]->law, {}, {}, {}, double(g.reals(g.mass)[i]), 0, {}};
        p.volume = double(g.reals(g.volume)[i]);
        for (std::size_t d = 0; d < 3; ++d) {
          p.x[d] = (4 * b[d] - origin[d]) + double(g.reals(g.position + int(d))[i]);
          p.v[d] = double(g.reals(g.velocity + int(d))[i]);
        }
        if (method.affine())
          for (std::size_t c = 0; c < 9; ++c) p.c[c] = double(g.reals(g.affine_array() + int(c))[i]);
        for (int c = g.state_arrays().begin; c < g.array_count(); ++c)
          p.state.push_back(double(g.reals(c)[i]));
        all.push_back(std::move(p));
      });
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    return all;
  }
};

// random positions, uniform in a cube [m]
inline std::vector<Double3> cube_of_places(const Double3& center, double half_edge, std::size_t n,
                                           std::uint64_t seed) {
  std::vector<Double3> places(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t d = 0; d < 3; ++d)
      places[i][d] = center[d] + half_edge * (2 * random_uniform(seed, d, i) - 1);
  return places;
}

}  // namespace dollop
