// Checks of shape and collider definitions where they enter the program: all other code relies on them.
#pragma once

#include <dollop/colliders.h>
#include <dollop/shapes.h>

#include <string>

namespace dollop {

// The fault in a definition, such as "sphere: radius must be positive, it is -1"; empty if the definition is valid.
std::string validate(const Shape& shape);
std::string validate_solid(const Shape& shape);  // the same for a shape that must have an inside
std::string validate(const Collider& collider);  // its shape, which must be solid, friction, motion, times

bool changes_form(const Shape& shape);  // whether the shape deforms: whether it contains a mesh sequence

// The same for a shape to fill with particles: it must be bounded, have an inside, and not deform.
std::string validate_body_shape(const Shape& shape);

// The same for the shape of an emitter: the shape of a body, or a disc without thickness, placed or not.
std::string validate_emitter_shape(const Shape& shape);

}  // namespace dollop
