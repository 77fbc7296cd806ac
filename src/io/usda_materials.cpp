#include "io/usda_materials.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace dollop {

void add_usda_materials(UsdaPrim& prim, const std::vector<std::int32_t>& material, const FrameNotes& notes) {
  const std::int32_t last =
      material.empty() ? 0 : std::max(0, *std::max_element(material.begin(), material.end()));
  const std::size_t count = notes.materials.empty() ? std::size_t(last) + 1 : notes.materials.size();
  std::vector<Vec3<float>> colors;
  std::string names;
  for (std::size_t k = 0; k < count; ++k) {
    const std::string name = k < notes.materials.size() ? notes.materials[k] : fmt::format("material{}", k);
    colors.push_back(notes.color(k));
    names += fmt::format("{}{}", k > 0 ? ", " : "", usda_string(name));
  }
  const auto fix = [&](const char* type, const char* name, const std::string& values,
                       const char* interpolation) {
    prim.fixed.push_back(fmt::format("{}[] {} = [{}] (", type, name, values));
    prim.fixed.push_back(fmt::format("    interpolation = \"{}\"", interpolation));
    prim.fixed.push_back(")");
  };
  if (count == 1 || material.empty()) {
    const Vec3<float> c = colors[0];
    fix("color3f", "primvars:displayColor", fmt::format("({}, {}, {})", c.x, c.y, c.z), "constant");
    if (count == 1) fix("token", "primvars:materialName", names, "constant");
    return;
  }

  // frames from other programs may contain indices without a material
  const auto index = [&material, max_index = std::int32_t(count) - 1](std::size_t i) {
    return std::size_t(std::clamp(material[i], 0, max_index));
  };
  prim.sampled.push_back({"color3f[]",
                          "primvars:displayColor",
                          {"interpolation = \"vertex\""},
                          [=, size = material.size()](AtomicFile& out) {
                            std::vector<Vec3<float>> values(size);
                            for (std::size_t i = 0; i < size; ++i) values[i] = colors[index(i)];
                            write_usda_array(out, reinterpret_cast<const float*>(values.data()), size, 3);
                          }});
  fix("token", "primvars:materialName", names, "vertex");
  prim.sampled.push_back(
      {"int[]", "primvars:materialName:indices", {}, [=, size = material.size()](AtomicFile& out) {
         std::vector<std::int32_t> values(size);
         for (std::size_t i = 0; i < size; ++i) values[i] = std::int32_t(index(i));
         write_usda_array(out, values.data(), size);
       }});
}

UsdaAttribute usda_extent(const float* positions, std::size_t count, float margin) {
  return {"float3[]", "extent", {}, [=](AtomicFile& out) {
            float box[6] = {0, 0, 0, 0, 0, 0};
            for (std::size_t k = 0; k < 3 && count > 0; ++k) {
              float low = std::numeric_limits<float>::infinity(), high = -low;
              for (std::size_t i = 0; i < count; ++i)
                low = std::min(low, positions[3 * i + k]), high = std::max(high, positions[3 * i + k]);
              box[k] = low - margin, box[k + 3] = high + margin;
            }
            write_usda_array(out, box, 2, 3);
          }};
}

}  // namespace dollop
