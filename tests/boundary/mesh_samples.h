// Meshes with known distances, and a folder for mesh files.
#pragma once

#include <dollop/shapes.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "boundary/rigid.h"
#include "boundary/triangle_mesh.h"

namespace dollop::test {

inline TriangleMesh cube_mesh(const Double3& low, const Double3& high) {
  TriangleMesh m;
  for (int i = 0; i < 8; ++i)
    m.points.push_back({i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]});
  m.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                 {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return m;
}

// an octahedron, each triangle split in four several times, its points moved onto the sphere
inline TriangleMesh sphere_mesh(const Double3& center, double radius, int splits) {
  TriangleMesh m{{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
                 {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
  for (int s = 0; s < splits; ++s) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
      const auto [at, added] = middles.try_emplace(std::minmax(a, b), int(m.points.size()));
      if (added) {
        const Vec3<double> p = to_vec(m.points[a]) + to_vec(m.points[b]);
        m.points.push_back(to_array((1 / norm(p)) * p));
      }
      return at->second;
    };
    std::vector<std::array<int, 3>> finer;
    for (const auto& [a, b, c] : m.triangles) {
      const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    m.triangles = finer;
  }
  for (Double3& p : m.points) p = to_array(to_vec(center) + radius * to_vec(p));
  return m;
}

// about the y axis
inline TriangleMesh torus_mesh(double radius, double tube_radius, int around, int across) {
  TriangleMesh m;
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      const double a = 2 * std::numbers::pi * i / around, b = 2 * std::numbers::pi * j / across;
      const double r = radius + tube_radius * std::cos(b);
      m.points.push_back({r * std::cos(a), tube_radius * std::sin(b), r * std::sin(a)});
      const int i1 = (i + 1) % around, j1 = (j + 1) % across;
      m.triangles.push_back({i * across + j, i * across + j1, i1 * across + j});
      m.triangles.push_back({i1 * across + j, i * across + j1, i1 * across + j1});
    }
  return m;
}

inline TriangleMesh inside_out(TriangleMesh m) {
  for (auto& t : m.triangles) std::swap(t[0], t[1]);
  return m;
}

inline TriangleMesh together(TriangleMesh a, const TriangleMesh& b) {
  const int first = int(a.points.size());
  a.points.insert(a.points.end(), b.points.begin(), b.points.end());
  for (const auto& t : b.triangles) a.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  return a;
}

// A folder that is removed at the end of the test.
class MeshFolder {
 public:
  explicit MeshFolder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() / ("dollop_boundary_" + name + "_" + process())) {
    std::filesystem::create_directories(path_);
  }
  ~MeshFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  MeshFolder(const MeshFolder&) = delete;
  MeshFolder& operator=(const MeshFolder&) = delete;

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  // tests may run at the same time
  static std::string process() { return std::filesystem::read_symlink("/proc/self").string(); }
  std::filesystem::path path_;
};

}  // namespace dollop::test
