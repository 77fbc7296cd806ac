// Reads shapes: one word with its definition, and keys of placement beside it.
#include <fmt/format.h>

#include <algorithm>

#include "boundary/shape_validate.h"
#include "scene/reader.h"

namespace dollop {
namespace {

using Kind = Node::Kind;

std::vector<std::string> shape_words() {
  std::vector<std::string> words;
  for (const ShapeKind& kind : shape_kinds()) words.push_back(kind.word);
  return words;
}

const ShapeKind* kind_of(const std::string& word) {
  for (const ShapeKind& kind : shape_kinds())
    if (kind.word == word) return &kind;
  return nullptr;
}

}  // namespace

// Finds the one entry of the table whose key is the word of a shape.
const ShapeKind& Reader::find_kind(const Entry& entry, const Entry*& definition) const {
  const ShapeKind* found = nullptr;
  for (const Entry& given : entry.value.entries) {
    const ShapeKind* kind = kind_of(given.key);
    if (!kind && !placement_section().find(given.key)) {
      std::vector<std::string> known = shape_words();
      const std::vector<std::string> placement = placement_section().names();
      known.insert(known.end(), placement.begin(), placement.end());
      const std::string near = suggestion(given.key, known);
      fail(given.at, fmt::format("'{}' is not a shape{}", shown(given.key),
                                 near.empty() ? "; there are " + listed(shape_words()) : near));
    }
    if (kind && found)
      fail(given.at, fmt::format("a shape is one of its words, not '{}' and '{}'; join shapes by union",
                                 found->word, kind->word));
    if (kind) found = kind, definition = &given;
  }
  if (!found)
    fail(entry.value.at, fmt::format("no shape is named here; write one of {}", listed(shape_words())));
  return *found;
}

Mesh Reader::mesh(const Node& at, const std::string& file, double voxel_size) const {
  if (file.empty() || file.find('\0') != std::string::npos) fail(at.at, "the name of a mesh file is missing");
  try {
    return load_mesh_(std::filesystem::absolute(folder_ / file).lexically_normal().string(), voxel_size);
  } catch (const std::exception& error) {
    fail(at.at, error.what());
  }
}

// Fails if validate() finds a fault, at the key that its message names.
void Reader::check_shape(const Shape& shape, const Node& definition) const {
  const std::string fault = validate(shape);
  if (fault.empty()) return;
  Location at = definition.at;
  std::size_t first = std::string::npos;
  for (const Entry& entry : definition.entries)
    if (const std::size_t where = fault.find(" " + entry.key + " "); where < first)
      first = where, at = entry.value.at;
  fail(at, fault);
}

Shape Reader::make_shape(const ShapeKind& kind, const Entry& definition, double scale) const {
  const Node& node = definition.value;
  if (kind.form == ShapeKind::Form::set) {
    if (!node.is(Kind::array))
      fail(node.at, fmt::format("'{}' must be a list of shapes, got {}", kind.word, name_of(node.kind)));
    std::vector<Shape> shapes;
    for (const Node& item : node.items) shapes.push_back(shape({kind.word, item.at, item}, scale));
    return kind.make(&shapes);
  }
  const std::shared_ptr<void> object = kind.section.make_default();
  read_table(kind.section, kind.word, definition, object.get());
  if (kind.form == ShapeKind::Form::plain) return kind.make(object.get());
  const auto voxels = [&](double given) { return given > 0 ? given : default_voxel_size / scale; };
  if (kind.form == ShapeKind::Form::mesh) {
    const auto& table = *static_cast<const MeshTable*>(object.get());
    return mesh(node.find("file")->value, table.file, voxels(table.voxel_size));
  }
  const auto& table = *static_cast<const MeshSequenceTable*>(object.get());
  MeshSequence sequence;
  sequence.frame_rate = table.frame_rate, sequence.start = table.start;
  const Node& files = node.find("files")->value;
  for (std::size_t i = 0; i < table.files.size(); ++i)
    sequence.frames.push_back(mesh(files.items[i], table.files[i], voxels(table.voxel_size)));
  return sequence;
}

Shape Reader::shape(const Entry& entry, double scale) const {
  if (!entry.value.is(Kind::table))
    fail(entry.value.at,
         fmt::format("a shape must be a table such as {{ sphere = {{ radius = 0.1 }} }}, got {}",
                     name_of(entry.value.kind)));
  const Entry* definition = nullptr;
  const ShapeKind& kind = find_kind(entry, definition);
  PlacementTable placement;
  bool placed = false;
  for (const Entry& given : entry.value.entries)
    if (const Key* key = placement_section().find(given.key))
      read_key(*key, given, &placement), placed = true;
  const double largest = *std::max_element(placement.scale.begin(), placement.scale.end());
  const Shape inner = make_shape(kind, *definition, scale * largest);
  check_shape(inner, definition->value);
  if (!placed) return inner;
  const Shape outer =
      Placed{std::make_shared<const Shape>(inner), placement.rotate, placement.translate, placement.scale};
  // each number is in range by now, so only `rotate` can be at fault: a matrix that is not a rotation
  const Entry* rotate = entry.value.find("rotate");
  check_shape(outer, rotate ? rotate->value : entry.value);
  return outer;
}

}  // namespace dollop
