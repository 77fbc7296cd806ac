#include "surface/cell_loops.h"

namespace dollop {
namespace {

constexpr std::uint8_t none = 255;

int corner_at(int axis, int along, int u, int v) {
  const int first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
  return along << (2 - axis) | u << (2 - first) | v << (2 - second);
}

int edge_between(int a, int b) {
  for (int edge = 0; edge < 12; ++edge) {
    const auto [low, high] = edge_corners(edge);
    if ((low == a && high == b) || (low == b && high == a)) return edge;
  }
  return -1;
}

// Two edges are linked if the surface crosses a face from one to the other; each edge has at most two links.
struct Links {
  std::array<std::array<std::uint8_t, 2>, 12> to;
  Links() {
    for (auto& pair : to) pair = {none, none};
  }
  void join(int a, int b) {
    to[std::size_t(a)][to[std::size_t(a)][0] == none ? 0 : 1] = std::uint8_t(b);
    to[std::size_t(b)][to[std::size_t(b)][0] == none ? 0 : 1] = std::uint8_t(a);
  }
};

// The corners of a face in cyclic order.
std::array<int, 4> face_corners(int face) {
  const int axis = face / 2, along = face % 2;
  return {corner_at(axis, along, 0, 0), corner_at(axis, along, 0, 1), corner_at(axis, along, 1, 1),
          corner_at(axis, along, 1, 0)};
}

// Links the edges of a face; returns whether the face is ambiguous.
bool link_face(FaceRule rule, int inside, int face, Links& links) {
  const std::array<int, 4> corner = face_corners(face);
  int edges[4], cut = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const int a = corner[i], b = corner[(i + 1) % 4];
    if ((inside >> a & 1) != (inside >> b & 1)) edges[cut++] = edge_between(a, b);
  }
  if (cut == 2) links.join(edges[0], edges[1]);
  if (cut != 4) return false;
  // edges[i] runs from corner i to the next: joining edges i - 1 and i separates corner i
  const bool first_is_separated = (inside >> corner[0] & 1) == (rule == FaceRule::cut_inner ? 1 : 0);
  links.join(edges[first_is_separated ? 3 : 0], edges[first_is_separated ? 0 : 1]);
  links.join(edges[first_is_separated ? 1 : 2], edges[first_is_separated ? 2 : 3]);
  return true;
}

CellLoops find_loops(FaceRule rule, int inside) {
  Links links;
  int ambiguous = 0;
  for (int face = 0; face < 6; ++face)
    if (link_face(rule, inside, face, links)) ambiguous |= 1 << face;
  CellLoops loops;
  loops.of_edge.fill(none);
  for (std::size_t start = 0; start < 12; ++start) {
    if (links.to[start][0] == none || loops.of_edge[start] != none) continue;
    for (std::size_t edge = start; loops.of_edge[edge] == none;) {
      loops.of_edge[edge] = loops.count;
      const std::uint8_t next = links.to[edge][0];
      edge = loops.of_edge[next] == none ? next : links.to[edge][1];
    }
    ++loops.count;
  }
  for (int face = 0; face < 6; ++face) {
    if ((ambiguous >> face & 1) == 0) continue;
    const std::array<int, 4> corner = face_corners(face);
    bool one = true;
    for (std::size_t i = 0; i < 4; ++i)
      one = one && loops.of_edge[std::size_t(edge_between(corner[i], corner[(i + 1) % 4]))] ==
                       loops.of_edge[std::size_t(edge_between(corner[0], corner[1]))];
    if (one) loops.pinched |= std::uint8_t(1 << face);
  }
  return loops;
}

std::array<std::array<CellLoops, 256>, 2> all_loops() {
  std::array<std::array<CellLoops, 256>, 2> table;
  for (int inside = 0; inside < 256; ++inside) {
    table[0][std::size_t(inside)] = find_loops(FaceRule::cut_inner, inside);
    table[1][std::size_t(inside)] = find_loops(FaceRule::cut_outer, inside);
  }
  return table;
}

}  // namespace

std::array<int, 2> edge_corners(int edge) {
  const int axis = edge / 4, u = edge >> 1 & 1, v = edge & 1;
  return {corner_at(axis, 0, u, v), corner_at(axis, 1, u, v)};
}

const CellLoops& cell_loops(FaceRule rule, int inside) {
  static const std::array<std::array<CellLoops, 256>, 2> table = all_loops();
  return table[rule == FaceRule::cut_inner ? 0 : 1][std::size_t(inside)];
}

}  // namespace dollop
