// Files of surfaces: all formats appear whole; a level set holds the distance and the velocities.
#include "surface/surface_files.h"

#include <openvdb/openvdb.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "bodies.h"
#include "io/atomic_file.h"
#include "surface/vdb_level_set.h"

namespace dollop {
namespace {

namespace fs = std::filesystem;

class SurfaceFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("dollop-surface-" + std::to_string(::getpid()) + "-" +
                                          testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }
  std::string bytes(const fs::path& file) const {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  fs::path folder;
};

TEST_F(SurfaceFiles, EveryFormatIsWritten) {
  const ParticleFrame frame = ball({}, 0.2);
  const SurfaceMesh mesh = make_surface(frame, {});
  for (const SurfaceFormat& format : surface_formats()) {
    EXPECT_EQ(find_surface_format(format.name), &format);
    const fs::path file = folder / (std::string("surface") + format.extension);
    write_surface(format, file, mesh, frame, {});
    EXPECT_GT(fs::file_size(file), 1000u) << format.name;
    const std::string first = bytes(file);
    write_surface(format, file, mesh, frame, {});
    EXPECT_EQ(bytes(file), first) << format.name;  // nothing random in it
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()),
            long(surface_formats().size()));
  EXPECT_EQ(find_surface_format("stl"), nullptr);
  EXPECT_EQ(find_surface_method("sharp")->method, SurfaceMethod::sharp);
  EXPECT_EQ(find_surface_method("Sharp"), nullptr);
}

TEST_F(SurfaceFiles, AnEmptySurfaceIsAFileToo) {
  for (const SurfaceFormat& format : surface_formats()) {
    const fs::path file = folder / (std::string("empty") + format.extension);
    write_surface(format, file, {}, {}, {});
    EXPECT_TRUE(fs::exists(file)) << format.name;
  }
}

TEST_F(SurfaceFiles, FaultsAreReported) {
  const ParticleFrame frame = ball({}, 0.2);
  for (const SurfaceFormat& format : surface_formats())
    EXPECT_THROW(write_surface(format, folder / "none" / "surface", make_surface(frame, {}), frame, {}),
                 OutputError);
}

TEST_F(SurfaceFiles, ALevelSetHoldsDistanceAndVelocity) {
  const ParticleFrame frame = ball({.spacing = 0.05}, 0.3);
  const SurfaceMesh mesh = make_surface(frame, {});
  const fs::path file = folder / "surface.vdb";
  write_level_set_vdb(file, mesh, 0.025);

  openvdb::initialize();
  openvdb::io::File in(file.string());
  in.open();
  const auto surface = openvdb::gridPtrCast<openvdb::FloatGrid>(in.readGrid("surface"));
  const auto moving = openvdb::gridPtrCast<openvdb::Vec3SGrid>(in.readGrid("velocity"));
  EXPECT_EQ(surface->getGridClass(), openvdb::GRID_LEVEL_SET);
  EXPECT_NEAR(surface->voxelSize().x(), 0.025, 1e-9);
  const auto nearest = [&](double x, double y, double z) {
    return surface->transform().worldToIndexNodeCentered(openvdb::Vec3d(x, y, z));
  };
  const auto distance = [&](double x, double y, double z) {
    return surface->tree().getValue(nearest(x, y, z));
  };
  EXPECT_NEAR(distance(0.3, 0, 0), 0, 0.02);
  EXPECT_NEAR(distance(0.35, 0, 0), 0.05, 0.02);
  EXPECT_NEAR(distance(0, 0.25, 0), -0.05, 0.02);
  EXPECT_LT(distance(0, 0, 0), -0.07);  // the band ends, the sign does not
  EXPECT_GT(distance(1, 0, 0), 0.07);
  const openvdb::Vec3s v = moving->tree().getValue(nearest(0.3, 0, 0)),
                       w = moving->tree().getValue(nearest(0, 0, -0.3));
  EXPECT_NEAR(v.z(), 0.3, 0.06);
  EXPECT_NEAR(w.x(), 0.3, 0.06);
  EXPECT_NEAR(w.y(), 0.5, 0.02);
}

}  // namespace
}  // namespace dollop
