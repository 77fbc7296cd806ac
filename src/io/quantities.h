// Numbers by which particles can be coloured: the attributes of a frame, their components, and what follows from them.
#pragma once

#include <dollop/simulation.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dollop {

// Names of all quantities that a frame has, such as "speed", "J", "velocity.x", "pressure" and "position.y".
std::vector<std::string> quantity_names(const ParticleFrame& frame);

// One number for each particle; none if the frame has no such quantity. The name of a vector or tensor means its length,
// and blanks may stand for underscores: "plastic strain".
std::optional<std::vector<float>> quantity(const ParticleFrame& frame, const std::string& name);

// All of them for one particle, but for its position.
std::vector<std::pair<std::string, float>> quantities_of(const ParticleFrame& frame, std::size_t particle);

}  // namespace dollop
