// The look of a material, which decides whether it is drawn as one sphere per particle, as a surface, or not at all.
#pragma once

#include <dollop/scene.h>

#include <string_view>

namespace dollop {

// the material's own look, or else the default of its model
std::string_view look_of(const Material& material);
bool shown_as_grains(const Material& material);
bool hidden(std::string_view look);
bool shown_as_density(const Material& material);  // in traced pictures; elsewhere as a surface

}  // namespace dollop
