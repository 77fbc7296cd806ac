// What the readers of our own files share: the whole file, a place in it that cannot run out of bounds, and the error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace dollop {

// A file that cannot be read or is not what it should be. The message names the file and says what is wrong with it.
struct InputError : std::runtime_error {
  InputError(const std::filesystem::path& file_, const std::string& reason)
      : std::runtime_error("'" + file_.string() + "': " + reason), file(file_) {}
  std::filesystem::path file;
};

std::string read_whole_file(const std::filesystem::path& file);  // throws InputError

// Goes through the bytes of a file; what would reach beyond their end throws InputError.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, const std::filesystem::path& file) : rest_(bytes), file_(file) {}

  std::string_view take(std::size_t bytes);
  std::uint32_t big_u16();
  std::uint32_t big_u32();
  std::uint64_t little_u64();
  std::string_view line();  // up to the next end of a line, without it
  std::size_t left() const { return rest_.size(); }
  [[noreturn]] void fail(const std::string& reason) const { throw InputError(file_, reason); }

 private:
  std::string_view rest_;
  const std::filesystem::path& file_;
};

}  // namespace dollop
