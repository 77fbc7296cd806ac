// Overrides of the command line, such as "materials.foam.yield_stress=31.9".
#pragma once

#include "scene/document.h"

namespace dollop {

// A scene may have tables [variants.NAME] with values that replace others if an override is "variant=NAME". Removes these
// tables from the tree and merges the chosen ones, before all other overrides. Throws SceneError.
void apply_variant(Document& document);

// Merges override number `number` of the document into its tree. Throws SceneError.
void apply_override(Document& document, int number);

}  // namespace dollop
