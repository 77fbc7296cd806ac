// The shapes of a scene file: one entry each.
#include "scene/keys.h"

namespace dollop {
namespace {

using Form = ShapeKind::Form;

// A shape whose definition is read key by key.
template <class T, class Describe>
ShapeKind plain(const char* word, const char* help, const char* example, Describe describe) {
  SectionOf<T> section(word, help, example);
  describe(section);
  return {word,
          help,
          Form::plain,
          section,
          [](const void* object) { return Shape(*static_cast<const T*>(object)); },
          [](const Shape& shape) -> const void* { return std::get_if<T>(&shape.form); }};
}

// A set of other shapes.
template <class T>
ShapeKind set_of(const char* word, const char* help, const char* example) {
  SectionOf<T> section(word, help, example);
  return {word,
          help,
          Form::set,
          section,
          [](const void* shapes) { return Shape(T{*static_cast<const std::vector<Shape>*>(shapes)}); },
          [](const Shape& shape) -> const void* {
            const T* set = std::get_if<T>(&shape.form);
            return set ? &set->shapes : nullptr;
          }};
}

// A shape whose meshes the reader loads from files.
template <class T, class Table, class Describe>
ShapeKind mesh_of(const char* word, const char* help, const char* example, Form form, Describe describe) {
  SectionOf<Table> section(word, help, example);
  describe(section);
  return {word,    help, form,
          section, {},   [](const Shape& shape) -> const void* { return std::get_if<T>(&shape.form); }};
}

void add_round_shapes(std::vector<ShapeKind>& kinds) {
  kinds.push_back(plain<Sphere>(
      "sphere", "a ball", "{ sphere = { center = [0, 0.1, 0], radius = \"4 cm\" } }", [](auto& s) {
        s.number("center", &Sphere::center, "m", any_number, "sets the centre");
        s.number("radius", &Sphere::radius, "m", above_zero, "sets the radius").must();
      }));
  kinds.push_back(plain<Ellipsoid>(
      "ellipsoid", "an ellipsoid along the axes", "{ ellipsoid = { radii = [0.1, 0.2, 0.1] } }", [](auto& s) {
        s.number("center", &Ellipsoid::center, "m", any_number, "sets the centre");
        s.number("radii", &Ellipsoid::radii, "m", above_zero, "sets the half axes along x, y, z").must();
      }));
  kinds.push_back(plain<Cylinder>(
      "cylinder", "a solid cylinder with flat ends",
      "{ cylinder = { radius = 0.1, height = 0.3, axis = [0, 0, 1] } }", [](auto& s) {
        s.number("center", &Cylinder::center, "m", any_number, "sets the midpoint of the axis");
        s.number("axis", &Cylinder::axis, "", any_number,
                 "sets the direction of the axis; its length does not matter")
            .direction();
        s.number("radius", &Cylinder::radius, "m", above_zero, "sets the radius").must();
        s.number("height", &Cylinder::height, "m", above_zero, "sets the length from end to end").must();
      }));
  kinds.push_back(plain<Capsule>(
      "capsule", "all points within a radius of a segment: a cylinder with round ends",
      "{ capsule = { from = [0, 0, 0], to = [0, 0.2, 0], radius = 0.05 } }", [](auto& s) {
        s.number("from", &Capsule::from, "m", any_number, "sets one end of the segment").must();
        s.number("to", &Capsule::to, "m", any_number, "sets the other end of the segment").must();
        s.number("radius", &Capsule::radius, "m", above_zero, "sets the radius").must();
      }));
  kinds.push_back(
      plain<Cone>("cone", "a solid cone, or a frustum if its top has a radius",
                  "{ cone = { radius = 0.1, height = 0.2, top_radius = 0.05 } }", [](auto& s) {
                    s.number("center", &Cone::center, "m", any_number, "sets the centre of the base");
                    s.number("axis", &Cone::axis, "", any_number,
                             "sets the direction from the base to the tip; its length does not matter")
                        .direction();
                    s.number("radius", &Cone::radius, "m", above_zero, "sets the radius of the base").must();
                    s.number("height", &Cone::height, "m", above_zero, "sets the height").must();
                    s.number("top_radius", &Cone::top_radius, "m", from_zero,
                             "sets the radius of the top; 0 makes a tip");
                  }));
  kinds.push_back(
      plain<Torus>("torus", "a ring", "{ torus = { radius = 0.1, tube_radius = 0.02 } }", [](auto& s) {
        s.number("center", &Torus::center, "m", any_number, "sets the centre");
        s.number("axis", &Torus::axis, "", any_number,
                 "sets the direction of the axis; its length does not matter")
            .direction();
        s.number("radius", &Torus::radius, "m", above_zero,
                 "sets the distance from the centre to the middle of the tube")
            .must();
        s.number("tube_radius", &Torus::tube_radius, "m", above_zero,
                 "sets the radius of the tube, less than radius")
            .must();
      }));
  kinds.push_back(plain<Disc>("disc", "a round plate; one without thickness is for emitters only",
                              "{ disc = { center = [0, 0.3, 0], normal = [0, -1, 0], radius = 0.01 } }",
                              [](auto& s) {
                                s.number("center", &Disc::center, "m", any_number, "sets the centre");
                                s.number("normal", &Disc::normal, "", any_number,
                                         "sets the direction of its axis; its length does not matter")
                                    .direction();
                                s.number("radius", &Disc::radius, "m", above_zero, "sets the radius").must();
                                s.number("thickness", &Disc::thickness, "m", from_zero, "sets the thickness");
                              }));
}

std::vector<ShapeKind> all_kinds() {
  std::vector<ShapeKind> kinds;
  kinds.push_back(plain<Plane>("plane", "the half-space behind a plane; for colliders",
                               "{ plane = { point = [0, 0, 0], normal = [0, 1, 0] } }", [](auto& s) {
                                 s.number("point", &Plane::point, "m", any_number,
                                          "sets any point of the plane");
                                 s.number("normal", &Plane::normal, "", any_number,
                                          "sets the direction out of the solid; its length does not matter")
                                     .direction();
                               }));
  kinds.push_back(plain<Box>(
      "box", "a box along the axes",
      "{ box = { center = [0, 0.1, 0], size = [0.1, 0.2, 0.1], rounding = \"5 mm\" } }", [](auto& s) {
        s.number("center", &Box::center, "m", any_number, "sets the centre");
        s.number("size", &Box::size, "m", above_zero, "sets the lengths of the edges").must();
        s.number("rounding", &Box::rounding, "m", from_zero,
                 "rounds edges and corners with this radius, at most half the smallest size");
      }));
  add_round_shapes(kinds);
  kinds.push_back(mesh_of<Mesh, MeshTable>(
      "mesh", "a closed triangle mesh of any common format",
      "{ mesh = { file = \"bunny.obj\" }, scale = 0.01 }", Form::mesh, [](auto& s) {
        s.value("file", &MeshTable::file, "names the file, relative to the folder of the scene").must();
        s.number("voxel_size", &MeshTable::voxel_size, "m", from_zero,
                 "sets the voxel size of the level set, before the shape is scaled; 0 takes half a cell of "
                 "the grid");
      }));
  kinds.push_back(mesh_of<MeshSequence, MeshSequenceTable>(
      "mesh_sequence", "a closed mesh that deforms, for colliders: key frames at equal intervals",
      "{ mesh_sequence = { files = [\"f1.obj\", \"f2.obj\"], frame_rate = 24 } }", Form::mesh_sequence,
      [](auto& s) {
        s.value("files", &MeshSequenceTable::files,
                "lists the files, one for each frame, relative to the folder of the scene")
            .must();
        s.number("voxel_size", &MeshSequenceTable::voxel_size, "m", from_zero,
                 "sets the voxel size of the level sets, before the shape is scaled; 0 takes half a cell of "
                 "the grid");
        s.number("frame_rate", &MeshSequenceTable::frame_rate, "1/s", above_zero,
                 "sets the number of meshes per second");
        s.number("start", &MeshSequenceTable::start, "s", any_number, "sets the time of the first mesh");
      }));
  kinds.push_back(set_of<Union>("union", "points in any of the shapes",
                                "{ union = [{ sphere = { radius = 1 } }, { box = { size = [1, 3, 1] } }] }"));
  kinds.push_back(set_of<Minus>("minus", "points in the first shape and in none of the others",
                                "{ minus = [{ sphere = { radius = 1 } }, { sphere = { radius = 0.9 } }] }"));
  kinds.push_back(set_of<Intersect>("intersect", "points in all of the shapes",
                                    "{ intersect = [{ sphere = { radius = 1 } }, { plane = { } }] }"));
  return kinds;
}

SectionOf<PlacementTable> make_placement() {
  using T = PlacementTable;
  SectionOf<T> s(
      "placement",
      "Keys that may stand beside the word of any shape: the shape is scaled about the origin, then rotated "
      "about the origin, then translated.",
      "shape = { box = { size = [1, 1, 1] }, translate = [0, 2, 0], rotate = [0, \"45 deg\", 0], scale = 2 "
      "}\n");
  s.number("translate", &T::translate, "m", any_number, "translates by this vector");
  s.number("rotate", &T::rotate, "rad", any_number,
           "rotates by angles about x, then y, then z; or by a matrix, given as its three rows");
  s.scale("scale", &T::scale, "scales by one factor, or by three along x, y, z");
  return s;
}

}  // namespace

const std::vector<ShapeKind>& shape_kinds() {
  static const std::vector<ShapeKind> kinds = all_kinds();
  return kinds;
}

const Section& placement_section() {
  static const Section section = make_placement();
  return section;
}

}  // namespace dollop
