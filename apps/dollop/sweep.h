// --sweep: all combinations of the values given for some keys.
#pragma once

#include <string>
#include <vector>

namespace dollop {

struct SweepPoint {
  std::string name;                    // of its folder, such as "yield_stress=300"; empty: nothing is swept
  std::vector<std::string> overrides;  // "key=value"
};

// From "key=a,b,c"; commas inside brackets, braces and quotes do not separate. Throws SceneError.
std::vector<SweepPoint> sweep_points(const std::vector<std::string>& sweeps);

}  // namespace dollop
