// Values that the command line puts into a scene: "materials.foam.yield_stress=31.9".
#pragma once

#include "scene/document.h"

namespace dollop {

// A scene may hold [variants.NAME]: values that replace others when the override "variant=NAME" asks for them. Takes the
// table out of the tree; all overrides are merged after that. Throws SceneError.
void apply_variant(Document& document);

// Merges override number `number` of the document into its tree. Throws SceneError.
void apply_override(Document& document, int number);

}  // namespace dollop
