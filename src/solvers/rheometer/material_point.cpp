#include "solvers/rheometer/material_point.h"

#include <fmt/format.h>

#include <cmath>

#include "core/assert.h"
#include "core/denormals.h"

namespace dollop {

bool PointStress::finite() const { return std::isfinite(s11) && std::isfinite(s22) && std::isfinite(s12); }

MaterialPoint::MaterialPoint(const Material& material) {
  const int index = find_model(material.model);
  if (index < 0) throw SceneError(fmt::format("'{}' is not a model; see `dollop materials`", material.model));
  const ModelInfo& model = models()[std::size_t(index)];
  kernels_ = best_instruction_set().loops<double>().material(index, false);
  parameters_ = resolve_parameters(model, material.parameters);
  stiffness_ = model.stiffness(parameters_.data());
  kernels_->make_law(parameters_.data(), law_.data());
  std::size_t count = 0;
  for (const Column& column : model.columns) count += std::size_t(column.components);
  columns_.resize(count);
  for (auto& column : columns_) column.resize(1);
}

void MaterialPoint::set_dt(double dt) { kernels_->make_step_law(parameters_.data(), dt, step_law_.data()); }

void MaterialPoint::advance(const std::array<double, 9>& increment) {
  const FlushDenormals flush;
  alignas(64) double du[9 * advance_size] = {};
  for (std::size_t k = 0; k < 9; ++k) du[k * advance_size] = increment[k];
  const auto state = pointers();
  kernels_->advance(step_law_.data(), du, state.data(), 0, 1);
}

PointStress MaterialPoint::stress() {  // tau / J
  const FlushDenormals flush;
  alignas(64) double tau[6 * chunk_size], j[chunk_size];
  const auto state = pointers();
  kernels_->stress(law_.data(), state.data(), 0, tau);
  kernels_->volume_ratio(law_.data(), state.data(), 0, j);
  return {tau[0] / j[0], tau[chunk_size] / j[0], tau[3 * chunk_size] / j[0]};
}

std::array<double*, MaterialPoint::max_columns> MaterialPoint::pointers() {
  DOLLOP_ASSERT(columns_.size() <= max_columns);
  std::array<double*, max_columns> p{};
  for (std::size_t k = 0; k < columns_.size(); ++k) p[k] = columns_[k].data();
  return p;
}

MaterialPoint sheared_at_once(const Material& material, double strain, double time) {
  MaterialPoint point(material);
  const int steps = int(std::ceil(strain / strain_step));
  point.set_dt(1e-12 * time / steps);
  for (int k = 0; k < steps; ++k) point.advance(shear_increment(strain / steps));
  point.advance({});  // a viscous stress would be that of the shear rate, which is over
  return point;
}

}  // namespace dollop
