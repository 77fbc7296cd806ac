// One named quantity of a group of particles: `components` arrays from `first` on.
#pragma once

#include <string>

namespace dollop {

struct Column {
  std::string name;
  int components, first;
};

}  // namespace dollop
