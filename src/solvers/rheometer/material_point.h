// A material point that is deformed as a whole, without grid or inertia: the sample of the rheometer.
#pragma once

#include <dollop/scene.h>

#include <array>
#include <vector>

#include "core/aligned_array.h"
#include "grid/kernels.h"
#include "materials/registry.h"

namespace dollop {

// Largest change of strain in a step of the rheometer; the error of the scheme is first order in it.
inline constexpr double strain_step = 1e-3;

// Cauchy stress [Pa]
struct PointStress {
  double s11 = 0, s22 = 0, s12 = 0;
  double normal_difference() const { return s11 - s22; }
  bool finite() const;
};

// The state of one particle, and the loops of its model in double precision. Materials that can tear do not tear in it.
class MaterialPoint {
 public:
  explicit MaterialPoint(const Material& material);  // at rest; throws SceneError for an invalid material

  void set_dt(double dt);
  void advance(const std::array<double, 9>& increment);  // one step, by dt grad v
  PointStress stress();                                  // of the state
  const Stiffness& stiffness() const { return stiffness_; }

 private:
  static constexpr std::size_t max_columns = 64;
  std::array<double*, max_columns> pointers();

  const MaterialKernels<double>* kernels_;
  std::vector<double> parameters_;
  Stiffness stiffness_;
  std::vector<AlignedArray<double>> columns_;
  LawBytes law_, step_law_;
};

// A point that was sheared at once: along its path in small steps, but within a negligible part of `time`. What is viscous
// in its stress has gone, what flows plastically at once has flowed.
MaterialPoint sheared_at_once(const Material& material, double strain, double time);

// dt grad v of a step of simple shear
inline std::array<double, 9> shear_increment(double strain) { return {0, strain, 0, 0, 0, 0, 0, 0, 0}; }

}  // namespace dollop
