#include "io/usda.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>

#include "io/formats.h"
#include "io/mesh_usda.h"
#include "io/sample_frame.h"
#include "io/sample_mesh.h"
#include "io/temporary_folder.h"
#include "io/usda_clips.h"

namespace dollop {
namespace {

std::string text_of(const ParticleFrame& frame, const FrameNotes& notes = {}) {
  const TemporaryFolder folder;
  write_particles(*find_particle_format("usda"), folder / "a.usda", frame, notes);
  return read_text(folder / "a.usda");
}

// the value of the only sample of an attribute, such as "[1, 2]"
std::string sample_of(const std::string& text, const std::string& name) {
  const std::size_t start = text.find(" " + name + ".timeSamples = {\n");
  if (start == std::string::npos) return "none";
  const std::size_t from = text.find("[", text.find('\n', start)), to = text.find("],\n", from);
  return text.substr(from, to + 1 - from);
}

TEST(usda, every_column_is_there) {
  FrameNotes notes;
  notes.frame = 7, notes.frame_rate = 24, notes.materials = {"a", "b", "c"};
  const ParticleFrame frame = sample_frame(3, std::uint64_t(1) << 40);
  const std::string text = text_of(frame, notes);
  EXPECT_EQ(sample_of(text, "ids"), "[1099511627776, 1099511627779, 1099511627782]");
  EXPECT_EQ(sample_of(text, "velocities"), "[(-2, -1.9, -1.8), (-1.7, -1.6, -1.5), (-1.4, -1.3, -1.2)]");
  EXPECT_EQ(sample_of(text, "primvars:mass"), "[0.001, 0.101, 0.201]");
  EXPECT_EQ(sample_of(text, "primvars:pair"), "[(-7, -6.9), (-6.8, -6.7), (-6.6, -6.5)]");
  EXPECT_EQ(sample_of(text, "primvars:materialName:indices"), "[0, 1, 2]");
  EXPECT_TRUE(sample_of(text, "primvars:stress").starts_with("[100000, 100000.1, "));
  for (const char* words : {"def Points \"particles\"", "\n        7: [", "elementSize = 6",
                            "elementSize = 9", "startTimeCode = 7", "endTimeCode = 7",
                            "timeCodesPerSecond = 24", "metersPerUnit = 1", "upAxis = \"Y\""})
    EXPECT_NE(text.find(words), std::string::npos) << words;
}

TEST(usda, positions_read_back_the_same) {
  ParticleFrame frame = sample_frame(400);
  for (std::size_t i = 0; i < frame.position.size(); ++i)
    frame.position[i] = float(std::sin(double(i)) * std::pow(10.0, double(i % 20) - 10));
  std::string values = sample_of(text_of(frame), "points");
  for (char& c : values)
    if (c == '(' || c == ')' || c == '[' || c == ']' || c == ',') c = ' ';
  std::istringstream in(values);
  for (const float x : frame.position) {
    float read = 0;
    ASSERT_TRUE(in >> read);
    EXPECT_EQ(read, x);
  }
}

TEST(usda, widths_are_those_of_balls_of_the_volume) {
  ParticleFrame frame = sample_frame(2);
  EXPECT_EQ(sample_of(text_of(frame, {.width = 0.25}), "widths"), "[0.25, 0.25]");
  frame.attributes.push_back({"volume", 1, {float(std::numbers::pi / 6), float(std::numbers::pi / 6 * 8)}});
  const std::vector<float> widths = particle_widths(frame, {});
  EXPECT_NEAR(widths[0], 1, 1e-6);
  EXPECT_NEAR(widths[1], 2, 1e-6);
  frame.attributes.push_back({"J", 1, {0.125f, 27}});
  EXPECT_NEAR(particle_widths(frame, {})[0], 0.5, 1e-6);
  EXPECT_NEAR(particle_widths(frame, {})[1], 2, 1e-5);  // has come apart: a grain of the old size, and gaps
  frame.attributes.back().values[1] = 1.2f;
  EXPECT_NEAR(particle_widths(frame, {})[1], 2 * std::cbrt(1.2), 1e-5);
}

TEST(usda, one_material_has_one_colour) {
  FrameNotes notes;
  notes.materials = {"foam"};
  notes.colors = {{0.5f, 0.25f, 1}};
  const std::string text = text_of(sample_frame(3), notes);
  EXPECT_NE(text.find("primvars:displayColor = [(0.5, 0.25, 1)] (\n        interpolation = \"constant\""),
            std::string::npos);
  EXPECT_NE(text.find("primvars:materialName = [\"foam\"]"), std::string::npos);
}

TEST(usda, numbers_that_are_not_finite_have_words) {
  ParticleFrame frame;
  frame.position = {0, 0, 0};
  const float inf = std::numeric_limits<float>::infinity();
  frame.attributes = {{"odd name", 3, {inf, -inf, -std::numeric_limits<float>::quiet_NaN()}}};
  EXPECT_EQ(sample_of(text_of(frame), "primvars:odd_name"), "[(inf, -inf, nan)]");
}

TEST(usda, frames_without_particles_are_files_too) {
  EXPECT_EQ(sample_of(text_of(sample_frame(0)), "points"), "[]");
}

TEST(usda, threads_do_not_change_the_bytes) {
  const ParticleFrame frame = sample_frame(20000);
  std::string one;
  {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
    one = text_of(frame);
  }
  EXPECT_TRUE(text_of(frame) == one);
}

TEST(usda_stage, names_every_frame_once_relative_to_itself) {
  const TemporaryFolder folder;
  const ParticleFrame frame = sample_frame(3), empty = sample_frame(0);
  const SurfaceMesh mesh = sample_mesh();
  UsdaStage stage(folder / "run.usda", 24);
  stage.add(usda_particles(empty), 2, folder / "frames/particles.0002.usda");
  stage.add(usda_particles(frame), 5, folder / "frames/particles.0005.usda");
  stage.add(usda_mesh(mesh), 4, folder / "frames/surface.0004.usda");
  stage.add(usda_particles(frame), 5, folder / "frames/particles.0005.usda");
  stage.write();
  EXPECT_EQ(folder.names(), (std::set<std::string>{"run.usda", "run_manifest.usda"}));
  const std::string text = read_text(folder / "run.usda");
  for (const char* words :
       {"asset[] assetPaths = [@./frames/particles.0002.usda@, @./frames/particles.0005.usda@]",
        "double2[] active = [(2, 0), (5, 1)]", "double2[] times = [(2, 2), (5, 5)]",
        "asset[] assetPaths = [@./frames/surface.0004.usda@]", "manifestAssetPath = @./run_manifest.usda@",
        "string primPath = \"/surface\"", "startTimeCode = 2\n", "endTimeCode = 5\n",
        "def Mesh \"surface\" (", "int64[] ids\n"})
    EXPECT_NE(text.find(words), std::string::npos) << words;
  EXPECT_EQ(text.find("timeSamples"), std::string::npos);
  EXPECT_NE(read_text(folder / "run_manifest.usda").find("vector3f[] velocities\n"), std::string::npos);
}

}  // namespace
}  // namespace dollop
