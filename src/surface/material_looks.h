// The look of a material, and what it decides: a ball for every particle, a part of the surface, or nothing.
#pragma once

#include <dollop/scene.h>

#include <string_view>

namespace dollop {

// its own, or that of its model
std::string_view look_of(const Material& material);
bool shown_as_grains(const Material& material);
bool hidden(std::string_view look);

}  // namespace dollop
