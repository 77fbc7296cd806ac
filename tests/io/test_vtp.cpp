#include "io/vtp.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <optional>

#include "io/formats.h"
#include "io/sample_frame.h"
#include "io/temporary_folder.h"
#include "source_folder.h"

namespace dollop {
namespace {

// what VTK makes of a file; none if VTK is not installed
std::optional<std::string> read_by_vtk(const std::filesystem::path& file) {
  int status = 0;
  std::string text = output_of(
      "/usr/bin/python3 " + source_folder().string() + "/tests/io/read_vtp.py '" + file.string() + "'",
      status);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) return std::nullopt;
  EXPECT_EQ(status, 0) << text;
  return text;
}

template <class Number>
std::string expected_array(const std::string& head, const std::vector<Number>& values,
                           std::size_t components) {
  std::string text = "array " + head + "\n";
  for (std::size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{:.17g}{}", double(values[i]), i % components + 1 == components ? "\n" : " ");
  return text;
}

// the components of a symmetric tensor in the order of VTK: xx yy zz xy yz xz
std::vector<float> in_order_of_vtk(const std::vector<float>& ours) {
  std::vector<float> theirs;
  for (std::size_t p = 0; p < ours.size() / 6; ++p)
    for (const std::size_t k : {0, 1, 2, 3, 5, 4}) theirs.push_back(ours[6 * p + k]);
  return theirs;
}

std::string expected_text(const ParticleFrame& frame) {
  const std::size_t n = frame.id.size();
  return fmt::format("points {0} vertices {0} cells {0}\ntime 0.10000000000000001\nvectors velocity\n", n) +
         expected_array("Points float - - -", frame.position, 3) +
         expected_array("velocity float X Y Z", frame.attributes[0].values, 3) +
         expected_array("mass float -", frame.attributes[1].values, 1) +
         expected_array("stress float XX YY ZZ XY YZ XZ", in_order_of_vtk(frame.attributes[2].values), 6) +
         expected_array("F float XX XY XZ YX YY YZ ZX ZY ZZ", frame.attributes[3].values, 9) +
         expected_array("pair float 0 1", frame.attributes[4].values, 2) +
         expected_array("id INT64 -", frame.id, 1) + expected_array("material int -", frame.material, 1);
}

class Vtp : public testing::TestWithParam<std::size_t> {};

TEST_P(Vtp, vtk_reads_every_value_under_its_name) {
  const ParticleFrame frame = sample_frame(GetParam(), (std::uint64_t(1) << 40) + 1);
  const TemporaryFolder folder;
  write_particles(*find_particle_format("vtp"), folder / "a.vtp", frame);
  std::optional<std::string> read = read_by_vtk(folder / "a.vtp");
  if (!read) GTEST_SKIP() << "VTK's Python is not installed (Debian: python3-vtk9)";
  // VTK names 64-bit integers after the C type
  for (const char* type : {"id long_long -", "id long -", "id vtktypeint64 -"})
    if (const std::size_t at = read->find(type); at != std::string::npos)
      read->replace(at, std::string(type).size(), "id INT64 -");
  expect_same_text(*read, expected_text(frame));
}
// none, a few, and more than one piece
INSTANTIATE_TEST_SUITE_P(sizes, Vtp, testing::Values(0, 5, 9000));

TEST(pvd, lists_times_and_relative_files) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "frames");
  const auto file = [&](int frame) { return folder / fmt::format("frames/a & b.{:04}.vtp", frame); };
  for (int frame = 0; frame < 3; ++frame)
    write_particles(*find_particle_format("vtp"), file(frame), sample_frame(std::size_t(frame)));

  PvdCollection collection(folder / "particles.pvd");
  collection.add(0, file(0));
  collection.add(1.0 / 30, file(1));
  PvdCollection resumed(folder / "particles.pvd", {{0, file(0)}, {1.0 / 30, file(1)}});
  resumed.add(2.0 / 30, file(2));
  EXPECT_EQ(folder.names(), (std::set<std::string>{"frames", "particles.pvd"}));

  const std::optional<std::string> read = read_by_vtk(folder / "particles.pvd");
  if (!read) GTEST_SKIP() << "VTK's Python is not installed (Debian: python3-vtk9)";
  EXPECT_EQ(*read,
            "0 frames/a & b.0000.vtp 0\n0.03333333333333333 frames/a & b.0001.vtp 1\n"
            "0.06666666666666667 frames/a & b.0002.vtp 2\n");
}

}  // namespace
}  // namespace dollop
