#include "streams.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "commands.h"

namespace dollop {
namespace {

// A standard stream, and the first error of writing to it.
struct Stream {
  int descriptor, error = 0;
};
Stream out{STDOUT_FILENO}, err{STDERR_FILENO};

// Writes all it can and keeps the error. The C library is never told of one: fmt::print would throw.
ssize_t write_some(void* cookie, const char* text, std::size_t size) {
  Stream& stream = *static_cast<Stream*>(cookie);
  for (std::size_t done = 0; done < size;) {
    const ssize_t written = ::write(stream.descriptor, text + done, size - done);
    if (written >= 0) {
      done += std::size_t(written);
    } else if (errno != EINTR) {
      if (stream.error == 0) stream.error = errno;
      break;
    }
  }
  return ssize_t(size);
}

// A file of the C library that writes by write_some(), buffered as the standard one would be.
FILE* open_stream(Stream& stream, int buffering) {
  FILE* file = fopencookie(&stream, "w", {nullptr, write_some, nullptr, nullptr});
  if (file) setvbuf(file, nullptr, buffering, BUFSIZ);
  return file;
}

}  // namespace

void prepare_streams() {
  int descriptor = 0;
  while (descriptor >= 0 && descriptor <= STDERR_FILENO)  // for reading: what is printed counts as lost
    descriptor = ::open("/dev/null", O_RDONLY);
  if (descriptor >= 0) ::close(descriptor);

  struct sigaction now {};
  sigaction(SIGPIPE, nullptr, &now);
  if (now.sa_handler == SIG_DFL) {
    now.sa_handler = [](int) {};
    now.sa_flags = SA_RESTART;
    sigaction(SIGPIPE, &now, nullptr);
  }

  // glibc lets programs set these variables
  if (FILE* file = open_stream(out, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF)) stdout = file;
  if (FILE* file = open_stream(err, _IONBF)) stderr = file;
}

int finish_streams(int status) {
  std::fflush(stdout);
  if (out.error == 0) return status;
  if (out.error != EPIPE)  // a reader that has enough knows
    fmt::print(stderr, "dollop: cannot write to standard output: {}\n", std::strerror(out.error));
  return status == exit_fine ? exit_output_lost : status;
}

}  // namespace dollop
