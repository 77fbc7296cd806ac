// Shared by the readers of our own files: reading a whole file, a bounds-checked cursor, and the error type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace dollop {

// A file is unreadable or malformed. The message names the file and says what is wrong with it.
struct InputError : std::runtime_error {
  InputError(const std::filesystem::path& file_, const std::string& reason)
      : std::runtime_error("'" + file_.string() + "': " + reason), file(file_) {}
  std::filesystem::path file;
};

std::string read_whole_file(const std::filesystem::path& file);  // throws InputError

// A cursor over the bytes of a file; reading beyond the end throws InputError.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, const std::filesystem::path& file) : rest_(bytes), file_(file) {}

  std::string_view take(std::size_t bytes);
  std::uint32_t big_u16();
  std::uint32_t big_u32();
  std::uint64_t little_u64();
  std::string_view line();  // without the line break
  std::size_t left() const { return rest_.size(); }
  [[noreturn]] void fail(const std::string& reason) const { throw InputError(file_, reason); }

 private:
  std::string_view rest_;
  const std::filesystem::path& file_;
};

}  // namespace dollop
