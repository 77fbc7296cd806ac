// Checks of shape and collider definitions, for the edge of the program: everything behind it relies on them.
#pragma once

#include <dollop/colliders.h>
#include <dollop/shapes.h>

#include <string>

namespace dollop {

// What is wrong with a definition, such as "sphere: radius must be positive, it is -1"; empty if nothing is.
std::string validate(const Shape& shape);
std::string validate_solid(const Shape& shape);  // the same for one that must have an inside
std::string validate(const Collider& collider);  // its shape, which must be solid, friction and motion

bool changes_form(const Shape& shape);  // as mesh sequences do

// The same for a shape to fill with particles: bounded, with an inside, and of one form at all times.
std::string validate_body_shape(const Shape& shape);

// The same for a shape that emits: that of a body, or a disc without thickness, placed or not.
std::string validate_emitter_shape(const Shape& shape);

}  // namespace dollop
