#include "particles/thin_regions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "core/parallel.h"
#include "math/eigen3.h"
#include "particles/cubic_spline.h"

namespace dollop {
namespace {

constexpr int reach = 2;   // support of the cubic spline on each side [cells]
constexpr int margin = 1;  // distance by which a particle may have left its block [cells]
constexpr int width = 4 + 2 * (margin + reach);

// sums over a neighbourhood, of positions relative to the particle
struct Moments {
  double mass = 0, center[3] = {};                   // with weights w m
  double weight = 0, first[3] = {}, second[6] = {};  // with weights w^2 m^2; xx yy zz xy xz yz

  void add(const double (&d)[3], double mass_weight) {
    const double square = mass_weight * mass_weight;
    mass += mass_weight, weight += square;
    for (int k = 0; k < 3; ++k) {
      center[k] += mass_weight * d[k];
      first[k] += square * d[k];
      second[k] += square * d[k] * d[k];
    }
    second[3] += square * d[0] * d[1];
    second[4] += square * d[0] * d[2];
    second[5] += square * d[1] * d[2];
  }
  // sum of w^2 m^2 (x - m)(x - m)^T about the mean m with these weights; about any other point the sum is larger
  SymMat3<double> about_mean() const {
    const auto entry = [&](int k, int i, int j) { return second[k] - first[i] * first[j] / weight; };
    return {entry(0, 0, 0), entry(1, 1, 1), entry(2, 2, 2), entry(3, 0, 1), entry(4, 0, 2), entry(5, 1, 2)};
  }
  // A of (TEAR.7)
  SymMat3<double> covariance() const {
    double c[3], f[3];
    for (int k = 0; k < 3; ++k) c[k] = center[k] / mass, f[k] = first[k] / weight;
    const auto entry = [&](int k, int i, int j) {
      return second[k] / weight - c[i] * f[j] - f[i] * c[j] + c[i] * c[j];
    };
    return {entry(0, 0, 0), entry(1, 1, 1), entry(2, 2, 2), entry(3, 0, 1), entry(4, 0, 2), entry(5, 1, 2)};
  }
};

struct Candidate {
  double x[3], mass;  // x in cells, relative to the first node of the block
};

// A cell list of the particles in and around a block: all possible neighbours of the block's particles.
class Surroundings {
 public:
  template <class S>
  void gather(const ParticleStore<S>& store, const BlockCoord& home);

  bool hold(const double (&x)[3]) const { return cell_of(x) >= 0; }
  // calls visit(begin, end) for rows of the sorted candidates that together hold all within `near` cells of x
  template <class Visit>
  void each_row(const double (&x)[3], int near, Visit&& visit) const {
    int low[3], high[3];
    for (int d = 0; d < 3; ++d) {
      low[d] = std::max(0, int(std::floor(x[d] - near - first_)));
      high[d] = std::min(width - 1, int(std::floor(x[d] + near - first_)));
    }
    for (int i = low[0]; i <= high[0]; ++i)
      for (int j = low[1]; j <= high[1]; ++j) {
        const std::size_t row = std::size_t((i * width + j) * width);
        visit(begin_[row + std::size_t(low[2])], begin_[row + std::size_t(high[2]) + 1]);
      }
  }
  // the sums over the candidates closer than `near` cells on every axis
  Moments moments(const double (&x)[3], int near) const;
  // sum of m^2 over the rows that hold all candidates within the support around x
  double square_mass(const double (&x)[3]) const {
    double sum = 0;
    each_row(x, reach, [&](std::size_t begin, std::size_t end) { sum += squares_[end] - squares_[begin]; });
    return sum;
  }

 private:
  // cell of a position; -1 if it is too far from the block, or not a number
  int cell_of(const double (&x)[3]) const {
    int cell = 0;
    for (const double a : x) {
      const double place = a - first_;
      if (!(place >= 0 && place < width)) return -1;
      cell = cell * width + int(place);
    }
    return cell;
  }
  double first_ = 0;  // low end of the cells
  std::array<std::uint32_t, width * width * width + 2> begin_{};
  std::vector<Candidate> found_, sorted_;
  std::vector<int> cell_;
  std::vector<double> squares_;  // prefix sums of the squared masses of the sorted candidates
};

template <class S>
void Surroundings::gather(const ParticleStore<S>& store, const BlockCoord& home) {
  first_ = store.stencil_offset() - margin - reach;
  found_.clear(), cell_.clear(), begin_.fill(0);
  const auto& blocks = store.blocks();
  for (int o = 0; o < neighbour_count; ++o) {
    const auto shift = neighbour_offset(o);
    const BlockCoord there = store.space().wrap(neighbour_of(home, o));
    const auto place = std::lower_bound(blocks.begin(), blocks.end(), key_of(there));
    if (place == blocks.end() || *place != key_of(there)) continue;
    const std::size_t b = std::size_t(place - blocks.begin());
    for (std::size_t g = 0; g < store.groups().size(); ++g) {
      const ParticleGroup<S>& group = store.groups()[g];
      const auto& first = store.begin(int(g));
      for (std::size_t i = first[b]; i < first[b + 1]; ++i) {
        Candidate c;
        for (int d = 0; d < 3; ++d)
          c.x[d] = double(group.reals(d)[i]) + double(block_edge) * shift[std::size_t(d)];
        const int cell = cell_of(c.x);
        if (cell < 0) continue;
        c.mass = double(group.reals(ParticleGroup<S>::mass)[i]);
        found_.push_back(c), cell_.push_back(cell);
        ++begin_[std::size_t(cell) + 2];
      }
    }
  }
  // a stable counting sort by cell; begin_[cell + 1] is the index of its next candidate until all are sorted
  for (std::size_t c = 2; c < begin_.size(); ++c) begin_[c] += begin_[c - 1];
  sorted_.resize(found_.size());
  for (std::size_t k = 0; k < found_.size(); ++k) sorted_[begin_[std::size_t(cell_[k]) + 1]++] = found_[k];
  squares_.assign(1, 0.0);
  for (const Candidate& c : sorted_) squares_.push_back(squares_.back() + c.mass * c.mass);
}

Moments Surroundings::moments(const double (&x)[3], int near) const {
  Moments sums;
  each_row(x, near, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const Candidate& q = sorted_[k];
      const double d[3] = {q.x[0] - x[0], q.x[1] - x[1], q.x[2] - x[2]};
      if (std::max({std::fabs(d[0]), std::fabs(d[1]), std::fabs(d[2])}) >= near) continue;
      sums.add(d, cubic_spline(d[0]) * cubic_spline(d[1]) * cubic_spline(d[2]) * q.mass);
    }
  });
  return sums;
}

double least_of(const Vec3<double>& l) { return std::min({l.x, l.y, l.z}); }
double largest_of(const Vec3<double>& l) { return std::max({l.x, l.y, l.z}); }

// A quick test: most weak particles are deep in the material, where the neighbours within one cell suffice to tell.
// They alone bound the least eigenvalue of A from below. The weights of the others, w <= N(0)^2 N(1) = 2/27, and the
// distances from c, below 3 cells on an axis for the near ones and below 4 for the others, bound the largest
// eigenvalue from above.
bool is_surely_thick(const Surroundings& around, const double (&x)[3], const ThinRule& rule) {
  const Moments near = around.moments(x, 1);
  if (!(near.weight > 0)) return false;
  const double others = 4.0 / 729 * around.square_mass(x);
  const double least = least_of(eigen(near.about_mean()).values);
  return least > rule.ratio * (3 * 9 * near.weight + 3 * 16 * others) &&
         least > rule.size * (near.weight + others);
}

bool is_thin(const Surroundings& around, const double (&x)[3], const ThinRule& rule) {
  if (!around.hold(x)) return false;  // it is lost, or has left its block too far: the next sort decides
  if (is_surely_thick(around, x, rule)) return false;
  const Moments moments = around.moments(x, reach);
  if (!(moments.weight > 0)) return false;  // it has no mass
  const Vec3<double> values = eigen(moments.covariance()).values;
  const double least = least_of(values), largest = largest_of(values);
  return least <= rule.ratio * largest || largest < rule.size;  // (TEAR.8), true for 0 <= 0
}

}  // namespace

template <class S>
std::vector<std::vector<char>> thin_particles(const ParticleStore<S>& store,
                                              const std::vector<ThinRule>& rules) {
  const auto& groups = store.groups();
  DOLLOP_ASSERT(rules.size() == groups.size());
  std::vector<std::vector<char>> thin(groups.size());
  std::vector<const S*> weak(groups.size(), nullptr);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    thin[g].assign(groups[g].size(), 0);
    if (rules[g].ratio > 0 && rules[g].weak >= 0) weak[g] = groups[g].reals(rules[g].weak);
  }
  parallel_for(store.blocks().size(), 1, [&](std::size_t b) {
    thread_local Surroundings around;
    bool gathered = false;
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (std::size_t i = store.begin(int(g))[b]; weak[g] && i < store.begin(int(g))[b + 1]; ++i) {
        if (weak[g][i] == S(0)) continue;
        if (!gathered) around.gather(store, coord_of(store.blocks()[b]));
        gathered = true;
        const double x[3] = {double(groups[g].reals(0)[i]), double(groups[g].reals(1)[i]),
                             double(groups[g].reals(2)[i])};
        thin[g][i] = is_thin(around, x, rules[g]);
      }
  });
  return thin;
}

template std::vector<std::vector<char>> thin_particles(const ParticleStore<float>&,
                                                       const std::vector<ThinRule>&);
template std::vector<std::vector<char>> thin_particles(const ParticleStore<double>&,
                                                       const std::vector<ThinRule>&);

}  // namespace dollop
