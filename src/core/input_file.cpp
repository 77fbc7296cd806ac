#include "core/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace dollop {
namespace {

std::string system_message(int code) { return std::generic_category().message(code); }

}  // namespace

InputFile::InputFile(const std::filesystem::path& file)
    // without waiting for a writer, so that a pipe is rejected below
    : descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
  if (descriptor_ < 0) throw UnreadableFile("cannot be opened: " + system_message(errno));
  struct stat state {};
  const bool known = ::fstat(descriptor_, &state) == 0;
  if (known && S_ISREG(state.st_mode)) {
    size_ = std::uint64_t(state.st_size);
    return;
  }
  ::close(descriptor_);
  throw UnreadableFile(known && S_ISDIR(state.st_mode) ? "is a folder" : "is not a regular file");
}

InputFile::~InputFile() { ::close(descriptor_); }

std::size_t InputFile::read(std::uint64_t offset, void* to, std::size_t bytes) const {
  constexpr std::size_t most_at_once = std::size_t(1) << 30;  // what the system accepts in one call
  char* next = static_cast<char*>(to);
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t n =
        ::pread(descriptor_, next + done, std::min(bytes - done, most_at_once), off_t(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw UnreadableFile("cannot be read: " + system_message(errno));
    if (n == 0) break;
    done += std::size_t(n);
  }
  return done;
}

std::string read_input_file(const std::filesystem::path& file, std::uint64_t most_bytes) {
  const InputFile in(file);
  if (in.size() > most_bytes)
    throw UnreadableFile(fmt::format("has {} bytes; at most {} can be read", in.size(), most_bytes));
  std::string bytes(std::size_t(in.size()), '\0');
  bytes.resize(in.read(0, bytes.data(), bytes.size()));  // the file may have been truncated meanwhile
  return bytes;
}

}  // namespace dollop
