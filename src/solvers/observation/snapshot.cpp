#include "solvers/observation/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/denormals.h"
#include "core/parallel.h"
#include "math/spectral.h"
#include "solvers/observation/body_meshes.h"
#include "solvers/setup/particle_order.h"
#include "solvers/setup/scene_space.h"

namespace dollop {
namespace {

constexpr std::size_t piece = 1 << 14;  // particles per parallel task

template <class S>
std::vector<std::uint32_t> block_of_particles(const ParticleStore<S>& store, int group) {
  const auto& begin = store.begin(group);
  std::vector<std::uint32_t> block(begin.back());
  for (std::size_t b = 0; b + 1 < begin.size(); ++b)
    std::fill(block.begin() + begin[b], block.begin() + begin[b + 1], std::uint32_t(b));
  return block;
}

// The left stretch V of F = V R, from the strain e that a material stores: V^2 = 1 + e.
SymMat3<double> stretch_of(const SymMat3<double>& e) {
  const auto a = eigen(e);
  const auto stretch = [](double x) { return std::sqrt(std::max(0.0, 1 + x)); };
  return spectral(a, Vec3<double>{stretch(a.values.x), stretch(a.values.y), stretch(a.values.z)});
}

// fills J, the Cauchy stress or the stretch of the particles [begin, end) of a group, by the model
template <class S>
void fill_derived(const ParticleGroup<S>& group, const MaterialBinding<S>& material, std::size_t begin,
                  std::size_t end, const std::vector<std::uint32_t>& row, Attribute& out) {
  std::vector<S*> columns;
  for (int k = group.state_arrays().begin; k < group.state_arrays().end; ++k)
    columns.push_back(const_cast<S*>(group.reals(k)));  // the model only reads them here
  const FlushDenormals flush;
  alignas(64) S ratio[chunk_size], tau[6 * chunk_size], e[6 * chunk_size];
  for (std::size_t i = begin; i < end; i += chunk_size) {
    material.kernels->volume_ratio(material.law.data(), columns.data(), i, ratio);
    if (out.name == "stress") material.kernels->stress(material.law.data(), columns.data(), i, tau);
    if (out.name == "stretch") material.kernels->strain(material.law.data(), columns.data(), i, e);
    for (std::size_t k = 0; k < std::min<std::size_t>(chunk_size, end - i); ++k) {
      float* to = &out.values[row[i + k] * std::size_t(out.components)];
      if (out.name == "J") {
        to[0] = float(ratio[k]);
      } else if (out.name == "stress") {
        for (std::size_t c = 0; c < 6; ++c) to[c] = float(tau[chunk_size * c + k] / ratio[k]);
      } else {
        const auto at = [&](std::size_t c) { return double(e[chunk_size * c + k]); };
        const SymMat3<double> v = stretch_of({at(0), at(1), at(2), at(3), at(4), at(5)});
        for (const double x : {v.xx, v.yy, v.zz, v.xy, v.xz, v.yz}) *to++ = float(x);
      }
    }
  }
}

// fills one attribute of a group; `row[i]` is the place of its particle i in the frame
template <class S>
void fill_attribute(const ParticleGroup<S>& group, const MaterialBinding<S>& material,
                    const std::vector<std::uint32_t>& row, Attribute& out) {
  const std::size_t n = group.size(), width = std::size_t(out.components);
  if (out.name == "J" || out.name == "stress" || out.name == "stretch")
    return parallel_ranges(n, piece, [&](std::size_t begin, std::size_t end) {
      fill_derived(group, material, begin, end, row, out);
    });
  const Column* column = group.find(out.name);
  if (!column) return;  // the material has no such state: zero
  parallel_ranges(n, piece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = 0; c < width; ++c) {
      const S* from = group.reals(column->first + int(c));
      for (std::size_t i = begin; i < end; ++i) out.values[row[i] * width + c] = float(from[i]);
    }
  });
}

}  // namespace

void check_attributes(const std::vector<std::string>& wanted, const std::vector<std::string>& known) {
  for (const std::string& name : wanted) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string near = nearest_name(name, known);
    throw SceneError(fmt::format("'{}' is not an attribute of these particles{}", name,
                                 near.empty() ? fmt::format("; there are {}", fmt::join(known, ", "))
                                              : "; did you mean '" + near + "'?"),
                     "output.attributes");
  }
}

template <class S>
ParticleData copy_particles(int g, const State<S>& state) {
  const ParticleGroup<S>& group = state.particles.groups()[std::size_t(g)];
  std::vector<Double3> position(group.size());
  const ParticleStore<S>& store = state.particles;
  store.each(g, [&](std::size_t block, std::size_t i) {
    position[i] = in_domain(store.space(), store.position(g, block, i));
  });
  ParticleData data;
  for (const std::uint32_t i : order_by_id(group, state.particles.next_id())) {
    data.id.push_back(group.ids()[i]);
    data.position.push_back(position[i]);
    const auto real = [&](int k) { return double(group.reals(k)[i]); };
    data.velocity.push_back({real(3), real(4), real(5)});
    data.mass.push_back(real(ParticleGroup<S>::mass));
    data.volume.push_back(real(ParticleGroup<S>::volume));
    for (const Column& column : group.columns()) {
      if (column.first < ParticleGroup<S>::common_arrays) continue;
      auto& out = data.state[column.name];
      out.resize(std::size_t(column.components));
      for (int k = 0; k < column.components; ++k) out[std::size_t(k)].push_back(real(column.first + k));
    }
  }
  return data;
}

template <class S>
std::vector<std::string> attributes_of(const State<S>& state) {
  std::vector<std::string> names{"velocity", "id", "mass", "volume", "J", "stress", "stretch", "material"};
  for (const auto& group : state.particles.groups())
    for (const Column& column : group.columns())
      if (column.name != "position" && std::find(names.begin(), names.end(), column.name) == names.end())
        names.push_back(column.name);
  return names;
}

template <class S>
ParticleFrame snapshot(const std::vector<std::string>& attributes, const Setup<S>& setup,
                       const State<S>& state) {
  ParticleFrame frame{.time = state.time};
  const auto rows = rows_by_id(state.particles);
  const std::size_t n = state.particles.size();
  frame.id.resize(n), frame.position.resize(3 * n), frame.material.resize(n);
  check_attributes(attributes, attributes_of(state));
  for (const std::string& name : attributes) {
    if (name == "id" || name == "material") continue;  // every frame has these
    int components = name == "stress" || name == "stretch" ? 6 : 1;
    for (const auto& group : state.particles.groups())
      if (const Column* column = group.find(name)) components = column->components;
    frame.attributes.push_back({name, components, std::vector<float>(n * std::size_t(components))});
  }
  for (std::size_t g = 0; g < state.particles.groups().size(); ++g) {
    const ParticleGroup<S>& group = state.particles.groups()[g];
    const auto& row = rows[g];
    const auto block =
        block_of_particles(state.particles, int(g));  // all but those added since the last step
    parallel_ranges(block.size(), piece, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Double3 x = in_domain(state.particles.space(), state.particles.position(int(g), block[i], i));
        for (std::size_t d = 0; d < 3; ++d) frame.position[3 * row[i] + d] = float(x[d]);
        frame.id[row[i]] = group.ids()[i];
        frame.material[row[i]] = std::int32_t(g);
      }
    });
    for (Attribute& attribute : frame.attributes)
      if (!attribute.values.empty()) fill_attribute(group, setup.materials[g], row, attribute);
  }
  frame.meshes = copy_meshes(setup, state);
  return frame;
}

#define DOLLOP_INSTANTIATE(S)                                       \
  template ParticleData copy_particles(int, const State<S>&);       \
  template std::vector<std::string> attributes_of(const State<S>&); \
  template ParticleFrame snapshot(const std::vector<std::string>&, const Setup<S>&, const State<S>&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
