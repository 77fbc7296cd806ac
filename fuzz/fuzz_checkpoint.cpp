// Feeds arbitrary bytes to the reader of checkpoints, and what it accepts to a simulation of the scene. Both must refuse
// them; or else the payload can be read to its end, and the state that was restored saves and restores to itself. Inputs
// whose first byte is odd get a trailer with the right length and checksum, so that the code behind these checks is reached.
#include <dollop/simulation.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/checkpoint.h"
#include "io/checksum.h"
#include "scene/read_scene.h"
#include "target.h"

namespace dollop::fuzz {

namespace {

// few particles, but a history, an emitter, a collider with impacts and a gauge
const Scene& scene() {
  static const Scene made = parse_scene(R"([simulation]
duration = 1
cell_size = 0.05
threads = 1
[materials.clay]
model = "von-mises"
young_modulus = 4e4
yield_stress = 100
[materials.jelly]
model = "neo-hookean"
young_modulus = 1e4
[[bodies]]
material = "clay"
shape = { box = { center = [0, 0.05, 0], size = [0.05, 0.05, 0.05] } }
velocity = [0, -1, 0]
[[emitters]]
material = "jelly"
shape = { disc = { center = [0, 0.3, 0], normal = [0, -1, 0], radius = 0.03 } }
speed = 5
[[colliders]]
name = "ground"
shape = { plane = { point = [0, 0, 0], normal = [0, 1, 0] } }
[[gauges]]
name = "below"
shape = { plane = { point = [0, 0.1, 0], normal = [0, 1, 0] } }
)",
                                        "fuzz.toml")
                                .scene;
  return made;
}

void append(std::string& bytes, std::uint64_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

// appends length and checksum; the last 8 bytes of the input serve as the length of the payload
void seal(std::string& bytes) {
  append(bytes, bytes.size() + 16);
  Checksum checksum;
  checksum.add(bytes.data(), bytes.size());
  append(bytes, checksum.value());
}

std::string saved(const Simulation& simulation) {
  std::stringstream out;
  simulation.save(out);
  return out.str();
}

bool restores(const std::string& payload) {
  static Simulation simulation(scene());  // each restore() replaces its state
  try {
    std::stringstream in(payload);
    simulation.restore(in);
  } catch (const std::runtime_error&) {
    return false;
  }
  const std::string first = saved(simulation);
  std::stringstream again(first);
  simulation.restore(again);
  require(saved(simulation) == first, "a restored state does not restore to itself");
  simulation.state_hash();
  return true;
}

}  // namespace

std::vector<std::string> seeds() {
  const TemporaryFolder folder;
  std::vector<std::string> all;
  Simulation simulation(scene());
  for (const double time : {0.0, 0.02}) {
    simulation.advance_to(time);
    const std::filesystem::path file = write_checkpoint(
        folder / "checkpoints", {1, "title = \"cream\"\n", {{"wall", "12.5"}, {"hash", "0f"}}},
        [&](std::ostream& out) { simulation.save(out); });
    const std::string bytes = bytes_of(file);
    all.push_back('\0' + bytes);
    all.push_back('\1' + bytes.substr(0, bytes.size() - 16));
  }
  return all;
}

bool accepts(const std::string& input) {
  if (input.empty()) return false;
  std::string bytes = input.substr(1);
  if (input[0] % 2 != 0) seal(bytes);
  static const MemoryFile file;
  file.hold(bytes);
  try {
    Checkpoint checkpoint = read_checkpoint(file.path());
    return restores({std::istreambuf_iterator<char>(checkpoint.payload()), {}});
  } catch (const CheckpointError&) {
    return false;  // refused, as most bytes should be
  }
}

}  // namespace dollop::fuzz
