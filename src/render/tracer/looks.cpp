#include "render/tracer/looks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/random.h"
#include "materials/looks.h"
#include "render/tracer/sampling.h"
#include "surface/material_looks.h"

namespace dollop {
namespace {

struct Entry {
  const char* look;
  Double3 srgb;
  float reflectance, roughness, scattering_distance, transmission;
  bool metal = false;
  Pattern pattern = Pattern::none;
};

// the members of Shading in order; colours in sRGB
constexpr std::array table{
    Entry{"foam", {0.965, 0.962, 0.955}, 0.02f, 0.60f, 0.005f, 0},
    Entry{"cream", {0.970, 0.935, 0.850}, 0.045f, 0.28f, 0.004f, 0},
    Entry{"marshmallow", {0.970, 0.950, 0.930}, 0.02f, 0.70f, 0.008f, 0},
    Entry{"toast", {0.600, 0.400, 0.240}, 0.03f, 0.55f, 0.003f, 0, false, Pattern::browned},
    Entry{"dough", {0.900, 0.810, 0.660}, 0.025f, 0.55f, 0.005f, 0},
    Entry{"rubber", {0.830, 0.200, 0.150}, 0.040f, 0.25f, 0.015f, 0.12f},
    Entry{"jelly", {0.150, 0.720, 0.640}, 0.040f, 0.06f, 0.020f, 0.65f},
    Entry{"honey", {0.960, 0.640, 0.130}, 0.045f, 0.05f, 0.020f, 0.70f},
    Entry{"density", {0.930, 0.790, 0.420}, 0, 1, 0.004f, 0},
    Entry{"sand", {0.882, 0.663, 0.373}, 0, 1, 0, 0, false, Pattern::sand},
    Entry{"salt", {0.940, 0.940, 0.950}, 0.045f, 0.30f, 0.002f, 0, false, Pattern::grains},
    Entry{"chocolate", {0.300, 0.170, 0.100}, 0.045f, 0.32f, 0, 0},
    Entry{"cracker", {0.730, 0.530, 0.350}, 0.015f, 0.75f, 0, 0, false, Pattern::speckle},
    Entry{"metal", {0.800, 0.810, 0.830}, 0.75f, 0.22f, 0, 0, true},
    Entry{"wood", {0.600, 0.420, 0.260}, 0.025f, 0.50f, 0, 0, false, Pattern::rings},
    Entry{"stone", {0.530, 0.530, 0.510}, 0.015f, 0.80f, 0, 0, false, Pattern::speckle},
    Entry{"glass", {0.960, 0.985, 0.975}, 0.040f, 0.02f, 0, 0.97f},
    Entry{"plain", {0.400, 0.480, 0.590}, 0.035f, 0.40f, 0, 0},
    Entry{"hidden", {0.500, 0.500, 0.500}, 0, 1, 0, 0},
};

constexpr bool covers_all_looks() {
  for (const LookInfo& look : looks) {
    bool found = false;
    for (const Entry& entry : table) found = found || std::string_view(entry.look) == look.name;
    if (!found) return false;
  }
  return table.size() == looks.size();
}
static_assert(covers_all_looks(), "every look of materials/looks.h needs a line in this table");

// value noise in [0, 1] on a lattice of unit spacing
float noise(const Vec3<float>& x) {
  const float fx = std::floor(x.x), fy = std::floor(x.y), fz = std::floor(x.z);
  const auto smoothstep = [](float s) { return s * s * (3 - 2 * s); };
  const float u = smoothstep(x.x - fx), v = smoothstep(x.y - fy), w = smoothstep(x.z - fz);
  float sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
    std::uint64_t cell = combine(std::uint64_t(std::int64_t(fx) + i), std::uint64_t(std::int64_t(fy) + j));
    cell = combine(cell, std::uint64_t(std::int64_t(fz) + k));
    sum += (i ? u : 1 - u) * (j ? v : 1 - v) * (k ? w : 1 - w) * float(cell >> 40) * 0x1p-24f;
  }
  return sum;
}

// fractal noise: three octaves, with mean 0.5
float fractal_noise(const Vec3<float>& x) {
  return 0.57f * noise(x) + 0.29f * noise(2.03f * x) + 0.14f * noise(4.1f * x);
}

Vec3<float> clamped(const Vec3<float>& c) {
  return {std::clamp(c.x, 0.0f, 1.0f), std::clamp(c.y, 0.0f, 1.0f), std::clamp(c.z, 0.0f, 1.0f)};
}

}  // namespace

Vec3<float> linear_of_srgb(const Double3& srgb) {
  const auto one = [](double s) {
    return float(s <= 0.04045 ? s / 12.92 : std::pow((std::clamp(s, 0.0, 1.0) + 0.055) / 1.055, 2.4));
  };
  return {one(srgb[0]), one(srgb[1]), one(srgb[2])};
}

Shading shading_of(std::string_view look, const std::optional<Double3>& color) {
  const auto named = [](std::string_view name) {
    return std::find_if(table.begin(), table.end(), [&](const Entry& e) { return name == e.look; });
  };
  auto entry = named(look);
  if (entry == table.end()) entry = named("plain");
  Shading shading;
  shading.color = linear_of_srgb(color.value_or(entry->srgb));
  shading.reflectance = entry->reflectance;
  shading.roughness = entry->roughness;
  shading.scattering_distance = entry->scattering_distance;
  shading.transmission = entry->transmission;
  shading.metal = entry->metal;
  shading.pattern = entry->pattern;
  return shading;
}

std::vector<Shading> material_shadings(const std::vector<Material>& materials) {
  // easy to tell apart
  static constexpr std::array<Double3, 5> pastels{{{0.906, 0.664, 0.698},
                                                   {0.680, 0.831, 0.735},
                                                   {0.636, 0.735, 0.896},
                                                   {0.930, 0.843, 0.567},
                                                   {0.664, 0.546, 0.452}}};
  std::map<std::string_view, std::size_t> seen;
  std::vector<Shading> shadings;
  for (const Material& material : materials) {
    const std::string_view look = look_of(material);
    std::optional<Double3> color = material.color;
    const std::size_t earlier = color ? 0 : seen[look]++;
    if (earlier > 0) color = pastels[(earlier - 1) % pastels.size()];
    shadings.push_back(shading_of(look, color));
  }
  return shadings;
}

Shading collider_shading(const Collider& collider, std::size_t index) {
  static constexpr std::array<Double3, 4> muted{
      {{0.345, 0.437, 0.548}, {0.548, 0.413, 0.361}, {0.374, 0.500, 0.437}, {0.480, 0.413, 0.529}}};
  if (collider.look.empty() && !collider.color) return shading_of("plain", muted[index % muted.size()]);
  return shading_of(collider.look.empty() ? "plain" : collider.look, collider.color);
}

Vec3<float> grain_color(const Shading& shading, std::uint64_t id) {
  const float pick = float(random_uniform(17, id, 0)), shade = float(random_uniform(17, id, 1));
  // fractions and colours of Klár et al. (2016), section 6: 85 % of the base colour, 10 % dark, 5 % white
  Vec3<float> color = shading.color;
  const bool sand = shading.pattern == Pattern::sand;
  if (sand && pick >= 0.95f) color = {1, 1, 1};
  if (sand && pick >= 0.85f && pick < 0.95f) color = linear_of_srgb({107 / 255.0, 84 / 255.0, 30 / 255.0});
  return clamped((0.9f + 0.1f * shade) * color);
}

Vec3<float> pattern_color(const Shading& shading, const Vec3<float>& x, float scale) {
  const Vec3<float> g = (1 / scale) * x;
  switch (shading.pattern) {
    case Pattern::none:
    case Pattern::grains:
    case Pattern::sand:
      return shading.color;
    case Pattern::speckle:
      return clamped((0.62f + 0.3f * fractal_noise(5.0f * g) + 0.46f * fractal_noise(19.0f * g)) *
                     shading.color);
    case Pattern::browned: {
      const float s = std::clamp(1.6f * fractal_noise(1.5f * g) - 0.3f, 0.0f, 1.0f);
      return clamped((0.6f + 0.7f * s) * shading.color);
    }
    case Pattern::rings: {
      const Vec3<float> stretched{g.x, 0.12f * g.y, g.z};
      const float radius = std::hypot(g.x + 1.7f, g.z - 0.9f) + 0.5f * noise(stretched) + 0.1f * g.y;
      const float ring = radius * 3 - std::floor(radius * 3);
      return clamped((0.78f + 0.34f * ring * (0.7f + 0.3f * noise({12 * g.x, 0.4f * g.y, 12 * g.z}))) *
                     shading.color);
    }
  }
  return shading.color;
}

}  // namespace dollop
