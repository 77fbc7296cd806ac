#include "io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/assert.h"

namespace dollop {

namespace {

constexpr std::size_t buffer_bytes = 1 << 16;
constexpr std::size_t max_write = std::size_t(1) << 30;  // Linux writes at most 2 GiB in one call
constexpr std::string_view partial_mark = ".partial-";

const char* remedy(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return "; free some space or choose another folder";
    case EROFS:
    case EACCES:
    case EPERM:
      return "; choose a folder that you may write to";
    case ENOENT:
    case ENOTDIR:
      return "; create the folder first";
    case EFBIG:
      return "; raise the limit on the size of files (ulimit -f)";
    case EIO:
      return "; the disk or the network may be failing";
    default:
      return "";
  }
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

// a hidden file, unique to this process and this AtomicFile
std::filesystem::path temporary_name(const std::filesystem::path& file) {
  static std::atomic<unsigned> count = 0;
  return folder_of(file) /
         fmt::format(".{}{}{}-{}", file.filename().string(), partial_mark, ::getpid(), count++);
}

// the descriptor N of this process that /dev/stdout, /dev/fd/N and the like name; -1 for other paths
int own_descriptor(const std::filesystem::path& file) {
  if (file == "/dev/stdout") return STDOUT_FILENO;
  if (file == "/dev/stderr") return STDERR_FILENO;
  const std::string folder = file.parent_path().string(), name = file.filename().string();
  if (folder != "/dev/fd" && folder != "/proc/self/fd") return -1;
  int number = -1;
  const auto [stop, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
  return fault == std::errc() && stop == name.data() + name.size() ? number : -1;
}

// the target of symbolic links, whether or not it exists
std::filesystem::path end_of_links(const std::filesystem::path& file) {
  constexpr int max_links = 40;  // the limit of Linux
  std::filesystem::path end = file;
  std::error_code error;
  for (int links = 0; std::filesystem::is_symlink(std::filesystem::symlink_status(end, error)); ++links) {
    if (links == max_links) throw OutputError(file, ELOOP);
    const std::filesystem::path next = std::filesystem::read_symlink(end, error);
    if (error) throw OutputError(file, error.value());
    end = folder_of(end) / next;  // an absolute path replaces the folder
  }
  return end;
}

// fsync; returns 0 also on file systems without it, otherwise errno
int sync(int descriptor) {
  if (::fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP) return 0;
  return errno;
}

// the PID in ".NAME.partial-PID-N"; 0 for other names
int writer_of(const std::string& name) {
  const std::size_t mark = name.rfind(partial_mark);
  if (name.empty() || name[0] != '.' || mark == std::string::npos) return 0;
  const char* begin = name.data() + mark + partial_mark.size();
  const char* end = name.data() + name.size();
  int process = 0;
  const auto [stop, error] = std::from_chars(begin, end, process);
  return error == std::errc() && stop != end && *stop == '-' ? process : 0;
}

}  // namespace

OutputError::OutputError(const std::filesystem::path& name, int error_number)
    : OutputError(name, std::generic_category().message(error_number) + remedy(error_number), error_number) {}

OutputError::OutputError(const std::filesystem::path& name, const std::string& reason, int error_number)
    : std::runtime_error(fmt::format("cannot write {}: {}", name.string(), reason)),
      file(name),
      code(error_number) {}

void write_all(int descriptor, const void* data, std::size_t bytes, const std::filesystem::path& file) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(descriptor, next, bytes < max_write ? bytes : max_write);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw OutputError(file, errno);
    next += written;
    bytes -= std::size_t(written);
  }
}

AtomicFile::AtomicFile(std::filesystem::path file, Durability durability)
    : file_(std::move(file)), target_(end_of_links(file_)), durability_(durability) {
  buffer_.reserve(buffer_bytes);
  std::error_code error;
  const bool exists = ::access(file_.c_str(), F_OK) == 0;
  // rename would replace a write-protected file too, but its owner wants to keep it
  if (exists && ::access(file_.c_str(), W_OK) != 0) throw OutputError(file_, errno);
  // links in /proc may lead to pipes and to files without a name in any folder
  if (own_descriptor(file_) >= 0 || (exists && !std::filesystem::is_regular_file(target_, error)))
    open_directly();
  else
    open_temporary();
}

void AtomicFile::open_directly() {
  const int own = own_descriptor(file_);  // others may write there too, so continue at the current position
  if (own >= 0) std::fflush(stdout);
  descriptor_ =
      own >= 0 ? ::fcntl(own, F_DUPFD_CLOEXEC, 0) : ::open(file_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (descriptor_ < 0) throw OutputError(file_, errno);
}

void AtomicFile::open_temporary() {
  temporary_ = temporary_name(target_);
  // a killed process with the same PID may have left a file of this name
  ::unlink(temporary_.c_str());
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw OutputError(file_, errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!committed_ && !temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(int code) {
  failure_ = code;
  throw OutputError(file_, code);
}

void AtomicFile::write_through(const void* data, std::size_t bytes) {
  try {
    write_all(descriptor_, data, bytes, file_);
  } catch (const OutputError& error) {
    fail(error.code);
  }
}

void AtomicFile::flush() {
  write_through(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  DOLLOP_ASSERT(!committed_);
  if (failure_ != 0) fail(failure_);
  if (buffer_.size() + bytes > buffer_bytes) flush();
  if (bytes >= buffer_bytes)
    write_through(data, bytes);
  else
    buffer_.append(static_cast<const char*>(data), bytes);
}

void AtomicFile::commit() {
  DOLLOP_ASSERT(!committed_);
  if (failure_ != 0) fail(failure_);
  flush();
  if (durability_ == Durability::synced)
    if (const int code = sync(descriptor_)) fail(code);
  // network file systems report a full disk only here
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) fail(errno);
  if (!temporary_.empty() && ::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  committed_ = true;
  if (!temporary_.empty() && durability_ == Durability::synced) sync_folder(folder_of(target_));
}

void write_file(const std::filesystem::path& file, std::string_view text, Durability durability) {
  AtomicFile out(file, durability);
  out.write(text);
  out.commit();
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw OutputError(folder, error.value());
}

void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw OutputError(folder, errno);
  const int code = sync(descriptor);
  ::close(descriptor);
  if (code != 0) throw OutputError(folder, code);
}

void remove_partial_files(const std::filesystem::path& folder) {
  std::error_code error;  // errors are ignored: files that remain do no harm
  for (auto entry = std::filesystem::directory_iterator(folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const int process = writer_of(entry->path().filename().string());
    if (process <= 0) continue;
    const bool alive = process != ::getpid() && (::kill(process, 0) == 0 || errno == EPERM);
    if (!alive) ::unlink(entry->path().c_str());
  }
}

}  // namespace dollop
