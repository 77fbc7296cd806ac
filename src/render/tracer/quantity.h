// Quantities that particles are coloured by: attributes of the frame and values derived from them.
#pragma once

#include <dollop/simulation.h>

#include <array>
#include <string>
#include <vector>

#include "render/tracer/stage.h"

namespace dollop {

// One value per particle, of a quantity of io/quantities.h. Throws std::invalid_argument, which lists the known names,
// if there is no such quantity.
std::vector<float> values_of_quantity(const ParticleFrame& frame, const std::string& name);

// the name with its unit if that is known, such as "speed [m/s]"
std::string quantity_label(const std::string& name);

// The range without outliers, the lowest and highest 0.2 % of the values; widened if all values are equal.
std::array<float, 2> range_of(std::vector<float> values);
// "0:2.5"; throws std::invalid_argument
std::array<float, 2> parse_range(const std::string& text);

// The colour map applied to values, scaled to a range.
std::vector<Vec3<float>> colors_of(const std::vector<float>& values, const std::array<float, 2>& range);

}  // namespace dollop
