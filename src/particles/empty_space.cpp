#include "particles/empty_space.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.h"

namespace dollop {
namespace {

constexpr float ball_radius = 2;                           // [r]
const float sweep_radius = ball_radius + std::sqrt(3.0f);  // [r]
constexpr int sweep_reach = 3;                             // nodes
constexpr int patch_width = brick_width + 2 * sweep_reach;
constexpr std::int32_t endless = std::numeric_limits<std::int32_t>::max();

// the neighbour of a brick on one side: 0 and 1 are below and above on the x axis, and so on
BlockCoord beside(BlockCoord brick, int side) {
  brick[std::size_t(side / 2)] += side % 2 ? 1 : -1;
  return brick;
}

template <class Bits>
bool has(const Bits& bits, int i, int j, int k) {
  return bits[std::size_t(i)] >> (8 * j + k) & 1;
}
template <class Bits>
void set(Bits& bits, int i, int j, int k) {
  bits[std::size_t(i)] |= std::uint64_t(1) << (8 * j + k);
}
template <class Bits>
bool any(const Bits& bits) {
  return std::any_of(bits.begin(), bits.end(), [](std::uint64_t word) { return word != 0; });
}

// offsets of nodes nearer than the sweep radius, nearest first
std::vector<CellCoord> ball_of_nodes() {
  std::vector<CellCoord> ball;
  const auto square = [](const CellCoord& o) { return o[0] * o[0] + o[1] * o[1] + o[2] * o[2]; };
  for (int i = -sweep_reach; i <= sweep_reach; ++i)
    for (int j = -sweep_reach; j <= sweep_reach; ++j)
      for (int k = -sweep_reach; k <= sweep_reach; ++k)
        if (float(square({i, j, k})) < sweep_radius * sweep_radius) ball.push_back({i, j, k});
  std::stable_sort(ball.begin(), ball.end(),
                   [&](const CellCoord& a, const CellCoord& b) { return square(a) < square(b); });
  return ball;
}

}  // namespace

EmptySpace::EmptySpace(const SphereDistance& distance)
    : distance_(distance), far_(distance.bricks().size(), Bits{}), pocket_(far_) {
  for (int d = 2; d >= 0; --d)
    if (distance.bricks().space().period[std::size_t(d)] == 0) axis_ = d;
  if (axis_ >= 0) {
    find_gaps();
    flood();
  }
  const auto ball = ball_of_nodes();
  parallel_for(pocket_.size(), 4, [&](std::size_t b) { find_pockets(b, ball); });
}

void EmptySpace::find_gaps() {
  const BrickMap& map = distance_.bricks();
  const std::size_t along = std::size_t(axis_), e = (along + 1) % 3, f = (along + 2) % 3;
  std::vector<BlockCoord> bricks;
  for (std::size_t b = 0; b < map.size(); ++b) bricks.push_back(map.coord(b));
  const auto by_line = [&](const BlockCoord& a, const BlockCoord& b) {
    return std::array{a[e], a[f], a[along]} < std::array{b[e], b[f], b[along]};
  };
  std::sort(bricks.begin(), bricks.end(), by_line);
  const auto add_gap = [&](std::int32_t begin, std::int32_t end, bool far) {
    if (begin < end) gaps_.push_back({begin, end, lines_.size() - 1, far});
  };
  for (std::size_t b = 0; b < bricks.size(); ++b) {
    const BlockCoord& c = bricks[b];
    if (b == 0 || c[e] != bricks[b - 1][e] || c[f] != bricks[b - 1][f]) {
      lines_.push_back({{c[e], c[f]}, gaps_.size(), 0});
      add_gap(-endless, c[along], true);
    }
    const bool last = b + 1 == bricks.size() || c[e] != bricks[b + 1][e] || c[f] != bricks[b + 1][f];
    add_gap(c[along] + 1, last ? endless : bricks[b + 1][along], last);
    if (last) lines_.back().last = gaps_.size();
  }

  faces_.resize(gaps_.size());
  beside_.resize(map.size());
  for (std::size_t b = 0; b < map.size(); ++b)
    for (int side = 0; side < 6; ++side) {
      std::int32_t& gap = beside_[b][std::size_t(side)];
      const BlockCoord there = beside(map.coord(b), side);
      gap = map.find(there) != BrickMap::none ? present : gap_at(there);
      if (gap >= 0) faces_[std::size_t(gap)].push_back({b, side});
    }
}

auto EmptySpace::find_line(const BlockCoord& brick) const -> const Line* {
  const BlockCoord c = distance_.bricks().space().wrap(brick);
  const std::array place{c[std::size_t(axis_ + 1) % 3], c[std::size_t(axis_ + 2) % 3]};
  const auto found = std::lower_bound(lines_.begin(), lines_.end(), place,
                                      [](const Line& line, const auto& p) { return line.place < p; });
  return found != lines_.end() && found->place == place ? &*found : nullptr;
}

BlockCoord EmptySpace::place_of(const Gap& gap) const {
  BlockCoord place;
  place[std::size_t(axis_)] = gap.begin;
  place[std::size_t(axis_ + 1) % 3] = lines_[gap.line].place[0];
  place[std::size_t(axis_ + 2) % 3] = lines_[gap.line].place[1];
  return place;
}

std::int32_t EmptySpace::gap_at(const BlockCoord& brick) const {
  const Line* line = find_line(brick);
  if (!line) return beyond;
  // the gap that contains the brick
  const auto first = gaps_.begin() + std::ptrdiff_t(line->first),
             last = gaps_.begin() + std::ptrdiff_t(line->last);
  const auto gap = std::upper_bound(first, last, brick[std::size_t(axis_)],
                                    [](std::int32_t a, const Gap& g) { return a < g.end; });
  DOLLOP_ASSERT(gap != last && gap->begin <= brick[std::size_t(axis_)]);
  return std::int32_t(gap - gaps_.begin());
}

bool EmptySpace::is_far(const BlockCoord& brick) const {
  if (axis_ < 0) return false;
  const std::int32_t gap = gap_at(brick);
  return gap == beyond || gaps_[std::size_t(gap)].far;
}

void EmptySpace::flood() {
  Waiting waiting;
  for (std::size_t g = 0; g < gaps_.size(); ++g) {
    const BlockCoord here = place_of(gaps_[g]);
    for (int side = 0; side < 6; ++side)
      if (side / 2 != axis_ && !find_line(beside(here, side))) gaps_[g].far = true;
    if (gaps_[g].far) waiting.gaps.push_back(g);
  }
  for (std::size_t b = 0; b < beside_.size(); ++b)
    for (int side = 0; side < 6; ++side)
      if (beside_[b][std::size_t(side)] == beyond) enter_face({b, side}, waiting);
  while (!waiting.gaps.empty() || !waiting.nodes.empty()) {
    auto& some = waiting.gaps.empty() ? waiting.nodes : waiting.gaps;
    const std::size_t next = some.back();
    some.pop_back();
    if (&some == &waiting.gaps)
      spread_gap(next, waiting);
    else
      spread_node(next, waiting);
  }
}

void EmptySpace::enter_gap(std::size_t gap, Waiting& waiting) {
  if (gaps_[gap].far) return;
  gaps_[gap].far = true;
  waiting.gaps.push_back(gap);
}

void EmptySpace::enter_node(std::size_t brick, int i, int j, int k, Waiting& waiting) {
  if (has(far_[brick], i, j, k) || !(distance_.value(brick, i, j, k) > ball_radius)) return;
  set(far_[brick], i, j, k);
  waiting.nodes.push_back(brick * brick_size + cell_index(i, j, k));
}

void EmptySpace::enter_face(const Face& face, Waiting& waiting) {
  int n[3];
  const int axis = face.side / 2;
  n[axis] = face.side % 2 ? brick_width - 1 : 0;
  for (int u = 0; u < brick_width; ++u)
    for (int v = 0; v < brick_width; ++v) {
      n[(axis + 1) % 3] = u, n[(axis + 2) % 3] = v;
      enter_node(face.brick, n[0], n[1], n[2], waiting);
    }
}

void EmptySpace::spread_gap(std::size_t gap, Waiting& waiting) {
  for (const Face& face : faces_[gap]) enter_face(face, waiting);
  // gaps of the neighbouring lines that overlap it
  const BlockCoord here = place_of(gaps_[gap]);
  for (int side = 0; side < 6; ++side) {
    const Line* line = side / 2 == axis_ ? nullptr : find_line(beside(here, side));
    for (std::size_t g = line ? line->first : 0; line && g < line->last; ++g)
      if (gaps_[g].begin < gaps_[gap].end && gaps_[gap].begin < gaps_[g].end) enter_gap(g, waiting);
  }
}

void EmptySpace::spread_node(std::size_t node, Waiting& waiting) {
  const std::size_t brick = node / brick_size;
  const int c = int(node % brick_size), here[3] = {c / 64, c / 8 % 8, c % 8};
  for (int side = 0; side < 6; ++side) {
    int n[3] = {here[0], here[1], here[2]};
    n[side / 2] += side % 2 ? 1 : -1;
    const std::int32_t other =
        distance_.bricks().around(brick)[BrickMap::neighbour(n[0] >> 3, n[1] >> 3, n[2] >> 3)];
    if (other != BrickMap::none)
      enter_node(std::size_t(other), n[0] & 7, n[1] & 7, n[2] & 7, waiting);
    else if (const std::int32_t gap = beside_[brick][std::size_t(side)]; gap >= 0)
      enter_gap(std::size_t(gap), waiting);
  }
}

void EmptySpace::find_pockets(std::size_t brick, const std::vector<CellCoord>& ball) {
  Bits shut{};  // nodes that are empty but not far
  for (int i = 0; i < brick_width; ++i)
    for (int j = 0; j < brick_width; ++j)
      for (int k = 0; k < brick_width; ++k)
        if (distance_.value(brick, i, j, k) > 0 && !has(far_[brick], i, j, k)) set(shut, i, j, k);
  if (!any(shut)) return;

  // the far nodes in and around the brick
  bool far[patch_width][patch_width][patch_width];
  const BlockCoord home = distance_.bricks().coord(brick);
  for (int n = 0; n < neighbour_count; ++n) {
    const auto d = neighbour_offset(n);
    const std::int32_t other = distance_.bricks().around(brick)[n];
    const bool all = other == BrickMap::none && is_far(neighbour_of(home, n));
    const auto low = [&](int axis) { return std::max(-sweep_reach, 8 * d[std::size_t(axis)]); };
    const auto high = [&](int axis) {
      return std::min(brick_width + sweep_reach, 8 * d[std::size_t(axis)] + 8);
    };
    for (int i = low(0); i < high(0); ++i)
      for (int j = low(1); j < high(1); ++j)
        for (int k = low(2); k < high(2); ++k)
          far[i + sweep_reach][j + sweep_reach][k + sweep_reach] =
              other == BrickMap::none ? all : has(far_[std::size_t(other)], i & 7, j & 7, k & 7);
  }
  for (int i = 0; i < brick_width; ++i)
    for (int j = 0; j < brick_width; ++j)
      for (int k = 0; k < brick_width; ++k) {
        const auto swept = [&](const CellCoord& o) {
          return far[i + o[0] + sweep_reach][j + o[1] + sweep_reach][k + o[2] + sweep_reach];
        };
        if (has(shut, i, j, k) && std::none_of(ball.begin(), ball.end(), swept)) set(pocket_[brick], i, j, k);
      }
}

bool EmptySpace::load_pockets(std::size_t brick, bool (&pocket)[9][9][9]) const {
  bool found = false;
  const BlockCoord home = distance_.bricks().coord(brick);
  for (int n = 0; n < 8; ++n) {
    const int d[3] = {n >> 2, n >> 1 & 1, n & 1};
    const std::size_t there = BrickMap::neighbour(d[0], d[1], d[2]);
    const std::int32_t other = distance_.bricks().around(brick)[there];
    const bool all = other == BrickMap::none && !is_far(neighbour_of(home, int(there)));
    found = found || all || (other != BrickMap::none && any(pocket_[std::size_t(other)]));
    for (int i = 8 * d[0]; i < 8 + d[0]; ++i)
      for (int j = 8 * d[1]; j < 8 + d[1]; ++j)
        for (int k = 8 * d[2]; k < 8 + d[2]; ++k)
          pocket[i][j][k] =
              other == BrickMap::none ? all : has(pocket_[std::size_t(other)], i & 7, j & 7, k & 7);
  }
  return found;
}

std::uint64_t EmptySpace::closed_bricks() const {
  const auto& period = distance_.bricks().space().period;
  if (axis_ < 0)
    return std::uint64_t(period[0]) * std::uint64_t(period[1]) * std::uint64_t(period[2]) - far_.size();
  std::uint64_t closed = 0;
  for (const Gap& gap : gaps_) closed += gap.far ? 0 : std::uint64_t(gap.end) - std::uint64_t(gap.begin);
  return closed;
}

}  // namespace dollop
