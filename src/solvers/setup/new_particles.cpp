#include "solvers/setup/new_particles.h"

#include <algorithm>
#include <cmath>

namespace dollop {

template <class S>
void add_particles(const NewParticles& fresh, State<S>& state) {
  const std::size_t n = fresh.places.size();
  if (n == 0) return;
  const std::size_t first = state.particles.append(fresh.group, fresh.places.data(), n);
  ParticleGroup<S>& group = state.particles.groups()[std::size_t(fresh.group)];
  const S mass = S(fresh.density * fresh.volume);
  double speed2 = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = first + k;
    const Double3& v = fresh.velocities[k];
    for (std::size_t d = 0; d < 3; ++d) group.reals(ParticleGroup<S>::velocity + int(d))[i] = S(v[d]);
    group.reals(ParticleGroup<S>::mass)[i] = mass;
    group.reals(ParticleGroup<S>::volume)[i] = S(fresh.volume);
    if (group.affine_array() >= 0)
      for (std::size_t c = 0; c < 9; ++c)
        group.reals(group.affine_array() + int(c))[i] = S(fresh.gradient[c]);
    speed2 = std::max(speed2, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  }
  state.max_speed = std::max(state.max_speed, std::sqrt(speed2));
  state.lightest = std::min(state.lightest, double(mass));
  state.tally.added_mass += double(mass) * double(n);
  state.needs_sort = true;
}

template void add_particles(const NewParticles&, State<float>&);
template void add_particles(const NewParticles&, State<double>&);

}  // namespace dollop
