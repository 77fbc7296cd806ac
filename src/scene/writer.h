// Writes scenes as TOML that reads back to the same scene.
#pragma once

#include <dollop/scene.h>

#include "scene/key.h"

namespace dollop {

// The value of a key as TOML; empty if there is nothing to write, such as an infinite time.
std::string value_text(const Slot& slot, const Key& key);
std::string number_text(double value);  // the shortest decimal that reads back to this double
std::string quoted(const std::string& text);
std::string shape_text(const Shape& shape);

std::string write_scene(const Scene& scene);

}  // namespace dollop
