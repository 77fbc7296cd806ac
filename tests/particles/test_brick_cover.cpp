#include "particles/brick_cover.h"

#include <gtest/gtest.h>

#include <memory>

#include "lattices.h"

namespace dollop {
namespace {

using lattices::r;

// a lattice whose particles are each moved at random by at most `noise` [r] along each axis
std::vector<Double3> disturbed(const lattices::Deformation& how, double noise) {
  std::vector<Double3> places = lattices::cube(20, how);
  std::uint64_t n = 0;
  for (Double3& x : places)
    for (double& a : x) a += noise * r * (2 * random_uniform(4, 0, n++) - 1);
  return places;
}

lattices::Deformation turn(double angle, const Double3& shift) {
  return {{std::cos(angle), -std::sin(angle), 0, std::sin(angle), std::cos(angle), 0, 0, 0, 1}, shift};
}

const lattices::Deformation moved{{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0.3, -0.2, 0.47}};

// calls visit(particles, i, j, k) for the cells of the bricks in the middle of a body
template <class Visit>
void each_inner_cell(const std::vector<Double3>& places, Visit&& visit) {
  const auto store = lattices::store_of<float>(places);
  const ParticleCells cells(store);
  const auto particles = std::make_unique<BrickParticles>(cells);
  for (const BlockCoord& at : {BlockCoord{0, 0, 0}, BlockCoord{-1, 0, -1}}) {
    particles->load(std::size_t(cells.bricks().find(at)));
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j)
        for (int k = 0; k < 8; ++k) visit(*particles, i, j, k);
  }
}

double part_covered(const std::vector<Double3>& places) {
  int all = 0, covered = 0;
  each_inner_cell(places, [&](BrickParticles& particles, int i, int j, int k) {
    ++all, covered += particles.cover_cell(i, j, k);
  });
  return double(covered) / all;
}

TEST(BrickCover, sees_that_an_intact_lattice_is_covered) {
  for (const double shift : {0.0, 0.13, 0.5, 0.77}) {
    const lattices::Deformation how{{1, 0, 0, 0, 1, 0, 0, 0, 1}, {shift, 2 * shift, 0.1 * shift}};
    EXPECT_EQ(part_covered(disturbed(how, 1e-3)), 1) << shift;
  }
  EXPECT_GT(part_covered(disturbed(turn(0.02, {0.3, -0.2, 0.47}), 0)), 0.8);
  EXPECT_GT(part_covered(disturbed(lattices::isochoric(1.1, {0.1, 0.2, 0.3}), 0)), 0.9);
}

float nearest_square(const BrickParticles& particles, const Float3& p) {
  float least = 100;
  for (std::uint32_t n = 0; n < particles.size(); ++n) {
    const Float3& x = particles.place(n);
    const float a = x[0] - p[0], b = x[1] - p[1], c = x[2] - p[2];
    least = std::min(least, a * a + b * b + c * c);
  }
  return least;
}

// the square of the distance from all particles at about the most open point of a cell: a random walk away from them
float most_open(const BrickParticles& particles, const Float3& low, std::uint64_t seed) {
  Float3 best{low[0] + 0.5f, low[1] + 0.5f, low[2] + 0.5f};
  float most = nearest_square(particles, best);
  for (std::uint64_t n = 0; n < 60; ++n) {
    const double reach = 0.7 * std::pow(0.93, double(n));
    Float3 p = best;
    for (std::size_t d = 0; d < 3; ++d)
      p[d] =
          std::clamp(p[d] + float(reach * (2 * random_uniform(5, seed, 3 * n + d) - 1)), low[d], low[d] + 1);
    if (const float square = nearest_square(particles, p); square > most) most = square, best = p;
  }
  return most;
}

// the last lattice has holes that are hardly larger than they may be
TEST(BrickCover, a_cell_that_counts_as_covered_is) {
  const lattices::Deformation grown{{1.015, 0, 0, 0, 1.015, 0, 0, 0, 1.015}, {0.1, 0.2, 0.3}};
  std::uint64_t seed = 0;
  int covered = 0;
  float most = 0;
  for (const double noise : {0.002, 0.03, 0.3})
    for (const auto& how :
         {moved, turn(0.1, {0.1, 0.2, 0.3}), lattices::isochoric(1.12, {0.1, 0.2, 0.3}), grown})
      each_inner_cell(disturbed(how, noise), [&](BrickParticles& particles, int i, int j, int k) {
        if (!particles.cover_cell(i, j, k)) return;
        ++covered;
        most = std::max(most, most_open(particles, {float(i), float(j), float(k)}, seed++));
      });
  EXPECT_GT(covered, 1000);
  EXPECT_LT(most, keep_away);
  EXPECT_GT(most, 0.95f * covers);  // the walk finds the holes
}

TEST(BrickCover, a_part_is_marked_if_the_sphere_reaches_its_farthest_corner) {
  const auto cover = std::make_unique<PartCover>();
  int clear = 0;
  for (std::uint64_t n = 0; n < 30; ++n) {
    Float3 x;
    for (std::size_t d = 0; d < 3; ++d) x[d] = float(10 * random_uniform(6, d, n) - 1);
    if (n == 0) x = {-0x1p-40f, 8 - 0x1p-21f, 4};
    cover->clear();
    cover->mark(x);
    for (int i = 0; i < fine_width; ++i)
      for (int j = 0; j < fine_width; ++j)
        for (int k = 0; k < fine_width; ++k) {
          double square = 0;  // of the distance of the farthest corner
          for (const auto& [d, part] : {std::pair{0, i}, {1, j}, {2, k}}) {
            const double a = double(x[std::size_t(d)]) - double(part) / fine;
            square += std::max(a * a, (a - 1.0 / fine) * (a - 1.0 / fine));
          }
          const bool marked = cover->row(i, j) >> k & 1;
          ASSERT_TRUE(!marked || square < double(keep_away));
          ASSERT_TRUE(marked || square > 0.85 * double(covers));
          clear += marked;
        }
  }
  EXPECT_GT(clear, 10000);
}

}  // namespace
}  // namespace dollop
