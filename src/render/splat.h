// Fast preview pictures from particles, on the CPU.
//
// Materials of a smooth look are drawn as the isosurface of one occupancy field, the "mass"; those of a grainy look,
// and drops too small for the field, as spheres. Colliders are sphere traced. A lamp with soft shadows and a sky with
// ambient occlusion light the scene.
#pragma once

#include <dollop/scene.h>
#include <dollop/simulation.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "render/camera.h"
#include "render/image.h"
#include "render/mesh_rays.h"

namespace dollop {

// The view of a shot: chosen once, the same for all of its frames.
struct PreviewView {
  Camera camera = {};
  int width = 640, height = 360;       // pixels
  int samples = 2;                     // of a preview picture, along each edge of a pixel: 1 or 2
  float size = 1;                      // of the scene [m]; scales shadows, floor lines and haze
  std::vector<bool> see_through = {};  // for each collider: hides the material, so it is drawn as glass
  std::optional<float> floor = {};     // height of a floor that receives shadows, if the scene has none [m]
  // the triangles of the colliders that are meshes; where this is null, each picture makes its own
  std::shared_ptr<const MeshRays> meshes = {};
};

// The camera of the scene, if it has one. Otherwise the camera is chosen from the scene and its first frame: the
// material, from where bodies start and emitters emit to where it lands and piles up, fills about 70 % of the picture.
// Colliders count only near the material.
PreviewView frame_scene(const Scene& scene, const ParticleFrame& first, int width = 640, int height = 360);

// The same for a finished run: some of its frames, in order, show where the material goes. A few stray particles do not
// count. If the scene has no floor, the view gets one below everything.
PreviewView frame_run(const Scene& scene, const std::vector<ParticleFrame>& frames, int width = 640,
                      int height = 360);

// Whether a view shows all of the material in these frames of a run, and does so from near enough. Always true with the
// camera of the scene.
bool frames_well(const Scene& scene, const PreviewView& view, const std::vector<ParticleFrame>& frames);

// A fingerprint of the camera and of everything else about a view that its pictures depend on.
std::string fingerprint(const PreviewView& view);

// The picture of one frame in linear RGB. Uses the attribute "volume" if the frame has it. The same bits at any number
// of threads.
Image render_preview(const Scene& scene, const PreviewView& view, const ParticleFrame& frame);

}  // namespace dollop
