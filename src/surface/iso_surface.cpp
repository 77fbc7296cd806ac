#include "surface/iso_surface.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>

#include "core/assert.h"
#include "core/parallel.h"
#include "surface/cell_loops.h"

namespace dollop {
namespace {

// The surface within one block.
struct Part {
  std::vector<std::uint32_t> cells = {};   // indices of the intersected cells, ascending
  std::vector<std::uint8_t> inside = {};   // a bit for each corner of these cells
  std::vector<bool> flipped = {};          // ambiguous faces of the cell use FaceRule::cut_outer
  std::vector<std::uint32_t> first = {};   // the first vertex of each cell
  std::vector<Vec3<float>> vertices = {};  // [m]
  std::size_t vertex_offset = 0;           // number of vertices of all previous blocks
};

const CellLoops& loops_of(const Part& part, std::size_t c) {
  return cell_loops(part.flipped[c] ? FaceRule::cut_outer : FaceRule::cut_inner, part.inside[c]);
}

// The input of a block's surface.
struct BlockView {
  const SplineField& field;
  std::size_t slot;
  const SplineTile& tile;
  const FineSamples& samples;
  float level;

  int corners(int i, int j, int k) const {
    int inside = 0;
    for (int c = 0; c < 8; ++c)
      inside |= (samples(i + (c >> 2), j + (c >> 1 & 1), k + (c & 1)) >= level ? 1 : 0) << c;
    return inside;
  }
};

// Whether a cell and its neighbour both have the face between them in `pinched`.
bool must_flip(const BlockView& view, int inside, const std::array<int, 3>& cell) {
  const int pinched = cell_loops(FaceRule::cut_inner, inside).pinched;
  for (int face = 0; face < 6; ++face) {
    if ((pinched >> face & 1) == 0) continue;
    std::array<int, 3> other = cell;
    other[std::size_t(face / 2)] += face % 2 ? 1 : -1;
    const int beyond = view.corners(other[0], other[1], other[2]);
    if (cell_loops(FaceRule::cut_inner, beyond).pinched >> (face ^ 1) & 1) return true;
  }
  return false;
}

// Projects a point of a cell onto the isosurface by Newton's method, within the cell; positions are in voxels.
Vec3<float> project_to_level(const BlockView& view, const std::array<int, 3>& cell, Vec3<float> g) {
  const float width = 1 / float(view.samples.refine());
  for (int round = 0; round < 2; ++round) {
    const Vec3<float> gradient = view.tile.gradient(g);
    const float square = dot(gradient, gradient);
    if (square < 1e-8f) break;  // the gradient vanishes
    const float step = (view.level - view.tile.at(g)) / square;
    for (int a = 0; a < 3; ++a) {
      const float low = width * float(cell[std::size_t(a)]);
      g[a] = std::clamp(g[a] + step * gradient[a], low, low + width);
    }
  }
  return g;
}

// The vertex of a loop: the mean of its crossings with the edges, projected onto the isosurface.
Vec3<float> loop_vertex(const BlockView& view, const std::array<int, 3>& cell, const CellLoops& loops,
                        int loop) {
  Vec3<float> sum{0, 0, 0};
  float count = 0;
  for (int edge = 0; edge < 12; ++edge) {
    if (loops.of_edge[std::size_t(edge)] != loop) continue;
    const auto [a, b] = edge_corners(edge);
    const Vec3<float> low{float(a >> 2), float(a >> 1 & 1), float(a & 1)};
    const float value = view.samples(cell[0] + (a >> 2), cell[1] + (a >> 1 & 1), cell[2] + (a & 1));
    const float next = view.samples(cell[0] + (b >> 2), cell[1] + (b >> 1 & 1), cell[2] + (b & 1));
    sum = sum + low;
    sum[edge / 4] += (view.level - value) / (next - value);
    ++count;
  }
  const float inverse = 1 / float(view.samples.refine());
  const Vec3<float> corner{float(cell[0]), float(cell[1]), float(cell[2])};
  return project_to_level(view, cell, inverse * (corner + (1 / count) * sum));
}

Part part_of(const BlockView& view) {
  Part part;
  const int n = view.samples.cells();
  const BlockCoord block = coord_of(view.field.blocks.keys[view.slot]);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        const int inside = view.corners(i, j, k);
        if (inside == 0 || inside == 255) continue;
        const std::array<int, 3> cell{i, j, k};
        part.cells.push_back(std::uint32_t((i * n + j) * n + k));
        part.inside.push_back(std::uint8_t(inside));
        part.flipped.push_back(must_flip(view, inside, cell));
        part.first.push_back(std::uint32_t(part.vertices.size()));
        const CellLoops& loops = loops_of(part, part.cells.size() - 1);
        for (int loop = 0; loop < loops.count; ++loop) {
          const Vec3<float> g = loop_vertex(view, cell, loops, loop);
          Vec3<float> x;
          for (int a = 0; a < 3; ++a)
            x[a] = float(view.field.voxel * (double(voxels_on_edge) * block[std::size_t(a)] + double(g[a])));
          part.vertices.push_back(x);
        }
      }
  return part;
}

// Whether the isosurface may pass through or next to a block.
bool may_intersect(const SplineTile& tile, float level) {
  const auto [low, high] = std::minmax_element(std::begin(tile.values), std::end(tile.values));
  return *low < level && *high >= level;
}

std::vector<Part> parts_of(const SplineField& field, int refine, float level) {
  std::vector<Part> parts(field.blocks.size());
  tbb::enumerable_thread_specific<FineSamples> scratch([&] { return FineSamples(refine); });
  parallel_for(parts.size(), 8, [&](std::size_t slot) {
    SplineTile tile;
    load_tile(field, slot, tile);
    if (!may_intersect(tile, level)) return;
    FineSamples& samples = scratch.local();
    samples.load(tile);
    parts[slot] = part_of({field, slot, tile, samples, level});
  });
  std::size_t count = 0;
  for (Part& part : parts) {
    part.vertex_offset = count;
    count += part.vertices.size();
  }
  return parts;
}

// Finds the vertices of cells, also of cells in neighbouring blocks.
class VertexFinder {
 public:
  VertexFinder(const BlockTable& blocks, const std::vector<Part>& parts, int cells)
      : blocks_(blocks), parts_(parts), cells_(cells) {}

  // the vertex of the loop that cuts this edge of a cell; cell indices may be -1, in the previous block
  std::uint32_t operator()(std::size_t slot, std::array<int, 3> cell, int edge) const {
    int offset[3];
    for (std::size_t a = 0; a < 3; ++a) {
      offset[a] = cell[a] < 0 ? -1 : 0;
      cell[a] -= offset[a] * cells_;
    }
    const std::int32_t other =
        blocks_.neighbours[slot][std::size_t(neighbour_at(offset[0], offset[1], offset[2]))];
    DOLLOP_ASSERT(other >= 0);  // blocks extend beyond the surface
    const Part& part = parts_[std::size_t(other)];
    const std::uint32_t cell_index = std::uint32_t((cell[0] * cells_ + cell[1]) * cells_ + cell[2]);
    const std::size_t c =
        std::size_t(std::lower_bound(part.cells.begin(), part.cells.end(), cell_index) - part.cells.begin());
    return std::uint32_t(part.vertex_offset + part.first[c] + loops_of(part, c).of_edge[std::size_t(edge)]);
  }

 private:
  const BlockTable& blocks_;
  const std::vector<Part>& parts_;
  int cells_;
};

using Triangle = std::array<std::uint32_t, 3>;

// Splits a quadrilateral along its shorter diagonal.
void add_quad(const std::array<std::uint32_t, 4>& q, const std::vector<Vec3<float>>& x,
              std::vector<Triangle>& out) {
  const Vec3<float> a = x[q[2]] - x[q[0]], b = x[q[3]] - x[q[1]];
  if (dot(a, a) <= dot(b, b)) {
    out.push_back({q[0], q[1], q[2]});
    out.push_back({q[0], q[2], q[3]});
  } else {
    out.push_back({q[0], q[1], q[3]});
    out.push_back({q[1], q[2], q[3]});
  }
}

// The quadrilaterals around the edges that begin at the first corner of a cell of this block.
std::vector<Triangle> triangles_of(const Part& part, std::size_t slot, int cells, const VertexFinder& vertex,
                                   const std::vector<Vec3<float>>& positions) {
  std::vector<Triangle> triangles;
  for (std::size_t c = 0; c < part.cells.size(); ++c) {
    const int cell_index = int(part.cells[c]);
    const std::array<int, 3> cell{cell_index / (cells * cells), cell_index / cells % cells,
                                  cell_index % cells};
    const bool inside = part.inside[c] & 1;
    for (int axis = 0; axis < 3; ++axis) {
      if (inside == bool(part.inside[c] >> (4 >> axis) & 1)) continue;
      const std::size_t u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
      std::array<std::uint32_t, 4> quad;
      constexpr int around[4][2]{{0, 0}, {1, 0}, {1, 1}, {0, 1}};
      for (std::size_t q = 0; q < 4; ++q) {
        std::array<int, 3> other = cell;
        other[u] -= around[q][0];
        other[v] -= around[q][1];
        quad[q] = vertex(slot, other, edge_number(axis, around[q][0], around[q][1]));
      }
      // this order is anticlockwise about x and z and clockwise about y, seen from the edge's end
      if (inside == (axis == 1)) std::swap(quad[1], quad[3]);
      add_quad(quad, positions, triangles);
    }
  }
  return triangles;
}

}  // namespace

SurfaceMesh extract_surface(const SplineField& field, int refine, float level) {
  const std::vector<Part> parts = parts_of(field, refine, level);
  SurfaceMesh mesh;
  if (parts.empty()) return mesh;
  mesh.positions.reserve(parts.back().vertex_offset + parts.back().vertices.size());
  for (const Part& part : parts)
    mesh.positions.insert(mesh.positions.end(), part.vertices.begin(), part.vertices.end());

  const int cells = refine * voxels_on_edge;
  const VertexFinder finder(field.blocks, parts, cells);
  std::vector<std::vector<Triangle>> triangles(parts.size());
  parallel_for(parts.size(), 8, [&](std::size_t slot) {
    triangles[slot] = triangles_of(parts[slot], slot, cells, finder, mesh.positions);
  });
  std::size_t count = 0;
  for (const auto& of_block : triangles) count += of_block.size();
  mesh.triangles.reserve(count);
  for (const auto& of_block : triangles)
    mesh.triangles.insert(mesh.triangles.end(), of_block.begin(), of_block.end());
  return mesh;
}

}  // namespace dollop
