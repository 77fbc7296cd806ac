#include "view/particle_json.h"

#include "io/quantities.h"
#include "view/json_object.h"

namespace dollop {

std::string particle_json(const ParticleFrame& frame, std::size_t i) {
  JsonObject object;
  object.number("index", double(i));
  object.raw("id", std::to_string(frame.id[i]));
  object.number("material", frame.material[i]);
  object.raw("position",
             json_numbers(std::vector<float>(frame.position.begin() + std::ptrdiff_t(3 * i),
                                             frame.position.begin() + std::ptrdiff_t(3 * i + 3))));
  JsonObject values;
  for (const auto& [name, value] : quantities_of(frame, i)) values.number(name, value);
  return object.raw("values", values.str()).str();
}

}  // namespace dollop
