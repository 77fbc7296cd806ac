// The triangles of colliders that are meshes, for the rays of preview pictures.
#pragma once

#include <dollop/scene.h>

#include <memory>
#include <optional>
#include <vector>

#include "boundary/tessellate.h"
#include "render/solids.h"

namespace dollop {

class TriangleRays {
 public:
  explicit TriangleRays(const TriangleShape& triangles);
  ~TriangleRays();
  TriangleRays(const TriangleRays&) = delete;
  TriangleRays& operator=(const TriangleRays&) = delete;

  struct Found {
    float t;             // ray parameter
    Vec3<float> normal;  // unit, on the side that the ray comes from
  };
  std::optional<Found> hit(const Ray& ray) const;  // the nearest

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

// The triangles of all colliders of a scene that contain a mesh, prepared once for all pictures of a shot.
class MeshRays {
 public:
  explicit MeshRays(const Scene& scene);

  // Gives solids_at(scene, time) their triangles, in the same order as the colliders of the scene.
  void attach(const Scene& scene, std::vector<Solid>& solids) const;

 private:
  std::vector<std::shared_ptr<const TriangleRays>>
      at_rest_;  // of each collider; null: it has none, or they change
};

}  // namespace dollop
