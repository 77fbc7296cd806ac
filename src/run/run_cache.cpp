#include "run/run_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>
#include <string_view>

#include "io/body_mesh.h"
#include "io/read_bgeo.h"
#include "io/read_metrics.h"
#include "io/read_ply.h"
#include "io/read_vtp.h"
#include "run/frame_check.h"
#include "surface/surface_files.h"

namespace dollop {
namespace fs = std::filesystem;

namespace {

struct Reader {
  const char* extension;
  ParticleFrame (*read)(const fs::path& file);
};
constexpr Reader readers[] = {{".bgeo", read_bgeo}, {".vtp", read_vtp}, {".ply", read_ply}};

// the number in "particles.0012.bgeo"; -1 if it is not such a file
int frame_of(const fs::path& file) {
  constexpr std::string_view start = "particles.";
  const std::string name = file.stem().string();
  const std::string extension = file.extension().string();
  if (std::none_of(std::begin(readers), std::end(readers),
                   [&](const Reader& reader) { return extension == reader.extension; }))
    return -1;
  const std::size_t digits = name.size() < start.size() ? 0 : name.size() - start.size();
  if (!name.starts_with(start) || digits < 4 || digits > 9 || name[start.size()] == '-') return -1;
  int frame = -1;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + start.size(), end, frame);
  return error == std::errc() && stop == end ? frame : -1;
}

int to_frame(std::string_view text, const std::string& whole) {
  int value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || value < 0)
    throw std::invalid_argument(
        fmt::format("'{}' does not choose frames; write all, 12, 0:30 or 0:30:2 (first, last, step)", whole));
  return value;
}

std::string available_text(const std::vector<int>& available) {
  return available.empty() ? std::string("there are none")
                           : fmt::format("there are {}, from {} to {}", available.size(), available.front(),
                                         available.back());
}

}  // namespace

RunCache::RunCache(const fs::path& folder) : folder_{folder} {
  require_run(folder_);
  file_ = read_scene(folder_.scene());
}

std::vector<int> RunCache::frames() const {
  std::set<int> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder_.frames(), error), end; !error && entry != end;
       entry.increment(error))
    if (const int frame = frame_of(entry->path()); frame >= 0) found.insert(frame);
  return {found.begin(), found.end()};
}

ParticleFrame RunCache::particles(int frame) const {
  std::string reasons;
  for (const Reader& reader : readers) {
    const fs::path file = folder_.frame("particles", frame, reader.extension);
    std::error_code error;
    if (!fs::exists(file, error)) continue;
    try {
      ParticleFrame particles = reader.read(file);
      if (const std::string fault = frame_fault(particles, file_.scene); !fault.empty())
        throw InputError(file, fault);
      particles.time = frame_time(file_.scene.settings, frame);
      particles.meshes = meshes(frame);
      return particles;
    } catch (const InputError& fault) {
      reasons += fmt::format("{}{}", reasons.empty() ? "" : "; ", fault.what());
    }
  }
  if (!reasons.empty()) throw RunError(reasons);
  throw RunError(fmt::format("'{}' has no particles of frame {}; of the frames with particles {}",
                             folder_.path.string(), frame, available_text(frames())));
}

std::vector<BodyMesh> RunCache::meshes(int frame) const {
  const fs::path file = folder_.frame("mesh", frame, ".ply");
  std::error_code error;
  if (!fs::exists(file, error)) return {};
  std::vector<BodyMesh> meshes = read_body_meshes(file);
  if (const std::string fault = mesh_fault(meshes, file_.scene); !fault.empty())
    throw InputError(file, fault);
  return meshes;
}

std::vector<std::map<std::string, double>> RunCache::metrics() const {
  try {
    return read_metrics(folder_.metrics());
  } catch (const InputError& fault) {
    throw RunError(fault.what());
  }
}

std::vector<int> sample_of(const std::vector<int>& list, std::size_t count) {
  if (list.size() <= count) return list;
  std::vector<int> sample;
  for (std::size_t k = 0; k < count; ++k) sample.push_back(list[k * (list.size() - 1) / (count - 1)]);
  return sample;
}

std::vector<ParticleFrame> frames_to_frame(const RunCache& cache) {
  constexpr std::size_t most = 9, most_of_large = 5, large = 200'000;
  const std::vector<int> all = cache.frames();
  std::vector<ParticleFrame> frames;
  if (all.empty()) return frames;
  frames.push_back(cache.particles(all.back()));
  std::vector<int> sample = sample_of(all, frames[0].position.size() / 3 > large ? most_of_large : most);
  sample.pop_back();
  for (const int frame : sample) frames.insert(frames.end() - 1, cache.particles(frame));
  return frames;
}

std::vector<int> select_frames(const std::string& text, const std::vector<int>& available) {
  if (text == "all") return available;
  const std::size_t first_colon = text.find(':');
  const std::string_view view = text;
  const int first = to_frame(view.substr(0, first_colon), text);
  int last = first, step = 1;
  if (first_colon != std::string::npos) {
    const std::string_view rest = view.substr(first_colon + 1);
    const std::size_t second_colon = rest.find(':');
    last = to_frame(rest.substr(0, second_colon), text);
    if (second_colon != std::string_view::npos) step = to_frame(rest.substr(second_colon + 1), text);
    if (step == 0) throw std::invalid_argument(fmt::format("the step of the frames '{}' is 0", text));
    if (last < first)
      throw std::invalid_argument(fmt::format("the last of the frames '{}' comes before the first", text));
  }
  std::vector<int> chosen;
  for (const int frame : available)
    if (frame >= first && frame <= last && (frame - first) % step == 0) chosen.push_back(frame);
  if (chosen.empty())
    throw std::invalid_argument(fmt::format("no frame is among '{}': {}", text, available_text(available)));
  return chosen;
}

std::vector<int> frames_asked(const RunCache& cache, const std::string& text) {
  const std::vector<int> available = cache.frames();
  if (available.empty())
    throw RunError(
        fmt::format("there are no frames in {}: the run has not written any, or output.particles is empty",
                    cache.folder().frames().string()));
  try {
    return select_frames(text, available);
  } catch (const std::invalid_argument& error) {
    throw RunError(fmt::format("--frames: {}", error.what()));
  }
}

SurfaceMethod method_asked(const std::string& option, const std::string& name) {
  if (const SurfaceMethodInfo* info = find_surface_method(name)) return info->method;
  std::vector<std::string> known;
  for (const SurfaceMethodInfo& m : surface_methods()) known.emplace_back(m.name);
  throw RunError(fmt::format("{}: '{}' is not a way to make a surface; choose from {}", option, name,
                             fmt::join(known, " ")));
}

}  // namespace dollop
