#include "io/vdb_particles.h"

#include <gtest/gtest.h>
#include <openvdb/io/File.h>
#include <openvdb/openvdb.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/points/PointCount.h>
#include <tbb/global_control.h>

#include <cmath>
#include <random>

#include "io/formats.h"
#include "io/sample_frame.h"
#include "io/temporary_folder.h"

namespace dollop {
namespace {

namespace points = openvdb::points;

// a ball of particles that turns about the z axis
ParticleFrame turning_ball(std::size_t count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> coordinate(-0.1f, 0.1f);
  ParticleFrame frame;
  frame.time = 0.5;
  frame.attributes = {{"velocity", 3}, {"mass", 1}, {"volume", 1}, {"stress", 6}};
  for (std::size_t p = 0; p < count; ++p) {
    const float x = coordinate(random), y = coordinate(random), z = coordinate(random);
    frame.position.insert(frame.position.end(), {x, y, z});
    frame.id.push_back((std::uint64_t(1) << 40) + p);
    frame.material.push_back(std::int32_t(p % 2));
    frame.attributes[0].values.insert(frame.attributes[0].values.end(), {-y, x, 0});
    frame.attributes[1].values.push_back(0.008f / float(count) * 100);  // 100 kg/m^3
    frame.attributes[2].values.push_back(0.008f / float(count));
    for (int k = 0; k < 6; ++k) frame.attributes[3].values.push_back(float(p) + 0.1f * float(k));
  }
  return frame;
}

openvdb::GridPtrVecPtr grids_of(const std::filesystem::path& name) {
  openvdb::initialize();
  openvdb::io::File file(name.string());
  file.open(false);
  return file.getGrids();
}

class VdbParticles : public testing::Test {
 protected:
  openvdb::GridPtrVecPtr round_trip(const ParticleFrame& frame, const FrameNotes& notes = {}) const {
    write_particles(*find_particle_format("vdb"), folder_ / "a.vdb", frame, notes);
    return grids_of(folder_ / "a.vdb");
  }
  TemporaryFolder folder_;
};

TEST_F(VdbParticles, points_read_back_with_their_attributes) {
  const ParticleFrame frame = turning_ball(1000);
  FrameNotes notes;
  notes.materials = {"foam", "sand"};
  const auto grids = round_trip(frame, notes);
  const auto grid = openvdb::gridPtrCast<points::PointDataGrid>(openvdb::findGridByName(*grids, "points"));
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->metaValue<std::string>("material_1"), "sand");
  EXPECT_EQ(grid->metaValue<double>("time"), 0.5);
  ASSERT_EQ(points::pointCount(grid->tree()), 1000u);
  std::size_t seen = 0;
  for (auto leaf = grid->tree().cbeginLeaf(); leaf; ++leaf) {
    const points::AttributeHandle<openvdb::Vec3f> position(leaf->constAttributeArray("P"));
    const points::AttributeHandle<openvdb::Vec3f> velocity(leaf->constAttributeArray("v"));
    const points::AttributeHandle<std::int64_t> id(leaf->constAttributeArray("id"));
    const points::AttributeHandle<std::int32_t> material(leaf->constAttributeArray("material"));
    const points::AttributeHandle<float> radius(leaf->constAttributeArray("pscale"));
    const points::AttributeHandle<float> stress(leaf->constAttributeArray("stress"));
    for (auto index = leaf->beginIndexOn(); index; ++index, ++seen) {
      const auto p = std::size_t(id.get(*index) - (std::int64_t(1) << 40));
      ASSERT_LT(p, 1000u);
      const openvdb::Vec3d x =
          grid->indexToWorld(openvdb::Vec3d(position.get(*index)) + index.getCoord().asVec3d());
      for (int k = 0; k < 3; ++k) {
        ASSERT_NEAR(x[k], frame.position[3 * p + std::size_t(k)], 1e-8);
        ASSERT_EQ(velocity.get(*index)[k], frame.attributes[0].values[3 * p + std::size_t(k)]);
      }
      ASSERT_EQ(material.get(*index), frame.material[p]);
      ASSERT_NEAR(radius.get(*index), std::cbrt(8e-6 * 3 / (4 * 3.14159265)), 1e-6);
      for (openvdb::Index k = 0; k < 6; ++k)
        ASSERT_EQ(stress.get(*index, k), frame.attributes[3].values[6 * p + k]);
    }
  }
  EXPECT_EQ(seen, 1000u);
}

TEST_F(VdbParticles, fields_hold_mass_and_velocity) {
  const ParticleFrame frame = turning_ball(4000);
  const auto grids = round_trip(frame);
  const auto density = openvdb::gridPtrCast<openvdb::FloatGrid>(openvdb::findGridByName(*grids, "density"));
  const auto velocity = openvdb::gridPtrCast<openvdb::Vec3SGrid>(openvdb::findGridByName(*grids, "velocity"));
  ASSERT_TRUE(density && velocity);
  EXPECT_EQ(density->getGridClass(), openvdb::GRID_FOG_VOLUME);
  const double voxel = density->voxelSize()[0];
  EXPECT_NEAR(voxel, 2 * std::cbrt(2e-6), 0.001 * voxel);  // as wide as two particles
  double mass = 0;
  for (auto node = density->cbeginValueOn(); node; ++node) mass += *node * voxel * voxel * voxel;
  EXPECT_NEAR(mass, 0.8, 1e-5);
  const openvdb::Coord middle = density->transform().worldToIndexNodeCentered(openvdb::Vec3d(0.05, 0, 0));
  EXPECT_NEAR(density->tree().getValue(middle), 100, 40);
  const openvdb::Vec3d x = density->indexToWorld(middle);
  EXPECT_NEAR(velocity->tree().getValue(middle)[1], x[0], voxel / 2);
}

TEST_F(VdbParticles, what_the_particles_lack_is_left_out) {
  ParticleFrame frame = turning_ball(10);
  frame.attributes.clear(), frame.id.clear(), frame.material.clear();
  EXPECT_EQ(round_trip(frame)->size(), 1u);
  EXPECT_EQ(round_trip(ParticleFrame{})->size(), 1u);  // a frame without particles
  EXPECT_EQ(round_trip(sample_frame(0))->size(), 3u);
}

TEST_F(VdbParticles, particles_beyond_all_voxels_are_left_out) {
  ParticleFrame frame = turning_ball(1000);
  frame.position[3 * 17] = NAN;
  frame.position[3 * 18 + 1] = 1e30f;
  const auto grids = round_trip(frame);
  const auto grid = openvdb::gridPtrCast<points::PointDataGrid>(openvdb::findGridByName(*grids, "points"));
  EXPECT_EQ(points::pointCount(grid->tree()), 998u);
  const auto density = openvdb::gridPtrCast<openvdb::FloatGrid>(openvdb::findGridByName(*grids, "density"));
  const double voxel = density->voxelSize()[0];
  double mass = 0;
  for (auto node = density->cbeginValueOn(); node; ++node) mass += *node * voxel * voxel * voxel;
  EXPECT_NEAR(mass, 0.8 * 998 / 1000, 1e-5);
}

TEST_F(VdbParticles, voxels_that_openvdb_cannot_store_are_an_error) {
  ParticleFrame frame = turning_ball(1000);
  for (float& volume : frame.attributes[2].values) volume = 1e-18f;
  try {
    round_trip(frame);
    ADD_FAILURE() << "was written";
  } catch (const OutputError& error) {
    EXPECT_NE(std::string(error.what()).find("a.vdb: its voxels would be"), std::string::npos)
        << error.what();
  }
}

TEST_F(VdbParticles, equal_frames_give_equal_bytes) {
  const ParticleFrame frame = turning_ball(20000);
  round_trip(frame);
  const std::string many = read_text(folder_ / "a.vdb");
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
  round_trip(frame);
  EXPECT_TRUE(read_text(folder_ / "a.vdb") == many);
}

}  // namespace
}  // namespace dollop
