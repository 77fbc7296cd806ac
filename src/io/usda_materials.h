// Shared by points and meshes in USD: names and colours of materials, and the bounding box.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/frame_notes.h"
#include "io/usda_text.h"

namespace dollop {

// primvars:displayColor, a colour for each point, and primvars:materialName, a list of names with an index for each
// point; both are constant if the scene has one material. `material` must outlive the prim.
void add_usda_materials(UsdaPrim& prim, const std::vector<std::int32_t>& material, const FrameNotes& notes);

// the bounding box of points, enlarged by `margin`
UsdaAttribute usda_extent(const float* positions, std::size_t count, float margin);

}  // namespace dollop
