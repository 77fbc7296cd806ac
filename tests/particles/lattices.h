// Deformed lattices with one particle per cell of width r, in a store, for the tests of resampling.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/random.h"
#include "particles/dart_throwing.h"
#include "particles/particle_store.h"

namespace dollop::lattices {

inline constexpr double r = 0.005;  // half a grid cell [m]

struct Deformation {
  std::array<double, 9> f{1, 0, 0, 0, 1, 0, 0, 0, 1};
  Double3 shift{};  // [r]
};
inline Deformation stretch(double a) { return {{a, 0, 0, 0, 1, 0, 0, 0, 1}, {}}; }
inline Deformation isochoric(double a, const Double3& shift = {}) {
  const double b = 1 / std::sqrt(a);
  return {{a, 0, 0, 0, b, 0, 0, 0, b}, shift};
}
inline Deformation shear(double k) { return {{1, k, 0, 0, 1, 0, 0, 0, 1}, {}}; }

inline BlockSpace space(const BlockCoord& period = {0, 0, 0}) { return {2 * r, {0, 0, 0}, period}; }

// a block of nx * ny * nz points around the origin, each in the middle of its cell [m]
inline std::vector<Double3> block(int nx, int ny, int nz, const Deformation& how = {}) {
  std::vector<Double3> places;
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j)
      for (int k = 0; k < nz; ++k) {
        const Double3 x{i + 0.5 - nx / 2, j + 0.5 - ny / 2, k + 0.5 - nz / 2};
        Double3 y;
        for (std::size_t d = 0; d < 3; ++d)
          y[d] = r * (how.f[3 * d] * x[0] + how.f[3 * d + 1] * x[1] + how.f[3 * d + 2] * x[2] + how.shift[d]);
        places.push_back(y);
      }
  return places;
}
inline std::vector<Double3> cube(int n, const Deformation& how = {}) { return block(n, n, n, how); }

template <class S>
ParticleStore<S> store_of(const std::vector<Double3>& places, const BlockSpace& where = space()) {
  ParticleStore<S> store(where, 1);
  store.add_group(0, {}, {});
  store.append(0, places.data(), places.size());
  EXPECT_FALSE(store.sort());
  return store;
}

inline double square(const Double3& a, const Double3& b) {
  return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
}
inline double nearest(const Double3& x, const std::vector<Double3>& points) {  // [m]
  double least = 1e30;
  for (const Double3& p : points) least = std::min(least, square(x, p));
  return std::sqrt(least);
}

inline bool nowhere(const Double3&) { return false; }

// the positions of the darts of one call for the particles of a store [m]
template <class S>
std::vector<Double3> darts(const ParticleStore<S>& store, const DartOptions& options,
                           const std::function<bool(const Double3&)>& blocked = nowhere) {
  const ParticleCells cells(store);
  const SphereDistance distance(cells, DistanceUse::depth);
  std::vector<Double3> places;
  for (const Dart& d : throw_darts(cells, distance, blocked, options))
    places.push_back(to_place(store.space(), cells.bricks().coord(d.brick), d.x));
  return places;
}

}  // namespace dollop::lattices
