#include "solvers/rheometer/rheometer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/aligned_array.h"
#include "core/assert.h"
#include "core/denormals.h"
#include "grid/kernels.h"
#include "materials/registry.h"

namespace dollop {
namespace {

constexpr double strain_step = 1e-3;    // rate dt; the error of the scheme is first order in it
constexpr double steady_change = 1e-6;  // relative change of the stress that counts as steady
constexpr double least_window = 0.5;    // strain over which the stress must be steady
constexpr double sample_strain = 1 / 32.;

// The state of one particle, and the loops of its model in double precision.
class MaterialPoint {
 public:
  explicit MaterialPoint(const Material& material) {
    const int index = find_model(material.model);
    if (index < 0)
      throw SceneError(fmt::format("'{}' is not a model; see `dollop materials`", material.model));
    const ModelInfo& model = models()[std::size_t(index)];
    kernels_ = best_instruction_set().loops<double>().material(index, false);
    parameters_ = resolve_parameters(model, material.parameters);
    kernels_->make_law(parameters_.data(), law_.data());
    std::size_t count = 0;
    for (const Column& column : model.columns) count += std::size_t(column.components);
    columns_.resize(count);
    for (auto& column : columns_) column.resize(1);
  }

  void set_dt(double dt) { kernels_->make_step_law(parameters_.data(), dt, step_law_.data()); }

  // one step of dt grad v
  void advance(const std::array<double, 9>& gradient) {
    const FlushDenormals flush;
    alignas(64) double du[9 * advance_size] = {};
    for (std::size_t k = 0; k < 9; ++k) du[k * advance_size] = gradient[k];
    const auto state = pointers();
    kernels_->advance(step_law_.data(), du, state.data(), 0, 1);
  }

  struct Stress {
    double s11, s22, s12;
    bool finite() const { return std::isfinite(s11) && std::isfinite(s22) && std::isfinite(s12); }
  };
  Stress stress() {  // Cauchy: tau / J
    const FlushDenormals flush;
    alignas(64) double tau[6 * chunk_size], j[chunk_size];
    const auto state = pointers();
    kernels_->stress(law_.data(), state.data(), 0, tau);
    kernels_->volume_ratio(law_.data(), state.data(), 0, j);
    return {tau[0] / j[0], tau[chunk_size] / j[0], tau[3 * chunk_size] / j[0]};
  }

 private:
  static constexpr std::size_t max_columns = 64;
  std::array<double*, max_columns> pointers() {
    DOLLOP_ASSERT(columns_.size() <= max_columns);
    std::array<double*, max_columns> p{};
    for (std::size_t k = 0; k < columns_.size(); ++k) p[k] = columns_[k].data();
    return p;
  }

  const MaterialKernels<double>* kernels_;
  std::vector<double> parameters_;
  std::vector<AlignedArray<double>> columns_;
  LawBytes law_, step_law_;
};

// dt grad v of a step, which preserves volume
std::array<double, 9> gradient_of(Flow flow, double strain) {
  if (flow == Flow::shear) return {0, strain, 0, 0, 0, 0, 0, 0, 0};
  const double along = std::expm1(strain), across = std::expm1(-strain / 2);
  return {along, 0, 0, 0, across, 0, 0, 0, across};
}

// The history of the stress, and whether it has become steady.
class StressRecord {
 public:
  void add(double strain, double stress, double normal) { samples_.push_back({strain, stress, normal}); }

  // the window is the last strain of 0.5, or the last third of the strain if longer: slow changes need long windows
  bool steady() {
    if (samples_.size() < next_check_) return false;
    next_check_ = samples_.size() + 1 + samples_.size() / 50;  // long windows are checked less often
    const Sample& last = samples_.back();
    const double begin = last.strain - std::max(least_window, last.strain / 3);
    if (begin <= 0) return false;
    double least = last.stress, most = last.stress, least_n = last.normal, most_n = last.normal;
    int count = 0;
    for (auto s = samples_.rbegin(); s != samples_.rend() && s->strain >= begin; ++s, ++count) {
      least = std::min(least, s->stress), most = std::max(most, s->stress);
      least_n = std::min(least_n, s->normal), most_n = std::max(most_n, s->normal);
    }
    const double size = std::max(std::fabs(least), std::fabs(most));
    return count >= 8 && most - least <= steady_change * size &&
           most_n - least_n <= steady_change * (size + std::fabs(most_n));
  }

 private:
  struct Sample {
    double strain, stress, normal;
  };
  std::vector<Sample> samples_;
  std::size_t next_check_ = 0;
};

// deforms the point further in steps of one size until the stress is steady or `max_strain` is reached; the last step
// may be shorter
RheometerPoint approach(MaterialPoint& point, Flow flow, double rate, double dt, double max_strain) {
  point.set_dt(dt);
  const std::array<double, 9> gradient = gradient_of(flow, rate * dt);
  const std::int64_t every = std::max<std::int64_t>(1, std::llround(sample_strain / (rate * dt)));
  const double step_limit = std::min(std::ceil(max_strain / (rate * dt) * (1 - 1e-12)), most_flow_steps);
  const double last_strain = max_strain - (step_limit - 1) * rate * dt;  // of the last step
  StressRecord record;
  RheometerPoint found{.rate = rate};
  for (std::int64_t step = 1; double(step) <= step_limit; ++step) {
    const bool is_cut = double(step) == step_limit && last_strain < rate * dt * (1 - 1e-9);
    if (is_cut) point.set_dt(last_strain / rate);
    point.advance(is_cut ? gradient_of(flow, last_strain) : gradient);
    if (step % every != 0 && double(step + 1) <= step_limit) continue;
    const auto s = point.stress();
    if (!s.finite()) break;
    found.normal_difference = s.s11 - s.s22;
    found.stress = flow == Flow::shear ? s.s12 : found.normal_difference;
    found.strain = is_cut ? max_strain : double(step) * dt * rate;
    record.add(found.strain, found.stress, found.normal_difference);
    found.steady = step % every == 0 && record.steady();
    if (found.steady) break;
  }
  return found;
}

// the stress after each time, in steps of at most 1/resolution of the time
std::vector<double> relax(MaterialPoint point, const std::vector<double>& times, int resolution) {
  std::vector<double> stress;
  double before = 0;
  for (const double time : times) {
    // long intervals in pieces, so that steps grow with time
    const int pieces = before > 0 ? std::max(1, int(std::ceil(std::log2(time / before)))) : 1;
    const double start = before;
    for (int piece = 1; piece <= pieces; ++piece) {
      const double end = piece == pieces ? time : start * std::pow(time / start, double(piece) / pieces);
      const double smallest = before > 0 ? before : end;
      const int steps = std::max(1, int(std::ceil(resolution * (end - before) / smallest)));
      point.set_dt((end - before) / steps);
      for (int k = 0; k < steps; ++k) point.advance({});
      before = end;
    }
    stress.push_back(point.stress().s12);
  }
  return stress;
}

}  // namespace

RheometerPoint steady_flow(const Material& material, Flow flow, double rate, const FlowOptions& options) {
  DOLLOP_ASSERT(rate > 0 && options.dt >= 0);
  MaterialPoint point(material);
  const double limit = options.max_strain > 0 ? options.max_strain : flow == Flow::shear ? 100 : 20;
  const double max_strain = std::min(limit, options.max_time * rate);
  RheometerPoint coarse =
      approach(point, flow, rate, options.dt > 0 ? options.dt : strain_step / rate, max_strain);
  coarse.out_of_time = !coarse.steady && max_strain < limit && coarse.strain > max_strain * (1 - 1e-9);
  if (options.dt > 0 || !coarse.steady) return coarse;
  RheometerPoint fine = approach(point, flow, rate, strain_step / rate / 2, max_strain);
  // Richardson extrapolation: the error is first order in the step, so the result is second order
  fine.stress = 2 * fine.stress - coarse.stress;
  fine.normal_difference = 2 * fine.normal_difference - coarse.normal_difference;
  fine.strain = coarse.strain;
  return fine;
}

std::vector<RelaxationPoint> relaxation(const Material& material, const RelaxationOptions& options) {
  DOLLOP_ASSERT(!options.times.empty() && options.times.front() > 0 && options.strain > 0);
  // shear in small steps within a negligible time, so that instantaneous plastic flow follows the path
  MaterialPoint point(material);
  const int steps = int(std::ceil(options.strain / strain_step));
  point.set_dt(1e-12 * options.times.front() / steps);
  for (int k = 0; k < steps; ++k) point.advance(gradient_of(Flow::shear, options.strain / steps));

  std::vector<RelaxationPoint> points;
  if (options.dt > 0) {
    point.set_dt(options.dt);
    std::int64_t done = 0;
    for (const double time : options.times) {
      const std::int64_t until = std::llround(time / options.dt);
      for (; done < until; ++done) point.advance({});
      points.push_back({double(done) * options.dt, point.stress().s12});
    }
    return points;
  }
  constexpr int resolution = 400;
  const std::vector<double> coarse = relax(point, options.times, resolution);
  const std::vector<double> fine = relax(point, options.times, 2 * resolution);
  for (std::size_t i = 0; i < fine.size(); ++i) points.push_back({options.times[i], 2 * fine[i] - coarse[i]});
  return points;
}

std::vector<double> logarithmic_range(double first, double last, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i)
    values.push_back(i == 0           ? first
                     : i == count - 1 ? last
                                      : first * std::pow(last / first, double(i) / (count - 1)));
  return values;
}

}  // namespace dollop
