// Copies of the particles: for output and for callers of the library.
#pragma once

#include <dollop/simulation.h>

#include "solvers/setup/setup.h"

namespace dollop {

// one group, in order of id
template <class S>
ParticleData copy_particles(int group, const State<S>& state);

// the names that snapshot() knows
template <class S>
std::vector<std::string> attributes_of(const State<S>& state);

// all particles with the given attributes; throws SceneError for a name that is not known
template <class S>
ParticleFrame snapshot(const std::vector<std::string>& attributes, const Setup<S>& setup,
                       const State<S>& state);

// Throws SceneError for a name that is not among the known ones.
void check_attributes(const std::vector<std::string>& wanted, const std::vector<std::string>& known);

}  // namespace dollop
