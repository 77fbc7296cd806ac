// Quick preview pictures from particles: no graphics card, no other program.
//
// Materials of a smooth look become one mass, the surface of a smooth field; those of a grainy look, and drops
// too small for the field, become spheres. Colliders are ray-marched. Light: a lamp with soft shadows, and the sky.
#pragma once

#include <dollop/scene.h>
#include <dollop/simulation.h>

#include <optional>
#include <vector>

#include "render/camera.h"
#include "render/image.h"

namespace dollop {

// How a shot is seen: chosen once, kept for all of its frames.
struct PreviewView {
  Camera camera = {};
  int width = 640, height = 360;       // pixels
  float size = 1;                      // of what is to be seen [m]: scales shadows, floor lines and haze
  std::vector<bool> see_through = {};  // for each collider: it hides the material, so it is drawn as glass
  std::optional<float> floor = {};     // height of a floor to catch shadows, where the scene has none [m]
};

// The camera of the scene, if it has one. Otherwise chosen from the first frame and the scene: the places of the material, from where bodies start and emitters
// emit to where it falls, fill about 70 % of the picture. Colliders count only near them.
PreviewView frame_scene(const Scene& scene, const ParticleFrame& first, int width = 640, int height = 360);

// The same for a run that is there: some of its frames, in order, tell where the material goes. Few stray particles do
// not count. Where the scene has no floor the view has one, below everything.
PreviewView frame_run(const Scene& scene, const std::vector<ParticleFrame>& frames, int width = 640,
                      int height = 360);

// The picture of one frame in linear light. Uses the attribute "volume" where the frame has it. The same bits at any
// number of threads.
Image render_preview(const Scene& scene, const PreviewView& view, const ParticleFrame& frame);

}  // namespace dollop
