// What files may say of a frame besides its particles: formats that have no place for it leave it out.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "math/vec.h"

namespace dollop {

struct FrameNotes {
  std::optional<int> frame = {};            // its number; none: it is known by its time only
  double frame_rate = 1;                    // frames in a second [1/s]
  std::vector<std::string> materials = {};  // names, in the order of the scene
  std::vector<Vec3<float>> colors = {};     // of the materials, linear, 0 to 1; missing ones are grey
  std::string value = "value";              // what the values of a mesh are called
  double width = 0.01;                      // of particles whose volume is not known [m]

  // the frame's place on a time line with frame_rate units in a second
  double time_code(double time) const { return frame ? double(*frame) : time * frame_rate; }
  Vec3<float> color(std::size_t material) const {
    return material < colors.size() ? colors[material] : Vec3<float>{0.5f, 0.5f, 0.5f};
  }
};

}  // namespace dollop
