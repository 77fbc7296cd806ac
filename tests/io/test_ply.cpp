#include "io/ply.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/formats.h"
#include "io/sample_frame.h"
#include "io/temporary_folder.h"
#include "source_folder.h"

namespace dollop {
namespace {

// what tests/io/read_ply.py makes of a frame
std::string round_trip(const ParticleFrame& frame) {
  const TemporaryFolder folder;
  write_particles(*find_particle_format("ply"), folder / "a.ply", frame);
  int status = 0;
  std::string text = output_of("/usr/bin/env python3 " + source_folder().string() + "/tests/io/read_ply.py " +
                                   (folder / "a.ply").string(),
                               status);
  EXPECT_EQ(status, 0) << text;
  return text;
}

const std::string names =
    "float:x float:y float:z float:vx float:vy float:vz float:mass float:stress_xx float:stress_yy "
    "float:stress_zz "
    "float:stress_xy float:stress_xz float:stress_yz float:F_xx float:F_xy float:F_xz float:F_yx float:F_yy "
    "float:F_yz float:F_zx float:F_zy float:F_zz float:pair_0 float:pair_1";

std::string expected_rows(const ParticleFrame& frame) {
  std::string text;
  for (std::size_t p = 0; p < frame.id.size(); ++p) {
    const float* x = &frame.position[3 * p];
    text += fmt::format("{:.17g} {:.17g} {:.17g}", double(x[0]), double(x[1]), double(x[2]));
    for (const Attribute& attribute : frame.attributes)
      for (int k = 0; k < attribute.components; ++k)
        text += fmt::format(" {:.17g}",
                            double(attribute.values[p * std::size_t(attribute.components) + std::size_t(k)]));
    text += fmt::format(" {} {}\n", frame.id[p], frame.material[p]);
  }
  return text;
}

TEST(ply, every_value_reads_back_under_its_name) {
  const ParticleFrame frame = sample_frame(4100);
  expect_same_text(round_trip(frame), names + " uint:id int:material\n" + expected_rows(frame));
}

TEST(ply, large_ids_become_doubles) {
  const ParticleFrame frame = sample_frame(3, std::uint64_t(1) << 40);
  EXPECT_EQ(round_trip(frame), names + " double:id int:material\n" + expected_rows(frame));
}

TEST(ply, frame_without_particles_is_valid) {
  EXPECT_EQ(round_trip(sample_frame(0)), names + " uint:id int:material\n");
}

TEST(ply, columns_that_were_not_asked_for_are_left_out) {
  ParticleFrame frame = sample_frame(1);
  frame.position = {1, 2, 3};
  frame.id.clear();
  frame.material.clear();
  frame.attributes.clear();
  EXPECT_EQ(round_trip(frame), "float:x float:y float:z\n1 2 3\n");
}

}  // namespace
}  // namespace dollop
