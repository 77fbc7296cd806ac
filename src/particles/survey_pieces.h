// Pieces and threads: connected components of particles. The unit of length is r, half a grid cell.
#pragma once

#include <cstdint>
#include <vector>

#include "particles/sphere_distance.h"

namespace dollop {

inline constexpr std::uint32_t smallest_piece = 8;  // particles, as in one grid cell; fewer are a crumb

// Connected components of the chosen particles: two are connected if their centres are nearer than 2 r, so that their
// spheres overlap.
class Clusters {
 public:
  // clusters of the particles n with chosen[n] != 0
  Clusters(const ParticleCells& cells, const std::vector<char>& chosen);

  std::size_t count() const { return sizes_.size(); }
  std::uint32_t size(std::size_t cluster) const { return sizes_[cluster]; }
  // the cluster of a particle; none for those that were not chosen
  std::int32_t of(std::size_t particle) const { return cluster_[particle]; }
  static constexpr std::int32_t none = -1;

 private:
  std::vector<std::uint32_t> sizes_;
  std::vector<std::int32_t> cluster_;
};

// the number of clusters of all particles, without crumbs                                             (RES.11)
std::uint64_t count_pieces(const ParticleCells& cells);

// Marks particles that no ball of radius 2 r inside the material covers.                              (RES.11)
std::vector<char> find_thin(const ParticleCells& cells, const SphereDistance& distance);

// Marks those thin particles whose neighbours within 6 r lie along a line.                            (RES.11)
std::vector<char> find_threads(const ParticleCells& cells, const SphereDistance& distance);

// the largest extent of a cluster of thread particles, without crumbs [r]                             (RES.11)
double longest_thread(const ParticleCells& cells, const SphereDistance& distance);

}  // namespace dollop
