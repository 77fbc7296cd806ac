// Colours of numbers: dark violet, blue, green, yellow, evenly brighter for the eye.
#pragma once

#include "math/vec.h"

namespace dollop {

// sRGB components in [0, 1] for s in [0, 1]; clamped outside. A number that is not one is grey.
Vec3<float> color_of(float s);
// the same in linear light, for surfaces
Vec3<float> linear_color_of(float s);

}  // namespace dollop
