// When the stress of a flow at a constant rate has become steady.
#pragma once

#include <cstddef>
#include <vector>

namespace dollop {

// Strain between two samples of a record.
inline constexpr double sample_strain = 1 / 32.;

// The history of the stress, and whether it has become steady.
class StressRecord {
 public:
  void add(double strain, double stress, double normal) { samples_.push_back({strain, stress, normal}); }

  // The window is the last strain of 0.5, or the last third of the strain if longer: slow changes need long windows.
  bool steady();

 private:
  struct Sample {
    double strain, stress, normal;
  };
  std::vector<Sample> samples_;
  std::size_t next_check_ = 0;
};

}  // namespace dollop
