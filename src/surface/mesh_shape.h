// The shape of a closed triangle mesh: its normals, its volume, and how to smooth it without shrinking it.
#pragma once

#include "io/surface_mesh.h"

namespace dollop {

// The triangles around each vertex: next[i] and last[i], first[v] <= i < first[v + 1], are the other two corners of one
// of them, in its order. On a closed mesh next lists every neighbour of v once.
struct VertexRings {
  std::vector<std::uint32_t> first = {}, next = {}, last = {};
};
VertexRings vertex_rings(const SurfaceMesh& mesh);

// Replaces the normals: sums of those of the triangles around a vertex, weighted by area.
void find_normals(const VertexRings& rings, SurfaceMesh& mesh);

struct MeshMeasure {
  double volume = 0;  // enclosed [m^3]
  double area = 0;    // [m^2]
};
MeshMeasure measure(const SurfaceMesh& mesh);

// Taubin's filter (1995): removes what varies from vertex to vertex and keeps what is longer than about ten edges.
void smooth_mesh(const VertexRings& rings, int rounds, SurfaceMesh& mesh);

// Moves the surface evenly along its normals until it encloses `volume`, but by no more than `largest`; finds the
// normals.
void fit_volume(const VertexRings& rings, double volume, double largest, SurfaceMesh& mesh);

}  // namespace dollop
