#include "surface/surface.h"

#include <algorithm>
#include <cmath>

#include "surface/density.h"
#include "surface/iso_surface.h"
#include "surface/kernels.h"
#include "surface/mesh_shape.h"
#include "surface/smooth_spheres.h"
#include "surface/vertex_attributes.h"

namespace dollop {
namespace {

constexpr float level = 0.5f;         // isovalue: the density on the surface of a large body
constexpr int smoothing_passes = 10;  // of Taubin's filter
constexpr int max_refine = 8;         // mesh cells per voxel of the field, along each axis

// The width of the field's voxels, and the number of mesh cells per voxel along each axis.
struct Resolution {
  double voxel;  // [m]
  int refine;
};

// The largest voxel width that resolves the field; finer voxels add nothing [m].
double max_voxel(const SurfacePoints& points, SurfaceMethod method) {
  return (method == SurfaceMethod::fast ? 1 : 0.5) * points.spacing;
}

// Cells are half a spacing wide unless the options set another width; a voxel has at least `min_refine` of them.
Resolution resolution_of(const SurfacePoints& points, const SurfaceOptions& options, int min_refine) {
  const double cell =
      options.cell > 0 ? std::max(options.cell, finest_cell(points, options.method)) : points.spacing / 2;
  // a little slack: particles that are slightly farther apart than the cells expect need no coarser field
  const int wanted = int(std::ceil(max_voxel(points, options.method) / cell - 0.25));
  const int refine = std::clamp(wanted, min_refine, max_refine);
  return {refine * cell, refine};
}

SurfaceMesh mesh_of(const SurfacePoints& points, const SurfaceOptions& options) {
  switch (options.method) {
    case SurfaceMethod::smooth: {
      const Resolution r = resolution_of(points, options, 1);
      return extract_surface(smooth_spheres(points, r.voxel), r.refine, level);
    }
    case SurfaceMethod::sharp: {
      const Resolution r = resolution_of(points, options, 1);
      return extract_surface(make_sharp_density(points, r.voxel), r.refine, level);
    }
    case SurfaceMethod::fast:
      break;
  }
  const Resolution r = resolution_of(points, options, 2);
  return extract_surface(make_density(points, sort_points(points, r.voxel)), r.refine, level);
}

}  // namespace

SurfaceMesh make_surface(const ParticleFrame& frame, const SurfaceOptions& options) {
  const SurfacePoints points = collect_points(frame, options);
  SurfaceMesh mesh;
  if (!points.empty()) {
    mesh = mesh_of(points, options);
    const VertexRings rings = vertex_rings(mesh);
    smooth_mesh(rings, smoothing_passes, mesh);
    fit_volume(rings, points.total_volume, std::max(points.spacing / 2, options.cell), mesh);
  }
  mesh.time = frame.time;
  interpolate_attributes(frame, points, options, mesh);
  return mesh;
}

double finest_cell(const SurfacePoints& points, SurfaceMethod method) {
  return max_voxel(points, method) / max_refine;
}

double enclosed_volume(const SurfaceMesh& mesh) { return measure(mesh).volume; }

}  // namespace dollop
