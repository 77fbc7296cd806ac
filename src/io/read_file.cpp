#include "io/read_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

#include "core/input_file.h"

namespace dollop {

namespace {

// A file is decoded in memory; one that is larger than half of it cannot be.
std::uint64_t half_of_memory() {
  return std::uint64_t(sysconf(_SC_PAGE_SIZE)) * std::uint64_t(sysconf(_SC_PHYS_PAGES)) / 2;
}

}  // namespace

std::string read_whole_file(const std::filesystem::path& file) {
  try {
    return read_input_file(file, half_of_memory());
  } catch (const UnreadableFile& e) {
    throw InputError(file, e.what());
  }
}

std::string_view ByteReader::take(std::size_t bytes) {
  if (bytes > rest_.size()) fail("ends too early: it is damaged or was not written to its end");
  const std::string_view piece = rest_.substr(0, bytes);
  rest_.remove_prefix(bytes);
  return piece;
}

std::uint32_t ByteReader::big_u16() {
  const std::string_view b = take(2);
  return std::uint32_t((unsigned char)(b[0])) << 8 | std::uint32_t((unsigned char)(b[1]));
}

std::uint32_t ByteReader::big_u32() {
  const std::uint32_t high = big_u16();
  return high << 16 | big_u16();
}

std::uint64_t ByteReader::little_u64() {
  std::uint64_t value = 0;
  std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
  return value;
}

std::string_view ByteReader::line() {
  const std::size_t end = rest_.find('\n');
  if (end == std::string_view::npos)
    fail("ends within its header: it is damaged or was not written to its end");
  const std::string_view text = rest_.substr(0, end);
  rest_.remove_prefix(end + 1);
  return text;
}

}  // namespace dollop
