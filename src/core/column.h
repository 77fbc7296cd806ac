// A named quantity of a group of particles: arrays `first` to `first + components - 1` of the group.
#pragma once

#include <string>

namespace dollop {

struct Column {
  std::string name;
  int components, first;
};

}  // namespace dollop
