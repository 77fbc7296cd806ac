#include "io/vdb_file.h"

#include <fmt/format.h>
#include <openvdb/io/Archive.h>
#include <openvdb/openvdb.h>

#include <cstdint>
#include <sstream>
#include <string>

#include "core/assert.h"
#include "io/checksum.h"

namespace dollop {

namespace {

// gives access to Archive's writing of a complete file, including grid offsets, to any stream
class MemoryArchive : public openvdb::io::Archive {
 public:
  std::string bytes_of(const openvdb::GridCPtrVec& grids) const {
    std::ostringstream stream(std::ios::binary);
    openvdb::MetaMap notes;
    notes.insertMeta("creator", openvdb::StringMetadata("dollop " DOLLOP_VERSION));
    openvdb::io::Archive::write(stream, grids, true, notes);
    return std::move(stream).str();
  }
};

// header: 8 bytes of magic, versions of file, library and revision in 4 bytes each, a flag, then a UUID of 36
// characters
void replace_identifier(std::string& bytes) {
  constexpr std::size_t begin = 8 + 3 * 4 + 1, length = 36;
  DOLLOP_ASSERT(bytes.size() > begin + length && bytes[begin + 8] == '-' && bytes[begin + 23] == '-');
  bytes.replace(begin, length, length, '0');
  Checksum sum;
  sum.add(bytes.data(), bytes.size());
  const std::uint64_t a = sum.value();
  sum.add(&a, sizeof(a));
  const std::uint64_t b = sum.value();
  const std::string identifier =
      fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", a >> 32, a >> 16 & 0xffff, a & 0xfff,
                  b >> 48 & 0xfff, b & 0xffffffffffff);
  bytes.replace(begin, length, identifier);
}

}  // namespace

openvdb::math::Transform::Ptr make_vdb_transform(double voxel, const std::filesystem::path& file) {
  try {
    return openvdb::math::Transform::createLinearTransform(voxel);
  } catch (const openvdb::ArithmeticError&) {
    throw OutputError(
        file,
        fmt::format("its voxels would be {:.2g} m wide, and OpenVDB stores none below 1.5e-5 m", voxel));
  }
}

void write_vdb_grids(AtomicFile& out, const openvdb::GridCPtrVec& grids) {
  openvdb::initialize();
  std::string bytes = MemoryArchive().bytes_of(grids);
  replace_identifier(bytes);
  out.write(bytes);
}

}  // namespace dollop
