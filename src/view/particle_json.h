// One particle for the web page.
#pragma once

#include <dollop/simulation.h>

#include <string>

namespace dollop {

// All quantities of one particle as a JSON object.
std::string particle_json(const ParticleFrame& frame, std::size_t particle);

}  // namespace dollop
