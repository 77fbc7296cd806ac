// The colour map viridis: perceptually uniform from dark violet over blue and green to yellow.
#pragma once

#include "math/vec.h"

namespace dollop {

// sRGB components in [0, 1]; s is clamped to [0, 1], NaN is grey.
Vec3<float> color_of(float s);
// the same in linear RGB, for albedos
Vec3<float> linear_color_of(float s);

}  // namespace dollop
