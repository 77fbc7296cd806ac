#include "solvers/setup/body_surfaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "boundary/moving_colliders.h"
#include "boundary/rigid.h"
#include "boundary/shape_distance.h"
#include "core/parallel.h"

namespace dollop {
namespace {

constexpr double reach = 2;         // of the nodes with mass around the surface of a body [cells]
constexpr double most_away = 0.05;  // part of the points that may be farther away than that

// Throws if many points are so far from the body that the grid has no velocity for them.
void require_near(const Body& body, const std::vector<Double3>& points, double cell_size,
                  const std::string& where) {
  std::vector<double> away(points.size());
  parallel_for(points.size(), 256, [&](std::size_t i) { away[i] = signed_distance(body.shape, points[i]); });
  const auto far =
      std::size_t(std::count_if(away.begin(), away.end(), [&](double d) { return d > reach * cell_size; }));
  if (double(far) <= most_away * double(points.size())) return;
  throw SceneError(
      fmt::format(
          "the surface mesh is not where its body is: {} of its {} points are more than {:.3g} m, {} cells, "
          "outside of the shape, up to {:.3g} m; place it as the shape is placed, in metres",
          far, points.size(), reach * cell_size, reach, *std::max_element(away.begin(), away.end())),
      where);
}

// Of a particle of the body: a node on the outside of a body at rest has about as much.                 (EMB.2)
double enough_mass(const Scene& scene, const Body& body) {
  constexpr double part = 1.0 / 8;
  const Material& material = scene.materials[std::size_t(group_of(scene, body.material))];
  const ModelInfo& model = models()[std::size_t(find_model(material.model))];
  const double density = model.stiffness(resolve_parameters(model, material.parameters).data()).density;
  return part * density * std::pow(scene.settings.cell_size, 3) / body.particles_per_cell;
}

// the points inside colliders at the start
std::vector<char> held_points(const Scene& scene, const std::vector<Double3>& points) {
  const MovingColliders colliders(scene.colliders, 0, 0);
  std::vector<char> held(points.size());
  const double skin =
      1e-3 * scene.settings.cell_size;  // points of a body that lies on the ground are not in it
  parallel_for(points.size(), 64, [&](std::size_t p) {
    for (const NearCollider& near : colliders.near(points[p], 0))
      if (colliders.signed_distance(near, points[p]) < -skin) held[p] = 1;
  });
  return held;
}

BodySurface make_surface_of(const Scene& scene, std::size_t index) {
  const Body& body = scene.bodies[index];
  const std::string where = fmt::format("bodies[{}].surface_mesh", index);
  const double h = scene.settings.cell_size;
  try {
    TexturedMesh parts;
    double longest = body.surface_edge;
    if (body.surface_mesh == "shape") {
      if (longest == 0) longest = h;
      parts = textured_surface(body.shape, 0.5 * longest);
    } else {
      parts = read_textured_mesh(body.surface_mesh);
      place_as(body.shape, parts.mesh.points);
      require_near(body, parts.mesh.points, h, where);
    }
    EmbeddedMesh mesh = make_embedded_mesh(parts, longest);
    std::vector<char> held = held_points(scene, mesh.points);
    return {index, std::move(mesh), enough_mass(scene, body), std::move(held)};
  } catch (const SceneError& error) {
    throw error.where.empty() ? SceneError(error.what(), where) : error;
  }
}

}  // namespace

std::vector<BodySurface> body_surfaces(const Scene& scene) {
  std::vector<BodySurface> surfaces;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b)
    if (!scene.bodies[b].surface_mesh.empty()) surfaces.push_back(make_surface_of(scene, b));
  return surfaces;
}

template <class S>
void start_surface(const Setup<S>& setup, std::size_t index, const Double3& center, State<S>& state) {
  const Body& body = setup.scene.bodies[index];
  for (const BodySurface& surface : setup.meshes) {
    if (surface.body != index) continue;
    MeshPoints& points = state.meshes.emplace_back();
    points.x = surface.mesh.points;
    for (const Double3& x : points.x)
      points.v.push_back(
          to_array(to_vec(body.velocity) + cross(to_vec(body.angular_velocity), to_vec(x) - to_vec(center))));
  }
}

template void start_surface(const Setup<float>&, std::size_t, const Double3&, State<float>&);
template void start_surface(const Setup<double>&, std::size_t, const Double3&, State<double>&);

}  // namespace dollop
