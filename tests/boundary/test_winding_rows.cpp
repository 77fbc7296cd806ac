#include "boundary/winding_rows.h"

#include <gtest/gtest.h>

#include "boundary/mesh_samples.h"
#include "boundary/sample_shapes.h"

namespace dollop {
namespace {

using namespace test;

constexpr int size = 33;

// nodes lie on faces, edges and corners: a row is never half inside
TEST(winding_rows, of_a_cube_whose_corners_are_nodes) {
  const WindingRows rows(cube_mesh({8, 8, 8}, {24, 24, 24}), {0, 0, 0}, 1, size, size);
  const auto within = [](int a) { return a > 8 && a <= 24; };  // half-open, so that neighbours share no node
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j)
      for (int k = 0; k < size; ++k)
        ASSERT_EQ(rows.winding(i, j, k), within(i) && within(j) && within(k)) << i << " " << j << " " << k;
  EXPECT_DOUBLE_EQ(rows.inside_length(), 16 * 16 * 16);
}

TEST(winding_rows, counts_turns) {
  const TriangleMesh outer = sphere_mesh({16, 16, 16}, 12, 4), inner = sphere_mesh({16, 16, 16}, 6, 4);
  const auto at_middle = [](const TriangleMesh& mesh) {
    return WindingRows(mesh, {0, 0, 0}, 1, size, size).winding(16, 16, 16);
  };
  EXPECT_EQ(at_middle(outer), 1);
  EXPECT_EQ(at_middle(inside_out(outer)), -1);
  EXPECT_EQ(at_middle(together(outer, inner)), 2);
  EXPECT_EQ(at_middle(together(outer, inside_out(inner))), 0);  // a cavity
}

TEST(winding_rows, is_zero_beyond_every_closed_mesh) {
  Random random;
  for (int n = 0; n < 20; ++n) {
    TriangleMesh mesh = sphere_mesh({0, 0, 0}, 1, 2);
    for (Double3& p : mesh.points)  // crumpled, some corners on the nodes
      for (double& c : p) c = 16 + 10 * c + (random.in(0, 1) < 0.5 ? random.in(-1, 1) : std::round(c) - c);
    const WindingRows rows(mesh, {0, 0, 0}, 1, size, size);
    for (int j = 0; j < size; ++j)
      for (int k = 0; k < size; ++k) ASSERT_EQ(rows.winding(size, j, k), 0);
  }
}

TEST(winding_rows, inside_length_of_a_sphere_is_its_volume) {
  const TriangleMesh mesh = sphere_mesh({16.3, 16.1, 15.8}, 12, 4);
  const WindingRows rows(mesh, {0, 0, 0}, 1, size, size);
  EXPECT_NEAR(rows.inside_length() / signed_volume(mesh), 1, 0.01);
}

}  // namespace
}  // namespace dollop
