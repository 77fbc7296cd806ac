// Feeds damaged frames of particles to their readers. A frame must be refused with an InputError or by frame_fault(), or
// have columns of the right lengths.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "frame_input.h"
#include "io/frame_layout.h"
#include "target.h"

namespace dollop::fuzz {

std::vector<std::string> seeds() { return frame_seeds(); }

bool accepts(const std::string& input) {
  const std::optional<ParticleFrame> frame = read_frame(input);
  if (!frame) return false;
  const std::size_t particles = frame->position.size() / 3;
  require(frame->position.size() == 3 * particles && has_ids(*frame) && has_materials(*frame),
          "a frame has columns of different lengths");
  for (const Attribute& attribute : frame->attributes)
    require(
        attribute.components > 0 && attribute.values.size() == particles * std::size_t(attribute.components),
        "an attribute has not a value for each particle");
  return true;
}

}  // namespace dollop::fuzz
