// dollop check: validates a scene and estimates its cost without running it.
#include <dollop/run.h>
#include <fmt/core.h>

#include <string_view>

#include "commands.h"
#include "io/json.h"
#include "run/run_start.h"
#include "runnable.h"
#include "scene/document.h"
#include "terminal.h"

namespace dollop {
namespace {

struct Arguments {
  std::string scene;
  std::filesystem::path folder;
  std::vector<std::string> set, variants;
  double max_memory = 0;
  bool json = false;
};

SceneFile read(const Arguments& a) {
  std::vector<std::string> overrides;
  for (const std::string& name : a.variants) overrides.push_back("variant=" + name);
  overrides.insert(overrides.end(), a.set.begin(), a.set.end());
  return read_runnable(a.scene, overrides);
}

// checks each variant of the file by itself; error messages name the variant
void check_variants(const Arguments& a, const std::string& text) {
  for (const std::string& name : variant_names(text)) try {
      read_runnable(a.scene, {"variant=" + name});
    } catch (const SceneError& e) {
      constexpr std::string_view mark = "error: ";
      std::string message = e.what();
      const std::size_t begin = message.find(mark);
      message.insert(begin == std::string::npos ? 0 : begin + mark.size(),
                     fmt::format("with --variant {}: ", shown(name)));
      throw SceneError(message);
    }
}

void check(const Arguments& a) {
  const SceneFile file = read(a);
  if (a.variants.empty()) check_variants(a, file.text);
  if (!a.json) print_notes(file);
  try {
    check_memory(file.scene, a.max_memory);
    const RunStart start = examine_start(file.scene);
    const double dt = start.dt;
    const RunEstimate need = estimate_run(file.scene, dt);
    const int frames = frame_count(file.scene.settings);
    const std::filesystem::path folder = a.folder.empty() ? default_folder(a.scene) : a.folder;
    if (a.json) {
      fmt::print(
          "{{\"scene\":{},\"particles\":{:.0f},\"particles_at_end\":{:.0f},\"memory_bytes\":{:.0f},\"dt\":{},"
          "\"frames\":{},\"steps\":{:.0f},\"seconds\":{:.1f},\"disk_bytes\":{:.0f},\"disk_free_bytes\":{:.0f}"
          "}}\n",
          json_string(a.scene), start.particles, need.particles, need.bytes, dt, frames, need.steps,
          need.seconds, need.disk_bytes, free_disk(folder));
      return;
    }
    note_steps(file.scene, dt, need.steps);
    fmt::print("{} is fine\n", a.scene);
    fmt::print("particles  {}{}", start.counted ? "" : "about ",
               with_separators(std::uint64_t(start.particles)));
    if (!file.scene.emitters.empty())
      fmt::print(", about {} when emitters are done", with_separators(std::uint64_t(need.particles)));
    fmt::print("\nmemory     about {:.3g} MiB of {:.3g} GiB free\n", need.bytes / (1 << 20),
               need.bytes_available / (1024.0 * 1024 * 1024));
    fmt::print("disk       {}\n", disk_text(need, folder));
    fmt::print("time step  {:.3g} s at the start\n", dt);
    fmt::print("frames     {}, about {:.0f} steps\n", frames, need.steps);
    fmt::print("time       about {} on this machine\n", duration_text(need.seconds));
  } catch (const SceneError& e) {
    throw SceneError(explain(file, e));
  }
}

}  // namespace

void add_check(Command app, int& status) {
  auto a = std::make_shared<Arguments>();
  Command command = app.add_command("check", "validate a scene and estimate its cost without running it");
  command.add_option("SCENE", a->scene, "scene file (TOML)").required();
  command.add_option("-o,--output", a->folder, "folder of the run, for its disk space [runs/SCENE]");
  command.add_option("--set", a->set, "KEY=VALUE: override a key of the scene; may be repeated")
      .one_value_a_time();
  command.add_option("--variant", a->variants, "NAME: use the values of [variants.NAME] of the scene")
      .one_value_a_time();
  command.add_option("--max-memory", a->max_memory, "fail if the scene needs more memory, such as 8GB")
      .bytes();
  command.add_flag("--json", a->json, "print one JSON object");
  command.footer("Example:\n  dollop check scenes/start/first.toml --set simulation.cell_size=\"2 mm\"");
  command.callback([a, &status] {
    check(*a);
    status = exit_fine;
  });
}

}  // namespace dollop
