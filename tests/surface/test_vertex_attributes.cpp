// Velocities, materials and values on the mesh, and which materials have a surface.
#include <stdexcept>

#include "bodies.h"
#include "surface/surface_files.h"

namespace dollop {
namespace {

TEST(VertexAttributes, velocities_are_those_of_the_particles_there) {
  for (const SurfaceMethod method : all_methods) {
    const SurfaceMesh mesh = make_surface(ball({.jitter = 0.3}, 0.3), {.method = method});
    ASSERT_EQ(mesh.velocities.size(), mesh.positions.size());
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      // a rotation: particles lie a little deeper than the surface
      const Vec3<float>& x = mesh.positions[v];
      EXPECT_NEAR(mesh.velocities[v].x, -x.z, 0.05);
      EXPECT_NEAR(mesh.velocities[v].y, 0.5, 1e-5);
      EXPECT_NEAR(mesh.velocities[v].z, x.x, 0.05);
    }
  }
}

TEST(VertexAttributes, material_is_the_dominant_one) {
  ParticleFrame frame = ball({}, 0.3);
  for (std::size_t i = 0; i < frame.material.size(); ++i)
    frame.material[i] = frame.position[3 * i] > 0 ? 4 : 1;
  const SurfaceMesh mesh = make_surface(frame, {});
  ASSERT_EQ(mesh.material.size(), mesh.positions.size());
  for (std::size_t v = 0; v < mesh.positions.size(); ++v)
    if (std::abs(mesh.positions[v].x) > 0.03f) {
      EXPECT_EQ(mesh.material[v], mesh.positions[v].x > 0 ? 4 : 1);
    }
}

TEST(VertexAttributes, one_material_is_kept) {
  ParticleFrame frame = ball({}, 0.2);
  for (std::int32_t& m : frame.material) m = 3;
  for (const std::int32_t m : make_surface(frame, {}).material) ASSERT_EQ(m, 3);
}

TEST(VertexAttributes, values_are_interpolated) {
  ParticleFrame frame = ball({}, 0.3);
  frame.attributes.push_back({"J", 1, {}});
  frame.attributes.push_back({"stress", 6, {}});
  for (std::size_t i = 0; i < frame.material.size(); ++i) {
    frame.attributes[2].values.push_back(1 + 0.1f * frame.position[3 * i + 1]);
    for (const float s : {-3.f, -4.f, -5.f, 9.f, 9.f, 9.f}) frame.attributes[3].values.push_back(s);
  }
  const SurfaceMesh j = make_surface(frame, {.value = "J"});
  for (std::size_t v = 0; v < j.positions.size(); ++v)
    ASSERT_NEAR(j.values[v], 1 + 0.1f * j.positions[v].y, 0.005);
  const SurfaceMesh speed = make_surface(frame, {.value = "speed"});
  for (std::size_t v = 0; v < speed.positions.size(); ++v)
    ASSERT_NEAR(speed.values[v], norm(speed.velocities[v]), 0.02);
  for (const float p : make_surface(frame, {.value = "pressure"}).values) ASSERT_NEAR(p, 4, 1e-5);
  EXPECT_TRUE(make_surface(frame, {}).values.empty());
}

TEST(VertexAttributes, unknown_values_are_named) {
  try {
    make_surface(ball({}, 0.2), {.value = "warmth"});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("'warmth'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("speed"), std::string::npos);
  }
}

TEST(VertexAttributes, nothing_where_the_frame_has_nothing) {
  ParticleFrame frame = ball({}, 0.2);
  frame.attributes.pop_back();
  frame.material.clear();
  const SurfaceMesh mesh = make_surface(frame, {});
  EXPECT_TRUE(mesh.velocities.empty());
  EXPECT_EQ(mesh.material.size(), mesh.positions.size());
}

TEST(VertexAttributes, materials_can_be_left_out) {
  ParticleFrame frame = ball({}, 0.2);
  const double first = total_volume(frame);
  const ParticleFrame other = ball({.shift = {1, 0, 0}}, 0.3);
  for (std::size_t i = 0; i < other.material.size(); ++i)
    add_particle(frame, {other.position[3 * i], other.position[3 * i + 1], other.position[3 * i + 2]},
                 0.05 * 0.05 * 0.05, 1);
  const SurfaceMesh mesh = make_surface(frame, {.surfaced = {true, false}});
  EXPECT_NEAR(enclosed_volume(mesh) / first, 1, 0.02);
  for (const auto& x : mesh.positions) ASSERT_LT(x.x, 0.5f);
  EXPECT_TRUE(make_surface(frame, {.surfaced = {false, false}}).triangles.empty());
}

TEST(SurfaceOptions, of_a_scene) {
  Scene scene;
  scene.settings.cell_size = 0.01;
  scene.materials = {{.name = "cream", .model = "herschel-bulkley", .parameters = {}},
                     {.name = "beach", .model = "neo-hookean", .parameters = {}, .look = "sand"},
                     {.name = "ghost", .model = "neo-hookean", .parameters = {}, .look = "hidden"}};
  scene.bodies = {{.material = "cream", .shape = {}, .particles_per_cell = 8},
                  {.material = "beach", .shape = {}, .particles_per_cell = 1}};
  scene.output.surface_method = "sharp";
  const SurfaceOptions options = surface_options(scene);
  EXPECT_EQ(options.method, SurfaceMethod::sharp);
  EXPECT_EQ(options.surfaced, (std::vector<bool>{true, false, false}));
  EXPECT_NEAR(options.cell, 0.0025, 1e-12);
  scene.bodies.clear();
  EXPECT_EQ(surface_options(scene).cell, 0);
}

}  // namespace
}  // namespace dollop
