// One particle as the page shows it.
#pragma once

#include <dollop/simulation.h>

#include <string>

namespace dollop {

// All numbers of one particle as a JSON object.
std::string particle_json(const ParticleFrame& frame, std::size_t particle);

}  // namespace dollop
