// Files that are replaced atomically, and the error type of all output.
#pragma once

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace dollop {

// Something could not be written. The message names the file, the system's reason and what may help.
struct OutputError : std::runtime_error {
  OutputError(const std::filesystem::path& name, int error_number);
  OutputError(const std::filesystem::path& name, const std::string& reason, int error_number = 0);
  std::filesystem::path file;
  int code = 0;  // errno; 0: not a system error
};

// Writes all bytes to an open descriptor, or throws an OutputError that names `file`.
void write_all(int descriptor, const void* data, std::size_t bytes, const std::filesystem::path& file);

enum class Durability {
  cached,  // written to the system's cache: survives the end of the process
  synced   // flushed to the disk: survives a power failure too; slow
};

// A file that is written under a temporary name in its folder and renamed by commit(): readers see a complete file or
// the older one. Without a commit the temporary file is removed. Symbolic links are followed: their target is replaced.
// A device, a pipe or an open descriptor of this process (/dev/stdout) is written directly.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path file, Durability durability = Durability::cached);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // All three throw OutputError. After an error the file cannot be committed.
  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void commit();

  const std::filesystem::path& path() const { return file_; }

 private:
  void open_directly();
  void open_temporary();
  void flush();
  void write_through(const void* data, std::size_t bytes);
  [[noreturn]] void fail(int code);

  std::filesystem::path file_;       // as given
  std::filesystem::path target_;     // the file that is replaced, at the end of symbolic links
  std::filesystem::path temporary_;  // empty: written directly
  std::string buffer_;               // collects small writes
  Durability durability_;
  int descriptor_ = -1;
  int failure_ = 0;  // errno of the first error
  bool committed_ = false;
};

// Writes a small file at once.
void write_file(const std::filesystem::path& file, std::string_view text,
                Durability durability = Durability::cached);

// Creates a folder and its missing parents; throws OutputError.
void make_folder(const std::filesystem::path& folder);

// Flushes a folder to the disk, so that renamed files are found there after a power failure.
void sync_folder(const std::filesystem::path& folder);

// Removes temporary files that killed processes left behind. Call it before anything is written.
void remove_partial_files(const std::filesystem::path& folder);

}  // namespace dollop
