#include "run/preview.h"

#include <algorithm>
#include <utility>

#include "render/movie.h"

namespace dollop {

Preview::Preview(const Scene& scene, RunFolder folder, const ParticleFrame& first, double stable_dt)
    : scene_(scene),
      folder_(std::move(folder)),
      plan_(plan_preview(scene, stable_dt)),
      // from the initial state only, so that the camera stays where it is when a run is resumed
      view_(frame_scene(scene, first, plan_.width, plan_.height)),
      view_name_(fingerprint(view_)) {
  view_.meshes = std::make_shared<const MeshRays>(scene);
  report_.every = plan_.every;
  report_.width = plan_.width, report_.height = plan_.height;
}

void Preview::draw(const ParticleFrame& frame, int number) {
  write_png(picture(number), develop(render_preview(scene_, view_, frame)), view_name_);
}

void Preview::choose_view(const RunCache& cache) {
  if (scene_.camera) return;
  const std::vector<ParticleFrame> frames = frames_to_frame(cache);
  if (frames.empty() || frames_well(scene_, view_, frames)) return;
  PreviewView better = frame_run(scene_, frames, plan_.width, plan_.height);
  better.meshes = view_.meshes;
  view_ = std::move(better);
  view_name_ = fingerprint(view_);
  report_.reframed = true;
}

bool Preview::finish(const RunCache& cache, int last, const std::function<bool()>& interrupted) {
  report_.pictures = last / plan_.every + 1;
  const std::vector<int> with_particles = cache.frames();
  const auto readable = [&](int frame) {
    return std::binary_search(with_particles.begin(), with_particles.end(), frame);
  };
  for (int frame = 0; frame <= last; frame += plan_.every)
    if (!readable(frame)) return true;  // pictures cannot be drawn again
  choose_view(cache);
  for (int frame = 0; frame <= last; frame += plan_.every) {
    if (note_of_png(picture(frame)) == view_name_) continue;
    if (interrupted && interrupted()) return false;
    draw(cache.particles(frame), frame);
  }
  return true;
}

void Preview::make_movie(int last) const {
  std::vector<std::filesystem::path> pictures;
  for (int frame = 0; frame <= last; frame += plan_.every) pictures.push_back(picture(frame));
  const NumberedPictures links(pictures);
  dollop::make_movie(links.files(), scene_.settings.frame_rate / plan_.every, folder_.movie(),
                     MovieEffort::quick);
}

}  // namespace dollop
