// The normalised density of the particles as a smooth field: about 1 within the material, 1/2 on its surface, 0
// outside. Derivation: docs/surfaces.md.
#pragma once

#include "surface/spline_field.h"

namespace dollop {

// The sum of w_p K(x - x_p). The kernel K has the standard deviation `width` [m] along each axis, or a wider one if the
// voxels are too coarse for that; w: a volume for each of the sorted particles [m^3].
SplineField splat(const SortedPoints& points, const std::vector<float>& weights, double width);

// The values of the field at the particles.
std::vector<float> sample(const SplineField& field, const SortedPoints& points);

// The factor of a particle's weight that corrects the density at the particle. Low densities are raised to about
// `target`, by (1 + (target / density)^6)^(1/6), so that isolated particles, threads and sheets keep about their
// volume; densities above the range are lowered. `size` is the particle's volume over that of a typical one.
float weight_factor(float density, float size, float target);

// This factor for each of the sorted particles.
std::vector<float> weight_factors(const SurfacePoints& points, const SortedPoints& sorted);

// The density with corrected weights: without the correction, threads, sheets and crumbs would be blurred away.
SplineField make_density(const SurfacePoints& points, const SortedPoints& sorted);

}  // namespace dollop
