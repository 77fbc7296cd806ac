#include "view/packet.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "io/quantities.h"
#include "view/encode.h"
#include "view/particle_json.h"

namespace dollop {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

std::string head_of(const std::string& bytes) {
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 8, 4);
  return bytes.substr(12, length);
}

// the array that the head tells of
template <class T>
std::vector<T> array_of(const std::string& bytes, const std::string& name) {
  const std::string head = head_of(bytes);
  const auto number = [&](const char* key) {
    const std::size_t at = head.find("\"" + name + "\":{");
    return std::stoul(head.substr(head.find(std::string("\"") + key + "\":", at) + std::strlen(key) + 3));
  };
  std::vector<T> values(number("bytes") / sizeof(T));
  if (!values.empty())
    std::memcpy(values.data(), bytes.data() + 12 + head.size() + number("offset"), values.size() * sizeof(T));
  return values;
}

ParticleFrame some_frame(std::size_t n) {
  ParticleFrame frame;
  Attribute velocity{"velocity", 3, {}}, volume{"volume", 1, {}}, stress{"stress", 6, {}};
  for (std::size_t i = 0; i < n; ++i) {
    frame.id.push_back(10 * i + (i > 2 ? std::uint64_t(1) << 40 : 0));
    frame.material.push_back(i % 2);
    for (int a = 0; a < 3; ++a) frame.position.push_back(float(i) * 0.01f + float(a));
    velocity.values.insert(velocity.values.end(), {3.0f * float(i), 4.0f * float(i), 0});
    volume.values.push_back(i % 2 ? 8.0f : 1.0f);
    stress.values.insert(stress.values.end(), {-3, -6, -9, 1, 2, float(i)});
  }
  frame.attributes = {velocity, volume, stress};
  return frame;
}

TEST(Packet, arrays_begin_at_multiples_of_four) {
  Packet packet;
  packet.head.number("x", 1);
  packet.add("one", std::vector<std::uint8_t>{7}, 1);
  packet.add("two", std::vector<std::uint16_t>{300, 400, 500}, 3);
  packet.add("three", std::vector<std::uint32_t>{70000}, 1);
  const std::string bytes = packet.bytes();
  EXPECT_EQ(bytes.substr(0, 8), "DOLLOP1\n");
  EXPECT_EQ((12 + head_of(bytes).size()) % 4, 0u);
  EXPECT_TRUE(is_json(head_of(bytes)));
  EXPECT_EQ(array_of<std::uint8_t>(bytes, "one"), (std::vector<std::uint8_t>{7}));
  EXPECT_EQ(array_of<std::uint16_t>(bytes, "two"), (std::vector<std::uint16_t>{300, 400, 500}));
  EXPECT_EQ(array_of<std::uint32_t>(bytes, "three"), (std::vector<std::uint32_t>{70000}));
}

TEST(Quantise, is_off_by_half_a_step_at_most) {
  std::vector<float> values;
  for (int k = 0; k < 1000; ++k) values.push_back(std::sin(float(k)));
  const Quantised q = quantise(values);
  const float step = (q.high - q.low) / 65535;
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(q.low + step * float(q.values[i]), values[i], 0.51f * step);
}

TEST(Quantise, leaves_out_what_is_not_finite) {
  const Quantised q = quantise({1, NAN, 3, infinity, -infinity});
  EXPECT_EQ(q.low, 1);
  EXPECT_EQ(q.high, 3);
  EXPECT_EQ(q.values, (std::vector<std::uint16_t>{0, 0, 65535, 0, 0}));
  EXPECT_EQ(quantise({NAN, NAN}).high, 0);
  EXPECT_EQ(quantise({}).values.size(), 0u);
  EXPECT_EQ(quantise({5, 5}).values, (std::vector<std::uint16_t>{0, 0}));
  EXPECT_EQ(quantise({-3e38f, 3e38f}).values,
            (std::vector<std::uint16_t>{0, 65535}));  // the width overflows a float
}

TEST(Quantise, usual_range_leaves_outliers_out) {
  std::vector<float> values(1000, 1.0f);
  for (std::size_t i = 0; i < 500; ++i) values[i] = 2;
  values[7] = 1000;
  const Quantised q = quantise(values);
  EXPECT_EQ(q.high, 1000);
  EXPECT_LT(q.usual_high, 2.1f);
  EXPECT_NEAR(q.usual_low, 1, 0.02);
}

TEST(Shuffle, visits_every_particle_once) {
  for (const std::size_t n : {1u, 2u, 3u, 4u, 6u, 100u, 4096u, 30030u}) {
    const std::size_t stride = shuffle_stride(n);
    std::set<std::size_t> seen;
    for (std::size_t s = 0; s < n; ++s) seen.insert(s * stride % n);
    EXPECT_EQ(seen.size(), n) << n;
  }
}

TEST(EncodeParticles, slots_hold_what_the_head_says) {
  const std::size_t n = 100;
  const ParticleFrame frame = some_frame(n);
  const std::string bytes =
      encode_particles(frame, {.frame = 3, .materials = 2, .quantity = "speed", .ids = true});
  const std::size_t stride = shuffle_stride(n);
  const auto positions = array_of<std::uint16_t>(bytes, "positions");
  const auto materials = array_of<std::uint8_t>(bytes, "materials");
  const auto values = array_of<std::uint16_t>(bytes, "values");
  const auto ids = array_of<std::uint32_t>(bytes, "ids");
  ASSERT_EQ(positions.size(), 3 * n);
  for (std::size_t s = 0; s < n; ++s) {
    const std::size_t i = s * stride % n;
    for (std::size_t a = 0; a < 3; ++a)
      EXPECT_NEAR(float(a) + 0.99f * float(positions[3 * s + a]) / 65535, frame.position[3 * i + a], 1e-5f);
    EXPECT_EQ(materials[s], i % 2);
    EXPECT_NEAR(495.0f * float(values[s]) / 65535, 5.0f * float(i), 0.01f);
    EXPECT_EQ(ids[2 * s] + (std::uint64_t(ids[2 * s + 1]) << 32), frame.id[i]);
  }
  const std::string head = head_of(bytes);
  EXPECT_TRUE(is_json(head));
  EXPECT_NE(head.find("\"radii\":[0.62"), std::string::npos) << head;  // (3 / 4 pi)^(1/3)
  EXPECT_NE(head.find(",1.24"), std::string::npos) << head;
}

TEST(EncodeParticles, no_particles_and_no_such_quantity) {
  const std::string bytes = encode_particles({}, {.quantity = "none"});
  EXPECT_EQ(array_of<std::uint16_t>(bytes, "positions").size(), 0u);
  EXPECT_EQ(head_of(bytes).find("quantity"), std::string::npos);
}

TEST(EncodeSurface, holds_the_mesh) {
  SurfaceMesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}};
  mesh.normals = {{0, 0, 1}, {0, 0, -1}, {NAN, 1, 0}};
  mesh.material = {0, 1, 2};
  mesh.values = {1, 2, 3};
  mesh.triangles = {{0, 1, 2}};
  const std::string bytes = encode_surface(mesh, 4, "J");
  EXPECT_EQ(array_of<std::int8_t>(bytes, "normals"),
            (std::vector<std::int8_t>{0, 0, 127, 0, 0, 0, -127, 0, 0, 127, 0, 0}));
  EXPECT_EQ(array_of<std::uint32_t>(bytes, "triangles"), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(array_of<std::uint16_t>(bytes, "values"), (std::vector<std::uint16_t>{0, 32768, 65535}));
}

TEST(Quantities, follow_from_attributes) {
  const ParticleFrame frame = some_frame(4);
  const auto names = quantity_names(frame);
  const std::set<std::string> all(names.begin(), names.end());
  for (const char* name :
       {"speed", "velocity.y", "volume", "pressure", "equivalent stress", "stress.xz", "position.x"})
    EXPECT_TRUE(all.contains(name)) << name;
  EXPECT_FLOAT_EQ((*quantity(frame, "speed"))[2], 10);
  EXPECT_FLOAT_EQ((*quantity(frame, "pressure"))[0], 6);
  EXPECT_FLOAT_EQ((*quantity(frame, "equivalent stress"))[0], std::sqrt(1.5f * (9 + 9 + 2 * 5)));
  EXPECT_FLOAT_EQ((*quantity(frame, "position.y"))[3], 1.03f);
  EXPECT_FALSE(quantity(frame, "velocity.q").has_value());
}

TEST(Quantities, of_one_particle_are_json) {
  const std::string json = particle_json(some_frame(4), 3);
  EXPECT_TRUE(is_json(json));
  EXPECT_NE(json.find("\"id\":1099511627806"), std::string::npos) << json;
  EXPECT_NE(json.find("\"speed\":15"), std::string::npos) << json;
}

}  // namespace
}  // namespace dollop
