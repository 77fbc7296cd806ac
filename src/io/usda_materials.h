// What points and meshes in USD share: names and colours by material, and the box around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/frame_notes.h"
#include "io/usda_text.h"

namespace dollop {

// primvars:displayColor, a colour for each point, and primvars:materialName, a list of names with an index for each
// point; both hold for all points where the scene has one material. `material` must live as long as the prim.
void add_usda_materials(UsdaPrim& prim, const std::vector<std::int32_t>& material, const FrameNotes& notes);

// the box around points, widened by `margin`
UsdaAttribute usda_extent(const float* positions, std::size_t count, float margin);

}  // namespace dollop
