#include "render/palette.h"

#include <array>
#include <map>
#include <string>

namespace dollop {
namespace {

Appearance first_of_model(const std::string& model) {
  static const std::map<std::string, Appearance> known{
      {"von-mises", {Look::smooth, {0.90f, 0.87f, 0.80f}, 0.10f}},         // cream
      {"herschel-bulkley", {Look::smooth, {0.90f, 0.89f, 0.86f}, 0.10f}},  // foam
      {"neo-hookean", {Look::smooth, {0.72f, 0.10f, 0.07f}, 0.35f}},       // red rubber
      {"hencky", {Look::smooth, {0.06f, 0.42f, 0.42f}, 0.40f}},            // jelly
      {"drucker-prager", {Look::grain, {0.76f, 0.56f, 0.30f}, 0.0f}},      // sand
      {"oldroyd-b", {Look::smooth, {0.80f, 0.40f, 0.05f}, 0.60f}},         // honey
      {"viscoelastic", {Look::smooth, {0.82f, 0.60f, 0.42f}, 0.12f}},      // dough
      {"elastoplastic-points", {Look::smooth, {0.45f, 0.38f, 0.62f}, 0.2f}},
  };
  const auto found = known.find(model);
  return found == known.end() ? Appearance{} : found->second;
}

}  // namespace

std::vector<Appearance> choose_appearances(const std::vector<Material>& materials) {
  // pastels that stay apart from each other and from the colours of the models
  static constexpr std::array<Vec3<float>, 5> more{{{0.80f, 0.40f, 0.45f},
                                                    {0.42f, 0.66f, 0.50f},
                                                    {0.36f, 0.50f, 0.78f},
                                                    {0.85f, 0.68f, 0.28f},
                                                    {0.40f, 0.26f, 0.17f}}};
  std::map<std::string, std::size_t> seen;
  std::vector<Appearance> chosen;
  for (const Material& material : materials) {
    Appearance appearance = first_of_model(material.model);
    const std::size_t before = seen[material.model]++;
    if (before > 0) appearance.albedo = more[(before - 1) % more.size()];
    chosen.push_back(appearance);
  }
  return chosen;
}

Appearance collider_appearance(std::size_t index) {
  static constexpr std::array<Vec3<float>, 4> colours{
      {{0.12f, 0.19f, 0.30f}, {0.30f, 0.17f, 0.13f}, {0.14f, 0.25f, 0.19f}, {0.23f, 0.17f, 0.28f}}};
  return {Look::smooth, colours[index % colours.size()], 0.25f};
}

Vec3<float> grain_albedo(const Vec3<float>& albedo, std::uint64_t id) {
  const std::uint64_t mixed = (id + 1) * 0x9E3779B97F4A7C15u;                 // spreads neighbouring ids
  const float brightness = 0.72f + 0.56f * float(mixed >> 40) / 16777216.0f;  // the upper 24 bits
  const Vec3<float> c = brightness * albedo;
  return {c.x < 1 ? c.x : 1, c.y < 1 ? c.y : 1, c.z < 1 ? c.z : 1};
}

}  // namespace dollop
