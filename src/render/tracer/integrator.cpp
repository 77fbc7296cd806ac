#include "render/tracer/integrator.h"

#include <algorithm>
#include <cmath>

#include "render/tracer/microfacet.h"

namespace dollop {
namespace {

constexpr int max_diffuse_bounces = 4;
constexpr int max_specular_bounces = 8;   // reflections at coats and refractions
constexpr int max_medium_bounces = 32;    // in media: deeper light hardly comes out
constexpr int sure_medium_bounces = 4;    // after these a path may end by Russian roulette
constexpr float refractive_index = 1.4f;  // of transmissive bodies
constexpr float firefly_clamp =
    6;  // largest luminance of one indirect contribution: rare bright ones show as spots
constexpr float min_roughness = 0.03f;
constexpr float backdrop_depth = 40;  // in scene sizes

struct Path {
  const Stage& stage;
  const Lights& lights;
  Sampler& sampler;
  TracedRay ray;
  Vec3<float> throughput{1, 1, 1};  // product of BSDF times cosine over pdf along the path
  Vec3<float> radiance{0, 0, 0};
  int diffuse_bounces = 0, specular_bounces = 0, medium_bounces = 0;
  float coat_pdf = 0;         // of the ray's direction if a coat reflected it, otherwise 0; weights the lamp
  bool sees_backdrop = true;  // the path has only been refracted since the camera

  void add(const Vec3<float>& incoming) {
    Vec3<float> contribution = times(throughput, incoming);
    const float l = luminance(contribution);
    if (diffuse_bounces + specular_bounces > 0 && l > firefly_clamp)
      contribution = (firefly_clamp / l) * contribution;
    radiance = radiance + contribution;
  }
};

// A hit with its normals turned to the side that the ray comes from.
struct ShadingPoint {
  const Hit& hit;
  Vec3<float> n, geometric_normal, wo;  // unit: shading normal, geometric normal, back along the ray
  bool inside = false;                  // the ray comes from within the body
  float alpha = 1;                      // of the GGX distribution: roughness squared
};

ShadingPoint make_shading_point(const Hit& hit, const Vec3<float>& direction) {
  ShadingPoint p{hit, hit.normal, hit.geometric_normal, -unit(direction), false, 1};
  if (dot(p.geometric_normal, p.n) < 0) p.geometric_normal = -p.geometric_normal;
  if (dot(p.geometric_normal, p.wo) < 0) {
    p.inside = true;
    p.geometric_normal = -p.geometric_normal;
    p.n = -p.n;
  }
  // near a silhouette the interpolated normal may face away from the ray's origin: bend it back
  const float facing = dot(p.n, p.wo);
  if (facing < 0.02f) p.n = unit(p.n + (0.02f - facing) * p.wo);
  const float roughness = std::max(hit.shading.roughness, min_roughness);
  p.alpha = roughness * roughness;
  return p;
}

// reflectance of the coat at normal incidence, Schlick's F0
Vec3<float> coat_f0(const Shading& s) {
  return s.metal ? s.color : Vec3<float>{s.reflectance, s.reflectance, s.reflectance};
}

Vec3<float> coat_reflectance(const Shading& s, float cosine) {
  return fresnel(coat_f0(s), (1 - s.roughness) * (1 - s.roughness), cosine);
}

// What next-event estimation needs to know of the BSDF.
struct Bsdf {
  Vec3<float> x, n;        // where light leaves the diffuse base: elsewhere after subsurface scattering
  Vec3<float> albedo;      // of the diffuse base
  float coat_probability;  // that the path samples the specular coat next
};

// Next-event estimation: adds the lamp's light that the diffuse base and the specular coat scatter along wo. The
// coat's part has a multiple importance sampling weight (balance heuristic), since coat samples find the lamp too.
void sample_lamp(Path& path, const ShadingPoint& point, const Bsdf& bsdf) {
  const Lights& lights = path.lights;
  if (!lights.has_lamp()) return;
  const Vec3<float> to_lamp = sample_cone(lights.to_lamp, lights.lamp_cosine, path.sampler.next_2d());
  const float cosine = dot(bsdf.n, to_lamp);
  Vec3<float> scattered{0, 0, 0};  // BSDF times cosine
  if (cosine > 0) scattered = (cosine / pi) * bsdf.albedo;
  if (bsdf.coat_probability > 0) {
    const TangentFrame frame(point.n);
    const Vec3<float> wo{dot(point.wo, frame.s), dot(point.wo, frame.t), dot(point.wo, point.n)};
    const Vec3<float> wi{dot(to_lamp, frame.s), dot(to_lamp, frame.t), dot(to_lamp, point.n)};
    if (wi.z > 0) {
      const Vec3<float> h = unit(wo + wi);
      const float pdf = reflection_pdf(wo, h, point.alpha), lamp_pdf = 1 / lights.lamp_solid_angle();
      const float weight = lamp_pdf / (lamp_pdf + bsdf.coat_probability * pdf);
      scattered = scattered + (weight * pdf * g2_over_g1(wo, wi, point.alpha)) *
                                  coat_reflectance(point.hit.shading, dot(wo, h));
    }
  }
  if (max_component(scattered) <= 0) return;
  const TracedRay shadow_ray{bsdf.x, to_lamp, 0, std::numeric_limits<float>::infinity(), path.ray.time};
  const Vec3<float> transmittance = path.stage.transmittance(shadow_ray);
  path.add(lights.lamp_solid_angle() * times(times(transmittance, scattered), lights.lamp));
}

// Continues the path with a direction sampled from the specular coat; false if that leads below the surface.
bool reflect(Path& path, const ShadingPoint& point, const Vec3<float>& x, float probability) {
  const TangentFrame frame(point.n);
  const Vec3<float> wo{dot(point.wo, frame.s), dot(point.wo, frame.t), dot(point.wo, point.n)};
  const Vec3<float> h = sample_visible_normal(wo, point.alpha, path.sampler.next_2d());
  const Vec3<float> wi = 2 * dot(wo, h) * h - wo;
  const Vec3<float> direction = frame.to_world(wi.x, wi.y, wi.z);
  if (wi.z <= 0 || dot(direction, point.geometric_normal) <= 0) return false;
  const float weight = g2_over_g1(wo, wi, point.alpha);
  path.throughput =
      times(path.throughput, (weight / probability) * coat_reflectance(point.hit.shading, dot(wo, h)));
  path.coat_pdf = probability * reflection_pdf(wo, h, point.alpha);
  path.ray.origin = x;
  path.ray.direction = direction;
  path.sees_backdrop = false;
  return true;
}

// Continues the path by refraction, or by total internal reflection.
void refract(Path& path, const ShadingPoint& point, float offset) {
  const Shading& s = point.hit.shading;
  const float eta = point.inside ? refractive_index : 1 / refractive_index;
  const float c = dot(point.n, point.wo), k = 1 - eta * eta * (1 - c * c);
  if (point.inside) {  // Beer-Lambert absorption: the colour is the transmittance of 0.35 scene sizes
    const float length = point.hit.t * norm(path.ray.direction) / (0.35f * path.lights.size);
    for (int a = 0; a < 3; ++a) path.throughput[a] *= std::pow(std::clamp(s.color[a], 0.01f, 1.0f), length);
  }
  if (k <= 0) {
    path.ray.direction = 2 * c * point.n - point.wo;
    path.ray.origin = point.hit.x + offset * point.geometric_normal;
  } else {
    path.ray.direction = unit(-eta * point.wo + (eta * c - std::sqrt(k)) * point.n);
    path.ray.origin = point.hit.x - offset * point.geometric_normal;
  }
}

// Subsurface scattering: samples the exit point x, and its normal n, of light that enters here. The radius follows
// Burley's normalised diffusion profile (Christensen and Burley 2015); a probe ray along the normal projects the
// sample onto the surface. If the probe misses, the light exits where it entered, so that no energy is lost.
void sample_subsurface(Path& path, const ShadingPoint& point, Vec3<float>& x, Vec3<float>& n, float offset) {
  const float d = point.hit.shading.scattering_distance * path.lights.size;
  const Point2 u = path.sampler.next_2d();
  // the profile is a sum of two exponentials: a quarter falls off over d, three quarters over 3 d
  const float rescaled = u.x < 0.25f ? 4 * u.x : (u.x - 0.25f) / 0.75f;
  const float r = -std::log(std::max(1e-4f, 1 - rescaled)) * (u.x < 0.25f ? d : 3 * d);
  const float angle = 2 * pi * u.y, half_length = 1.5f * r;
  const Vec3<float> start =
      point.hit.x +
      TangentFrame(point.geometric_normal).to_world(r * std::cos(angle), r * std::sin(angle), half_length);
  const TracedRay probe{start, -point.geometric_normal, 0, 2 * half_length, path.ray.time, 0.5f};
  const auto exit = path.stage.intersect_part(point.hit.part, probe);
  if (!exit || dot(exit->geometric_normal, point.geometric_normal) <= 0.1f) return;
  n = exit->normal;
  x = exit->x + offset * exit->geometric_normal;
}

// Sets the denoiser's features from the first hit.
void set_features(PathSample& sample, const ShadingPoint& point, const Path& path) {
  const Shading& s = point.hit.shading;
  const Vec3<float> f0 = coat_f0(s);
  const Vec3<float> albedo = s.metal ? f0 : blend(s.color, {0.5f, 0.5f, 0.5f}, 0.6f * s.transmission) + f0;
  sample.albedo = {std::min(albedo.x, 1.0f), std::min(albedo.y, 1.0f), std::min(albedo.z, 1.0f)};
  sample.normal = point.n;
  sample.depth = point.hit.t * norm(path.ray.direction);
}

// The ray leaves the scene: adds the radiance of the sky, the backdrop and the lamp.
void add_environment(Path& path, PathSample& sample, bool first) {
  const Lights& lights = path.lights;
  const Vec3<float> d = unit(path.ray.direction);
  if (first) {
    sample.albedo = backdrop_radiance(lights, d);
    sample.normal = -d;
    sample.depth = backdrop_depth * lights.size;
  }
  path.add(path.sees_backdrop ? backdrop_radiance(lights, d) : sky_radiance(lights, d));
  // after the coat, the lamp has the complement of the weight in sample_lamp(); after other bounces only that counts
  if (path.coat_pdf > 0 && lights.has_lamp() && lights.in_lamp(d)) {
    const float lamp_pdf = 1 / lights.lamp_solid_angle();
    path.add((path.coat_pdf / (path.coat_pdf + lamp_pdf)) * lights.lamp);
  }
}

// Samples the BSDF, a specular coat over a diffuse or transmissive base, and continues the path; false: the path ends.
bool scatter(Path& path, const ShadingPoint& point) {
  const Shading& s = point.hit.shading;
  // rays start this far off the surface, against self-intersection; grows with the coordinates, which are floats
  const float offset = path.stage.ray_offset() +
                       2e-6f * (std::abs(point.hit.x.x) + std::abs(point.hit.x.y) + std::abs(point.hit.x.z));
  const bool in_medium = point.inside && s.transmission > 0;
  const Point2 u = path.sampler.next_2d();
  const Vec3<float> coat = coat_reflectance(s, dot(point.n, point.wo));
  // where most light comes from the base, the coat is still sampled a little more often than its reflectance asks
  const bool uncoated = coat_f0(s).x <= 0 || in_medium;
  const float coat_probability = s.metal ? 1 : uncoated ? 0 : std::clamp(2 * max_component(coat), 0.1f, 0.9f);
  const Vec3<float> x = point.hit.x + offset * point.geometric_normal;
  Vec3<float> n = point.n;
  // the part of the light that the coat lets through to the base
  const Vec3<float> to_base =
      s.metal ? Vec3<float>{0, 0, 0} : Vec3<float>{1, 1, 1} - (uncoated ? Vec3<float>{0, 0, 0} : coat);
  const float opacity = in_medium ? 0 : 1 - s.transmission;
  const bool sample_coat = u.x < coat_probability;
  const bool sample_transmission =
      !sample_coat && (u.x - coat_probability) >= (1 - coat_probability) * opacity;
  if (sample_transmission) {
    path.throughput = times(path.throughput, (1 / (1 - coat_probability)) * to_base);
    path.coat_pdf = 0;
    refract(path, point, offset);
    return ++path.specular_bounces <= max_specular_bounces;
  }
  const Vec3<float> albedo = opacity * times(to_base, s.color);
  Vec3<float> exit = x;
  if (s.scattering_distance > 0 && path.diffuse_bounces == 0) sample_subsurface(path, point, exit, n, offset);
  const float not_transmitted = coat_probability + (1 - coat_probability) * opacity;  // probability
  sample_lamp(path, point, {exit, n, (1 / not_transmitted) * albedo, coat_probability / not_transmitted});
  if (sample_coat)
    return ++path.specular_bounces <= max_specular_bounces && reflect(path, point, x, coat_probability);
  path.throughput = times(path.throughput, (1 / ((1 - coat_probability) * opacity)) * albedo);
  path.ray.direction = sample_cosine_hemisphere(n, path.sampler.next_2d());
  path.ray.origin = exit;
  path.coat_pdf = 0;
  path.sees_backdrop = false;
  return ++path.diffuse_bounces <= max_diffuse_bounces;
}

// Where a path scatters in a medium.
struct MediumPoint {
  const Medium& medium;
  float t;
  Vec3<float> x;
};

// Samples where the ray scatters in a medium, as if nothing else were there.
std::optional<MediumPoint> find_scattering(Path& path) {
  std::optional<MediumPoint> nearest;
  float far = path.ray.far;
  for (const Medium& medium : path.stage.media()) {
    const float depth = -std::log(1 - path.sampler.next_2d().x);
    const Medium::Passage passage =
        medium.follow({path.ray.origin, path.ray.direction, path.ray.near, far}, depth);
    if (!passage.stopped) continue;
    far = passage.t;
    nearest.emplace(MediumPoint{medium, far, path.ray.origin + far * path.ray.direction});
  }
  return nearest;
}

void set_features(PathSample& sample, const MediumPoint& point, const Path& path) {
  // without its pores a medium is denser deeper down: so pores, through which light comes from below, are darker
  const float shade = std::clamp(1.5f - point.medium.burial(point.x), 0.3f, 1.0f);
  sample.albedo = shade * point.medium.color();
  sample.normal = -unit(path.ray.direction);
  sample.depth = point.t * norm(path.ray.direction);
}

// Scatters isotropically: adds the lamp's light, and continues the path in any direction; false: the path ends.
bool scatter_in_medium(Path& path, const MediumPoint& point) {
  const Lights& lights = path.lights;
  constexpr float phase = 1 / (4 * pi);
  path.throughput = times(path.throughput, point.medium.scattering_albedo());
  if (lights.has_lamp()) {
    const Vec3<float> to_lamp = sample_cone(lights.to_lamp, lights.lamp_cosine, path.sampler.next_2d());
    const TracedRay shadow_ray{point.x, to_lamp, 0, std::numeric_limits<float>::infinity(), path.ray.time};
    path.add((phase * lights.lamp_solid_angle()) * times(path.stage.transmittance(shadow_ray), lights.lamp));
  }
  path.ray = {point.x, sample_cone({0, 1, 0}, -1, path.sampler.next_2d()), 0,
              std::numeric_limits<float>::infinity(), path.ray.time};
  path.coat_pdf = 0;
  path.sees_backdrop = false;
  path.diffuse_bounces = std::max(path.diffuse_bounces, 1);
  if (++path.medium_bounces > max_medium_bounces) return false;
  if (path.medium_bounces <= sure_medium_bounces) return true;
  const float survival = std::min(1.0f, max_component(path.throughput));
  path.throughput = (1 / survival) * path.throughput;
  return path.sampler.next_independent_2d().x < survival;
}

}  // namespace

PathSample trace_path(const Stage& stage, const Lights& lights, const TracedRay& ray, Sampler& sampler) {
  PathSample sample;
  Path path{stage, lights, sampler, ray};
  const Vec3<float> camera_direction = ray.direction;
  bool first = true, more = true;
  float haze = 0;
  while (more) {
    path.ray.material_choice = sampler.next_independent_2d().x;
    const auto scattering = find_scattering(path);
    if (scattering) path.ray.far = scattering->t;
    const auto hit = stage.intersect(path.ray);
    if (scattering && !hit) {
      if (first) set_features(sample, *scattering, path);
      first = false;
      more = scatter_in_medium(path, *scattering);
      continue;
    }
    if (!hit) {
      add_environment(path, sample, first);
      break;
    }
    const ShadingPoint point = make_shading_point(*hit, path.ray.direction);
    if (first) {
      set_features(sample, point, path);
      haze = hit->plane ? haze_fraction(lights, sample.depth) : 0;
    }
    if (haze > 0.995f) break;
    first = false;
    more = scatter(path, point);
    path.ray.near = 0;
    path.ray.far = std::numeric_limits<float>::infinity();
  }
  sample.radiance = path.radiance;
  if (haze > 0) {
    const Vec3<float> behind = backdrop_radiance(lights, camera_direction);
    sample.radiance = blend(sample.radiance, behind, haze);
    sample.albedo = blend(sample.albedo, behind, haze);
  }
  return sample;
}

}  // namespace dollop
