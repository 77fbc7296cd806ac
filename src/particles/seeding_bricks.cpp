#include "particles/seeding_bricks.h"

#include <dollop/scene.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "boundary/shape_depth.h"

namespace dollop {
namespace {

constexpr int max_images = 1000;   // of a folded shape: more suggest a mistake in a unit
constexpr double rounding = 1e-9;  // relative, of distances

// The error bound of the magnitude of a shape's distance: meshes interpolate it on voxels.
double slack_of(const Shape& shape);

struct Slack {
  double operator()(const Mesh& mesh) const { return mesh.voxel_size; }
  double operator()(const MeshSequence& sequence) const {
    double slack = 0;
    for (const Mesh& mesh : sequence.frames) slack = std::max(slack, mesh.voxel_size);
    return slack;
  }
  double operator()(const Placed& placed) const {
    return *std::max_element(placed.scale.begin(), placed.scale.end()) * slack_of(*placed.shape);
  }
  double operator()(const Union& set) const { return of_all(set.shapes); }
  double operator()(const Intersect& set) const { return of_all(set.shapes); }
  double operator()(const Minus& set) const { return of_all(set.shapes); }
  template <class Exact>
  double operator()(const Exact&) const {
    return 0;
  }
  static double of_all(const std::vector<Shape>& shapes) {
    double slack = 0;
    for (const Shape& shape : shapes) slack = std::max(slack, slack_of(shape));
    return slack;
  }
};

double slack_of(const Shape& shape) { return std::visit(Slack{}, shape.form); }

enum class Side { inside, outside, both };

// which side of the surface a box is on, by the signed distance at its centre (SEED.2)
Side side_of(const SeedRegion& region, const Double3& center, const Double3& half) {
  const double phi = region.distance(center);
  const double reach = (1 + rounding) * std::hypot(half[0], half[1], half[2]) + region.slack();
  return phi > reach ? Side::outside : phi < -reach ? Side::inside : Side::both;
}

std::size_t longest(const Double3& a) {
  return std::size_t(std::max_element(a.begin(), a.end()) - a.begin());
}

// The volume fraction of a box behind a plane, given by phi and the normal at the centre of the box (SEED.7).
double share_behind(const SurfaceSample& plane, const Double3& half) {
  Double3 e;
  for (std::size_t d = 0; d < 3; ++d) e[d] = std::fabs(plane.normal[d]) * half[d];
  const double most = e[longest(e)];
  for (double& a : e)
    a = std::max(a, 1e-3 * most);  // avoids cancellation if the plane is parallel to an edge
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    double depth = -plane.distance, sign = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      const double side = corner >> d & 1 ? 1 : -1;
      depth += side * e[d];
      sign *= side;
    }
    sum += sign * std::pow(std::max(0.0, depth), 3);
  }
  return std::clamp(sum / (48 * e[0] * e[1] * e[2]), 0.0, 1.0);
}

// The volume fraction of a box behind at least one of several planes. The overlap of two fractions depends on the angle
// between the normals: it is the smaller fraction if they are equal, the product at a right angle, and the least
// possible overlap if they are opposite, as where two members of a union touch.                          (SEED.17)
struct Share {
  double part;
  Double3 normal;
};

double joint_share(const std::vector<Share>& shares) {
  const auto largest = std::max_element(shares.begin(), shares.end(),
                                        [](const Share& a, const Share& b) { return a.part < b.part; });
  double joint = largest->part;
  for (auto one = shares.begin(); one != shares.end(); ++one) {
    if (one == largest || one->part == 0) continue;
    double c = 0;
    for (std::size_t d = 0; d < 3; ++d) c += one->normal[d] * largest->normal[d];
    const double least = std::max(0.0, joint + one->part - 1), most = std::min(joint, one->part);
    const double product = joint * one->part, limit = c < 0 ? least : most;
    joint += one->part - (product + std::fabs(c) * (limit - product));
  }
  return std::clamp(joint, 0.0, 1.0);
}

// The members of a union and of unions within it; any other shape is its only member. Unions must not be placed.
std::vector<Shape> union_of(const Shape& shape) {
  const auto* set = std::get_if<Union>(&shape.form);
  if (!set) return {shape};
  std::vector<Shape> members;
  for (const Shape& one : set->shapes)
    for (Shape& member : union_of(one)) members.push_back(std::move(member));
  return members;
}

struct Periods {
  double first, last;
};

// The periods of an axis that a longer shape lies in; the same one twice where nothing is folded.
Periods periods_of(const Bounds& box, const BlockSpace& space, std::size_t d) {
  const double period = 4.0 * space.period[d] * space.cell_size;
  if (space.period[d] == 0 || !(box.max[d] - box.min[d] > period * (1 + 1e-9))) return {0, 0};
  return {std::floor((box.min[d] - space.origin[d]) / period),
          std::floor((box.max[d] - space.origin[d]) / period)};
}

struct BrickRange {
  std::array<std::int64_t, 3> first, end;
};

class BrickSearch {
 public:
  BrickSearch(const SeedRegion& region, const BrickLattice& lattice) : region_(region), lattice_(lattice) {}

  void search(const BrickRange& range) {
    Double3 center, half;
    for (std::size_t d = 0; d < 3; ++d) {
      const double middle = 0.5 * (double(range.first[d]) + double(range.end[d]));
      center[d] = lattice_.origin[d] + lattice_.width[d] * middle;
      half[d] = 0.5 * lattice_.width[d] * double(range.end[d] - range.first[d]);
    }
    const Side side = side_of(region_, center, half);
    if (side == Side::outside) return;
    if (side == Side::inside || is_one(range)) return take(range, side == Side::inside);
    split(range, half);
  }

  std::vector<Brick> bricks;

 private:
  static bool is_one(const BrickRange& r) {
    return r.end[0] - r.first[0] == 1 && r.end[1] - r.first[1] == 1 && r.end[2] - r.first[2] == 1;
  }
  void take(const BrickRange& r, bool inside) {
    for (std::int64_t i = r.first[0]; i < r.end[0]; ++i)
      for (std::int64_t j = r.first[1]; j < r.end[1]; ++j)
        for (std::int64_t k = r.first[2]; k < r.end[2]; ++k) bricks.push_back({{i, j, k}, inside});
  }
  void split(const BrickRange& range, Double3 half) {
    for (std::size_t d = 0; d < 3; ++d)
      if (range.end[d] - range.first[d] == 1) half[d] = 0;  // cannot be split
    const std::size_t axis = longest(half);
    BrickRange low = range, high = range;
    low.end[axis] = high.first[axis] = range.first[axis] + (range.end[axis] - range.first[axis]) / 2;
    search(low);
    search(high);
  }

  const SeedRegion& region_;
  const BrickLattice& lattice_;
};

}  // namespace

std::string extent_fault(const Shape& shape, const BlockSpace& space) {
  const Bounds box = bounds(shape);
  double images = 1;
  for (std::size_t d = 0; d < 3; ++d)
    if (const auto [first, last] = periods_of(box, space, d); std::isfinite(last - first))
      images *= last - first + 1;
  return images > max_images
             ? "the shape is far longer than the period of the domain; shorten it to fit the domain"
             : "";
}

SeedRegion::SeedRegion(const Shape& shape, const BlockSpace& space)
    : shape_(shape), box_(bounds(shape)), slack_(slack_of(shape)), images_{{0, 0, 0}} {
  if (empty() || unbounded()) return;
  if (const std::string fault = extent_fault(shape, space); !fault.empty()) throw SceneError(fault);
  for (std::size_t d = 0; d < 3; ++d) {
    const auto [first, last] = periods_of(box_, space, d);
    if (first == last) continue;
    const double period = 4.0 * space.period[d] * space.cell_size;
    std::vector<Double3> images;
    for (const Double3& image : images_)
      for (double k = first; k <= last; ++k) {
        images.push_back(image);
        images.back()[d] = -k * period;
      }
    images_ = std::move(images);
    folded_[d] = true;
    box_.min[d] = space.origin[d];
    box_.max[d] = space.origin[d] + period;
  }
}

bool SeedRegion::empty() const {
  for (std::size_t d = 0; d < 3; ++d)
    if (box_.max[d] < box_.min[d]) return true;
  return false;
}

bool SeedRegion::unbounded() const {
  for (std::size_t d = 0; d < 3; ++d)
    if (!std::isfinite(box_.min[d]) || !std::isfinite(box_.max[d])) return true;
  return false;
}

double SeedRegion::distance(const Double3& x) const {
  double least = std::numeric_limits<double>::infinity();
  for (const Double3& a : images_)
    least = std::min(least, signed_distance(shape_, {x[0] - a[0], x[1] - a[1], x[2] - a[2]}));
  return least;
}

double SeedRegion::volume(double resolution, std::size_t boxes) const {
  if (empty()) return 0;
  const auto exact = dollop::volume(shape_);
  if (exact && images_.size() == 1) return *exact;
  return unbounded() ? std::numeric_limits<double>::infinity() : measured_volume(resolution, boxes);
}

// Bisects the boxes that the surface may cross, all of them at once, until they are many or small. Each remaining box
// counts with the fraction that flat surfaces at these distances would leave inside: those of all members of a union
// together, since a face that two of them share is not a surface (SEED.7, SEED.17).
double SeedRegion::measured_volume(double resolution, std::size_t boxes) const {
  Double3 half;
  for (std::size_t d = 0; d < 3; ++d) half[d] = 0.5 * (box_.max[d] - box_.min[d]);
  std::vector<Double3> centers{{box_.min[0] + half[0], box_.min[1] + half[1], box_.min[2] + half[2]}}, halves;
  double inside = 0;
  while (!centers.empty() && centers.size() < boxes && half[longest(half)] > resolution) {
    const std::size_t axis = longest(half);
    half[axis] *= 0.5;
    halves.clear();
    for (const Double3& center : centers)
      for (const double side : {-1.0, 1.0}) {
        Double3 part = center;
        part[axis] += side * half[axis];
        const Side where = side_of(*this, part, half);
        if (where == Side::both) halves.push_back(part);
        if (where == Side::inside) inside += 8 * half[0] * half[1] * half[2];
      }
    centers.swap(halves);
  }
  const std::vector<Shape> members = union_of(with_placed_members(shape_));
  for (const Double3& center : centers) {
    std::vector<Share> shares;
    for (const Double3& a : images_)
      for (const Shape& member : members) {
        const Double3 x{center[0] - a[0], center[1] - a[1], center[2] - a[2]};
        const SurfaceSample plane = sample_surface(member, x);
        shares.push_back({share_behind(plane, half), plane.normal});
      }
    inside += 8 * half[0] * half[1] * half[2] * joint_share(shares);
  }
  return inside;
}

std::vector<Brick> find_bricks(const SeedRegion& region, const BrickLattice& lattice) {
  for (std::size_t d = 0; d < 3; ++d)
    if (lattice.end[d] <= lattice.first[d]) return {};
  BrickSearch search(region, lattice);
  search.search({lattice.first, lattice.end});
  const auto earlier = [](const Brick& a, const Brick& b) { return a.at < b.at; };
  std::sort(search.bricks.begin(), search.bricks.end(), earlier);
  return std::move(search.bricks);
}

std::vector<BrickSlab> slabs_of(const std::vector<Brick>& bricks) {
  std::vector<BrickSlab> slabs;
  for (std::size_t b = 0; b < bricks.size(); ++b) {
    if (b == 0 || bricks[b].at[0] != bricks[b - 1].at[0]) slabs.push_back({b, b});
    slabs.back().end = b + 1;
  }
  return slabs;
}

}  // namespace dollop
