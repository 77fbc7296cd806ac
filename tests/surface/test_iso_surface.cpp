// The iso-surface of arbitrary fields is closed, and lies on the level.
#include <map>

#include "bodies.h"
#include "surface/cell_loops.h"
#include "surface/iso_surface.h"
#include "surface/mesh_shape.h"

namespace dollop {
namespace {

// A field of n x n x n blocks; those at the border are zero.
template <class Value>
SplineField field_of(int n, Value&& value) {
  SplineField field;
  field.voxel = 1;
  std::vector<BlockKey> keys;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) keys.push_back(key_of({i - 1, j - 1, k - 1}));
  field.blocks = make_blocks(keys);
  field.coefficients.assign(field.blocks.size() * voxels_in_block, 0);
  for (std::size_t slot = 0; slot < field.blocks.size(); ++slot) {
    const BlockCoord block = coord_of(field.blocks.keys[slot]);
    if (std::any_of(block.begin(), block.end(), [&](int b) { return b < 0 || b >= n - 2; })) continue;
    for (int node = 0; node < voxels_in_block; ++node)
      field.coefficients[slot * voxels_in_block + std::size_t(node)] =
          value(8 * block[0] + (node >> 6), 8 * block[1] + (node >> 3 & 7), 8 * block[2] + (node & 7));
  }
  return field;
}

// Noise without any smoothness: all cases of a cell occur, next to each other in all ways.
TEST(IsoSurface, of_noise_is_closed) {
  std::uint64_t state = 5;
  const SplineField field = field_of(4, [&](int, int, int) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return float(state >> 40) / float(1 << 24);
  });
  for (const int refine : {1, 2, 3})
    for (const float level : {0.45f, 0.5f}) {
      const SurfaceMesh mesh = extract_surface(field, refine, level);
      EXPECT_GT(mesh.triangles.size(), 5000u);
      expect_closed(mesh);
    }
}

TEST(IsoSurface, lies_on_the_level) {
  const auto distance = [](double x, double y, double z) {
    return std::sqrt((x - 7.3) * (x - 7.3) + (y - 8.1) * (y - 8.1) + (z - 7.7) * (z - 7.7));
  };
  const SplineField field = field_of(4, [&](int x, int y, int z) {
    return float(std::clamp(0.5 + (5 - distance(x, y, z)) / 10, 0.0, 1.0));
  });
  for (const int refine : {1, 2, 4}) {
    const SurfaceMesh mesh = extract_surface(field, refine, 0.5f);
    expect_closed(mesh);
    EXPECT_EQ(count_pieces(mesh), 1);
    double low = 100, high = 0;
    for (const auto& x : mesh.positions) {
      low = std::min(low, distance(x.x, x.y, x.z));
      high = std::max(high, distance(x.x, x.y, x.z));
    }
    EXPECT_LT(high - low, 0.05);            // round, as the splines are
    EXPECT_NEAR((low + high) / 2, 5, 0.1);  // splines smooth the cone of distances a little
    EXPECT_NEAR(enclosed_volume(mesh) / (4.0 / 3.0 * M_PI * low * low * low), 1, refine > 1 ? 0.01 : 0.03);
  }
}

// Each cut edge has one loop, and the edges of a loop belong to faces that it crosses.
TEST(CellLoops, every_cut_edge_has_one) {
  for (const FaceRule rule : {FaceRule::cut_inner, FaceRule::cut_outer})
    for (int inside = 0; inside < 256; ++inside) {
      const CellLoops& loops = cell_loops(rule, inside);
      std::map<int, int> edges_of;
      for (int edge = 0; edge < 12; ++edge) {
        const auto [a, b] = edge_corners(edge);
        const bool cut = (inside >> a & 1) != (inside >> b & 1);
        EXPECT_EQ(loops.of_edge[std::size_t(edge)] < loops.count, cut);
        if (cut) ++edges_of[loops.of_edge[std::size_t(edge)]];
      }
      EXPECT_EQ(edges_of.size(), loops.count);
      for (const auto& [loop, edges] : edges_of) EXPECT_GE(edges, 3);
      // turning the cube inside out turns the rule round
      const FaceRule other = rule == FaceRule::cut_inner ? FaceRule::cut_outer : FaceRule::cut_inner;
      EXPECT_EQ(cell_loops(other, 255 - inside).of_edge, loops.of_edge);
    }
}

TEST(MeshShape, smoothing_keeps_the_volume_and_takes_the_noise) {
  SurfaceMesh mesh = make_surface(ball({}, 0.4), {});
  const double before = enclosed_volume(mesh);
  SurfaceMesh rough = mesh;
  std::uint64_t state = 3;
  for (auto& x : rough.positions) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    x = (1 + 0.02f * (float(state >> 40) / float(1 << 23) - 1)) * x;
  }
  const auto roughness = [](const SurfaceMesh& m) {  // of the radius, root of the mean square
    double sum = 0, squares = 0;
    for (const auto& x : m.positions) {
      sum += norm(x);
      squares += double(dot(x, x));
    }
    const double n = double(m.positions.size());
    return std::sqrt(squares / n - sum / n * sum / n);
  };
  const double noise = roughness(rough);
  smooth_mesh(vertex_rings(rough), 10, rough);
  EXPECT_LT(roughness(rough), 0.6 * noise);
  EXPECT_NEAR(enclosed_volume(rough) / before, 1, 0.01);
}

TEST(MeshShape, fit_volume_stops_at_the_limit) {
  SurfaceMesh mesh = make_surface(ball({}, 0.4), {});
  const VertexRings rings = vertex_rings(mesh);
  const double radius = norm(mesh.positions[0]);
  fit_volume(rings, 8 * enclosed_volume(mesh), 0.05, mesh);
  EXPECT_NEAR(norm(mesh.positions[0]), radius + 0.05, 0.005);
}

}  // namespace
}  // namespace dollop
