// Metadata of a frame besides its particles; formats that cannot store it ignore it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "math/vec.h"

namespace dollop {

struct FrameNotes {
  std::optional<int> frame = {};            // number of the frame; none: only its time is known
  double frame_rate = 1;                    // [1/s]
  std::vector<std::string> materials = {};  // names, in the order of the scene
  std::vector<Vec3<float>> colors = {};     // of the materials, linear, 0 to 1; missing ones are grey
  std::string value = "value";              // name of the mesh's values
  std::string part = "material";            // what a mesh's vertices belong to: a material, or a collider
  double width = 0.01;                      // diameter of particles of unknown volume [m]

  // the frame's position on a time line with frame_rate units per second
  double time_code(double time) const { return frame ? double(*frame) : time * frame_rate; }
  Vec3<float> color(std::size_t material) const {
    return material < colors.size() ? colors[material] : Vec3<float>{0.5f, 0.5f, 0.5f};
  }
};

}  // namespace dollop
