#include "solvers/rheometer/rheometer.h"

#include <algorithm>
#include <cmath>

#include "core/assert.h"
#include "solvers/rheometer/material_point.h"
#include "solvers/rheometer/stress_record.h"

namespace dollop {
namespace {

// dt grad v of a step, which preserves volume
std::array<double, 9> gradient_of(Flow flow, double strain) {
  if (flow == Flow::shear) return shear_increment(strain);
  const double along = std::expm1(strain), across = std::expm1(-strain / 2);
  return {along, 0, 0, 0, across, 0, 0, 0, across};
}

// strains at which a test of a solid stops, if it was not told
double solid_strain(Flow flow) { return flow == Flow::shear ? 100 : 20; }

// A fluid that is stretched faster than it relaxes gets ever stiffer, until its strain is beyond what a number can hold:
// that would look steady.
bool has_run_away(Flow flow, double strain, const PointStress& s, double shear_modulus) {
  return flow == Flow::extension && strain > solid_strain(flow) &&
         std::fabs(s.normal_difference()) > 1000 * shear_modulus;
}

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
    if (!s.finite() || has_run_away(flow, found.strain, s, point.stiffness().shear / 2)) break;
    found.normal_difference = s.normal_difference();
    found.stress = flow == Flow::shear ? s.s12 : found.normal_difference;
    found.strain = is_cut ? max_strain : double(step) * dt * rate;
    record.add(found.strain, found.stress, found.normal_difference);
    found.steady = step % every == 0 && record.steady();
    if (found.steady) break;
  }
  return found;
}

// Where a test stops at the latest, if it was not told. A fluid becomes steady at some strain, after many relaxation times
// in fast flow; a solid never does, unless it yields. A fluid is what loses part of its stress at constant shape in that
// time, or in the longest step that its law allows.
double largest_strain(const Material& material, Flow flow, double rate) {
  const double solid = solid_strain(flow), fluid = 20 * solid;
  MaterialPoint point = sheared_at_once(material, 1, fluid / rate);
  const double stress = point.stress().s12;
  point.set_dt(std::min(fluid / rate, point.stiffness().longest_step));
  point.advance({});
  return point.stress().s12 < 0.75 * stress ? fluid : solid;
}

}  // namespace

RheometerPoint steady_flow(const Material& material, Flow flow, double rate, const FlowOptions& options) {
  DOLLOP_ASSERT(rate > 0 && options.dt >= 0);
  MaterialPoint point(material);
  const double limit = options.max_strain > 0 ? options.max_strain : largest_strain(material, flow, rate);
  const double max_strain = std::min(limit, options.max_time * rate);
  const double small = std::min(strain_step / rate, point.stiffness().longest_step);
  RheometerPoint coarse = approach(point, flow, rate, options.dt > 0 ? options.dt : small, max_strain);
  coarse.out_of_time = !coarse.steady && max_strain < limit && coarse.strain > max_strain * (1 - 1e-9);
  if (options.dt > 0 || !coarse.steady) return coarse;
  RheometerPoint fine = approach(point, flow, rate, small / 2, max_strain);
  // Richardson extrapolation: the error is first order in the step, so the result is second order
  fine.stress = 2 * fine.stress - coarse.stress;
  fine.normal_difference = 2 * fine.normal_difference - coarse.normal_difference;
  fine.strain = coarse.strain;
  return fine;
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
