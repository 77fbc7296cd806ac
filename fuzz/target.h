// What the fuzz targets share. A target defines seeds() and accepts() and includes this file last;
// `fuzz_NAME --seeds FOLDER` then writes the seeds there instead of fuzzing.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace dollop::fuzz {

// Inputs that are valid, from which mutation starts.
std::vector<std::string> seeds();

// Feeds an input to the reader; false: it was refused as bad inputs should be. An abort, a report of a sanitizer or an
// exception that escapes is a finding.
bool accepts(const std::string& input);

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

// A file in memory, which holds one input after the other.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("dollop-fuzz", MFD_CLOEXEC)) {
    require(descriptor_ >= 0, "cannot make a file in memory");
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void hold(std::string_view bytes) const {
    require(::ftruncate(descriptor_, 0) == 0 &&
                ::pwrite(descriptor_, bytes.data(), bytes.size(), 0) == ssize_t(bytes.size()),
            "cannot write to a file in memory");
  }
  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

// A folder for this process that is removed at its end.
class TemporaryFolder {
 public:
  TemporaryFolder()
      : path_(std::filesystem::temp_directory_path() / ("dollop-fuzz-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A seed that is refused would leave most of the reader unreached.
inline void write_seeds(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const std::string& seed : seeds()) {
    require(accepts(seed), ("seed " + std::to_string(number) + " is refused").c_str());
    std::ofstream out(folder / ("seed-" + std::to_string(number++)), std::ios::binary);
    require(bool(out.write(seed.data(), std::streamsize(seed.size()))), "cannot write the seeds");
  }
}

}  // namespace dollop::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dollop::fuzz::accepts(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  if (*count != 3 || std::string_view((*words)[1]) != "--seeds") return 0;
  dollop::fuzz::write_seeds((*words)[2]);
  std::exit(0);
}
