// Files that appear whole or not at all, and the error of everything that is written.
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
  int code = 0;  // errno; 0: the system had no part in it
};

// Writes all bytes to an open descriptor, or throws an OutputError that names `file`.
void write_all(int descriptor, const void* data, std::size_t bytes, const std::filesystem::path& file);

enum class Durability {
  cached,  // survives the end of the process
  synced   // survives the loss of power too; slow
};

// A file that is written under a temporary name in the folder it belongs to, and gets its own name by commit(). Until
// then an older file of that name stays as it is. Without a commit the temporary file is removed. Symbolic links are
// followed: the file they lead to is replaced. A device, a pipe or what this process has open already (/dev/stdout) stays,
// and is written directly.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path file, Durability durability = Durability::cached);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // All three throw OutputError. After that the file can only be given up.
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
  std::filesystem::path target_;     // what is replaced: where the links end
  std::filesystem::path temporary_;  // empty: written directly
  std::string buffer_;               // small pieces are collected here
  Durability durability_;
  int descriptor_ = -1;
  int failure_ = 0;  // errno of the first error
  bool committed_ = false;
};

// The whole of a small file at once.
void write_file(const std::filesystem::path& file, std::string_view text,
                Durability durability = Durability::cached);

// Creates a folder and those above it where they are missing; throws OutputError.
void make_folder(const std::filesystem::path& folder);

// Makes sure that files which were renamed into a folder are found there after a loss of power.
void sync_folder(const std::filesystem::path& folder);

// Removes temporary files that processes left behind which were killed. Call it before anything is written.
void remove_partial_files(const std::filesystem::path& folder);

}  // namespace dollop
