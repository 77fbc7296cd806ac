// Opens files for reading. Only regular files, since a pipe or a device may block, end late or never; and only of a size
// that the caller can bear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace dollop {

// Why a file cannot be read, such as "is not a regular file"; the caller knows its name and what it was for.
struct UnreadableFile : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& file);  // throws UnreadableFile
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  std::uint64_t size() const { return size_; }  // when it was opened [bytes]
  // Returns fewer bytes only where the file ends; throws UnreadableFile.
  std::size_t read(std::uint64_t offset, void* to, std::size_t bytes) const;

 private:
  int descriptor_;
  std::uint64_t size_ = 0;
};

// The whole file; throws UnreadableFile, also if it is longer than `most_bytes`.
std::string read_input_file(const std::filesystem::path& file, std::uint64_t most_bytes);

}  // namespace dollop
