// Time and memory of surface reconstruction for a ball of jittered particles, by each method in turn.
// bench_surface [--particles 1e6] [--method fast,smooth,sharp] [--repeat 3] [--threads 0]
#include <dollop/simulation.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "surface/surface_files.h"

namespace {

dollop::ParticleFrame ball(double particles) {
  const double radius = 0.5, spacing = std::cbrt(4.0 / 3.0 * M_PI * radius * radius * radius / particles);
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> jitter(-0.4, 0.4);
  dollop::ParticleFrame frame;
  frame.attributes = {{"volume", 1, {}}, {"velocity", 3, {}}};
  const int n = int(radius / spacing) + 1;
  for (int i = -n; i <= n; ++i)
    for (int j = -n; j <= n; ++j)
      for (int k = -n; k <= n; ++k) {
        const double x = spacing * (i + jitter(generator)), y = spacing * (j + jitter(generator)),
                     z = spacing * (k + jitter(generator));
        if (x * x + y * y + z * z > radius * radius) continue;
        frame.position.insert(frame.position.end(), {float(x), float(y), float(z)});
        frame.attributes[0].values.push_back(float(spacing * spacing * spacing));
        frame.attributes[1].values.insert(frame.attributes[1].values.end(), {float(-z), 0, float(x)});
        frame.material.push_back(0);
      }
  return frame;
}

double peak_megabytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) / 1024;
}

// In a process of its own, so that the peak of memory is that of the method.
void measure(const dollop::ParticleFrame& frame, const dollop::SurfaceMethodInfo& info, int repeat) {
  if (const pid_t child = fork(); child != 0) {
    waitpid(child, nullptr, 0);
    return;
  }
  const double before = peak_megabytes();
  double best = INFINITY;
  dollop::SurfaceMesh mesh;
  for (int round = 0; round < repeat; ++round) {
    const auto start = std::chrono::steady_clock::now();
    mesh = dollop::make_surface(frame, {.method = info.method});
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  double volume = 0;
  for (const float v : frame.attributes[0].values) volume += v;
  fmt::print("{:<8}{:>10.3f} s{:>10.0f} MB{:>12} triangles   volume {:+.3f} %\n", info.name, best,
             peak_megabytes() - before, mesh.triangles.size(),
             100 * (dollop::enclosed_volume(mesh) / volume - 1));
  std::fflush(stdout);
  _exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  double particles = 1e6;
  int repeat = 3, threads = 0;
  std::vector<std::string> names{"fast", "smooth", "sharp"};
  CLI::App app("time and memory of surfaces");
  app.add_option("--particles", particles);
  app.add_option("--method", names)->delimiter(',');
  app.add_option("--repeat", repeat);
  app.add_option("--threads", threads);
  CLI11_PARSE(app, argc, argv);

  const dollop::ParticleFrame frame = ball(particles);
  fmt::print("{} particles; memory is beyond that of the particles\n", frame.material.size());
  std::fflush(stdout);
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                            std::size_t(threads > 0 ? threads : tbb::info::default_concurrency()));
  for (const std::string& name : names)
    if (const dollop::SurfaceMethodInfo* info = dollop::find_surface_method(name))
      measure(frame, *info, repeat);
  return 0;
}
