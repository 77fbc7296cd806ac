#include "io/bgeo.h"

#include <gtest/gtest.h>

#include <ctime>

#include "io/bgeo_decoder.h"
#include "io/formats.h"
#include "io/sample_frame.h"
#include "io/temporary_folder.h"

namespace dollop {
namespace {

bgeo_decoder::Geometry round_trip(const ParticleFrame& frame) {
  const TemporaryFolder folder;
  write_particles(*find_particle_format("bgeo"), folder / "a.bgeo", frame);
  EXPECT_EQ(folder.names(), std::set<std::string>{"a.bgeo"});
  return bgeo_decoder::decode(read_text(folder / "a.bgeo"));
}

TEST(bgeo, every_value_reads_back_under_its_name) {
  const std::size_t particles = 5000;  // more than a block of rows
  const ParticleFrame frame = sample_frame(particles);
  const bgeo_decoder::Geometry read = round_trip(frame);
  ASSERT_EQ(read.points, particles);
  for (std::size_t p = 0; p < particles; ++p) {
    for (std::size_t k = 0; k < 3; ++k) ASSERT_EQ(read.xyzw[4 * p + k], double(frame.position[3 * p + k]));
    ASSERT_EQ(read.xyzw[4 * p + 3], 1.0);
    ASSERT_EQ(read.channels.at("id").values[p], double(frame.id[p]));
    ASSERT_EQ(read.channels.at("material").values[p], double(frame.material[p]));
  }
  EXPECT_EQ(read.order, (std::vector<std::string>{"v", "mass", "stress", "F", "pair", "id", "material"}));
  EXPECT_EQ(read.channels.at("v").type, 5);
  EXPECT_EQ(read.channels.at("mass").type, 0);
  EXPECT_EQ(read.channels.at("stress").type, 0);
  EXPECT_EQ(read.channels.at("id").type, 1);
  EXPECT_EQ(read.channels.at("material").type, 1);
  for (const Attribute& attribute : frame.attributes) {
    const auto& channel = read.channels.at(attribute.name == "velocity" ? "v" : attribute.name);
    EXPECT_EQ(channel.size, unsigned(attribute.components));
    EXPECT_EQ(channel.values, std::vector<double>(attribute.values.begin(), attribute.values.end()));
  }
}

TEST(bgeo, frame_without_particles_is_valid) {
  const bgeo_decoder::Geometry read = round_trip(sample_frame(0));
  EXPECT_EQ(read.points, 0u);
  EXPECT_EQ(read.order.size(), 7u);
}

TEST(bgeo, columns_that_were_not_asked_for_are_left_out) {
  ParticleFrame frame = sample_frame(3);
  frame.id.clear();
  frame.material.clear();
  frame.attributes.clear();
  EXPECT_TRUE(round_trip(frame).order.empty());
}

TEST(bgeo, ids_beyond_an_integer_keep_their_high_word) {
  const std::uint64_t first = (std::uint64_t(5) << 32) - 4;
  const bgeo_decoder::Geometry read = round_trip(sample_frame(3, first));
  for (std::size_t p = 0; p < 3; ++p) {
    const double low = read.channels.at("id").values[p], high = read.channels.at("id_high").values[p];
    EXPECT_EQ(high * 0x1p32 + (low < 0 ? low + 0x1p32 : low), double(first + 3 * p));
  }
}

TEST(bgeo, million_particles_take_little_time) {
  const std::size_t particles = 1000000;
  ParticleFrame frame;
  frame.position.assign(3 * particles, 0.25f);
  for (std::size_t p = 0; p < particles; ++p) frame.id.push_back(p);
  frame.attributes = {{"velocity", 3, std::vector<float>(3 * particles, 1.0f)},
                      {"mass", 1, std::vector<float>(particles, 1.0f)},
                      {"volume", 1, std::vector<float>(particles, 1.0f)},
                      {"J", 1, std::vector<float>(particles, 1.0f)}};
  const TemporaryFolder folder;
  const std::clock_t start = std::clock();
  write_particles(*find_particle_format("bgeo"), folder / "a.bgeo", frame);
  const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  RecordProperty("milliseconds", int(1e3 * seconds));
  EXPECT_LT(seconds, 1.0);  // 0.05 s in an optimised build; the bound also holds with sanitizers
  EXPECT_EQ(std::filesystem::file_size(folder / "a.bgeo"),
            41u + (2 + 1 + 6 + 12) + 3 * (2 + 6 + 4) + (4 + 6 + 1) + (2 + 2 + 6 + 4) + particles * 44 + 2);
}

}  // namespace
}  // namespace dollop
