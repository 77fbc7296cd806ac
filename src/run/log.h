// log.txt of a run: one line for each event, with the time of day. Lines that cannot be written are lost, and no more.
#pragma once

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

namespace dollop {

class Log {
 public:
  explicit Log(const std::filesystem::path& file) : out_(file, std::ios::app) {}
  void line(const std::string& text) {
    out_.clear();  // there may be room again
    out_ << fmt::format("{:%Y-%m-%d %H:%M:%S}  {}\n", fmt::localtime(std::time(nullptr)), text) << std::flush;
  }

 private:
  std::ofstream out_;
};

}  // namespace dollop
