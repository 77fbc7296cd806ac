// The density of the particles as a smooth field: about 1 within the material, about 1/2 on its surface, 0 outside.
// Derivation: docs/surfaces.md.
#pragma once

#include "surface/spline_field.h"

namespace dollop {

// sum of w_p K(x - x_p), where the kernel K has the standard deviation `width` [m] along each axis, or that of the
// voxels where they are too coarse; w: a volume for each of the sorted particles [m^3]
SplineField splat(const SortedPoints& points, const std::vector<float>& weights, double width);

// The field at the particles.
std::vector<float> sample(const SplineField& field, const SortedPoints& points);

// The factor of the weight of a particle: raises it until the density at the particle is about `least`, by
// (1 + (least / density)^6)^(1/6), so that the surface of lone particles, threads and sheets lies about where their
// volume puts it; lowers it where particles crowd. `size`: the particle's volume in that of a typical one.
float boost(float density, float size, float least);

// This factor for each of the sorted particles.
std::vector<float> boosts(const SurfacePoints& points, const SortedPoints& sorted);

// The density, with more weight for particles that few others surround: those of threads, sheets and crumbs would
// otherwise be blurred away.
SplineField make_density(const SurfacePoints& points, const SortedPoints& sorted);

}  // namespace dollop
