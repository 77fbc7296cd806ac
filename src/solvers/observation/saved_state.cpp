// The whole state to a stream and back.
#include "core/binary.h"
#include "solvers/runner.h"

namespace dollop {
namespace {

constexpr std::uint32_t state_format = 5;  // raised whenever the layout below changes
constexpr std::uint32_t without_increment =
    4;  // the one before, which can be read too: it lacks max_increment

}  // namespace

template <class S>
void Runner<S>::save(std::ostream& stream) const {
  BinaryWriter out(stream);
  out.value(state_format);
  out.value(std::uint32_t(sizeof(S)));
  out.value(state_.time);
  out.value(state_.steps);
  out.value(state_.max_speed);
  out.value(state_.lightest);
  out.value(state_.caution);
  out.value(state_.needs_sort);
  out.array(state_.emitters);
  const Tally& tally = state_.tally;
  out.value(tally.added_mass);
  out.value(tally.emitted);
  out.value(tally.rejected);
  out.value(tally.newton_iterations);
  out.value(tally.linear_iterations);
  out.value(tally.inserted);
  out.value(tally.merged);
  out.value(tally.removed);
  out.value(tally.removed_mass);
  out.value(tally.resample_energy);
  out.value(tally.resample_angular_momentum);
  out.value(state_.resamplings);
  out.value(state_.last_resampling);
  out.value(state_.strain_since);
  out.value(tally.interval_start);
  out.value(tally.dt_min);
  out.value(tally.dt_max);
  out.value(tally.newton_residual);
  out.value(tally.max_increment);
  out.array(tally.impacts);
  out.array(tally.gauge_masses);
  state_.particles.save(out);
}

template <class S>
void Runner<S>::restore(std::istream& stream) {
  const auto require = [](bool holds) {
    if (!holds) throw std::runtime_error("the stored state does not belong to this scene");
  };
  BinaryReader in(stream);
  const auto format = in.value<std::uint32_t>();
  require(format == state_format || format == without_increment);
  require(in.value<std::uint32_t>() == sizeof(S));
  state_.time = in.value<double>();
  state_.steps = in.value<std::int64_t>();
  state_.max_speed = in.value<double>();
  state_.lightest = in.value<double>();
  state_.caution = in.value<double>();
  state_.needs_sort = in.value<unsigned char>() != 0;
  state_.emitters = in.array<EmitterState>();
  require(state_.emitters.size() == scene_.emitters.size());
  Tally& tally = state_.tally;
  tally.added_mass = in.value<double>();
  tally.emitted = in.value<std::uint64_t>();
  tally.rejected = in.value<std::int64_t>();
  tally.newton_iterations = in.value<std::int64_t>();
  tally.linear_iterations = in.value<std::int64_t>();
  tally.inserted = in.value<std::uint64_t>();
  tally.merged = in.value<std::uint64_t>();
  tally.removed = in.value<std::uint64_t>();
  tally.removed_mass = in.value<double>();
  tally.resample_energy = in.value<double>();
  tally.resample_angular_momentum = in.value<Double3>();
  state_.resamplings = in.value<std::uint64_t>();
  state_.last_resampling = in.value<std::int64_t>();
  state_.strain_since = in.value<double>();
  tally.interval_start = in.value<double>();
  tally.dt_min = in.value<double>();
  tally.dt_max = in.value<double>();
  tally.newton_residual = in.value<double>();
  tally.max_increment = format == without_increment ? 0 : in.value<double>();
  tally.impacts = in.array<Impact>();
  require(tally.impacts.size() == scene_.colliders.size());
  tally.gauge_masses = in.array<double>();
  require(tally.gauge_masses.size() == scene_.gauges.size());
  state_.particles.restore(in);
  require(in.left() == 0);
  mpm_.grid.update_layout(state_.particles);
}

template void Runner<float>::save(std::ostream&) const;
template void Runner<double>::save(std::ostream&) const;
template void Runner<float>::restore(std::istream&);
template void Runner<double>::restore(std::istream&);

}  // namespace dollop
