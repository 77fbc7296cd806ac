// The surface meshes of bodies, for frames and metrics. Theory: docs/theory/embedded_meshes.md.
#pragma once

#include <dollop/simulation.h>

#include <vector>

#include "solvers/setup/setup.h"

namespace dollop {

// copies of all surface meshes as they are shown, with their normals now                                (EMB.5-6)
template <class S>
std::vector<BodyMesh> copy_meshes(const Setup<S>& setup, const State<S>& state);

// how much of each surface mesh spans gaps in the material                                              (EMB.7)
template <class S>
std::vector<MeshGaps> measure_gaps(const Setup<S>& setup, const State<S>& state);

}  // namespace dollop
