// A material drawn as a participating medium: the density of its particles, with pores, which scatters light everywhere
// along a ray. Description: docs/pictures.md.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "render/solids.h"
#include "surface/surface_points.h"

namespace dollop {

class Medium {
 public:
  // `ids`: of all particles of the frame, which choose the pores; empty: their numbers do. `optical_depth`: of one particle
  // spacing of the full density. `color`: linear, that of a large body in white light.
  Medium(const SurfacePoints& points, const std::vector<std::uint64_t>& ids, double optical_depth,
         const Vec3<float>& color);

  // Where the optical depth along the ray from its near end reaches `target`, and the depth at its end otherwise.
  struct Passage {
    bool stopped = false;
    float t = 0;      // ray parameter
    float depth = 0;  // optical depth
  };
  Passage follow(const Ray& ray, float target) const;

  float density_at(const Vec3<float>& x) const;  // with pores: from 0 to 1
  // The density without pores: 1/2 on the surface of a large body, 1 deep below it.
  float burial(const Vec3<float>& x) const;
  const Vec3<float>& scattering_albedo() const { return albedo_; }
  const Vec3<float>& color() const { return color_; }

 private:
  // Nodes in bricks. A brick repeats the first nodes of the next bricks.
  static constexpr int cells = 16, side = cells + 1, nodes = side * side * side;  // z runs fastest
  using Number = std::array<std::int32_t, 3>;  // of a brick of the table along each axis, from 0
  // The cell around a point.
  struct Place {
    std::int32_t brick = -1;  // -1: nothing there
    std::size_t node = 0;
    Vec3<float> part{0, 0, 0};
  };

  void lay_out(const SurfacePoints& points);
  void cut_pores(const SurfacePoints& points, const std::vector<std::uint64_t>& ids);
  void drop_empty_bricks();
  Vec3<float> in_voxels(const Vec3<float>& x) const;  // from the first node of the table
  std::size_t entry_of(const Number& b) const;        // in the table
  Place place_of(const Vec3<float>& g) const;         // g: in voxels
  static float interpolated(const std::vector<float>& field, const Place& place);

  Vec3<float> color_, albedo_;
  float extinction_ = 0;                           // of the full density [1/m]
  float voxel_ = 1;                                // [m]
  Vec3<double> low_{0, 0, 0};                      // the first node of the table [m]
  Number count_{};                                 // bricks of the table
  std::vector<std::int32_t> brick_ = {};           // number of the data of each brick; -1: none
  std::vector<float> density_ = {}, burial_ = {};  // [brick][node]
};

}  // namespace dollop
