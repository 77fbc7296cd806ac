#include "run/run_cache.h"

#include <gtest/gtest.h>

#include "io/formats.h"
#include "io/sample_frame.h"
#include "io/temporary_folder.h"

namespace dollop {
namespace {

using Frames = std::vector<int>;

const char* const scene = R"([simulation]
duration = 0.35
frame_rate = 10
cell_size = 0.1
[materials.clay]
model = "von-mises"
young_modulus = 4e4
yield_stress = 100
[[bodies]]
material = "clay"
shape = { sphere = { center = [0, 0, 0], radius = 0.2 } }
)";

struct SampleRun {
  SampleRun() {
    write_text(folder / "scene.toml", scene);
    std::filesystem::create_directory(folder / "frames");
  }
  void write(int frame, const std::string& format, std::size_t particles) const {
    const ParticleFormat& f = *find_particle_format(format);
    write_particles(f, RunFolder{folder.path()}.frame("particles", frame, f.extension),
                    sample_frame(particles));
  }
  std::filesystem::path file(int frame, const char* extension) const {
    return RunFolder{folder.path()}.frame("particles", frame, extension);
  }
  TemporaryFolder folder;
};

TEST(run_cache, lists_the_frames_that_are_there) {
  const SampleRun run;
  const RunCache cache(run.folder.path());
  EXPECT_TRUE(cache.frames().empty());
  run.write(3, "bgeo", 2);
  run.write(0, "bgeo", 2);
  run.write(0, "ply", 2);
  run.write(12, "vtp", 2);
  for (const char* name :
       {"particles.0004.png", "particles.12.bgeo", "particles.-001.bgeo", "surface.0005.ply",
        ".particles.0006.bgeo.partial-1-2", "particles.99999999999.bgeo", "particles.00x1.ply"})
    write_text(run.folder.path() / "frames" / name, "");
  EXPECT_EQ(cache.frames(), (Frames{0, 3, 12}));
}

TEST(run_cache, frames_have_the_time_of_the_scene) {
  const SampleRun run;
  run.write(2, "bgeo", 5);
  run.write(4, "ply", 6);
  const RunCache cache(run.folder.path());
  EXPECT_EQ(cache.particles(2).time, 0.2);
  EXPECT_EQ(cache.particles(4).time, 0.35);  // the last frame ends with the run
  EXPECT_EQ(cache.particles(4).position.size(), 18u);
}

TEST(run_cache, takes_another_file_where_one_is_damaged) {
  const SampleRun run;
  run.write(1, "vtp", 5);
  write_text(run.file(1, ".bgeo"), "BgeoV");
  const RunCache cache(run.folder.path());
  EXPECT_EQ(cache.particles(1).position.size(), 15u);
  write_text(run.file(1, ".vtp"), "<?xml");
  try {
    cache.particles(1);
    FAIL() << "was read";
  } catch (const RunError& error) {
    for (const char* words : {"particles.0001.bgeo", "particles.0001.vtp", "ends too early"})
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(run_cache, says_which_frames_there_are) {
  const SampleRun run;
  run.write(1, "ply", 5);
  run.write(7, "ply", 5);
  try {
    RunCache(run.folder.path()).particles(2);
    FAIL() << "was read";
  } catch (const RunError& error) {
    EXPECT_NE(std::string(error.what()).find("there are 2, from 1 to 7"), std::string::npos) << error.what();
  }
}

TEST(run_cache, needs_a_run) {
  const TemporaryFolder folder;
  EXPECT_THROW(RunCache(folder.path()), RunError);
  EXPECT_THROW(RunCache(folder / "missing"), RunError);
  write_text(folder / "scene.toml", "[simulation]\nduratoin = 1\n");
  EXPECT_THROW(RunCache(folder.path()), SceneError);
}

TEST(run_cache, reads_the_metrics) {
  const SampleRun run;
  const RunCache cache(run.folder.path());
  EXPECT_TRUE(cache.metrics().empty());
  write_text(run.folder / "metrics.jsonl", "{\"frame\":0,\"momentum\":[1,2,3]}\n");
  EXPECT_EQ(cache.metrics().at(0).at("momentum.z"), 3);
}

TEST(select_frames, understands_numbers_and_ranges) {
  const Frames available{0, 1, 2, 3, 4, 7, 9};
  EXPECT_EQ(select_frames("all", available), available);
  EXPECT_EQ(select_frames("7", available), Frames{7});
  EXPECT_EQ(select_frames("1:3", available), (Frames{1, 2, 3}));
  EXPECT_EQ(select_frames("1:100:3", available), (Frames{1, 4, 7}));
  EXPECT_EQ(select_frames("all", {}), Frames{});
}

TEST(select_frames, says_what_is_wrong) {
  const Frames available{0, 1, 2};
  for (const char* text :
       {"", "x", "1:", ":2", "1:2:", "1:2:3:4", "-1", "2:1", "0:2:0", "5", "1.5", "99999999999"})
    EXPECT_THROW(select_frames(text, available), std::invalid_argument) << text;
}

}  // namespace
}  // namespace dollop
