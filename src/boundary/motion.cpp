#include "boundary/motion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>
#include <vector>

#include "boundary/expression.h"
#include "boundary/rigid.h"

namespace dollop {
namespace {

using Kind = Animated::Kind;
using V3 = Vec3<double>;

// --- keys --------------------------------------------------------------------------------------------------

struct Value {
  double value, rate;
};

Value between_keys(const Animated& a, double t) {
  const auto after = std::upper_bound(a.keys.begin(), a.keys.end(), t,
                                      [](double time, const Animated::Key& k) { return time < k.time; });
  if (a.keys.empty()) return {0, 0};
  if (after == a.keys.begin()) return {after->value, 0};
  if (after == a.keys.end()) return {a.keys.back().value, 0};
  const Animated::Key &k0 = *(after - 1), &k1 = *after;
  const double s = (t - k0.time) / (k1.time - k0.time), rise = k1.value - k0.value;
  const double slope = rise / (k1.time - k0.time);
  if (a.kind == Kind::linear) return {k0.value + s * rise, slope};          // (BC.15)
  return {k0.value + s * s * (3 - 2 * s) * rise, 6 * s * (1 - s) * slope};  // (BC.15)
}

// --- the rate of an expression -----------------------------------------------------------------------------

// Difference quotients of an expression about a time t, each with an estimate of its rounding error.
class Quotients {
 public:
  Quotients(const std::string& expression, double t) : f_(expression), t_(t), at_t_(evaluate(f_, t)) {}

  enum class Side { both, right, left };
  struct Quotient {
    double value, noise;
  };
  Quotient operator()(double h, Side side) const {
    const double t0 = side == Side::right ? t_ : t_ - h, t1 = side == Side::left ? t_ : t_ + h;
    const double f0 = side == Side::right ? at_t_ : evaluate(f_, t0);
    const double f1 = side == Side::left ? at_t_ : evaluate(f_, t1);
    const double rate = (f1 - f0) / (t1 - t0);
    // rounding of the values, and of the times inside the expression
    const double magnitude = std::max(std::abs(f0), std::abs(f1)) + std::abs(t_ * rate);
    return {rate, 4 * std::numeric_limits<double>::epsilon() * magnitude / h};
  }

  // The difference to use: central where the function is smooth. At a kink or a jump the gap between the one-sided
  // slopes does not shrink with h: then the right side. Where one side has no finite value, the other one.
  Side side(double h) const {
    const auto r = (*this)(h, Side::right), l = (*this)(h, Side::left);
    if (!std::isfinite(l.value)) return Side::right;
    if (!std::isfinite(r.value)) return Side::left;
    const double gap = std::abs(r.value - l.value);
    const double wider = std::abs((*this)(2 * h, Side::right).value - (*this)(2 * h, Side::left).value);
    const bool kink = gap > 0.75 * wider && gap > 10 * (r.noise + l.noise);
    return kink ? Side::right : Side::both;
  }

 private:
  const std::string& f_;
  double t_, at_t_;
};

// Richardson extrapolation to h = 0 of difference quotients; the first has the smallest h, and h doubles each time
template <std::size_t n>
double extrapolate(std::array<double, n> q, double first_power) {
  double power = first_power;  // 2^p, where h^p is the error to remove
  for (std::size_t level = 1; level < n; ++level, power *= first_power)
    for (std::size_t i = 0; i + level < n; ++i) q[i] = (power * q[i] - q[i + 1]) / (power - 1);
  return q[0];
}

// the rate that differs least from its neighbours in the sequence
double most_settled(const std::vector<double>& rates) {
  double best = rates.front(), least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i + 1 < rates.size(); ++i) {
    const double unrest = std::max(std::abs(rates[i] - rates[i - 1]), std::abs(rates[i + 1] - rates[i]));
    if (unrest < least) best = rates[i], least = unrest;
  }
  return best;
}

// A small h resolves the finest detail but amplifies rounding errors, which each doubling halves. So h grows for as
// long as the extrapolated rate agrees with that of the smaller h within the rounding error; of these rates, the one
// that differs least from its neighbours counts.   (BC.16)
double rate_of_expression(const std::string& expression, double t) {
  constexpr std::size_t levels = 6;
  constexpr double smallest = 0x1p-27, largest = 4;  // [s]; 7e-9 s resolves a period of 1e-6 s
  const Quotients quotients(expression, t);
  const Quotients::Side side = quotients.side(smallest);
  const double first_power = side == Quotients::Side::both ? 4 : 2;  // errors: h^2, h^4, ... or h, h^2, ...
  std::array<double, levels> window{}, noise{};
  std::vector<double> rates;
  double tolerance = 0;
  std::size_t count = 0;
  for (double h = smallest; h <= largest; h *= 2) {
    const auto q = quotients(h, side);
    if (!std::isfinite(q.value)) break;
    std::rotate(window.begin(), window.begin() + 1, window.end());
    std::rotate(noise.begin(), noise.begin() + 1, noise.end());
    window.back() = q.value, noise.back() = q.noise;
    if (count == 0) {
      rates.push_back(q.value);
      tolerance = 20 * q.noise + 0.01 * std::abs(q.value);  // not extrapolated
    }
    if (++count < levels) continue;
    const double rate = extrapolate(window, first_power);
    if (std::abs(rate - rates.back()) > tolerance) break;
    if (count == levels) rates.clear();
    rates.push_back(rate);
    tolerance = 20 * noise.front();
  }
  return rates.empty() ? 0 : most_settled(rates);
}

// --- checks --------------------------------------------------------------------------------------------------

std::string validate_keys(const std::vector<Animated::Key>& keys) {
  if (keys.empty()) return "needs one key or more";
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::ostringstream text;
    text << "key " << i + 1 << ": ";
    if (!std::isfinite(keys[i].time) || !std::isfinite(keys[i].value)) {
      text << "time and value must be finite";
      return text.str();
    }
    if (i > 0 && keys[i].time <= keys[i - 1].time) {
      text << "its time " << keys[i].time << " is not after " << keys[i - 1].time << ", the time of key " << i
           << "; put the keys in order";
      return text.str();
    }
  }
  return {};
}

template <class F>
Double3 each(const Animated3& a, F&& f) {
  return {f(a.x), f(a.y), f(a.z)};
}

}  // namespace

double value_at(const Animated& a, double t) {
  switch (a.kind) {
    case Kind::constant:
      return a.value;
    case Kind::linear:
    case Kind::smooth:
      return between_keys(a, t).value;
    case Kind::expression:
      break;
  }
  return evaluate(a.expression, t);
}

double rate_at(const Animated& a, double t) {
  switch (a.kind) {
    case Kind::constant:
      return 0;
    case Kind::linear:
    case Kind::smooth:
      return between_keys(a, t).rate;
    case Kind::expression:
      break;
  }
  if (!depends_on_time(a.expression)) return 0;
  return recent_rates(a.expression).at(t, [&] { return rate_of_expression(a.expression, t); });
}

Double3 value_at(const Animated3& a, double t) {
  return each(a, [&](const Animated& c) { return value_at(c, t); });
}
Double3 rate_at(const Animated3& a, double t) {
  return each(a, [&](const Animated& c) { return rate_at(c, t); });
}

std::string validate(const Animated& a) {
  switch (a.kind) {
    case Kind::constant:
      return std::isfinite(a.value) ? "" : "must be finite";
    case Kind::linear:
    case Kind::smooth:
      return validate_keys(a.keys);
    case Kind::expression:
      break;
  }
  return validate_expression(a.expression);
}

std::string validate(const Animated3& a) {
  const std::array<std::pair<const char*, const Animated*>, 3> parts{
      {{"x: ", &a.x}, {"y: ", &a.y}, {"z: ", &a.z}}};
  for (const auto& [name, part] : parts) {
    const std::string fault = validate(*part);
    if (!fault.empty()) return name + fault;
  }
  return {};
}

bool is_constant(const Motion& motion) {
  const auto constant = [](const Animated3& a) {
    return a.x.kind == Animated::Kind::constant && a.y.kind == Animated::Kind::constant &&
           a.z.kind == Animated::Kind::constant;
  };
  const Double3 zero{0, 0, 0};
  return motion.velocity == zero && motion.angular_velocity == zero && constant(motion.position) &&
         constant(motion.rotation);
}

std::string validate(const Motion& motion) {
  const auto finite = [](const Double3& a) {
    return std::isfinite(a[0]) && std::isfinite(a[1]) && std::isfinite(a[2]);
  };
  if (!finite(motion.velocity)) return "velocity must be finite";
  if (!finite(motion.angular_velocity)) return "angular velocity must be finite";
  if (!finite(motion.pivot)) return "pivot must be finite";
  std::string fault = validate(motion.position);
  if (!fault.empty()) return "position." + fault;
  fault = validate(motion.rotation);
  return fault.empty() ? fault : "rotation." + fault;
}

Rotation rotation_of_angles(const Double3& angles) {
  const auto [a, b, c] = angles;
  return to_array(rotation_by({0, 0, c}) * (rotation_by({0, b, 0}) * rotation_by({a, 0, 0})));
}

Pose pose_at(const Motion& motion, double t) {
  const V3 spin = to_vec(motion.angular_velocity), start = to_vec(motion.pivot);
  const V3 pivot = start + t * to_vec(motion.velocity) + to_vec(value_at(motion.position, t));
  const V3 pivot_velocity = to_vec(motion.velocity) + to_vec(rate_at(motion.position, t));

  // the rotation is S R, with S from the angular velocity and R from the animated angles; the angular velocity of S R
  // is that of S plus that of R rotated by S   (BC.17)
  const Double3 angles = value_at(motion.rotation, t), rates = rate_at(motion.rotation, t);
  const Mat3<double> spun = rotation_by(t * spin);  // (BC.7)
  const Mat3<double> rotation = spun * to_mat(rotation_of_angles(angles));
  const Mat3<double> about_z = rotation_by({0, 0, angles[2]}), about_y = rotation_by({0, angles[1], 0});
  const V3 turning = V3{0, 0, rates[2]} + about_z * (V3{0, rates[1], 0} + about_y * V3{rates[0], 0, 0});
  const V3 omega = spin + spun * turning;

  const V3 translation = pivot - rotation * start;
  const V3 velocity = pivot_velocity + cross(omega, translation - pivot);
  return {to_array(rotation), to_array(translation), to_array(velocity), to_array(omega), t};
}

Double3 to_body(const Pose& pose, const Double3& x) {
  return to_array(transpose(to_mat(pose.rotation)) * (to_vec(x) - to_vec(pose.translation)));
}

Double3 velocity_at(const Pose& pose, const Double3& x) {
  const V3 arm = to_vec(x) - to_vec(pose.translation);
  return to_array(to_vec(pose.velocity) + cross(to_vec(pose.angular_velocity), arm));  // (BC.6)
}

}  // namespace dollop
