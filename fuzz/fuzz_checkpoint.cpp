// Feeds arbitrary bytes to the reader of checkpoints. It must refuse them or return a payload that can be read to its
// end. Inputs whose first byte is odd get a trailer with the right length and checksum, so that the fuzzer also reaches
// the code behind these checks.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>

#include "io/checkpoint.h"
#include "io/checksum.h"

namespace {

void append(std::string& bytes, std::uint64_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

// appends length and checksum; the last 8 bytes of the input serve as the length of the payload
void seal(std::string& bytes) {
  append(bytes, bytes.size() + 16);
  dollop::Checksum checksum;
  checksum.add(bytes.data(), bytes.size());
  append(bytes, checksum.value());
}

void read_to_the_end(const std::string& file) {
  try {
    dollop::Checkpoint checkpoint = dollop::read_checkpoint(file);
    char piece[1000];
    while (checkpoint.payload().read(piece, sizeof(piece))) {
    }
  } catch (const dollop::CheckpointError&) {
    // the bytes were refused, as they should be
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 1) seal(bytes);
  const int memory = ::memfd_create("checkpoint", MFD_CLOEXEC);
  if (memory < 0) return 0;
  if (::write(memory, bytes.data(), bytes.size()) == ssize_t(bytes.size()))
    read_to_the_end("/proc/self/fd/" + std::to_string(memory));
  ::close(memory);
  return 0;
}
