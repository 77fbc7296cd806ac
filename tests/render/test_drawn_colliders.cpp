// How colliders are drawn: meshes by the triangles of their files, and solids whose top lies in a plane.
#include <gtest/gtest.h>

#include "boundary/level_set.h"
#include "boundary/mesh_samples.h"
#include "render/tracer_fixtures.h"

namespace dollop {
namespace {

using test::compare;
using test::front_view;
using test::scene_of;

// a box as a mesh with voxels of a quarter of its width
Shape coarse_box(const Double3& low, const Double3& high) {
  return Mesh{"box", 0.25, make_level_set(test::cube_mesh(low, high), 0.25, "box")};
}

Scene scene_with(const Shape& shape) {
  Scene scene = scene_of("von-mises");
  scene.colliders = {{.name = "box", .shape = shape}};
  return scene;
}

const Rotation turned = rotation_of_angles({0.4, 0.5, 0.2});

// pixels in which a picture of the mesh differs clearly from one of the exact box
template <class Draw>
int different_pixels(Draw&& draw) {
  const Image mesh =
      draw(scene_with(place(coarse_box({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}), turned, {0, 0, 0})));
  const Image exact = draw(scene_with(place(Box{{0, 0, 0}, {1, 1, 1}}, turned, {0, 0, 0})));
  int count = 0;
  for (std::size_t i = 0; i < mesh.pixels.size(); ++i)
    count += norm(mesh.pixels[i] - exact.pixels[i]) > 0.05f;
  return count;
}

TEST(mesh_colliders, previews_show_their_sharp_edges) {
  const auto draw = [](const Scene& scene) { return render_preview(scene, front_view(256, 128), {}); };
  EXPECT_LT(different_pixels(draw), 40);  // of the 4,000 of the box
}

TEST(mesh_colliders, traced_pictures_show_their_sharp_edges) {
  const auto draw = [](const Scene& scene) {
    const PreviewView view = front_view(256, 128);
    return trace_picture({scene, view, {}, {}}, test::with_samples(1));
  };
  EXPECT_LT(different_pixels(draw), 40);
}

TEST(mesh_colliders, panes_show_their_edges) {
  PreviewView view = front_view(256, 128);
  view.see_through = {true};
  EXPECT_LT(different_pixels([&](const Scene& scene) { return render_preview(scene, view, {}); }), 40);
}

TEST(mesh_colliders, rays_that_are_prepared_give_the_same_picture) {
  const Scene scene = scene_with(place(coarse_box({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}), turned, {0, 0, 0}));
  PreviewView view = front_view();
  const Image image = render_preview(scene, view, {});
  view.meshes = std::make_shared<const MeshRays>(scene);
  const Image prepared = render_preview(scene, view, {});
  for (std::size_t i = 0; i < image.pixels.size(); ++i)
    EXPECT_EQ(norm(image.pixels[i] - prepared.pixels[i]), 0);
}

TEST(mesh_colliders, a_sequence_has_its_form_at_the_time_of_the_frame) {
  const auto frame = [](double width) {
    return Mesh{"box", 0.25,
                make_level_set(test::cube_mesh({-width, -0.5, -0.5}, {width, 0.5, 0.5}), 0.25, "box")};
  };
  const Scene scene = scene_with(MeshSequence{.frames = {frame(0.5), frame(1.5)}, .frame_rate = 1});
  const auto width_at = [&](double time) {  // in pixels, at half the height of the picture
    ParticleFrame particles;
    particles.time = time;
    const Image image = render_preview(scene, front_view(), particles),
                empty = render_preview(scene_of("hencky"), front_view(), {});
    int count = 0;
    for (int x = 0; x < image.width; ++x) count += norm(image.at(x, 32) - empty.at(x, 32)) > 0.02f;
    return count;
  };
  EXPECT_NEAR(width_at(0), 37, 2);  // 1 m of 4 at 4 m from the eye, its front at 3.5 m
  EXPECT_NEAR(width_at(0.5), 73, 2);
  EXPECT_NEAR(width_at(1), 110, 2);
}

// pixels of a picture at a time that differ from one without the collider
template <class Draw>
int pixels_of_grip(double time, Draw&& draw) {
  Scene scene = scene_of("von-mises");
  scene.colliders = {{.name = "grip", .shape = Box{}, .from = 1, .until = 2},
                     {.name = "floor", .shape = Plane{{0, -0.5, 0}, {0, 1, 0}}}};
  Scene without = scene;
  without.colliders.erase(without.colliders.begin());
  ParticleFrame frame;
  frame.time = time;
  return compare(draw(scene, frame), draw(without, frame)).count;
}

TEST(grips, are_drawn_only_while_they_are_there) {
  const auto preview = [](const Scene& scene, const ParticleFrame& frame) {
    return render_preview(scene, front_view(), frame);
  };
  const auto traced = [](const Scene& scene, const ParticleFrame& frame) {
    return trace_picture({scene, front_view(64, 32), frame, {}}, test::with_samples(2));
  };
  for (const double time : {0.0, 0.999, 2.0, 3.0}) {
    EXPECT_EQ(pixels_of_grip(time, preview), 0) << time;
    EXPECT_EQ(pixels_of_grip(time, traced), 0) << time;
  }
  for (const double time : {1.0, 1.5, 1.999}) {
    EXPECT_GT(pixels_of_grip(time, preview), 800) << time;
    EXPECT_GT(pixels_of_grip(time, traced), 200) << time;
  }
}

constexpr float height = 0.137f;  // of the stand [m]

// a stand whose top lies in the table that it stands in
Scene stand() {
  Scene scene = scene_of("von-mises");
  scene.colliders = {{.name = "table", .shape = Plane{{0, 0.137, 0}, {0, 1, 0}}},
                     {.name = "stand", .shape = Cylinder{{0, 0.037, 0}, {0, 1, 0}, 0.5, 0.2}},
                     {.name = "wall", .shape = Plane{{0, 0, -1}, {0, 0, 1}}}};
  return scene;
}

// positions on the stand, from which rays go to the eye of table_view()
std::vector<Vec3<float>> places_on_stand() {
  std::vector<Vec3<float>> places;
  for (float r = 0.02f; r < 0.42f; r += 0.01f)
    for (float angle = 0.03f; angle < 6.28f; angle += 0.1f)  // beside the edges of triangles
      places.push_back({r * std::cos(angle), height, r * std::sin(angle)});
  return places;
}

TEST(planes, what_lies_in_them_is_traced) {
  const Scene scene = stand();
  const PreviewView view = test::table_view();
  const ParticleFrame frame;
  const SurfaceMesh surface;
  const Stage stage({scene, view, frame, surface});
  for (const Vec3<float>& x : places_on_stand()) {
    const auto hit = stage.intersect({view.camera.eye, unit(x - view.camera.eye)});
    ASSERT_TRUE(hit);
    EXPECT_FALSE(hit->plane) << x.x << " " << x.z;
  }
  EXPECT_TRUE(stage.intersect({view.camera.eye, Vec3<float>{0.6f, height, 0} - view.camera.eye})->plane);
}

TEST(planes, what_lies_in_them_is_seen_in_previews) {
  PreviewView view = test::table_view(192, 108);
  const Image both = render_preview(stand(), view, {});
  Scene below = stand();
  below.colliders[0].shape = Plane{{0, -0.2, 0}, {0, 1, 0}};
  const Image without = render_preview(below, view, {});
  for (const Vec3<float>& x : places_on_stand()) {
    const Projected p = project(view.camera, x);
    if (std::abs(p.u) > 0.98f || std::abs(p.v) > 0.98f) continue;
    const int px = int(0.5f * (p.u + 1) * float(view.width)), py = int(0.5f * (1 - p.v) * float(view.height));
    EXPECT_LT(norm(both.at(px, py) - without.at(px, py)), 0.05f) << px << " " << py;
  }
}

}  // namespace
}  // namespace dollop
