// Reads a scene with a given function that loads meshes, so that tests need no files.
#pragma once

#include "scene/reader.h"

namespace dollop {

SceneFile parse_scene(const std::string& text, const std::filesystem::path& path,
                      const std::vector<std::string>& overrides, const MeshLoader& load_mesh);

// Checks keys in relation to each other: names, materials, times, axes.
void check_scene(const Document& document, const Scene& scene);

// The materials of a scene, or of a file with nothing but [materials.NAME] and a title, which needs no [simulation].
// Throws SceneError.
std::vector<Material> read_materials(const std::filesystem::path& path,
                                     const std::vector<std::string>& overrides);

// Reads one [materials.NAME].
Material read_material(const Reader& reader, const Entry& entry);

}  // namespace dollop
