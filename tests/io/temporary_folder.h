// A temporary folder that is removed at the end of a test, and functions to read and write files.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <system_error>

namespace dollop {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "dollop-io-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::set<std::string> names() const {  // of all entries
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      found.insert(entry.path().filename().string());
    return found;
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

// Compares long texts and shows the first line that differs; gtest's own comparison is quadratic in the lines.
inline void expect_same_text(const std::string& found, const std::string& expected) {
  std::istringstream found_lines(found), expected_lines(expected);
  std::string a, b;
  for (int number = 1; found != expected; ++number) {
    const bool more_found = bool(std::getline(found_lines, a)), more = bool(std::getline(expected_lines, b));
    if (more_found && more && a == b) continue;
    ADD_FAILURE() << "line " << number << " is\n  " << (more_found ? a : "missing") << "\nand should be\n  "
                  << (more ? b : "missing");
    return;
  }
}

// the output of a command; its exit status goes to `status`
inline std::string output_of(const std::string& command, int& status) {
  std::string text;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) {
    status = -1;
    return text;
  }
  char piece[4096];
  for (std::size_t n; (n = std::fread(piece, 1, sizeof(piece), pipe)) > 0;) text.append(piece, n);
  status = ::pclose(pipe);
  return text;
}

}  // namespace dollop
