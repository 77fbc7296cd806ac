// Shapes that the tests of this folder share: one of each kind, rotated and translated so that nothing is axis-aligned.
#pragma once

#include <dollop/shapes.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "boundary/rigid.h"

namespace dollop::test {

inline constexpr double pi = std::numbers::pi;

struct Random {
  std::mt19937_64 bits{7};
  double in(double a, double b) { return std::uniform_real_distribution<double>(a, b)(bits); }
  Vec3<double> in_cube(double h) { return {in(-h, h), in(-h, h), in(-h, h)}; }
  Vec3<double> direction() {
    for (;;) {
      const Vec3<double> v = in_cube(1);
      if (norm(v) > 0.1 && norm(v) < 1) return (1 / norm(v)) * v;
    }
  }
};

struct Named {
  std::string name;
  Shape shape;
};

inline const Box plain_box{.center = {0.1, -0.2, 0.3}, .size = {1.0, 0.6, 1.4}};
inline const Box rounded_box{.center = {0.1, -0.2, 0.3}, .size = {1.0, 0.6, 1.4}, .rounding = 0.2};
inline const Sphere ball{.center = {0.2, 0.1, -0.3}, .radius = 0.7};
inline const Cylinder drum{.center = {0.1, 0.2, 0}, .axis = {1, 2, -0.5}, .radius = 0.5, .height = 0.8};
inline const Capsule pill{.from = {-0.3, 0, 0.2}, .to = {0.5, 0.4, -0.1}, .radius = 0.3};
inline const Ellipsoid egg{.center = {0.1, -0.1, 0.2}, .radii = {0.4, 0.9, 0.6}};
inline const Ellipsoid lens{.center = {0, 0.1, -0.1}, .radii = {0.8, 0.15, 0.8}};
inline const Cone hat{.center = {0.1, -0.4, 0}, .axis = {0.4, 1, -0.3}, .radius = 0.6, .height = 0.9};
inline const Cone cup{
    .center = {0, -0.3, 0.1}, .axis = {-0.2, 1, 0.5}, .radius = 0.3, .height = 0.7, .top_radius = 0.6};
inline const Torus ring{.center = {0.1, 0, -0.1}, .axis = {0.3, 1, 0.6}, .radius = 0.6, .tube_radius = 0.25};
inline const Disc plate{.center = {0.1, 0.1, 0}, .normal = {1, 0.5, 0.2}, .radius = 0.7, .thickness = 0.1};
inline const Disc sheet{.center = {0.1, 0.1, 0}, .normal = {1, 0.5, 0.2}, .radius = 0.7};
inline const Plane floor_plane{.point = {0, -0.1, 0}, .normal = {0.5, 2, 0.3}};

inline Shape turned(const Shape& shape) {
  return place(shape, to_array(rotation_by({0.4, -1.1, 0.7})), {0.2, -0.1, 0.15}, 0.8);
}

// placed with unequal scales
inline Shape stretched(const Shape& shape) {
  return Placed{std::make_shared<const Shape>(shape),
                to_array(rotation_by({-0.3, 0.8, 0.5})),
                {0.1, 0, -0.1},
                {0.7, 1.2, 0.9}};
}

inline std::vector<Named> exact_shapes() {
  return {{"plane", floor_plane},  {"box", plain_box}, {"rounded", rounded_box}, {"sphere", ball},
          {"cylinder", drum},      {"capsule", pill},  {"ellipsoid", egg},       {"lens", lens},
          {"cone", hat},           {"frustum", cup},   {"torus", ring},          {"disc", plate},
          {"placed", turned(drum)}};
}

inline std::vector<Named> all_shapes() {
  std::vector<Named> shapes = exact_shapes();
  shapes.push_back({"union", Union{{plain_box, ball, pill}}});
  shapes.push_back({"intersect", Intersect{{rounded_box, ball}}});
  shapes.push_back({"minus", Minus{{plain_box, pill, drum}}});
  shapes.push_back({"sheet", sheet});
  shapes.push_back({"stretched", stretched(drum)});
  shapes.push_back({"stretched ellipsoid", stretched(egg)});
  shapes.push_back({"nested", turned(Minus{{Union{{ball, pill}}, turned(plain_box)}})});
  return shapes;
}

inline Vec3<double> unit(const Vec3<double>& v) { return (1 / norm(v)) * v; }

// two unit vectors at right angles to a unit vector and to each other
inline std::pair<Vec3<double>, Vec3<double>> frame(const Vec3<double>& a) {
  const Vec3<double> u = unit(cross(a, std::abs(a.x) < 0.9 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0}));
  return {u, cross(a, u)};
}

}  // namespace dollop::test
