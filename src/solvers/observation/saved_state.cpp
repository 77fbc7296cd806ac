#include "solvers/observation/saved_state.h"

#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "core/binary.h"

namespace dollop {
namespace {

// a byte of a damaged file may not be a valid bool
template <class T>
void read(BinaryReader& in, T& number) {
  if constexpr (std::is_same_v<T, bool>)
    number = in.value<unsigned char>() != 0;
  else
    number = in.value<T>();
}

}  // namespace

template <class S>
void save_state(const State<S>& state, std::ostream& stream) {
  BinaryWriter out(stream);
  out.value(saved_state_format);
  out.value(std::uint32_t(sizeof(S)));
  const auto write = [&](const auto& number) { out.value(number); };
  State<S>::numbers(state, write);
  Tally::numbers(state.tally, write);
  out.array(state.emitters);
  out.array(state.tally.impacts);
  out.array(state.tally.gauge_masses);
  for (const MeshPoints& mesh : state.meshes) out.array(mesh.x), out.array(mesh.v);
  state.particles.save(out);
}

template <class S>
void restore_state(const Setup<S>& setup, std::istream& stream, State<S>& state) {
  const auto require = [](bool holds,
                          const char* message = "the stored state does not belong to this scene") {
    if (!holds) throw std::runtime_error(message);
  };
  BinaryReader in(stream);
  require(in.value<std::uint32_t>() == saved_state_format,
          "the stored state was written by another version of the program");
  require(in.value<std::uint32_t>() == sizeof(S));
  const auto read_number = [&](auto& number) { read(in, number); };
  State<S>::numbers(state, read_number);
  Tally::numbers(state.tally, read_number);
  state.headroom = 0;
  state.emitters = in.array<EmitterState>();
  require(state.emitters.size() == setup.nozzles.size());
  state.tally.impacts = in.array<Impact>();
  require(state.tally.impacts.size() == setup.colliders.size());
  state.tally.gauge_masses = in.array<double>();
  require(state.tally.gauge_masses.size() == setup.scene.gauges.size());
  for (MeshPoints& mesh : state.meshes) {
    const std::size_t count = mesh.x.size();
    mesh.x = in.array<Double3>(), mesh.v = in.array<Double3>();
    require(mesh.x.size() == count && mesh.v.size() == count);
  }
  state.particles.restore(in);
  require(in.left() == 0);
}

#define DOLLOP_INSTANTIATE(S)                               \
  template void save_state(const State<S>&, std::ostream&); \
  template void restore_state(const Setup<S>&, std::istream&, State<S>&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
