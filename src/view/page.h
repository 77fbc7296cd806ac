// The files of the viewer's web page, embedded in the program by cmake/viewer.cmake.
#pragma once

#include <span>
#include <string_view>

namespace dollop {

struct PageFile {
  std::string_view path;  // in the URL, such as "/index.html"
  std::string_view type;  // MIME type
  std::string_view bytes;
  std::string_view gzip;  // the same, compressed when the program was built
};

// Empty if the program was built without Node.js and npm.
std::span<const PageFile> page_files();

}  // namespace dollop
