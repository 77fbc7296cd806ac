// Frames of particles as fuzz inputs. The first byte chooses the format; if it is even, the rest are edits of a whole frame,
// each of two bytes that choose a place and four that go there, and otherwise the rest is the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "io/formats.h"
#include "io/read_bgeo.h"
#include "io/read_ply.h"
#include "io/read_vtp.h"
#include "run/frame_check.h"
#include "scene/read_scene.h"
#include "target.h"

namespace dollop::fuzz {

struct FrameFormat {
  const char* name;
  ParticleFrame (*read)(const std::filesystem::path& file);
};
inline constexpr FrameFormat frame_formats[] = {{"bgeo", read_bgeo}, {"vtp", read_vtp}, {"ply", read_ply}};

// the scene that has made the frames
inline const Scene& scene_of_frames() {
  static const Scene made = parse_scene(R"([simulation]
duration = 1
cell_size = 0.02
[materials.cream]
model = "neo-hookean"
young_modulus = 1e4
[materials.sand]
model = "drucker-prager"
[[bodies]]
material = "cream"
shape = { box = { center = [0, 0, 0], size = [0.04, 0.04, 0.04] } }
)",
                                        "fuzz.toml")
                                .scene;
  return made;
}

// particles on a lattice, `edge` on each side
inline ParticleFrame whole_frame(int edge) {
  ParticleFrame frame;
  frame.time = 0.5;
  Attribute velocity{"velocity", 3, {}}, volume{"volume", 1, {}}, ratio{"J", 1, {}}, stress{"stress", 6, {}};
  for (int p = 0; p < edge * edge * edge; ++p) {
    for (const int k : {p / edge / edge, p / edge % edge, p % edge}) {
      frame.position.push_back(0.01f * float(k));
      velocity.values.push_back(float(k) - 1);
    }
    frame.id.push_back(std::uint64_t(p));
    frame.material.push_back(p % 2);
    volume.values.push_back(1e-6f);
    ratio.values.push_back(1);
    for (int k = 0; k < 6; ++k) stress.values.push_back(float(100 * k));
  }
  frame.attributes = {velocity, volume, ratio, stress};
  return frame;
}

inline std::string whole_file(const FrameFormat& format, int edge) {
  static const TemporaryFolder folder;
  const std::filesystem::path file = folder / "whole";
  write_particles(*find_particle_format(format.name), file, whole_frame(edge));
  return bytes_of(file);
}

constexpr int edited_edge = 4;  // of the frames that are edited

// the bytes of the file that an input stands for
inline std::string frame_bytes(const std::string& input, std::size_t format) {
  static const std::string whole[] = {whole_file(frame_formats[0], edited_edge),
                                      whole_file(frame_formats[1], edited_edge),
                                      whole_file(frame_formats[2], edited_edge)};
  if (input[0] % 2 != 0) return input.substr(1);
  std::string bytes = whole[format];
  for (std::size_t i = 1; i + 6 <= input.size(); i += 6) {
    std::uint16_t place = 0;
    std::memcpy(&place, input.data() + i, sizeof(place));
    std::memcpy(bytes.data() + place % (bytes.size() - 4), input.data() + i + 2, 4);
  }
  return bytes;
}

// The frame that an input stands for; none: it was refused, with an InputError or by frame_fault().
inline std::optional<ParticleFrame> read_frame(const std::string& input) {
  if (input.size() < 2) return std::nullopt;
  static const MemoryFile file;
  const std::size_t format = static_cast<unsigned char>(input[0]) / 2 % 3;
  file.hold(frame_bytes(input, format));
  try {
    ParticleFrame frame = frame_formats[format].read(file.path());
    if (frame_fault(frame, scene_of_frames()).empty()) return frame;
  } catch (const InputError&) {
    // refused, as most bytes should be
  }
  return std::nullopt;
}

// whole files of all formats, without particles, with one and with eight; and one edit of each format
inline std::vector<std::string> frame_seeds() {
  std::vector<std::string> all;
  for (int format = 0; format < 3; ++format) {
    for (const int edge : {0, 1, 2})
      all.push_back(char(2 * format + 1) + whole_file(frame_formats[format], edge));
    all.push_back(char(2 * format) + std::string("\x40\x01\0\0\0\0", 6));
  }
  return all;
}

}  // namespace dollop::fuzz
