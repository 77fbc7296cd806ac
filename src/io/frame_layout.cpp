#include "io/frame_layout.h"

#include <fmt/format.h>

namespace dollop {

std::size_t count_particles(const ParticleFrame& frame) {
  const std::size_t count = frame.position.size() / 3;
  DOLLOP_ASSERT(frame.position.size() == 3 * count);
  DOLLOP_ASSERT(frame.id.empty() || frame.id.size() == count);
  DOLLOP_ASSERT(frame.material.empty() || frame.material.size() == count);
  for (const Attribute& attribute : frame.attributes) {
    DOLLOP_ASSERT(attribute.components > 0);
    DOLLOP_ASSERT(attribute.values.size() == count * std::size_t(attribute.components));
  }
  return count;
}

const Attribute* find_attribute(const ParticleFrame& frame, std::string_view name, int components) {
  const std::size_t count = frame.position.size() / 3;
  for (const Attribute& a : frame.attributes)
    if (a.name == name && a.components == components && a.values.size() == count * std::size_t(components))
      return &a;
  return nullptr;
}

std::vector<float> present_volumes(const ParticleFrame& frame) {
  const Attribute *volume = find_attribute(frame, "volume", 1), *ratio = find_attribute(frame, "J", 1);
  if (!volume) return {};
  std::vector<float> now = volume->values;
  // beyond this expansion the material has separated: its particles keep their size, with gaps between them
  constexpr float max_expansion = 1.25f;
  for (std::size_t i = 0; ratio && i < now.size(); ++i)
    if (ratio->values[i] > 0 && ratio->values[i] <= max_expansion) now[i] *= ratio->values[i];
  return now;
}

std::vector<std::string> component_names(int components) {
  if (components == 1) return {""};
  if (components == 3) return {"x", "y", "z"};
  if (components == 6) return {"xx", "yy", "zz", "xy", "xz", "yz"};
  if (components == 9) return {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"};
  std::vector<std::string> names;
  for (int k = 0; k < components; ++k) names.push_back(fmt::format("{}", k));
  return names;
}

}  // namespace dollop
