#include "render/solids.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include "boundary/rigid.h"
#include "boundary/shape_distance.h"
#include "render/camera.h"
#include "render/mesh_rays.h"

namespace dollop {
namespace {

constexpr int max_steps = 160;  // of sphere tracing; bounds the cost of grazing rays

bool finite(const Bounds& b) {
  for (int a = 0; a < 3; ++a)
    if (!std::isfinite(b.min[a]) || !std::isfinite(b.max[a])) return false;
  return true;
}

// the axis-aligned bounding box of the box b in the solid's pose
void set_bounds(const Bounds& b, Solid& solid) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  solid.low = {-infinity, -infinity, -infinity};
  solid.high = {infinity, infinity, infinity};
  if (!finite(b)) return;
  std::swap(solid.low, solid.high);
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3<double> at_rest{corner & 1 ? b.max[0] : b.min[0], corner & 2 ? b.max[1] : b.min[1],
                               corner & 4 ? b.max[2] : b.min[2]};
    const Vec3<float> x = to_float(to_mat(solid.pose.rotation) * at_rest + to_vec(solid.pose.translation));
    for (int a = 0; a < 3; ++a) {
      solid.low[a] = std::min(solid.low[a], x[a]);
      solid.high[a] = std::max(solid.high[a], x[a]);
    }
  }
}

// the interval of the ray within the bounds, widened by a margin; empty if the first exceeds the second
std::array<float, 2> clip(const Solid& solid, const Ray& ray, float margin) {
  float first = ray.near, last = ray.far;
  for (int a = 0; a < 3; ++a) {
    if (!std::isfinite(solid.low[a])) continue;
    const float d = std::abs(ray.direction[a]) < 1e-12f ? 1e-12f : ray.direction[a];
    const float s = (solid.low[a] - margin - ray.origin[a]) / d;
    const float t = (solid.high[a] + margin - ray.origin[a]) / d;
    first = std::max(first, std::min(s, t));
    last = std::min(last, std::max(s, t));
  }
  return {first, last};
}

// whether the point is within a margin of the bounds; the distance to the solid is at least that to its bounds
bool near_bounds(const Solid& solid, const Vec3<float>& x, float margin) {
  for (int a = 0; a < 3; ++a)
    if (x[a] < solid.low[a] - margin || x[a] > solid.high[a] + margin) return false;
  return true;
}

std::optional<float> hit_plane(const Solid& solid, const Ray& ray) {
  const float rate = dot(solid.normal, ray.direction);
  const float height = dot(solid.normal, ray.origin - solid.point);
  if (height <= 0 || rate >= 0) return {};
  const float t = -height / rate;
  return t >= ray.near && t < ray.far ? std::optional(t) : std::nullopt;
}

}  // namespace

std::vector<Solid> solids_at(const Scene& scene, double time, const std::vector<bool>& see_through) {
  std::vector<Solid> solids;
  for (std::size_t i = 0; i < scene.colliders.size(); ++i) {
    const Collider& collider = scene.colliders[i];
    Solid solid;
    solid.collider = &collider;
    solid.shape = &collider.shape;
    solid.pose = pose_at(collider.motion, time);
    solid.there = is_there(collider, time);
    solid.glass = i < see_through.size() && see_through[i];
    solid.appearance = collider_appearance(collider, i);
    set_bounds(bounds(collider.shape), solid);
    if (const Plane* plane = std::get_if<Plane>(&collider.shape.form)) {
      solid.plane = true;
      solid.normal = unit(to_float(to_mat(solid.pose.rotation) * to_vec(plane->normal)));
      solid.point =
          to_float(to_mat(solid.pose.rotation) * to_vec(plane->point) + to_vec(solid.pose.translation));
    }
    solids.push_back(solid);
  }
  return solids;
}

std::vector<Solid> split_unions(const std::vector<Solid>& solids) {
  std::vector<Solid> parts;
  for (const Solid& solid : solids) {
    const Union* shapes =
        solid.plane || solid.glass || solid.triangles ? nullptr : std::get_if<Union>(&solid.shape->form);
    if (!shapes) {
      parts.push_back(solid);
      continue;
    }
    std::vector<Solid> inner;
    for (const Shape& shape : shapes->shapes) {
      inner.push_back(solid);
      inner.back().shape = &shape;
      set_bounds(bounds(shape), inner.back());
    }
    for (const Solid& part : split_unions(inner)) parts.push_back(part);
  }
  return parts;
}

bool plane_shown(const Solid& plane, const Vec3<float>& eye, const Vec3<float>& forward) {
  constexpr float floor_slope = 0.5f, facing = 0.6f;  // cosines
  if (dot(plane.normal, eye - plane.point) <= 0) return false;
  return plane.normal.y > floor_slope || dot(plane.normal, forward) < -facing;
}

float plane_margin(const Solid& plane, const Vec3<float>& direction, float depth) {
  const float least_rate = 1e-3f * norm(direction);  // of grazing rays
  return depth / std::max(-dot(plane.normal, direction), least_rate);
}

float distance(const Solid& solid, const Vec3<float>& x) {
  if (solid.plane) return dot(solid.normal, x - solid.point);
  return float(clearance(*solid.shape, to_body(solid.pose, to_array(to_double(x))), solid.pose.time));
}

Vec3<float> outward_normal(const Solid& solid, const Vec3<float>& x) {
  if (solid.plane) return solid.normal;
  const Double3 n = sample(*solid.shape, solid.pose, to_array(to_double(x))).normal;
  return {float(n[0]), float(n[1]), float(n[2])};
}

namespace {

// Refines a surface crossing between two ray parameters by the secant method: secondary rays must start on the right
// side.
float refined(const Solid& solid, const Ray& ray, float before, float distance_before, float t, float d) {
  for (int k = 0; k < 3 && std::abs(d - distance_before) > 0; ++k) {
    const float next = t - d * (t - before) / (d - distance_before);
    if (!(next > ray.near && next < ray.far)) break;
    before = t, distance_before = d;
    t = next, d = distance(solid, ray.origin + t * ray.direction);
  }
  return t;
}

}  // namespace

std::optional<float> hit_either_side(const Solid& solid, const Ray& ray) {
  const float length = norm(ray.direction);
  const auto [first, last] = clip(solid, ray, 0);
  float t = first, before = first, distance_before = 0;
  for (int step = 0; step < max_steps && t <= last; ++step) {
    const float d = distance(solid, ray.origin + t * ray.direction);
    const float tolerance = 2e-5f * t * length;
    const bool crossed = (d < 0) != (distance_before < 0);
    const bool approaches =
        std::abs(d) < std::abs(distance_before);  // otherwise it is the surface that the ray starts from
    if (step > 0 && (crossed || (approaches && std::abs(d) <= tolerance)))
      return refined(solid, ray, before, distance_before, t, d);
    before = t, distance_before = d;
    t += std::max(std::abs(d), 0.5f * tolerance) / length;
  }
  return {};
}

std::optional<float> hit(const Solid& solid, const Ray& ray, float beam_width) {
  if (solid.plane && beam_width == 0) return hit_plane(solid, ray);
  const float length = norm(ray.direction);
  // the margin is the width of the beam at the far end of the solid's bounds
  const float diagonal = norm(solid.high - solid.low);
  const float reach = (norm(0.5f * (solid.low + solid.high) - ray.origin) + 0.5f * diagonal) / length;
  const auto [first, last] =
      clip(solid, ray, beam_width * (std::isfinite(reach) ? std::min(ray.far, reach) : ray.far));
  float t = first;
  for (int step = 0; step < max_steps && t <= last; ++step) {
    const float d = distance(solid, ray.origin + t * ray.direction);
    const float tolerance =
        std::max(beam_width * t, 2e-5f * t * length);                   // much less than the width of a pixel
    if (d < -tolerance && t == ray.near && beam_width == 0) return {};  // the ray starts inside
    if (d <= tolerance) return t;
    t += std::max(d - beam_width * t, 0.5f * tolerance) / length;
  }
  return {};
}

std::optional<SolidHit> first_hit(const Solid& solid, const Ray& ray) {
  if (!solid.triangles) {
    const auto t = hit(solid, ray);
    return t ? std::optional(SolidHit{*t}) : std::nullopt;
  }
  // the triangles are at rest: the ray is moved to them
  const Mat3<float> rotation =
      make_mat3<float>([&](int i, int j) { return float(solid.pose.rotation[i][j]); });
  const Double3 origin = to_body(solid.pose, to_array(to_double(ray.origin)));
  Ray at_rest = ray;
  at_rest.origin = to_float(to_vec(origin));
  at_rest.direction = transpose(rotation) * ray.direction;
  const auto found = solid.triangles->hit(at_rest);
  if (!found) return {};
  return SolidHit{found->t, rotation * found->normal};
}

float lamp_visibility(const Solid& solid, const Vec3<float>& x, const Vec3<float>& to_lamp, float size,
                      float reach) {
  if (solid.plane || solid.glass) return 1;  // the lamp is in front of every plane that is drawn
  const Ray ray{x, to_lamp, 0, reach};
  const auto [first, last] = clip(solid, ray, size * reach);
  if (first > last) return 1;
  float visible = 1;
  float t = std::max(first, 1e-3f * reach);
  for (int step = 0; step < 48 && t < last && visible > -1; ++step) {
    const float d = distance(solid, x + t * to_lamp);
    visible = std::min(visible, d / (size * t));  // -1: the lamp is completely hidden
    t += std::max(std::abs(d), 4e-3f * reach);
  }
  const float s = 0.5f + 0.5f * std::clamp(visible, -1.0f, 1.0f);
  return s * s * (3 - 2 * s);
}

float sky_visibility(const std::vector<Solid>& solids, const Vec3<float>& x, const Vec3<float>& normal,
                     float reach) {
  float visibility = 1, weight = 0.5f;
  for (int k = 1; k <= 4; ++k, weight *= 0.6f) {
    const float step = reach * float(k * k) / 16;
    const Vec3<float> y = x + step * normal;
    float nearest = step;
    for (const Solid& solid : solids)
      if (!solid.glass && near_bounds(solid, y, nearest))
        nearest = std::min(nearest, std::max(distance(solid, y), 0.0f));
    visibility -= weight * (1 - nearest / step);
  }
  return std::max(visibility, 0.1f);
}

}  // namespace dollop
