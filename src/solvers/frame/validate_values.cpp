#include "solvers/frame/validate_values.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "boundary/motion.h"
#include "boundary/rigid.h"

namespace dollop {
namespace {

constexpr int samples = 1000;

class Values {
 public:
  explicit Values(double duration) : duration_(duration) {}

  void check(const Animated& a, const std::string& where,
             double least = -std::numeric_limits<double>::infinity()) const {
    if (a.kind != Animated::Kind::expression) return;
    for (int k = 0; k <= samples; ++k) {
      const double t = duration_ * k / samples, value = value_at(a, t);
      if (!std::isfinite(value))
        throw SceneError(fmt::format("expression '{}' has no finite value at t = {:.6g} s", a.expression, t),
                         where);
      if (value < least)
        throw SceneError(fmt::format("expression '{}' must not be below {:g}, at t = {:.6g} s it is {:.6g}",
                                     a.expression, least, t, value),
                         where);
    }
  }
  void check(const Animated3& a, const std::string& where) const {
    for (const Animated* part : {&a.x, &a.y, &a.z}) check(*part, where);
  }
  void check(const Motion& motion, const std::string& where) const {
    check(motion.position, where + ".position");
    check(motion.rotation, where + ".rotation");
  }

 private:
  double duration_;
};

}  // namespace

void validate_values(const Scene& scene) {
  const Values values(scene.settings.duration);
  values.check(scene.settings.gravity, "simulation.gravity");
  if (scene.domain && scene.domain->shear_rate) values.check(*scene.domain->shear_rate, "domain.shear_rate");
  for (std::size_t i = 0; i < scene.colliders.size(); ++i) {
    const std::string where = fmt::format("colliders[{}]", i);
    values.check(scene.colliders[i].motion, where + ".motion");
    values.check(scene.colliders[i].surface_velocity, where + ".surface_velocity");
  }
  for (std::size_t i = 0; i < scene.emitters.size(); ++i) {
    const std::string where = fmt::format("emitters[{}]", i);
    values.check(scene.emitters[i].motion, where + ".motion");
    values.check(scene.emitters[i].speed, where + ".speed", 0);
  }
  for (std::size_t i = 0; i < scene.gauges.size(); ++i)
    values.check(scene.gauges[i].motion, fmt::format("gauges[{}].motion", i));
}

bool has_values(const Scene& scene, const std::vector<Collider>& colliders, double time) {
  const auto stands = [&](const Motion& motion) {
    const Pose pose = pose_at(motion, time);
    return is_finite(pose.translation) && is_finite(pose.velocity) && is_finite(pose.angular_velocity) &&
           is_finite(pose.rotation[0]) && is_finite(pose.rotation[1]) && is_finite(pose.rotation[2]);
  };
  bool all = is_finite(value_at(scene.settings.gravity, time));
  for (const Collider& c : colliders)
    all = all && stands(c.motion) && is_finite(value_at(c.surface_velocity, time));
  for (const Emitter& e : scene.emitters)
    all = all && stands(e.motion) && std::isfinite(value_at(e.speed, time));
  return all;
}

}  // namespace dollop
