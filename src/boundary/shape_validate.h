// Checks of shape and collider definitions, for the edge of the program: everything behind it relies on them.
#pragma once

#include <dollop/colliders.h>
#include <dollop/shapes.h>

#include <string>

namespace dollop {

// What is wrong with a definition, such as "sphere: radius must be positive, it is -1"; empty if nothing is.
std::string validate(const Shape& shape);
std::string validate(const Collider& collider);

}  // namespace dollop
