// Profiles a scene: the share of each stage in the time of the steps, frame by frame and in total.
#include <dollop/dollop.h>
#include <dollop/scene_file.h>
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace dollop {
namespace {

struct Options {
  std::string scene;
  std::vector<std::string> set, variants;
  int frames = -1, from = 0;
};

struct Shares {
  double seconds = 0;  // wall-clock time of the steps
  std::map<std::string, double> stages;

  void add(const std::vector<PhaseTime>& times, double wall) {
    seconds += wall;
    for (const PhaseTime& time : times)
      if (time.seconds > 0) stages[time.name] += time.seconds;
  }
  std::string text() const {
    std::string line;
    double rest = seconds;
    for (const auto& [name, time] : stages) {
      line += fmt::format("  {} {:.1f}", name, 100 * time / seconds);
      rest -= time;
    }
    return line + fmt::format("  rest {:.1f} %", 100 * rest / seconds);
  }
};

int run(const Options& o) {
  std::vector<std::string> overrides = o.set;
  for (const std::string& name : o.variants) overrides.push_back("variant=" + name);
  const Scene scene = read_scene(o.scene, overrides).scene;
  Simulation simulation(scene);
  const double rate = scene.settings.frame_rate;
  const int all = int(scene.settings.duration * rate + 0.5),
            last = o.frames < 0 ? all : std::min(all, o.frames);
  Shares total;
  for (int frame = 1; frame <= last; ++frame) {
    simulation.reset_phase_times();
    const std::int64_t before = simulation.steps();
    const auto start = std::chrono::steady_clock::now();
    const AdvanceReport report = simulation.advance_to(frame / rate);
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!report.ok()) {
      fmt::print(stderr, "{}\n", describe(report.last));
      return 1;
    }
    Shares one;
    one.add(simulation.phase_times(), wall);
    if (frame > o.from) total.add(simulation.phase_times(), wall);
    fmt::print("frame {}: {} particles, {} steps, {:.2f} s:{}\n", frame, simulation.particle_count(),
               simulation.steps() - before, wall, one.text());
    std::fflush(stdout);
  }
  fmt::print("frames {} to {}: {:.1f} s:{}\n", o.from + 1, last, total.seconds, total.text());
  return 0;
}

}  // namespace
}  // namespace dollop

int main(int argc, char** argv) {
  dollop::Options o;
  CLI::App app("share of each stage in the steps of a scene");
  app.add_option("SCENE", o.scene)->required();
  app.add_option("--set", o.set, "KEY=VALUE")->allow_extra_args(false);
  app.add_option("--variant", o.variants)->allow_extra_args(false);
  app.add_option("--frames", o.frames, "up to this one");
  app.add_option("--from", o.from, "the sum is over the frames after this one");
  CLI11_PARSE(app, argc, argv);
  return dollop::run(o);
}
