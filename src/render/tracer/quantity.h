// Numbers of particles to colour them by: attributes of the frame, and what is derived from them.
#pragma once

#include <dollop/simulation.h>

#include <array>
#include <string>
#include <vector>

#include "render/tracer/stage.h"

namespace dollop {

// One number a particle, of those of io/quantities.h. Throws std::invalid_argument, with the names that there are, if there
// is no such quantity.
std::vector<float> values_of_quantity(const ParticleFrame& frame, const std::string& name);

// its name with its unit where that is known, such as "speed [m/s]"
std::string quantity_label(const std::string& name);

// A range that leaves out the outermost two in a thousand numbers at each end; widened if all are alike.
std::array<float, 2> range_of(std::vector<float> values);
// "0:2.5"; throws std::invalid_argument
std::array<float, 2> parse_range(const std::string& text);

// Colours of numbers in a range.
std::vector<Vec3<float>> colors_of(const std::vector<float>& values, const std::array<float, 2>& range);

}  // namespace dollop
