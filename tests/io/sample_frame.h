// Frames of particles in which all values differ, for tests of the writers.
#pragma once

#include <dollop/simulation.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace dollop {

inline Attribute sample_attribute(const std::string& name, int components, std::size_t particles,
                                  float start) {
  Attribute attribute{name, components};
  for (std::size_t i = 0; i < particles * std::size_t(components); ++i)
    attribute.values.push_back(start + 0.1f * float(i));
  return attribute;
}

// velocity, mass, stress (6), strain (9) and pair (2), with ids that start at `first_id`
inline ParticleFrame sample_frame(std::size_t particles, std::uint64_t first_id = 7) {
  ParticleFrame frame;
  frame.time = 0.1;
  for (std::size_t p = 0; p < particles; ++p) {
    for (int k = 0; k < 3; ++k) frame.position.push_back(-1.5f + 0.3f * float(3 * p) + float(k) / 3);
    frame.id.push_back(first_id + 3 * p);
    frame.material.push_back(std::int32_t(p % 3));
  }
  frame.attributes = {sample_attribute("velocity", 3, particles, -2),
                      sample_attribute("mass", 1, particles, 1e-3f),
                      sample_attribute("stress", 6, particles, 1e5f),
                      sample_attribute("F", 9, particles, 0.5f), sample_attribute("pair", 2, particles, -7)};
  return frame;
}

}  // namespace dollop
