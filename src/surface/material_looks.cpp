#include "surface/material_looks.h"

#include "materials/looks.h"
#include "materials/registry.h"

namespace dollop {

std::string_view look_of(const Material& material) {
  if (!material.look.empty()) return material.look;
  const int model = find_model(material.model);
  return model >= 0 ? std::string_view(models()[std::size_t(model)].look) : "plain";
}

bool shown_as_grains(const Material& material) {
  const auto look = find_look(look_of(material));
  return look && look->grains;
}

bool hidden(std::string_view look) { return look == "hidden"; }

bool shown_as_density(const Material& material) { return look_of(material) == "density"; }

}  // namespace dollop
