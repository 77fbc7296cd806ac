// The looks of materials and colliders in pictures. The renderer has the colours; whether particles are grains or form a
// surface matters to every surface reconstruction.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace dollop {

struct LookInfo {
  const char* name;
  bool grains;  // every particle is shown by itself; otherwise the surface of all is
  const char* help;
};

inline constexpr std::array looks{
    LookInfo{"foam", false, "white and light, lit from within"},
    LookInfo{"cream", false, "glossy, off-white"},
    LookInfo{"marshmallow", false, "white, matt, soft"},
    LookInfo{"toast", false, "browned"},
    LookInfo{"dough", false, "pale and matt"},
    LookInfo{"rubber", false, "coloured, translucent"},
    LookInfo{"jelly", false, "clear and glossy"},
    LookInfo{"honey", false, "amber, clear and glossy"},
    LookInfo{"density", false, "a porous body, drawn as a cloud that scatters light: sponges"},
    LookInfo{"sand", true, "matt grains of three colours"},
    LookInfo{"salt", true, "bright white grains"},
    LookInfo{"chocolate", false, "dark brown, a little glossy"},
    LookInfo{"cracker", false, "baked"},
    LookInfo{"metal", false, "grey, mirrors"},
    LookInfo{"wood", false, "brown and matt"},
    LookInfo{"stone", false, "grey and matt"},
    LookInfo{"glass", false, "see-through"},
    LookInfo{"plain", false, "a quiet colour"},
    LookInfo{"hidden", false, "not shown"},
};

constexpr std::optional<LookInfo> find_look(std::string_view name) {
  for (const LookInfo& look : looks)
    if (name == look.name) return look;
  return std::nullopt;
}

}  // namespace dollop
