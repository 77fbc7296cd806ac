#include "io/formats.h"

#include <gtest/gtest.h>

#include "io/frame_layout.h"
#include "io/sample_frame.h"
#include "io/temporary_folder.h"

namespace dollop {
namespace {

TEST(formats, are_found_by_name) {
  for (const ParticleFormat& format : particle_formats()) {
    EXPECT_EQ(find_particle_format(format.name), &format);
    EXPECT_EQ(format.extension, std::string(".") + format.name);
  }
  EXPECT_EQ(particle_formats().size(), 5u);
  EXPECT_EQ(find_particle_format("bgeo.sc"), nullptr);
  EXPECT_EQ(find_particle_format(""), nullptr);
}

TEST(formats, write_to_the_named_file_only) {
  for (const ParticleFormat& format : particle_formats()) {
    const TemporaryFolder folder;
    write_particles(format, folder / "a", sample_frame(2));
    EXPECT_EQ(folder.names(), std::set<std::string>{"a"});
    EXPECT_THROW(write_particles(format, folder / "no/a", sample_frame(2)), OutputError);
  }
}

TEST(frame_layout, symmetric_tensors_have_the_order_of_sym_mat3) {
  EXPECT_EQ(component_names(6), (std::vector<std::string>{"xx", "yy", "zz", "xy", "xz", "yz"}));
  EXPECT_EQ(component_names(1), std::vector<std::string>{""});
  EXPECT_EQ(component_names(2), (std::vector<std::string>{"0", "1"}));
}

}  // namespace
}  // namespace dollop
