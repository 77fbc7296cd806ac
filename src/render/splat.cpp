#include "render/splat.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/parallel.h"
#include "io/body_mesh.h"
#include "io/frame_layout.h"
#include "render/lighting.h"
#include "render/occlusion.h"
#include "render/palette.h"
#include "render/smooth_field.h"
#include "render/solids.h"
#include "render/spheres.h"
#include "surface/material_looks.h"

namespace dollop {
namespace {

constexpr int max_samples = 2;  // along each edge of a pixel
constexpr int block = 2;  // pixels along each edge of the blocks that share what lights their samples see
constexpr float surface_level = 0.5f;  // occupancy at the isosurface
constexpr float voxel_width = 1.25f;   // in particle spacings: smooths single particles, keeps folds
constexpr float occupancy_gain = 4;    // so that a sheet one particle thick still shows
constexpr float drop_radius = 0.62f;   // in particle spacings: a sphere of the particle's volume
constexpr float far_limit = 60;        // in scene sizes: nothing beyond is drawn

// The particles of one look.
struct Particles {
  std::vector<std::uint32_t> index = {};  // into the frame
  std::vector<FieldPoint> points = {};
  float spacing = 0;  // mean spacing, of the material where it is largest [m]
  float gloss = 0;    // mean over the particles
};

// The surface mesh of a body.
struct DrawnMesh {
  std::unique_ptr<const TriangleRays> rays;
  Appearance appearance;
};

// All geometry of one frame.
struct Stage {
  const PreviewView& view;
  const ParticleFrame& frame;
  std::vector<Appearance> appearances;
  std::vector<Solid> solids;
  std::vector<DrawnMesh> meshes;
  std::vector<bool> enclosed;  // of each material: it is drawn by meshes
  SmoothField mass;
  float mass_gloss;
  OcclusionVolume occlusion;
  SphereBuffer spheres;
  DepthRange ranges;
};

Vec3<float> position_of(const ParticleFrame& frame, std::size_t i) {
  return {frame.position[3 * i], frame.position[3 * i + 1], frame.position[3 * i + 2]};
}

// The initial particle volume of each material, for frames without volumes: that of a cell over its particles.
std::vector<float> seeded_volumes(const Scene& scene) {
  const double cell = scene.settings.cell_size;
  std::vector<float> volumes;
  for (const Material& material : scene.materials) {
    double per_cell = 0;  // the minimum, so that the coarsest body has no holes
    const auto count = [&](const auto& source) {
      if (source.material == material.name && (per_cell == 0 || source.particles_per_cell < per_cell))
        per_cell = source.particles_per_cell;
    };
    for (const Body& body : scene.bodies) count(body);
    for (const Emitter& emitter : scene.emitters) count(emitter);
    volumes.push_back(float(cell * cell * cell / (per_cell > 0 ? per_cell : 8)));
  }
  return volumes;
}

std::size_t material_of(const ParticleFrame& frame, std::size_t i, std::size_t materials) {
  const std::int32_t m = i < frame.material.size() ? frame.material[i] : 0;
  return m >= 0 && std::size_t(m) < materials ? std::size_t(m) : 0;
}

// near enough to the view to be visible or to cast a shadow into it
bool affects_view(const PreviewView& view, const Vec3<float>& x) {
  const Projected p = project(view.camera, x);
  return p.depth > 0 && p.depth < far_limit * view.size && std::abs(p.u) < 1.5f && std::abs(p.v) < 1.5f;
}

// the particles of a look, of those materials that surface meshes enclose or of the others
Particles collect(const Scene& scene, const Stage& stage, Look look, bool enclosed = false) {
  const ParticleFrame& frame = stage.frame;
  const Attribute* volume = find_attribute(frame, "volume", 1);
  const std::vector<float> seeded = seeded_volumes(scene);
  Particles found;
  std::vector<double> sum(stage.appearances.size(), 0), count(stage.appearances.size(), 0);
  const std::size_t particles = std::min(frame.id.size(), frame.position.size() / 3);
  for (std::size_t i = 0; i < particles; ++i) {
    const std::size_t m = material_of(frame, i, stage.appearances.size());
    const Vec3<float> x = position_of(frame, i);
    if (stage.appearances[m].look != look || stage.enclosed[m] != enclosed || !affects_view(stage.view, x))
      continue;
    float v = volume ? volume->values[i] : seeded[m];
    if (!(v > 0 && std::isfinite(v))) v = seeded[m];
    found.index.push_back(std::uint32_t(i));
    found.points.push_back({x, v, stage.appearances[m].albedo});
    sum[m] += v;
    count[m] += 1;
  }
  for (std::size_t m = 0; m < sum.size(); ++m) {
    if (count[m] == 0) continue;
    found.spacing = std::max(found.spacing, float(std::cbrt(sum[m] / count[m])));
    found.gloss += stage.appearances[m].gloss * float(count[m] / double(found.points.size()));
  }
  return found;
}

// The occupancy field of the mass. Particles at thin edges, where it would stay below the surface level, get a larger
// volume.
SmoothField make_mass(const Particles& smooth) {
  constexpr float target_occupancy = 0.7f,
                  max_factor = 6;  // at a particle; the limit keeps drops small
  const float voxel = voxel_width * smooth.spacing;
  const SmoothField plain = make_smooth_field(smooth.points, voxel, occupancy_gain);
  std::vector<FieldPoint> points = smooth.points;
  parallel_for(points.size(), 4096, [&](std::size_t i) {
    const float occupancy = occupancy_at(plain, points[i].x);
    if (occupancy < target_occupancy)
      points[i].volume *=
          occupancy * max_factor > target_occupancy ? target_occupancy / occupancy : max_factor;
  });
  return make_smooth_field(points, voxel, occupancy_gain);
}

// whether a particle is part of the mass: inside it, or within reach of its surface
bool in_mass(const SmoothField& mass, const Vec3<float>& x, float reach) {
  return occupancy_at(mass, x) >= surface_level ||
         occupancy_at(mass, x - reach * outward_normal(mass, x)) >= surface_level;
}

// Rasterises grains and loose drops as spheres, and the depth intervals in which rays may hit the mass.
void draw_particles(const Particles& smooth, const Particles& grains, const SmoothField& grain_field,
                    Stage& stage) {
  const int width = stage.view.width * stage.view.samples, height = stage.view.height * stage.view.samples;
  std::vector<Ball> balls, near_mass;
  for (std::size_t k = 0; k < grains.points.size(); ++k) {
    const FieldPoint& p = grains.points[k];
    if (occupancy_at(grain_field, p.x) < 1.3f)  // grains deep inside, with higher values, are hidden
      balls.push_back({p.x, 0.6f * std::cbrt(p.volume), grains.index[k]});
  }
  for (std::size_t k = 0; k < smooth.points.size(); ++k) {
    const FieldPoint& p = smooth.points[k];
    const float spacing = std::cbrt(p.volume);
    if (!in_mass(stage.mass, p.x, 0.5f * spacing))
      balls.push_back({p.x, drop_radius * spacing, smooth.index[k]});
  }
  for (const Vec3<float>& x : surface_cells(stage.mass, surface_level))
    near_mass.push_back({x, stage.mass.voxel, 0});  // a sphere around the cell with some margin
  stage.spheres = draw_spheres(stage.view.camera, width, height, balls);
  stage.ranges = draw_ranges(stage.view.camera, width, height, near_mass);
}

// The surface meshes of the frame whose material has a smooth look; grains are drawn as such.
void add_meshes(const Scene& scene, Stage& stage) {
  std::vector<BodyMesh> drawn;
  for (const BodyMesh& mesh : stage.frame.meshes) {
    const auto m = std::size_t(outer_material(scene, scene.bodies[std::size_t(mesh.body)]));
    if (stage.appearances[m].look != Look::smooth) continue;
    const SurfaceMesh surface = join_meshes(scene, {mesh}, stage.frame.time);
    TriangleShape triangles{{}, {}, surface.triangles};
    for (const Vec3<float>& x : surface.positions) triangles.positions.push_back({x.x, x.y, x.z});
    for (const Vec3<float>& n : surface.normals) triangles.normals.push_back({n.x, n.y, n.z});
    stage.meshes.push_back({std::make_unique<const TriangleRays>(triangles), stage.appearances[m]});
    drawn.push_back(mesh);
  }
  stage.enclosed = enclosed_materials(scene, drawn);
  stage.enclosed.resize(stage.appearances.size(), false);
}

Stage set_up(const Scene& scene, const PreviewView& view, const ParticleFrame& frame) {
  Stage stage{view, frame, choose_appearances(scene.materials), {}, {}, {}, {}, 0, {}, {}, {}};
  if (stage.appearances.empty()) stage.appearances.emplace_back();
  add_meshes(scene, stage);
  std::vector<Solid> whole = solids_at(scene, frame.time, view.see_through);
  (view.meshes ? view.meshes : std::make_shared<const MeshRays>(scene))->attach(scene, whole);
  for (const Solid& solid : split_unions(whole))
    if (solid.there && !hidden(solid.collider->look) &&
        (!solid.plane || plane_shown(solid, view.camera.eye, view.camera.forward)))
      stage.solids.push_back(solid);
  const Particles smooth = collect(scene, stage, Look::smooth), grains = collect(scene, stage, Look::grain);
  stage.mass = make_mass(smooth);
  stage.mass_gloss = smooth.gloss;
  const SmoothField grain_field = make_smooth_field(grains.points, grains.spacing);
  const Particles inside = collect(scene, stage, Look::smooth, true);
  const SmoothField inside_field = make_smooth_field(inside.points, inside.spacing);
  stage.occlusion = make_occlusion_volume({&stage.mass, &grain_field, &inside_field});
  draw_particles(smooth, grains, grain_field, stage);
  return stage;
}

// The first point of the ray inside the mass, by ray marching and bisection.
std::optional<float> hit_mass(const SmoothField& mass, const Ray& ray) {
  const float voxel = mass.voxel / norm(ray.direction);
  float before = ray.near, step = 0;
  for (float t = ray.near; t < ray.far; t += step) {
    const float occupancy = occupancy_at(mass, ray.origin + t * ray.direction);
    if (occupancy < surface_level) {
      before = t;
      step = (occupancy > 0.4f * surface_level ? 0.2f : 0.7f) * voxel;  // short where a silhouette is near
      continue;
    }
    float inside = t;
    for (int k = 0; k < 6; ++k) {
      const float middle = 0.5f * (before + inside);
      (occupancy_at(mass, ray.origin + middle * ray.direction) < surface_level ? before : inside) = middle;
    }
    return inside;
  }
  return {};
}

// The nearest solid; `starts` are the ray parameters from which each solid is marched.
Surface trace_solids(const Stage& stage, const Ray& ray, const std::vector<float>& starts) {
  Surface seen;
  std::optional<Vec3<float>> normal;
  float far = ray.far;
  // planes last: what lies in a plane, such as the top of a stand, is seen and not the plane
  for (const bool planes : {false, true})
    for (std::size_t s = 0; s < stage.solids.size(); ++s) {
      const Solid& solid = stage.solids[s];
      if (solid.plane != planes || solid.glass || starts[s] >= far) continue;
      const auto found = first_hit(solid, {ray.origin, ray.direction, starts[s], far});
      if (!found) continue;
      const bool before = seen.solid && !seen.solid->plane;
      if (planes && before && found->t > far - plane_margin(solid, ray.direction, 2e-4f * stage.view.size))
        continue;
      far = found->t;
      normal = found->normal;
      seen.kind = Surface::Kind::solid;
      seen.depth = far;
      seen.solid = &solid;
    }
  if (!seen.solid) return seen;
  seen.x = ray.origin + far * ray.direction;
  seen.normal = normal ? *normal : outward_normal(*seen.solid, seen.x);
  seen.appearance = seen.solid->appearance;
  if (seen.solid->plane) {
    const float pixel = 2 * stage.view.camera.half_height / float(stage.view.height * stage.view.samples);
    const float slant = std::max(1e-3f, -dot(seen.normal, ray.direction));
    seen.appearance = {Look::smooth, floor_albedo(seen.x, stage.view.size, 0.5f * pixel * far / slant),
                       0.05f};
    if (seen.normal.y < 0.9f) seen.appearance.albedo = {0.12f, 0.145f, 0.185f};  // walls have no grid lines
  }
  return seen;
}

// If a surface mesh is hit before `far`, `seen` becomes what is hit, and `far` its distance.
void trace_meshes(const Stage& stage, const Ray& ray, float& far, Surface& seen) {
  for (const DrawnMesh& mesh : stage.meshes)
    if (const auto found = mesh.rays->hit({ray.origin, ray.direction, ray.near, far})) {
      far = found->t;
      seen = {Surface::Kind::mass, far,    ray.origin + far * ray.direction, found->normal,
              mesh.appearance,     nullptr};
    }
}

// The first surface that the ray through a sample hits.
Surface trace(const Stage& stage, int x, int y, const Ray& ray, const std::vector<float>& starts) {
  Surface seen = trace_solids(stage, ray, starts);
  float far = seen.solid ? seen.depth : ray.far;
  const std::uint64_t entry = stage.spheres.at(x, y);
  if (entry != SphereBuffer::nothing && depth_of(entry) < far) {
    const std::uint32_t i = index_of(entry);
    const std::size_t m = material_of(stage.frame, i, stage.appearances.size());
    far = depth_of(entry);
    seen = {Surface::Kind::sphere, far, ray.origin + far * ray.direction, {}, stage.appearances[m], nullptr};
    seen.normal = unit(seen.x - position_of(stage.frame, i));
    if (seen.appearance.look == Look::grain)
      seen.appearance.albedo = grain_albedo(seen.appearance.albedo, stage.frame.id[i]);
  }
  trace_meshes(stage, ray, far, seen);
  const int tx = x / DepthRange::tile, ty = y / DepthRange::tile;
  if (!stage.ranges.any(tx, ty)) return seen;
  const Ray part{ray.origin, ray.direction, stage.ranges.first(tx, ty),
                 std::min(far, stage.ranges.last(tx, ty))};
  if (const auto t = hit_mass(stage.mass, part)) {
    seen = {Surface::Kind::mass, *t, ray.origin + *t * ray.direction, {}, {}, nullptr};
    seen.normal = outward_normal(stage.mass, seen.x);
    seen.appearance.albedo = albedo_at(stage.mass, seen.x);
    seen.appearance.gloss = stage.mass_gloss;
  }
  return seen;
}

// adds the panes of glass between the camera and the surface
Vec3<float> add_panes(const Stage& stage, const Ray& ray, const Surface& seen, Vec3<float> colour) {
  const float far = seen.kind == Surface::Kind::none ? ray.far : seen.depth;
  for (const Solid& solid : stage.solids) {
    if (!solid.glass) continue;
    if (const auto found = first_hit(solid, {ray.origin, ray.direction, 0, far})) {
      const Vec3<float> x = ray.origin + found->t * ray.direction;
      const Vec3<float> normal = found->normal ? *found->normal : outward_normal(solid, x);
      colour = behind_glass(colour, normal, -unit(ray.direction));
    }
  }
  return colour;
}

// similar enough to share one light visibility
bool similar(const Surface& a, const Surface& b) {
  return a.kind == b.kind && a.solid == b.solid && std::abs(a.depth - b.depth) < 0.01f * a.depth &&
         dot(a.normal, b.normal) > 0.96f;
}

// The samples of a block of pixels, with the light that they see: that is the costly part of shading.
class LitSamples {
 public:
  const LightVisibility& visibility(const Lighting& light, const Surface& surface) {
    for (int k = count_ - 1; k >= 0; --k)
      if (similar(samples_[std::size_t(k)].surface, surface)) return samples_[std::size_t(k)].visible;
    samples_[std::size_t(count_)] = {surface, light_visibility(light, surface)};
    return samples_[std::size_t(count_++)].visible;
  }

 private:
  struct Sample {
    Surface surface;
    LightVisibility visible;
  };
  std::array<Sample, block* block* max_samples* max_samples> samples_ = {};
  int count_ = 0;
};

Vec3<float> render_pixel(const Stage& stage, const Lighting& light, int px, int py, LitSamples& lit) {
  const Camera& camera = stage.view.camera;
  const int samples = stage.view.samples;
  const int width = stage.view.width * samples, height = stage.view.height * samples;
  const float far = far_limit * stage.view.size;
  const auto ray_at = [&](float x, float y) -> Ray {
    return {camera.eye, ray_through(camera, 2 * x / float(width) - 1, 1 - 2 * y / float(height)), 0, far};
  };
  // one beam around the whole pixel finds where the rays of its samples may start
  const float half = 0.5f * float(samples);
  const Ray middle = ray_at(float(px * samples) + half, float(py * samples) + half);
  const float beam_width = 2 * camera.half_height / float(stage.view.height);
  std::vector<float> starts;
  for (const Solid& solid : stage.solids) {
    const bool whole = solid.plane || solid.glass || solid.triangles;
    starts.push_back(whole ? 0 : hit(solid, middle, beam_width).value_or(far));
  }

  Vec3<float> sum{0, 0, 0};
  for (int k = 0; k < samples * samples; ++k) {
    const int x = px * samples + k % samples, y = py * samples + k / samples;
    const Ray ray = ray_at(float(x) + 0.5f, float(y) + 0.5f);
    const Surface seen = trace(stage, x, y, ray, starts);
    Vec3<float> colour = background(ray.direction);
    if (seen.kind != Surface::Kind::none)
      colour = haze(light, shade(light, seen, lit.visibility(light, seen), -unit(ray.direction)), seen.depth,
                    ray.direction);
    sum = sum + add_panes(stage, ray, seen, colour);
  }
  return (1.0f / float(samples * samples)) * sum;
}

}  // namespace

Image render_preview(const Scene& scene, const PreviewView& view, const ParticleFrame& frame) {
  const Stage stage = set_up(scene, view, frame);
  const Lighting light = make_lighting(view.camera, stage.solids, stage.occlusion, view.size);
  Image image(view.width, view.height);
  const int rows = (view.height + block - 1) / block;
  parallel_for(std::size_t(rows), 1, [&](std::size_t row) {
    for (int left = 0; left < view.width; left += block) {
      LitSamples lit;
      const int top = int(row) * block;
      for (int y = top; y < std::min(top + block, view.height); ++y)
        for (int x = left; x < std::min(left + block, view.width); ++x)
          image.at(x, y) = render_pixel(stage, light, x, y, lit);
    }
  });
  return image;
}

}  // namespace dollop
