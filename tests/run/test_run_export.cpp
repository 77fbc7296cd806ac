#include "run/run_export.h"

#include <gtest/gtest.h>

#include <cmath>

#include "io/formats.h"
#include "io/read_bgeo.h"
#include "io/sample_frame.h"
#include "io/temporary_folder.h"

namespace dollop {
namespace {

const char* const scene = R"([simulation]
duration = 1
frame_rate = 10
cell_size = 0.1
[materials.clay]
model = "von-mises"
young_modulus = 4e4
yield_stress = 100
[materials.foam]
preset = "shaving-cream"
[[bodies]]
material = "clay"
shape = { sphere = { center = [0, 0, 0], radius = 0.2 } }
)";

class RunExport : public testing::Test {
 protected:
  RunExport() {
    write_text(folder_ / "scene.toml", scene);
    std::filesystem::create_directory(folder_ / "frames");
    for (const int frame : {0, 3})
      write_particles(*find_particle_format("ply"),
                      RunFolder{folder_.path()}.frame("particles", frame, ".ply"), sample_frame(5));
  }
  void expect_refused(const ExportOptions& options, const std::string& fragment) const {
    try {
      export_run(RunCache(folder_.path()), options);
      ADD_FAILURE() << "was exported";
    } catch (const RunError& error) {
      EXPECT_NE(std::string(error.what()).find(fragment), std::string::npos) << error.what();
    }
    EXPECT_FALSE(std::filesystem::exists(folder_ / "e"));
  }
  TemporaryFolder folder_;
};

TEST_F(RunExport, writes_the_frames_that_were_asked_for) {
  ExportOptions options;
  options.formats = {"bgeo", "usda"}, options.frames = {0, 3}, options.folder = folder_ / "e";
  int calls = 0;
  options.progress = [&](int done, int frames) {
    EXPECT_EQ(done, ++calls);
    EXPECT_EQ(frames, 2);
  };
  const ExportReport report = export_run(RunCache(folder_.path()), options);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(report.frames, 2);
  EXPECT_EQ(report.files, 6u);
  EXPECT_EQ(report.open, std::vector<std::filesystem::path>{folder_ / "e/run.usda"});
  EXPECT_EQ(report.attributes,
            (std::vector<std::string>{"velocity", "mass", "stress", "F", "pair", "id", "material"}));
  EXPECT_EQ(read_bgeo(folder_ / "e/particles.0003.bgeo").position, sample_frame(5).position);
  EXPECT_NE(read_text(folder_ / "e/run.usda").find("[\"clay\", \"foam\"]"), std::string::npos);
  EXPECT_NE(read_text(folder_ / "e/particles.0003.usda").find("timeCodesPerSecond = 10\n"),
            std::string::npos);
}

TEST_F(RunExport, keeps_the_attributes_that_were_asked_for) {
  ExportOptions options;
  options.formats = {"bgeo"}, options.frames = {3}, options.folder = folder_ / "e";
  options.attributes = {"mass", "material"};
  export_run(RunCache(folder_.path()), options);
  const ParticleFrame frame = read_bgeo(folder_ / "e/particles.0003.bgeo");
  EXPECT_EQ(attribute_names(frame), (std::vector<std::string>{"mass", "material"}));
}

TEST_F(RunExport, what_cannot_be_done_is_said_before_anything_is_written) {
  ExportOptions options;
  options.folder = folder_ / "e";
  options.frames = {0};
  expect_refused(options, "--to");
  options.formats = {"stl"};
  expect_refused(options, "bgeo, vtp, ply, usda, vdb, obj");
  options.formats = {"vtp"};
  options.surface = true;
  expect_refused(options, "none of these formats holds a surface");
  options.surface = false;
  options.attributes = {"J"};
  expect_refused(options, "velocity, mass, stress, F, pair, id, material");
  options.attributes.clear(), options.frames.clear();
  expect_refused(options, "nothing to export");
}

TEST_F(RunExport, the_folders_of_the_run_are_refused) {
  ExportOptions options;
  options.formats = {"ply"}, options.frames = {0, 3}, options.attributes = {"velocity"};
  const std::string before = read_text(folder_ / "frames/particles.0003.ply");
  std::filesystem::create_directory_symlink("frames", folder_ / "link");
  for (const char* own :
       {"", ".", "frames", "frames/", "link", "checkpoints", "checkpoints/", "e/../frames"}) {
    options.folder = folder_ / own;
    expect_refused(options, "of the run itself");
  }
  EXPECT_EQ(read_text(folder_ / "frames/particles.0003.ply"), before);
}

TEST_F(RunExport, notes_say_what_the_scene_knows) {
  const RunCache cache(folder_.path());
  const FrameNotes notes = frame_notes(cache.scene(), 3);
  EXPECT_EQ(notes.time_code(99), 3);
  EXPECT_EQ(notes.frame_rate, 10);
  EXPECT_EQ(notes.materials, (std::vector<std::string>{"clay", "foam"}));
  EXPECT_EQ(notes.colors.size(), 2u);
  EXPECT_NEAR(std::pow(notes.width, 3) * 3.14159265 / 6, 1e-3 / 8, 1e-9);  // eight balls fill a cell
}

}  // namespace
}  // namespace dollop
