#include "io/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace dollop {

namespace {

// owner of a file descriptor
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

}  // namespace

std::string read_whole_file(const std::filesystem::path& file) {
  const Descriptor in{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat state {};
  if (in.number < 0 || ::fstat(in.number, &state) != 0)
    throw InputError(file, fmt::format("cannot be opened: {}", std::strerror(errno)));
  if (!S_ISREG(state.st_mode)) throw InputError(file, "is not a file");

  std::string bytes(std::size_t(state.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::read(in.number, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw InputError(file, fmt::format("cannot be read: {}", std::strerror(errno)));
    if (n == 0) break;  // the file was truncated meanwhile
    done += std::size_t(n);
  }
  bytes.resize(done);
  return bytes;
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
