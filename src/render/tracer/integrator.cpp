#include "render/tracer/integrator.h"

#include <algorithm>
#include <cmath>

#include "render/tracer/microfacet.h"

namespace dollop {
namespace {

constexpr int max_bounces = 4;      // of diffuse light
constexpr int max_passes = 8;       // through clear things and off mirrors, before that
constexpr float refraction = 1.4f;  // index of what is clear
constexpr float most_light = 6;     // of one indirect sample: rare bright ones would stay as spots
constexpr float least_roughness = 0.03f;
constexpr float far_sizes = 40;  // depth of the backdrop, by the size of the scene

struct Path {
  const Stage& stage;
  const Lights& lights;
  Sampler& sampler;
  TracedRay ray;
  Vec3<float> share{1, 1, 1};  // of light found now that reaches the eye
  Vec3<float> light{0, 0, 0};
  int bounces = 0, passes = 0;
  float mirrored_pdf = 0;  // of the direction, if a skin reflected it; for the lamp's sake
  bool straight = true;    // the camera looks along it, perhaps through something clear

  void add(const Vec3<float>& found) {
    Vec3<float> part = times(share, found);
    const float bright = luminance(part);
    if (bounces + passes > 0 && bright > most_light) part = (most_light / bright) * part;
    light = light + part;
  }
};

// what the eye's side of a place is like
struct Place {
  const Hit& hit;
  Vec3<float> n, face, to_eye;  // unit; n and face on the side of the eye
  bool inside = false;          // the ray comes from within
  float a = 1;                  // roughness squared
};

Place make_place(const Hit& hit, const Vec3<float>& direction) {
  Place p{hit, hit.normal, hit.face, -unit(direction), false, 1};
  if (dot(p.face, p.n) < 0) p.face = -p.face;
  if (dot(p.face, p.to_eye) < 0) {
    p.inside = true;
    p.face = -p.face;
    p.n = -p.n;
  }
  // a smoothed normal may look away from the eye near the silhouette
  const float facing = dot(p.n, p.to_eye);
  if (facing < 0.02f) p.n = unit(p.n + (0.02f - facing) * p.to_eye);
  const float roughness = std::max(hit.shading.roughness, least_roughness);
  p.a = roughness * roughness;
  return p;
}

Vec3<float> straight_reflectance(const Shading& s) {
  return s.metal ? s.color : Vec3<float>{s.reflectance, s.reflectance, s.reflectance};
}

Vec3<float> skin_reflectance(const Shading& s, float cosine) {
  return fresnel(straight_reflectance(s), (1 - s.roughness) * (1 - s.roughness), cosine);
}

// How a place answers to the lamp.
struct Answer {
  Vec3<float> x, n;     // of the diffuse part
  Vec3<float> diffuse;  // share of light it sends back
  float skin;           // chance of the path to follow the skin
};

// The lamp's light that a place sends to the eye, diffusely and off its skin.
void add_lamp(Path& path, const Place& place, const Answer& answer) {
  const Lights& lights = path.lights;
  if (!lights.has_lamp()) return;
  const Vec3<float> to_lamp = cone_direction(lights.to_lamp, lights.lamp_cosine, path.sampler.next());
  const float cosine = dot(answer.n, to_lamp);
  Vec3<float> sent{0, 0, 0};
  if (cosine > 0) sent = (cosine / pi) * answer.diffuse;
  if (answer.skin > 0) {
    const TangentFrame frame(place.n);
    const Vec3<float> w{dot(place.to_eye, frame.s), dot(place.to_eye, frame.t), dot(place.to_eye, place.n)};
    const Vec3<float> l{dot(to_lamp, frame.s), dot(to_lamp, frame.t), dot(to_lamp, place.n)};
    if (l.z > 0) {
      const Vec3<float> h = unit(w + l);
      const float pdf = reflected_pdf(w, h, place.a), lamp_pdf = 1 / lights.lamp_solid_angle();
      const float weight = lamp_pdf / (lamp_pdf + answer.skin * pdf);
      sent =
          sent + (weight * pdf * unshadowed(w, l, place.a)) * skin_reflectance(place.hit.shading, dot(w, h));
    }
  }
  if (largest(sent) <= 0) return;
  const TracedRay shadow{answer.x, to_lamp, 0, std::numeric_limits<float>::infinity(), path.ray.time};
  const Vec3<float> passing = path.stage.passing(shadow);
  path.add(lights.lamp_solid_angle() * times(times(passing, sent), lights.lamp));
}

// The ray goes on off the skin.
bool reflect(Path& path, const Place& place, const Vec3<float>& x, float chance) {
  const TangentFrame frame(place.n);
  const Vec3<float> w{dot(place.to_eye, frame.s), dot(place.to_eye, frame.t), dot(place.to_eye, place.n)};
  const Vec3<float> h = visible_facet(w, place.a, path.sampler.next());
  const Vec3<float> l = 2 * dot(w, h) * h - w;
  const Vec3<float> out = frame.out(l.x, l.y, l.z);
  if (l.z <= 0 || dot(out, place.face) <= 0) return false;
  const float kept = unshadowed(w, l, place.a);
  path.share = times(path.share, (kept / chance) * skin_reflectance(place.hit.shading, dot(w, h)));
  path.mirrored_pdf = chance * reflected_pdf(w, h, place.a);
  path.ray.origin = x;
  path.ray.direction = out;
  path.straight = false;
  return true;
}

// The ray goes on through what is clear, refracted, or is thrown back inside it.
void refract(Path& path, const Place& place, float nudge) {
  const Shading& s = place.hit.shading;
  const float ratio = place.inside ? refraction : 1 / refraction;
  const float c = dot(place.n, place.to_eye), k = 1 - ratio * ratio * (1 - c * c);
  if (place.inside) {  // what the colour takes away on the way to here
    const float length = place.hit.t * norm(path.ray.direction) / (0.35f * path.lights.size);
    for (int a = 0; a < 3; ++a) path.share[a] *= std::pow(std::clamp(s.color[a], 0.01f, 1.0f), length);
  }
  if (k <= 0) {
    path.ray.direction = 2 * c * place.n - place.to_eye;
    path.ray.origin = place.hit.x + nudge * place.face;
  } else {
    path.ray.direction = unit(-ratio * place.to_eye + (ratio * c - std::sqrt(k)) * place.n);
    path.ray.origin = place.hit.x - nudge * place.face;
  }
}

// Where light that enters here leaves again. Burley's diffusion profile (Christensen and Burley 2015) gives how far
// aside; a ray along the normal finds the surface there. If it finds none the light leaves where it entered, so that
// none is lost.
void wander(Path& path, const Place& place, Vec3<float>& x, Vec3<float>& n, float nudge) {
  const float d = place.hit.shading.scatter * path.lights.size;
  const Point2 u = path.sampler.next();
  // the profile is the sum of two exponentials: one in four falls off with d, the others with 3 d
  const float scaled = u.x < 0.25f ? 4 * u.x : (u.x - 0.25f) / 0.75f;
  const float r = -std::log(std::max(1e-4f, 1 - scaled)) * (u.x < 0.25f ? d : 3 * d);
  const float angle = 2 * pi * u.y, reach = 1.5f * r;
  const Vec3<float> start =
      place.hit.x + TangentFrame(place.face).out(r * std::cos(angle), r * std::sin(angle), reach);
  const TracedRay probe{start, -place.face, 0, 2 * reach, path.ray.time, 0.5f};
  const auto found = path.stage.nearest_of(place.hit.part, probe);
  if (!found || dot(found->face, place.face) <= 0.1f) return;
  n = found->normal;
  x = found->x + nudge * found->face;
}

// Guides of the denoiser, from the first place.
void guide(PathSample& sample, const Place& place, const Path& path) {
  const Shading& s = place.hit.shading;
  const Vec3<float> skin = straight_reflectance(s);
  const Vec3<float> seen = s.metal ? skin : blend(s.color, {0.5f, 0.5f, 0.5f}, 0.6f * s.clear) + skin;
  sample.albedo = {std::min(seen.x, 1.0f), std::min(seen.y, 1.0f), std::min(seen.z, 1.0f)};
  sample.normal = place.n;
  sample.depth = place.hit.t * norm(path.ray.direction);
}

// nothing more is met: sky, backdrop and lamp
void escape(Path& path, PathSample& sample, bool first) {
  const Lights& lights = path.lights;
  const Vec3<float> d = unit(path.ray.direction);
  if (first) {
    sample.albedo = backdrop_radiance(lights, d);
    sample.normal = -d;
    sample.depth = far_sizes * lights.size;
  }
  path.add(path.straight ? backdrop_radiance(lights, d) : sky_radiance(lights, d));
  if (path.mirrored_pdf > 0 && lights.has_lamp() && lights.in_lamp(d)) {
    const float lamp_pdf = 1 / lights.lamp_solid_angle();
    path.add((path.mirrored_pdf / (path.mirrored_pdf + lamp_pdf)) * lights.lamp);
  }
}

// What happens at a place; false: the path ends there.
bool scatter(Path& path, const Place& place) {
  const Shading& s = place.hit.shading;
  // grows with the distance from the eye: positions are single numbers
  const float nudge = path.stage.nudge() +
                      2e-6f * (std::abs(place.hit.x.x) + std::abs(place.hit.x.y) + std::abs(place.hit.x.z));
  const bool within_clear = place.inside && s.clear > 0;
  const Point2 choice = path.sampler.next();
  const Vec3<float> skin = skin_reflectance(s, dot(place.n, place.to_eye));
  // where most light comes from below the skin, look at the skin a little more often than it deserves
  const bool bare = straight_reflectance(s).x <= 0 || within_clear;
  const float skin_chance = s.metal ? 1 : bare ? 0 : std::clamp(2 * largest(skin), 0.1f, 0.9f);
  const Vec3<float> x = place.hit.x + nudge * place.face;
  Vec3<float> n = place.n;
  const Vec3<float> below =
      s.metal ? Vec3<float>{0, 0, 0} : Vec3<float>{1, 1, 1} - (bare ? Vec3<float>{0, 0, 0} : skin);
  const float opaque = within_clear ? 0 : 1 - s.clear;
  const bool to_skin = choice.x < skin_chance;
  const bool passes = !to_skin && (choice.x - skin_chance) >= (1 - skin_chance) * opaque;
  if (passes) {
    path.share = times(path.share, (1 / (1 - skin_chance)) * below);
    path.mirrored_pdf = 0;
    refract(path, place, nudge);
    return ++path.passes <= max_passes;
  }
  const Vec3<float> diffuse = opaque * times(below, s.color);
  Vec3<float> exit = x;  // where light leaves that went below the skin
  if (s.scatter > 0 && path.bounces == 0) wander(path, place, exit, n, nudge);
  const float came_here = skin_chance + (1 - skin_chance) * opaque;
  add_lamp(path, place, {exit, n, (1 / came_here) * diffuse, skin_chance / came_here});
  if (to_skin) return ++path.passes <= max_passes && reflect(path, place, x, skin_chance);
  path.share = times(path.share, (1 / ((1 - skin_chance) * opaque)) * diffuse);
  path.ray.direction = cosine_direction(n, path.sampler.next());
  path.ray.origin = exit;
  path.mirrored_pdf = 0;
  path.straight = false;
  return ++path.bounces <= max_bounces;
}

}  // namespace

PathSample trace_path(const Stage& stage, const Lights& lights, const TracedRay& ray, Sampler& sampler) {
  PathSample sample;
  Path path{stage, lights, sampler, ray};
  const Vec3<float> camera_direction = ray.direction;
  bool first = true, more = true;
  float haze = 0;
  while (more) {
    path.ray.choice = sampler.loose().x;
    const auto hit = stage.nearest(path.ray);
    if (!hit) {
      escape(path, sample, first);
      break;
    }
    const Place place = make_place(*hit, path.ray.direction);
    if (first) {
      guide(sample, place, path);
      haze = hit->plane ? haze_share(lights, sample.depth) : 0;
    }
    if (haze > 0.995f) break;
    first = false;
    more = scatter(path, place);
    path.ray.near = 0;
    path.ray.far = std::numeric_limits<float>::infinity();
  }
  sample.light = path.light;
  if (haze > 0) {
    const Vec3<float> behind = backdrop_radiance(lights, camera_direction);
    sample.light = blend(sample.light, behind, haze);
    sample.albedo = blend(sample.albedo, behind, haze);
  }
  return sample;
}

}  // namespace dollop
