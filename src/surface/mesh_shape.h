// Geometry of a closed triangle mesh: normals, volume, and smoothing without shrinkage.
#pragma once

#include "io/surface_mesh.h"

namespace dollop {

// The one-rings: next[i] and last[i], first[v] <= i < first[v + 1], are the other two corners of each triangle around
// vertex v, in the triangle's orientation. On a closed mesh, next lists every neighbour of v once.
struct VertexRings {
  std::vector<std::uint32_t> first = {}, next = {}, last = {};
};
VertexRings vertex_rings(const SurfaceMesh& mesh);

// Sets the vertex normals: the area-weighted mean of the normals of the triangles around each vertex.
void find_normals(const VertexRings& rings, SurfaceMesh& mesh);

struct MeshMeasure {
  double volume = 0;  // enclosed [m^3]
  double area = 0;    // [m^2]
};
MeshMeasure measure(const SurfaceMesh& mesh);

// Taubin's low-pass filter (1995): removes variations from vertex to vertex and keeps features longer than about ten
// edges.
void smooth_mesh(const VertexRings& rings, int passes, SurfaceMesh& mesh);

// Offsets the surface along its normals, by at most `max_offset`, until it encloses `volume`; sets the normals.
void fit_volume(const VertexRings& rings, double volume, double max_offset, SurfaceMesh& mesh);

}  // namespace dollop
