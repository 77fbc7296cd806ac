// Seeds the bodies of a scene with particles.
#pragma once

#include "solvers/setup/setup.h"

namespace dollop {

// Seeds one body and appends its particles, layer by layer. Throws SceneError if it holds no particle.
template <class S>
void add_body(const Setup<S>& setup, std::size_t index, State<S>& state);

}  // namespace dollop
