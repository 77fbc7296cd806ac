// Shapes of bodies, emitters and colliders: plain definitions, lengths in metres, y is up.
//
// To add a shape: a struct here, its name in Shape::Form, its distance with normal, bounds and volume in
// src/boundary/shape_distance.cpp, and its checks in shape_validate.cpp. What is missing does not compile.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace dollop {

using Double3 = std::array<double, 3>;
using Rotation = std::array<Double3, 3>;  // rows of an orthonormal matrix with determinant +1

inline constexpr Rotation identity_rotation{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

// The half-space behind a plane.
struct Plane {
  Double3 point{0, 0, 0};   // any point of the plane [m]
  Double3 normal{0, 1, 0};  // points out of the solid, any length but zero
};

struct Box {
  Double3 center{0, 0, 0};  // [m]
  Double3 size{1, 1, 1};    // full edge lengths, rounding included [m]
  double rounding = 0;      // radius of the edges and corners [m], at most half the smallest size
};

struct Sphere {
  Double3 center{0, 0, 0};  // [m]
  double radius = 1;        // [m]
};

// A solid cylinder with flat ends.
struct Cylinder {
  Double3 center{0, 0, 0};  // middle of its axis [m]
  Double3 axis{0, 1, 0};    // direction, any length but zero
  double radius = 1;        // [m]
  double height = 1;        // from end to end [m]
};

// All points within `radius` of a segment.
struct Capsule {
  Double3 from{0, 0, 0};  // [m]
  Double3 to{0, 1, 0};    // [m]; may equal `from`
  double radius = 1;      // [m]
};

struct Ellipsoid {
  Double3 center{0, 0, 0};  // [m]
  Double3 radii{1, 1, 1};   // half axes along x, y, z [m]
};

// A solid cone, or a frustum if its top has a radius.
struct Cone {
  Double3 center{0, 0, 0};  // of its base [m]
  Double3 axis{0, 1, 0};    // from the base to the tip, any length but zero
  double radius = 1;        // of the base [m]
  double height = 1;        // [m]
  double top_radius = 0;    // [m]
};

struct Torus {
  Double3 center{0, 0, 0};    // [m]
  Double3 axis{0, 1, 0};      // direction, any length but zero
  double radius = 1;          // from the centre to the middle of the tube [m]
  double tube_radius = 0.25;  // [m], less than `radius`
};

// A round plate. One without thickness serves emitters only: bodies and colliders need a solid.
struct Disc {
  Double3 center{0, 0, 0};  // [m]
  Double3 normal{0, 1, 0};  // any length but zero
  double radius = 1;        // [m]
  double thickness = 0;     // [m]
};

class LevelSet;  // signed distances near a closed surface, on a voxel grid

// A closed triangle mesh, made by load_mesh().
struct Mesh {
  std::string file = {};
  double voxel_size = 0;  // of the level set [m]
  std::shared_ptr<const LevelSet> level_set = {};
};

// A closed mesh that deforms, for colliders: key frames at equal intervals, with signed distances interpolated between
// them. Before the first frame and after the last it rests.
struct MeshSequence {
  std::vector<Mesh> frames = {};
  double frame_rate = 24;  // [1/s]
  double start = 0;        // time of the first frame [s]
};

struct Shape;

// Points in any of the shapes.
struct Union {
  std::vector<Shape> shapes;
};

// Points in all of the shapes.
struct Intersect {
  std::vector<Shape> shapes;
};

// Points in the first shape and in none of the others.
struct Minus {
  std::vector<Shape> shapes;
};

// A shape scaled along x, y, z, then rotated, then translated: x = rotation diag(scale) X + translation.
struct Placed {
  std::shared_ptr<const Shape> shape = {};
  Rotation rotation = identity_rotation;
  Double3 translation{0, 0, 0};  // [m]
  Double3 scale{1, 1, 1};        // [-], positive
};

template <class T, class Variant>
inline constexpr bool is_alternative = false;
template <class T, class... Ts>
inline constexpr bool is_alternative<T, std::variant<Ts...>> = (std::is_same_v<T, Ts> || ...);

// Any one of the above; each of them converts to it.
struct Shape {
  using Form = std::variant<Plane, Box, Sphere, Cylinder, Capsule, Ellipsoid, Cone, Torus, Disc, Mesh,
                            MeshSequence, Union, Intersect, Minus, Placed>;
  Form form = {};

  Shape() = default;
  template <class T>
  requires is_alternative<T, Form> Shape(T definition) : form(std::move(definition)) {}
};

inline Shape place(Shape shape, const Rotation& rotation, const Double3& translation, double scale = 1) {
  return Placed{
      std::make_shared<const Shape>(std::move(shape)), rotation, translation, {scale, scale, scale}};
}

// Reads a mesh of any common format and builds its level set. Throws SceneError if it cannot be read, is not closed,
// or would need too many voxels.
Mesh load_mesh(const std::string& file, double voxel_size);

// The rotation by three angles about the axes x, then y, then z of space.
Rotation rotation_of_angles(const Double3& angles);  // [rad]

}  // namespace dollop
