// The tables of a scene file.
#pragma once

#include "materials/parameter_info.h"
#include "scene/key.h"

namespace dollop {

// [simulation]: Settings, and the one key that is stored elsewhere in a Scene.
struct SimulationTable : Settings {
  std::vector<std::string> periodic = {};
};
struct MeshTable {
  std::string file = {};
  double voxel_size = 0;  // 0: half a cell
};
struct MeshSequenceTable {
  std::vector<std::string> files = {};
  double voxel_size = 0, frame_rate = 24, start = 0;
};
struct PlacementTable {
  Double3 translate{0, 0, 0}, scale{1, 1, 1};
  Rotation rotate = identity_rotation;
};

const Section& simulation_section();  // with a table for each method that has settings
const Section& domain_section();
const Section& body_section();
const Section& layer_section();
const Section& emitter_section();
const Section& collider_section();
const Section& motion_section();
const Section& gauge_section();
const Section& camera_section();
const Section& output_section();

// A table at the top level of a scene.
struct Part {
  const char* name;  // "simulation"
  const Section& (*section)();
  bool is_list;  // [[bodies]]
};
const std::vector<Part>& parts();
std::string label_of(const Part& part);  // "[simulation]", "[[bodies]]"

// --- shapes: { sphere = { ... }, translate = [...] }

struct ShapeKind {
  enum class Form { plain, mesh, mesh_sequence, set };
  std::string word, help;
  Form form;
  Section section;                         // without keys for sets
  std::function<Shape(const void*)> make;  // from an object of the section, or from a vector<Shape>
  std::function<const void*(const Shape&)> object_of;  // the definition in a shape of this kind, or null
};
const std::vector<ShapeKind>& shape_kinds();
const Section& placement_section();

// --- materials

Range key_range(const ParameterInfo& parameter);
// of a parameter whose value is the index of one of its words
Slot word_slot(double& value, const std::vector<std::string>& words);

// the keys look and color of a Material or a Collider
template <class T>
std::vector<Key> appearance_keys();

// Keys of [materials.NAME] for one model, read into a Material.
const Section& material_section(std::size_t model);

// A key of a material that sets several parameters at once: hardening = [35, 9, 0.2, 10]. Each item is read like the key
// of its parameter, except that plain numbers for angles are in the unit of the list.
struct ListItem {
  Key key;           // of the parameter, with the range of its value in SI
  double scale = 1;  // from plain numbers to SI
  std::string unit;  // of plain numbers; empty: that of the key
  Range plain;       // of plain numbers
};
struct ListKey {
  std::string name, help;
  std::vector<ListItem> items;
  std::vector<std::string> members() const;
};
const std::vector<ListKey>& material_lists(std::size_t model);

}  // namespace dollop
